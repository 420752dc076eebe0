"""Answers to 11.5: reports read in other ways, right and wrong."""

from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

SYNC = "rocksdbCommitFileSyncLatencyMs"
COMPACT = "rocksdbCommitCompactLatency"
HITS = "rocksdbReadBlockCacheHitCount"
MISSES = "rocksdbReadBlockCacheMissCount"
REPLAYED = "rocksdbNumReplayChangelogFiles"


def _read(report: dict[str, Any]) -> SimpleNamespace:
    """The figures under short names; what RocksDB does not tell is 0."""
    metrics = Counter(report["customMetrics"])
    updates, removals = report["allUpdatesTimeMs"], report["allRemovalsTimeMs"]
    commit = report["commitTimeMs"]
    return SimpleNamespace(
        rows=report["numRowsTotal"],
        dropped=report["numRowsDroppedByWatermark"],
        stores=report["numStateStoreInstances"],
        updates=updates,
        removals=removals,
        commit=commit,
        work=updates + removals + commit,
        sync=metrics[SYNC],
        compact=metrics[COMPACT],
        hits=metrics[HITS],
        misses=metrics[MISSES],
        replayed=metrics[REPLAYED],
        in_rocksdb=any(name.startswith("rocksdb") for name in report["customMetrics"]),
    )


def _rules(r: SimpleNamespace) -> dict[str, bool]:
    return {
        "heap": r.rows >= 1_000_000 and not r.in_rocksdb,
        "late rows": r.dropped > 0,
        "too many stores": r.rows < 1000 * r.stores and 2 * r.commit > r.work,
        "snapshots": 2 * r.sync > r.commit,
        "compaction": 2 * r.compact > r.commit,
        "cache": r.hits + r.misses >= 1000 and 5 * r.misses >= r.hits + r.misses,
        "replay": r.replayed > 20 * r.stores,
        "removals": 2 * r.removals > r.work,
    }


def _first(rules: dict[str, bool]) -> str:
    return next((word for word, holds in rules.items() if holds), "healthy")


def right_counter_and_namespace(report: dict) -> str:
    """A Counter gives 0 for what it has not; all rules in whole numbers, in a dict in order."""
    return _first(_rules(_read(report)))


def right_words_one_by_one(report: dict) -> str:
    """A generator that yields every word whose rule holds; the first is taken."""

    def words(r: SimpleNamespace) -> Iterator[str]:
        if not r.in_rocksdb and r.rows > 999_999:
            yield "heap"
        if r.dropped:
            yield "late rows"
        if r.rows / r.stores < 1000 and r.commit > r.updates + r.removals:
            yield "too many stores"
        for word, spent in (("snapshots", r.sync), ("compaction", r.compact)):
            if spent > r.commit - spent:
                yield word
        if r.hits + r.misses > 999 and r.hits <= 4 * r.misses:
            yield "cache"
        if r.replayed / r.stores > 20:
            yield "replay"
        if r.removals > r.updates + r.commit:
            yield "removals"
        yield "healthy"

    return next(words(_read(report)))


def right_shares_of_a_whole(report: dict) -> str:
    """A helper for shares, with an answer for a whole of nothing."""
    figures = report["customMetrics"]

    def metric(name: str) -> float:
        return figures[name] if name in figures else 0

    def share(part: float, whole: float) -> float:
        if whole == 0:
            return float("inf") if part else 0.0
        return part / whole

    times = [report[f"{name}TimeMs"] for name in ("commit", "allRemovals", "allUpdates")]
    commit, removals, _ = times
    stores, reads = report["numStateStoreInstances"], metric(HITS) + metric(MISSES)
    if report["numRowsTotal"] >= 10**6 and not [n for n in figures if n[:7] == "rocksdb"]:
        return "heap"
    elif report["numRowsDroppedByWatermark"] >= 1:
        return "late rows"
    elif report["numRowsTotal"] / stores < 1000 and share(commit, sum(times)) > 0.5:
        return "too many stores"
    elif share(metric(SYNC), commit) > 0.5:
        return "snapshots"
    elif share(metric(COMPACT), commit) > 0.5:
        return "compaction"
    elif reads >= 1000 and share(metric(MISSES), reads) >= 0.2:
        return "cache"
    elif metric(REPLAYED) / stores > 20:
        return "replay"
    elif share(removals, sum(times)) > 0.5:
        return "removals"
    return "healthy"


def right_from_the_last_to_the_first(report: dict) -> str:
    """Goes through the list from its end, so that an earlier word takes the place of a later one."""
    word = "healthy"
    for name, holds in reversed(_rules(_read(report)).items()):
        if holds:
            word = name
    return word


def right_heap_and_rocksdb_apart(report: dict) -> str:
    """Two lists: on the heap the rules that need RocksDB's metrics cannot hold."""
    rules = _rules(_read(report))
    words = list(rules)
    if not any(name.startswith("rocksdb") for name in report["customMetrics"]):
        words = ["heap", "late rows", "too many stores", "removals"]
    for word in words:
        if rules[word]:
            return word
    return "healthy"


def wrong_hits_alone_are_reads(report: dict) -> str:
    """Asks for 1,000 hits, not for 1,000 reads; with 800 hits and 200 misses the cache is not blamed."""
    r = _read(report)
    cache = r.hits >= 1000 and 5 * r.misses >= r.hits + r.misses
    return _first(_rules(r) | {"cache": cache})


def wrong_half_of_the_work(report: dict) -> str:
    """Holds files and compaction against half of the work; half of commit is asked for."""
    r = _read(report)
    rules = {"snapshots": 2 * r.sync > r.work, "compaction": 2 * r.compact > r.work}
    return _first(_rules(r) | rules)


def wrong_every_metric_is_there(report: dict) -> str:
    """Reads RocksDB's metrics with [], which the heap does not have."""
    metrics = report["customMetrics"]
    r = _read(report)
    r.sync, r.compact = metrics[SYNC], metrics[COMPACT]
    r.hits, r.misses, r.replayed = metrics[HITS], metrics[MISSES], metrics[REPLAYED]
    return _first(_rules(r))


def wrong_more_than_a_million(report: dict) -> str:
    """A million rows are not yet too many: "1,000,000 rows or more"."""
    r = _read(report)
    return _first(_rules(r) | {"heap": r.rows > 1_000_000 and not r.in_rocksdb})


def wrong_heap_has_no_metrics(report: dict) -> str:
    """Takes it for the heap if customMetrics is empty; the heap has metrics of its own."""
    r = _read(report)
    return _first(_rules(r) | {"heap": r.rows >= 1_000_000 and not report["customMetrics"]})


def wrong_a_thousand_are_few(report: dict) -> str:
    """1,000 rows a store count as few; fewer than 1,000 do."""
    r = _read(report)
    few = r.rows <= 1000 * r.stores and 2 * r.commit > r.work
    return _first(_rules(r) | {"too many stores": few})


def wrong_few_rows_are_enough(report: dict) -> str:
    """Forgets the second half of a rule, that commit is more than half of work."""
    r = _read(report)
    return _first(_rules(r) | {"too many stores": r.rows < 1000 * r.stores})


def wrong_last_word_wins(report: dict) -> str:
    """One `if` below the other, each of which sets the word anew: the last rule that holds wins."""
    word = "healthy"
    for name, holds in _rules(_read(report)).items():
        if holds:
            word = name
    return word


def wrong_work_without_removals(report: dict) -> str:
    """Adds up updates and commit only: a commit of exactly half of the work is more than half of that."""
    r = _read(report)
    r.work = r.updates + r.commit
    return _first(_rules(r))


def wrong_files_of_one_store(report: dict) -> str:
    """Divides the time for the files by the stores, and not that of the commit; both are sums."""
    r = _read(report)
    r.sync = r.sync / r.stores
    return _first(_rules(r))


def wrong_twenty_files_are_many(report: dict) -> str:
    """20 files a store count as many; more than 20 do."""
    r = _read(report)
    return _first(_rules(r) | {"replay": r.replayed >= 20 * r.stores > 0})


def wrong_words_with_underscores(report: dict) -> str:
    """late_rows and too_many_stores, as one would call a variable."""
    return _first(_rules(_read(report))).replace(" ", "_")


def right_selected_by_numpy(report: dict) -> str:
    """numpy's select takes the first choice whose condition holds."""
    rules = _rules(_read(report))
    return str(np.select(list(rules.values()), list(rules), default="healthy"))


def right_heap_by_one_metric(report: dict) -> str:
    """Takes it for the heap where one metric of RocksDB's is missing: there all of them are."""
    large = report["numRowsTotal"] >= 1_000_000
    return _first(_rules(_read(report)) | {"heap": large and SYNC not in report["customMetrics"]})


def right_all_metrics_or_none(report: dict) -> str:
    """Reads RocksDB's metrics with [] where one of them is there: no other is missing then."""
    metrics = report["customMetrics"]
    if any(name.startswith("rocksdb") for name in metrics):
        metrics = {name: metrics[name] for name in (SYNC, COMPACT, HITS, MISSES, REPLAYED)}
    return _first(_rules(_read({**report, "customMetrics": metrics})))


def wrong_the_heap_is_asked_nothing_else(report: dict) -> str:
    """On the heap either "heap" or "healthy": rows that were dropped there are not told of.

    5,000 rows on the heap, in two stores, three of them dropped: "late rows".
    """
    read = _read(report)
    if not read.in_rocksdb:
        return "heap" if _rules(read)["heap"] else "healthy"
    return _first(_rules(read))


def wrong_no_time_for_files_is_heap(report: dict) -> str:
    """Takes it for the heap where the time for files is 0 or missing: 0 is as false as None."""
    r = _read(report)
    return _first(_rules(r) | {"heap": r.rows >= 1_000_000 and not r.sync})


def wrong_one_store_is_not_many(report: dict) -> str:
    """Never calls one store too many; the rule holds for it as for others."""
    r = _read(report)
    rules = _rules(r)
    return _first(rules | {"too many stores": rules["too many stores"] and r.stores > 1})


def wrong_empty_state_is_healthy(report: dict) -> str:
    """Gives up where the state has no rows: in 200 stores, with all time in the commit, it is ill."""
    r = _read(report)
    return _first(_rules(r)) if r.rows else "healthy"


def wrong_no_work_is_healthy(report: dict) -> str:
    """Asks first whether there was work, against a division by 0; a restart without rows replays files."""
    r = _read(report)
    return _first(_rules(r)) if r.work else "healthy"


def wrong_half_rounded(report: dict) -> str:
    """Rounds half of the commit: of 1,303 ms that is 652, and 652 ms of files are more than 651.5."""
    r = _read(report)
    return _first(_rules(r) | {"snapshots": r.sync > round(r.commit / 2)})
