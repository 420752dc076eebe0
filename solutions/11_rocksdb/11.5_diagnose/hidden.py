"""Reports of other days: each illness at least once, most of them close to a limit."""

import random as randoms
from typing import Any

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Reports in any order; where two rules hold, the first of the list is meant."""
    reports = [
        *_heap(random),
        _report(random, dropped=random.randint(1, 9)),
        _report(random, dropped=1, sync=0.9),
        *_fine(random),
        _report(random, sync=random.uniform(0.55, 0.95)),
        _report(random, sync=0.7, compact=0.2),
        _report(random, sync=0.5),
        _report(random, compact=0.5),
        _report(random, compact=random.uniform(0.55, 0.95)),
        _report(random, reads=random.randrange(1000, 9000), missed=random.uniform(0.21, 0.6)),
        _report(random, reads=random.randrange(1000, 2000), missed=0.3),
        _report(random, reads=random.randrange(2000, 9000), missed=0.18),
        _report(random, reads=random.randrange(2000, 9000), missed=0.12),
        _report(random, reads=random.randrange(20, 900), missed=0.5),
        _report(random, replayed=random.randint(21, 60)),
        _report(random, replayed=random.randint(3, 20)),
        _report(random, replayed=2),
        _report(random, removals=random.uniform(0.55, 0.8)),
        _report(random),
        _report(random, background=random.randint(5, 20)),
    ]
    random.shuffle(reports)
    few = 200 * random.randint(2, 900)  # two rules hold in each: the first of both
    reports += [
        _report(random, stores=200, rows=few, dropped=random.randint(1, 9), commit=0.8),
        _report(random, dropped=random.randint(1, 9), compact=0.7),
        _report(random, stores=200, rows=few, commit=0.8, compact=0.7),
        _report(random, stores=200, rows=few, commit=0.8, sync=0.7),
        _report(random, sync=0.0),  # RocksDB all the same
        _report(random, stores=1, rows=random.randint(2, 900), commit=0.8),
        _report(random, stores=200, rows=0, commit=0.8),
        _idle(_report(random, replayed=random.randint(21, 60))),
        _half_a_millisecond(_report(random)),
        _report(random, reads=5 * random.randrange(200, 900), missed=0.2),
        _report(random, stores=200, rows=few, commit=0.5),
        _report(random, removals=0.5),
    ]
    return Scenario(
        [Event(step, "reports", {"report": report}) for step, report in enumerate(reports, start=1)]
    )


def _heap(random: randoms.Random) -> list[dict[str, Any]]:
    """The default provider: a million rows are too many; with fewer, rules without metrics of RocksDB hold."""
    large = [
        _report(random, rows=1_000_000),
        _report(random, rows=random.randrange(1_000_001, 9_000_000)),
    ]
    small = [
        _report(random, rows=random.randrange(400_000, 999_999), **ill)
        for ill in ({}, {"dropped": 3}, {"removals": 0.7}, {"stores": 1000, "commit": 0.8})
    ]
    for report in (*large, *small):
        report["customMetrics"] = {
            "loadedMapCacheHitCount": random.randrange(100, 9000),
            "loadedMapCacheMissCount": 0,
            "stateOnCurrentVersionSizeBytes": report["numRowsTotal"] * 210,
        }
    return [*large, *small]


def _fine(random: randoms.Random) -> list[dict[str, Any]]:
    """Few rows in many stores, with and without slow commits, and in two; the second has too many."""
    stores = random.choice([100, 200, 400])
    return [
        _report(random, stores=stores, rows=stores * random.randint(2, 900), commit=0.8),
        _report(random, stores=stores, rows=stores * random.randint(1001, 1500), commit=0.8),
        _report(random, stores=stores, rows=stores * random.randint(2, 900), commit=0.3),
        _report(random, stores=2, rows=random.randint(2, 900), commit=0.8),
    ]


def _idle(report: dict[str, Any]) -> dict[str, Any]:
    """Nothing took a millisecond, as in a first batch without rows."""
    idle = dict.fromkeys(["allUpdatesTimeMs", "allRemovalsTimeMs", "commitTimeMs"], 0)
    files = {"rocksdbCommitFileSyncLatencyMs": 0}
    return {**report, **idle, "customMetrics": {**report["customMetrics"], **files}}


def _half_a_millisecond(report: dict[str, Any]) -> dict[str, Any]:
    """Half of the commit is 651.5 ms, and the files took half a millisecond more."""
    files = {"rocksdbCommitFileSyncLatencyMs": 652}
    return {
        **report,
        "commitTimeMs": 1303,
        "allUpdatesTimeMs": 2000,
        "customMetrics": {**report["customMetrics"], **files},
    }


def _report(
    random: randoms.Random,
    *,
    stores: int = 8,
    rows: int | None = None,
    dropped: int = 0,
    commit: float = 0.4,
    removals: float = 0.1,
    sync: float = 0.1,
    compact: float = 0.0,
    reads: int = 4000,
    missed: float = 0.02,
    replayed: float = 0,
    background: int = 0,
) -> dict[str, Any]:
    """An operator's report; `commit` and `removals` are shares of the work, `sync` and `compact` of the commit."""
    work = 100 * random.randint(20, 90)
    committing = min(round(commit * work), work - round(removals * work))
    misses = round(missed * reads)
    return {
        "numRowsTotal": random.randrange(1_200_000, 9_000_000) if rows is None else rows,
        "numRowsDroppedByWatermark": dropped,
        "numStateStoreInstances": stores,
        "allUpdatesTimeMs": work - committing - round(removals * work),
        "allRemovalsTimeMs": round(removals * work),
        "commitTimeMs": committing,
        "customMetrics": {
            "rocksdbCommitFileSyncLatencyMs": round(sync * committing),
            "rocksdbCommitCompactLatency": round(compact * committing),
            "rocksdbTotalCompactionLatencyMs": round(compact * committing)
            + background * committing,
            "rocksdbReadBlockCacheHitCount": reads - misses,
            "rocksdbReadBlockCacheMissCount": misses,
            "rocksdbNumReplayChangelogFiles": round(replayed * stores),
        },
    }
