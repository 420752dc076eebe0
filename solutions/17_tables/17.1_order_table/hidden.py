"""Another table of orders: with a snapshot, repeated messages and old ones, in the form that Debezium writes."""

import json
import random
from typing import Any

from grader.scenario import Event, Scenario


def hidden(random: random.Random) -> Scenario:
    clock = 1_790_000_000_000 + random.randrange(10**9)
    lsn = random.randrange(99_999_000, 99_999_800)  # the number gets one digit more
    names = random.sample(["gus", "hana", "ilja", "jo", "kim"], 4)
    orders: dict[int, dict[str, Any]] = {}
    step = 1
    events: list[Event] = []

    def message(
        op: str, order_id: int, before: Any, after: Any, *, committed: int | None = None
    ) -> dict[str, Any]:
        nonlocal clock, lsn
        clock, lsn = clock + random.randrange(5, 400), lsn + random.randrange(40, 300)
        source = {
            "ts_ms": clock - 3 if committed is None else committed,
            "table": "orders",
            "lsn": lsn,
        }
        source["snapshot"] = "true" if op == "r" else "false"
        return {"before": before, "after": after, "source": source, "op": op, "ts_ms": clock}

    def send(value: Any, order_id: int, partition: int = 0, note: str = "") -> None:
        key = json.dumps({"order_id": order_id}, separators=(",", ":"))
        events.append(Event(step, "changes", value, partition=partition, key=key, note=note))

    def change(op: str, order_id: int, **values: Any) -> dict[str, Any]:
        before = orders.pop(order_id, None)
        after = None if op == "d" else {**(before or {"order_id": order_id}), **values}
        if after is not None:
            orders[order_id] = after
        return message(op, order_id, before, after)

    def again(value: dict[str, Any]) -> dict[str, Any]:
        nonlocal clock
        clock += random.randrange(1_000, 9_000)
        return {**value, "ts_ms": clock}

    def price() -> int:
        return random.randrange(100, 5_000)

    first = random.randrange(100, 900)
    a, b, c, d, e, f = range(first, first + 6)
    for order_id, name in zip((a, b, c, d), [*names[:3], None], strict=True):
        row = {"customer": name, "status": "placed", "cents": price()}
        send(change("r", order_id, **row), order_id, note="snapshot")
    step = 2
    old = change("u", a, status="paid")
    send(change("d", d), d)
    step = 3
    send(None, d, note="a tombstone alone")
    step = 4
    send(change("u", a, status="shipped", cents=None), a, 1)
    insert = change("c", e, customer=names[3], status="placed", cents=price())
    send(insert, e)
    one = change("u", c, cents=price())
    two = change("u", c, status="paid", cents=price())
    two["source"]["ts_ms"] = one["source"]["ts_ms"]
    send(two, c, 2, "the second of two changes in one transaction")
    step = 5
    send(old, a, note="out of order")
    send(one, c, note="out of order, with the same commit time")
    send(change("d", e), e)
    send(change("c", d, customer=names[3], status="placed", cents=price()), d, 1, "inserted again")
    step = 6
    send(again(insert), e, 2, "a duplicate of the insert, after the delete")
    send(again(one), c, note="a duplicate: the newest connector time, but not the newest change")
    send(change("d", b), b)
    send(
        change("c", f, customer=names[1], status="placed", cents=price()),
        f,
        1,
        "the key of b became f",
    )
    step = 7
    send(None, b)
    send(None, e)
    return Scenario(events)
