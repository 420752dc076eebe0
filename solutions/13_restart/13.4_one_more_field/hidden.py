"""Other customers: some from before the release, some new; goods sent back, amounts unknown."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    def order(step: int, customer: str | None, cents: int | None) -> Event:
        return Event(step, "orders", {"customer": customer, "cents": cents})

    def amount() -> int:
        return 100 * random.randint(5, 60)

    old = ["ida", "jon", "kim", "leo"]
    events = [order(1, customer, amount()) for customer in old]
    events += [order(2, random.choice(old), amount()) for _ in range(random.randint(1, 3))]
    first = amount()
    events += [
        order(3, "ida", first),
        order(3, "nora", amount()),
        order(4, "jon", -amount()),
        order(4, "ida", first + 100),
        order(4, "ida", first - 100),
        order(4, "omar", None),
        order(4, None, amount()),
        order(5, "ida", first),
        order(5, "kim", amount()),
        order(5, "nora", None),
        order(5, "omar", amount()),
        order(5, "jon", 0),
        order(5, "leo", 3_000_000_000),  # too much for an INT
        order(6, "jon", -amount()),
        order(6, "leo", amount()),  # and it is still the highest
    ]
    return Scenario(sorted(events, key=lambda event: event.step))
