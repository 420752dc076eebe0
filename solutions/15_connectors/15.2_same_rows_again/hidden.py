"""Other orders in two partitions: at first more than the limit, nearly all in one; then a few in both, then in one."""

import random as randoms

from grader.scenario import Event, Scenario

PRODUCTS = ["tea", "jam", "rice", "salt", "bread", "milk", "eggs"]


def hidden(random: randoms.Random) -> Scenario:
    counts = [(random.choice([6, 7]), 1), (2, 1), (0, random.choice([1, 2])), (1, 1)]
    events = []
    number = random.randrange(100, 900)
    for step, by_partition in enumerate(counts, start=1):
        places = [p for p, count in enumerate(by_partition) for _ in range(count)]
        random.shuffle(places)
        for partition in places:
            number += 1
            order = {"id": f"o{number}", "product": random.choice(PRODUCTS)}
            events.append(Event(step, "orders", order, partition=partition))
    return Scenario(events)
