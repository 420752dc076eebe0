"""Other tablets in other hands, with pauses near half an hour to the millisecond, late taps and guests."""

import random
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario

GAP = 1800


def hidden(random: random.Random) -> Scenario:
    start = datetime(2026, 7, 9, random.randint(6, 14), random.randint(0, 29))
    events: list[Event] = []

    def tap(step: int, device: str, user: str | None, second: float, note: str = "") -> None:
        time = start + timedelta(seconds=second)
        value = {"device": device, "user": user, "event_time": f"{time.isoformat()}Z"}
        events.append(Event(step, "taps", value, note=note))

    one, two = random.sample(["eva", "finn", "gus", "hana"], 2)
    # both on the same tablet in turns, the first one on her phone as well, guests in between
    for device, user in (
        ("tablet-8", one),
        ("tablet-8", two),
        ("phone-1", one),
        ("tablet-8", None),
    ):
        second = random.randint(0, 600)
        for step in (1, 1, 2, 2):
            tap(step, device, user, second)
            second += random.choice([300, 700, GAP - 1, GAP, GAP + 1])
            if second > 3500:
                break
    second = random.randint(0, 300)
    tap(1, "tablet-7", one, second)
    tap(1, "tablet-7", one, second + 800)
    tap(2, "tablet-7", one, second + 400, "late, and not the last tap of its session")
    second = random.randint(100, 600)  # still open after step 1
    tap(1, "phone-2", two, second)
    tap(2, "phone-2", two, second + GAP + 0.001, "a millisecond more: another session")
    tap(2, "tablet-9", two, 3600)
    # the watermark stands at 3000 seconds
    tap(3, "tablet-8", two, 1199, "too late by a second")
    tap(3, "tablet-9", one, 1201, "in time by a second")
    tap(3, "tablet-9", two, 3600 + random.randint(60, 1700))
    tap(4, "tablet-9", one, 20000, "closes all that came before")
    tap(1, "tablet-7", None, 700, "a guest, while another one is on tablet-8: two sessions")
    return Scenario(sorted(events, key=lambda event: event.step))
