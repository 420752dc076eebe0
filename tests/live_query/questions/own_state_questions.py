"""Questions about operators with state of their own: applyInPandasWithState and transformWithState."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from live_query.questions.question_data import PROVIDER, ROCKSDB, SOON, run, settled
from pyspark.sql import DataFrame
from pyspark.sql.streaming import StatefulProcessor
from pyspark.sql.streaming.query import StreamingQuery
from testkit.planting import Shop, click

import grader

OUTPUT = "page STRING, n INT"


def with_state(frame: DataFrame, function: Any, timeout: str) -> DataFrame:
    return frame.groupBy("page").applyInPandasWithState(
        function, OUTPUT, "n INT", "update", timeout
    )


def on_rocksdb(shop: Shop, frame: DataFrame, **given: Any) -> StreamingQuery:
    conf = shop.running.spark.conf
    conf.set(PROVIDER, ROCKSDB)
    try:
        return run(shop, frame, "kafka", mode="update", **given)
    finally:
        conf.unset(PROVIDER)


def counter(schema: str, ahead: int = 0) -> Any:
    """A processor that keeps a value of a schema, and sets a timer so many milliseconds ahead of an event."""

    class Counter(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self.handle = handle
            self.kept = handle.getValueState("kept", schema)

        def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:  # noqa: N802, N803
            newest = max(int(row.event_time.timestamp() * 1000) for row in rows)
            self.kept.update((str(newest) if "STRING" in schema else 1,))
            if ahead:
                self.handle.registerTimer(newest + ahead)
            return iter([])

        def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Any:  # noqa: N802, N803
            return iter([])

        def close(self) -> None: ...

    return Counter()


def session_that_never_times_out(shop: Shop) -> StreamingQuery:
    def visits(key: Any, frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        if state.hasTimedOut:
            yield pd.DataFrame({"page": [key[0]], "n": [state.get[0]]})
            state.remove()
        else:
            events = pd.concat(list(frames))
            state.update((len(events),))
            state.setTimeoutTimestamp(int(events.event_time.max().timestamp() * 1000) + 60_000)

    timed = shop.timed(shop.topic(click(5), click(20), click(30, "hats")))
    return run(
        shop, with_state(timed, visits, "EventTimeTimeout"), "kafka", mode="update", every=SOON
    )


def timeout_by_the_clock(shop: Shop) -> StreamingQuery:
    def visits(key: Any, frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        if state.hasTimedOut:
            yield pd.DataFrame({"page": [key[0]], "n": [state.get[0]]})
        else:
            state.update((sum(map(len, frames)),))
            state.setTimeoutDuration(60_000)

    clicks = shop.clicks(shop.topic(click(5), click(20)))
    return run(shop, with_state(clicks, visits, "ProcessingTimeTimeout"), "kafka", mode="update")


def timer_an_hour_ahead(shop: Shop) -> StreamingQuery:
    grouped = shop.timed(shop.topic(click(5), click(20))).groupBy("page")
    frame = grouped.transformWithState(counter("n INT", 3_600_000), OUTPUT, "Update", "EventTime")
    return on_rocksdb(shop, frame, every=SOON)


def state_of_another_type(shop: Shop) -> StreamingQuery:
    topic, checkpoint = shop.topic(click(5)), grader.fresh_checkpoint()

    def counts(schema: str) -> DataFrame:
        grouped = shop.clicks(topic).groupBy("page")
        return grouped.transformWithState(counter(schema), OUTPUT, "Update", "None")

    on_rocksdb(shop, counts("n INT"), checkpoint=checkpoint)
    shop.send(topic, click(6))
    return on_rocksdb(shop, counts("n STRING"), checkpoint=checkpoint)


def processor_on_the_default_store(shop: Shop) -> StreamingQuery:
    grouped = shop.clicks(shop.topic(click(5))).groupBy("page")
    frame = grouped.transformWithState(counter("n INT"), OUTPUT, "Update", "None")
    return run(shop, frame, "kafka", mode="update")


def rows_of_an_expired_group(shop: Shop) -> StreamingQuery:
    def visits(key: Any, frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        newest = next(iter(frames)).iloc[-1]
        state.update((1,))
        state.setTimeoutTimestamp(int(newest.event_time.timestamp() * 1000) + 60_000)
        yield pd.DataFrame({"page": [newest.page], "n": [1]})

    topic = shop.topic(click(5))
    frame = with_state(shop.timed(topic), visits, "EventTimeTimeout")
    query = run(shop, frame, "kafka", mode="update", every=SOON)
    shop.send(topic, click(300, "hats"))
    return settled(query, SOON)


def scalars_in_a_frame(shop: Shop) -> StreamingQuery:
    def visits(key: Any, frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        yield pd.DataFrame({"page": key[0], "n": sum(map(len, frames))})

    clicks = shop.clicks(shop.topic(click(5)))
    return run(shop, with_state(clicks, visits, "NoTimeout"), "kafka", mode="update")
