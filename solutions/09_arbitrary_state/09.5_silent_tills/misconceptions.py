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
    """Timeout of a kind that the query does not allow

    Spark stopped the query in its first batch, because it set a timeout that its `timeoutConf` does not
    allow. The call `setTimeoutTimestamp` takes an event time and belongs to `EventTimeTimeout`. The call
    `setTimeoutDuration` counts from the clock of the batch and belongs to `ProcessingTimeTimeout`. With
    `NoTimeout`, both are refused. PySpark's message names the duration in both cases. Which pair do you
    need here?
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
    """Timeout much too short

    A register was silent as soon as it had no sign in the next batch. Step 2, ten seconds later, emitted
    {steps.2.rows} rows. The timeout is set in milliseconds. How long is yours?
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
    """Timeout set in the first call only

    B was reported after its only sign; A sent in two batches and was not reported. If a call updates the
    state without setting a timeout, any earlier timeout is cleared. Which of your calls set one?
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
    """Timeout set again after the report

    A register was reported silent again, with no sign in between. If the timeout call sets a new timeout,
    that one will pass, too. What do you still wait for after the report?
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
    """ "back" without a silence before it

    In step 2 a sign of A arrived ten seconds after its first sign, and A was reported "back". A state only
    says that the register was heard before. Whether it was reported silent is another question. Do you read
    `state.get[0]`? The state is a tuple, and an `if` treats every non-empty tuple as true, even `(False,)`.
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
    """State removed when silent

    Silent registers were reported in time, and no "back" was emitted. Without its state, a register that
    returns looks like a new one. What must the state hold while a register is silent?
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
    """ "back" once per chunk

    B came back in step 6 with three signs, and the step emitted {steps.6.rows} rows; {asked.steps.6.rows}
    was expected. The signs arrive in two chunks, but that B is back is one row. Is your `yield` inside the
    loop over the chunks?
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
    """Silence detected at the next sign

    B was silent in step 4, and no row of B was emitted until its next sign in step 6. A dead register sends no
    sign. What calls your function without one?
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
    """Arrival time used as event time

    B's silence was emitted in step 5; step 4 could have known it. With a watermark on the arrival time, a
    batch knows only the time of the *batch before*. The clock itself is known at once. Which `timeoutConf`
    uses it?
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
    """The right function, with a timeout of this many milliseconds."""

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
    """Timeout shorter than 30 seconds by a moment

    B and C were reported silent in step 3, exactly thirty seconds after their signs. The task says *more
    than* thirty. Spark waits for that by itself, because it calls when the clock is greater than the
    timeout. Which duration do you set?
    """
    return _by_till(signs, _after(THIRTY_SECONDS - 1))


def passed_and_a_bit(signs: DataFrame) -> DataFrame:
    """Timeout longer than 30 seconds by a moment

    In step 9 the clock was one millisecond past B's thirty seconds, and B was not reported. A timeout of
    thirty seconds already waits for more than thirty. Which duration do you set?
    """
    return _by_till(signs, _after(THIRTY_SECONDS + 1))


def told_in_every_batch(signs: DataFrame) -> DataFrame:
    """Timeout call without update or removal

    B was reported silent in step 4 and again in step 5, and came back in step 6 without a "back" row. If a
    timeout call neither updates nor removes the state, the state and the timeout stay. What does the state
    hold after the report?
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
    """ "back" never emitted, though the state is kept

    Silent registers were reported in time and stayed in the state, and no "back" was emitted. What do you
    write to the state when you report a silence? And how do you read it at the next sign? The state is a
    tuple, and its first value is `state.get[0]`.
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
    """ "back" once per sign

    B came back in step 6 with three signs, and the step emitted {steps.6.rows} rows; {asked.steps.6.rows}
    was expected. That B is back is one row, however many signs arrive. How often does your `yield` run in
    one call?
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
    """Signs with a null battery filtered out

    A was reported silent in step 4, though it sent a sign in step 2, and step 7 has no "back" of A. Both
    signs have a null `battery` and are signs. Where are such rows filtered out?
    """
    return _by_till(signs.where("battery IS NOT NULL"), _after(THIRTY_SECONDS))


def timeout_never_set(signs: DataFrame) -> DataFrame:
    """No timeout set

    Registers were kept, and not one row was emitted. `ProcessingTimeTimeout` only *allows* a timeout: each
    register sets its own, with `setTimeoutDuration`. Without it, Spark never calls the function without a
    sign. If you set one, is it too long? It counts milliseconds.
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


def evicted_after_an_hour(signs: DataFrame) -> DataFrame:
    """Silent registers evicted after some time

    C was reported silent in step 7 and sent again in step 12, more than an hour later. No "back" was emitted, because
    its state had been removed in between. The task never evicts a register. What do you set or remove after
    "silent"?
    """

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut and _was_silent(state):
            state.remove()
            return
        if state.hasTimedOut:
            state.update((True,))
            state.setTimeoutDuration(60 * 60 * 1000)
            yield _row(key, "silent", state)
            return
        if _was_silent(state):
            yield _row(key, "back", state)
        state.update((False,))
        state.setTimeoutDuration(THIRTY_SECONDS)

    return _by_till(signs, listen)
