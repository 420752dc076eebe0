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
# a broker that takes longer is reported as one that does not answer
LIMIT_SECONDS = 3


@dataclass(frozen=True)
class Reason:
    """The cause found: what `happened`, its `details` line by line, what it `means`, what to `do`.

    `evidence` says where it was seen. The `others` are the causes that also hold, the strongest first.
    """

    cause: str
    happened: str
    means: str = ""
    do: str = ""
    details: tuple[str, ...] = ()
    evidence: str = ""
    others: tuple[Reason, ...] = ()

    def text(self) -> str:
        """The message of this cause, then that of each of the others under a number."""
        parts = [self._text()]
        parts += [f"{number}. {one._text()}" for number, one in enumerate(self.others, 2)]
        return "\n\n".join(parts)

    def _text(self) -> str:
        text = message(self.happened, details=self.details, means=self.means, do=self.do)
        return f"{text}\nSeen in: {self.evidence}." if self.evidence else text


@dataclass(frozen=True)
class Sink:
    """Where rows go. `kind` is kafka, memory, console, foreachBatch, foreach, file, noop or other.

    `name` is the topic, the table, the folder, or for the console the file that Java prints to.
    """

    kind: str = "other"
    name: str = ""


@dataclass(frozen=True)
class Topic:
    """An input topic: `records` in it now, those `before` the query's first offset, those `unread`.

    These are offsets; they equal records if the topic has no transactions.

    - `open`: records that wait for the end of a transaction
    - `lost`: records that were gone before this run could read them
    - `beyond`: the checkpoint is ahead of the topic's end
    - `there`: whether the broker has the topic
    """

    records: int = 0
    before: int = 0
    unread: int = 0
    partitions: int = 1
    open: int = 0
    lost: int = 0
    beyond: bool = False
    there: bool = True


@dataclass(frozen=True)
class SampledTime:
    """The event time (ISO 8601) of a record of a sample, and where the record is."""

    partition: int
    offset: int
    time: str


@dataclass(frozen=True)
class Passed:
    """How many rows of a sample reached a step, and how many passed it."""

    step: Step
    before: int
    after: int


@dataclass(frozen=True)
class Sample:
    """The newest records that a query has read of an input, and what its first steps make of them.

    - `rows` were found in so many `offsets`
    - `whole`: these are all the records that the query has read
    - `values`: some of the raw values
    - `columns`: the columns parsed from them; a column of a struct is named struct.column
    - `empty`: the columns that are null in every row
    - `schema`: the schema of from_json (Spark's JSON form)
    - `times`: the times of the column with the watermark, in the order of partition and offset
    - `without_value`: records with a key alone
    """

    rows: int
    offsets: int
    whole: bool = True
    values: tuple[bytes, ...] = ()
    columns: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    schema: dict[str, Any] | None = None
    times: tuple[SampledTime, ...] = ()
    passed: tuple[Passed, ...] = ()
    without_value: int = 0


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
    """A part of the plan that can remove rows.

    - `kind`: filter, table_join, stream_join, explode, python, limit, deduplicate, aggregate, own_state or
      batch_groups
    - `text`: a filter's condition, a join's type, a limit's number or an operator's name
    - `timed`: an operator with its own state sets timers by event time
    - `clocked`: it sets timers by processing time
    - `files`: the table of a table_join is read from files
    """

    kind: str
    text: str = ""
    timed: bool = False
    clocked: bool = False
    files: bool = False


@dataclass(frozen=True)
class NarrowedJoin:
    """An outer join that Spark runs as a different join, because of a condition downstream."""

    written: str
    run: str
    condition: str


@dataclass(frozen=True)
class EndlessState:
    """A stateful operator whose rows no watermark removes from its state.

    - `kind`: aggregate, deduplicate or stream_join
    - `text`: a join's type
    - `inputs`: of a join, the inputs without a watermark
    - `watermark`: whether a watermark is set below the operator
    """

    kind: str
    text: str = ""
    inputs: tuple[str, ...] = ()
    watermark: bool = False


@dataclass(frozen=True)
class FileInput:
    """A folder that a file source reads: files that it leaves out for their age, and files changed after it read them."""

    folder: str
    too_old: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


@dataclass(frozen=True)
class MissingColumn:
    """A column of a Python operator's schema that its code names otherwise, and is null in the rows written."""

    operator: str
    wanted: str
    named: str


@dataclass(frozen=True)
class Observation:
    """What is known about a query while it runs, or after its end; times are ISO 8601.

    - `progress`: Spark's progress events of this run, oldest first
    - `records`: the number of records from each input in this run, by name; None if it is unknown
    - `whole`: Spark still reports every micro-batch of the run
    - `resumed`: an earlier run with this checkpoint had read something
    - `kept`: there is a checkpoint to continue from
    - `watermark`: the watermark that the next batch would have
    - `window_ends`: the first end of a waiting window in each operator
    - `silent_brokers`: brokers that gave no answer in time
    - `unmatched`: patterns that fit no topic
    - `damage`: what is missing or broken in the checkpoint
    - `options`: the options of each Kafka input by its name; their names are in lower case
    - `unseen`: what could not be examined
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
    silent_brokers: list[str] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    samples: dict[str, Sample] = field(default_factory=dict)
    narrowed: NarrowedJoin | None = None
    misnamed: list[MissingColumn] = field(default_factory=list)
    endless: list[EndlessState] = field(default_factory=list)
    files: list[FileInput] = field(default_factory=list)
    options: dict[str, dict[str, str]] = field(default_factory=dict)
    unseen: list[str] = field(default_factory=list)

    @property
    def batches(self) -> list[dict[str, Any]]:
        """The micro-batches that ran; a query that idles reports progress, too."""
        return [event for event in self.progress if "addBatch" in event.get("durationMs", {})]

    @property
    def records_in(self) -> int | None:
        return None if self.records is None else sum(self.records.values())

    @property
    def rows_out(self) -> int | None:
        """Rows that reached the sink; None for a sink whose rows Spark does not count."""
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
        """Whether something in the query waits for the watermark before it emits a row."""
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

    @property
    def times(self) -> list[str]:
        """Event times that are known: of the streams, of the batches, of the samples."""
        known = [stream.newest for stream in self.streams]
        known += [e.get("eventTime", {}).get(n) for e in self.batches for n in ("min", "max")]
        known += [one.time for sample in self.samples.values() for one in sample.times]
        return [time for time in known if time and not time.startswith("1970-01-01T00:00:00")]

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
