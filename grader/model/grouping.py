"""groupBy().agg(): by plain keys and time windows, and by sessions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from typing import Any

from grader.model.aggregates import Buffer, folded, merged, results
from grader.model.expressions import evaluate, truth
from grader.model.operators import Batch, Operator, Row, Stateful, is_past, one_time, passed_on
from grader.model.query import Aggregate, SessionWindow, TimeWindow
from grader.model.timestamps import Window, length
from grader.model.unsupported import NotModelled, Refused
from grader.model.windows import flow_together, session_of, windows_of

Group = tuple[Any, ...]


@dataclass(frozen=True)
class Kept:
    """What the state holds of a group: its buffer, and the events in it."""

    buffer: Buffer
    events: tuple[int, ...]


def times_of(node: Aggregate, child: Operator) -> dict[str, Any]:
    """The keys that carry event time: a window over it, or the column itself."""
    found = {}
    for name, key in node.keys.items():
        column = key.time if isinstance(key, TimeWindow | SessionWindow) else passed_on(key)
        if column in child.times:
            found[name] = child.times[column]
    return found


class Grouping(Stateful):
    """Groups by keys and windows (Spark: StateStoreSaveExec).

    Spark folds a batch to 1 row per group before it reads the state. So a late group counts as one
    dropped row, however many events are in it. Complete mode drops nothing and evicts nothing.
    """

    name = "stateStoreSave"

    def __init__(self, node: Aggregate, child: Operator, mode: str):
        super().__init__(child)
        self.node, self.mode = node, mode
        self.folds = list(node.results.values())
        self.times = times_of(node, child)
        self.time = one_time(self.times, "the aggregation")
        if mode == "append" and self.time is None:
            raise Refused("append mode needs a watermark on a key of the aggregation")
        self.state: dict[Group, Kept] = {}

    def answer(self, batch: Batch) -> list[Row]:
        touched = []
        for group, rows in self._groups(self.inputs[0].run(batch)).items():
            events = tuple(number for row in rows for number in row.events)
            if self.mode != "complete" and self._is_behind(group, self.late):
                self.drop(batch, Row({}, events), **self._keys(group))
                continue
            self._put(group, Kept(folded(self.folds, [row.values for row in rows]), events))
            batch.note("kept", Row({}, events), self.name, **self._keys(group))
            touched.append(group)
        self.counted.rows_updated = len(touched)
        if self.mode == "complete":
            return self._rows(self.state)
        old = [group for group in self.state if self._is_behind(group, self.evict)]
        rows = self._rows(old if self.mode == "append" else touched)
        for group in old:
            del self.state[group]
        self.counted.rows_removed = len(old)
        return rows

    def size(self) -> int:
        return len(self.state)

    def wants_another(self, watermark: datetime) -> bool:
        return self.mode != "complete" and super().wants_another(watermark)

    def _groups(self, rows: Iterable[Row]) -> dict[Group, list[Row]]:
        found: dict[Group, list[Row]] = {}
        for row in rows:
            for group in product(*(self.choices(key, row) for key in self.node.keys.values())):
                if all(truth(c, self._keys(group)) for c in self.node.only):
                    found.setdefault(group, []).append(row)
        return found

    def choices(self, key: Any, row: Row) -> list[Any]:
        """A key's values for a row: as many as there are windows that hold it."""
        if isinstance(key, TimeWindow):
            return list(windows_of(row.values[key.time], key))
        return [evaluate(key, row.values)]

    def _keys(self, group: Group) -> dict[str, Any]:
        return dict(zip(self.node.keys, group, strict=True))

    def _put(self, group: Group, new: Kept) -> None:
        old = self.state.get(group)
        if old is not None:
            new = Kept(merged(self.folds, old.buffer, new.buffer), old.events + new.events)
        self.state[group] = new

    def _is_behind(self, group: Group, watermark: datetime) -> bool:
        return self.time is not None and is_past(self._keys(group)[self.time], watermark)

    def _rows(self, groups: Iterable[Group]) -> list[Row]:
        return [
            row_of_group(self.node, self._keys(group), self.folds, self.state[group])
            for group in groups
        ]


def row_of_group(node: Aggregate, keys: dict[str, Any], folds: list[Any], kept: Kept) -> Row:
    values = zip(node.results, results(folds, kept.buffer), strict=True)
    return Row({**keys, **dict(values)}, kept.events)


@dataclass(frozen=True)
class Session:
    window: Window
    kept: Kept


class Sessions(Stateful):
    """Groups by sessions (Spark: SessionWindowStateStoreRestoreExec and …SaveExec).

    At first each event is its own session. Equal sessions that one task read are folded; a late session
    then counts as one dropped row. The other sessions merge with those in the state of the same key. All
    sessions of that key are written again, and sessions with a different beginning are removed.
    """

    name = "sessionWindowStateStoreSaveExec"

    def __init__(self, node: Aggregate, child: Operator, mode: str):
        super().__init__(child)
        self.node, self.mode = node, mode
        self.folds = list(node.results.values())
        self.session, self.window = _session_key(node)
        self.others = {name: key for name, key in node.keys.items() if name != self.session}
        self.times = times_of(node, child)
        self.time = one_time(self.times, "the aggregation")
        if mode == "update":
            raise Refused("session windows do not run in update mode")
        if not self.others:
            raise Refused("a session window needs another key beside it")
        if mode == "append" and self.time != self.session:
            raise Refused("append mode needs a watermark on the session's time")
        self.state: dict[Group, list[Session]] = {}

    def answer(self, batch: Batch) -> list[Row]:
        for group, sessions in self._in_time(batch).items():
            self.write(group, sessions)
        if self.mode == "complete":
            return self._rows((group, s) for group, all in self.state.items() for s in all)
        old = [
            (group, session)
            for group, sessions in self.state.items()
            for session in sessions
            if is_past(session.window, self.evict)
        ]
        for group, session in old:
            self.state[group].remove(session)
        self.counted.rows_removed += len(old)
        return self._rows(old)

    def size(self) -> int:
        return sum(map(len, self.state.values()))

    def wants_another(self, watermark: datetime) -> bool:
        return self.mode != "complete" and super().wants_another(watermark)

    def _in_time(self, batch: Batch) -> dict[Group, list[Session]]:
        """The batch's own sessions that are not late, by key."""
        found: dict[Group, list[Session]] = {}
        for (_, group, window), rows in self._alone(batch).items():
            events = tuple(number for row in rows for number in row.events)
            named = {**dict(zip(self.others, group, strict=True)), self.session: window}
            if self.time is not None and is_past(window, self.late):
                self.drop(batch, Row({}, events), **named)
                continue
            batch.note("kept", Row({}, events), self.name, **named)
            kept = Kept(folded(self.folds, [row.values for row in rows]), events)
            found.setdefault(group, []).append(Session(window, kept))
        return found

    def _alone(self, batch: Batch) -> dict[tuple[Any, Group, Window], list[Row]]:
        """Each event's own session; equal ones of one task together."""
        found: dict[tuple[Any, Group, Window], list[Row]] = {}
        for row in self.inputs[0].run(batch):
            time, gap = row.values[self.window.time], self._gap(row)
            if not isinstance(time, datetime):
                raise NotModelled("a session window over a window")
            if not isinstance(gap, str | None):
                raise Refused(f"a gap that is no text: {gap!r}")
            window = None if gap is None else session_of(time, length(gap))
            if window is None:
                batch.note("filtered", row, self.name)
                continue
            group = tuple(evaluate(key, row.values) for key in self.others.values())  # type: ignore[arg-type]
            found.setdefault((row.task, group, window), []).append(row)
        return found

    def _gap(self, row: Row) -> str | None:
        gap = self.window.gap
        return gap if isinstance(gap, str) else evaluate(gap, row.values)

    def write(self, group: Group, new: list[Session]) -> None:
        old = self.state.get(group, [])
        all = sorted([*old, *new], key=lambda session: session.window.start)
        flowed = [all[0]]
        for session in all[1:]:
            if self.together(flowed[-1].window, session.window):
                flowed[-1] = self.one(flowed[-1], session)
            else:
                flowed.append(session)
        starts = {session.window.start for session in flowed}
        self.state[group] = flowed
        self.counted.rows_updated += len(flowed)
        self.counted.rows_removed += sum(s.window.start not in starts for s in old)

    def together(self, earlier: Window, later: Window) -> bool:
        return flow_together(earlier, later)

    def one(self, a: Session, b: Session) -> Session:
        window = Window(a.window.start, max(a.window.end, b.window.end))
        buffer = merged(self.folds, a.kept.buffer, b.kept.buffer)
        return Session(window, Kept(buffer, a.kept.events + b.kept.events))

    def _rows(self, sessions: Iterable[tuple[Group, Session]]) -> list[Row]:
        return [
            row_of_group(self.node, {**keys, self.session: s.window}, self.folds, s.kept)
            for group, s in sessions
            for keys in [dict(zip(self.others, group, strict=True))]
        ]


def _session_key(node: Aggregate) -> tuple[str, SessionWindow]:
    found = [(n, k) for n, k in node.keys.items() if isinstance(k, SessionWindow)]
    if len(found) != 1 or any(isinstance(k, TimeWindow) for k in node.keys.values()):
        raise NotModelled("a session window beside another window")
    return found[0]
