"""Other items, whose prices change, appear and disappear between the micro-batches."""

import random

from grader.scenario import Event, Scenario


def hidden(random: random.Random) -> Scenario:
    cup, pen, map_, book = random.sample(["cup", "pen", "map", "book", "lamp", "rug"], 4)
    events: list[Event] = []

    def price(step: int, item: str) -> None:
        events.append(Event(step, "prices", {"item": item, "cents": random.randrange(100, 3000)}))

    def order(step: int, item: str | None) -> None:
        number = f"h{len(events):02d}"
        row = {"order_id": number, "item": item, "quantity": random.randrange(1, 6)}
        events.append(Event(step, "orders", row))

    price(1, cup)
    price(1, pen)
    for item in (cup, pen, map_, None):
        order(1, item)
    price(2, cup)
    for item in (pen, cup, map_):
        order(2, item)
    price(3, map_)
    events.append(Event(3, "prices", None, key=pen))
    for item in random.sample([map_, pen, cup, book], 4):
        order(3, item)
    for item in (cup, map_):
        order(4, item)
    return Scenario(events)
