"""Other right alarms."""

from itertools import pairwise
from typing import Any


def counting_steps(reports: list[dict[str, Any]], most: int) -> bool:
    """Counts the steps up in a row; a step that is none sets the count to zero."""
    steps, before = 0, None
    for report in reports:
        lag = None
        for source in report["sources"]:
            text = (source.get("metrics") or {}).get("maxOffsetsBehindLatest")
            if text is not None:
                lag = max(lag or 0, int(text))
        if lag is None:
            continue
        steps = steps + 1 if before is not None and lag > before else 0
        before = lag
    return steps >= 3 or (before or 0) > most


def from_the_end(reports: list[dict[str, Any]], most: int) -> bool:
    """Newest first, with float for the text."""
    lags: list[float] = []
    for report in reversed(reports):
        metrics = [source["metrics"] for source in report["sources"] if source.get("metrics")]
        if metrics:
            lags.append(max(float(m["maxOffsetsBehindLatest"]) for m in metrics))
    far = any(lag > most for lag in lags[:1])
    return far or (len(lags) > 3 and all(new > old for new, old in pairwise(lags[:4])))
