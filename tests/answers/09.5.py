"""Answers to 09.5: tills by the clock on the wall."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

THIRTY_SECONDS = 30_000
Listen = Callable[[Any, Iterator[pd.DataFrame], GroupState], Iterator[pd.DataFrame]]


def _by_till(
    signs: DataFrame,
    listen: Listen,
    kept: str = "silent BOOLEAN",
    told: str = "till STRING, what STRING, told_at TIMESTAMP",
) -> DataFrame:
    return signs.groupBy("till").applyInPandasWithState(
        listen, told, kept, "append", GroupStateTimeout.ProcessingTimeTimeout
    )


def _row(key: Any, what: str, state: GroupState) -> pd.DataFrame:
    now = pd.Timestamp(state.getCurrentProcessingTimeMs(), unit="ms")
    return pd.DataFrame({"till": [key[0]], "what": [what], "told_at": [now]})


def _was_silent(state: GroupState) -> bool:
    return state.exists and state.get[0]


def _after(duration: int) -> Listen:
    """The right function with another duration."""

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.update((True,))
            yield _row(key, "silent", state)
            return
        if _was_silent(state):
            yield _row(key, "back", state)
        state.update((False,))
        state.setTimeoutDuration(duration)

    return listen


def right_clock_put_in_by_spark(signs: DataFrame) -> DataFrame:
    """Tells who and what from the function, and lets current_timestamp say when

    Right: in a stream current_timestamp() is the clock of the batch.
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        silent = _was_silent(state)
        if state.hasTimedOut:
            yield pd.DataFrame({"what": ["silent"], "till": list(key)})
        else:
            state.setTimeoutDuration(THIRTY_SECONDS)
            if silent:
                yield pd.DataFrame({"what": ["back"], "till": list(key)})
        state.update((state.hasTimedOut,))

    told = _by_till(signs, listen, told="till STRING, what STRING")
    return told.withColumn("told_at", F.current_timestamp())


def right_silences_counted(signs: DataFrame) -> DataFrame:
    """Keeps how often a till was silent and how often it was back, and makes a time of milliseconds with Spark

    Right: it is silent as long as the first number is greater.
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Any:
        silent, back, heard = state.getOption or (0, 0, 0)
        now = state.getCurrentProcessingTimeMs()
        what = []
        if state.hasTimedOut:
            silent, what = silent + 1, ["silent"]
        elif silent > back:
            back, what = back + 1, ["back"]
        if not state.hasTimedOut:
            heard += sum(len(chunk) for chunk in chunks)
        state.update((silent, back, heard))
        if not state.hasTimedOut:
            state.setTimeoutDuration(30 * 1000)
        return iter([pd.DataFrame({"till": key[0], "what": [w], "ms": [now]}) for w in what])

    told = _by_till(
        signs.select("till"),
        listen,
        "silent INT, back INT, heard LONG",
        "till STRING, what STRING, ms LONG",
    )
    return told.select(F.timestamp_millis("ms").alias("told_at"), "what", "till")


def right_state_removed_and_set_again(signs: DataFrame) -> DataFrame:
    """Keeps a text, removes it first on every call and sets it anew

    Right: in a call the last word counts.
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        word = state.get[0] if state.exists else ""
        state.remove()
        if state.hasTimedOut:
            state.update(("told",))
            yield _row(key, "silent", state)
        else:
            state.update(("here",))
            state.setTimeoutDuration(THIRTY_SECONDS)
            if word == "told":
                yield _row(key, "back", state)

    return _by_till(signs, listen, "word STRING")


def wrong_forgotten_after_an_hour(signs: DataFrame) -> DataFrame:
    """Forgets a till an hour after it was told silent

    Wrong: "There are few tills: never forget one"; a till that comes back after an hour is not told.
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            if state.get[0]:
                state.remove()
                return
            state.update((True,))
            state.setTimeoutDuration(60 * 60 * 1000)
            yield _row(key, "silent", state)
            return
        if _was_silent(state):
            yield _row(key, "back", state)
        state.update((False,))
        state.setTimeoutDuration(THIRTY_SECONDS)

    return _by_till(signs, listen)


def wrong_three_seconds(signs: DataFrame) -> DataFrame:
    """Sets three seconds, a zero too few

    Wrong: thirty.
    """
    return _by_till(signs, _after(3_000))


def wrong_a_tuple_is_not_true(signs: DataFrame) -> DataFrame:
    """Compares the state with True, and it is a tuple

    Wrong: nobody is ever back. (removed_when_silent keeps no state, so
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.update((True,))
            yield _row(key, "silent", state)
            return
        if state.getOption is True:
            yield _row(key, "back", state)
        state.update((False,))
        state.setTimeoutDuration(THIRTY_SECONDS)

    return _by_till(signs, listen)


def wrong_a_tuple_is_always_true(signs: DataFrame) -> DataFrame:
    """Asks whether the tuple is true, and (False,) is

    Wrong: A is told "back" in step 2.
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.update((True,))
            yield _row(key, "silent", state)
            return
        if state.exists and state.get:
            yield _row(key, "back", state)
        state.update((False,))
        state.setTimeoutDuration(THIRTY_SECONDS)

    return _by_till(signs, listen)


def wrong_a_row_for_each_sign(signs: DataFrame) -> DataFrame:
    """Tells "back" for each sign of the batch

    Wrong: one row, however many signs; B has three in step 6. (Three rows, not two as a_row_for_each_piece;
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.update((True,))
            yield _row(key, "silent", state)
            return
        batch = pd.concat(list(chunks))
        if _was_silent(state):
            now = pd.Timestamp(state.getCurrentProcessingTimeMs(), unit="ms")
            yield pd.DataFrame({"till": batch["till"], "what": "back", "told_at": now})
        state.update((False,))
        state.setTimeoutDuration(THIRTY_SECONDS)

    return _by_till(signs, listen)
