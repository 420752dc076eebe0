"""Another day: other customers, copies, orders too late, numbers that are not in the order of time."""

import random

from grader.scenario import Event, Scenario

CUSTOMERS = ["eva", "finn", "gus", "hana", "ida"]


def hidden(random: random.Random) -> Scenario:
    hour = random.randrange(6, 18)
    customers = random.sample(CUSTOMERS, 3)
    events: list[Event] = []
    made = 0

    def order(step: int, number: int, customer: str, seconds: int, note: str = "") -> None:
        at = hour * 3600 + seconds
        time = f"2026-04-09T{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}Z"
        value = {"order_id": f"h{number:03d}", "customer": customer, "order_time": time}
        events.append(Event(step, "orders", value, note=note))

    for step in range(1, 6):
        begin = step * 300
        # an own second each, so that there is one third order
        for seconds in sorted(random.sample(range(begin, begin + 50, 2), random.randint(5, 8))):
            made += 1
            customer = random.choice(customers)
            order(step, made, customer, seconds)
            if random.random() < 0.4:
                order(step, made, customer, seconds + random.randrange(1, 10), "a copy")
        made += 1
        order(step, made, customers[0], begin + 61)
        order(step + 1, made, customers[0], begin + 61 + random.randrange(1, 59), "a copy")
        if step > 1:
            made += 1
            # the watermark is begin - 299: an order of just this time is late, too
            late = 299 if step == 2 else 300 + random.randrange(1, 60)
            order(step, made, customers[1], begin - late, "too late")
    made += 1
    order(6, made, customers[2], 3 * 3600, "all numbers before it may be forgotten")
    newcomer = next(name for name in CUSTOMERS if name not in customers)
    for seconds in (1610, 1600, 1630, 1620):  # the third by number is the fourth by time
        made += 1
        order(6, made, newcomer, seconds, "in time, and not in the order of its number")
    return Scenario(sorted(events, key=lambda event: event.step))
