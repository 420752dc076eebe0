"""Aggregate functions as Spark runs them: buffers that take values and are merged.

A batch is folded by itself first and then merged with the state. For sums of fractions the order
shows in the last digits, so the model keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from grader.model.expressions import Values, evaluate, kind_of
from grader.model.query import Fold
from grader.model.unsupported import NotModelled


@dataclass(frozen=True)
class Function:
    """`zero` is the empty buffer, `add` takes a value in (null is left out), `result` reads it."""

    zero: Any
    add: Callable[[Any, Any], Any]
    merge: Callable[[Any, Any], Any]
    result: Callable[[Any], Any] = lambda buffer: buffer


def _less(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else min(a, b)


def _greater(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else max(a, b)


def _plus(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else a + b


def _mean(buffer: tuple[float, int]) -> float | None:
    return buffer[0] / buffer[1] if buffer[1] else None


FOLDS: dict[str, Function] = {
    "count": Function(0, lambda n, _: n + 1, lambda a, b: a + b),
    "sum": Function(None, _plus, _plus),
    "min": Function(None, _less, _less),
    "max": Function(None, _greater, _greater),
    "avg": Function(
        (0.0, 0), lambda b, v: (b[0] + v, b[1] + 1), lambda a, b: (a[0] + b[0], a[1] + b[1]), _mean
    ),
    "collect_list": Function((), lambda b, v: (*b, v), lambda a, b: a + b, list),
}
# their result depends on the order in which rows come, and Spark moves no filter past them
OF_ORDER = ("collect_list",)
OF_NUMBERS = ("sum", "avg")

Buffer = tuple[Any, ...]


def folded(folds: Sequence[Fold], rows: Sequence[Values]) -> Buffer:
    """One buffer for each function over the rows of a group."""
    return tuple(_folded(fold, rows) for fold in folds)


def _folded(fold: Fold, rows: Sequence[Values]) -> Any:
    if fold.function not in FOLDS:
        raise NotModelled(f"the aggregate {fold.function!r}; known are {sorted(FOLDS)}")
    function = FOLDS[fold.function]
    buffer = function.zero
    for row in rows:
        value = True if fold.of is None else evaluate(fold.of, row)
        if value is not None:
            if fold.function in OF_NUMBERS and kind_of(value) is not float:
                raise NotModelled(f"{fold.function} of {value!r}, which is no number")
            buffer = function.add(buffer, value)
    return buffer


def merged(folds: Sequence[Fold], a: Buffer, b: Buffer) -> Buffer:
    """Two groups' buffers as one."""
    pairs = zip(folds, a, b, strict=True)
    return tuple(FOLDS[fold.function].merge(one, other) for fold, one, other in pairs)


def results(folds: Sequence[Fold], buffer: Buffer) -> list[Any]:
    return [FOLDS[fold.function].result(part) for fold, part in zip(folds, buffer, strict=True)]
