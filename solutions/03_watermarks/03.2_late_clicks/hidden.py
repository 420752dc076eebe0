"""Another afternoon: stragglers in open windows, stragglers in closed ones, more pages."""

import random
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario

PAGES = ["/home", "/sale", "/fruit"]


def hidden(random: random.Random) -> Scenario:
    start = datetime(2026, 6, 12, random.randint(6, 20), 5 * random.randint(0, 6))

    def click(step: int, minute: float, page: str | None = None, note: str = "") -> Event:
        time = start + timedelta(seconds=round(60 * minute))
        value = {"page": page or random.choice(PAGES), "event_time": f"{time.isoformat()}Z"}
        return Event(step, "clicks", value, note=note)

    events: list[Event] = []
    for step, first in ((1, 0.0), (2, 5.0), (3, 10.0)):
        # the newest click is at most 9 s into the next window: the window stays open
        events += [
            click(step, first + random.uniform(0.6, 4.6)) for _ in range(random.randint(3, 5))
        ]
        events.append(click(step, first + 5 + random.randint(1, 8) / 60))
        events.append(click(step + 1, first + random.uniform(0.5, 4.9), note="in an open window"))
        events.append(click(step + 1, first + 5.5, note="closes the window before"))
        if step > 1:
            late = first - random.uniform(0.2, 4.5)
            events.append(click(step + 1, late, random.choice(PAGES), note="too late"))
    events.append(click(5, 4.9, "/sale", note="too late"))
    events.append(click(5, 15.9))
    unknown = {**events[-1].value, "page": None}
    events.append(Event(5, "clicks", unknown, note="no page: a click all the same"))
    events.append(click(6, 180, note="closes all that came before"))
    return Scenario(sorted(events, key=lambda event: event.step))
