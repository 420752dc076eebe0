"""Other right ways to read a report."""

from typing import Any


def rules_in_a_list(report: dict[str, Any]) -> str:
    """Keeps name and rule side by side, and takes the first that holds."""
    metrics = {
        name.removeprefix("rocksdb"): value
        for name, value in report["customMetrics"].items()
        if name.startswith("rocksdb")
    }
    commit = report["commitTimeMs"]
    others = report["allUpdatesTimeMs"] + report["allRemovalsTimeMs"]
    hits = metrics.get("ReadBlockCacheHitCount", 0)
    misses = metrics.get("ReadBlockCacheMissCount", 0)
    stores = report["numStateStoreInstances"]
    rules = [
        ("heap", not metrics and report["numRowsTotal"] >= 1_000_000),
        ("late rows", bool(report["numRowsDroppedByWatermark"])),
        ("too many stores", report["numRowsTotal"] < 1000 * stores and commit > others),
        ("snapshots", 2 * metrics.get("CommitFileSyncLatencyMs", 0) > commit),
        ("compaction", 2 * metrics.get("CommitCompactLatency", 0) > commit),
        ("cache", hits + misses >= 1000 and 4 * misses >= hits),
        ("replay", metrics.get("NumReplayChangelogFiles", 0) / stores > 20),
        ("removals", report["allRemovalsTimeMs"] > report["allUpdatesTimeMs"] + commit),
        ("healthy", True),
    ]
    return next(name for name, holds in rules if holds)


def one_question_after_the_other(report: dict[str, Any]) -> str:
    """Asks first where the state is, then what is lost, then what takes the time."""
    metrics: dict[str, float] = report["customMetrics"]
    in_rocksdb = any("rocksdb" in name for name in metrics)
    rows, stores = report["numRowsTotal"], report["numStateStoreInstances"]
    if not in_rocksdb and rows > 999_999:
        return "heap"
    if report["numRowsDroppedByWatermark"] != 0:
        return "late rows"
    times = {name: report[f"{name}TimeMs"] for name in ("allUpdates", "allRemovals", "commit")}
    half = sum(times.values()) / 2
    if times["commit"] > half and rows / stores < 1000:
        return "too many stores"
    if in_rocksdb:
        parts = {"snapshots": "CommitFileSyncLatencyMs", "compaction": "CommitCompactLatency"}
        for name, metric in parts.items():
            if metrics[f"rocksdb{metric}"] > times["commit"] / 2:
                return name
        missed = metrics["rocksdbReadBlockCacheMissCount"]
        reads = missed + metrics["rocksdbReadBlockCacheHitCount"]
        if reads >= 1000 and missed / reads >= 0.2:
            return "cache"
        if metrics["rocksdbNumReplayChangelogFiles"] > stores * 20:
            return "replay"
    return "removals" if times["allRemovals"] > half else "healthy"
