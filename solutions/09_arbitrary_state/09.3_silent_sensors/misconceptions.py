"""Ways to miss that a sensor fell silent."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

FIVE_MINUTES = 5 * 60 * 1000
Watch = Callable[[Any, Iterator[pd.DataFrame], GroupState], Iterator[pd.DataFrame]]


def _by_sensor(
    readings: DataFrame, watch: Watch, timeout: str = GroupStateTimeout.EventTimeTimeout
) -> DataFrame:
    return (
        readings.withWatermark("measured_at", "1 minute")
        .groupBy("sensor")
        .applyInPandasWithState(
            watch,
            "sensor STRING, last_seen TIMESTAMP, readings LONG",
            "newest LONG, readings LONG",
            "append",
            timeout,
        )
    )


def _ms(time: pd.Timestamp) -> int:
    return round(time.timestamp() * 1000)


def _noted(chunks: Iterator[pd.DataFrame], state: GroupState) -> tuple[int, int]:
    newest, readings = state.get if state.exists else (0, 0)
    for chunk in chunks:
        newest, readings = max(newest, _ms(chunk["measured_at"].max())), readings + len(chunk)
    return newest, readings


def _alert(key: Any, newest: int, readings: int) -> pd.DataFrame:
    last_seen = pd.Timestamp(newest, unit="ms")
    return pd.DataFrame({"sensor": [key[0]], "last_seen": [last_seen], "readings": [readings]})


def timeout_never_set(readings: DataFrame) -> DataFrame:
    """No timeout set

    Readings are kept, and not one alert was emitted. `EventTimeTimeout` only *allows* a timeout. Each group
    sets its own, with a call on its state; without it, Spark never calls the function without readings. If
    you do set timeouts, they are too far ahead: which time do you mean, in milliseconds since 1970?
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _alert(key, *state.get)
            state.remove()
            return
        state.update(_noted(chunks, state))

    return _by_sensor(readings, watch)


def timeout_set_only_at_first(readings: DataFrame) -> DataFrame:
    """Timeout set in the first call only

    Cellar was reported, and it sent in one batch only. North sent in two batches and was not reported. If a
    call updates the state without setting a timeout, any earlier timeout is cleared. Which of your calls
    set one?
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _alert(key, *state.get)
            state.remove()
            return
        known = state.exists
        newest, count = _noted(chunks, state)
        state.update((newest, count))
        if not known:
            state.setTimeoutTimestamp(newest + FIVE_MINUTES)

    return _by_sensor(readings, watch)


def newest_of_the_batch(readings: DataFrame) -> DataFrame:
    """Newest reading of the batch instead of all batches

    Step 2 has a reading of north that is older than one of step 1. From then on north counted as last seen
    at that older time, and was reported too early. What is the newest reading so far: that of this batch,
    or that of all batches?
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _alert(key, *state.get)
            state.remove()
            return
        _, before = state.get if state.exists else (0, 0)
        batch = pd.concat(list(chunks))
        newest = _ms(batch["measured_at"].max())
        state.update((newest, before + len(batch)))
        state.setTimeoutTimestamp(newest + FIVE_MINUTES)

    return _by_sensor(readings, watch)


def not_removed(readings: DataFrame) -> DataFrame:
    """Timeout without removal of the state

    Cellar was reported in step 4, in step 5 again, and so on. After step 8 the query kept {steps.8.state}
    sensors; {asked.steps.8.state} is expected. A timeout removes nothing: it only calls your function. If
    state and timeout stay as they were, Spark calls it for the same timeout in the next batch. Where do you
    call `state.remove()`?
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _alert(key, *state.get)
            return
        newest, count = _noted(chunks, state)
        state.update((newest, count))
        state.setTimeoutTimestamp(newest + FIVE_MINUTES)

    return _by_sensor(readings, watch)


def alerts_again_and_again(readings: DataFrame) -> DataFrame:
    """Timeout set again after the alert

    Cellar was heard once and reported more than once. After the alert, nothing may be left that calls the
    function again for this silence. What do you set or keep in the timeout call?
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _alert(key, *state.get)
            state.setTimeoutTimestamp(state.getCurrentWatermarkMs() + FIVE_MINUTES)
            return
        newest, count = _noted(chunks, state)
        state.update((newest, count))
        state.setTimeoutTimestamp(newest + FIVE_MINUTES)

    return _by_sensor(readings, watch)


def a_duration_for_a_timestamp(readings: DataFrame) -> DataFrame:
    """Timeout of a kind that the query does not allow

    Spark stopped the query in its first batch, because it set a timeout that its `timeoutConf` does not
    allow. The call `setTimeoutDuration` counts from the clock and belongs to `ProcessingTimeTimeout`. The
    call `setTimeoutTimestamp` takes milliseconds since 1970 and belongs to `EventTimeTimeout`. With
    `NoTimeout`, both are refused. PySpark's message names the duration in both cases. Which pair do you
    need here?
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _alert(key, *state.get)
            state.remove()
            return
        state.update(_noted(chunks, state))
        state.setTimeoutDuration(FIVE_MINUTES)

    return _by_sensor(readings, watch)


def _until(timeout: Callable[[int], int]) -> Watch:
    """The right function, with the timeout computed from the newest reading by `timeout`."""

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _alert(key, *state.get)
            state.remove()
            return
        newest, count = _noted(chunks, state)
        state.update((newest, count))
        state.setTimeoutTimestamp(timeout(newest))

    return watch


def seconds_for_milliseconds(readings: DataFrame) -> DataFrame:
    """Timeout in seconds instead of milliseconds

    The timeout was in January 1970, long before the watermark. Spark refuses such a timeout from the second
    step on. A time of 2026 has thirteen digits in milliseconds and ten in seconds. How many digits has
    yours?
    """
    return _by_sensor(readings, _until(lambda newest: newest // 1000 + 5 * 60))


def five_minutes_in_seconds(readings: DataFrame) -> DataFrame:
    """Five minutes counted in seconds

    Sensors were reported that had only just sent: their timeouts were less than a minute after the newest
    reading. The calls on the state use milliseconds. 300 of them are 0.3 seconds, and five minutes are
    300,000. How many do you add?
    """
    return _by_sensor(readings, _until(lambda newest: newest + 300))


def told_when_it_is_back(readings: DataFrame) -> DataFrame:
    """Silence detected at the next reading

    Cellar never came back and was never reported. If you compare a reading with the one before, you see a
    gap only when the next reading arrives. A dead sensor sends none. What calls your function without
    readings?
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        newest, count = state.get if state.exists else (0, 0)
        for time in sorted(_ms(time) for chunk in chunks for time in chunk["measured_at"]):
            if newest and time > newest + FIVE_MINUTES:
                yield _alert(key, newest, count)
                count = 0
            newest, count = max(newest, time), count + 1
        state.update((newest, count))

    return _by_sensor(readings, watch, GroupStateTimeout.NoTimeout)


def the_first_piece(readings: DataFrame) -> DataFrame:
    """First chunk taken for the whole group

    North sent three readings in step 1, and fewer were counted. A group arrives in chunks, here of at most
    two rows, and `next(chunks)` is the first of them. The newest reading can be in a later chunk, too. How
    do you read all chunks?
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _alert(key, *state.get)
            state.remove()
            return
        newest, count = _noted(iter([next(chunks)]), state)
        state.update((newest, count))
        state.setTimeoutTimestamp(newest + FIVE_MINUTES)

    return _by_sensor(readings, watch)


def reached_is_passed(readings: DataFrame) -> DataFrame:
    """Alert when the timeout is reached

    North was reported in step 4, when the watermark was {steps.4.watermark}: five minutes after its newest
    reading, to the second. A timeout has passed only when the watermark is greater, and Spark waits for
    that by itself. Which timeout do you set?
    """
    return _by_sensor(readings, _until(lambda newest: newest + FIVE_MINUTES - 1))


def six_minutes(readings: DataFrame) -> DataFrame:
    """Timeout longer than five minutes

    Cellar's five minutes ended at 12:06:40. After step 4 the watermark was {steps.4.watermark}, and cellar
    was not reported until step 6. The watermark is already behind the newest reading by the delay. What do
    you add to the newest time of a sensor?
    """
    return _by_sensor(readings, _until(lambda newest: newest + FIVE_MINUTES + 60_000))


def forgotten_and_not_told(readings: DataFrame) -> DataFrame:
    """Sensor evicted without an alert

    Not one alert was emitted, and after each step the query kept as many sensors as expected. So silent
    sensors were evicted in time. What does your function yield in a timeout call, and is it before or after
    `return`?
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.remove()
            return
        newest, count = _noted(chunks, state)
        state.update((newest, count))
        state.setTimeoutTimestamp(newest + FIVE_MINUTES)
        yield from ()

    return _by_sensor(readings, watch)


def temperatures_counted(readings: DataFrame) -> DataFrame:
    """Null temperatures not counted

    Each alert was emitted in time, and `readings` was too small: three for north in step 5. A reading with
    a null `celsius` counts. How many *rows* does a chunk have, and how many rows with a temperature?
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _alert(key, *state.get)
            state.remove()
            return
        newest, count = state.get if state.exists else (0, 0)
        for chunk in chunks:
            newest = max(newest, _ms(chunk["measured_at"].max()))
            count += int(chunk["celsius"].count())
        state.update((newest, count))
        state.setTimeoutTimestamp(newest + FIVE_MINUTES)

    return _by_sensor(readings, watch)


def temperatures_only(readings: DataFrame) -> DataFrame:
    """Readings with a null temperature filtered out

    South was reported in step 7 as last seen at 12:04:00. It sent at 12:09:30, with a null `celsius`. Such
    a reading shows that the sensor works. Where are rows without a temperature filtered out?
    """
    return _by_sensor(
        readings.where("celsius IS NOT NULL"), _until(lambda newest: newest + FIVE_MINUTES)
    )


def a_row_for_every_gap(readings: DataFrame) -> DataFrame:
    """Alert for a gap that ended before the timeout

    South was reported in step 6, when its reading of 12:09:30 arrived. It is more than five minutes after
    the previous reading. But the watermark was not yet later than 12:09:00, so the task wants no alert.
    Which call decides that a sensor is silent?
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _alert(key, *state.get)
            state.remove()
            return
        newest, count = state.get if state.exists else (0, 0)
        for time in sorted(_ms(time) for chunk in chunks for time in chunk["measured_at"]):
            if newest and time > newest + FIVE_MINUTES:
                yield _alert(key, newest, count)
                count = 0
            newest, count = max(newest, time), count + 1
        state.update((newest, count))
        state.setTimeoutTimestamp(newest + FIVE_MINUTES)

    return _by_sensor(readings, watch)


def noted_in_a_dict(readings: DataFrame) -> DataFrame:
    """Newest reading kept outside the state

    Cellar was reported in step 4, as last seen in 1970 and with no reading at all. What a dictionary or a
    global learned in step 1 is lost by then. What must be in the state so that the timeout call can read
    it?
    """
    noted: dict[str, tuple[int, int]] = {}

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        newest, count = noted.get(key[0], (0, 0))
        if state.hasTimedOut:
            state.remove()
            yield _alert(key, newest, count)
            return
        for chunk in chunks:
            newest, count = max(newest, _ms(chunk["measured_at"].max())), count + len(chunk)
        noted[key[0]] = newest, count
        state.setTimeoutTimestamp(newest + FIVE_MINUTES)

    return _by_sensor(readings, watch)
