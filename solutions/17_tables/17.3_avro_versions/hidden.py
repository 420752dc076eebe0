"""Other orders of all three versions, with other faults; each record is written by fastavro."""

import io
import random as randoms
from typing import Any

import fastavro

from grader.connectors.order_schemas import FIRST, SCHEMAS
from grader.scenario import Event, Scenario

OLD, NEW, NEWEST = SCHEMAS


def hidden(random: randoms.Random) -> Scenario:
    """Each case of the notebook in some form, in any order."""
    number = iter(range(100))

    def record(id: int, **fields: Any) -> bytes:
        schema = SCHEMAS.get(id, FIRST)
        name = random.choice(["hana", "ümit", "x", "a name that is longer than others"])
        order = {
            "order_id": f"h{next(number)}",
            "customer": name,
            "buyer": name,
            "cents": random.randrange(-9_000, 90_000),
            "status": random.choice(["placed", "paid"]),
            "note": random.choice(["", "leave it at the door", "gift"]),
            "currency": random.choice(["CHF", "GBP", "EUR"]),
            "coupon": random.choice([None, "AUTUMN"]),
            **fields,
        }
        payload = io.BytesIO()
        names = {field["name"] for field in schema["fields"]}
        written = {name: value for name, value in order.items() if name in names}
        fastavro.schemaless_writer(payload, schema, written)
        return b"\0" + id.to_bytes(4, "big") + payload.getvalue()

    whole = record(NEW)
    values = [
        *[record(id, status=status) for id in SCHEMAS for status in ("placed", "paid")],
        record(OLD, note="express"),
        record(NEW, status="shipped"),
        record(NEW, cents=random.randrange(2**32, 2**40)),
        record(NEW, currency="USD"),
        record(NEWEST, status="returned"),
        record(NEWEST, status="shipped", coupon="WINTER"),
        record(NEWEST, coupon=None),
        *[record(random.choice([12, 256, 270, 779, 65_536 + NEW, 16_777_216 + OLD])) for _ in "12"],
        record(NEW + 256 * random.randrange(2, 9)),
        record(NEW, currency="GBP")[: -random.randrange(1, 3)],
        record(OLD, customer="hugo")[: 5 + random.randrange(1, 3)],
        whole[:5],
        whole[: random.randrange(1, 4)],
        whole[:4],
        bytes([random.randrange(1, 100)]) + whole[1:],
        b'{"order_id": "h0"}',
        whole,
    ]
    random.shuffle(values)
    # a run ends where a function raises: the first record is an order, and the shortest comes last
    values = [record(NEW), *values, b""]
    return Scenario(
        [Event(n, "records", {"record": value.hex(" ")}) for n, value in enumerate(values, start=1)]
    )
