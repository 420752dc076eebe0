"""Other items whose prices change in other steps; orders of every time."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Each item has up to three prices; a price is there before the first order that it holds for."""
    day = f"2025-10-{random.randrange(10, 28)}"
    items = random.sample(["boots", "kite", "scarf", "radio", "chair"], 4)
    events: list[Event] = []

    def at(minutes: int) -> str:
        return f"{day}T{minutes // 60:02d}:{minutes % 60:02d}:00Z"

    def priced(step: int, item: str, minute: int) -> None:
        price = random.randrange(4, 80) / 4
        value = {"priced_item": item, "price": price, "since": at(minute)}
        events.append(Event(step, "prices", value))

    def ordered(step: int, item: str, minute: int) -> None:
        value = {
            "order_id": f"h{len(events)}",
            "item": item,
            "quantity": random.randrange(1, 5),
            "order_time": at(minute),
        }
        events.append(Event(step, "orders", value))

    for item in items[:3]:
        priced(1, item, 480)
    for step in range(1, 5):
        if step > 1:
            changed = random.choice(items[:3])
            priced(step, changed, 480 + step * 60)
            ordered(step, changed, 480 + step * 60)
            ordered(step, changed, 479 + step * 60)
        for _ in range(3):
            ordered(step, random.choice(items), 480 + random.randrange(0, step * 60 + 50))
    for item, minute in zip(items[:2], (485, 486), strict=True):  # two orders, not one
        value = {"order_id": None, "item": item, "quantity": 2, "order_time": at(minute)}
        events.append(Event(4, "orders", value, note="an order without an id"))
    return Scenario(events)
