"""Other options, other prices, the same disorder."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Three options; one falls silent and comes back, one batch is out of order."""
    start = random.randrange(8, 16) * 3600
    options = random.sample(["steel-call", "wheat-put", "copper-call", "sugar-put", "oil-call"], 3)
    price = {option: random.randrange(20, 200) for option in options}
    events: list[Event] = []

    def quote(step: int, option: str, seconds: int, note: str = "") -> None:
        at = start + seconds
        time = f"2025-10-06T{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}Z"
        price[option] += random.choice([-3.5, -2, -1, 1, 2, 4.5])
        value = {"option": option, "price": float(price[option]), "quote_time": time}
        events.append(Event(step, "quotes", value, note=note))

    times = random.sample(range(300), 9)
    for number, seconds in enumerate(times):
        quote(1, options[number % 3], seconds)
    for number, seconds in enumerate(random.sample(range(301, 600), 6)):
        quote(2, options[number % 3], seconds)
    # only the first two go on; the third is given up half an hour later
    for step, minute in ((3, 25), (4, 48)):
        for number in range(4):
            quote(
                step, options[number % 2], minute * 60 + random.randrange(0, 50) + 60 * number // 2
            )
    quote(5, options[0], 120, "late")
    quote(5, options[2], 52 * 60, "starts again")
    quote(5, options[2], 52 * 60 + 20)
    quote(6, options[1], 3 * 3600)
    return Scenario(events)
