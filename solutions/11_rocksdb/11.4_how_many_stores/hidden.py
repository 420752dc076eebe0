"""Other queries to plan for: rows of all sizes, on few cores and many."""

import random as randoms
from typing import Any

from grader.scenario import Event, Scenario

LIMIT = 200 * 1024**2
# sevenths of a byte that a row has: a whole number and less than a half, or more than that
LIGHT, HEAVY = [149, 211, 353, 401], [151, 263, 307, 397]


def hidden(random: randoms.Random) -> Scenario:
    """Plans for small states and large, on the limit and just above, for none, and without a measurement."""
    cores = random.choice([2, 4, 8])
    plans = [
        _plan(random, cores, random.uniform(0.1, 0.9)),
        _plan(random, cores, cores * 0.5),
        _plan(random, cores, cores * random.uniform(2.2, 2.8)),
        _plan(random, cores, cores + random.uniform(0.3, 0.7)),
        _plan(random, 8, 8 * 3 + 0.5),
        _plan(random, 2, 80.5, measured=30_000_000),
        _plan(random, 4, 4 * 120 + 0.5),  # more stores than by default, and many rounds of cores
        _exactly(cores, 2, 0),
        _exactly(cores, 2, 1),
        _plan(random, cores, 3.5, measured=0),
        _plan(random, cores, 3.5, size=0),
        _plan(random, cores, 3.5, measured=0, size=64_000),
        _plan(random, cores, 0),
    ]
    random.shuffle(plans)
    plans.append(_with_half_a_byte(random))
    for light_or_heavy in (LIGHT, HEAVY):
        sevenths = random.choice(light_or_heavy)
        plans += [_in_sevenths(random, cores, sevenths, more) for more in (0, 1)]
    plans.append(_plan(random, 6, 9.5))  # no power of two
    plans.append(_plan(random, 1, 1.5, measured=30_000_000))  # fewer rows than today
    return Scenario([Event(step, "plans", plan) for step, plan in enumerate(plans, start=1)])


def _plan(
    random: randoms.Random,
    cores: int,
    stores: float,
    *,
    measured: int | None = None,
    size: int | None = None,
) -> dict[str, Any]:
    """A plan whose state will fill `stores` stores."""
    rows_now = 10_000 * random.randint(1, 40) if measured is None else measured
    bytes_a_row = random.randint(20, 400)
    size = rows_now * bytes_a_row if size is None else size
    return _told(rows_now, size, cores, round(stores * LIMIT / bytes_a_row))


def _with_half_a_byte(random: randoms.Random) -> dict[str, Any]:
    """40.5 rounds of two cores, by rows of some bytes and a half: with the half away or a whole one it is another."""
    rows_now = 10_000 * random.randint(1, 40)
    halves = 2 * random.randint(20, 30) + 1
    return _told(rows_now, rows_now * halves // 2, 2, round(81 * LIMIT * 2 / halves))


def _in_sevenths(random: randoms.Random, cores: int, sevenths: int, more: int) -> dict[str, Any]:
    """As many rows as three rounds of cores hold, and `more`; a row's bytes never end behind the point."""
    rows_now = 70_000 * random.randint(1, 40)
    rows = 3 * cores * LIMIT * 7 // sevenths + more
    return _told(rows_now, rows_now // 7 * sevenths, cores, rows)


def _exactly(cores: int, rounds: int, more: int) -> dict[str, Any]:
    """A state that fills its stores to the last byte, and `more` rows."""
    return _told(1024, 1024 * 64, cores, rounds * cores * LIMIT // 64 + more)


def _told(rows_now: int, size: int, cores: int, rows: int) -> dict[str, Any]:
    report = {
        "numRowsTotal": rows_now,
        "numStateStoreInstances": 6,  # no number of cores: a wrong factor shows which it is
        "customMetrics": {"rocksdbSstFileSize": size},
    }
    return {"report": report, "cores": cores, "rows": rows}
