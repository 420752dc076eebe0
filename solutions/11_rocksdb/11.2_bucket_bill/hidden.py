"""Other products, moved in five batches."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Goods that come and go; a product without a name and a scan without a number among them."""
    products = [f"box-{number}" for number in random.sample(range(100), 5)]
    events = []
    for step in range(1, 6):
        for _ in range(random.randint(1, 4)):
            value = {"product": random.choice(products), "quantity": random.randint(-40, 90)}
            events.append(Event(step, "moves", value))
    events.append(Event(3, "moves", {"product": None, "quantity": random.randint(1, 9)}))
    events.append(Event(4, "moves", {"product": "box-new", "quantity": None}))
    return Scenario(sorted(events, key=lambda event: event.step))
