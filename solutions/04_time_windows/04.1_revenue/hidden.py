"""Another day: orders on both sides of each edge, in time and late, vouchers, a return."""

import random
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario


def hidden(random: random.Random) -> Scenario:
    start = datetime(2026, 6, 12, random.randint(6, 20), 10)

    def order(step: int, second: int, note: str = "") -> Event:
        time = start + timedelta(seconds=second)
        value = {"cents": random.randint(1, 60) * 50, "order_time": f"{time.isoformat()}Z"}
        return Event(step, "orders", value, note=note)

    events = [order(1, -1, "the last second of the half hour before"), order(1, 0)]
    for step in (1, 2, 3):
        end = 1800 * step
        events += [
            order(step, end - random.randint(400, 1700)) for _ in range(random.randint(2, 4))
        ]
        events += [order(step, end - 1), order(step, end, "the first moment of the next half hour")]
        events.append(order(step, end + 299, "a second short of closing it"))
        events.append(order(step + 1, end - random.randint(301, 900), "late, and in time"))
        events.append(order(step + 1, end + 300, "closes it to the second"))
        if step > 1:
            events.append(order(step + 1, end - 1801, "too late by a second"))
    voucher = order(4, 5500, "paid by voucher")
    voucher.value["cents"] = None
    events.append(voucher)
    returned = order(5, 7500, "a return worth more than all that was sold in its half hour")
    returned.value["cents"] = -5000
    events += [order(5, 7400), returned]
    alone = {"cents": None, "order_time": f"{(start + timedelta(seconds=9100)).isoformat()}Z"}
    events.append(Event(5, "orders", alone, note="the only order of its half hour, by voucher"))
    events.append(order(5, 4 * 3600, "closes all that came before"))
    return Scenario(sorted(events, key=lambda event: event.step))
