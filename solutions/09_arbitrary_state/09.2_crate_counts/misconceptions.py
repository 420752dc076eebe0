"""Ways to lose count of the crates."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

Count = Callable[[Any, Iterator[pd.DataFrame], GroupState], Iterator[pd.DataFrame]]


def _by_fruit(crates: DataFrame, count: Count) -> DataFrame:
    return crates.groupBy("fruit").applyInPandasWithState(
        count,
        "fruit STRING, crates LONG, pieces LONG",
        "crates LONG, pieces LONG",
        "update",
        GroupStateTimeout.NoTimeout,
    )


def _before(state: GroupState) -> tuple[int, int]:
    return state.get if state.exists else (0, 0)


def _row(key: Any, number: int, pieces: int) -> pd.DataFrame:
    return pd.DataFrame({"fruit": [key[0]], "crates": [number], "pieces": [pieces]})


def counted_in_a_dict(crates: DataFrame) -> DataFrame:
    """Totals kept outside the state

    In step 2 the crate of apples is the first, though there were five in step 1, and the query kept no
    state. For each batch, Spark sends your function to a Python worker again, with every variable as it was
    when the query was built. What a dictionary or a global learns there is not sent back. What do you pass
    to `state.update`?
    """
    counts: dict[Any, tuple[int, int]] = {}

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = counts.get(key, (0, 0))
        for chunk in chunks:
            number, pieces = number + len(chunk), pieces + int(chunk["pieces"].sum())
        counts[key] = (number, pieces)
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def counted_and_not_used(crates: DataFrame) -> DataFrame:
    """State written and never read

    In step 2 the crate of apples is the first, though there were five in step 1. Yet after step 1 the state
    held {steps.1.state} rows. What is in `state.get` when Spark calls the function, and do you start from
    it?
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = 0, 0
        for chunk in chunks:
            number, pieces = number + len(chunk), pieces + int(chunk["pieces"].sum())
        state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def kept_only_at_first(crates: DataFrame) -> DataFrame:
    """State updated in the first call only

    Oranges are right in step 3, their second batch; apples are wrong in step 4, their third. The crates of
    the second batch were added and emitted, but not kept. Does every path through your function reach
    `state.update`?
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = _before(state)
        for chunk in chunks:
            number, pieces = number + len(chunk), pieces + int(chunk["pieces"].sum())
        if not state.exists:
            state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def the_first_piece(crates: DataFrame) -> DataFrame:
    """First chunk taken for the whole group

    If a fruit has more than two crates in a batch, some were not counted. Spark passes a group in chunks,
    and `next(chunks)` is the first of them. By default a chunk has up to 10,000 rows, so the loss would
    show only on a busy day. Here a chunk has at most two rows. How do you read all chunks?
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = _before(state)
        chunk = next(chunks)
        number, pieces = number + len(chunk), pieces + int(chunk["pieces"].sum())
        state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def each_piece_overwrites(crates: DataFrame) -> DataFrame:
    """Each chunk replaces the previous chunk

    Of the five crates of apples in step 1, only those of the last chunk were counted. Each chunk was added
    to the total *before the batch*, so it replaced the chunk before it. Where do you keep the running total
    of the batch?
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        before, pieces_before = _before(state)
        for chunk in chunks:
            number, pieces = before + len(chunk), pieces_before + int(chunk["pieces"].sum())
            state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def a_row_for_each_piece(crates: DataFrame) -> DataFrame:
    """One row per chunk

    Step 1 emitted {steps.1.rows} rows, and there are three fruits. The extra rows are totals after one
    chunk. Where Spark splits a group means nothing to the reader. Is your `yield` inside the loop over the
    chunks?
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        for chunk in chunks:
            number, pieces = _before(state)
            number, pieces = number + len(chunk), pieces + int(chunk["pieces"].sum())
            state.update((number, pieces))
            yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def nameless_left_out(crates: DataFrame) -> DataFrame:
    """Crates without a fruit name missing

    No row has a null fruit, and step 2 has two such crates. The task counts them. `groupBy` treats null as
    a key, and your function gets it as `None`. Where are these rows filtered out?
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = _before(state)
        for chunk in chunks:
            number, pieces = number + len(chunk), pieces + int(chunk["pieces"].sum())
        state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates.where("fruit IS NOT NULL"), count)


def uncounted_crates_left_out(crates: DataFrame) -> DataFrame:
    """Crates with a null `pieces` not counted

    The pieces are right. The number of crates is too small where `pieces` is null. How many *rows* does a
    chunk have, and how many rows *with a number*?
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = _before(state)
        for chunk in chunks:
            number += int(chunk["pieces"].count())
            pieces += int(chunk["pieces"].sum())
        state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def summed_by_python(crates: DataFrame) -> DataFrame:
    """NaN in a sum of Python

    Step 1 was right, and step 2 failed: it has the first crate whose `pieces` is null. In a pandas column
    of integers a missing value becomes NaN, "not a number". Every sum with NaN is NaN, and `int` cannot
    convert it. Which `sum()` skips NaN: that of Python, or that of the pandas column?
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = _before(state)
        for chunk in chunks:
            number, pieces = number + len(chunk), pieces + int(sum(chunk["pieces"]))
        state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def nothing_counted_nothing_kept(crates: DataFrame) -> DataFrame:
    """State not updated for 0 pieces

    In step 4 the crate of pears is the first, though one arrived in step 3 with a null `pieces`. After step
    3 the state held {steps.3.state} rows; {asked.steps.3.state} are expected. A total of 0 pieces must be
    kept like any other number. Which `if` treats 0 like None?
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = _before(state)
        for chunk in chunks:
            number, pieces = number + len(chunk), pieces + int(chunk["pieces"].sum())
        if pieces:
            state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def a_number_of_numpy(crates: DataFrame) -> DataFrame:
    """Float written to a LONG in the state

    Steps 1 to 3 were right, and in step 4 your function added to None, though step 2 had updated the state.
    If a number is missing, as in the crate of step 2, the `sum()` of a pandas column is a float, such as
    13.0. Spark stores a float in a LONG column as None. What does `int(…)` around the sum change?
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = _before(state)
        for chunk in chunks:
            number, pieces = number + len(chunk), pieces + chunk["pieces"].sum()
        state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)
