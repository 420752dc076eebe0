"""Reports of other queries: tails with and without a rhythm, and none."""

import random as randoms
from collections.abc import Iterable
from typing import Any

from grader.authoring.repeated_calls import own_calls
from grader.scenario import Event, Scenario

# what a small batch spends its time on, in milliseconds
USUAL = {
    "addBatch": 120,
    "latestOffset": 6,
    "queryPlanning": 12,
    "walCommit": 14,
    "commitOffsets": 11,
}


def hidden(random: randoms.Random) -> Scenario:
    """Queries whose slow batches have another part to blame each."""
    every = random.randrange(4, 9)
    queries = [
        _query(random, "latestOffset", range(9, 40, 10)),
        _query(random, "addBatch", range(every, 40, every)),
        _query(random, "commitOffsets", [13, 21, 38]),
        _query(random, "walCommit", [11, 19]),
        _query(random, "queryPlanning", [random.randrange(2, 39)]),
        _query(random, "latestOffset", []),
        _query(random, "walCommit", range(29, 60, 10), first=25),
        _query(random, "latestOffset", [5, 15, 30, 35], idle=13),
        _query(random, "addBatch", [8, 28], extra=2000, milder=[18]),
        _edge(random.randrange(3, 20)),
        _query(random, "getBatch", range(6, 40, 11)),
        *_small(random.randrange(2, 9)),
    ]
    neighbours = random.randrange(4, 30)
    queries.append(_query(random, "addBatch", range(neighbours, neighbours + 3)))
    calls = [{"reports": query} for query in queries]
    calls += own_calls(__file__)
    return Scenario([Event(step, "queries", call) for step, call in enumerate(calls, start=1)])


def _query(
    random: randoms.Random,
    part: str,
    slow: Iterable[int],
    *,
    first: int = 0,
    idle: int = 4,
    extra: int = 95,
    milder: Iterable[int] = (),
) -> list[dict[str, Any]]:
    """Forty batches from `first` on; the slow ones spend `extra` on one part, the milder 200."""
    more = {id: extra + random.randrange(15) for id in slow} | dict.fromkeys(milder, 200)
    waits = random.choices(range(first + 1, first + 40), k=idle)
    reports = []
    for id in range(first, first + 40):
        reports += [
            {"batchId": id, "durationMs": {"latestOffset": 3, "triggerExecution": 4}}
            for _ in range(waits.count(id))
        ]
        parts = {name: time + random.randrange(3) for name, time in USUAL.items()}
        if id == 0:
            parts = {name: 9 * time for name, time in parts.items()}
        if id in more:
            parts[part] = parts.get(part, 0) + more[id]
        parts["triggerExecution"] = sum(parts.values()) + 1
        reports.append({"batchId": id, "durationMs": parts})
    return reports


def _edge(at: int) -> list[dict[str, Any]]:
    """Batches of 100 ms, one of 150 and one of 151."""
    more = {at: 50, at + 3: 51}
    return [
        {
            "batchId": id,
            "durationMs": {
                "addBatch": 80,
                "walCommit": 20 + more.get(id, 0),
                "triggerExecution": 100 + more.get(id, 0),
            },
        }
        for id in range(1, 31)
    ]


def _small(first: int) -> list[list[dict[str, Any]]]:
    """Queries whose usual batch takes 100 ms; the first slow one of each is batch `first`."""
    return [
        # addBatch is above its median twice, and once so far below that walCommit has more in all
        _times(
            {
                first: {"addBatch": 180},
                first + 4: {"addBatch": 180},
                first + 9: {"addBatch": 0, "walCommit": 170},
            }
        ),
        # the most in all is in one of three batches
        _times(
            {
                first: {"commitOffsets": 70},
                first + 4: {"commitOffsets": 70, "walCommit": 210},
                first + 9: {"commitOffsets": 70},
            }
        ),
        # the first distance and the last are the same, the one between them is not
        _times({first + at: {"walCommit": 90} for at in (0, 5, 12, 17)}),
        # the last distance is twice the first
        _times({first + at: {"walCommit": 90} for at in (0, 5, 15)}),
        # what is slow has no name, and every part took less than usual
        _times(
            {first: {"addBatch": 78, "walCommit": 9, "commitOffsets": 7, "triggerExecution": 200}}
        ),
        # 40 ms that no part names: a batch of 190 is not slow beside a median of 140
        _times(
            {
                first: {"walCommit": 60},
                first + 3: {"commitOffsets": 95},
                first + 8: {"walCommit": 60},
            },
            unnamed=40,
        ),
    ]


def _times(more: dict[int, dict[str, int]], *, unnamed: int = 0) -> list[dict[str, Any]]:
    """Thirty batches, some with other times for a part; `unnamed` is what no part takes."""
    reports = []
    for id in range(1, 31):
        parts = {"addBatch": 80, "walCommit": 10, "commitOffsets": 10} | more.get(id, {})
        parts.setdefault("triggerExecution", sum(parts.values()) + unnamed)
        reports.append({"batchId": id, "durationMs": parts})
    return reports
