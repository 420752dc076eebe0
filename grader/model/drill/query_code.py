"""A query of the model as the PySpark that a learner would write."""

from __future__ import annotations

import re

from grader.model.expressions import Column
from grader.model.query import (
    Aggregate,
    Deduplicate,
    Fold,
    Interval,
    Join,
    Key,
    Node,
    Query,
    SessionWindow,
    Source,
    TimeWindow,
    Union,
    Watermark,
    watermarks,
)
from grader.model.timestamps import length
from grader.runtime.setting_names import WATERMARK_POLICY

_KINDS = {"inner": "inner", "left": "leftOuter", "right": "rightOuter"}


def code_of(query: Query) -> str:
    """An expression of the inputs by their names and of F, one method per line."""
    return _code(query.plan)


def setting_of(query: Query) -> str:
    """What the code does not show: the output mode, and the policy if there are several watermarks.

    It adds what these depend on: a run knows a stream's newest event only if that came in this run.
    """
    mode = f"{query.mode} mode"
    several = len(watermarks(query.plan)) > 1
    if not several:
        return mode
    return f"{mode}, {WATERMARK_POLICY} = {query.policy}, each step is a run of its own"


def _code(node: Node) -> str:
    match node:
        case Source(input):
            return input
        case Watermark(child, column, delay):
            return f'{_code(child)}\n    .withWatermark("{column}", "{delay}")'
        case Aggregate(child, keys, results):
            grouped = ", ".join(_key(name, key) for name, key in keys.items())
            folds = ", ".join(_fold(name, fold) for name, fold in results.items())
            return f"{_code(child)}\n    .groupBy({grouped})\n    .agg({folds})"
        case Deduplicate(child, columns, within):
            drop = "dropDuplicatesWithinWatermark" if within else "dropDuplicates"
            names = ", ".join(f'"{name}"' for name in columns)
            return f"{_code(child)}\n    .{drop}([{names}])"
        case Union(left, right):
            return f"{_code(left)}\n    .unionByName({_inside(right)})"
        case Join(left, right, kind):
            condition = f'F.expr("{_condition(node)}")'
            return (
                f"{_code(left)}\n    .join({_inside(right)},\n"
                f'          {condition},\n          "{_KINDS[kind]}")'
            )
    raise TypeError(node)


def _inside(node: Node) -> str:
    """A plan within another's brackets, on one line."""
    return re.sub(r"\n\s*", "", _code(node))


def _key(name: str, key: Key) -> str:
    match key:
        case TimeWindow(time, duration, slide):
            parts = [time, duration, slide] if slide else [time, duration]
            quoted = ", ".join(f'"{part}"' for part in parts)
            return f"F.window({quoted})" + _as(name, "window")
        case SessionWindow(time, gap):
            return f'F.session_window("{time}", "{gap}")' + _as(name, "session_window")
        case Column(column):
            return f'"{column}"'
    raise TypeError(key)


def _as(name: str, own: str) -> str:
    return "" if name == own else f'.alias("{name}")'


def _fold(name: str, fold: Fold) -> str:
    of = "*" if fold.of is None else fold.of.name  # type: ignore[union-attr]
    return f'F.{fold.function}("{of}").alias("{name}")'


def _condition(node: Join) -> str:
    parts = [f"{right} = {left}" for left, right in node.keys.items()]
    within = node.within
    if within is not None:
        lower, upper = _bound(within, within.lower), _bound(within, within.upper)
        parts.append(f"{within.right_time} BETWEEN {lower} AND {upper}")
    return " AND ".join(parts)


def _bound(within: Interval, bound: str | None) -> str:
    if bound is None or not length(bound):
        return within.left_time
    return f"{within.left_time} + INTERVAL {bound.upper()}"
