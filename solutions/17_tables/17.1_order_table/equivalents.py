"""Other right tables."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

_ROW = "order_id INT, customer STRING, status STRING, cents INT"


def greatest_struct(changes: DataFrame) -> DataFrame:
    """The greatest struct that begins with the log position; single fields read with JSON paths."""
    value, key = F.col("value").cast("string"), F.col("key").cast("string")

    def field(path: str, kind: str = "string") -> Any:
        return F.get_json_object(value, f"$.{path}").cast(kind)

    newest = F.max(
        F.struct(
            field("source.lsn", "bigint").alias("lsn"),
            field("after.customer").alias("customer"),
            field("after.status").alias("status"),
            field("after.cents", "int").alias("cents"),
            (field("op") == "d").alias("deleted"),
        )
    )
    order = F.get_json_object(key, "$.order_id").cast("int").alias("order_id")
    return (
        changes.where("value IS NOT NULL")
        .groupBy(order)
        .agg(newest.alias("n"))
        .select("order_id", "n.customer", "n.status", "n.cents", "n.deleted")
    )


def a_column_at_a_time(changes: DataFrame) -> DataFrame:
    """A max_by for each column, all by the same log position, in SQL."""
    changes.createOrReplaceTempView("raw_changes")
    return changes.sparkSession.sql(
        f"""
        WITH parsed AS (
            SELECT from_json(
                string(value), 'before STRUCT<{_ROW}>, after STRUCT<{_ROW}>, op STRING, source STRUCT<lsn BIGINT>'
            ) AS c FROM raw_changes
        )
        SELECT coalesce(c.after.order_id, c.before.order_id) AS order_id,
               max_by(c.after.customer, c.source.lsn) AS customer,
               max_by(c.after.status, c.source.lsn) AS status,
               max_by(c.after.cents, c.source.lsn) AS cents,
               max_by(c.op, c.source.lsn) = 'd' AS deleted
        FROM parsed WHERE c.op IS NOT NULL GROUP BY 1
        """
    )


def in_python(changes: DataFrame) -> DataFrame:
    """The newest change of an order as state of applyInPandasWithState."""
    schema = f"before STRUCT<{_ROW}>, after STRUCT<{_ROW}>, op STRING, source STRUCT<lsn BIGINT>"
    change = F.from_json(F.col("value").cast("string"), schema)
    parsed = changes.where("value IS NOT NULL").select(change.alias("c"))
    columns = parsed.select(
        F.coalesce("c.after.order_id", "c.before.order_id").alias("order_id"),
        F.col("c.source.lsn").alias("lsn"),
        "c.after.customer",
        "c.after.status",
        "c.after.cents",
        (F.col("c.op") == "d").alias("deleted"),
    )

    def newest(
        key: tuple[Any, ...], tables: Iterator[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        kept = state.get if state.exists else (-1, None, None, None, None)
        for table in tables:
            for row in table.itertuples(index=False):
                if row.lsn > kept[0]:
                    cents = None if pd.isna(row.cents) else int(row.cents)
                    kept = (int(row.lsn), row.customer, row.status, cents, bool(row.deleted))
        state.update(kept)
        names = ["order_id", "customer", "status", "cents", "deleted"]
        yield pd.DataFrame([(int(key[0]), *kept[1:])], columns=names, dtype=object)

    rest = "customer STRING, status STRING, cents INT, deleted BOOLEAN"
    return columns.groupBy("order_id").applyInPandasWithState(
        newest,
        f"order_id INT, {rest}",
        f"lsn BIGINT, {rest}",
        "update",
        GroupStateTimeout.NoTimeout,
    )
