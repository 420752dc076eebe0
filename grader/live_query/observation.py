"""A streaming query as it was found, and the reason read from it, as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from grader.judging.instants import moment
from grader.judging.wording.message import message
from grader.scenario.recording import Failure

# an interval from which on waiting for a trigger is something that a person notices
LONG_TRIGGER_MS = 5000


@dataclass(frozen=True)
class Reason:
    """The cause found: what `happened`, its `details` line by line, what it `means`, what to `do`."""

    cause: str
    happened: str
    means: str = ""
    do: str = ""
    details: tuple[str, ...] = ()

    def text(self) -> str:
        return message(self.happened, details=self.details, means=self.means, do=self.do)


@dataclass(frozen=True)
class Sink:
    """Where rows go. `kind` is kafka, memory, console, foreachBatch, foreach, file, noop or other.

    `name` is the topic, the table, the folder, or for the console the file that Java prints to.
    """

    kind: str = "other"
    name: str = ""


@dataclass(frozen=True)
class Topic:
    """An input topic: `records` in it now, those `before` the query's first offset, those `unread`."""

    records: int = 0
    before: int = 0
    unread: int = 0


@dataclass(frozen=True)
class TimedStream:
    """One withWatermark: its column, its delay (milliseconds) and the inputs below it.

    `newest` is the newest event time that it has met in this run (ISO 8601; None: no row has got
    there). `records` came in from its inputs in this run (None: not known).
    """

    inputs: tuple[str, ...]
    column: str
    delay: int
    newest: str | None = None
    records: int | None = None

    @property
    def name(self) -> str:
        return ", ".join(self.inputs)

    @property
    def watermark(self) -> str | None:
        return None if self.newest is None else shifted(self.newest, -self.delay)

    @property
    def without_time(self) -> bool:
        """Spark counts a null time as 1970-01-01T00:00:00."""
        return self.newest is not None and self.newest.startswith("1970-01-01T00:00:00Z")


@dataclass(frozen=True)
class Step:
    """A part of the plan that can take rows away.

    `kind` is filter, table_join, stream_join, explode, python, limit, deduplicate or aggregate;
    `text` a filter's condition, a join's type, a limit's number or an operator's name.
    """

    kind: str
    text: str = ""


@dataclass(frozen=True)
class Observation:
    """`progress` are Spark's progress events of this run, oldest first; times are ISO 8601.

    `records` came in from each input in this run, by name; None where nothing says how many.
    `whole` says that Spark still tells of every micro-batch of the run, `resumed` that the checkpoint
    had read something before it, `kept` that there is a checkpoint to go on from. `watermark` is the
    one that the next batch would have, `window_ends` the first end of a waiting window in each operator.
    """

    active: bool
    failure: Failure | None = None
    status: str = ""
    progress: list[dict[str, Any]] = field(default_factory=list)
    whole: bool = True
    resumed: bool = False
    kept: bool = True
    mode: str = "append"
    trigger: str = ""
    interval: int = 0
    now: str = ""
    sink: Sink = Sink()
    topics: dict[str, Topic] = field(default_factory=dict)
    records: dict[str, int] | None = field(default_factory=dict)
    streams: list[TimedStream] = field(default_factory=list)
    policy: str = "min"
    watermark: str | None = None
    window_ends: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    @property
    def batches(self) -> list[dict[str, Any]]:
        """The micro-batches that ran; a query that idles reports progress, too."""
        return [event for event in self.progress if "addBatch" in event.get("durationMs", {})]

    @property
    def records_in(self) -> int | None:
        return None if self.records is None else sum(self.records.values())

    @property
    def rows_out(self) -> int | None:
        """Rows that reached the sink; None for a sink of which Spark does not count them."""
        counts = [event.get("sink", {}).get("numOutputRows", -1) for event in self.batches]
        return None if any(count < 0 for count in counts) else sum(counts)

    @property
    def operators(self) -> list[dict[str, Any]]:
        """The stateful operators as the last micro-batch left them, the last of the plan first."""
        return operators_of(self.batches[-1]) if self.batches else []

    @property
    def held(self) -> int:
        """Rows in all state stores."""
        return sum(operator["numRowsTotal"] for operator in self.operators)

    @property
    def unread(self) -> int:
        return sum(topic.unread for topic in self.topics.values())

    @property
    def batch_watermark(self) -> str | None:
        """The watermark of the last micro-batch; None while no event has set one."""
        known = [event.get("eventTime", {}).get("watermark") for event in self.batches]
        last = known[-1] if known else None
        return None if last is None or last.startswith("1970-01-01T00:00:00") else last

    @property
    def waits_for_time(self) -> bool:
        """Whether something in the query waits for the watermark before it gives out a row."""
        windows = any(
            name in operator.get("operatorName", "")
            for operator in self.operators
            for name in ("stateStoreSave", "sessionWindow")
        )
        outer = any("outer" in step.text for step in self.of("stream_join"))
        return self.mode == "append" and (windows or outer)

    @property
    def windows_wait(self) -> bool:
        return self.waits_for_time and bool(self.window_ends) and self.held > 0

    @property
    def first_end(self) -> str:
        """The end of the first window that waits; there must be one."""
        return min(self.window_ends, key=moment)

    def total(self, metric: str) -> int:
        """A metric of all stateful operators, added up over the run."""
        return sum(
            operator.get(metric, 0) or operator.get("customMetrics", {}).get(metric, 0)
            for event in self.batches
            for operator in operators_of(event)
        )

    def has(self, *kinds: str) -> bool:
        return any(True for _ in self.of(*kinds))

    def of(self, *kinds: str) -> Iterator[Step]:
        return (step for step in self.steps if step.kind in kinds)


def operators_of(event: dict[str, Any]) -> list[dict[str, Any]]:
    return event.get("stateOperators") or []


def shifted(time: str, milliseconds: int) -> str:
    """An ISO time moved; one beyond Python's calendar stays as it is."""
    try:
        return (moment(time) + timedelta(milliseconds=milliseconds)).isoformat()
    except OverflowError:
        return time
