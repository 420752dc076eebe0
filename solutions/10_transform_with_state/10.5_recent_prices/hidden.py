"""Other fruits and prices; one is quoted again and again, one falls silent, one is overtaken."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Five fruits over some hours; times are shifted, most prices are whole numbers.

    Of nuts there are four in one batch.
    """
    start = random.randrange(5, 15) * 3600
    often, silent, other, last = random.sample(["apple", "fig", "kiwi", "lime", "pear", "plum"], 4)
    prices = random.sample(range(1, 90), 23)
    events: list[Event] = []

    def quote(step: int, fruit: str, minute: int, second: float = 0, note: str = "") -> None:
        quote_of(step, fruit, float(prices.pop()), minute, second, note)

    def quote_of(
        step: int, fruit: str, price: float, minute: int, second: float, note: str = ""
    ) -> None:
        at, ms = divmod(round((start + 60 * minute + second) * 1000), 1000)
        time = f"2026-07-02T{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}.{ms:03d}Z"
        events.append(
            Event(step, "quotes", {"fruit": fruit, "price": price, "time": time}, note=note)
        )

    for fruit, second in ((often, 0), (often, 20), (silent, 10), (other, 15)):
        quote(1, fruit, 0, second)
    quote(2, often, 30, random.randrange(20, 40))
    quote(2, often, 30, 5, "came second, happened first")
    quote(2, silent, 4, 30, "its hour ends half a minute past the watermark of step 3")
    quote(3, often, 65, 0, "the watermark goes past the hour of step 1")
    quote(4, often, 66, 0)
    quote(4, silent, 64, random.randrange(51, 60), "goes on")
    quote(4, other, 65, 55)
    quote(4, often, 20, 0, "too late")
    quote(5, often, 65, 40, "overtaken")
    quote(5, other, 126, 50, "the watermark goes past the hour of one, and not of the other")
    quote(6, silent, 128, 0, "starts anew")
    quote(6, often, 128, 10, "goes on")
    quote(6, other, 128, 5)
    quote(7, last, 400, 0, "closes all that came before")
    quote(8, other, 461, 0, "the watermark reaches the end of an hour to the second")
    quote(9, last, 461, 30, "starts anew")
    quote(10, last, 461, 5, "older than the newest, and alone")
    quote(11, often, 523, 0, "the watermark goes past the newest one's hour")
    quote(12, last, 523, 10, "starts anew")
    for price, second in ((3.0, 10.75), (7.5, 10.25), (4.25, 40), (4.25, 20)):
        quote_of(3, "nut", price, 64, second, "four in a batch, two in a second, two of one price")
    quote_of(4, "nut", 50.0, 64, 5, "older than the three")
    return Scenario(events)
