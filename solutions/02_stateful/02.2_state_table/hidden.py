"""Other pages and reading times; some clicks are duplicated, in one step or a later one; one has no page."""

import random

from grader.scenario import Event, Scenario

PAGES = ["/home", "/fruit", "/blog", "/help", "/jobs", "/press"]


def hidden(random: random.Random) -> Scenario:
    events: list[Event] = []
    for step in range(1, 4):
        for _ in range(random.randint(4, 6)):
            value = {
                "event_id": f"h{len(events):03d}",
                "page": random.choice(PAGES),
                "seconds": random.randint(1, 60),
            }
            events.append(Event(step, "clicks", value))
        events.append(Event(step, "clicks", random.choice(events).value, note="sent twice"))
    no_page = {"event_id": f"h{len(events):03d}", "page": None, "seconds": 8}
    events.append(Event(3, "clicks", no_page, note="no page: the state counts those, too"))
    return Scenario(events)
