"""Another week: a release in the middle, a test shop, phone orders, fees, gifts, an unknown product."""

import random as randoms

from grader.scenario import Event, Scenario

PRODUCTS = ["fruit/fig", "fruit/kiwi", "tools/file", "garden/rake", "books/guide"]


def hidden(random: randoms.Random) -> Scenario:
    def order(step: int, product: str | None, channel: str | None, **but: int | None) -> Event:
        pieces = random.randint(2, 9)
        value = {"product": product, "pieces": pieces, "cents": pieces * random.randint(20, 900)}
        return Event(step, "orders", {**value, **but, "channel": channel})

    first, second, third = random.sample(PRODUCTS, 3)
    events = [order(1, product, random.choice(["web", "kiosk", None])) for product in PRODUCTS]
    for step in (1, 2, 3, 4, 5):
        events += [
            order(step, random.choice(PRODUCTS), random.choice(["web", "kiosk"]))
            for _ in range(random.randint(1, 3))
        ]
    events += [
        order(2, None, "web"),
        order(2, second, "test"),
        order(2, "fees/delivery", "web", pieces=None),
        order(3, first, "web"),
        order(3, second, "test"),
        order(3, third, None),
        order(4, None, None),
        order(4, first, "kiosk", cents=None),
        order(4, "fees/delivery", None, pieces=None),
        order(5, first, "test"),
        order(5, second, None),
        order(5, "books/new", "web", pieces=3, cents=3 * random.randint(20, 900) + 1),
        order(4, third, "market"),  # a channel that is new
        order(4, second, "contest"),  # and two that are no test shop
        order(5, third, "TEST"),
        order(4, "books/free", "web", cents=None),  # gifts only
    ]
    return Scenario(sorted(events, key=lambda event: event.step))
