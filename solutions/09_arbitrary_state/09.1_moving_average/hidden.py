"""Other options, other prices, the same disorder."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Four options; one falls silent and comes back, one batch is out of order, one is older than that before.

    In the end half an hour has passed since the older quote of a batch, and not since the newest.
    A fifth option is worth nothing at first: its average is 0, and that is an average. A sixth has one batch, and
    comes back when it is forgotten. At the very end a timeout is reached, and passed by a millisecond.
    A seventh has hours and parts of a second between the quotes of one batch.
    """
    start = random.randrange(8, 16) * 3600
    options = random.sample(["steel-call", "wheat-put", "copper-call", "sugar-put", "oil-call"], 4)
    price = {option: random.randrange(20, 200) for option in options}
    events: list[Event] = []

    def quote_of(step: int, option: str, worth: float, seconds: float, note: str = "") -> None:
        at, ms = divmod(round((start + seconds) * 1000), 1000)
        fraction = f".{ms:03d}" if ms else ""
        time = f"2025-10-06T{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}{fraction}Z"
        value = {"option": option, "price": worth, "quote_time": time}
        events.append(Event(step, "quotes", value, note=note))

    def quote(step: int, option: str, seconds: float, note: str = "") -> None:
        price[option] += random.choice([-3.5, -2, -1.005, 1, 2.125, 4.5])
        quote_of(step, option, float(price[option]), seconds, note)

    times = random.sample(range(300), 9)
    for number, seconds in enumerate(times):
        quote(1, options[number % 3], seconds)
    for number, seconds in enumerate(random.sample(range(301, 600), 6)):
        quote(2, options[number % 3], seconds)
    quote(2, options[3], 599)
    # only the first two go on; the third is given up half an hour later
    quote(
        3,
        options[3],
        545,
        "older than that of the batch before: given up half an hour after this one",
    )
    for step, minute in ((3, 25), (5, 48)):
        for number in range(4):
            quote(
                step, options[number % 2], minute * 60 + random.randrange(0, 50) + 60 * number // 2
            )
    quote(4, options[0], 545 + 1800 + 60 + random.randrange(1, 50), "past the one, not the other")
    quote(5, options[3], 48 * 60, "starts again")
    quote(6, options[0], 120, "late")
    quote(6, options[2], 52 * 60, "starts again")
    quote(6, options[2], 52 * 60 + 20)
    quote(7, options[1], 3 * 3600)
    events.append(events[-1])
    quote(7, options[0], 3 * 3600, "what counts is the newest of its batch")
    quote(7, options[0], 3 * 3600 - random.randrange(30, 50), "not the one that came last")
    quote(8, options[1], 3 * 3600 + 1800 + 60 - random.randrange(10, 25), "past the older one")
    quote(9, options[0], 3 * 3600 + 1800, "it goes on")
    passed = 3 * 3600 + 1800 + 1800 + 60
    quote(10, options[1], passed, "half an hour is reached, and not passed")
    quote(11, options[1], passed + 0.001, "and now passed, by a millisecond")
    quote(12, options[0], passed, "starts again")
    quote_of(1, "milk-put", 0.0, 100, "worth nothing: the average is 0")
    quote_of(2, "milk-put", 8.0, 598, "and goes on from 0")
    quote_of(1, "honey-call", 12.0, 110, "its only batch for a long time")
    quote_of(6, "honey-call", 30.0, 52 * 60 + 5, "starts again")
    for seconds, worth in ((-10, 8.0), (-9.25, 5.0), (-9.75, 4.0), (-7200, 2.0)):
        quote_of(7, "salt-put", worth, 3 * 3600 + seconds, "hours apart, and within a second")
    quote_of(9, "rice-put", 4.0, 3 * 3600 + 1800.75)
    quote_of(
        12, "rice-put", 8.0, passed, "its half-hour ends in the middle of a second: it goes on"
    )
    return Scenario(events)
