"""A notebook checked without opening it: `grader check NOTEBOOK`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.judging.check_pack import FILE_NAME, Pack, PackError, read_pack
from grader.judging.verdict import Verdict
from grader.learner.course_packs import packs_near
from grader.learner.notebook_reader import NotebookError, read_notebook
from grader.sandbox.notebook_cells import turn_answers_back
from grader.sandbox.observed_run import ExerciseCheck
from grader.sandbox.sandbox_kinds import choose_kind
from grader.sandbox.supervisor import CELL_SECONDS, Notify, supervise


def check_notebook(
    path: Path,
    exercise: str | None = None,
    *,
    timeout: float | None = None,
    sandbox: str | None = None,
    notify: Notify | None = None,
) -> list[Verdict]:
    """Run a notebook's cells in a separate process and judge its exercises (or just one).

    The `timeout` limits each cell and each play (seconds). Without it a cell has two minutes, and a play
    has the limit of its exercise. The `sandbox` is a kind of sandbox_kinds.py. Without it the variable
    GRADER_SANDBOX decides. Without both there is no sandbox, because a learner at home is trusted. Raises
    NotebookError, PackError or SetupError with the fix.
    """
    path = Path(path).absolute()
    notebook = read_notebook(path)
    pack = pack_beside(path)
    chosen = [p for p in pack.graded() if exercise in (None, p.exercise.id)]
    if not chosen:
        known = ", ".join(p.exercise.id for p in pack.graded()) or "none"
        raise NotebookError(f"lesson {pack.lesson} has no exercise {exercise}; it has: {known}.")
    if timeout is not None:
        chosen = [replace(p, exercise=replace(p.exercise, timeout=timeout)) for p in chosen]
    turn_answers_back(notebook, [packed.exercise for packed in pack.graded()])
    checks = [ExerciseCheck(packed, packed.plays()) for packed in chosen]
    how: dict[str, Any] = {
        "cell_seconds": timeout or CELL_SECONDS,
        "notify": notify or notify_stderr,
    }
    kind = choose_kind(sandbox, otherwise="none")
    run = supervise(notebook, checks, path.parent, own_broker=False, sandbox=kind, **how)
    return [run.verdicts[packed.exercise.id] for packed in chosen]


def pack_beside(notebook: Path) -> Pack:
    """The pack in the notebook's folder, else that of its lesson in the course around it or in the package."""
    beside = notebook.parent / FILE_NAME
    if beside.exists():
        return read_pack(beside)
    packs = packs_near(notebook.parent)
    for name in (notebook.stem, notebook.parent.name):
        lesson = name.split("_", 1)[0]
        if lesson in packs:
            return read_pack(packs[lesson])
    raise PackError(
        f"There is no {FILE_NAME} for {notebook.name}: keep the notebook in its folder under "
        f"course/ and under its own name, such as course/03_watermarks/03_watermarks.ipynb."
    )


def notify_stderr(text: str) -> None:
    """Progress for a person: one line that replaces the last on a terminal."""
    if sys.stderr.isatty():
        end = "\n" if "points" in text else ""
        print(f"\r\033[K{text}", end=end, file=sys.stderr, flush=True)
    elif "points" in text:
        print(text, file=sys.stderr, flush=True)
