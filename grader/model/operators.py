"""What runs: an operator takes the rows of a micro-batch and gives others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from grader.model.expressions import Call, Column, conjuncts, evaluate, truth
from grader.model.fates import Fate
from grader.model.json_rows import row_of
from grader.model.query import Filter, Project, Source, Watermark
from grader.model.timestamps import EPOCH, Window, length, to_the_millisecond
from grader.model.unsupported import NotModelled, Refused
from grader.scenario import Event
from grader.scenario.recording import Operator as Counted


@dataclass(frozen=True)
class Row:
    """Values by column, the numbers of the events in it, and the task that read it.

    The task is the input and the Kafka partition: rows of two tasks are not folded before they
    are shuffled.
    """

    values: Mapping[str, Any]
    events: tuple[int, ...]
    task: tuple[Any, ...] = ()


@dataclass
class Batch:
    """The micro-batch that runs: its number, what arrived by input, and what became of it.

    The `clock` is its processing time in milliseconds since 1970, if the scenario has clocks.
    """

    id: int
    arrived: Mapping[str, list[tuple[int, Event]]]
    fates: list[Fate] = field(default_factory=list)
    clock: int | None = None

    def without(self, inputs: Iterable[str]) -> bool:
        """Whether the batch has no new rows of these; the first batch of a query reads all of them."""
        return self.id > 0 and not any(self.arrived.get(name) for name in inputs)

    def note(self, what: str, row: Row, operator: str, **key: Any) -> None:
        self.fates += [Fate(number, self.id, what, operator, key) for number in row.events]


class Operator:
    """`times` are the columns with a watermark, and the delay that each was given."""

    def __init__(self, *inputs: Operator):
        self.inputs = inputs
        self.times: dict[str, timedelta] = {
            name: delay for given in inputs for name, delay in given.times.items()
        }

    def run(self, batch: Batch) -> list[Row]:
        raise NotImplementedError

    def output_watermark(self, given: datetime) -> datetime:
        """How far the output rows are complete, if the input rows are complete up to `given`."""
        return given


class Reading(Operator):
    def __init__(self, node: Source):
        super().__init__()
        self.node = node

    def run(self, batch: Batch) -> list[Row]:
        arrived = batch.arrived.get(self.node.input, [])
        return [
            Row(row_of(event, self.node.columns), (number,), (id(self), event.partition))
            for number, event in arrived
        ]


class Filtering(Operator):
    def __init__(self, node: Filter, child: Operator):
        super().__init__(child)
        self.node = node

    def run(self, batch: Batch) -> list[Row]:
        rows = self.inputs[0].run(batch)
        if self.node.idle and not batch.without(self.node.idle):
            return rows
        kept = []
        for row in rows:
            if truth(self.node.condition, row.values):
                kept.append(row)
            else:
                self._note(batch, row)
        return kept

    def _note(self, batch: Batch, row: Row) -> None:
        """Spark filters null keys and times by itself, so the null is the reason that a reader knows."""
        false = next(c for c in conjuncts(self.node.condition) if not truth(c, row.values))
        match false:
            case Call("is_not_null", (Column(name),)):
                batch.note("null", row, name)
            case _:
                batch.note("filtered", row, "filter")


class Projecting(Operator):
    """A column that is only passed on keeps its watermark; what is computed from it has none.

    `window_time` of a window passes it on, too (Spark: ResolveWindowTime).
    """

    def __init__(self, node: Project, child: Operator):
        super().__init__(child)
        self.node = node
        self.times = {
            name: child.times[passed]
            for name, expression in node.columns.items()
            if (passed := passed_on(expression)) in child.times
        }

    def run(self, batch: Batch) -> list[Row]:
        return [
            Row(
                {name: evaluate(e, row.values) for name, e in self.node.columns.items()},
                row.events,
                row.task,
            )
            for row in self.inputs[0].run(batch)
        ]


def passed_on(expression: Any) -> str | None:
    """The column whose event time an expression passes on; so does a window made of it in a select."""
    match expression:
        case Column(name) | Call("window_time", (Column(name),)):
            return name
        case Call("tumbled", (Column(name), _, _)):
            return name
    return None


class Watching(Operator):
    """withWatermark: it notes the latest event time that comes by (EventTimeWatermarkExec).

    A row without a time counts as one of 1970. All rows pass: the stateful operators decide what is
    late.
    """

    def __init__(self, node: Watermark, child: Operator):
        super().__init__(child)
        if self.times:
            raise NotModelled("a second withWatermark on one stream")
        self.column, self.delay = node.column, length(node.delay)
        if self.delay < timedelta():
            raise Refused("the delay of a watermark is not negative")
        self.times = {node.column: self.delay}
        self.newest: datetime | None = None

    def run(self, batch: Batch) -> list[Row]:
        rows = self.inputs[0].run(batch)
        times = [row.values[self.column] or EPOCH for row in rows]
        newest = max(times, default=None)
        self.newest = None if newest is None else to_the_millisecond(newest) - self.delay
        return rows


class Uniting(Operator):
    """Union: the rows of both, which keep the tasks that they came from.

    What its columns carry is taken from the first stream alone, the delay too (Spark:
    Union.output): a watermark of the second only is not one of the union.
    """

    def __init__(self, left: Operator, right: Operator):
        super().__init__(left, right)
        self.times = dict(left.times)

    def run(self, batch: Batch) -> list[Row]:
        return [row for given in self.inputs for row in given.run(batch)]


class Stateful(Operator):
    """An operator with state. Two watermarks rule it.

    - `late`: its watermark in the batch before; what is at or before it is dropped
    - `evict`: its watermark in this batch; state at or before it is evicted

    Spark: `getInputWatermarkForLateEvents` and `getInputWatermarkForEviction` in WatermarkPropagator.
    """

    name = ""

    def __init__(self, *inputs: Operator):
        super().__init__(*inputs)
        self.late = self.evict = EPOCH
        self.counted = Counted(self.name)

    def run(self, batch: Batch) -> list[Row]:
        self.counted = Counted(self.name)
        rows = self.answer(batch)
        self.counted.rows_total = self.size()
        return rows

    def answer(self, batch: Batch) -> list[Row]:
        raise NotImplementedError

    def size(self) -> int:
        raise NotImplementedError

    def wants_another(self, watermark: datetime) -> bool:
        """Whether this watermark makes a no-data batch worthwhile."""
        return watermark > self.evict

    def drop(self, batch: Batch, row: Row, **key: Any) -> None:
        self.counted.dropped += 1
        batch.note("late", row, self.name, **key)


def is_past(time: datetime | Window | None, watermark: datetime) -> bool:
    """Whether a time, or the whole of a window, is at or before a watermark (WatermarkSupport)."""
    if time is None:
        return False
    return (time.end if isinstance(time, Window) else time) <= watermark


def one_time(times: Mapping[str, timedelta], operator: str) -> str | None:
    """The time column that an operator follows; Spark refuses two (MULTIPLE_EVENT_TIME_COLUMNS)."""
    if len(times) > 1:
        raise Refused(f"{operator} has the event-time columns {sorted(times)} to choose from")
    return next(iter(times), None)
