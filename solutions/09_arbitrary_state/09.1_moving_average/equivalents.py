"""Other right ways to keep a moving average."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout


def with_ewm(quotes: DataFrame) -> DataFrame:
    """Lets pandas do the arithmetic: the old average is put before the new prices."""

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.remove()
            return
        frame = pd.concat(list(chunks)).sort_values("quote_time")
        old = [state.get[0]] if state.exists else []
        smooth = pd.Series(old + list(frame["price"])).ewm(alpha=0.25, adjust=False).mean()
        frame["average"] = smooth.to_numpy()[len(old) :]
        state.update((float(frame["average"].iloc[-1]),))
        half_an_hour_later = frame["quote_time"].max() + pd.Timedelta(minutes=30)
        state.setTimeoutTimestamp(round(half_an_hour_later.timestamp() * 1000))
        yield frame[["option", "quote_time", "average"]]

    return (
        quotes.withWatermark("quote_time", "1 minute")
        .groupBy("option")
        .applyInPandasWithState(
            update,
            "option STRING, quote_time TIMESTAMP, average DOUBLE",
            "average DOUBLE",
            "append",
            GroupStateTimeout.EventTimeTimeout,
        )
    )


def quotes_in_plain_python(quotes: DataFrame) -> DataFrame:
    """Works on tuples, and keeps the time of the last quote in the state beside the average."""

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.remove()
            return
        rows = [pair for chunk in chunks for pair in zip(chunk["ms"], chunk["price"], strict=True)]
        average, _ = state.get if state.exists else (None, 0)
        out = []
        for ms, price in sorted(rows):
            average = price if average is None else average + 0.25 * (price - average)
            newest = ms
            out.append((key[0], pd.Timestamp(ms, unit="ms"), average))
        state.update((average, newest))
        state.setTimeoutTimestamp(newest + 1_800_000)
        yield pd.DataFrame(out, columns=["option", "quote_time", "average"])

    return (
        quotes.withWatermark("quote_time", "1 minute")
        .withColumn("ms", F.unix_millis("quote_time"))
        .groupBy("option")
        .applyInPandasWithState(
            update,
            "option STRING, quote_time TIMESTAMP, average DOUBLE",
            "average DOUBLE, newest LONG",
            "append",
            GroupStateTimeout.EventTimeTimeout,
        )
    )
