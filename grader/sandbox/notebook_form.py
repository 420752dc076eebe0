"""Whether a notebook can be graded, and which answers are found in it: nothing runs, nothing is judged."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from grader.judging.check_pack import PackedExercise
from grader.learner.notebook_reader import NotebookError, read_notebook_file
from grader.sandbox.answer_candidates import Candidate, candidates
from grader.sandbox.answer_code import definitions, mentions_definition, names_used, tree_of
from grader.sandbox.notebook_cells import places_of, turn_answers_back
from grader.sandbox.notebook_check import pack_beside

# of an answer → the sign that shows it
STATUSES = {"found": "✓", "not_attempted": "–", "overlooked": "✗", "broken": "✗"}


@dataclass(frozen=True)
class AnswerForm:
    """One exercise: whether its answer is found, in which cell (from 1), and what is wrong with its form.

    The `status` is one of these:

    - found
    - not_attempted: the cell holds the stub, or nothing
    - overlooked: there may be an answer, but grading does not find it in this form
    - broken: its cell is not Python
    """

    exercise: str
    title: str
    status: str
    cell: int | None = None
    problem: str = ""
    fix: str = ""


@dataclass(frozen=True)
class NotebookForm:
    """A notebook's form. `problem` is why it cannot be graded, "" if it can; `notes` hold nothing up."""

    notebook: str
    problem: str
    answers: list[AnswerForm]
    notes: list[str]

    @property
    def found(self) -> int:
        return sum(one.status == "found" for one in self.answers)

    @property
    def ok(self) -> bool:
        return not self.problem and self.found == len(self.answers)

    def to_dict(self) -> dict[str, Any]:
        counts = {"found": self.found, "expected": len(self.answers)}
        return {**asdict(self), "can_be_graded": not self.problem, **counts}


def form_of(path: Path) -> NotebookForm:
    """The form of a notebook compared with its check pack. Raises PackError with the fix if there is none."""
    path = path.absolute()
    pack = pack_beside(path)
    try:
        file = read_notebook_file(path)
    except NotebookError as error:
        return NotebookForm(path.name, str(error), [], [])
    graded, notebook = pack.graded(), file.notebook
    turned = turn_answers_back(notebook, [packed.exercise for packed in graded])
    notes = [f"{repair}: it was read all the same" for repair in file.repairs]
    notes += [
        f"cell {index + 1} is a Markdown or raw cell: it is graded as code" for index in turned
    ]
    notes += _asking(notebook)
    wanted = f"{pack.lesson}_{pack.slug}.ipynb"
    problem = "" if path.name == wanted else f"it must be called {wanted}. Fix: rename it."
    found = candidates(notebook, graded)
    answers = [_answer(notebook, packed, found[packed.exercise.id]) for packed in graded]
    return NotebookForm(path.name, problem, answers, notes)


def form_text(form: NotebookForm) -> str:
    """A notebook's form for the terminal: a line for all, one for each answer, and the notes."""
    state = f"cannot be graded: {form.problem}" if form.problem else "can be graded."
    lines = [f"{form.notebook} {state}"]
    if form.answers:
        lines.append(f"{form.found} of {len(form.answers)} answers found:")
    for one in form.answers:
        said = one.problem or (f"cell {one.cell}" if one.cell else "not attempted")
        fix = f". Fix: {one.fix}." if one.fix else ""
        lines.append(f"  {STATUSES[one.status]} {one.exercise} {one.title}: {said}{fix}")
    lines += [f"Note: {note}." for note in form.notes]
    return "\n".join(lines)


def _answer(notebook: NotebookNode, packed: PackedExercise, others: list[Candidate]) -> AnswerForm:
    exercise = packed.exercise
    about = (exercise.id, exercise.title)
    places = places_of(notebook, exercise)
    above = [n for n in places.answers if places.played is None or n <= places.played]
    for index in reversed(above or places.answers):
        code = notebook.cells[index].source
        if tree_of(code) is None and mentions_definition(code, exercise.answer):
            said = f"cell {index + 1} is no Python that can be read"
            return AnswerForm(*about, "broken", index + 1, said, "run the cell, and repair it")
        how = [one.how for one in definitions(code) if one.name == exercise.answer]
        if how and how[-1] == "answer":
            return AnswerForm(*about, "found", index + 1)
        if how:  # the stub; what is above it does not count
            break
    if not others:
        return AnswerForm(*about, "not_attempted")
    first, fix = others[0], others[0].fix
    if first.how == "answer":
        fix = "delete the stub below it"
    return AnswerForm(*about, "overlooked", first.index + 1, first.said, fix)


def _asking(notebook: NotebookNode) -> list[str]:
    """The cells that wait for a person while they run."""
    return [
        f"cell {index + 1} calls input(), which has no answer in grading: write the value into the cell"
        for index, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and re.search(r"\binput\b", cell.source)
        if "input" in names_used(cell.source)
    ]
