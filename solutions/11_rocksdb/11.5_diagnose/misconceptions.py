"""Ways to misread a report of a state operator."""

from typing import Any


def _diagnose(report: dict[str, Any], **wrong: Any) -> str:
    """The rules as they are, but for those that `wrong` names."""
    metrics = report["customMetrics"]
    rows, stores = report["numRowsTotal"], report["numStateStoreInstances"]
    commit, removals = report["commitTimeMs"], report["allRemovalsTimeMs"]
    work = report["allUpdatesTimeMs"] + removals + commit
    misses = metrics.get("rocksdbReadBlockCacheMissCount", 0)
    hits = metrics.get("rocksdbReadBlockCacheHitCount", 0)
    reads = hits + misses
    rules = {
        "heap": rows >= 1_000_000 and not any(name.startswith("rocksdb") for name in metrics),
        "late rows": report["numRowsDroppedByWatermark"] > 0,
        "too many stores": rows / stores < 1000 and commit > work / 2,
        "snapshots": metrics.get("rocksdbCommitFileSyncLatencyMs", 0) > commit / 2,
        "compaction": metrics.get("rocksdbCommitCompactLatency", 0) > commit / 2,
        "cache": reads >= 1000 and misses >= reads / 5,
        "replay": metrics.get("rocksdbNumReplayChangelogFiles", 0) > 20 * stores,
        "removals": removals > work / 2,
    }
    changed = {name: rule(report, metrics) for name, rule in wrong.items() if name in rules}
    order = wrong.get("order", list(rules))
    rules |= changed
    return next((name for name in order if rules[name]), "healthy")


def sums_taken_for_one_store(report: dict[str, Any]) -> str:
    """The sum of all stores, taken for one

    "replay" is said of a report in which each store has replayed 20 files or fewer: eight stores
    with five each make 40. Spark adds the figures of all stores up. Which number in the report
    says how many there are?
    """
    return _diagnose(
        report, replay=lambda _, metrics: metrics.get("rocksdbNumReplayChangelogFiles", 0) > 20
    )


def rows_of_all_stores(report: dict[str, Any]) -> str:
    """Rows of all stores, not of one

    A state of several thousand rows in 200 stores is no longer called cut too fine. The limit of
    1,000 rows is one for each store, and `numRowsTotal` counts those of all of them.
    """

    def many(report: dict[str, Any], _metrics: dict[str, Any]) -> bool:
        commit = report["commitTimeMs"]
        work = report["allUpdatesTimeMs"] + report["allRemovalsTimeMs"] + commit
        return bool(report["numRowsTotal"] < 1000 and commit > work / 2)

    return _diagnose(report, **{"too many stores": many})


def misses_against_hits(report: dict[str, Any]) -> str:
    """Fewer misses than a fifth of the reads

    "cache" is said where fewer than a fifth of the reads missed. Either the misses are held against the
    hits: a read hits or misses, so the reads are both figures together, and 180 misses beside 820 hits
    are 18 of 100. Or the share is rounded before it is compared.
    """

    def cache(_report: dict[str, Any], metrics: dict[str, Any]) -> bool:
        hits = metrics.get("rocksdbReadBlockCacheHitCount", 0)
        misses = metrics.get("rocksdbReadBlockCacheMissCount", 0)
        return bool(hits + misses >= 1000 and misses >= hits / 5)

    return _diagnose(report, cache=cache)


def a_cold_cache(report: dict[str, Any]) -> str:
    """A cache that has not been asked often enough

    "cache" is said after fewer than 1,000 reads. The first reads of a store always miss, as the cache
    is empty then: a share says something only of many reads, hits and misses together.
    """

    def cache(_report: dict[str, Any], metrics: dict[str, Any]) -> bool:
        hits = metrics.get("rocksdbReadBlockCacheHitCount", 0)
        misses = metrics.get("rocksdbReadBlockCacheMissCount", 0)
        return bool(misses > 0 and misses >= (hits + misses) / 5)

    return _diagnose(report, cache=cache)


def any_large_state_is_heap(report: dict[str, Any]) -> str:
    """A large state that is in RocksDB already

    "heap" is said of reports with a million rows, wherever they lie. The report does not name the
    provider, but it gives it away: only RocksDB has metrics whose names begin with `rocksdb`, and they
    stand in `customMetrics`.
    """
    return _diagnose(report, heap=lambda report, _: report["numRowsTotal"] >= 1_000_000)


def compaction_in_the_background(report: dict[str, Any]) -> str:
    """Compaction, but not in the commit

    "compaction" is said of a report in which the commit did not wait for any. RocksDB also compacts
    in the background, where no batch waits for it: `rocksdbTotalCompactionLatencyMs` has both.
    """
    return _diagnose(
        report,
        compaction=lambda report, metrics: (
            metrics.get("rocksdbTotalCompactionLatencyMs", 0) > report["commitTimeMs"] / 2
        ),
    )


def lost_rows_last(report: dict[str, Any]) -> str:
    """Slowness before loss

    A report in which rows were dropped is called by what makes it slow. Several rules hold there,
    and the first of the list counts. A slow query gives the right answer late; one that drops rows
    does not give it.
    """
    order = [
        "heap",
        "too many stores",
        "snapshots",
        "compaction",
        "cache",
        "replay",
        "removals",
        "late rows",
    ]
    return _diagnose(report, order=order)


def stores_before_lost_rows(report: dict[str, Any]) -> str:
    """Too many stores before lost rows

    A report with lost rows and few rows in many stores is called by the stores. Two rules hold there, and
    the first of the list counts: the stores cost time, the lost rows are missing.
    """
    order = [
        "heap",
        "too many stores",
        "late rows",
        "snapshots",
        "compaction",
        "cache",
        "replay",
        "removals",
    ]
    return _diagnose(report, order=order)


def commits_before_stores(report: dict[str, Any]) -> str:
    """What a commit does, before how many stores there are

    Reports with few rows in many stores are called by what their commits do. Two rules hold there, and the
    first of the list counts: with fewer stores there is less to commit, and that may be the end of it.
    """
    order = [
        "heap",
        "late rows",
        "snapshots",
        "compaction",
        "too many stores",
        "cache",
        "replay",
        "removals",
    ]
    return _diagnose(report, order=order)


def the_last_rule_that_holds(report: dict[str, Any]) -> str:
    """The last word of the list, not the first

    Where several rules hold, the last of them has given the word. The first of the list counts. Does your
    function go on asking when it has found a word?
    """
    order = [
        "removals",
        "replay",
        "cache",
        "compaction",
        "snapshots",
        "too many stores",
        "late rows",
        "heap",
    ]
    return _diagnose(report, order=order)


def half_of_the_commit_is_enough(report: dict[str, Any]) -> str:
    """Exactly half is not more than half

    A report in which something takes exactly half of the time is not called healthy. The table says
    *more than half* wherever it speaks of halves.
    """

    def at_least(name: str) -> Any:
        return lambda report, metrics: (
            metrics.get(name, 0) >= report["commitTimeMs"] / 2 and metrics.get(name, 0) > 0
        )

    return _diagnose(
        report,
        snapshots=at_least("rocksdbCommitFileSyncLatencyMs"),
        compaction=at_least("rocksdbCommitCompactLatency"),
    )
