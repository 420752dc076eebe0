"""Other measurements: long tails, wrong clocks, records that were never written."""

import random as randoms
from typing import Any

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Runs of many sizes, with each heap full and empty."""
    runs = [
        _run(random, 20),
        _run(random, 21, missing=1),
        _run(random, 100, tail=1),
        _run(random, 100, tail=2),
        _run(random, 140, tail=7, negative=3, missing=2),
        _run(random, 40, negative=12, early=3),
        _run(random, random.randrange(50, 90), missing=30, early=8),
        _run(random, 1),
        _run(random, 2),
        _run(random, 10, tail=3, early=1),
        _run(random, 0, missing=4, early=2),
        _run(random, 0, negative=2),
        _run(random, 0, early=3),
        _run(random, 15, tail=1),  # 14.25 and 14.85 of 15 are the last
        _run(random, 60, tail=1),  # 59.4 of 60 are the last
        _from_zero(random.randrange(5, 50)),
    ]
    return Scenario([Event(step, "runs", run) for step, run in enumerate(runs, start=1)])


def _run(
    random: randoms.Random,
    count: int,
    *,
    tail: int = 0,
    negative: int = 0,
    missing: int = 0,
    early: int = 0,
) -> dict[str, Any]:
    """A run with `count` good latencies, `tail` of which are long; `early` ones of each kind before it."""
    began = random.randrange(10_000, 90_000)
    usual = [random.randrange(10, 200) for _ in range(count - tail)]
    usual = [0 if place == 3 else latency for place, latency in enumerate(usual)]
    latencies = usual + [random.randrange(2_000, 9_000) for _ in range(tail)]
    records = [_record(began + random.randrange(5_000), latency) for latency in latencies]
    if records:
        first = records[0]
        records[0] = _record(began, first["written"] - first["made"])
    # the first of them is just below 0
    records += [_record(began + 7, -1 - n * random.randrange(1, 400)) for n in range(negative)]
    records += [_record(began + 9, None) for _ in range(missing)]
    for _ in range(early):
        records += [
            _record(began - random.randrange(1, 500), random.randrange(3_000, 8_000)),
            _record(began - 1, -3),
            _record(began - 2, None),
        ]
    random.shuffle(records)
    return {"records": records, "began": began}


def _from_zero(latency: int) -> dict[str, Any]:
    """Times counted from 0 on, and a record that is made and written then."""
    return {"records": [_record(4, None), _record(0, latency), _record(0, 0)], "began": 0}


def _record(made: int, latency: int | None) -> dict[str, int | None]:
    return {"made": made, "written": None if latency is None else made + latency}
