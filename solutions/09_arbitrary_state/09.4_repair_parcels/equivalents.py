"""Other right repairs."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout


def piece_by_piece(scans: DataFrame) -> DataFrame:
    """Goes through the pieces one by one, with the state as its only memory."""

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        news = "lost"
        for chunk in [] if state.hasTimedOut else chunks:
            times = [round(time.timestamp() * 1000) for time in chunk["scanned_at"]]
            first, newest, count = state.getOption or (times[0], times[0], 0)
            state.update((min(first, *times), max(newest, *times), count + len(times)))
            if "door" in list(chunk["place"]):
                news = "delivered"
        first, newest, count = state.get
        if news == "lost" and not state.hasTimedOut:
            state.setTimeoutTimestamp(newest + 7_200_000)
            return
        state.remove()
        yield pd.DataFrame(
            {
                "parcel": [key[0]],
                "news": [news],
                "scans": [count],
                "first_scan": [pd.Timestamp(first, unit="ms")],
            }
        )

    return (
        scans.withWatermark("scanned_at", "10 minutes")
        .groupBy("parcel")
        .applyInPandasWithState(
            follow,
            "parcel STRING, news STRING, scans INT, first_scan TIMESTAMP",
            "first LONG, newest LONG, scans INT",
            "append",
            GroupStateTimeout.EventTimeTimeout,
        )
    )


def all_times_kept(scans: DataFrame) -> DataFrame:
    """Keeps every scan's time, one after the other in a text; first, newest and number are in it."""

    def follow(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        (kept,) = state.get if state.exists else ("",)
        times = [int(time) for time in kept.split()]
        if state.hasTimedOut:
            news = "lost"
        else:
            batch = pd.concat(list(chunks))
            times = times + [round(time.timestamp() * 1000) for time in batch["scanned_at"]]
            news = "delivered" if batch["place"].eq("door").any() else "on its way"
        if news == "on its way":
            state.update((" ".join(map(str, times)),))
            state.setTimeoutTimestamp(max(times) + 7_200_000)
            return
        state.remove()
        first = pd.Timestamp(min(times), unit="ms")
        columns = ["parcel", "news", "scans", "first_scan"]
        yield pd.DataFrame([(key[0], news, len(times), first)], columns=columns)

    return (
        scans.withWatermark("scanned_at", "10 minutes")
        .groupBy("parcel")
        .applyInPandasWithState(
            follow,
            "parcel STRING, news STRING, scans LONG, first_scan TIMESTAMP",
            "times STRING",
            "append",
            GroupStateTimeout.EventTimeTimeout,
        )
    )
