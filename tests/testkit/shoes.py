"""A class without Spark: a lesson of three exercises, and a runner that does as its cells say (hostile.py).

As a program it grades the class in a folder: `python -m testkit.shoes ROOT JOBS [PLACE WHEN]`. PLACE is a function
such as grader.classroom.grade_writer:_replace; before or after (WHEN) its second call the program is killed.
"""

from __future__ import annotations

import importlib
import itertools
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.utils import compute_checksum

from grader.classroom.class_grades import ClassGrades
from grader.classroom.class_grading import grade_class
from grader.judging.check_pack import FILE_NAME, Pack, PackedExercise, PackedPrediction, write_pack
from grader.judging.diagnosis import Fingerprint, prints_of
from grader.sandbox import runner_process, supervisor
from grader.scenario import Event, Exercise, Input, Scenario
from grader.scenario.recording import Batch, Recording

LESSON = "91_shoes"
PREDICTIONS = [
    PackedPrediction("rows", "How many rows?", "1", wrong={"2": "Home is no shoe."}),
    PackedPrediction("watermark", "Where is the watermark?", "12:04:50"),
]
HERE = Path(__file__).parent
CONFIG = HERE.parents[1] / "nbgrader_config.py"
RUNNER = [sys.executable, "-S", str(HERE / "hostile.py")]


def make_course(root: Path, **changes: Any) -> Path:
    """The lesson in root/course, each exercise with these `changes`; 2 points each, and an essay of 4."""
    folder = root / "course" / LESSON
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(CONFIG, root)
    packed = {one.exercise.id: one for one in (_packed(number, changes) for number in (1, 2, 3))}
    packed["91.1"] = replace(packed["91.1"], predictions=PREDICTIONS)
    write_pack(Pack("91", "shoes", "Shoes", packed), folder / FILE_NAME)
    points = [one.exercise.points for one in packed.values()]
    nbformat.write(_notebook(points), folder / f"{LESSON}.ipynb")
    return root


def hand_in(
    root: Path, student: str, *answers: str, essay: str | None = None, bets: Sequence[str] = ()
) -> Path:
    """A submission whose cells do as told, such as "right" or "wrong"; `bets` are cells before them."""
    notebook = nbformat.read(root / "course" / LESSON / f"{LESSON}.ipynb", 4)
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in notebook.cells}
    for number, answer in enumerate(answers, start=1):
        cells[f"answer_{number}"].source = answer
    if essay is not None:
        cells["essay"].source = essay
    new = [nbformat.v4.new_code_cell(bet, id=f"bet-{n}") for n, bet in enumerate(bets)]
    notebook.cells[1:1] = new
    folder = root / "submitted" / student / LESSON
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / f"{LESSON}.ipynb")
    return folder


def _packed(number: int, changes: dict[str, Any]) -> PackedExercise:
    told = {
        "title": "Shoes",
        "points": 2.0,
        "criteria": ["rows", "step"],
        "timeout": 1,
        **changes,
    }
    task = Exercise(
        id=f"91.{number}",
        answer=f"answer_{number}",
        takes=["clicks"],
        inputs={"clicks": Input("page STRING")},
        **told,
    )
    events = Scenario([Event(1, "clicks", {"page": page}) for page in ("home", "shoes")], 2)
    expected = Recording(
        task.id,
        steps=2,
        schema=[{"name": "page", "type": "string"}],
        batches=[Batch(0, 1, rows=[{"page": "shoes"}])],
    )
    wrong = replace(expected, batches=[Batch(0, 1, rows=[{"page": "home"}])])
    known = Fingerprint(
        "home", "Home is no shoe", "Look again.", prints_of(wrong, expected, ["rows"]), ["rows"]
    )
    return PackedExercise(task, events, {"as_is": expected}, [known])


def _notebook(points: list[float]) -> NotebookNode:
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("# Shoes\n## What is a shoe?\n## Exercise 91.1")]
    )
    for number, worth in enumerate(points, start=1):
        notebook.cells += [
            _cell("code", f"answer_{number}", "right", solution=True),
            _cell("code", f"check-answer_{number}", f"grader.check('91.{number}')", points=worth),
        ]
    notebook.cells.append(_cell("markdown", "essay", "What did you see?", points=4, solution=True))
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
    return notebook


def _cell(
    kind: str, grade_id: str, source: str, *, points: float | None = None, solution: bool = False
) -> NotebookNode:
    make = nbformat.v4.new_code_cell if kind == "code" else nbformat.v4.new_markdown_cell
    marked = {"grade_id": grade_id, "solution": solution, "grade": points is not None}
    marked |= {"locked": not solution, "schema_version": 3, "task": False, "cell_type": kind}
    if points is not None:
        marked["points"] = points
    cell = make(source, metadata={"nbgrader": marked})
    cell.metadata.nbgrader["checksum"] = compute_checksum(cell)
    return cell


def grade(root: Path, **how: Any) -> ClassGrades:
    """Grade the class of a folder with the runner that does as its cells say."""
    how = {"sandbox": "none", **how}
    before = runner_process.RUNNER, supervisor.CELL_GRACE, supervisor.PLAY_GRACE
    runner_process.RUNNER, supervisor.CELL_GRACE, supervisor.PLAY_GRACE = RUNNER, 0.5, 0.5
    try:
        return grade_class(root, root / "submitted", **how)
    finally:
        runner_process.RUNNER, supervisor.CELL_GRACE, supervisor.PLAY_GRACE = before


def die_at(place: str, when: str) -> None:
    """Make this process be killed before or after the second call of a function."""
    module, _, path = place.partition(":")
    *owners, name = path.split(".")
    owner: Any = importlib.import_module(module)
    for each in owners:
        owner = getattr(owner, each)
    real = getattr(owner, name)
    calls = itertools.count(1)

    def deadly(*args: Any, **kwargs: Any) -> Any:
        second = next(calls) == 2
        if second and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        came = real(*args, **kwargs)
        if second:
            os.kill(os.getpid(), signal.SIGKILL)
        return came

    setattr(owner, name, deadly)


if __name__ == "__main__":
    if sys.argv[3:]:
        die_at(*sys.argv[3:])
    grade(Path(sys.argv[1]), jobs=int(sys.argv[2]), notify=lambda text: print(text, flush=True))
