"""What in a notebook could be the answer to an exercise, wherever and under whatever name it is."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nbformat import NotebookNode

from grader.judging.check_pack import PackedExercise
from grader.sandbox.answer_code import (
    code_in_text,
    defines_within,
    definitions,
    is_only_code,
    lines_of_code,
    mentions_definition,
    tree_of,
)
from grader.sandbox.notebook_cells import check_id, grade_id, places_of

ALIKE = 0.75  # of the letters of two names
FEWEST_LINES = 3  # of a new cell that defines nothing

# how a cell could hold the answer → what to say about it, and what to do
_SAID = {
    "answer": ("defines `{answer}`", ""),
    "unreachable": (
        "has code below `raise NotImplementedError`, which never runs",
        "delete that line",
    ),
    "inside": (
        "defines `{answer}` inside a function or a class",
        "move it out of there, to the start of the line",
    ),
    "comment": ("mentions `{answer}` where it is no code of the notebook", "make it a code cell"),
    "text": ("is a Markdown or raw cell and holds code for `{answer}`", "make it a code cell"),
    "other_name": ("defines `{name}`, not `{answer}`", "name it `{answer}`"),
    "changed": ("is the answer's cell, but defines no `{answer}`", "define `{answer}` in it"),
    "new": ("is new and below the exercise", "put the answer into `{answer}`"),
}


@dataclass(frozen=True)
class Candidate:
    """A cell, by its index, that could hold the answer `answer`; `how` is one of those in _SAID."""

    answer: str
    index: int
    how: str
    line: str = ""
    name: str = ""

    @property
    def said(self) -> str:
        """What the cell holds, with its number as JupyterLab counts cells, from 1."""
        what = _SAID[self.how][0].format(answer=self.answer, name=self.name)
        return f"cell {self.index + 1} {what}" + (f" (“{self.line}”)" if self.line else "")

    @property
    def fix(self) -> str:
        return _SAID[self.how][1].format(answer=self.answer)


def candidates(
    notebook: NotebookNode, graded: Sequence[PackedExercise], given: NotebookNode | None = None
) -> dict[str, list[Candidate]]:
    """Exercise id → the cells that could hold its answer, the likeliest first.

    The notebook `given` is the one that was handed out: a cell that has not changed since is not an answer.
    Without `given`, only a cell that names an answer counts.
    """
    handed_out = {_bare(cell.source) for cell in given.cells} if given else set()
    handed_out |= {_bare(one.cell) for one in graded if one.cell}
    names = {found.name for text in handed_out for found in definitions(text)}
    names |= {one.exercise.answer for one in graded}
    regions = _regions(notebook, graded)
    own_checks = {check_id(one.exercise) for one in graded}
    found = {}
    answers = {one.exercise.id: set(places_of(notebook, one.exercise).answers) for one in graded}
    for packed in graded:
        others = set().union(*(where for id, where in answers.items() if id != packed.exercise.id))
        region = set(regions[packed.exercise.id]) - others
        look = _Look(packed, names, _own_cells(notebook, packed), region, given is not None)
        cells = [
            candidate
            for index, cell in enumerate(notebook.cells)
            if _bare(cell.source) not in handed_out and grade_id(cell) not in own_checks
            for candidate in look.at(index, cell)
        ]
        found[packed.exercise.id] = sorted(cells, key=lambda one: list(_SAID).index(one.how))
    return found


@dataclass(frozen=True)
class _Look:
    """The search for one answer.

    `names` are those that the lesson has, `own` the answer's own cells, `region` the cells of its exercise.
    """

    packed: PackedExercise
    names: set[str]
    own: set[int]
    region: set[int]
    knows_given: bool

    def at(self, index: int, cell: NotebookNode) -> Iterator[Candidate]:
        answer = self.packed.exercise.answer
        own, is_code = index in self.own, cell.cell_type == "code"
        code = cell.source
        if not is_code:  # other text may be the lesson's own
            known = self.knows_given or own or is_only_code(code)
            code = code_in_text(code) if known else ""
        for how, name, number in self._holds(index, code, own and is_code):
            line = _line(code, number)
            yield Candidate(answer, index, how if is_code else "text", line, name)
            return
        if not is_code and own and cell.source.strip():
            yield Candidate(answer, index, "text", _line(cell.source, 1))
        elif not is_code and self.knows_given and mentions_definition(cell.source, answer):
            yield Candidate(answer, index, "text")

    def _holds(self, index: int, code: str, own: bool) -> Iterator[tuple[str, str, int]]:
        """How code could be the answer, the name that it defines, and the number of the line."""
        answer = self.packed.exercise.answer
        defined = definitions(code)
        for one in defined:
            if one.name == answer and one.how != "stub":
                yield one.how, answer, one.line
        if defines_within(code, answer):
            yield "inside", answer, _mention(code, answer)
        others = [x for x in defined if x.is_function and x.name not in self.names]
        for one in others:
            if own or (self.knows_given and _alike(one.name, answer)):
                yield "other_name", one.name, one.line
        stub = any(one.name == answer for one in defined)
        if not stub and mentions_definition(code, answer):
            yield ("comment" if tree_of(code) else "answer"), answer, _mention(code, answer)
        if own and not stub and lines_of_code(code):
            yield "changed", "", 1
        if self.knows_given and index in self.region:
            for one in others:
                yield "other_name", one.name, one.line
            if not stub and lines_of_code(code) >= FEWEST_LINES:
                yield "new", "", 1


def _regions(notebook: NotebookNode, graded: Sequence[PackedExercise]) -> dict[str, range]:
    """Exercise id → the cells between the exercises before and after it; of the last to the end."""
    places = {one.exercise.id: places_of(notebook, one.exercise) for one in graded}
    at = sorted(
        (where.check if where.check is not None else where.answers[0], id)
        for id, where in places.items()
        if where.check is not None or where.answers
    )
    regions = {id: range(len(notebook.cells)) for id in places}
    for number, (_, id) in enumerate(at):
        first = at[number - 1][0] + 1 if number else 0
        last = at[number + 1][0] if number + 1 < len(at) else len(notebook.cells)
        regions[id] = range(first, last)
    return regions


def _own_cells(notebook: NotebookNode, packed: PackedExercise) -> set[int]:
    """The cells that are marked as an answer's; if the marks are lost, the one above its check."""
    answer = packed.exercise.answer
    marked = {n for n, cell in enumerate(notebook.cells) if grade_id(cell) == answer}
    check = places_of(notebook, packed.exercise).check
    above = {check - 1} if check and notebook.cells[check - 1].cell_type == "code" else set()
    return marked or above


def _alike(name: str, answer: str) -> bool:
    plain, wanted = (re.sub(r"[\W_]+", "", one).lower() for one in (name, answer))
    within = len(wanted) > 3 and (wanted in plain or (len(plain) > 3 and plain in wanted))
    return within or difflib.SequenceMatcher(None, plain, wanted).ratio() >= ALIKE


def _bare(source: str) -> str:
    """A cell's text without what an editor may have changed at the ends of its lines."""
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


def _mention(code: str, answer: str) -> int:
    lines = enumerate(code.splitlines(), start=1)
    return next((n for n, line in lines if mentions_definition(line, answer)), 1)


def _line(code: str, number: int) -> str:
    lines = code.splitlines()
    start = lines[number - 1 :] if 0 < number <= len(lines) else lines
    return next((line.strip() for line in start if line.strip()), "")[:60]
