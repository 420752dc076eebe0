"""Other pages in two partitions: twins in a moment, records written again, clicks that come much later."""

import random as randoms
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    start = datetime(2026, 6, random.randint(1, 28), random.randrange(22), random.randrange(50))
    hot, edge, late, cold = (f"/page/{n}" for n in random.sample(range(100), 4))
    ends = [random.randrange(50), random.randrange(100, 150)]  # the next offset of each partition
    events: list[Event] = []
    written: list[dict[str, object]] = []

    def at(seconds: float) -> str:
        return f"{(start + timedelta(seconds=seconds)).isoformat(timespec='milliseconds')}Z"

    def clicks(step: int, arrived: float, page: str | None, *seconds: float | None) -> None:
        for second in seconds:
            partition = random.randrange(2)
            place = {"partition": partition, "offset": ends[partition], "arrived": at(arrived)}
            ends[partition] += 1
            time = None if second is None else at(second)
            written.append({"page": page, "event_time": time, **place})
            events.append(Event(step, "silver", written[-1]))

    def again(step: int, *pages: str) -> None:
        """The last record of each page once more."""
        for page in pages:
            last = next(w for w in reversed(written) if w["page"] == page)
            events.append(Event(step, "silver", last, note="written again"))

    moment = random.choice([1.25, 2.5, 3.75])
    clicks(1, 4.5, hot, 0, moment, moment, 4.999)
    clicks(1, 4.5, cold, 1, 2, moment)
    clicks(1, 4.5, None, 1, 1, 2, moment)
    clicks(1, 4.5, edge, None, None, None, None)
    clicks(1, 4.5, "", 1, 2, 3, moment)  # an empty page is a page, too
    for other in (hot.upper(), f"{hot}?size=2"):  # pages of their own
        clicks(1, 4.5, other, 1, 2, moment)
    again(2, cold, hot)
    clicks(2, 609, hot, random.choice([0.5, 3.5]))
    clicks(2, 609, edge, 604.999, 605, 606, 607)
    again(3, edge, cold)
    # the first record once more, when others have come between
    events.append(Event(3, "silver", written[0], note="written again"))
    clicks(3, 612, edge, 609.999)
    clicks(3, 610.5, late, 611)  # the clock of who sent it is slow
    clicks(4, 620, cold, 4)
    clicks(4, 620, late, 611, *random.sample([612, 613, 614], 2))
    # the same offset in the other partition: two records
    twin = dict(written[-1], partition=1 - int(str(written[-1]["partition"])), offset=10_000)
    for partition in (0, 1):
        events.append(Event(4, "silver", {**twin, "partition": partition}))

    def click(step: int, page: str, second: float, arrived: float, place: tuple[int, int]) -> None:
        where = {"partition": place[0], "offset": place[1], "arrived": at(arrived)}
        events.append(Event(step, "silver", {"page": page, "event_time": at(second), **where}))

    # a click of three days later, and then one that is three days late
    click(3, "/page/last", 259_200, 259_204, (0, 20_000))
    click(4, hot, 4.25, 259_206, (0, 20_001))
    # 23 clicks: Spark estimates 22, however exactly it is asked, as F.xxhash64 of two places begins with the
    # same 42 bits. Of their places two look the same when they are run together (1 and 1500, 11 and 500),
    # two when a million is added for each partition, two when a billion is, two when there is room for 16
    # partitions; and two have the same F.hash
    places = [(1, 1500), (11, 500), (2, 1_500_000), (3, 500_000)]
    places += [(4, 1_000_500_000), (5, 500_000), (0, 5001), (16, 5000), (2, 828), (26, 300)]
    places += [(7, 204_755), (7, 636_383)]
    places += [(2, offset) for offset in range(11)]
    for n, place in enumerate(places):
        click(4, "/page/many", 620 + n / 5, 626, place)
    return Scenario(events)
