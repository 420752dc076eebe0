"""Where in a notebook an exercise's answer and its check are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from nbformat import NotebookNode

from grader.sandbox.answer_code import is_attempt
from grader.scenario import Exercise


@dataclass(frozen=True)
class Places:
    """Indexes of cells: the ones that make the answer, and the check (None if it is gone).

    The answer is played after the cell `played` (None: after all cells). That is its check. If only the
    stub is above the check, it is an answer further down.
    """

    answers: list[int]
    check: int | None
    played: int | None = None


def check_id(exercise: Exercise) -> str:
    """The grade id of an exercise's check cell."""
    return f"check-{exercise.answer}"


def grade_id(cell: NotebookNode) -> str | None:
    marked = cell.metadata.get("nbgrader")
    found = marked.get("grade_id") if isinstance(marked, dict) else None
    return found if isinstance(found, str) else None  # a submission may say anything there


def places_of(notebook: NotebookNode, exercise: Exercise) -> Places:
    """Find an exercise's cells by their grade ids, or by their content if the ids are lost."""
    name = re.escape(exercise.answer)
    defines = re.compile(rf"^\s*((async\s+)?def\s+{name}\b|{name}\s*=[^=])", re.M)
    only_checks = re.compile(rf"\s*grader\.check\(\s*['\"]{re.escape(exercise.id)}['\"][^\n]*\)\s*")
    answers: list[int] = []
    check: int | None = None
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        if grade_id(cell) == check_id(exercise) or only_checks.fullmatch(cell.source):
            check = index
        elif grade_id(cell) == exercise.answer or defines.search(cell.source):
            answers.append(index)
    return Places(answers, check, _played(notebook, exercise.answer, answers, check))


def turn_answers_back(notebook: NotebookNode, exercises: Iterable[Exercise]) -> list[int]:
    """Turn marked answer cells that are Markdown or raw back into code; returns their indexes.

    If a code cell holds an answer, the other cells stay as they are: they may be older tries.
    """
    turned = []
    for exercise in exercises:
        if places_of(notebook, exercise).answers:
            continue
        for index, cell in enumerate(notebook.cells):
            if grade_id(cell) == exercise.answer and cell.cell_type != "code":
                turn_into(cell, "code")
                turned.append(index)
    return turned


def turn_into(cell: NotebookNode, kind: str) -> None:
    """Change the type of a cell, with the fields that the format requires for that type."""
    if cell.cell_type == kind:
        return
    for name in ("attachments", "outputs", "execution_count"):
        cell.pop(name, None)
    cell.cell_type = kind
    if kind == "code":
        cell.update(outputs=[], execution_count=None)


def _played(
    notebook: NotebookNode, answer: str, answers: list[int], check: int | None
) -> int | None:
    if check is None:
        return None
    tried = [index for index in answers if is_attempt(notebook.cells[index].source, answer)]
    below = [index for index in tried if index > check]
    return below[-1] if below and below == tried else check
