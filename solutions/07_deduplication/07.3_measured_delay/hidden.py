"""Another evening of the same app: copies up to 400 s apart, orders up to 3 minutes behind."""

import random
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario

ITEMS = ["tea", "mug", "apple", "poster"]


def hidden(random: random.Random) -> Scenario:
    start = datetime(2026, 7, random.randint(1, 28), random.randint(7, 19), random.randint(0, 30))

    def order(step: int, number: int, seconds: int, note: str = "") -> Event:
        time = start + timedelta(seconds=seconds)
        item = ITEMS[number % 4]
        value = {"order_id": f"h{number}", "item": item, "sent_at": f"{time.isoformat()}Z"}
        return Event(step, "orders", value, note=note)

    events: list[Event] = []
    for step in range(1, 5):
        # a step ends eleven minutes after the one before: an id kept for 5 minutes is forgotten by then
        newest, number = 660 * step, 10 * step
        first = newest - random.randint(655, 659)
        events += [
            order(step, number, first),
            order(step, number + 1, newest - random.randint(100, 300)),
            order(step, number, first + random.randint(20, 90), "sent again at once"),
            order(step, number + 2, newest),
            order(step + 1, number, first + random.randint(390, 400), "up to 400 s from its first"),
            order(step + 1, number + 3, newest - random.randint(175, 180), "3 minutes behind"),
        ]
        events.append(order(step + 1, number, first, "once more, and late"))
    events.append(order(6, 99, 9000, "every older id is forgotten"))
    return Scenario(sorted(events, key=lambda event: event.step))
