"""Other pages at another hour."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Two minutes of clicks on many pages, one of them late, one without a page."""
    hour = random.randrange(0, 24)
    pages = [f"/offer/{number}" for number in random.sample(range(100), 15)]
    events: list[Event] = []

    def click(step: int, minute: int, second: int, note: str = "") -> None:
        time = f"2025-12-24T{hour:02d}:{minute:02d}:{second:02d}Z"
        value = {"page": random.choice(pages), "event_time": time}
        events.append(Event(step, "clicks", value, note=note))

    for step in (1, 2):
        for second in sorted(random.sample(range(60), 14)):
            click(step, step, second)
    time = f"2025-12-24T{hour:02d}:02:{random.randrange(60):02d}Z"
    events.append(Event(2, "clicks", {"page": None, "event_time": time}, note="no page"))
    click(2, 2, 59)
    click(3, 1, 30, "late")
    click(3, 3, 15)
    click(3, 20, 0)
    return Scenario(events)
