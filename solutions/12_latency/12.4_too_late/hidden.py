"""Other pages at another hour: alarms at once, after a jump, from a late click, and none."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Pages that reach the limit, two of them in one step, and one that stays a click below it."""
    hour = random.randrange(0, 24)
    hot, cold, late, new = (f"/offer/{number}" for number in random.sample(range(100), 4))
    events: list[Event] = []

    def clicks(step: int, page: str, minute: int, *seconds: int, note: str = "") -> None:
        for second in seconds:
            time = f"2025-12-24T{hour:02d}:{minute:02d}:{second:02d}Z"
            events.append(Event(step, "clicks", {"page": page, "event_time": time}, note=note))

    first = random.randrange(0, 20)
    clicks(1, hot, first, *random.sample(range(60), 3))
    clicks(1, cold, first, *random.sample(range(60), 2))
    clicks(2, hot, first, random.randrange(60), note="the fourth")
    clicks(2, cold, first, 59)
    clicks(2, late, first + 1, 0, 1)
    clicks(3, hot, first, *random.sample(range(60), random.randint(1, 3)))
    clicks(3, hot, first + 1, random.randrange(10))
    clicks(4, cold, first + 3, *random.sample(range(59), random.randint(5, 6)), 59, note="at once")
    clicks(4, new, first + 3, *random.sample(range(59), 4), note="two pages at once")
    clicks(5, late, first + 1, 58, 59, note="its minute is open")
    clicks(5, hot, first, 30, note="its minute is closed")
    clicks(6, hot, first + 3, 0)
    clicks(6, cold, first + 20, 0)
    return Scenario(events)
