"""Another year's change of the clock in Berlin, in spring or in autumn."""

import random
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from grader.scenario import Event, Scenario

BERLIN = ZoneInfo("Europe/Berlin")
CHANGES = [(2024, 3, 31), (2024, 10, 27), (2025, 3, 30), (2025, 10, 26), (2027, 3, 28)]


def hidden(random: random.Random) -> Scenario:
    changes = datetime(*random.choice(CHANGES), tzinfo=BERLIN)
    events: list[Event] = []
    step = 0
    over: datetime | None = None

    def sale(time: datetime, note: str = "", *, paid: bool = True) -> None:
        utc = time.astimezone(timezone.utc).replace(tzinfo=None)
        cents = random.randint(1, 60) * 50 if paid else None
        value = {"cents": cents, "sold_at": f"{utc.isoformat()}Z"}
        events.append(Event(step, "sales", value, note=note))

    for days in (-1, 0, 1):
        # days are counted on the clock in Berlin, seconds and hours by UTC
        midnight = (changes + timedelta(days=days)).astimezone(timezone.utc)
        step += 1
        sale(midnight - timedelta(seconds=random.randint(1, 590)), "before midnight")
        sale(midnight, "midnight in Berlin")
        if over:
            sale(over + timedelta(hours=random.randint(1, 21)))
            sale(over + timedelta(hours=21, minutes=30), "paid by voucher", paid=False)
            sale(over - timedelta(seconds=1), "too late: its day is over")
        sale(midnight + timedelta(seconds=599), "a second short of closing the day")
        step += 1
        sale(midnight - timedelta(seconds=1), "late, and in time")
        sale(midnight + timedelta(seconds=600), "closes the day to the second")
        over = midnight
    step += 1
    sale(changes + timedelta(days=20, hours=12), "a voucher, and nothing else that day", paid=False)
    step += 1
    sale(changes + timedelta(days=40), "closes all that came before")
    return Scenario(events)
