"""Steps in events that an answer gives: one event left out, or moved before another of its step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.authoring.mutants.answer_cell import Cell, Edit, short


def steps_in_events(cell: Cell, node: ast.List) -> Iterator[Edit | None]:
    """A missing event, and two steps that become one.

    A list of dicts holds events, a list of such lists (or of dicts of lists) holds steps.
    """
    kinds = {type(element) for element in node.elts}
    if kinds == {ast.Dict} and not _holds_lists(node):
        for place, element in enumerate(node.elts):
            change = f"the event `{short(cell.source(element))}` left out"
            yield cell.swap("event gone", node, _joined(cell, node.elts, place), change)
    if kinds == {ast.List}:
        for one, two in zip(node.elts, node.elts[1:], strict=False):
            both = [*one.elts, *two.elts]  # type: ignore[attr-defined]
            start, end = cell.span(one)[0], cell.span(two)[1]
            change = f"the step `{short(cell.source(one))}` comes with the next"
            yield cell.edit("steps as one", start, end, _joined(cell, both), change)


def _holds_lists(node: ast.List) -> bool:
    """Whether the dicts are steps of several streams."""
    return any(
        isinstance(value, ast.List)
        for step in node.elts
        if isinstance(step, ast.Dict)
        for value in step.values
    )


def _joined(cell: Cell, elements: list[ast.expr], without: int | None = None) -> str:
    kept = [cell.source(element) for place, element in enumerate(elements) if place != without]
    return "[" + ", ".join(kept) + "]"
