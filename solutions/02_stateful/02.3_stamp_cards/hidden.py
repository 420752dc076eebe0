"""More customers and orders; everybody orders early enough for the kill to matter."""

import random

from grader.scenario import Event, Scenario

CUSTOMERS = ["ida", "jon", "kim", "leo", "mia"]


def hidden(random: random.Random) -> Scenario:
    events: list[Event] = []
    for step in range(1, 5):
        buyers = CUSTOMERS if step == 1 else random.choices(CUSTOMERS, k=random.randint(2, 6))
        for customer in buyers:
            value = {
                "order_id": f"h{len(events):03d}",
                "customer": customer,
                "amount": random.randint(300, 9000) / 100,
            }
            events.append(Event(step, "orders", value))
    offline = {"order_id": None, "customer": random.choice(CUSTOMERS), "amount": None}
    events += [Event(4, "orders", offline, note="without a number, twice: two orders")] * 2
    return Scenario(events)
