"""Another day with the same two clocks: app in milliseconds, kiosk in seconds, the kiosk a little behind."""

import random
from datetime import datetime, timedelta, timezone

from grader.scenario import Event, Scenario

PAGES = ["/home", "/sale", "/fruit"]


def hidden(random: random.Random) -> Scenario:
    start = datetime(
        2026, 8, 19, random.randint(6, 20), 5 * random.randint(0, 6), tzinfo=timezone.utc
    )

    def at(step: int, source: str, minute: float, note: str = "", delay: float = 10) -> Event:
        time = start + timedelta(seconds=round(60 * minute))
        sent = int(time.timestamp()) * (1000 if source == "app" else 1)
        if source == "app":
            sent += random.randint(0, 999)
        received = (time + timedelta(seconds=delay)).replace(tzinfo=None)
        value = {"page": random.choice(PAGES), "sent": sent, "received": f"{received.isoformat()}Z"}
        return Event(step, source, value, note=note)

    def some(step: int, source: str, first: float, last: float) -> list[Event]:
        return [at(step, source, random.uniform(first, last)) for _ in range(random.randint(1, 4))]

    events: list[Event] = []
    for step in (1, 2, 3):
        opens = 5.0 * (step - 1)
        events += some(step, "app", opens + 0.2, opens + 4.8)
        # the kiosk stays short of the window's end, so that only an impatient query closes it
        events += some(step, "kiosk", opens + 0.2, opens + 3.5)
        events.append(at(step, "app", opens + 5.5))
        events.append(
            at(step + 1, "kiosk", opens + random.uniform(3.6, 4.4), "slow, but in time", 120)
        )
        events.append(at(step + 1, "kiosk", opens + 6.2, "closes the window before"))
        if step > 1:
            late = opens - random.uniform(0.3, 4.5)
            events.append(at(step + 1, "app", late, "too late", 600))
    events[0].value["page"] = None  # a click without a page counts
    # rounded to seconds it falls into the next window; and it comes twice: a union that takes copies out loses one
    last = at(1, "app", 4 + 59 / 60)
    sent = last.value["sent"] // 1000 * 1000 + random.randint(500, 999)
    events += 2 * [Event(1, "app", {**last.value, "sent": sent}, note="the last half second")]
    # this click decides the watermark, and an answer may cut off the milliseconds
    closing = at(5, "app", 120, "a whole second")
    closing.value["sent"] -= closing.value["sent"] % 1000
    events.append(closing)
    ahead = "both move on, the kiosk so far that the app is the slower one"
    events.append(at(5, "kiosk", 122, ahead))
    return Scenario(sorted(events, key=lambda event: event.step))
