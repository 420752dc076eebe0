"""One small query for each kind of stateful operator, and the events that show what it does."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor

from grader.scenario import Event, Exercise, Input, Scenario

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


@dataclass(frozen=True)
class Operator:
    exercise: Exercise
    scenario: Scenario
    query: Callable[..., DataFrame]


def of_one_input(
    query: Callable[..., DataFrame], who: str, *events: tuple[int, str, str]
) -> Operator:
    """A query over one input; an event is its step, whose it is, and its time."""
    given = Input(f"{who} STRING, at TIMESTAMP", "at")
    exercise = Exercise(query.__name__, "", "f", ["events"], {"events": given})
    made = [Event(step, "events", {who: name, "at": time(at)}) for step, name, at in events]
    return Operator(exercise, Scenario(made), query)


def time(clock: str) -> str:
    return f"2026-03-01T{clock}Z"


def sliding_windows(events: DataFrame) -> DataFrame:
    marked = events.withWatermark("at", "1 minute")
    return marked.groupBy(F.window("at", "10 minutes", "5 minutes")).count()


def merging_sessions(events: DataFrame) -> DataFrame:
    marked = events.withWatermark("at", "3 minutes")
    return marked.groupBy("user", F.session_window("at", "1 minute")).count()


def three_levels(events: DataFrame) -> DataFrame:
    marked = events.withWatermark("at", "1 minute")
    five = marked.groupBy(F.window("at", "5 minutes"), "page").agg(F.count("*").alias("clicks"))
    quarter = five.groupBy(F.window("window", "15 minutes"), "page").agg(
        F.max("clicks").alias("most")
    )
    return quarter.groupBy(F.window("window", "1 hour")).agg(F.sum("most").alias("peaks"))


def seen_before(events: DataFrame) -> DataFrame:
    return events.withWatermark("at", "2 minutes").dropDuplicates(["page", "at"])


def paid_or_not(orders: DataFrame, payments: DataFrame) -> DataFrame:
    ordered = orders.withWatermark("order_time", "2 minutes")
    paid = payments.withWatermark("paid_time", "3 minutes")
    in_time = (
        "order_id = paid_order_id AND paid_time >= order_time "
        "AND paid_time <= order_time + INTERVAL 15 MINUTES"
    )
    return ordered.join(paid, F.expr(in_time), "leftOuter")


def _join() -> Operator:
    inputs = {
        "orders": Input("order_id STRING, order_time TIMESTAMP", "order_time"),
        "payments": Input("paid_order_id STRING, paid_time TIMESTAMP", "paid_time"),
    }
    columns = {"orders": ("order_id", "order_time"), "payments": ("paid_order_id", "paid_time")}
    rows = [
        (1, "orders", "A", "09:00:00"),
        (1, "orders", "B", "09:04:00"),
        (1, "payments", "A", "09:05:00"),
        (1, "payments", "X", "09:02:00"),
        (2, "orders", "C", "09:14:00"),
        (2, "payments", "B", "09:16:00"),
        (3, "orders", "D", "09:30:00"),
        (3, "payments", "C", "09:20:00"),
        (3, "payments", "Y", "09:33:00"),
        (4, "orders", "E", "09:50:00"),
        (4, "payments", "E", "09:52:00"),
        (4, "orders", "Y", "09:01:00"),
        (5, "orders", "F", "10:30:00"),
        (5, "payments", "F", "10:31:00"),
    ]
    events = [
        Event(step, side, dict(zip(columns[side], (name, time(at)), strict=True)))
        for step, side, name, at in rows
    ]
    exercise = Exercise("paid_or_not", "", "f", list(inputs), inputs)
    return Operator(exercise, Scenario(events), paid_or_not)


def counted_until_silent(events: DataFrame) -> DataFrame:
    """A function of one's own that counts, and forgets after five minutes of silence."""

    def count(key: Any, chunks: Any, state: Any) -> Iterator[pd.DataFrame]:
        if state.hasTimedOut:
            yield pd.DataFrame({"page": [key[0]], "seen": [state.get[0]]})
            state.remove()
            return
        rows = pd.concat(list(chunks))
        state.update(((state.get[0] if state.exists else 0) + len(rows),))
        until = rows["at"].max() + pd.Timedelta(minutes=5)
        state.setTimeoutTimestamp(int(until.timestamp() * 1000))

    by_page = events.withWatermark("at", "1 minute").groupBy("page")
    schema = "page STRING, seen LONG"
    return by_page.applyInPandasWithState(count, schema, "seen LONG", "append", "EventTimeTimeout")


def known_for_a_while(events: DataFrame) -> DataFrame:
    """Two variables of a page, of which Spark forgets one after thirty seconds of the clock."""

    class Known(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle) -> None:  # type: ignore[no-untyped-def]
            self.times = handle.getListState("times", "at TIMESTAMP", 30_000)

        def handleInputRows(self, key, rows, timerValues):  # type: ignore[no-untyped-def]  # noqa: N802, N803
            known = self.times.exists()
            for row in rows:
                self.times.appendValue((row.at,))
            yield Row(page=key[0], known=known)

        def close(self) -> None:
            pass

    by_page = events.groupBy("page")
    return by_page.transformWithState(
        Known(), "page STRING, known BOOLEAN", "Append", "ProcessingTime"
    )


def clocked(given: Operator, *clocks: str) -> Operator:
    """The same by a clock, one time a step, on RocksDB."""
    conf = {"spark.sql.streaming.stateStore.providerClass": ROCKSDB}
    steps = {step: time(clock) for step, clock in enumerate(clocks, start=1)}
    scenario = replace(given.scenario, clocks=steps)
    return Operator(replace(given.exercise, conf=conf), scenario, given.query)


OPERATORS = {
    "sliding": of_one_input(
        sliding_windows,
        "page",
        (1, "/tea", "12:01:00"),
        (1, "/rice", "12:04:00"),
        (1, "/tea", "12:06:30"),
        (2, "/tea", "12:11:00"),
        (2, "/rice", "12:07:00"),
        (3, "/tea", "12:16:00"),
        (3, "/rice", "12:13:00"),
        (4, "/tea", "12:02:00"),
        (4, "/rice", "12:18:00"),
        (5, "/tea", "12:40:00"),
    ),
    "sessions": of_one_input(
        merging_sessions,
        "user",
        (1, "mia", "10:00:00"),
        (1, "mia", "10:00:40"),
        (1, "noa", "10:00:20"),
        (1, "mia", "10:03:00"),
        (2, "mia", "10:01:30"),
        (2, "noa", "10:01:05"),
        (2, "mia", "10:05:00"),
        (3, "mia", "10:02:20"),
        (3, "noa", "10:04:30"),
        (4, "mia", "10:04:10"),
        (4, "oki", "10:09:00"),
        (5, "mia", "10:02:00"),
        (5, "oki", "10:12:30"),
        (6, "pia", "10:18:00"),
    ),
    "chain": of_one_input(
        three_levels,
        "page",
        (1, "/tea", "09:00:10"),
        (1, "/tea", "09:03:00"),
        (1, "/rice", "09:04:00"),
        (2, "/tea", "09:06:00"),
        (2, "/rice", "09:12:00"),
        (3, "/tea", "09:17:00"),
        (3, "/tea", "09:21:00"),
        (3, "/rice", "09:22:30"),
        (4, "/tea", "09:31:30"),
        (4, "/rice", "09:33:00"),
        (4, "/tea", "09:02:00"),
        (5, "/rice", "09:45:00"),
        (5, "/tea", "09:58:00"),
        (6, "/tea", "10:20:00"),
        (7, "/tea", "11:02:00"),
    ),
    "join": _join(),
    "duplicates": of_one_input(
        seen_before,
        "page",
        (1, "/tea", "12:01:00"),
        (1, "/tea", "12:01:00"),
        (1, "/rice", "12:01:30"),
        (2, "/tea", "12:01:00"),
        (2, "/tea", "12:05:00"),
        (3, "/rice", "12:01:30"),
        (3, "/tea", "12:05:00"),
        (3, "/rice", "12:09:00"),
        (4, "/tea", "12:20:00"),
    ),
    "own": of_one_input(
        counted_until_silent,
        "page",
        (1, "/tea", "12:00:30"),
        (1, "/rice", "12:01:00"),
        (2, "/tea", "12:04:00"),
        (3, "/nuts", "12:08:00"),
        (3, "/tea", "12:08:30"),
        (4, "/rice", "12:03:00"),
        (4, "/nuts", "12:12:00"),
        (5, "/salt", "12:30:00"),
    ),
    "ttl": clocked(
        of_one_input(
            known_for_a_while,
            "page",
            (1, "/tea", "12:00:00"),
            (2, "/rice", "12:00:00"),
            (3, "/rice", "12:00:05"),
            (4, "/tea", "12:00:07"),
        ),
        "12:00:00",
        "12:00:10",
        "12:00:39",
        "12:00:45",
    ),
}
