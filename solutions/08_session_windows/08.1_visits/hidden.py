"""Other users with other habits, and all kinds of event types."""

import random as randoms

from grader.scenario import Event, Scenario

GAPS = {1: 5, 2: 20}


def hidden(random: randoms.Random) -> Scenario:
    """Runs of events near the edge of their gaps; some arrive a step later, some too late."""
    events: list[Event] = []
    noon = random.randrange(9, 20) * 3600

    def add(step: int, user: str, kind: int | None, seconds: float, note: str = "") -> None:
        at = noon + int(seconds)
        second = at % 60 + seconds % 1
        time = f"2025-06-21T{at // 3600:02d}:{at // 60 % 60:02d}:{second:06.3f}Z"
        value = {"user_id": user, "event_type": kind, "event_time": time}
        events.append(Event(step, "events", value, note=note))

    users = random.sample(["eva", "finn", "gus", "hana", "ivo"], 3)
    for user in users:
        clock = random.randrange(0, 30)
        for _ in range(random.randrange(5, 8)):
            kind = random.choice([1, 1, 2, 2, 3, 9, None])
            add(random.choice([1, 1, 2]), user, kind, clock)
            gap = GAPS.get(kind or 0, 300)
            # just inside the gap, or just outside
            clock += gap + random.choice([-2, -1, 1, 2])
            if clock > 590:
                break
    add(1, "zoe", 1, 100.7)
    add(1, "zoe", 1, 105.8, "5.1 seconds later: another visit")
    add(1, "zoe", 2, 110.75, "within five seconds to the millisecond")
    add(2, "yan", None, 500, "no type: five minutes")
    add(2, users[0], 1, 1000)
    # the watermark stands at 400 seconds
    add(3, users[1], 1, 394, "late")
    add(3, users[2], 4, 390, "its five minutes are not over")
    add(3, users[0], 2, 1500)
    add(4, users[1], 2, 3000)
    events.sort(key=lambda event: event.step)
    return Scenario(events)
