"""Other right ways to go on from yesterday's figures."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

TILLS = [("1", "apple", 1), ("1", "mango", 4), ("2", "orange", 2), ("2", "mango", 1)]


def _yesterday(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(TILLS, "till STRING, fruit STRING, sold LONG").coalesce(1)


def tills_added_up_before(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Yesterday's rows are added up by fruit first: one row each, nothing to overwrite."""

    class Sold(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.sold = handle.getValueState("sold", "sold LONG")

        def handleInitialState(self, key: Any, initialState: Row, timerValues: Any) -> None:
            self.sold.update((initialState.sold,))

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            old = self.sold.get()
            sold = (old[0] if old else 0) + sum(row.pieces for row in rows)
            self.sold.update((sold,))
            return iter([Row(fruit=key[0], sold=sold)])

    start = _yesterday(spark).groupBy("fruit").agg(F.sum("sold").alias("sold"))
    return sales.groupBy("fruit").transformWithState(
        Sold(), "fruit STRING, sold LONG", "Update", "None", start.groupBy("fruit")
    )


def with_pandas(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """With pandas, where yesterday's rows of a fruit come as a DataFrame."""

    class Sold(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.sold = handle.getValueState("sold", "sold LONG")

        def add(self, pieces: int) -> int:
            (before,) = self.sold.get() or (0,)
            self.sold.update((before + pieces,))
            return int(before + pieces)

        def handleInitialState(
            self, key: Any, initialState: pd.DataFrame, timerValues: Any
        ) -> None:
            self.add(int(initialState["sold"].sum()))

        def handleInputRows(
            self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
        ) -> Iterator[pd.DataFrame]:
            sold = self.add(int(pd.concat(list(rows))["pieces"].sum()))
            yield pd.DataFrame({"fruit": [key[0]], "sold": [sold]})

    return sales.groupBy("fruit").transformWithStateInPandas(
        Sold(),
        "fruit STRING, sold LONG",
        "Update",
        "None",
        initialState=_yesterday(spark).groupBy("fruit"),
    )
