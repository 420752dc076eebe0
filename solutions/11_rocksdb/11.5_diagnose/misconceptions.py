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
    """Sum over all stores taken for one store

    Your function returns "replay" for a report in which each store replayed 20 files or fewer:
    eight stores with five files each make 40. Spark adds the metrics of all stores up. Which
    number in the report is the number of stores?
    """
    return _diagnose(
        report, replay=lambda _, metrics: metrics.get("rocksdbNumReplayChangelogFiles", 0) > 20
    )


def rows_of_all_stores(report: dict[str, Any]) -> str:
    """Rows of all stores taken for one store

    A state of several thousand rows in 200 stores does not give "too many stores". The limit of
    1,000 rows is per store, and `numRowsTotal` counts the rows of all stores. What do you compare
    it with?
    """

    def many(report: dict[str, Any], _metrics: dict[str, Any]) -> bool:
        commit = report["commitTimeMs"]
        work = report["allUpdatesTimeMs"] + report["allRemovalsTimeMs"] + commit
        return bool(report["numRowsTotal"] < 1000 and commit > work / 2)

    return _diagnose(report, **{"too many stores": many})


def misses_against_hits(report: dict[str, Any]) -> str:
    """Share of misses that is too large

    Your function returns "cache" although fewer than a fifth of the reads missed. Either it
    compares the misses with the hits: a read hits or misses, so 180 misses and 820 hits are 18 of
    100 reads. Or it rounds the share. What is the number of reads?
    """

    def cache(_report: dict[str, Any], metrics: dict[str, Any]) -> bool:
        hits = metrics.get("rocksdbReadBlockCacheHitCount", 0)
        misses = metrics.get("rocksdbReadBlockCacheMissCount", 0)
        return bool(hits + misses >= 1000 and misses >= hits / 5)

    return _diagnose(report, cache=cache)


def a_cold_cache(report: dict[str, Any]) -> str:
    """Cache judged by fewer than 1,000 reads

    Your function returns "cache" after fewer than 1,000 reads. The first reads of a store always
    miss, because its cache is empty. A share says something only for many reads. Which reads does
    the limit of 1,000 count?
    """

    def cache(_report: dict[str, Any], metrics: dict[str, Any]) -> bool:
        hits = metrics.get("rocksdbReadBlockCacheHitCount", 0)
        misses = metrics.get("rocksdbReadBlockCacheMissCount", 0)
        return bool(misses > 0 and misses >= (hits + misses) / 5)

    return _diagnose(report, cache=cache)


def any_large_state_is_heap(report: dict[str, Any]) -> str:
    """Large state in RocksDB taken for the default provider

    Your function returns "heap" for every report with a million rows. Only RocksDB has metrics
    whose names begin with `rocksdb`, and they are in `customMetrics`. Does your condition ask for
    them?
    """
    return _diagnose(report, heap=lambda report, _: report["numRowsTotal"] >= 1_000_000)


def compaction_in_the_background(report: dict[str, Any]) -> str:
    """Background compaction taken for the commit's

    Your function returns "compaction" although the commit did not wait for a compaction. RocksDB
    also compacts in the background, where no batch waits: `rocksdbTotalCompactionLatencyMs` has
    both. Which metric belongs to the commit alone?
    """
    return _diagnose(
        report,
        compaction=lambda report, metrics: (
            metrics.get("rocksdbTotalCompactionLatencyMs", 0) > report["commitTimeMs"] / 2
        ),
    )


def lost_rows_last(report: dict[str, Any]) -> str:
    """Dropped rows checked last

    A report with dropped rows gives the word for what makes it slow. Several conditions hold, and
    the first row of the table counts. A slow query gives the right result late; what does a query
    that drops rows give?
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
    """Number of stores checked before dropped rows

    A report with dropped rows and few rows in many stores gives "too many stores". Two conditions
    hold, and the first row of the table counts. Which of the two comes first there?
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
    """Commits checked before the number of stores

    Reports with few rows in many stores give the word for what their commits do. Two conditions
    hold, and the first row of the table counts: with fewer stores there is less to commit. Which
    of the two comes first there?
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
    """Last word that holds instead of the first

    If several conditions hold, your function returns the last word. The first row of the table
    counts. Does your function return as soon as it has found a word?
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
    """Exactly half taken for more than half

    A report in which one part takes exactly half of the commit is not "healthy" in your result.
    The table says *more than half*. Which comparison leaves the half itself out?
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


def nothing_else_on_the_heap(report: dict[str, Any]) -> str:
    """Reports of the default provider answered without the table

    For a state in the default provider your function knows two words only. Rows are dropped
    there, too, and stores can be too many. The metrics of RocksDB are missing and count as 0;
    which rows of the table need none of them?
    """
    if any(name.startswith("rocksdb") for name in report["customMetrics"]):
        return _diagnose(report)
    return "heap" if report["numRowsTotal"] >= 1_000_000 else "healthy"


def the_limit_itself_left_out(report: dict[str, Any]) -> str:
    """Limit itself left out, although the table says "or more"

    A report exactly at a limit is "healthy" in your result: 1,000,000 rows, or 200 misses in
    1,000 reads. The table says *or more* there. Which comparison includes the limit?
    """

    def heap(report: dict[str, Any], metrics: dict[str, Any]) -> bool:
        return report["numRowsTotal"] > 1_000_000 and not any(
            name.startswith("rocksdb") for name in metrics
        )

    def cache(_report: dict[str, Any], metrics: dict[str, Any]) -> bool:
        hits = metrics.get("rocksdbReadBlockCacheHitCount", 0)
        misses = metrics.get("rocksdbReadBlockCacheMissCount", 0)
        return bool(hits + misses > 1000 and misses > (hits + misses) / 5)

    return _diagnose(report, heap=heap, cache=cache)


def work_without_the_removals(report: dict[str, Any]) -> str:
    """Work without the removals

    A report in which a part takes exactly half of the work gets a word. In your function the work
    is too small. Which three times add up to *work*?
    """
    updates, removals = report["allUpdatesTimeMs"], report["allRemovalsTimeMs"]
    commit, stores = report["commitTimeMs"], report["numStateStoreInstances"]
    few = report["numRowsTotal"] / stores < 1000
    return _diagnose(
        report,
        **{
            "too many stores": lambda _report, _metrics: few and commit > (updates + commit) / 2,
            "removals": lambda _report, _metrics: removals > (updates + commit) / 2,
        },
    )


def an_empty_state_is_healthy(report: dict[str, Any]) -> str:
    """Empty state taken for a healthy one

    A report with 0 rows is always "healthy" in your result. A state without rows can have too
    many stores, and its restart can replay many files. Which condition of the table asks for
    rows?
    """
    return _diagnose(report) if report["numRowsTotal"] else "healthy"
