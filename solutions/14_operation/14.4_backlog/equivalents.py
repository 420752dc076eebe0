"""Other right ways to reckon."""

from datetime import datetime
from typing import Any


def rate_by_rate(
    earlier: dict[str, Any], later: dict[str, Any], record_bytes: float
) -> dict[str, Any]:
    """What is read in a second, less what arrives in a second."""

    def total(report: dict[str, Any], name: str) -> int:
        return sum(sum(offsets.values()) for offsets in report["sources"][0][name].values())

    begin, end = (datetime.fromisoformat(r["timestamp"][:-1]) for r in (earlier, later))
    records = total(later, "latestOffset") - total(later, "endOffset")
    read = total(later, "endOffset") - total(earlier, "endOffset")
    arrived = total(later, "latestOffset") - total(earlier, "latestOffset")
    gained = (read - arrived) / (end - begin).total_seconds()
    seconds = round(records / gained) if gained > 0 else None if records else 0
    return {"records": records, "bytes": round(records * record_bytes), "seconds": seconds}


def with_a_helper(
    earlier: dict[str, Any], later: dict[str, Any], record_bytes: float
) -> dict[str, Any]:
    """The same sum for both reports, partition by partition."""

    def behind(report: dict[str, Any]) -> int:
        (source,) = report["sources"]
        found = 0
        for topic in source["latestOffset"]:
            ends = source["endOffset"].get(topic) or {}
            for partition, latest in source["latestOffset"][topic].items():
                found += latest - ends.get(partition, 0)
        return found

    def clock(report: dict[str, Any]) -> float:
        return datetime.fromisoformat(report["timestamp"].replace("Z", "+00:00")).timestamp()

    told: dict[str, Any] = {"records": behind(later)}
    told["bytes"] = int(told["records"] * record_bytes + 0.5)
    shrunk = behind(earlier) - told["records"]
    told["seconds"] = (
        None if shrunk <= 0 else round(told["records"] / shrunk * (clock(later) - clock(earlier)))
    )
    if told["records"] == 0:
        told["seconds"] = 0
    return told
