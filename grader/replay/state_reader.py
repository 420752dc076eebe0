"""The rows in a query's state stores, read from its checkpoint as Spark's own reader gives them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from grader.replay.answer_sink import as_json

ROWS = 20


def rows_of(session: SparkSession, checkpoint: Path) -> list[dict[str, Any]]:
    """At most ROWS rows of each store: operator, key and value. Empty if there is no state.

    Those of transformWithState say which `variable` they are of; `timers` are its timers.
    """
    if not (checkpoint / "state").exists():
        return []
    found: list[dict[str, Any]] = []
    metadata = session.read.format("state-metadata").load(str(checkpoint))
    columns = ("operatorId", "operatorName", "operatorProperties")
    for operator in metadata.select(*columns).distinct().orderBy("operatorId").collect():
        for store in _stores_of(operator.operatorName, operator.operatorProperties):
            reader = session.read.format("statestore").option("operatorId", operator.operatorId)
            frame = reader.options(**store.options).load(str(checkpoint))
            try:
                frame = _declared(frame)
                rows = as_json(frame.orderBy(F.col("key")) if store.sorted else frame).limit(ROWS)
                of_store = [_plain(json.loads(row.value)) for row in rows.collect()]
            except (PySparkException, Py4JError):
                continue
            found += [{**store.name, **row} for row in of_store]
    return found


@dataclass(frozen=True)
class _Store:
    """One of an operator's stores: how the reader selects it, and what its rows show."""

    options: dict[str, str] = field(default_factory=dict)
    name: dict[str, str] = field(default_factory=dict)
    sorted: bool = True


def _stores_of(operator: str, properties: str) -> list[_Store]:
    if "Join" in operator:
        return [_Store({"joinSide": side}, sorted=False) for side in ("left", "right")]
    if not operator.startswith("transformWithState"):
        return [_Store()]
    stores = []
    for variable in json.loads(properties)["stateVariables"]:
        name = variable["stateName"]
        if not name.startswith("$"):  # Spark's own, such as timers
            stores.append(_Store({"stateVarName": name}, {"variable": name}))
        elif "Timers" in name and "keyToTimestamp" in name:
            stores.append(_Store({"readRegisteredTimers": "true"}, {"variable": "timers"}))
    return stores


def _declared(frame: DataFrame) -> DataFrame:
    """All columns but the partition, structs with just the fields that their types name.

    The rows of an outer join's state hold one more, whether they met a partner, on which to_json
    fails.
    """
    parts = []
    for column in frame.schema:
        if column.name == "partition_id":
            continue
        if isinstance(column.dataType, StructType):
            fields = [F.col(f"{column.name}.`{field.name}`") for field in column.dataType.fields]
            parts.append(F.struct(*fields).alias(column.name))
        else:
            parts.append(F.col(column.name))
    return frame.select(*parts)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Key and value, and what Spark adds to them, as one flat row.

    If the key is that of a Python function's group, Spark calls its only column `field0`.
    """
    flat: dict[str, Any] = {}
    for part, inner in row.items():
        if part == "key" and isinstance(inner, dict) and set(inner) == {"field0"}:
            inner = inner["field0"]
        if not isinstance(inner, dict):
            inner = {part: inner}
        elif set(inner) == {"value", "ttlExpirationMs"} and isinstance(inner["value"], dict):
            inner = {**inner["value"], "ttlExpirationMs": inner["ttlExpirationMs"]}
        for name, value in inner.items():  # a map may have a key that is called like the group's
            flat[f"{part}.{name}" if part == "user_map_key" and name in flat else name] = value
    return flat
