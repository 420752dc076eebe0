"""Another night of orders: some sent again with a new stamp, some behind, some late, one without an item."""

import random
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario

ITEMS = ["tea", "mug", "apple", "poster"]


def hidden(random: random.Random) -> Scenario:
    midnight = datetime(2026, 6, random.randint(2, 28))
    # an order of step 2 is sent again on the next day: a day or an hour in the key takes it for new
    start = midnight - timedelta(seconds=random.randint(601, 640))

    def order(step: int, number: int, item: str | None, seconds: int, note: str = "") -> Event:
        time = start + timedelta(seconds=seconds)
        value = {"order_id": f"h{number}", "item": item, "sent_at": f"{time.isoformat()}Z"}
        return Event(step, "orders", value, note=note)

    events: list[Event] = []
    for step in range(1, 5):
        opens, number = 240 * step, 10 * step
        newest = opens + 200
        item, other = random.choice(ITEMS), random.choice(ITEMS)
        first, second = opens + random.randint(0, 50), opens + random.randint(60, 120)
        again = second + random.randint(100, 290)
        events += [
            order(step, number, item, first),
            order(step, number + 1, item, first, "another order in the same second"),
            order(step, number, item, first + random.randint(5, 40), "sent again at once"),
            order(step, number + 2, other, second),
            order(step, number + 3, random.choice(ITEMS), newest),
            order(step + 1, number + 2, other, again, "sent again within 5 minutes"),
        ]
        behind = newest - random.randint(200, 290)
        events.append(order(step + 1, number + 4, random.choice(ITEMS), behind, "in time"))
        late = newest - random.randint(301, 500)
        events.append(order(step + 1, number + 5, random.choice(ITEMS), late, "late"))
    events.append(order(3, 98, None, 870, "no item: an order like any other"))
    events.append(order(6, 99, "tea", 7200, "every older id is evicted"))
    return Scenario(sorted(events, key=lambda event: event.step))
