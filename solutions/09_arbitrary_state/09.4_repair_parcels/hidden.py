"""Another day at the depot: parcels that arrive, that get lost, that are found again."""

import random as randoms
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    start = random.randrange(5, 9) * 60
    names = random.sample([f"k{number}" for number in range(10, 99)], 7)
    arrives, slow, late, lonely, quick, last, beyond = names
    events: list[Event] = []

    def scan(step: int, parcel: str, place: str | None, minute: float, note: str = "") -> None:
        at = datetime(2026, 6, 15) + timedelta(milliseconds=round((start + minute) * 60_000))
        time = f"{at.isoformat(timespec='milliseconds')}Z"
        value = {"parcel": parcel, "place": place, "scanned_at": time}
        events.append(Event(step, "scans", value, note=note))

    for parcel in (arrives, slow):
        for minute in random.sample(range(19), 3):
            scan(1, parcel, random.choice(["depot", "hall", "van"]), minute)
    scan(1, late, "van", 14)
    scan(1, lonely, "depot", 12.25)
    scan(1, "k8", "depot", 12.2625)
    scan(1, slow, "doorway", 20, "not yet the door")
    scan(2, late, "depot", 11, "late, in time: an older first scan")
    scan(2, arrives, "van", random.randrange(50, 60))
    scan(2, slow, None, 65)
    scan(2, slow, None, 49, "older than the one before")
    scan(3, arrives, "van", 70)
    scan(3, arrives, None, 71)
    scan(3, arrives, "door", 90, "delivered")
    scan(3, slow, "van", 40, "too late")
    scan(3, quick, "depot", 91.0075)
    scan(3, quick, "door", 99)
    scan(4, last, "depot", 142.25, "reaches the lonely one's timeout")
    for place, minute in (("door", 120), ("door", 121), ("van", 135), ("hall", 118)):
        scan(4, beyond, place, minute, "at the door, and not for the last time")
    scan(5, last, "van", 142.25 + 1 / 60_000, "and passes it by a millisecond")
    scan(6, lonely, "van", 150, "found again")
    scan(6, "k8", "van", 150, "its two hours end in the middle of a second: it goes on")
    scan(6, arrives, "depot", 175, "sent back")
    scan(6, last, "van", 180)
    scan(6, last, "van", 180)
    scan(7, last, "door", 200)
    scan(8, quick, "depot", 420)
    scan(8, "k9", "depot", 195, "three hours between two of one batch")
    scan(8, "k9", "door", 380)
    return Scenario(events)
