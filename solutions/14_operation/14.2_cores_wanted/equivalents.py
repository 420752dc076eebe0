"""Other right rules."""

from typing import Any


def counting_in_a_row(
    reports: list[dict[str, Any]], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Counts long and short batches in a row while it reads the reports."""
    long = short = 0
    behind = False
    for report in reports:
        if not report["numInputRows"]:
            continue
        took = report["durationMs"]["triggerExecution"]
        long = long + 1 if 5 * took > 4 * interval_ms else 0
        short = short + 1 if 10 * took < 3 * interval_ms else 0
        behind = any(
            float(source["metrics"].get("maxOffsetsBehindLatest", 0)) > 0
            for source in report["sources"]
            if "metrics" in source
        )
    if long >= 3:
        return max(fewest, min(most, 2 * cores))
    if short >= 5 and not behind:
        return max(fewest, min(most, (cores + 1) // 2))
    return max(fewest, min(most, cores))


def newest_first(
    reports: list[dict[str, Any]], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Looks at the newest reports only, and at lengths instead of shares."""
    newest = [report for report in reversed(reports) if report["numInputRows"]][:5]
    took = [report["durationMs"]["triggerExecution"] for report in newest]
    if len(took) > 2 and min(took[:3]) > 0.8 * interval_ms:
        cores += cores
    elif len(took) == 5 and max(took) < 0.3 * interval_ms:
        metrics = [source.get("metrics") or {} for source in newest[0]["sources"]]
        if all(m.get("maxOffsetsBehindLatest", "0") == "0" for m in metrics):
            cores -= cores // 2
    return sorted([fewest, cores, most])[1]
