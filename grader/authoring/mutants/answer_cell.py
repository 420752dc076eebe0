"""A cell's text with its syntax tree, and the edits that are made in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from grader.validity.syntax_tree import parse

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_SHOWN = 90


@dataclass(frozen=True)
class Edit:
    """One small step: `new` replaces the text from `start` to `end`; `change` says so."""

    operator: str
    start: int
    end: int
    new: str
    line: int
    change: str


@dataclass(frozen=True)
class Cell:
    """Text that may be changed between two lines, and what is known about the exercise's columns.

    - `columns` maps a column of the inputs to its type
    - `streams` maps the name of a DataFrame in the solution to the names of its columns
    - `where` is printed before every change
    """

    text: str
    first: int
    last: int
    columns: dict[str, str] = field(default_factory=dict)
    streams: dict[str, list[str]] = field(default_factory=dict)
    where: str = ""

    @cached_property
    def tree(self) -> ast.Module:
        return parse(self.text)

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    def place(self, line: int, column: int) -> int:
        """The offset of ast's line (from 1) and column (in UTF-8 bytes)."""
        begin, end = self._starts[line - 1], self._starts[line]
        return begin + len(self.text[begin:end].encode()[:column].decode(errors="replace"))

    def span(self, node: ast.AST) -> tuple[int, int]:
        return (
            self.place(node.lineno, node.col_offset),  # type: ignore[attr-defined]
            self.place(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        )

    def source(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def line_of(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def nodes(self) -> Iterator[ast.AST]:
        """The nodes that may be changed, in the text's order."""
        found = [
            node
            for node in ast.walk(self.tree)
            if hasattr(node, "lineno")
            and self.first <= node.lineno
            and node.lineno <= self.last
            and not self._is_message_only(node)
        ]
        yield from sorted(found, key=lambda node: self.span(node))

    def _is_message_only(self, node: ast.AST) -> bool:
        """Docstrings and annotations do nothing."""
        inner: ast.AST = node
        while inner in self.parents:
            outer = self.parents[inner]
            if isinstance(outer, ast.arg) or (
                isinstance(outer, ast.FunctionDef) and inner is outer.returns
            ):
                return True
            if isinstance(outer, ast.AnnAssign) and inner is outer.annotation:
                return True
            inner = outer
        return isinstance(self.parents.get(node), ast.Expr) and isinstance(node, ast.Constant)

    def edit(self, operator: str, start: int, end: int, new: str, change: str = "") -> Edit:
        """An edit of an offset range; by default it describes its own change."""
        old = self.text[start:end]
        if not change:
            change = f"`{short(old)}` → `{short(new)}`" if new.strip() else f"`{short(old)}` gone"
        # the line of the first thing that changes
        lead = len(old) - len(old.lstrip())
        return Edit(operator, start, end, new, self.line_of(start + lead), self.where + change)

    def swap(self, operator: str, node: ast.AST, new: str, change: str = "") -> Edit:
        start, end = self.span(node)
        return self.edit(operator, start, end, new, change)

    def changed(self, edit: Edit) -> str:
        return self.text[: edit.start] + edit.new + self.text[edit.end :]


def short(text: str) -> str:
    """On one line, truncated if it is long."""
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def solution_lines(text: str) -> tuple[int, int]:
    """The first and the last line between the solution's marks; (1, 0) if there are none."""
    lines = [line.strip() for line in text.splitlines()]
    if BEGIN not in lines or END not in lines:
        return 1, 0
    return lines.index(BEGIN) + 2, lines.index(END)
