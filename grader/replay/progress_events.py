"""Spark's progress events as Batches."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Any

from grader.scenario.recording import Batch, Operator

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_STORES = {"symmetricHashJoin": 4}  # for each partition, if there is more than one


def batches_of(progress: Iterable[dict[str, Any]], step: int) -> list[Batch]:
    """Keep the events of batches that ran; a query that idles reports progress, too."""
    batches: dict[int, Batch] = {}
    for event in progress:
        if "addBatch" not in event.get("durationMs", {}):
            continue
        batches[event["batchId"]] = Batch(
            id=event["batchId"],
            step=step,
            rows_in=event.get("numInputRows", 0),
            watermark=_watermark(event.get("eventTime", {}).get("watermark")),
            operators=[_operator(given) for given in event.get("stateOperators", [])],
            seconds=event["durationMs"].get("triggerExecution", 0) / 1000,
        )
    return [batches[number] for number in sorted(batches)]


def _watermark(text: str | None) -> str | None:
    """ISO 8601; None while no event has set one (Spark says 1970)."""
    if text is None or text.startswith("-"):
        return None
    if text.startswith("+"):
        return text  # a year beyond 9999, which Python cannot read: milliseconds taken for seconds
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return None if moment <= _EPOCH else text


def _operator(given: dict[str, Any]) -> Operator:
    metrics = {
        name: value
        for name, value in {**given, **given.get("customMetrics", {})}.items()
        if isinstance(value, int | float)
    }
    often = _times_run(given)
    return Operator(
        name=given.get("operatorName", ""),
        rows_total=given.get("numRowsTotal", 0) // often,
        rows_updated=given.get("numRowsUpdated", 0) // often,
        rows_removed=given.get("numRowsRemoved", 0) // often,
        dropped=given.get("numRowsDroppedByWatermark", 0) // often,
        metrics=metrics,
    )


def _times_run(given: dict[str, Any]) -> int:
    """How often an operator ran in its batch; the number of opened stores shows it.

    Each action of foreachBatch on a DataFrame that is not cached runs the operator again. Spark adds up the
    metrics of all runs.
    """
    stores = given.get("numShufflePartitions", 0) * _STORES.get(given.get("operatorName", ""), 1)
    opened = int(given.get("numStateStoreInstances", 0))
    return max(1, opened // stores) if stores > 0 else 1
