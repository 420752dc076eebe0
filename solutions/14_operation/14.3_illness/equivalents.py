"""Other right ways to read a report."""

from datetime import datetime
from typing import Any


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text.removesuffix("Z") + "+00:00").timestamp()


def rules_in_a_list(report: dict[str, Any], interval_ms: int) -> str:
    """Keeps name and rule side by side, and takes the first that holds."""
    seen, parts = report["eventTime"], {"walCommit": 0, "commitOffsets": 0} | report["durationMs"]
    took, rows = parts["triggerExecution"], report["numInputRows"]
    newest = _seconds(seen["max"]) if "max" in seen and report["batchId"] else 0.0
    marked = _seconds(seen["watermark"]) if newest else 0.0
    lost = sum(operator["numRowsDroppedByWatermark"] for operator in report["stateOperators"])
    lags = [int(s.get("metrics", {}).get("maxOffsetsBehindLatest", 0)) for s in report["sources"]]
    behind = any(lag > rows for lag in lags)
    rules = [
        ("time stands still", newest - marked > 3600),
        ("late rows", lost > rows / 100),
        ("checkpoint", 2 * (parts["walCommit"] + parts["commitOffsets"]) > took),
        ("source", 2 * (parts.get("latestOffset", 0) + parts.get("getBatch", 0)) > took),
        ("overload", behind and took > interval_ms),
        ("limit", behind),
        ("healthy", True),
    ]
    return next(name for name, holds in rules if holds)


def wrong_then_slow_then_behind(report: dict[str, Any], interval_ms: int) -> str:
    """Asks in three groups: what is lost, what takes the time, what is waiting."""
    seen, parts, rows = report["eventTime"], report["durationMs"], report["numInputRows"]
    if seen.get("max") and report["batchId"] != 0:
        ends = [datetime.fromisoformat(seen[name][:-1]) for name in ("max", "watermark")]
        if (ends[0] - ends[1]).total_seconds() > 60 * 60:
            return "time stands still"
    if any(operator["numRowsDroppedByWatermark"] for operator in report["stateOperators"]):
        lost = sum(o["numRowsDroppedByWatermark"] for o in report["stateOperators"])
        if rows == 0 or lost / rows > 0.01:
            return "late rows"
    for word, names in (
        ("checkpoint", "walCommit commitOffsets"),
        ("source", "latestOffset getBatch"),
    ):
        if sum(parts.get(name, 0) for name in names.split()) > 0.5 * parts["triggerExecution"]:
            return word
    told = [
        s["metrics"].get("maxOffsetsBehindLatest", "0") for s in report["sources"] if "metrics" in s
    ]
    if max(map(int, told), default=0) <= rows:
        return "healthy"
    return "limit" if parts["triggerExecution"] <= interval_ms else "overload"
