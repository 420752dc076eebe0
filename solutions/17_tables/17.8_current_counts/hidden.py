"""Other orders of the same kind: inserts, updates and deletes, several in one commit."""

import random

from grader.scenario import Event, Scenario


def hidden(random: random.Random) -> Scenario:
    first = random.randrange(100, 900)
    a, b, c, d, e = (f"o{number}" for number in range(first, first + 5))
    new, packed, gone = random.sample(["placed", "paid", "packed", "shipped", "returned"], 3)
    events: list[Event] = []

    def put(step: int, order_id: str, status: str | None, note: str = "") -> None:
        row = {"order_id": order_id, "status": status, "cents": random.randrange(100, 9000)}
        events.append(Event(step, "orders", row, note=note))

    def delete(step: int, order_id: str) -> None:
        events.append(Event(step, "orders", None, key=order_id))

    for order_id, status in ((a, new), (b, new), (c, packed), (d, None)):
        put(1, order_id, status)
    put(2, a, packed)
    put(2, e, new, "a new order in the same commit")
    put(3, c, packed, "the same status, other cents")
    delete(3, b)
    put(4, d, new)
    delete(4, e)
    put(5, d, gone)
    put(5, b, packed, "inserted again")
    return Scenario(events)
