"""Lessons, solved as their authors did, run from top to bottom in a kernel; answers as they are handed in."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from testkit.spot_check import commit_id
from testkit.unproved import unproved_notebooks

from grader.authoring.course_build import source_notebook
from grader.authoring.lesson_source import LessonSource, read_lessons
from grader.authoring.proof_store import read_proofs
from grader.authoring.solved_notebooks import (
    NOTEBOOK,
    has_run,
    played_once,
    run_notebooks,
    run_solved,
)
from grader.judging.check_pack import FILE_NAME, read_pack
from grader.runtime.broker import lease_broker
from grader.sandbox.notebook_cells import grade_id
from grader.sandbox.observed_run import ExerciseCheck, ObservedRun
from grader.sandbox.sandbox_kinds import choose_kind
from grader.sandbox.supervisor import supervise

PROJECT = Path(__file__).resolve().parents[2]
COURSE = PROJECT / "course"
LESSONS = {x.name: x for x in read_lessons(PROJECT / "solutions")}
NOTEBOOKS = int(os.environ.get("NOTEBOOKS", "1"))  # others at each commit
CHOSEN = random.Random(commit_id(PROJECT) or "").sample([*LESSONS], min(NOTEBOOKS, len(LESSONS)))


@pytest.fixture(scope="module")
def broker() -> Iterator[str]:
    with lease_broker() as leased:
        yield leased.bootstrap_servers


def test_every_notebook_ran_as_it_is_now() -> None:
    found = unproved_notebooks([*LESSONS.values()])
    assert not found, "\n" + "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CHOSEN))
def test_a_solved_lesson_runs_without_an_error_and_passes(
    name: str, tmp_path: Path, broker: str
) -> None:
    """On the engine as it is now: the notes beside the lessons may be of an older one."""
    assert run_solved(LESSONS[name], COURSE, tmp_path, broker).faults == []


@pytest.fixture
def lesson(tmp_path: Path) -> LessonSource:
    """A copy of 00, to be changed."""
    shutil.copytree(PROJECT / "solutions" / "00_orientation", tmp_path / "00_orientation")
    return replace(LESSONS["00_orientation"], folder=tmp_path / "00_orientation")


def test_other_code_in_a_notebook_needs_another_run_and_other_words_do_not(
    lesson: LessonSource,
) -> None:
    assert unproved_notebooks([lesson]) == []
    text = lesson.text.read_text(encoding="utf-8")
    lesson.text.write_text(text + "\n# %% [markdown]\n# One more.\n", encoding="utf-8")
    assert unproved_notebooks([replace(lesson)]) == []
    lesson.text.write_text(text + "\n# %%\nprint(1)\n", encoding="utf-8")
    (line,) = unproved_notebooks([replace(lesson)])
    assert "Run `grader verify --notebooks 00` and commit solutions/00_orientation/" in line


@pytest.mark.slow
def test_a_notebook_that_fails_is_told_cell_by_cell_and_loses_its_note(
    lesson: LessonSource,
) -> None:
    text = lesson.text.read_text(encoding="utf-8")
    planted = "\n# %%\n1 / 0\n\n# %%\nimport sys; print('oh', file=sys.stderr)\n"
    lesson.text.write_text(
        text.replace("### BEGIN SOLUTION", "### BEGIN SOLUTION\n    raise ValueError", 1) + planted
    )
    (run,) = run_notebooks([replace(lesson)], COURSE)
    assert any(fault.startswith("error in: 1 / 0: ZeroDivisionError") for fault in run.faults)
    assert any(fault.startswith("stderr in: import sys") for fault in run.faults)
    assert [fault for fault in run.faults if fault.endswith("did not pass")]
    assert NOTEBOOK not in read_proofs(lesson) and not has_run(lesson)


def kinds() -> dict[str, tuple[str, str]]:
    """What an answer may return → a lesson and an exercise of it."""
    found: dict[str, tuple[str, str]] = {}
    for name in LESSONS:
        for packed in read_pack(COURSE / name / FILE_NAME).graded():
            found.setdefault(packed.exercise.returns, (name, packed.exercise.id))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("returns", kinds())
def test_an_answer_of_each_kind_gets_its_points_in_a_class(returns: str, tmp_path: Path) -> None:
    """As handed in: by the supervisor, in a sandbox, and judged again from what is kept of it."""
    name, id = kinds()[returns]
    packed = played_once(read_pack(COURSE / name / FILE_NAME)).exercises[id]
    wanted = [ExerciseCheck(packed, packed.plays())]
    notebook = source_notebook(LESSONS[name])
    notebook.cells = [
        cell
        for cell in notebook.cells
        if grade_id(cell) == packed.exercise.answer or "given" in cell.metadata.get("tags", [])
    ]
    kind = choose_kind(None, otherwise="auto")
    checked = supervise(notebook, wanted, tmp_path, sandbox=kind)
    verdict = checked.verdicts[id]
    assert verdict.passed, verdict
    assert ObservedRun.from_json(checked.to_json(), wanted).verdicts == checked.verdicts
