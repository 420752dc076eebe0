"""Where a column is resolved: among the columns of a frame, or in an aggregation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NoReturn

from grader.model.expressions import Column as ModelColumn
from grader.model.expressions import Expression, call
from grader.model.query import Fold, SessionWindow, TimeWindow
from grader.model.timestamps import length
from grader.page.lab_only import OnlyTheLab, modelled
from grader.page.pyspark_stand_in.raised_errors import unresolved_column
from grader.page.pyspark_stand_in.typed_value import Typed, applied, column_name, literal

_PART = re.compile(r"`([^`]+)`|([^.`]+)")
_numbers = count(1)


@dataclass(frozen=True)
class Field:
    """A column of a frame.

    - `name`: as the learner sees it
    - `key`: its identity; a column that gets a watermark is another column
    - `column`: its name in the model's query
    - `qualifiers`: the aliases of the frames that it is from
    - `origin`: the column of an input that it was made of alone, otherwise its own name
    """

    name: str
    type: str
    key: int
    column: str
    qualifiers: frozenset[str] = frozenset()
    origin: str = ""

    @property
    def typed(self) -> Typed:
        return Typed(ModelColumn(self.column), self.type, self.name)


def new_key() -> int:
    return next(_numbers)


@dataclass
class Scope:
    """Resolves columns by name or by identity; `present` are times that must not be null for a window."""

    fields: Sequence[Field]
    present: list[Expression] = field(default_factory=list)

    def named(self, name: str) -> Typed:
        """The column that a name such as `page`, `clicks.page` or `window.start` is."""
        parts = [quoted or plain for quoted, plain in _PART.findall(name)]
        if not parts:
            raise OnlyTheLab(f"the column name {name!r}")
        if len(parts) > 1:
            found = [f for f in self.fields if parts[0] in f.qualifiers and f.name == parts[1]]
            if found:
                return _inner(self._one(found, name), parts[2:])
        found = [f for f in self.fields if f.name == parts[0]]
        if not found:
            self._refuse(name, parts)
        return _inner(self._one(found, name), parts[1:])

    def keyed(self, key: int, name: str) -> Typed:
        """The column with an identity: one that was taken from this very frame, or passed on unchanged."""
        found = [f for f in self.fields if f.key == key]
        if len(found) != 1:
            raise OnlyTheLab(f"the column {name} of another DataFrame")
        return found[0].typed

    def _one(self, found: list[Field], name: str) -> Field:
        if len(found) > 1:
            raise OnlyTheLab(f"the name {name} of two columns")
        return found[0]

    def _refuse(self, name: str, parts: list[str]) -> NoReturn:
        known = {f.name.lower() for f in self.fields}
        qualifiers = {q.lower() for f in self.fields for q in f.qualifiers}
        if parts[0].lower() in known | qualifiers or len(parts) > 1:
            raise OnlyTheLab(f"the column name {name!r}")
        raise unresolved_column(parts[0], [f.name for f in self.fields])

    def window(self, time: Typed, duration: str, slide: str | None, start: str) -> Typed:
        """A window in a select: for each row the one that holds its time; rows without a time are dropped."""
        if time.type not in ("timestamp", "window") or column_name(time) is None:
            raise OnlyTheLab("a window over a computed time in a select")
        if slide is not None and length(slide) != length(duration):
            raise OnlyTheLab("sliding windows in a select")
        lengths = [literal(length(text)) for text in (duration, start)]
        if length(duration).total_seconds() <= 0 or abs(length(start)) >= length(duration):
            raise OnlyTheLab("a window of such a length")
        self.present.append(call("is_not_null", time.of))
        return Typed(applied("tumbled", "window", time, *lengths).of, "window", "window")

    def session(self, time: Typed, gap: Any) -> Typed:
        raise OnlyTheLab("a session window outside of groupBy")

    @contextmanager
    def rows(self) -> Iterator[None]:
        """In the block, columns are those of the rows that are read."""
        yield


class KeyScope(Scope):
    """Resolves the keys of a grouping: a window is a key of its own.

    `computed` are times that the grouping needs as columns of their own.
    """

    def __init__(self, fields: Sequence[Field]):
        super().__init__(fields)
        self.computed: dict[str, Expression] = {}

    def window(self, time: Typed, duration: str, slide: str | None, start: str) -> Typed:
        return Typed(TimeWindow(self._time(time), duration, slide, start), "window", "window")

    def session(self, time: Typed, gap: Any) -> Typed:
        if time.type != "timestamp":
            raise OnlyTheLab(f"a session window over a {time.type}")
        return Typed(SessionWindow(self._time(time), gap), "window", "session_window")

    def _time(self, time: Typed) -> str:
        if time.type not in ("timestamp", "window"):
            raise OnlyTheLab(f"a window over a {time.type}")
        name = column_name(time)
        if name is None:
            name = f"_time{len(self.computed)}"
            self.computed[name] = time.of
        return name


class ResultScope(Scope):
    """Resolves what an aggregation returns: its keys, its aggregate functions, and what is computed of them."""

    def __init__(self, fields: Sequence[Field], keys: Sequence[Field], key_values: Sequence[Typed]):
        super().__init__(fields)
        self.keys, self.key_values = keys, key_values
        self.folds: dict[str, Fold] = {}
        self._inside = False

    def named(self, name: str) -> Typed:
        if self._inside:
            return super().named(name)
        try:
            return Scope(self.keys).named(name)
        except Exception:
            raise OnlyTheLab(f"{name}, which is no key, outside of an aggregate function") from None

    def keyed(self, key: int, name: str) -> Typed:
        return super().keyed(key, name) if self._inside else Scope(self.keys).keyed(key, name)

    def window(self, time: Typed, duration: str, slide: str | None, start: str) -> Typed:
        """A window that is a key, said again."""
        wanted = TimeWindow(column_name(time) or "", duration, slide, start)
        return self._key(wanted)

    def session(self, time: Typed, gap: Any) -> Typed:
        return self._key(SessionWindow(column_name(time) or "", gap))

    def _key(self, wanted: Any) -> Typed:
        for key, value in zip(self.keys, self.key_values, strict=True):
            if value.of == wanted:
                return key.typed
        raise OnlyTheLab("a window that is no key of the grouping")

    @contextmanager
    def rows(self) -> Iterator[None]:
        if self._inside:
            raise OnlyTheLab("an aggregate function of an aggregate function")
        self._inside = True
        try:
            yield
        finally:
            self._inside = False

    def fold(self, fold: Fold, type: str, name: str) -> Typed:
        for known, other in self.folds.items():
            if other == fold:
                return Typed(ModelColumn(known), type, name)
        known = f"_result{len(self.folds)}"
        self.folds[known] = fold
        return Typed(ModelColumn(known), type, name)


def _inner(field: Field, fields: list[str]) -> Typed:
    return field_of(field.typed, ".".join(fields)) if fields else field.typed


def field_of(value: Typed, name: Any) -> Typed:
    """The start or the end of a window that is a column."""
    column = column_name(value)
    if value.type != "window" or column is None or name not in ("start", "end"):
        raise OnlyTheLab(f"the field {name!r} of a {value.type}")
    return Typed(ModelColumn(f"{column}.{name}"), "timestamp", name)


def lengths_known(*texts: str | None) -> None:
    """Refuse lengths of time that the model does not read, such as months."""
    with modelled():
        for text in texts:
            if text is not None:
                length(text)
