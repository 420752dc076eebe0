"""Another evening in the shop: the kiosk falls silent, comes back late, and then leads."""

import random
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario

PAGES = ["/home", "/sale", "/fruit"]


def hidden(random: random.Random) -> Scenario:
    start = datetime(2026, 7, 2, random.randint(6, 20), 5 * random.randint(0, 6))

    def at(step: int, source: str, minute: float, note: str = "") -> Event:
        time = start + timedelta(seconds=round(60 * minute))
        value = {"page": random.choice(PAGES), "event_time": f"{time.isoformat()}Z"}
        return Event(step, source, value, note=note)

    def some(step: int, source: str, first: float, last: float) -> list[Event]:
        return [at(step, source, random.uniform(first, last)) for _ in range(random.randint(1, 4))]

    events = [
        *some(1, "web", 0.2, 3.0),
        *some(1, "kiosk", 0.2, 2.5),
        *some(2, "web", 3.0, 4.5),
        at(2, "web", random.uniform(5.4, 5.8), "the kiosk is silent from here on"),
        *some(3, "web", 7.0, 9.5),
        at(3, "web", 11.0 + random.uniform(0, 0.5)),
        at(3, "kiosk", random.uniform(3.0, 4.8), "too late: the kiosk was cut off"),
        *some(4, "kiosk", 12.0, 14.5),
        at(4, "kiosk", 15.3 + random.uniform(0, 0.5), "the kiosk leads, less its minute"),
        *some(5, "web", 13.0, 14.9),
        at(5, "kiosk", 16.3 + random.uniform(0, 0.5)),
        at(6, "web", 14.0, "too late: the kiosk has moved the time on"),
        at(6, "kiosk", 17.5),
        at(7, "web", 120),
        at(7, "kiosk", 120, "both move on: all that came before is closed"),
    ]
    events[0].value["page"] = None  # a click without a page counts
    # alike in page and second, and two clicks all the same: a union that takes copies out loses one
    of_web = at(1, "web", 1.5, "the kiosk has one that looks the same")
    events += [of_web, Event(1, "kiosk", of_web.value, note="the web has one that looks the same")]
    return Scenario(sorted(events, key=lambda event: event.step))
