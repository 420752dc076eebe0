"""Other overloads: steep and slow ones, gaps, restarts, standstill; each rule just met and just missed."""

import random as randoms
from typing import Any

from grader.scenario import Event, Scenario

Scrape = dict[str, Any]
# rows per second, lag after the step (None: a failed scrape, {}: no lag), and whether the driver is a new one
Step = tuple[int, Any, bool]


def hidden(random: randoms.Random) -> Scenario:
    every = random.choice([2, 4, 5])
    rate = random.randrange(60, 300, 20)
    most = random.choice([4, 8, 16])
    edge = most * rate  # a lag that takes exactly `most` seconds

    def steps(*lags: Any, new: int | None = None) -> list[Step]:
        return [(rate, lag, number == new) for number, lag in enumerate(lags)]

    gap = random.randint(1, 3)
    high = [edge + random.randint(1, 400) for _ in range(9)]
    fast = [(5 * rate, 0, False)] * 3
    third, two = edge // 3, edge * 2 // 3 + rate
    lists: list[tuple[list[Step], float]] = [
        (steps(0, 5, 0, 7, 2, 0), every),
        (steps(0, *high[:6], 0, 3), 3 * every),
        (steps(0, *high[:4], 0, 3), 3 * every),
        (steps(0, *high[:3], 0, 3), 3 * every),
        (steps(0, *high[:6], 0), 3 * every - 1),
        (steps(0, *high[:6], 0), 3 * every + 1),
        (steps(0, edge, edge, edge, edge, 0), every),
        (steps(0, edge, edge + 1, edge, edge + 1, 0), 0),
        (steps(*high[:4], 0), 3 * every),
        (steps(*high[:5], 0), 3 * every),
        (steps(0, *high[:3], edge, *high[3:6], 0), 4 * every),
        (steps(0, *high[:3], *[None] * gap, *high[3:6], 0), (3 + gap) * every),
        (steps(0, *high[:3], *[None] * gap, *high[3:6], 0), 3 * every),
        (steps(0, *high[:2], *[None] * gap, 0, 0), every),
        (steps(0, *high[:3], *[None] * gap, 4 * edge, 0, new=4 + gap), every),
        (steps(0, *high[:4], *[None] * gap, rate, 0, new=5 + gap), every),
        (steps(0, 0, *[None] * gap, *high[:5], 0, new=2 + gap), 2 * every),
        (steps(0, 0, *high[:3], *high[3:6], 0, new=5), 4 * every),
        (steps(0, *high[:3], {}, *high[3:6], 0), 5 * every),
        (steps(0, 0, high[0], {}, high[1], 0, new=3), 0),
        (steps(0, *high[:4], 0, *high[4:8], 0, 0), 2 * every),
        (steps(0, *high[:4], 0, 0, *high[4:8]), 2 * every),
        ([*steps(0, 9), (0, 9, False), (0, 9, False), (0, 9, False), *steps(4)], every),
        ([*steps(0, 9), (0, 0, False), (0, 0, False), (0, 0, False), *steps(4)], every),
        (steps(0, [third, two], [two, third], [third, two], 0), every),
        (steps(0, [edge, 0], [0, edge], [edge, 1], [1, edge], 0), every),
        (steps(0, 0, *[None] * gap, 0, 0, new=2 + gap), 0),
        (steps(0, 0, *[None] * gap, rate, 0, new=2 + gap), 0),
        ([*steps(0, 0), (10 * rate, {}, False), (rate, 2 * edge, False), *steps(0)], 0),
        ([*fast, (rate, 2 * edge, False), (rate, 2 * edge, False), *steps(0)], every),
        ([*steps(0, 9), (0, 9, False), (rate, 9, False), (0, 0, False), (0, 9, False)], 0),
        (steps(0, 0, 40 * edge, 40 * edge, 0, new=2), every),  # more than the counter reads, too
        (steps(None, None, 0, *high[:4]), 2 * every),
        (steps(None, None), every),
        (steps(high[0]), 0),
        ([], every),
    ]
    random.shuffle(lists)
    calls = [{"scrapes": _scrapes(random, every, one), "most": most, "hold": h} for one, h in lists]
    slow = _scrapes(random, every, steps(0, *high[:4], 0))
    del slow[2]  # a scrape that is not there at all
    calls.append({"scrapes": slow, "most": most, "hold": 2 * every})
    restart = _scrapes(random, every, steps(0, 5))
    restart[1]["rows_total"] = restart[0]["rows_total"] - 1  # the smallest decrease
    calls.append({"scrapes": restart, "most": most, "hold": 0})
    return Scenario([Event(step, "calls", call) for step, call in enumerate(calls, start=1)])


def _scrapes(random: randoms.Random, every: int, steps: list[Step]) -> list[Scrape]:
    found: list[Scrape] = []
    total, begin, kept = random.randrange(30_000, 90_000), random.randrange(0, 500, 10), 0
    for number, (rate, lag, new) in enumerate(steps):
        time = begin + every * number
        if lag is None:
            found.append({"time": time, "up": 0})
            kept += 1  # what is read during a gap shows at the next scrape
            continue
        grown = rate * every * (kept + 1)
        total = grown if new else total + grown
        kept = 0
        found.append({"time": time, "up": 1, "rows_total": total, "lag": _parts(random, lag)})
    return found


def _parts(random: randoms.Random, lag: Any) -> dict[str, int]:
    if lag == {}:
        return {}
    if isinstance(lag, list):
        return {str(number): one for number, one in enumerate(lag)}
    first = random.randint(lag // 3, lag * 2 // 3)
    return {"0": first, "1": lag - first}
