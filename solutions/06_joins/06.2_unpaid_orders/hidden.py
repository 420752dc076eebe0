"""Other orders on another day: paid, refused, paid at the second try, never paid."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Orders of the first 20 minutes with any luck, then what closes them."""
    day = f"2025-11-{random.randrange(10, 28)}"
    start = random.randrange(7, 14) * 3600
    events: list[Event] = []

    def at(seconds: int, fraction: str = "") -> str:
        clock = start + seconds
        return f"{day}T{clock // 3600:02d}:{clock // 60 % 60:02d}:{clock % 60:02d}{fraction}Z"

    def ordered(step: int, id: str | None, seconds: int) -> None:
        events.append(Event(step, "orders", {"order_id": id, "order_time": at(seconds)}))

    def paid(
        step: int, id: str | None, seconds: int, status: str | None = "ok", fraction: str = ""
    ) -> None:
        value = {"paid_order_id": id, "paid_time": at(seconds, fraction), "status": status}
        events.append(Event(step, "payments", value))

    fates = ["ok", "again", "refused", "never", "pending", "nothing", "edge", "beyond"]
    random.shuffle(fates)
    for number, fate in enumerate(fates):
        id, second = f"n{number}", random.randrange(0, 240)
        ordered(1, id, second)
        if fate in ("ok", "again"):
            paid(2, id, second + random.randrange(400, 800))
        if fate in ("again", "refused"):
            paid(1, id, second + random.randrange(1, 200), "refused")
        if fate in ("pending", "nothing"):
            paid(1, id, second + 30, {"pending": "pending", "nothing": None}[fate])
        if fate == "edge":
            paid(2, id, second + 900)
        if fate == "beyond":
            paid(2, id, second + 901)
    paid(1, "x1", 500)
    # the watermark stands at 180 s at most: the orders are behind
    ordered(2, "m1", 1300)
    paid(2, "m1", 1310)
    # and at 1190 s: all of the first orders that are older than 290 s are settled
    ordered(3, "m2", 1000)
    ordered(3, "m3", 1191 + random.randrange(0, 60))
    paid(3, "m3", 1500, "refused")
    ordered(3, "m4", 2000)
    paid(3, "m4", 2005)
    ordered(4, "m5", 9000)
    paid(4, "m5", 9200)
    # none of these is paid: half a second too late, a second too early, and without an id
    ordered(1, "n8", 0)
    paid(2, "n8", 900, fraction=".500")
    ordered(2, "n9", 1280)
    paid(2, "n9", 1279)
    ordered(2, None, 1250)
    paid(2, None, 1260)
    return Scenario(events)
