"""Other right ways to notice silence."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout


def timeout_kept_in_the_state(readings: DataFrame) -> DataFrame:
    """Keeps the moment of the alert instead of the newest time, and puts the pieces together."""

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if not state.hasTimedOut:
            batch = pd.concat(list(chunks))
            silent_at, count = state.getOption or (0, 0)
            silent_at = max(silent_at, int(batch["ms"].max()) + 300_000)
            state.update((silent_at, count + len(batch)))
            state.setTimeoutTimestamp(silent_at)
            return
        silent_at, count = state.get
        state.remove()
        last_seen = pd.Timestamp(silent_at, unit="ms") - pd.Timedelta(minutes=5)
        yield pd.DataFrame(
            [(key[0], last_seen, count)], columns=["sensor", "last_seen", "readings"]
        )

    return (
        readings.withWatermark("measured_at", "60 seconds")
        .withColumn("ms", F.unix_millis("measured_at"))
        .groupBy("sensor")
        .applyInPandasWithState(
            watch,
            "sensor STRING, last_seen TIMESTAMP, readings LONG",
            "silent_at LONG, readings LONG",
            "append",
            GroupStateTimeout.EventTimeTimeout,
        )
    )


def a_time_in_the_state(readings: DataFrame) -> DataFrame:
    """Keeps the newest time as a text, and goes through the readings one by one."""

    def watch(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            text, count = state.get
            yield pd.DataFrame(
                {"sensor": key[0], "last_seen": [pd.Timestamp(text)], "readings": [count]}
            )
            state.remove()
            return
        text, count = state.get if state.exists else ("1970-01-01", 0)
        newest = pd.Timestamp(text)
        for chunk in chunks:
            for time in chunk["measured_at"]:
                newest, count = max(newest, time), count + 1
        state.update((str(newest), count))
        silent = newest + pd.Timedelta(minutes=5)
        state.setTimeoutTimestamp(int(silent.timestamp() * 1000))

    return (
        readings.withWatermark("measured_at", "1 minute")
        .groupBy("sensor")
        .applyInPandasWithState(
            watch,
            "sensor STRING, last_seen TIMESTAMP, readings LONG",
            "newest STRING, readings LONG",
            "append",
            GroupStateTimeout.EventTimeTimeout,
        )
    )
