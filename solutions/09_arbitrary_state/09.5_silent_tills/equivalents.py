"""Other right ways to listen by the clock."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout


def a_word_in_the_state(signs: DataFrame) -> DataFrame:
    """Keeps a word, and decides on all ways what is told."""

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        (before,) = state.getOption or ("new",)
        if state.hasTimedOut:
            now = "silent"
        else:
            now = "heard"
            state.setTimeoutDuration(30 * 1000)
        state.update((now,))
        told = {("heard", "silent"): ["silent"], ("silent", "heard"): ["back"]}.get(
            (before, now), []
        )
        at = pd.to_datetime([state.getCurrentProcessingTimeMs()] * len(told), unit="ms")
        yield pd.DataFrame({"till": list(key) * len(told), "what": told, "told_at": at})

    return signs.groupBy("till").applyInPandasWithState(
        listen,
        "till STRING, what STRING, told_at TIMESTAMP",
        "was STRING",
        "append",
        GroupStateTimeout.ProcessingTimeTimeout,
    )


def signs_counted(signs: DataFrame) -> DataFrame:
    """Keeps when the till was last heard, none while it is silent, and goes through all signs."""

    def listen(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        now = state.getCurrentProcessingTimeMs()
        at = pd.Timestamp(now, unit="ms")
        if state.hasTimedOut:
            state.update((None,))
            yield pd.DataFrame([(key[0], "silent", at)], columns=["till", "what", "told_at"])
        else:
            heard = sum(len(chunk) for chunk in chunks)
            if heard and state.exists and state.get == (None,):
                yield pd.DataFrame([(key[0], "back", at)], columns=["till", "what", "told_at"])
            state.update((now,))
            state.setTimeoutDuration(30_000)

    return signs.groupBy("till").applyInPandasWithState(
        listen,
        "till STRING, what STRING, told_at TIMESTAMP",
        "heard LONG",
        "append",
        GroupStateTimeout.ProcessingTimeTimeout,
    )
