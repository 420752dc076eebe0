"""Other pages at another hour: clicks from before the first start, twins in a moment, five at once, late by a moment."""

import random as randoms
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Seconds count from the beginning of a window. A step arrives a little after its clicks, the last one two days.

    In step 3 there is a click from a clock that is fast: it arrives before its own time.
    """
    start = datetime(2026, 4, random.randint(1, 28), random.randrange(24), random.randrange(50))
    hot, late, edge, cold = (f"/offer/{n}" for n in random.sample(range(100), 4))
    events: list[Event] = []

    def at(seconds: float) -> str:
        return f"{(start + timedelta(seconds=seconds)).isoformat(timespec='milliseconds')}Z"

    def record(step: int, value: object, note: str = "") -> None:
        arrived = at((6, 8, 9.5, 14, 16, 172_890)[step - 1])
        key = (
            "any" if value is None else None
        )  # Kafka takes a record without a value if it has a key
        events.append(Event(step, "clicks", value, key=key, note=note, timestamp=arrived))

    def clicks(step: int, page: str | None, *seconds: float, note: str = "") -> None:
        for second in seconds:
            value = {"eventTime": at(second)} | ({"pageId": page} if page is not None else {})
            record(step, value, note)

    some = sorted(random.choices([0.25, 1.5, 2.75, 3.125], k=3))
    clicks(1, hot, 0, some[0], some[0], note="two in one moment")
    clicks(1, cold, *some)
    clicks(1, None, *some, some[0], note="no page")
    record(1, "<html>", "no JSON")
    record(1, None, "a tombstone")
    record(1, {"pageId": hot}, "no time")
    clicks(2, hot, 4.999, note="over the limit")
    clicks(2, edge, 1, 2, 4.999, 5.0, note="the edge belongs to the next window")
    clicks(3, hot, random.choice([0.5, 3.5]))
    clicks(3, late, *random.choices([6.0, 7.5, 8.25], k=random.randint(4, 6)), 9.999)
    clicks(4, hot, 4.0, note="its window is open by a millisecond")
    clicks(4, late, 10.0, note="the watermark goes to the end of the first window")
    clicks(5, hot, 4.5, note="too late")
    clicks(5, edge, 6, 7, 9, note="over the limit")
    clicks(5, cold, 8)
    clicks(5, "", 6, 7, 8, 9, note="an empty page is a page, too")
    clicks(6, cold, 75)
    clicks(6, "/offer/Two?size=2", 66, 67, 68, 69, note="over the limit")
    clicks(
        6, "/offer/Two?size=2", *(70 + n / 4 for n in range(12)), note="in the next window as well"
    )
    return Scenario(events)
