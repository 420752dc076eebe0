"""Other orders in the wire format, of both versions and of others, whole and with faults."""

import base64
import json
import random
from typing import Any

from grader.scenario import Event, Scenario


def hidden(random: random.Random) -> Scenario:
    events: list[Event] = []
    step = 1

    def send(value: bytes | None) -> None:
        coded = None if value is None else {"base64": base64.b64encode(value).decode()}
        events.append(Event(step, "orders", coded, key=None if coded else "h20"))

    def framed(number: int, **order: Any) -> bytes:
        text = json.dumps(order, separators=(",", ":"), ensure_ascii=False)
        return b"\0" + number.to_bytes(4, "big") + text.encode()

    def order(number: int) -> dict[str, Any]:
        name = random.choice(["h", "ü", "x-"])
        return {"order_id": f"{name}{number}", "cents": random.randrange(-900, 9_000)}

    for number in range(12):
        step = 1 + number // 6
        kind = random.randrange(3)
        if kind == 0:
            send(framed(7, **order(number)))
        elif kind == 1:
            send(framed(263, **order(number)))
        else:
            send(framed(263, **order(number), currency=random.choice(["CHF", "GBP", "EUR"])))
    step = 3
    send(framed(7, **order(20)))
    send(framed(263, **order(21)))
    send(framed(263, **order(22), currency="USD"))
    send(json.dumps(order(23)).encode())
    send(framed(random.choice([8, 256, 519, 1031]), **order(24)))
    send(framed(65_536 * random.randrange(1, 9) + 263, **order(25)))
    send(framed(random.randrange(9, 255), order_id="h33"))
    send(framed(random.randrange(264, 900), **order(34))[: random.randrange(8, 14)])
    send(framed(random.choice([7, 263]), **order(26))[: random.randrange(8, 14)])
    send(framed(263, cents=5))
    send(framed(263, order_id="h28"))
    send(framed(7, **order(29))[:5])
    twice = framed(7, **order(30))
    send(twice)
    send(twice)
    send(None)
    send(bytes(random.randrange(1, 5)))
    send(b"")
    send(bytes([random.randrange(1, 100)]) + framed(7, **order(31))[1:])
    return Scenario(events)
