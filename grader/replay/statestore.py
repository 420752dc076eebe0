"""The rows in a query's state stores, read from its checkpoint as Spark's own reader gives them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from grader.replay.sink import as_json

ROWS = 20


def rows_of(session: SparkSession, checkpoint: Path) -> list[dict[str, Any]]:
    """At most ROWS rows of each store: operator, key and value. Empty where there is no state.

    Stores that the reader cannot open without more options (variables of transformWithState)
    are left out.
    """
    if not (checkpoint / "state").exists():
        return []
    found: list[dict[str, Any]] = []
    metadata = session.read.format("state-metadata").load(str(checkpoint))
    for operator in (
        metadata.select("operatorId", "operatorName").distinct().orderBy("operatorId").collect()
    ):
        sides = ["left", "right"] if "Join" in operator.operatorName else [None]
        for side in sides:
            reader = session.read.format("statestore").option("operatorId", operator.operatorId)
            if side:
                reader = reader.option("joinSide", side)
            try:
                frame = reader.load(str(checkpoint)).drop("partition_id", "_partition_id")
                rows = (
                    as_json(frame.orderBy(F.col("key")) if not side else frame)
                    .limit(ROWS)
                    .collect()
                )
            except PySparkException:
                continue
            found += [_plain(json.loads(row.value)) for row in rows]
    return found


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Key and value side by side, as one flat row."""
    flat: dict[str, Any] = {}
    for part in ("key", "value"):
        inner = row.get(part)
        flat.update(inner if isinstance(inner, dict) else {part: inner})
    return flat
