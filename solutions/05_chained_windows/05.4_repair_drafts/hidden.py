"""Another day of orders: money back, minutes that change in a later step, one order too late."""

import random

from grader.scenario import Event, Scenario


def hidden(random: random.Random) -> Scenario:
    hour = random.randrange(6, 18)
    events: list[Event] = []

    def order(step: int, seconds: int, amount: float | None, note: str = "") -> None:
        at = hour * 3600 + seconds
        time = f"2026-07-02T{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}Z"
        events.append(Event(step, "orders", {"amount": amount, "order_time": time}, note=note))

    def some() -> float:
        return float(random.randrange(5, 80))

    for step, first in enumerate((0, 17, 34), start=1):
        for minute in random.sample(range(first, first + 12), 4):
            order(step, 60 * minute + random.randrange(60), some())
        last = 60 * (first + 13)
        order(step, last + 20, 90.0, "the best minute, until money goes back")
        order(step + 1, last + 40, -85.0, "money back: the minute is still open")
        order(step, last - 30, -12.0, "money back, and nothing else in its minute")
        if step > 1:
            order(step, 60 * (first - 17) + random.randrange(600), some(), "too late")
    order(4, 3300, None, "the amount is not known, and nothing else is in its minute")
    order(4, 3600 + 59, some(), "the hour is not over yet")
    order(5, 3600 + 60, some(), "now it is")
    order(5, 3600 + 600, some())
    order(6, 3 * 3600, some(), "closes all that came before")
    return Scenario(sorted(events, key=lambda event: event.step))
