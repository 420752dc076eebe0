"""Other right ways to percentiles."""

from typing import Any


def by_counting(records: list[dict[str, Any]], began: int) -> dict[str, Any]:
    """Asks of each latency how many are at or below it, in integers."""
    latencies: list[int] = []
    negative = missing = 0
    for record in records:
        if record["made"] < began:
            continue
        if record["written"] is None:
            missing += 1
        elif record["written"] < record["made"]:
            negative += 1
        else:
            latencies.append(record["written"] - record["made"])

    def at(percent: int) -> int | None:
        enough = (
            latency
            for latency in latencies
            if 100 * sum(other <= latency for other in latencies) >= percent * len(latencies)
        )
        return min(enough, default=None)

    return {
        "p50": at(50),
        "p95": at(95),
        "p99": at(99),
        "negative": negative,
        "missing": missing,
    }


def with_numpy(records: list[dict[str, Any]], began: int) -> dict[str, Any]:
    """Lets numpy find the places: its method "inverted_cdf" is the rule of the task."""
    import numpy as np

    measured = [r for r in records if r["made"] >= began]
    out = np.array([r["written"] - r["made"] for r in measured if r["written"] is not None])
    good = out[out >= 0]
    found = [
        int(np.percentile(good, p, method="inverted_cdf")) if good.size else None
        for p in (50, 95, 99)
    ]
    return dict(
        zip(("p50", "p95", "p99"), found, strict=True),
        negative=int((out < 0).sum()),
        missing=len(measured) - len(out),
    )
