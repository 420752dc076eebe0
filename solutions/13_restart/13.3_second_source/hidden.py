"""Other clicks and touches; the kiosk has records before anybody reads them."""

import random as randoms

from grader.scenario import Event, Scenario

PAGES = ["/home", "/fruit", "/tools", "/books", None]


def hidden(random: randoms.Random) -> Scenario:
    def click(step: int) -> Event:
        return Event(step, "web", {"page": random.choice(PAGES)})

    def touch(step: int, screen: str | None = None) -> Event:
        return Event(step, "kiosk", {"screen": screen or random.choice([*PAGES, "/map"])})

    events = [Event(1, "web", {"page": page}) for page in PAGES]
    events += [touch(1, "/map"), touch(1, "/home"), Event(1, "kiosk", {"screen": None})]
    for step in (2, 3, 4, 5):
        events += [click(step) for _ in range(random.randint(1, 4))]
        events += [touch(step) for _ in range(random.randint(1, 3))]
    return Scenario(sorted(events, key=lambda event: event.step))
