"""Answers to going on from yesterday's figures."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

TILLS = [("1", "apple", 1), ("1", "mango", 4), ("2", "orange", 2), ("2", "mango", 1)]
START = {"apple": 1, "orange": 2, "mango": 5}
OUT = "fruit STRING, sold LONG"


def _yesterday(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(TILLS, "till STRING, fruit STRING, sold LONG").coalesce(1)


class _Sold(StatefulProcessor):
    def init(self, handle: StatefulProcessorHandle) -> None:
        self.sold = handle.getValueState("sold", "sold LONG")

    def handleInitialState(self, key: Any, initialState: Row, timerValues: Any) -> None:
        (before,) = self.sold.get() or (0,)
        self.sold.update((before + initialState.sold,))

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        (before,) = self.sold.get() or (0,)
        sold = before + sum(row.pieces for row in rows)
        self.sold.update((sold,))
        yield Row(fruit=key[0], sold=sold)


def _counted(sales: DataFrame, processor: StatefulProcessor, start: Any) -> DataFrame:
    return sales.groupBy("fruit").transformWithState(
        processor, outputStructType=OUT, outputMode="Update", timeMode="None", initialState=start
    )


class _InPandas(StatefulProcessor):
    def init(self, handle: StatefulProcessorHandle) -> None:
        self.sold = handle.getValueState("sold", "sold LONG")

    def of_yesterday(self, figures: pd.DataFrame) -> int:
        return int(figures["sold"].sum())

    def handleInitialState(self, key: Any, initialState: pd.DataFrame, timerValues: Any) -> None:
        self.sold.update((self.of_yesterday(initialState),))

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        (before,) = self.sold.get() or (0,)
        sold = int(before) + sum(int(piece["pieces"].sum()) for piece in rows)
        self.sold.update((sold,))
        yield pd.DataFrame({"fruit": [key[0]], "sold": [sold]})


def _in_pandas(spark: SparkSession, sales: DataFrame, processor: StatefulProcessor) -> DataFrame:
    return sales.groupBy("fruit").transformWithStateInPandas(
        processor, OUT, "Update", "None", initialState=_yesterday(spark).groupBy("fruit")
    )


def right_a_list_of_figures(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """A list of all figures, yesterday's and today's, added up each time: one row of the state a fruit."""

    class Sold(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.figures = handle.getListState("figures", "pieces LONG")

        def handleInitialState(self, key: Any, initialState: Row, timerValues: Any) -> None:
            self.figures.appendValue((initialState.sold,))

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.figures.appendList([(row.pieces,) for row in rows])
            return iter([Row(sold=sum(n for (n,) in self.figures.get()), fruit=key[0])])

    start = _yesterday(spark).select("fruit", F.col("sold")).groupBy(F.col("fruit"))
    return sales.groupBy("fruit").transformWithState(
        Sold(), "sold INT, fruit STRING", "update", "none", start
    )


def right_the_initial_state_by_sql(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Adds the tills up in SQL; a single `update` is then enough."""

    class Sold(_Sold):
        def handleInitialState(self, key: Any, initialState: Row, timerValues: Any) -> None:
            self.sold.update((initialState.pieces,))

    _yesterday(spark).createOrReplaceTempView("yesterday_view")
    start = spark.sql("SELECT fruit, sum(sold) AS pieces FROM yesterday_view GROUP BY fruit")
    return _counted(sales, Sold(), start.groupBy("fruit"))


def wrong_figures_in_the_code_and_a_flag(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """No initial state: yesterday's figures in a dict, added at a fruit's first sale, with a flag that says so.

    The task: yesterday's fruits are in the state from the first batch on, sold today or not. Orange and mango
    are not there after step 1. Two variables of two fruits (apple, fig) make 4 rows, as many as there should be;
    with the mangoes of step 2 they are 6.
    """

    class Sold(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.sold = handle.getValueState("sold", "sold LONG")
            self.begun = handle.getValueState("begun", "yes BOOLEAN")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            (sold,) = self.sold.get() or (0,)
            if not self.begun.exists():
                sold += START.get(key[0], 0)
                self.begun.update((True,))
            sold += sum(row.pieces for row in rows)
            self.sold.update((sold,))
            yield Row(fruit=key[0], sold=sold)

    return _counted(sales, Sold(), None)


def wrong_joined_with_yesterday(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """A join with yesterday's sums and an ordinary aggregation, no state to begin with.

    Rows are right; fruits that nobody buys are not in the state. Rightly fails.
    """
    start = _yesterday(spark).groupBy("fruit").agg(F.sum("sold").alias("before"))
    return (
        sales.join(start, "fruit", "left")
        .groupBy("fruit")
        .agg((F.sum("pieces") + F.coalesce(F.max("before"), F.lit(0))).alias("sold"))
    )


def wrong_largest_till(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Makes yesterday one row a fruit before, with max in place of sum.

    Mango begins at 4, step 2 gives 8 for 9.
    """
    start = _yesterday(spark).groupBy("fruit").agg(F.max("sold").alias("sold"))
    return _counted(sales, _Sold(), start.groupBy("fruit"))


def wrong_one_row_a_fruit(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """dropDuplicates by fruit on yesterday's figures, and then a right processor.

    Mango begins at 4.
    """
    start = _yesterday(spark).dropDuplicates(["fruit"])
    return _counted(sales, _Sold(), start.groupBy("fruit"))


def wrong_first_row_of_the_frame(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """With pandas: takes the first row of the DataFrame of a fruit's tills, iloc[0].

    Mango begins at 4.
    """

    class Sold(_InPandas):
        def of_yesterday(self, figures: pd.DataFrame) -> int:
            return int(figures["sold"].iloc[0])

    return _in_pandas(spark, sales, Sold())


def wrong_last_row_of_the_frame(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """With pandas: a loop over the rows of the frame that sets the figure each time; the last one stays.

    Mango begins at 1.
    """

    class Sold(_InPandas):
        def of_yesterday(self, figures: pd.DataFrame) -> int:
            sold = 0
            for figure in figures["sold"]:
                sold = int(figure)
            return sold

    return _in_pandas(spark, sales, Sold())


def wrong_equal_sales_once(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Adds up a set of pieces: two sales of the same number in one batch count once."""

    class Sold(_Sold):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            different = {row.pieces: row for row in rows}
            return super().handleInputRows(key, iter(different.values()), timerValues)

    start = _yesterday(spark).groupBy("fruit")
    return _counted(sales, Sold(), start)
