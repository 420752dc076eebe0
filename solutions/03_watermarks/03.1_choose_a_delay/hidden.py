"""Another hour of the same app: up to 9 s behind, with a phone or two that were in a tunnel."""

import random
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario

PAGES = ["/home", "/sale", "/fruit", "/cart"]


def _click(step: int, time: datetime, page: str, note: str = "") -> Event:
    return Event(step, "clicks", {"page": page, "event_time": f"{time.isoformat()}Z"}, note=note)


def hidden(random: random.Random) -> Scenario:
    start = datetime(2026, 4, 7, random.randint(7, 18), random.randint(0, 50))
    events: list[Event] = []
    for step in range(1, 5):
        # a step ends a few seconds into a minute, so that a hurried watermark closes too early
        newest = start + timedelta(minutes=step, seconds=random.randint(5, 7))
        if step > 1:
            before = newest.replace(second=0) - timedelta(minutes=1, seconds=random.randint(1, 2))
            events.append(_click(step, before, random.choice(PAGES), "7 to 9 s behind"))
        for seconds in sorted(random.sample(range(12, 55), random.randint(2, 4)), reverse=True):
            events.append(_click(step, newest - timedelta(seconds=seconds), random.choice(PAGES)))
        events.append(_click(step, newest, random.choice(PAGES)))
    stray = (
        start + timedelta(seconds=random.randint(0, 50)) - timedelta(minutes=random.randint(25, 39))
    )
    events.append(_click(5, stray, random.choice(PAGES), "a phone that was offline"))
    events.append(_click(5, newest + timedelta(seconds=40), random.choice(PAGES)))
    events.append(_click(6, newest + timedelta(hours=2), "/home", "closes all that came before"))
    return Scenario(events)
