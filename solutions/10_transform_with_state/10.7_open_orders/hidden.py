"""Other orders: some are paid, one is reminded of, some are changed again and again."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Five orders of three customers over an hour."""
    start = random.randrange(6, 20) * 3600
    orders = random.sample([f"h{n:02d}" for n in range(10, 60)], 5)
    customers = {order: random.choice(["ida", "jon", "kim"]) for order in orders}
    events: list[Event] = []

    def event(step: int, order: str, what: str, minute: int) -> None:
        at = start + 60 * minute + random.randrange(0, 30)
        record(step, order, what, at, random.randrange(1, 1000))

    def record(step: int, order: str, what: str, at: int, ms: int, note: str = "") -> None:
        time = f"2026-09-09T{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}.{ms:03d}Z"
        value = {"order_id": order, "customer": customers[order], "what": what, "time": time}
        events.append(Event(step, "orders", value, note=note))

    first, paid, changed, late, last = orders
    for order in (first, paid, changed):
        event(1, order, "ordered", random.randrange(0, 3))
    event(2, paid, "paid", 10)
    for minute in range(11, 12 + random.randint(1, 3)):
        event(2, changed, "changed", minute)
    event(2, late, "ordered", 15)
    event(3, changed, "changed", 30)
    event(3, last, "ordered", 40)
    event(4, last, "changed", 50)
    events.append(Event(4, "orders", dict(events[-1].value), note="once more in that moment"))
    overtaken = start + 60 * 49 + 40
    record(5, last, "changed", overtaken, 1, "overtaken by one of the batch before")
    return Scenario(events)
