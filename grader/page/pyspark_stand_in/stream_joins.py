"""Joins of two streams, and conditions on them: equal keys, and how far apart the two times may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from grader.model.expressions import Call, Constant, Expression, call, conjuncts, references
from grader.model.expressions import Column as ModelColumn
from grader.model.query import Filter, Interval, Join, Node, Project
from grader.model.timestamps import in_microseconds
from grader.page.lab_only import OnlyTheLab
from grader.page.pyspark_stand_in import typed_value as tv
from grader.page.pyspark_stand_in.column import Column, call_of, resolved
from grader.page.pyspark_stand_in.data_frame import DataFrame, plan_columns
from grader.page.pyspark_stand_in.scope import Field, Scope

_KINDS = {
    "inner": "inner", "left": "left", "leftouter": "left", "right": "right", "rightouter": "right",
}  # fmt: skip


def joined(left: DataFrame, right: DataFrame, on: Any, how: str) -> DataFrame:
    """The join of two streams by a condition, several, or the names of common columns."""
    kind = _KINDS.get(how.lower().replace("_", "")) if isinstance(how, str) else None
    if kind is None or not isinstance(right, DataFrame):
        raise OnlyTheLab(f"a join of the kind {how}")
    if {f.key for f in left._fields} & {f.key for f in right._fields}:
        raise OnlyTheLab("a join of a stream with itself")
    right = _apart(right, plan_columns(left._node))
    names = [on] if isinstance(on, str) else on
    if isinstance(names, list | tuple) and names and all(isinstance(n, str) for n in names):
        return _by_names(left, right, names, kind)
    conditions = names if isinstance(names, list | tuple) else [names]
    if not conditions or not all(isinstance(c, Column) for c in conditions):
        raise OnlyTheLab("a join without a condition")
    fields = (*left._fields, *right._fields)
    condition = call_of(lambda *values: tv.both(values), *conditions)
    value = resolved(condition, Scope(fields)).of
    return _joined(left, right, fields, kind, conjuncts(value))


def _apart(frame: DataFrame, taken: Sequence[str]) -> DataFrame:
    """The frame with names in the model that another frame has not taken."""
    if not set(plan_columns(frame._node)) & set(taken):
        return frame
    fields, made = [], {}
    for f in frame._fields:
        name = f.column if f.column not in taken else f"{f.column}_right"
        if name in taken or name in made:
            raise OnlyTheLab(f"several joins with a column {f.name}")
        fields.append(replace(f, column=name))
        made[name] = f.typed.of
    return replace(frame, _node=Project(frame._node, made), _fields=tuple(fields))


def _by_names(left: DataFrame, right: DataFrame, names: Sequence[str], kind: str) -> DataFrame:
    pairs = [(_field_named(left, name), _field_named(right, name)) for name in names]
    conditions = [tv.compared("=", mine.typed, theirs.typed).of for mine, theirs in pairs]
    shown = [theirs if kind == "right" else mine for mine, theirs in pairs]
    others = [f for f in (*left._fields, *right._fields) if f.name not in names]
    return _joined(left, right, (*shown, *others), kind, conditions)


def _field_named(frame: DataFrame, name: str) -> Field:
    found = [f for f in frame._fields if f.name == name]
    if len(found) != 1:
        raise OnlyTheLab(f"a join by {name}, which is not one column of each side")
    return found[0]


def _joined(
    left: DataFrame,
    right: DataFrame,
    fields: tuple[Field, ...],
    kind: str,
    conditions: Sequence[Expression],
) -> DataFrame:
    limits = _Limits.of(conditions, set(plan_columns(left._node)), set(plan_columns(right._node)))
    if (limits.on_left and kind != "inner") or (limits.on_right and kind == "right"):
        raise OnlyTheLab("a condition on one side of an outer join")
    node = Join(
        _under(left, limits.on_left),
        _under(right, limits.on_right),
        kind,
        limits.keys,
        limits.interval(),
        limits.only,
    )
    facts = left._facts.beside(right._facts)
    facts = replace(
        facts.stateful(), joins=facts.joins + 1, bounded_joins=facts.bounded_joins + limits.bounded
    )
    shuffled = left._shuffled or right._shuffled
    return DataFrame(left._session, node, fields, left._timed | right._timed, facts, shuffled)


def _under(frame: DataFrame, conditions: Sequence[Expression]) -> Node:
    return frame._kept(call("and", *conditions))._node if conditions else frame._node


@dataclass
class _Limits:
    """The parts of a join's condition."""

    keys: dict[str, str]
    on_left: list[Expression]
    on_right: list[Expression]
    times: tuple[str, str] | None
    bounds: dict[str, Any]
    on_pairs: list[Expression]

    @property
    def bounded(self) -> bool:
        """Whether a comparison of the condition looks like a limit, as far as its text shows."""
        return bool(self.bounds or self.on_pairs)

    @property
    def only(self) -> Expression | None:
        return call("and", *self.on_pairs) if self.on_pairs else None

    @classmethod
    def of(cls, conditions: Sequence[Expression], left: set[str], right: set[str]) -> _Limits:
        found = cls({}, [], [], None, {}, [])
        for condition in conditions:
            found._add(condition, left, right)
        return found

    def _add(self, condition: Expression, left: set[str], right: set[str]) -> None:
        read = references(condition)
        if read and read <= left:
            self.on_left.append(condition)
        elif read and read <= right:
            self.on_right.append(condition)
        elif isinstance(condition, Call) and condition.function in ("=", "<", "<=", ">", ">="):
            self._compare(condition, left, right)
        else:
            raise OnlyTheLab("a condition of a join that is neither equal keys nor a limit in time")

    def _compare(self, condition: Call, left: set[str], right: set[str]) -> None:
        """`right SIGN left`, each a column that may be moved by an interval; or a limit of their difference."""
        if condition.function != "=" and any(map(_is_difference, condition.arguments)):
            self._demand_length(condition)
            self.on_pairs.append(condition)
            return
        sides = [_moved(argument) for argument in condition.arguments]
        sign = condition.function
        if sides[0][0] in left:
            sides.reverse()
            sign = tv.mirrored(sign)
        (theirs, their_move), (mine, my_move) = sides
        if mine not in left or theirs not in right:
            raise OnlyTheLab("a condition of a join on one side")
        move = my_move - their_move
        if sign == "=":
            if move or mine in self.keys or theirs in self.keys.values():
                raise OnlyTheLab("equal keys of another form")
            self.keys[mine] = theirs
            return
        self._limit(sign, (mine, theirs), move)

    @staticmethod
    def _demand_length(condition: Call) -> None:
        """Refuse differences that are compared with anything but a length of time."""
        others = [a for a in condition.arguments if not _is_difference(a)]
        if len(others) != 1 or not isinstance(others[0], Constant):
            raise OnlyTheLab("a condition of a join on computed values")

    def _limit(self, sign: str, times: tuple[str, str], move: timedelta) -> None:
        name = "lower" if sign[0] == ">" else "upper"
        if self.times not in (None, times) or name in self.bounds:
            raise OnlyTheLab("more limits in time than one on each side")
        self.times = times
        self.bounds[name] = in_microseconds(move)
        self.bounds[f"{name}_inclusive"] = "=" in sign

    def interval(self) -> Interval | None:
        return Interval(*self.times, **self.bounds) if self.times else None


def _is_difference(value: Expression) -> bool:
    return (
        isinstance(value, Call)
        and value.function == "apart"
        and all(isinstance(a, ModelColumn) and "." not in a.name for a in value.arguments)
    )


def _moved(value: Expression) -> tuple[str, timedelta]:
    match value:
        case ModelColumn(name) if "." not in name:
            return name, timedelta()
        case Call("moved", (ModelColumn(name), Constant(by))) if "." not in name:
            return name, by
    raise OnlyTheLab("a condition of a join on computed values")


def narrowed(node: Node, condition: Expression) -> Node:
    """A plan under a condition; Spark makes limits in time after an inner join part of the join."""
    if not isinstance(node, Join) or node.kind != "inner":
        return Filter(node, condition)
    left, right = set(plan_columns(node.left)), set(plan_columns(node.right))
    on_both = [
        c for c in conjuncts(condition) if not references(c) <= left and not references(c) <= right
    ]
    if not on_both:
        return Filter(node, condition)
    limits = _Limits.of(on_both, left, right)
    if limits.only is not None:
        raise OnlyTheLab("a difference of times after a join")
    if set(limits.keys) & set(node.keys):
        raise OnlyTheLab("equal keys in a join and after it")
    within = _both_limits(node.within, limits.interval())
    joined_ = replace(node, keys={**node.keys, **limits.keys}, within=within)
    rest = [c for c in conjuncts(condition) if c not in on_both]
    return Filter(joined_, call("and", *rest)) if rest else joined_


def _both_limits(one: Interval | None, other: Interval | None) -> Interval | None:
    """The limits of a join and those after it: each bound is in one of them."""
    if one is None or other is None:
        return one or other
    same = (one.left_time, one.right_time) == (other.left_time, other.right_time)
    twice = (one.lower and other.lower) or (one.upper and other.upper)
    if not same or twice:
        raise OnlyTheLab("more limits in time than one on each side")
    low, high = (one, other) if one.lower else (other, one)
    return replace(low, upper=high.upper, upper_inclusive=high.upper_inclusive)
