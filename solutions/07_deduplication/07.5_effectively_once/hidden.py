"""Another morning: a writer that is killed after every step, refunds, twins in the same second."""

import random
from datetime import datetime, timedelta
from typing import Any

from grader.scenario import Event, Scenario

METHODS = ["card", "wallet", "invoice"]


def hidden(random: random.Random) -> Scenario:
    start = datetime(2026, 10, random.randint(1, 28), random.randint(6, 18), random.randint(0, 30))

    def at(seconds: int) -> str:
        return f"{(start + timedelta(seconds=seconds)).isoformat()}Z"

    def booking(number: int, method: str, cents: int, seconds: int, kind: str = "sale") -> Any:
        return {
            "order_id": f"h{number}",
            "kind": kind,
            "method": method,
            "cents": cents if kind == "sale" else -cents,
            "booked_at": at(seconds),
            "written_at": at(seconds + 30),
        }

    events: list[Event] = []
    for step in range(1, 5):
        newest, number = 480 * step, 10 * step
        first = newest - random.randint(200, 400)
        method, cents = random.choice(METHODS), random.randint(3, 90) * 100
        batch = [
            booking(number, method, cents, first),
            booking(number + 1, method, cents, first),
            booking(number + 2, random.choice(METHODS), random.randint(3, 90) * 100, newest),
            booking(number, method, cents, first + 60, "refund"),
            booking(number + 1, method, cents, first, "refund"),
        ]
        events += [Event(step, "bookings", value) for value in batch]
        events += [
            Event(step + 1, "bookings", {**value, "written_at": at(newest + 300)}, note="once more")
            for value in batch
        ]
        behind = booking(number + 3, "wallet", 700, newest - random.randint(450, 595))
        events.append(Event(step + 1, "bookings", behind, note="in time"))
    for kind in ("sale", "refund"):  # in one second: only the kind tells them apart
        unknown = {**booking(50, "wallet", 0, 1900, kind), "cents": None}
        events.append(Event(4, "bookings", unknown, note="the till does not know how much"))
    again = {**events[0].value, "written_at": at(2300)}
    events.append(Event(5, "bookings", again, note="once more, half an hour later"))
    last = booking(99, "card", 100, 90_000)
    events.append(Event(6, "bookings", last, note="a day later; no id is left"))
    later = booking(98, "card", 100, 91_300)
    events.append(Event(7, "bookings", later, note="more than 20 minutes later: one id is left"))
    return Scenario(sorted(events, key=lambda event: event.step))
