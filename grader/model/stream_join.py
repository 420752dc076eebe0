"""Stream-stream joins with a limit on how far apart the two times may be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from grader.model.expressions import truth
from grader.model.operators import Batch, Operator, Row, Stateful, is_past, one_time
from grader.model.query import Interval, Join
from grader.model.timestamps import MILLISECOND, length
from grader.model.unsupported import NotModelled, Refused

KINDS = ("inner", "left", "right")


@dataclass
class Waiting:
    """A row in the state of one side, and whether it has found a partner."""

    row: Row
    matched: bool


class Side:
    """One side: its rows by key, its time, and what the other side's watermark allows to evict."""

    def __init__(self, input: Operator, keys: list[str], columns: list[str]):
        self.input, self.keys, self.columns = input, keys, columns
        self.time = one_time(input.times, "one side of the join")
        self.state: dict[tuple[Any, ...], list[Waiting]] = {}
        # rows at or before (watermark + offset) find no partner any more; None: they wait forever
        self.offset: timedelta | None = None

    def key(self, row: Row) -> tuple[Any, ...]:
        return tuple(row.values[name] for name in self.keys)

    def over(self, row: Row, watermark: datetime) -> bool:
        if self.offset is None or self.time is None:
            return False
        return is_past(row.values[self.time], watermark + self.offset)

    def remove(self, watermark: datetime) -> list[Waiting]:
        """Evict the rows that can have no partner any more; returns them."""
        old = [w for found in self.state.values() for w in found if self.over(w.row, watermark)]
        self.state = {
            key: left
            for key, found in self.state.items()
            if (left := [w for w in found if not self.over(w.row, watermark)])
        }
        return old

    def size(self) -> int:
        return sum(map(len, self.state.values()))


class Pairing(Stateful):
    """Joins two streams (Spark: StreamingSymmetricHashJoinExec).

    First, each new row of the left side meets the kept rows of the right side, and is then kept. After that,
    each new row of the right side meets the kept rows of the left side, including the new ones. A row of an
    outer side that found no partner is emitted with nulls when its state is evicted.
    """

    name = "symmetricHashJoin"

    def __init__(self, node: Join, sides: tuple[Side, Side], mode: str):
        super().__init__(*(side.input for side in sides))
        if node.kind not in KINDS:
            raise NotModelled(f"a {node.kind} join; known are {KINDS}")
        if not node.keys:
            raise NotModelled("a join without equal keys")
        if node.only is not None and node.kind != "inner":
            raise NotModelled("a condition on the pairs of an outer join")
        if mode == "complete":
            raise Refused("a join of streams does not run in complete mode")
        self.node = node
        self.left, self.right = sides
        if node.within is not None:
            self.limit(node.within)
        if node.kind != "inner":
            self._demand_an_end(self.left if node.kind == "left" else self.right, mode)

    def limit(self, within: Interval) -> None:
        """How long each side waits (StreamingJoinHelper.getStateValueWatermark).

        Take `right <= left + upper`. When the right side has reached W, left rows at or before W - upper
        find no partner. If the bound is inclusive, this limit is a millisecond less. The same holds with
        `left + lower <= right` for right rows.
        """
        if (within.left_time, within.right_time) != (self.left.time, self.right.time):
            raise NotModelled("an interval of other columns than those with the watermarks")
        if set(self.times) & {*self.node.keys, *self.node.keys.values()}:
            raise NotModelled("a join on event time itself")
        if within.upper is not None:
            self.left.offset = -length(within.upper) - MILLISECOND * within.upper_inclusive
        if within.lower is not None:
            self.right.offset = length(within.lower) - MILLISECOND * within.lower_inclusive

    def _demand_an_end(self, outer: Side, mode: str) -> None:
        if mode != "append":
            raise Refused("an outer join of streams runs in append mode alone")
        if outer.offset is None:
            raise Refused("an outer join needs watermarks and a condition that ends the waiting")

    def answer(self, batch: Batch) -> list[Row]:
        left = self._in_time(batch, self.left)
        right = self._in_time(batch, self.right)
        out = [pair for row in left for pair in self._meet(batch, row, self.left, self.right)]
        out += [pair for row in right for pair in self._meet(batch, row, self.right, self.left)]
        for side in (self.left, self.right):
            gone = side.remove(self.evict)
            if side is self._outer():
                out += [self._alone(waiting.row) for waiting in gone if not waiting.matched]
            else:
                # Spark counts those of an outer side nowhere
                self.counted.rows_removed += len(gone)
        return out

    def size(self) -> int:
        return self.left.size() + self.right.size()

    def wants_another(self, watermark: datetime) -> bool:
        bounded = any(s.offset is not None for s in (self.left, self.right))
        return bounded and super().wants_another(watermark)

    def output_watermark(self, given: datetime) -> datetime:
        """An output row can be as old as the oldest row that still waits (SPARK-40925)."""
        offsets = [s.offset for s in (self.left, self.right) if s.offset is not None]
        return min([given, *(given + offset for offset in offsets)])

    def _outer(self) -> Side | None:
        return {"left": self.left, "right": self.right}.get(self.node.kind)

    def _in_time(self, batch: Batch, side: Side) -> Iterable[Row]:
        kept = []
        for row in side.input.run(batch):
            if side.time is not None and is_past(row.values[side.time], self.late):
                self.drop(batch, row)
            else:
                kept.append(row)
        return kept

    def _meet(self, batch: Batch, row: Row, mine: Side, other: Side) -> list[Row]:
        pairs = []
        for waiting in other.state.get(mine.key(row), []):
            left, right = (row, waiting.row) if mine is self.left else (waiting.row, row)
            if self._near(left, right):
                waiting.matched = True
                pairs.append(Row({**left.values, **right.values}, left.events + right.events))
        if self._worth_keeping(row, mine, bool(pairs)):
            mine.state.setdefault(mine.key(row), []).append(Waiting(row, bool(pairs)))
            self.counted.rows_updated += 1
            batch.note("kept", row, self.name)
        return pairs

    def _worth_keeping(self, row: Row, mine: Side, matched: bool) -> bool:
        """A right row whose time is over has met all it can: the left side came first."""
        if mine is self.left or not mine.over(row, self.evict):
            return True
        return self.node.kind == "right" and not matched

    def _near(self, left: Row, right: Row) -> bool:
        within, only = self.node.within, self.node.only
        if only is not None and not truth(only, {**left.values, **right.values}):
            return False
        if within is None:
            return True
        start, time = left.values[within.left_time], right.values[within.right_time]
        if start is None or time is None:
            return False
        return _at_least(time, start, within.lower, within.lower_inclusive) and _at_most(
            time, start, within.upper, within.upper_inclusive
        )

    def _alone(self, row: Row) -> Row:
        names = [*self.left.columns, *self.right.columns]
        return Row({**dict.fromkeys(names), **row.values}, row.events)


def _at_least(time: datetime, start: datetime, bound: str | None, inclusive: bool) -> bool:
    if bound is None:
        return True
    limit = start + length(bound)
    return time > limit or (inclusive and time == limit)


def _at_most(time: datetime, start: datetime, bound: str | None, inclusive: bool) -> bool:
    if bound is None:
        return True
    limit = start + length(bound)
    return time < limit or (inclusive and time == limit)
