"""Yesterday's counts lost, overwritten, or counted again."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

TILLS = [("1", "apple", 1), ("1", "mango", 4), ("2", "orange", 2), ("2", "mango", 1)]
START = {"apple": 1, "orange": 2, "mango": 5}


def _yesterday(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(TILLS, "till STRING, fruit STRING, sold LONG").coalesce(1)


class _Sold(StatefulProcessor):  # type: ignore[misc]
    """The right processor; each wrong answer replaces one part."""

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
    """Initial state not written

    Yesterday's pieces are in none of the counts. Pass them as `initialState`; Spark then passes each of
    their rows to `handleInitialState`. What this method does not write to the state is silently lost. The
    default method writes nothing, and a method with a `yield` is never run. What does yours write?
    """

    class Deaf(_Sold):
        def handleInitialState(self, key: Any, initialState: Row, timerValues: Any) -> None:
            pass

    return _counted(sales, Deaf(), _yesterday(spark))


def last_till_wins(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Only the last of two cash registers counted

    Apples and oranges are right. Mangoes were sold at both registers, and only the second one counts.
    Either Spark calls `handleInitialState` for one row after the other, and `update` replaces what the
    previous call wrote. Or one row is picked earlier, or from the DataFrame that the method gets with
    pandas. Where do you add up all rows of a fruit?
    """

    class LastWins(_Sold):
        def handleInitialState(self, key: Any, initialState: Row, timerValues: Any) -> None:
            self.sold.update((initialState.sold,))

    return _counted(sales, LastWins(), _yesterday(spark))


def first_till_wins(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Only the first of two cash registers counted

    Apples and oranges are right. Mangoes were sold at both registers, and the second one is missing. Either
    `handleInitialState` skips a row if the state exists already. Or one row is picked earlier, or from the
    DataFrame that the method gets with pandas. Where do you add up all rows of a fruit?
    """

    class FirstWins(_Sold):
        def handleInitialState(self, key: Any, initialState: Row, timerValues: Any) -> None:
            if not self.sold.exists():
                self.sold.update((initialState.sold,))

    return _counted(sales, FirstWins(), _yesterday(spark))


def every_batch_by_itself(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """State not read

    The counts are those of the batch. Whatever was in the state is not included, yesterday's counts
    neither. What must you read and add before you replace it?
    """

    class Alone(_Sold):
        def before(self, fruit: str) -> int:
            return 0

    return _counted(sales, Alone(), _yesterday(spark))


def yesterday_in_every_batch(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Yesterday counted in every batch

    In the first batch of a fruit the count is right. After that, yesterday's pieces are included twice,
    then three times. They belong in the state once, before the first rows. Which method does Spark call
    only once?
    """

    class Again(_Sold):
        def before(self, fruit: str) -> int:
            return super().before(fruit) + START.get(fruit, 0)

    return _counted(sales, Again(), None)


def figures_in_the_code(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Yesterday's fruits not in the state

    The counts are right. After step 1 the state holds {facts.known_from_the_start} fruits, only those that
    were sold. If you add yesterday's counts to the sales, in the code or with a join, a fruit enters the
    state with its first sale. Which argument of `transformWithState` fills the state in the first batch?
    """

    class FromCode(_Sold):
        def before(self, fruit: str) -> int:
            (before,) = self.sold.get() or (START.get(fruit, 0),)
            return int(before)

    return _counted(sales, FromCode(), None)


def counts_sales(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Sales counted instead of pieces

    Every sale added 1 to yesterday's count. A sale can have several pieces. Which column of the row has the
    number?
    """

    class Sales(_Sold):
        def pieces(self, rows: Iterator[Row]) -> int:
            return sum(1 for _ in rows)

    return _counted(sales, Sales(), _yesterday(spark))


def two_variables_per_fruit(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Two variables per fruit

    The counts are right. After step 1 the state holds {facts.known_from_the_start} rows for four fruits. Each
    variable of a key is a row of its own, and so is each entry of a map. Which one variable is enough?
    """

    class Two(_Sold):
        def init(self, handle: StatefulProcessorHandle) -> None:
            super().init(handle)
            self.known = handle.getValueState("known", "yes BOOLEAN")

        def handleInitialState(self, key: Any, initialState: Row, timerValues: Any) -> None:
            self.known.update((True,))
            super().handleInitialState(key, initialState, timerValues)

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.known.update((True,))
            yield from super().handleInputRows(key, rows, timerValues)

    return _counted(sales, Two(), _yesterday(spark))


def a_variable_for_today(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Yesterday and today in separate variables

    The counts are right. After step 1 the state holds {facts.known_from_the_start} rows for four fruits: a fruit
    that was sold on both days has two. Can you add today's pieces to the value that holds yesterday's?
    """

    class Today(_Sold):
        def init(self, handle: StatefulProcessorHandle) -> None:
            super().init(handle)
            self.today = handle.getValueState("today", "sold LONG")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            (today,) = self.today.get() or (0,)
            today += self.pieces(rows)
            self.today.update((today,))
            yield Row(fruit=key[0], sold=self.before(key[0]) + today)

    return _counted(sales, Today(), _yesterday(spark))


def equal_sales_once(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Equal sales counted once

    Step 4 has two sales of mangoes with 1 piece each, and only one of them was added. Two sales of the same number
    are two sales. Do you add up a list of numbers, or a set?
    """

    class Once(_Sold):
        def pieces(self, rows: Iterator[Row]) -> int:
            return sum({row.pieces for row in rows})

    return _counted(sales, Once(), _yesterday(spark))
