"""Another shift at the gates: scans sent again without milliseconds, parcels that come by again."""

import random
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario

GATES = ["A", "B", "C"]


def hidden(random: random.Random) -> Scenario:
    start = datetime(2026, 9, random.randint(1, 28), random.randint(6, 20), random.randint(0, 30))

    def scan(
        step: int, parcel: int, gate: str | None, seconds: int, millis: int, note: str = ""
    ) -> Event:
        time = start + timedelta(seconds=seconds)
        fraction = f".{millis:03d}" if millis else ""
        value = {
            "parcel_id": f"H{parcel}",
            "gate": gate,
            "scanned_at": f"{time.isoformat()}{fraction}Z",
        }
        return Event(step, "scans", value, note=note)

    events: list[Event] = []
    for step in range(1, 6):
        newest, parcel = 420 * step, 10 * step
        gate, other = random.sample(GATES, 2)
        first = newest - random.randint(200, 400)
        events += [
            scan(step, parcel, gate, first, random.randint(1, 999)),
            scan(step, parcel, gate, first, 0, "sent again, without the milliseconds"),
            scan(step, parcel + 1, other, first + 70, random.randint(1, 999)),
            scan(step, parcel, other, first + 40, random.randint(1, 999), "at the next gate"),
            scan(step, parcel + 1, other, first + 71, 0, "a second later"),
            scan(step, parcel + 1, other, first + 130, 0, "the same second of the next minute"),
            scan(step, parcel + 2, gate, newest, 0),
            scan(step + 1, parcel, gate, first, 0, "sent once more, in the next step"),
            scan(step + 1, parcel + 1, other, first + 70, 0, "sent again in the next step"),
            scan(step + 1, parcel + 3, gate, newest - random.randint(400, 595), 0, "in time"),
            scan(step + 1, parcel + 2, gate, newest + random.randint(60, 240), 0, "the gate again"),
        ]
    events.append(scan(4, 60, None, 1500, 0, "a gate that does not know its name"))
    for parcel in range(70, 80):
        events.append(scan(3, parcel, "C", 1260 - random.randint(1, 60), 0, "a busy minute"))
    # in one step, so that a key without the hour or the minute still holds the first
    events.append(scan(7, 98, "B", 5400, 0))
    events.append(scan(7, 98, "C", 9000, 0, "an hour later to the second: a scan of its own"))
    events.append(scan(7, 98, "C", 9000 + 24 * 3600, 0, "a day later to the second"))
    events.append(scan(7, 99, "A", 9000 + 24 * 3600, 0, "every older scan is forgotten"))
    return Scenario(sorted(events, key=lambda event: event.step))
