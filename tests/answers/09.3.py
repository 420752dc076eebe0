"""Answers to 09.3: the sensor that falls silent."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

FIVE_MINUTES = 5 * 60 * 1000
Watch = Callable[[Any, Iterator[pd.DataFrame], GroupState], Iterator[pd.DataFrame]]


def _by_sensor(
    readings: DataFrame, watch: Watch, kept: str = "newest LONG, readings LONG"
) -> DataFrame:
    return (
        readings.withWatermark("measured_at", "1 minute")
        .groupBy("sensor")
        .applyInPandasWithState(
            watch,
            "sensor STRING, last_seen TIMESTAMP, readings LONG",
            kept,
            "append",
            GroupStateTimeout.EventTimeTimeout,
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


def _until(timeout: Callable[[int], float]) -> Watch:
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


def right_removed_before_it_is_told(readings: DataFrame) -> DataFrame:
    """Keeps JSON, counts downwards, and takes the later of timeout and watermark, as the lesson advises

    Right: how the state looks is nobody's business; a timeout is never before the watermark.
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Any:
        known = json.loads(state.get[0]) if state.exists else {"newest": 0, "readings": 0}
        if state.hasTimedOut:
            state.remove()
            return iter([_alert(key, known["newest"], known["readings"])])
        times = [_ms(time) for chunk in chunks for time in chunk["measured_at"]]
        known = {
            "newest": max([known["newest"], *times]),
            "readings": known["readings"] + len(times),
        }
        state.setTimeoutTimestamp(
            max(known["newest"] + FIVE_MINUTES, state.getCurrentWatermarkMs())
        )
        state.update((json.dumps(known),))
        return iter([])

    return _by_sensor(readings, watch, "known STRING")


def right_newest_as_seconds(readings: DataFrame) -> DataFrame:
    """Leaves the temperature out before the grouping, keeps seconds as a DOUBLE, sets a timeout that is a float

    Right: celsius is never used, and a double holds seconds with their fraction.
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        newest, count = state.getOption or (float("-inf"), 0.0)
        if not state.hasTimedOut:
            batch = pd.concat(chunks)
            newest = max(newest, batch["measured_at"].max().timestamp())
            state.update((newest, count + len(batch)))
            state.setTimeoutTimestamp((newest + 300) * 1000)
        else:
            last_seen = pd.to_datetime([newest], unit="s")
            yield pd.DataFrame({"readings": [int(count)], "last_seen": last_seen, "sensor": key[0]})
            state.remove()

    return _by_sensor(readings.drop("celsius"), watch, "newest DOUBLE, readings DOUBLE")


def right_told_after_the_function(readings: DataFrame) -> DataFrame:
    """Tells milliseconds from the function, and makes a time of them with Spark; watermark in seconds

    Right: the columns that come out are those of the task.
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        newest, count = state.get if state.exists else (0, 0)
        if state.hasTimedOut:
            state.remove()
            yield pd.DataFrame({"s": [key[0]], "ms": [newest], "n": [count]})
            return
        for chunk in chunks:
            newest, count = max(newest, int(chunk["ms"].max())), count + chunk["ms"].size
        state.update((newest, count))
        state.setTimeoutTimestamp(newest + 300_000)

    told = (
        readings.withWatermark("measured_at", "60 seconds")
        .select("sensor", "measured_at", F.unix_millis("measured_at").alias("ms"))
        .groupBy("sensor")
        .applyInPandasWithState(
            watch,
            "s STRING, ms LONG, n LONG",
            "newest LONG, readings LONG",
            "append",
            GroupStateTimeout.EventTimeTimeout,
        )
    )
    return told.select(
        F.col("s").alias("sensor"),
        F.timestamp_millis("ms").alias("last_seen"),
        F.col("n").cast("int").alias("readings"),
    )


def wrong_timeout_in_nanoseconds(readings: DataFrame) -> DataFrame:
    """Sets a timeout in nanoseconds, the unit of pandas' .value

    Wrong: it lies thousands of years ahead, and no alert ever comes.
    """

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        newest, count = state.get if state.exists else (0, 0)
        if state.hasTimedOut:
            last_seen = pd.Timestamp(newest)
            yield pd.DataFrame({"sensor": [key[0]], "last_seen": [last_seen], "readings": [count]})
            state.remove()
            return
        batch = pd.concat(list(chunks))
        newest = max(newest, batch["measured_at"].max().value)
        state.update((newest, count + len(batch)))
        state.setTimeoutTimestamp(newest + pd.Timedelta(minutes=5).value)

    return _by_sensor(readings, watch)


def wrong_five_hours(readings: DataFrame) -> DataFrame:
    """Sets the timeout five hours after the newest reading, by a factor of 60 too many

    Wrong: five minutes.
    """
    return _by_sensor(readings, _until(lambda newest: newest + 5 * 60 * 60 * 1000))


def wrong_timeout_at_the_newest(readings: DataFrame) -> DataFrame:
    """Sets the timeout to the newest reading, and forgets the five minutes

    Wrong: north and cellar are told in step 2.
    """
    return _by_sensor(readings, _until(lambda newest: newest))


def wrong_five_seconds(readings: DataFrame) -> DataFrame:
    """Sets the timeout five seconds after the newest reading, by a factor of 60 too few

    Wrong: five minutes.
    """
    return _by_sensor(readings, _until(lambda newest: newest + 5 * 1000))


def wrong_a_millisecond_more(readings: DataFrame) -> DataFrame:
    """Adds a millisecond, so that the moment is surely passed

    Wrong: a timeout passes when the watermark is greater; so it is told a millisecond too late.
    """
    return _by_sensor(readings, _until(lambda newest: newest + FIVE_MINUTES + 1))


def wrong_forgotten_and_not_told(readings: DataFrame) -> DataFrame:
    """Removes the state when the time is up, as 09.1 does, and tells nothing

    Wrong: not one alert comes out. (timeout_never_set keeps its state;
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


def wrong_timeout_in_whole_seconds(readings: DataFrame) -> DataFrame:
    """Cuts the fraction of a second off the timeout: the five minutes end too soon."""
    return _by_sensor(readings, _until(lambda newest: (newest + FIVE_MINUTES) // 1000 * 1000))
