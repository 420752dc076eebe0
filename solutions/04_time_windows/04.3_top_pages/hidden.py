"""Another afternoon: pages that are busy for a while, clicks on edges, stragglers."""

import random
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario

PAGES = ["/home", "/sale", "/fruit"]


def hidden(random: random.Random) -> Scenario:
    start = datetime(2026, 6, 12, random.randint(6, 20), 10 * random.randint(0, 4))

    def click(step: int, second: int, page: str | None, note: str = "") -> Event:
        time = start + timedelta(seconds=second)
        value = {"page": page, "event_time": f"{time.isoformat()}Z"}
        return Event(step, "clicks", value, note=note)

    events: list[Event] = []
    for step, busy in enumerate(random.sample(PAGES, 3), start=1):
        first = 240 * (step - 1)
        events += [click(step, first + random.randrange(230), busy) for _ in range(2)]
        events.append(click(step, first, busy, "the first moment of a window"))
        events += [click(step, first + random.randrange(230), random.choice(PAGES))]
        events.append(click(step, first + 240, busy, "no part of the window that ends here"))
        events.append(click(step, first + 249, busy, "a second short of closing it"))
        # late for the window that ended at `first`, in time for the later ones
        events.append(click(step + 1, first + 239, busy, "behind, but its windows are open"))
        events.append(click(step + 1, first + 250, busy, "closes a window to the second"))
        events.append(click(step + 1, first + random.randrange(100), busy, "late for some windows"))
    events += [click(4, 800, None, "no page") for _ in range(3)]
    events.append(click(5, 3 * 3600, "/home", "closes all that came before"))
    return Scenario(sorted(events, key=lambda event: event.step))
