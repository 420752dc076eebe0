"""Another weekend: more than two bites wait at first, later less than one, and exactly one."""

import random as randoms

from grader.scenario import Event, Scenario

PRODUCTS = ["tea", "jam", "rice", "salt", "bread", "milk", "eggs"]


def hidden(random: randoms.Random) -> Scenario:
    counts = [random.choice([7, 8]), random.choice([1, 2]), 3]
    steps = [step for step, count in enumerate(counts, start=1) for _ in range(count)]
    first = random.randrange(100, 900)
    return Scenario(
        [
            Event(step, "orders", {"id": f"o{n}", "product": random.choice(PRODUCTS)})
            for n, step in enumerate(steps, start=first)
        ]
    )
