"""Every lesson, solved as its author did, runs from top to bottom and passes its own checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.authoring.build import source_notebook
from grader.authoring.source import read_lessons
from grader.classroom.supervise import Wanted, supervise
from grader.judging.pack import FILE_NAME, read_pack

PROJECT = Path(__file__).resolve().parents[2]
LESSONS = sorted(path.parent.name for path in PROJECT.glob(f"course/*/{FILE_NAME}"))


@pytest.mark.slow
@pytest.mark.parametrize("name", LESSONS)
def test_the_solved_lesson_runs_without_an_error_and_passes(name: str, tmp_path: Path) -> None:
    if not (PROJECT / "solutions").is_dir():
        pytest.skip("needs solutions/")
    lesson = next(x for x in read_lessons(PROJECT / "solutions") if x.name == name)
    notebook = source_notebook(lesson)
    packed = read_pack(PROJECT / "course" / name / FILE_NAME).graded()
    wanted = [Wanted(exercise, exercise.plays()) for exercise in packed]
    told: list[str] = []
    checked = supervise(notebook, wanted, tmp_path, own_broker=False, tell=told.append)
    broken = {
        index: (cell.message, notebook.cells[index].source)
        for index, cell in checked.cells.items()
        if cell.how != "ok"
    }
    assert not broken
    assert {
        v.exercise: (v.status, v.criteria) for v in checked.verdicts.values() if not v.passed
    } == {}
    noisy = {
        index: output["text"]
        for index, cell in checked.cells.items()
        for output in cell.outputs
        if output.get("name") == "stderr"
    }
    assert not noisy, "a cell that prints to stderr frightens, and nbgrader's Validate refuses it"
