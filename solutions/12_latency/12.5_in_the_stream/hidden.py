"""Other records: each kind in many minutes, a clock far ahead among them."""

import random as randoms
from datetime import datetime, timedelta, timezone
from typing import Any

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Minutes of good and slow records, of wrong clocks, and of records that say nothing."""
    start = datetime(2025, 12, 24, random.randrange(1, 22), tzinfo=timezone.utc)
    events: list[Event] = []

    def record(
        step: int,
        second: float,
        latency: int | None,
        value: Any = None,
        click: int | None = None,
    ) -> None:
        """A record; with a `click` that was made so much sooner inside, and its own `made` not at the end."""
        time = start + timedelta(seconds=second, milliseconds=random.randrange(1, 900))
        stamp = time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        if value is None:
            made = None if latency is None else round(time.timestamp() * 1000) - latency
            value = {"page": f"/offer/{random.randrange(9)}", "made": made}
            if made is not None and click is not None:
                value = {"click": {"made": made - click}, "made": made, "page": value["page"]}
        events.append(Event(step, "results", value, timestamp=stamp))

    for latency in (1000, 1001, 0, -1, random.randrange(5, 900)):
        record(1, random.randrange(55), latency)
    record(1, 50, None, "no JSON at all")
    record(2, 71, random.randrange(5, 900))
    record(2, 80, random.randrange(1002, 70_000))
    record(2, 85, None, {"page": "/offer/x"})
    record(2, 90, random.randrange(5, 900), click=5000)
    record(3, 30, 15)  # its minute is over
    record(3, 118, random.randrange(61_000, 99_000))
    record(3, 125, -86_400_000)
    record(4, 119, random.randrange(5, 900))  # in time by the delay alone
    record(4, 185, -random.randrange(1, 900))
    record(4, 200, -random.randrange(1, 900))
    record(5, 250, None)
    record(5, 255, None)
    record(5, 310, 0)
    record(5, 315, -random.randrange(1, 900))
    record(6, 900, 12)
    return Scenario(events)
