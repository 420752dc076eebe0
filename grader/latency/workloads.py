"""The queries whose latency is measured: from Kafka to Kafka, each row with the time its record was made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

SCHEMA = "id LONG, key LONG, made LONG"  # made: milliseconds since 1970
KEYS = 10_000  # more than a batch has records, so that nearly every record has its own row
REPEATED = 10  # every n-th record is sent twice, if a query removes duplicates

Frames = Mapping[str, "DataFrame"]


@dataclass(frozen=True)
class Workload:
    """A query: the topics it reads, in which mode it writes, how it is built of their records."""

    title: str
    inputs: tuple[str, ...]
    output_mode: str
    build: Callable[[Frames], DataFrame]
    repeats: bool = False


def _timed(frame: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    return frame.withColumn("time", F.timestamp_millis("made")).withWatermark("time", "10 seconds")


def _stateless(frames: Frames) -> DataFrame:
    return frames["clicks"].where("key % 2 = 0").select("id", "made")


def _aggregation(frames: Frames) -> DataFrame:
    from pyspark.sql import functions as F

    windows = _timed(frames["clicks"]).groupBy(F.window("time", "10 seconds"), "key")
    return windows.agg(F.count("*").alias("clicks"), F.max("made").alias("made"))


def _join(frames: Frames) -> DataFrame:
    from pyspark.sql import functions as F

    seen = _timed(frames["impressions"]).selectExpr("id", "made AS seen", "time AS seen_at")
    clicks = _timed(frames["clicks"]).selectExpr("id AS click", "made AS clicked", "time AS at")
    near = "click = id AND at BETWEEN seen_at AND seen_at + INTERVAL 10 SECONDS"
    return seen.join(clicks, F.expr(near)).selectExpr("id", "greatest(seen, clicked) AS made")


def _duplicates(frames: Frames) -> DataFrame:
    return _timed(frames["clicks"]).dropDuplicatesWithinWatermark(["id"]).select("id", "made")


def _own_state(frames: Frames) -> DataFrame:
    from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

    def count(
        key: Any, chunks: Iterator[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        import pandas as pd

        clicks, made = state.get if state.exists else (0, 0)
        for chunk in chunks:
            clicks, made = clicks + len(chunk), max(made, int(chunk["made"].max()))
        state.update((clicks, made))
        yield pd.DataFrame({"key": [key[0]], "clicks": [clicks], "made": [made]})

    return (
        frames["clicks"]
        .groupBy("key")
        .applyInPandasWithState(
            count,
            "key LONG, clicks LONG, made LONG",
            "clicks LONG, made LONG",
            "update",
            GroupStateTimeout.NoTimeout,
        )
    )


WORKLOADS: dict[str, Workload] = {
    "stateless": Workload("a filter", ("clicks",), "append", _stateless),
    "aggregation": Workload("counts by window and key", ("clicks",), "update", _aggregation),
    "join": Workload("impressions join clicks", ("impressions", "clicks"), "append", _join),
    "duplicates": Workload("copies taken out", ("clicks",), "append", _duplicates, repeats=True),
    "state": Workload("a count in Python state", ("clicks",), "update", _own_state),
}
