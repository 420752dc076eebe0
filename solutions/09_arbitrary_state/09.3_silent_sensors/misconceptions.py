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
    """No sensor ever falls silent

    Readings are kept, and not one alert came. `EventTimeTimeout` only *allows* a timeout. Each group
    sets its own, by a call on its state; a group that sets none is never called without readings. If
    yours are set, they lie too far ahead: which moment is meant, in milliseconds since 1970?
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            yield _alert(key, *state.get)
            state.remove()
            return
        state.update(_noted(chunks, state))

    return _by_sensor(readings, watch)


def timeout_set_only_at_first(readings: DataFrame) -> DataFrame:
    """An alert only for sensors that were heard in a single batch

    Cellar was reported, and it sent in one batch only; north sent in two and was not. Who updates the state
    and sets no timeout has none, whatever the call before has set. Set it on every call.
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
    """A late reading pulls the last time back

    Step 2 brought a reading of north that was older than one of step 1. From then on north counted as
    last heard of at that older time, and was reported too early. What is newest so far: in this
    batch, or in all of them?
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
    """What was reported is still kept, and reported in every batch

    Cellar was reported in step 4, and in step 5 again, and so on; after step 8 the query kept {steps.8.state} sensors
    where {asked.steps.8.state} is asked for. A timeout removes nothing by itself: it only calls your function. As long
    as all stays as it was, the same timeout has passed in the next batch, too.
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
    """One silence, several alerts

    Cellar was heard of once and reported more than once. When the timeout has passed, the sensor is
    reported, and then nothing should be left to call the function again for this silence.
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
    """A timeout of a kind that the query does not have

    Spark stopped the query in its first batch: a timeout was set that its `timeoutConf` does not allow.
    `setTimeoutDuration` counts from the clock and belongs to `ProcessingTimeTimeout`; `setTimeoutTimestamp` names a
    moment, in milliseconds since 1970, and belongs to `EventTimeTimeout`; to `NoTimeout` belongs neither. (PySpark's
    message speaks of a duration for both.)
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
    """What to do with a sensor whose timeout is made of its newest reading so."""

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
    """Timeouts in January 1970

    The timeout lay long before the watermark, and Spark refuses such a one from the second step on. A moment
    of 2026 has thirteen digits in milliseconds and ten in seconds.
    """
    return _by_sensor(readings, _until(lambda newest: newest // 1000 + 5 * 60))


def five_minutes_in_seconds(readings: DataFrame) -> DataFrame:
    """Called silent far too early

    Sensors were called silent that had only just been heard: their timeouts lay less than a minute after the
    newest reading. Times in the state's calls are milliseconds: 300 more are three tenths of a second, five
    minutes are 300,000. How many do you add?
    """
    return _by_sensor(readings, _until(lambda newest: newest + 300))


def told_when_it_is_back(readings: DataFrame) -> DataFrame:
    """A silence is told when it is over

    Cellar never came back and was never reported. Compared with the reading before, a gap is seen when the
    next reading is there; a sensor that is dead sends none. Only a timeout calls your function without
    readings.
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
    """Only the first piece of a group

    North sent three readings in step 1, and fewer were counted. A group comes in pieces, here of two rows at
    most, and `next(chunks)` is the first of them. In the others there may be the newest reading, too.
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
    """Told when the moment is reached

    North was told in step 4, when the watermark stood at {steps.4.watermark}: five minutes after its newest reading, to the
    second. Passed is more than that, and Spark waits for it by itself: what is the timeout that you set?
    """
    return _by_sensor(readings, _until(lambda newest: newest + FIVE_MINUTES - 1))


def six_minutes(readings: DataFrame) -> DataFrame:
    """Told too late, or not at all

    Cellar's five minutes were over at 12:06:40. After step 4 the watermark stood at {steps.4.watermark}, and cellar was not
    told until step 6. The watermark is behind the newest reading already; what do you add to a sensor's newest time?
    """
    return _by_sensor(readings, _until(lambda newest: newest + FIVE_MINUTES + 60_000))


def forgotten_and_not_told(readings: DataFrame) -> DataFrame:
    """Sensors are forgotten, and nobody is told

    Not one alert came, and after each step the query kept as many sensors as is asked for: those that fell silent were
    forgotten in time. What does your function yield when it is called for a timeout, and before or after `return`?
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
    """Readings without a temperature are not counted

    Each alert came in time, and `readings` was too small where a sensor could not measure: three for north in step 5. The
    sensor lives all the same, and was heard of. How many *rows* are there, and how many rows with a temperature?
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
    """Readings without a temperature are as if they had not been

    South was told in step 7 as last seen at 12:04:00. It sent at 12:09:30, and could not measure. The sensor lives all the
    same. Where do rows without a temperature get lost?
    """
    return _by_sensor(
        readings.where("celsius IS NOT NULL"), _until(lambda newest: newest + FIVE_MINUTES)
    )


def a_row_for_every_gap(readings: DataFrame) -> DataFrame:
    """An alert for a sensor that was heard again in time

    South was told in step 6, when its reading of 12:09:30 came. That is more than five minutes after its last; but the
    watermark had not passed 12:09:00 yet, and for such a gap the task wants no alert.
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
    """Silent sensors of which nothing is known

    Cellar was told in step 4, as last seen in 1970 and with no reading at all. What a dictionary or
    a global learned in step 1 is gone by then. What must last until the timeout goes into the state.
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
