"""Answers to 09.2: crates and pieces of each fruit so far."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

Count = Callable[[Any, Iterator[pd.DataFrame], GroupState], Iterator[pd.DataFrame]]


def _by_fruit(crates: DataFrame, count: Count, kept: str = "crates LONG, pieces LONG") -> DataFrame:
    return crates.groupBy("fruit").applyInPandasWithState(
        count,
        "fruit STRING, crates LONG, pieces LONG",
        kept,
        "update",
        GroupStateTimeout.NoTimeout,
    )


def _before(state: GroupState) -> tuple[int, int]:
    return state.get if state.exists else (0, 0)


def _row(key: Any, number: int, pieces: int) -> pd.DataFrame:
    return pd.DataFrame({"fruit": [key[0]], "crates": [number], "pieces": [pieces]})


def right_built_in_aggregation(crates: DataFrame) -> DataFrame:
    """Counts with groupBy and agg, as the discussion says one should

    Right: the task asks for rows and a mode, and names no function.
    """
    return crates.groupBy("fruit").agg(
        F.count("*").alias("crates"), F.coalesce(F.sum("pieces"), F.lit(0)).alias("pieces")
    )


def right_in_sql(crates: DataFrame) -> DataFrame:
    """The same in SQL, with another type

    Right: see right_built_in_aggregation.
    """
    crates.createOrReplaceTempView("crates_of_the_hall")
    return crates.sparkSession.sql(
        """
        SELECT count(1) AS crates, fruit, sum(CAST(ifnull(pieces, 0) AS DOUBLE)) AS pieces
        FROM crates_of_the_hall GROUP BY fruit
        """
    )


def right_fractions_kept(crates: DataFrame) -> DataFrame:
    """Keeps and gives doubles, and passes over what is no number

    Right: 13.0 is 13.
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = state.getOption or (0.0, 0.0)
        for chunk in chunks:
            for value in chunk["pieces"]:
                number += 1
                if value == value:
                    pieces += value
        state.update((float(number), float(pieces)))
        yield pd.DataFrame([[pieces, number, key[0]]], columns=["pieces", "crates", "fruit"])

    return crates.groupBy("fruit").applyInPandasWithState(
        count,
        "fruit STRING, crates DOUBLE, pieces DOUBLE",
        "crates DOUBLE, pieces DOUBLE",
        "update",
        GroupStateTimeout.NoTimeout,
    )


def right_nameless_by_another_name(crates: DataFrame) -> DataFrame:
    """Marks nameless crates by a helper column, and keeps the fruit in the state

    Right: null in, null out.
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        named, fruit = key
        batch = pd.concat(chunks, ignore_index=True)
        old = state.get if state.exists else (None, 0, 0)
        number, pieces = old[1] + batch.index.size, old[2] + int(batch["pieces"].dropna().sum())
        state.update((fruit if named else None, number, pieces))
        yield pd.DataFrame(
            {"fruit": [fruit if named else None], "crates": number, "pieces": pieces}
        )

    return (
        crates.withColumn("named", F.col("fruit").isNotNull())
        .withColumn("fruit", F.coalesce("fruit", F.lit("?")))
        .groupBy("named", "fruit")
        .applyInPandasWithState(
            count,
            "fruit STRING, crates INT, pieces INT",
            "fruit STRING, crates INT, pieces INT",
            "update",
            GroupStateTimeout.NoTimeout,
        )
    )


def wrong_each_number_made_whole(crates: DataFrame) -> DataFrame:
    """Makes every number of pieces a whole one before it adds

    Wrong: a missing number is no whole one, and the query fails in step 2.
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = _before(state)
        for chunk in chunks:
            for value in chunk["pieces"]:
                number, pieces = number + 1, pieces + int(value)
        state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def wrong_column_made_whole(crates: DataFrame) -> DataFrame:
    """Casts the column to whole numbers with pandas

    Wrong: astype(int) refuses a missing number in step 2.
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = _before(state)
        for chunk in chunks:
            number, pieces = number + len(chunk), pieces + int(chunk["pieces"].astype(int).sum())
        state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def wrong_kept_and_removed(crates: DataFrame) -> DataFrame:
    """Updates the state, tells, and removes the state, as the carts do

    Wrong: every batch counts from nothing.
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = _before(state)
        for chunk in chunks:
            number, pieces = number + len(chunk), pieces + int(chunk["pieces"].sum())
        state.update((number, pieces))
        yield _row(key, number, pieces)
        state.remove()

    return _by_fruit(crates, count)


def wrong_empty_crates_left_out(crates: DataFrame) -> DataFrame:
    """Takes a crate of 0 pieces for none, and one that was not counted, too

    Wrong: an empty crate is a crate; mangos have two in step 3. (uncounted_crates_left_out is near;
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = _before(state)
        for chunk in chunks:
            full = chunk["pieces"].fillna(0)
            number, pieces = number + int((full > 0).sum()), pieces + int(full.sum())
        state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def wrong_memory_in_a_module(crates: DataFrame) -> DataFrame:
    """Keeps the counts in an attribute of an imported module

    Wrong: what must last goes into the state.
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        kept = pd.__dict__.setdefault("_crates_of_all_time", {})
        number, pieces = kept.get(key, (0, 0))
        for chunk in chunks:
            number, pieces = number + len(chunk), pieces + int(chunk["pieces"].sum())
        kept[key] = (number, pieces)
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def wrong_kept_as_floats(crates: DataFrame) -> DataFrame:
    """Keeps both numbers as FLOAT

    A FLOAT has seven digits: of 16,777,217 pieces one is gone when the next crate comes.
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = state.get if state.exists else (0.0, 0.0)
        for chunk in chunks:
            number, pieces = number + len(chunk), pieces + float(chunk["pieces"].sum())
        state.update((float(number), float(pieces)))
        yield _row(key, int(number), int(pieces))

    return _by_fruit(crates, count, "crates FLOAT, pieces FLOAT")
