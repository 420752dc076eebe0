"""Other orders on another day: changed, overtaken, paid in time, too late, in one batch."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Nine orders in the same kinds of trouble; times are shifted by some seconds."""
    start = random.randrange(6, 18) * 3600
    first, paid, too_late, at_once, edge, last, far = random.sample(
        [f"h{n:02d}" for n in range(10, 60)], 7
    )
    events: list[Event] = []

    def event(step: int, order: str, what: str, seconds: float, note: str = "") -> None:
        at, ms = divmod(round((start + seconds) * 1000), 1000)
        time = f"2026-05-07T{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}.{ms:03d}Z"
        events.append(
            Event(step, "orders", {"order_id": order, "what": what, "time": time}, note=note)
        )

    changed = 600 + random.randrange(30, 50)
    event(1, first, "ordered", random.randrange(0, 30))
    event(1, paid, "ordered", 60)
    event(1, too_late, "ordered", 120)
    event(2, first, "changed", changed)
    event(2, paid, "paid", 660)
    event(3, first, "changed", changed - 25, "overtaken")
    event(3, too_late, "paid", 540, "too late")
    for what, seconds in random.sample([("ordered", 1140), ("changed", 1230), ("paid", 1260)], 3):
        event(3, at_once, what, seconds)
    event(4, edge, "ordered", 1979, "a second short of the one that was paid too late")
    event(5, last, "ordered", changed + 1800 + 50)
    event(6, last, "changed", changed + 1800 + 61, "a second past the first order's due")
    event(7, first, "paid", changed + 1800 + 180, "after the reminder")
    event(7, edge, "paid", changed + 1800 + 190)
    event(8, far, "ordered", 7200 + random.randrange(60), "closes all that came before")
    event(9, far, "paid", 7200 + 300, "paid well before its due: nothing is left in the state")
    before_its_change, after_its_due = random.sample([f"k{n:02d}" for n in range(10, 60)], 2)
    event(3, before_its_change, "ordered", 1240)
    event(4, before_its_change, "paid", 1950, "older than the change of the same batch")
    event(4, before_its_change, "changed", 1965)
    event(3, after_its_due, "ordered", changed + 100)
    event(7, after_its_due, "paid", changed + 1950, "past its due, and the reminder is not out yet")
    reached, mover, unseen = random.sample([f"m{n:02d}" for n in range(10, 60)], 3)
    event(10, reached, "ordered", 9000)
    event(11, mover, "ordered", 10860, "the watermark reaches that due to the second")
    event(12, reached, "paid", 10865, "after the reminder")
    event(12, mover, "paid", 10870)
    event(12, unseen, "ordered", 10790, "too late: nobody sees it")
    event(12, unseen, "changed", 10880, "its half-hour begins here")
    event(2, "p1", "changed", 660.25)
    event(3, "p1", "ordered", 1190.75, "newer than its change of the batch before")
    event(3, "p2", "ordered", 1221.5, "newer than its change of the same batch")
    event(3, "p2", "changed", 1201.5)
    event(13, "n00", "ordered", 14400, "closes all that came before")
    event(14, "n00", "paid", 14410)
    return Scenario(events)
