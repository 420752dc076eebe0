"""Other backups in another order: each commit is up to two days behind, and one sale is older."""

import random
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario


def hidden(random: random.Random) -> Scenario:
    first = datetime(2026, random.randrange(4, 10), random.randrange(5, 20))
    events: list[Event] = []

    def sale(step: int, days: int, seconds: int, cents: int | None, note: str = "") -> None:
        time = first + timedelta(days=days, seconds=seconds)
        row = {"store": f"s{step}", "cents": cents, "sold_at": f"{time.isoformat()}Z"}
        events.append(Event(step, "sales", row, note=note))

    def some() -> int:
        return random.randrange(100, 5000)

    def second() -> int:
        return random.randrange(3600, 80_000)

    last = 86_399
    sale(1, 2, last, some(), "the first day is open for one more second")
    for days in (1, 2):
        sale(1, days, second(), some())
    for days in (0, 0, 1):
        sale(2, days, second(), some())
    sale(3, 0, last - 600, some(), "late, and its day is open")
    sale(3, 3, 0, some(), "the first day has closed")
    sale(4, 0, last, some(), "late, and its day has closed")
    sale(4, 1, 0, some(), "exactly 2 days older")
    sale(4, 1, second(), None)
    sale(4, 4, 43_200, some())
    again = (5, 2, 43_200 + random.randrange(20_000), some())
    sale(*again)
    sale(*again, note="an equal row is a second sale")
    sale(5, 8, second(), some(), "closes the days before")
    return Scenario(events)
