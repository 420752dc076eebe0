"""Ways in which yesterday's figures are lost, overwritten, or counted again."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

TILLS = [("1", "apple", 1), ("1", "mango", 4), ("2", "orange", 2), ("2", "mango", 1)]
START = {"apple": 1, "orange": 2, "mango": 5}


def _yesterday(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(TILLS, "till STRING, fruit STRING, sold LONG").coalesce(1)


class _Sold(StatefulProcessor):  # type: ignore[misc]
    """The right one; each wrong answer puts one piece in another way."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.sold = handle.getValueState("sold", "sold LONG")

    def handleInitialState(self, key: Any, initialState: Row, timerValues: Any) -> None:
        (before,) = self.sold.get() or (0,)
        self.sold.update((before + initialState.sold,))

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        sold = self.before(key[0]) + self.pieces(rows)
        self.sold.update((sold,))
        yield Row(fruit=key[0], sold=sold)

    def before(self, fruit: str) -> int:
        (before,) = self.sold.get() or (0,)
        return int(before)

    def pieces(self, rows: Iterator[Row]) -> int:
        return sum(row.pieces for row in rows)


def _counted(sales: DataFrame, processor: StatefulProcessor, start: DataFrame | None) -> DataFrame:
    return sales.groupBy("fruit").transformWithState(
        processor,
        outputStructType="fruit STRING, sold LONG",
        outputMode="Update",
        timeMode="None",
        initialState=start.groupBy("fruit") if start else None,
    )


def nobody_takes_it_in(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Every fruit begins at nothing

    Yesterday's pieces are in none of the counts. They are to be passed as `initialState`, and Spark gives each of
    their rows to handleInitialState: what that does not put into the state is lost, without a word. The one that a
    processor has from the start puts nothing there, and one with a `yield` in it is never run.
    """

    class Deaf(_Sold):
        def handleInitialState(self, key: Any, initialState: Row, timerValues: Any) -> None:
            pass

    return _counted(sales, Deaf(), _yesterday(spark))


def last_till_wins(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Of two tills only one is counted

    Apples and oranges are right. Mangoes were sold at both tills, and only the second till's are in.
    Either handleInitialState is called for one row after the other, and `update` replaces what the call
    before has put there; or one row is picked earlier, or out of the DataFrame that it gets with pandas.
    All rows of a fruit have to be added up.
    """

    class LastWins(_Sold):
        def handleInitialState(self, key: Any, initialState: Row, timerValues: Any) -> None:
            self.sold.update((initialState.sold,))

    return _counted(sales, LastWins(), _yesterday(spark))


def first_till_wins(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Of two tills only the first is counted

    Apples and oranges are right. Mangoes were sold at both tills, and the second till's are missing.
    Either handleInitialState, which is called for one row after the other, passes over a row where the
    state is there already; or one row is picked earlier, or out of the DataFrame that it gets with
    pandas. All rows of a fruit have to be added up.
    """

    class FirstWins(_Sold):
        def handleInitialState(self, key: Any, initialState: Row, timerValues: Any) -> None:
            if not self.sold.exists():
                self.sold.update((initialState.sold,))

    return _counted(sales, FirstWins(), _yesterday(spark))


def every_batch_by_itself(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Each batch stands alone

    The counts are those of the batch. Whatever was in the state, yesterday's figures included, is
    not in them. What has to be read, and added, before it is replaced?
    """

    class Alone(_Sold):
        def before(self, fruit: str) -> int:
            return 0

    return _counted(sales, Alone(), _yesterday(spark))


def yesterday_in_every_batch(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Yesterday is counted again and again

    In the first batch of a fruit the count is right; after that yesterday's pieces are in it twice,
    then three times. They are to be taken in once, before the first rows, and never again.
    """

    class Again(_Sold):
        def before(self, fruit: str) -> int:
            return super().before(fruit) + START.get(fruit, 0)

    return _counted(sales, Again(), None)


def figures_in_the_code(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """The state does not know what nobody has bought

    The counts are right. After step 1 the state holds {facts.known_from_the_start} fruits, those of
    which something was sold. If yesterday's figures are added to the sales, from the code or by a join,
    a fruit gets into the state with its first sale only, and what reads the state misses the others.
    """

    class FromCode(_Sold):
        def before(self, fruit: str) -> int:
            (before,) = self.sold.get() or (START.get(fruit, 0),)
            return int(before)

    return _counted(sales, FromCode(), None)


def counts_sales(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """A sale counts as one piece

    Every sale has added 1 to yesterday's figure. How many pieces a sale has is written in its row.
    """

    class Sales(_Sold):
        def pieces(self, rows: Iterator[Row]) -> int:
            return sum(1 for _ in rows)

    return _counted(sales, Sales(), _yesterday(spark))
