"""applyInPandasWithState: a learner's own function, called group by group, with state and timeouts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import permutations
from typing import Any

from grader.model.operators import Batch, Operator, Row, Stateful, is_past, one_time
from grader.model.query import WithState
from grader.model.timestamps import EPOCH, MILLISECOND
from grader.model.unsupported import NotModelled, Refused

TIMEOUTS = ("NoTimeout", "EventTimeTimeout", "ProcessingTimeTimeout")
MOST_TASKS = 4  # whose orders are tried: a group's rows may come in each of them
Group = tuple[Any, ...]


@dataclass(frozen=True)
class Kept:
    """What the store holds of a group: the value, when its time is up, and the events in it.

    If the function removed the value and set a timeout, the value is None and only the timeout is kept.
    The `timeout` is in milliseconds since 1970, or None.
    """

    value: tuple[Any, ...] | None
    timeout: int | None
    events: tuple[int, ...]


class GroupState:
    """The state of one group in one call, as PySpark's GroupState has it (its names, too).

    What was updated, removed or set here is written when the call is over. The `watermark` and the
    `clock` are in milliseconds since 1970, or None if the query has none.
    """

    def __init__(
        self,
        kept: Kept | None,
        timeouts: str,
        *,
        timed_out: bool,
        watermark: int | None,
        clock: int | None,
    ):
        self._value = kept.value if kept else None
        self._timeouts, self._watermark, self._clock = timeouts, watermark, clock
        self._timed_out = timed_out
        self.updated = self.removed = False
        # this call does not know one that an earlier call has set
        self.timeout: int | None = None

    @property
    def exists(self) -> bool:
        return self._value is not None

    @property
    def get(self) -> tuple[Any, ...]:
        if self._value is None:
            raise Refused("there is no state to get")
        return self._value

    @property
    def getOption(self) -> tuple[Any, ...] | None:  # noqa: N802 (Spark's own names)
        return self._value

    @property
    def hasTimedOut(self) -> bool:  # noqa: N802
        """Whether this call is for a time that is up, and not for rows."""
        return self._timed_out

    def update(self, value: tuple[Any, ...]) -> None:
        self._value = tuple(value)
        self.updated, self.removed = True, False

    def remove(self) -> None:
        """Take the value away. A timeout that this call has set stays, and a row with it."""
        self._value = None
        self.updated, self.removed = False, True

    def setTimeoutTimestamp(self, at: int) -> None:  # noqa: N802
        """Time is up when the watermark has passed `at`, which must not be before it."""
        if self._timeouts != "EventTimeTimeout":
            raise Refused("setTimeoutTimestamp needs EventTimeTimeout")
        if not isinstance(at, int):
            raise NotModelled(f"a timeout at {at!r}, which are no whole milliseconds")
        if at <= 0:
            raise Refused(f"a timeout at {at} milliseconds after 1970")
        if self._watermark is not None and at < self._watermark:
            raise Refused(f"a timeout at {at}, before the watermark at {self._watermark}")
        self.timeout = at

    def setTimeoutDuration(self, milliseconds: int) -> None:  # noqa: N802
        """Time is up when the clock has passed the time of this batch plus this duration."""
        if self._timeouts != "ProcessingTimeTimeout":
            raise Refused("setTimeoutDuration needs ProcessingTimeTimeout")
        if not isinstance(milliseconds, int):
            raise NotModelled(f"a timeout after {milliseconds!r}, no whole milliseconds")
        if milliseconds <= 0:
            raise Refused(f"a timeout after {milliseconds} milliseconds")
        self.timeout = self.getCurrentProcessingTimeMs() + milliseconds

    def getCurrentWatermarkMs(self) -> int:  # noqa: N802
        if self._watermark is None:
            raise Refused("there is no watermark before the function")
        return self._watermark

    def getCurrentProcessingTimeMs(self) -> int:  # noqa: N802
        if self._clock is None:
            raise NotModelled("the machine's clock: no step of the scenario has a clock")
        return self._clock


class Applying(Stateful):
    """A learner's own function with state by group (Spark: FlatMapGroupsInPandasWithStateExec).

    In a batch Spark calls it first for each group that has rows. After that, Spark calls it for each group
    that has timed out by then (`newDataProcessorIter ++ timeoutProcessorIter` in
    FlatMapGroupsWithStateExecBase). What a call for rows has set or left decides whether the group times out
    in the same batch.
    """

    name = "applyInPandasWithState"

    def __init__(self, node: WithState, child: Operator, mode: str):
        super().__init__(child)
        self.node = node
        self.time = one_time(self.times, "the function with state")
        self.times = {}  # nothing is known about the times of output rows (produceOutputWatermark)
        self._check(mode)
        self.state: dict[Group, Kept] = {}

    def _check(self, mode: str) -> None:
        """What Spark refuses (UnsupportedOperationChecker)."""
        if self.node.timeout not in TIMEOUTS:
            raise NotModelled(f"the timeout {self.node.timeout!r}; known are {TIMEOUTS}")
        if self.node.mode != mode:
            raise Refused(f"a function in {self.node.mode} mode in a query in {mode} mode")
        if self.node.timeout == "EventTimeTimeout" and self.time is None:
            raise Refused("EventTimeTimeout needs a watermark before the function")

    def answer(self, batch: Batch) -> list[Row]:
        if self.node.timeout == "ProcessingTimeTimeout" and batch.clock is None:
            raise NotModelled("ProcessingTimeTimeout without a clock in each step")
        out = []
        for group, rows in self._groups(batch).items():
            for row in rows:
                batch.note("kept", row, self.name, **dict(zip(self.node.keys, group, strict=True)))
            out += self._call(batch, group, rows)
        for group in [g for g, kept in self.state.items() if self._over(kept, batch)]:
            out += self._call(batch, group, [], timed_out=True)
        return out

    def size(self) -> int:
        return len(self.state)

    def wants_another(self, watermark: datetime) -> bool:
        """Only for timeouts in event time (`shouldRunAnotherBatch`).

        With processing-time timeouts Spark runs batches without end, except in a scenario with clocks.
        """
        return self.node.timeout == "EventTimeTimeout" and super().wants_another(watermark)

    def _groups(self, batch: Batch) -> dict[Group, list[Row]]:
        """The rows of each group, in the order in which they came.

        Late rows are left out only with EventTimeTimeout, and count one by one
        (`applyRemovingRowsOlderThanWatermark`): any other function sees them, with or without a watermark.
        """
        found: dict[Group, list[Row]] = {}
        for row in self.inputs[0].run(batch):
            group = tuple(row.values[name] for name in self.node.keys)
            late = self.time is not None and is_past(row.values[self.time], self.late)
            if late and self.node.timeout == "EventTimeTimeout":
                self.drop(batch, row, **dict(zip(self.node.keys, group, strict=True)))
            else:
                found.setdefault(group, []).append(row)
        return found

    def _over(self, kept: Kept, batch: Batch) -> bool:
        """Whether a group's time is up: passed, and not only reached (`processTimedOutState`).

        In event time the watermark that evicts decides; in processing time, the clock of the batch.
        """
        by_clock = self.node.timeout == "ProcessingTimeTimeout"
        now = batch.clock if by_clock else _milliseconds(self.evict)
        return kept.timeout is not None and now is not None and kept.timeout < now

    def _call(
        self, batch: Batch, group: Group, rows: list[Row], *, timed_out: bool = False
    ) -> list[Row]:
        """One call of the function, and what it leaves in the store (`process`).

        A call that neither updates, removes nor sets a timeout leaves everything as it was. That includes
        an earlier timeout, so the group times out again in the next batch. A call that updates and sets no
        timeout leaves no timeout. A removal counts even if there was nothing.
        """
        kept = self.state.get(group)
        orders = list(_orders(rows))
        values, state = self._made(batch, group, kept, orders[0], timed_out)
        for order in orders[1:]:
            others, other = self._made(batch, group, kept, order, timed_out)
            if (_sorted(values), vars(state)) != (_sorted(others), vars(other)):
                raise NotModelled("rows of one group from several partitions, whose order matters")
        events = (kept.events if kept else ()) + tuple(n for row in rows for n in row.events)
        if state.removed and state.timeout is None:
            self.state.pop(group, None)
            self.counted.rows_removed += 1
        elif state.updated or state.removed or state.timeout is not None:
            self.state[group] = Kept(state.getOption, state.timeout, events)
            self.counted.rows_updated += 1
        return [Row(found, events) for found in values]

    def _made(
        self, batch: Batch, group: Group, kept: Kept | None, rows: Sequence[Row], timed_out: bool
    ) -> tuple[list[dict[str, Any]], GroupState]:
        """The rows that the function gives, and the state as it leaves it."""
        state = GroupState(
            kept,
            self.node.timeout,
            timed_out=timed_out,
            watermark=None if self.time is None else _milliseconds(self.evict),
            clock=batch.clock,
        )
        try:
            found = list(self.node.function(group, [dict(row.values) for row in rows], state))
        except (NotModelled, Refused):
            raise
        except Exception as error:
            raise Refused(f"the function ended in {type(error).__name__}: {error}") from error
        if any(set(row) != set(self.node.columns) for row in found):
            raise NotModelled(f"the function gave rows of other columns than {self.node.columns}")
        return found, state


def _orders(rows: Sequence[Row]) -> Iterable[list[Row]]:
    """The orders in which a group's rows may come.

    Those of one task keep theirs through shuffle and sort; of several tasks, the one that ends
    first comes first.
    """
    tasks: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        tasks.setdefault(row.task, []).append(row)
    if len(tasks) > MOST_TASKS:
        raise NotModelled(f"rows of one group from more than {MOST_TASKS} partitions")
    for order in permutations(tasks.values()):
        yield [row for of_task in order for row in of_task]


def _sorted(rows: list[dict[str, Any]]) -> list[str]:
    """The rows without their order: nothing in a batch says which row was emitted first."""
    return sorted(repr(sorted(row.items())) for row in rows)


def _milliseconds(time: datetime) -> int:
    return (time - EPOCH) // MILLISECOND
