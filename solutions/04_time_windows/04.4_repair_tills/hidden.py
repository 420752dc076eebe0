"""Another day at the tills: sales on both sides of each full minute, stragglers in time and late."""

import random
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario

TILLS = ["A", "B", "C"]


def hidden(random: random.Random) -> Scenario:
    start = datetime(2026, 6, 12, random.randint(6, 20), random.randint(0, 50))

    def sale(step: int, second: int, note: str = "", till: str | None = "") -> Event:
        time = start + timedelta(seconds=second)
        value = {
            "till": random.choice(TILLS) if till == "" else till,
            "cents": random.randint(1, 90) * 10,
            "sold_at": f"{time.isoformat()}Z",
        }
        return Event(step, "sales", value, note=note)

    events: list[Event] = []
    for step in (1, 2, 3):
        end = 60 * step
        events += [sale(step, end - random.randint(15, 35)) for _ in range(random.randint(1, 3))]
        events += [sale(step, end - 60, "the first moment of the minute")] if step == 1 else []
        events += [sale(step, end, "the first moment of the next minute")]
        events.append(sale(step, end + 19, "a second short of closing it"))
        events.append(sale(step + 1, end - 1, "20 s behind, in time"))
        events.append(sale(step + 1, end - 45, "64 s behind, and its minute is open"))
        events.append(sale(step + 1, end + 20, "closes it to the second"))
        if step > 1:
            events.append(sale(step + 1, end - 61, "too late by a second"))
    events.append(sale(4, 210, "a till without a name", till=None))
    events.append(sale(5, 3600, "closes all that came before"))
    return Scenario(sorted(events, key=lambda event: event.step))
