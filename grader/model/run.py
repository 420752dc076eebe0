"""A query played on a scenario: one availableNow run per step, as replay plays it on Spark."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from grader.model.fates import Fate
from grader.model.operator_chain import Kinds, built, watching
from grader.model.operators import Batch, Operator, Reading, Row, Stateful, Watching
from grader.model.query import Query
from grader.model.timestamps import EPOCH, Window, as_json, written
from grader.model.unsupported import NotModelled
from grader.model.watermark import Tracker
from grader.scenario import Event, Scenario
from grader.scenario.recording import Batch as Recorded
from grader.scenario.recording import Operator as Counted
from grader.scenario.recording import Recording

MOST_BATCHES = (
    3  # in a step: its data, and the closing batch; a third would be a fault of the model
)


@dataclass(frozen=True)
class Watermarks:
    """The two of one operator in one batch (ISO 8601, UTC; None while no event has set one)."""

    drops: str | None
    evicts: str | None


@dataclass(frozen=True)
class Played:
    """A recording as replay makes it, and what no recording shows.

    That is what became of each event, and by batch the watermarks of its operators, in their order.
    """

    recording: Recording
    fates: list[Fate]
    watermarks: list[list[Watermarks]] = field(default_factory=list)


def run(query: Query, scenario: Scenario, *, name: str = "") -> Recording:
    """The recording of a query on a scenario; raises NotModelled, and Refused if Spark refuses."""
    return play(query, scenario, name=name).recording


def play(query: Query, scenario: Scenario, *, name: str = "") -> Played:
    """The same, and the fates of the events."""
    return played_by(Run(query), scenario, name=name)


def played_by(going: Run, scenario: Scenario, *, name: str = "") -> Played:
    """What a run that has not begun makes of a scenario: one with other rules plays by those."""
    for step in range(1, scenario.steps + 1):
        arrived: dict[str, list[tuple[int, Event]]] = {}
        for number, event in enumerate(scenario.events):
            if event.step == step:
                arrived.setdefault(event.input, []).append((number, event))
        going.step(step, arrived, scenario.clock_ms(step) if scenario.clocks else None)
    recording = Recording(name, "as_is", scenario.steps, batches=going.batches)
    return Played(recording, going.fates, going.ruled_by)


@dataclass
class Run:
    """One query on its way; what a class derived from it overrides is a rule that it changes.

    `kinds` are operators that take the place of the model's own.
    """

    query: Query
    kinds: Kinds = field(default_factory=dict)
    batches: list[Recorded] = field(default_factory=list)
    fates: list[Fate] = field(default_factory=list)
    ruled_by: list[list[Watermarks]] = field(default_factory=list)  # by batch and operator
    before: datetime = EPOCH  # the watermark of the batch before
    watermark: datetime = EPOCH

    def __post_init__(self) -> None:
        self.top = built(self.query, self.kinds)
        self.operators = _below(self.top)
        self.stateful = [o for o in self.operators if isinstance(o, Stateful)]
        self.inputs = [o.node.input for o in self.operators if isinstance(o, Reading)]
        self.propagated: dict[datetime, dict[int, datetime]] = {}

    def step(
        self, step: int, arrived: dict[str, list[tuple[int, Event]]], clock: int | None = None
    ) -> None:
        """One run: a batch of what is new, and a no-data batch if that is worthwhile.

        A run that finds nothing new runs no batch, whatever the watermark has become (the first
        run of all does run one). Spark: MicroBatchExecution.constructNextBatch. Under a scenario's
        clock (milliseconds since 1970) there are no no-data batches: replay turns them off, because
        they would never end.
        """
        if not any(arrived.get(name) for name in self.inputs) and self.batches:
            return
        tracker = self.tracker()
        self._batch(step, arrived, tracker, clock)
        if clock is not None:
            return
        for _ in range(MOST_BATCHES):
            if not self.another():
                return
            self._batch(step, {}, tracker, None)
        raise NotModelled(f"step {step} does not come to an end")

    def tracker(self) -> Tracker:
        return Tracker(self.query.policy, self.watermark)

    def watermarks(self) -> tuple[datetime, datetime]:
        """The watermarks of the next batch: the one by which it drops, and the one by which it evicts."""
        return self.before, self.watermark

    def another(self) -> bool:
        """Whether a no-data batch is worthwhile."""
        inputs = self._input_watermarks(self.watermarks()[1])
        return any(o.wants_another(inputs[id(o)]) for o in self.stateful)

    def _batch(
        self,
        step: int,
        arrived: dict[str, list[tuple[int, Event]]],
        tracker: Tracker,
        clock: int | None,
    ) -> None:
        late, evict = map(self._input_watermarks, self.watermarks())
        for operator in self.stateful:
            operator.late, operator.evict = late[id(operator)], evict[id(operator)]
        batch = Batch(len(self.batches), arrived, clock=clock)
        rows = self.top.run(batch)
        for row in rows:
            batch.note("out", row, "sink")
        self.batches.append(self._recorded(batch, step, rows))
        self.fates += batch.fates
        self.ruled_by.append([Watermarks(written(o.late), written(o.evict)) for o in self.stateful])
        self.before = self.watermark
        tracker.observe({n: o.newest for n, o in enumerate(watching(self.operators))})
        self.watermark = tracker.watermark

    def _recorded(self, batch: Batch, step: int, rows: list[Row]) -> Recorded:
        timed = any(isinstance(o, Watching) for o in self.operators)
        counted = [Counted(**vars(o.counted)) for o in self.stateful]
        return Recorded(
            id=batch.id,
            step=step,
            rows_in=sum(len(batch.arrived.get(name, [])) for name in self.inputs),
            watermark=written(self.watermark) if timed else None,
            rows=sorted((_json(dict(row.values)) for row in rows), key=_order),
            operators=counted,
        )

    def _input_watermarks(self, origin: datetime) -> dict[int, datetime]:
        """Each stateful operator's own watermark, by its id.

        It is the least of the watermarks that the operator's inputs emit; withWatermark emits the
        query's watermark. If no input has one, it is 1970 (Spark: PropagateWatermarkSimulator).
        """
        if origin not in self.propagated:
            self.propagated[origin] = {}
            _propagate(self.top, origin, self.propagated[origin])
        return self.propagated[origin]


def _propagate(operator: Operator, origin: datetime, found: dict[int, datetime]) -> datetime | None:
    below = [_propagate(given, origin, found) for given in operator.inputs]
    if isinstance(operator, Watching):
        return origin
    known = [watermark for watermark in below if watermark is not None]
    if isinstance(operator, Stateful):
        found[id(operator)] = min(known, default=EPOCH)
    if not known or origin == EPOCH:
        return EPOCH if known else None
    return operator.output_watermark(min(known))


def _below(operator: Operator) -> list[Operator]:
    """An operator and all below it, the uppermost first, as Spark's progress lists them."""
    return [operator, *(found for given in operator.inputs for found in _below(given))]


def _json(value: Any) -> Any:
    match value:
        case Window(start, end):
            return {"start": as_json(start), "end": as_json(end)}
        case datetime():
            return as_json(value)
        case dict():
            return {name: _json(one) for name, one in value.items()}
        case list() | tuple():
            return [_json(one) for one in value]
        case timedelta():
            raise NotModelled("a length of time as a result")
    return value


def _order(row: dict[str, Any]) -> str:
    return json.dumps(row, sort_keys=True)
