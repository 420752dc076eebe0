"""Ways to misjudge silence by the clock."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

THIRTY_SECONDS = 30_000
Listen = Callable[[Any, Iterator[pd.DataFrame], GroupState], Iterator[pd.DataFrame]]


def _by_till(
    signs: DataFrame, listen: Listen, timeout: str = GroupStateTimeout.ProcessingTimeTimeout
) -> DataFrame:
    return signs.groupBy("till").applyInPandasWithState(
        listen,
        "till STRING, what STRING, told_at TIMESTAMP",
        "silent BOOLEAN",
        "append",
        timeout,
    )


def _row(key: Any, what: str, state: GroupState) -> pd.DataFrame:
    now = pd.Timestamp(state.getCurrentProcessingTimeMs(), unit="ms")
    return pd.DataFrame({"till": [key[0]], "what": [what], "told_at": [now]})


def _was_silent(state: GroupState) -> bool:
    return state.exists and state.get[0]


def a_timestamp_for_a_duration(signs: DataFrame) -> DataFrame:
    """A timeout of a kind that the query does not have

    Spark stopped the query in its first batch: a timeout was set that its `timeoutConf` does not allow.
    `setTimeoutTimestamp` names a moment of event time and belongs to `EventTimeTimeout`; `setTimeoutDuration` counts
    from the clock of the batch and belongs to `ProcessingTimeTimeout`; to `NoTimeout` belongs neither. (PySpark's
    message speaks of a duration for both.)
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.update((True,))
            yield _row(key, "silent", state)
            return
        if _was_silent(state):
            yield _row(key, "back", state)
        state.update((False,))
        state.setTimeoutTimestamp(state.getCurrentProcessingTimeMs() + THIRTY_SECONDS)

    return _by_till(signs, listen)


def seconds_for_milliseconds(signs: DataFrame) -> DataFrame:
    """Silent in the next batch

    A till was silent as soon as it had no sign in the batch that followed: step 2, ten seconds later, gave
    {steps.2.rows} rows. How long is your timeout, and in which unit does it count?
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.update((True,))
            yield _row(key, "silent", state)
            return
        if _was_silent(state):
            yield _row(key, "back", state)
        state.update((False,))
        state.setTimeoutDuration(30)

    return _by_till(signs, listen)


def timeout_only_at_first(signs: DataFrame) -> DataFrame:
    """Silent only if heard in a single batch

    B was reported after its only sign; A, heard in two batches, was not. Who updates the state and sets no timeout
    has none, whatever the call before has set.
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.update((True,))
            yield _row(key, "silent", state)
            return
        if _was_silent(state):
            yield _row(key, "back", state)
        if not state.exists:
            state.setTimeoutDuration(THIRTY_SECONDS)
        state.update((False,))

    return _by_till(signs, listen)


def silent_again_and_again(signs: DataFrame) -> DataFrame:
    """One silence, told more than once

    A till was reported silent again although no sign of it had come in between. A timeout that is set when the
    till is reported will pass, too. What is there to wait for, once it is told?
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.update((True,))
            state.setTimeoutDuration(THIRTY_SECONDS)
            yield _row(key, "silent", state)
            return
        if _was_silent(state):
            yield _row(key, "back", state)
        state.update((False,))
        state.setTimeoutDuration(THIRTY_SECONDS)

    return _by_till(signs, listen)


def back_at_every_sign(signs: DataFrame) -> DataFrame:
    """Back, though it was never silent

    In step 2 a sign of A came ten seconds after its first, and it was told as "back". That there is a state says
    that the till was heard before; whether it has been reported silent is another question. What does the state say of
    that after a sign, and how do you read it? `state.get` is a tuple, and to an `if` a tuple that holds something is true,
    be it `False`.
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.update((True,))
            yield _row(key, "silent", state)
            return
        if state.exists:
            yield _row(key, "back", state)
        state.update((False,))
        state.setTimeoutDuration(THIRTY_SECONDS)

    return _by_till(signs, listen)


def removed_when_silent(signs: DataFrame) -> DataFrame:
    """Nobody ever comes back

    Silent tills were told in time, and no "back" came out. With its state removed, a till that returns looks like
    one that was never heard before. What has to be remembered while it is silent?
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.remove()
            yield _row(key, "silent", state)
            return
        if _was_silent(state):
            yield _row(key, "back", state)
        state.update((False,))
        state.setTimeoutDuration(THIRTY_SECONDS)

    return _by_till(signs, listen)


def a_row_for_each_piece(signs: DataFrame) -> DataFrame:
    """Back more than once in a batch

    B came back in step 6 with three signs, and the step gave {steps.6.rows} rows where {asked.steps.6.rows} was
    asked for. Those signs come in two pieces; that it is back is one piece of news.
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.update((True,))
            yield _row(key, "silent", state)
            return
        silent = _was_silent(state)
        for _ in chunks:
            if silent:
                yield _row(key, "back", state)
        state.update((False,))
        state.setTimeoutDuration(THIRTY_SECONDS)

    return _by_till(signs, listen)


def told_when_it_is_back(signs: DataFrame) -> DataFrame:
    """A silence is told when it is over

    B was silent in step 4, and nothing was told until its next sign in step 6. A till that is dead sends none.
    Only a timeout calls your function without a sign.
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        now = state.getCurrentProcessingTimeMs()
        if state.exists and now > state.get[0] + THIRTY_SECONDS:
            yield pd.concat([_row(key, "silent", state), _row(key, "back", state)])
        state.update((now,))

    return signs.groupBy("till").applyInPandasWithState(
        listen,
        "till STRING, what STRING, told_at TIMESTAMP",
        "heard LONG",
        "append",
        GroupStateTimeout.NoTimeout,
    )


def clock_made_event_time(signs: DataFrame) -> DataFrame:
    """A batch too late

    B's silence was told in step 5; it could have been told in step 4. With a watermark on
    the time of arrival the query knows in a batch how late it was in the *batch before*. The clock itself is
    known at once: `ProcessingTimeTimeout`.
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.update((True,))
            yield _row(key, "silent", state)
            return
        if _was_silent(state):
            yield _row(key, "back", state)
        state.update((False,))
        state.setTimeoutTimestamp(state.getCurrentProcessingTimeMs() + THIRTY_SECONDS)

    timed = signs.withColumn("arrived", F.current_timestamp()).withWatermark("arrived", "0 seconds")
    return _by_till(timed, listen, GroupStateTimeout.EventTimeTimeout)


def _after(duration: int) -> Listen:
    """What to do with a till that is waited for so many milliseconds."""

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


def reached_is_passed(signs: DataFrame) -> DataFrame:
    """Silent when thirty seconds are reached

    B and C were told silent in step 3, thirty seconds after their signs, to the second. More than that is asked for, and
    Spark waits for more by itself: it calls when the clock is greater than the timeout.
    """
    return _by_till(signs, _after(THIRTY_SECONDS - 1))


def passed_and_a_bit(signs: DataFrame) -> DataFrame:
    """Silent a batch too late, by a millisecond

    In step 9 the clock stood a millisecond past B's thirty seconds, and B was not told. More than thirty seconds is what a
    timeout of thirty seconds waits for by itself.
    """
    return _by_till(signs, _after(THIRTY_SECONDS + 1))


def told_in_every_batch(signs: DataFrame) -> DataFrame:
    """The same silence is told in every batch

    B was told silent in step 4, in step 5 as well, and came back in step 6 without a word. A call for a timeout that neither
    updates nor removes leaves all as it was, the timeout, too. What does the state say once a silence is told?
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _row(key, "silent", state)
            return
        if _was_silent(state):
            yield _row(key, "back", state)
        state.update((False,))
        state.setTimeoutDuration(THIRTY_SECONDS)

    return _by_till(signs, listen)


def never_back(signs: DataFrame) -> DataFrame:
    """Nobody is ever back, though everybody is remembered

    Silent tills were told in time and stayed in the state, and no "back" came out. What do you keep when a silence is told,
    and how do you ask for it at the next sign? `state.get` is a tuple: its first value is `state.get[0]`.
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.update((True,))
            yield _row(key, "silent", state)
            return
        state.update((False,))
        state.setTimeoutDuration(THIRTY_SECONDS)

    return _by_till(signs, listen)


def a_row_for_each_sign(signs: DataFrame) -> DataFrame:
    """Back once for each sign

    B came back in step 6 with three signs, and the step gave {steps.6.rows} rows where {asked.steps.6.rows} was
    asked for. That it is back is one piece of news, however many signs bring it.
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.update((True,))
            yield _row(key, "silent", state)
            return
        silent = _was_silent(state)
        for chunk in chunks:
            for _ in range(len(chunk) if silent else 0):
                yield _row(key, "back", state)
        state.update((False,))
        state.setTimeoutDuration(THIRTY_SECONDS)

    return _by_till(signs, listen)


def batteries_only(signs: DataFrame) -> DataFrame:
    """Signs without a battery are as if they had not been

    A was told silent in step 4, though it had sent a sign in step 2, and no "back" of A came in step 7. Both signs say
    nothing of the battery, and are signs all the same. Where do such rows get lost?
    """
    return _by_till(signs.where("battery IS NOT NULL"), _after(THIRTY_SECONDS))


def timeout_never_set(signs: DataFrame) -> DataFrame:
    """No till ever falls silent

    Tills were kept, and not one row came out. `ProcessingTimeTimeout` only *allows* a timeout: each till sets its own, with
    `setTimeoutDuration`, and one that sets none is never called without a sign. If yours are set, are they too long? They
    count milliseconds.
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.update((True,))
            yield _row(key, "silent", state)
            return
        if _was_silent(state):
            yield _row(key, "back", state)
        state.update((False,))

    return _by_till(signs, listen)
