"""More customers and orders, over months; everybody orders early enough for the kill to matter.

Step 3 has more than a hundred customers, so that a look at some rows of a batch is not all of it.
"""

import random

from grader.scenario import Event, Scenario

CUSTOMERS = ["ida", "jon", "Kim", "leo", "mia"]
ARRIVED = {1: "2026-04-08", 2: "2026-04-09", 3: "2026-05-30", 4: "2026-11-02"}  # Kafka's time


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
            arrived = f"{ARRIVED[step]}T12:{len(events):02d}:00Z"
            events.append(Event(step, "orders", value, timestamp=arrived))
    for number in range(110):
        value = {"order_id": f"f{number:03d}", "customer": f"guest {number:03d}", "amount": 2.5}
        arrived = f"{ARRIVED[3]}T13:{number // 60:02d}:{number % 60:02d}Z"
        events.append(Event(3, "orders", value, note="a fair", timestamp=arrived))
    offline = {"order_id": None, "customer": random.choice(CUSTOMERS), "amount": None}
    note = "without a number, twice: two orders"
    events += [Event(4, "orders", offline, note=note, timestamp=f"{ARRIVED[4]}T13:00:00Z")] * 2
    return Scenario(sorted(events, key=lambda event: event.step))
