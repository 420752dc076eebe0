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
    """Every batch counts from nothing

    In step 2 the crate of apples is the first, though there were five in step 1, and no state was
    kept. Spark sends your function to a Python process for each batch anew, with every variable as
    it was when the query was built: what a dictionary or a global learned there is not sent back.
    What must last goes into `state.update`, and stays there until `state.remove`.
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
    """Every batch counts from nothing, and something is kept

    In step 2 the crate of apples is the first, though there were five in step 1. Yet after step 1
    the state held {steps.1.state} rows. What is in the state when the function is called?
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = 0, 0
        for chunk in chunks:
            number, pieces = number + len(chunk), pieces + int(chunk["pieces"].sum())
        state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def kept_only_at_first(crates: DataFrame) -> DataFrame:
    """The state stays as the first batch left it

    Oranges are right in step 3, the second batch that has some; apples are wrong in step 4, the
    third. What a second batch brought was added, told, and not kept. Does every way through the
    function come by `state.update`?
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
    """Only the first piece of a group

    Of a fruit with more than two crates in a batch some were not counted. Spark hands over a group
    in pieces; `next(chunks)` is the first of them. With the default of 10,000 rows a piece the loss
    would show on a busy day only; here a piece has two rows at most.
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = _before(state)
        chunk = next(chunks)
        number, pieces = number + len(chunk), pieces + int(chunk["pieces"].sum())
        state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def each_piece_overwrites(crates: DataFrame) -> DataFrame:
    """Only the last piece of a group

    Of the five crates of apples in step 1 only those of the last piece were counted. When each piece
    is added to what was there *before the batch*, it takes the place of the piece before it. Add
    to one running count.
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        before, pieces_before = _before(state)
        for chunk in chunks:
            number, pieces = before + len(chunk), pieces_before + int(chunk["pieces"].sum())
            state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def a_row_for_each_piece(crates: DataFrame) -> DataFrame:
    """A row for each piece of a group

    Step 1 gave {steps.1.rows} rows, and there are three fruits. The counts in between are those
    after a piece; where Spark cuts a group is no business of the reader. Give the row when all
    pieces are in.
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        for chunk in chunks:
            number, pieces = _before(state)
            number, pieces = number + len(chunk), pieces + int(chunk["pieces"].sum())
            state.update((number, pieces))
            yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def nameless_left_out(crates: DataFrame) -> DataFrame:
    """Crates without a name are missing

    No row has a null for its fruit, and step 2 brought two such crates. The task counts them: null is a
    key like any other, and arrives in your function as `None`.
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = _before(state)
        for chunk in chunks:
            number, pieces = number + len(chunk), pieces + int(chunk["pieces"].sum())
        state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates.where("fruit IS NOT NULL"), count)


def uncounted_crates_left_out(crates: DataFrame) -> DataFrame:
    """Crates whose pieces nobody counted are no crates

    The pieces are right, and crates are too few wherever a crate came without a number. A crate is a
    crate: how many *rows* are there, and how many rows *with a number*?
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
    """A missing number is no whole number

    Step 1 was right, and step 2 failed: it brings the first crate without a number. In a pandas column a
    missing whole number becomes NaN, "not a number", and all that it is added to becomes NaN, too. `int`
    makes no whole number of it. The `sum()` of a pandas column leaves it out.
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = _before(state)
        for chunk in chunks:
            number, pieces = number + len(chunk), pieces + int(sum(chunk["pieces"]))
        state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)


def nothing_counted_nothing_kept(crates: DataFrame) -> DataFrame:
    """A crate in which nothing was counted is forgotten

    In step 4 the crate of pears is the first, though one came in step 3, which nobody had counted. After step 3 the
    state held {steps.3.state} rows where {asked.steps.3.state} are asked for: 0 pieces are to be kept as well as any other
    number. To an `if`, 0 is as false as None.
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
    """The state gave back None for a number

    Steps 1 to 3 were right, and in step 4 your function added to None, though a number had been kept in step 2. Where a
    number is missing, as in the crate of step 2, the `sum()` of a pandas column is a fraction (0.0, and with what was
    there 13.0), and of a fraction the state keeps nothing where it is to hold a LONG. Make it whole before you keep it:
    `int(…)`.
    """

    def count(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        number, pieces = _before(state)
        for chunk in chunks:
            number, pieces = number + len(chunk), pieces + chunk["pieces"].sum()
        state.update((number, pieces))
        yield _row(key, number, pieces)

    return _by_fruit(crates, count)
