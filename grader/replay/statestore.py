"""The rows in a query's state stores, read from its checkpoint as Spark's own reader gives them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

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
                frame = _declared(reader.load(str(checkpoint)))
                rows = (
                    as_json(frame.orderBy(F.col("key")) if not side else frame)
                    .limit(ROWS)
                    .collect()
                )
            except (PySparkException, Py4JError):
                continue
            found += [_plain(json.loads(row.value)) for row in rows]
    return found


def _declared(frame: DataFrame) -> DataFrame:
    """Key and value with just the fields that their types name.

    The rows of an outer join's state hold one more, whether they met a partner, on which to_json
    fails.
    """
    parts = []
    for part in ("key", "value"):
        if part not in frame.columns:
            continue
        kind = frame.schema[part].dataType
        if isinstance(kind, StructType):
            fields = [F.col(f"{part}.`{field.name}`") for field in kind.fields]
            parts.append(F.struct(*fields).alias(part))
        else:
            parts.append(F.col(part))
    return frame.select(*parts)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Key and value side by side, as one flat row.

    Where the key is that of a Python function's group, Spark calls its only column `field0`.
    """
    flat: dict[str, Any] = {}
    for part in ("key", "value"):
        inner = row.get(part)
        if part == "key" and isinstance(inner, dict) and set(inner) == {"field0"}:
            inner = inner["field0"]
        flat.update(inner if isinstance(inner, dict) else {part: inner})
    return flat
