"""The grade book and the submitted notebook are put in order before anything is graded."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook
from testkit.counting_lesson import SOLUTIONS
from traitlets.config import Config

from grader.authoring.lesson_source import read_lessons
from grader.classroom.course import Course
from grader.classroom.gradebook import FillGradebook, enrol
from grader.classroom.preprocessors import Restore
from grader.errors import SetupError
from grader.judging.check_pack import FILE_NAME, Pack, PackedExercise, write_pack
from grader.sandbox.notebook_cells import grade_id, places_of

LESSON = "90_counting"


@pytest.fixture
def root(released: Path, tmp_path: Path) -> Path:
    """A course with the lesson's notebook and a pack that holds the tasks only."""
    shutil.copytree(released.parent, tmp_path / "course" / LESSON)
    (lesson,) = read_lessons(SOLUTIONS)
    packed = {s.exercise.id: PackedExercise(s.exercise, s.public, {}) for s in lesson.parts}
    pack = Pack(lesson.id, lesson.slug, lesson.title, packed)
    write_pack(pack, tmp_path / "course" / LESSON / FILE_NAME)
    return tmp_path


def config(root: Path) -> Config:
    found = Config()
    found.CourseDirectory.root = str(root)
    found.CourseDirectory.source_directory = "course"
    return found


def book(root: Path) -> Gradebook:
    return Gradebook(f"sqlite:///{root}/gradebook.db")


def restored(root: Path, notebook: Any) -> Any:
    resources = {"nbgrader": {"assignment": LESSON, "notebook": LESSON}}
    return Restore(config=config(root)).preprocess(notebook, resources)[0]


def test_the_grade_book_learns_cells_and_points_from_the_released_notebook(root: Path) -> None:
    course = Course(config(root))
    enrol(course, LESSON)
    enrol(course, LESSON)
    with book(root) as found:
        notebook = found.find_notebook(LESSON, LESSON)
        points = {cell.name: cell.max_score for cell in notebook.grade_cells}
        assert points == {
            "check-doubled": 3,
            "check-kept": 2,
            "check-named": 1,
            "test-add": 1,
            "essay": 4,
        }
        source = found.find_source_cell("check-kept", LESSON, LESSON)
        assert source.source == 'grader.check("90.2", kept)'


def test_a_lesson_that_is_not_there_is_said_so(root: Path) -> None:
    with pytest.raises(SetupError, match="There is no lesson 91_nothing"):
        enrol(Course(config(root)), "91_nothing")


def test_a_lesson_that_lost_a_cell_since_it_was_graded_is_refused_with_the_fix(root: Path) -> None:
    course = Course(config(root))
    enrol(course, LESSON)
    with book(root) as found:
        found.add_student("ada")
        found.add_submission(LESSON, "ada")
    path = root / "course" / LESSON / f"{LESSON}.ipynb"
    notebook = nbformat.read(path, 4)
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell) != "essay"]
    nbformat.write(notebook, path)
    with pytest.raises(SetupError, match="begin another grade book"):
        enrol(course, LESSON)


def test_nbgraders_own_command_tells_it_in_its_own_log(
    root: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("traitlets"), "propagate", True)
    FillGradebook(root=str(root), source_directory="course")("91_nothing", "ada", [])
    assert "There is no lesson 91_nothing" in caplog.text


def test_an_untouched_notebook_is_left_as_it_is(root: Path, released: Path) -> None:
    notebook = nbformat.read(released, 4)
    assert restored(root, nbformat.read(released, 4)) == notebook


def test_damaged_metadata_and_missing_checks_are_put_right(root: Path, released: Path) -> None:
    notebook = nbformat.read(released, 4)
    untouched = nbformat.read(released, 4)
    wanted = [(grade_id(cell), cell.metadata.get("nbgrader")) for cell in untouched.cells]
    for cell in notebook.cells:
        if grade_id(cell) == "check-doubled":
            cell.metadata["nbgrader"].update(points=300, schema_version=99, grade=False)
        if grade_id(cell) == "essay":
            del cell.metadata["nbgrader"]["locked"]
    notebook.cells = [c for c in notebook.cells if grade_id(c) != "check-kept"]
    stranger = nbformat.v4.new_code_cell("1", metadata={"nbgrader": {"points": 5}})
    assert restored(root, nbformat.from_dict({**notebook, "cells": [*notebook.cells, stranger]}))
    found = restored(root, notebook)
    assert [(grade_id(c), c.metadata.get("nbgrader")) for c in found.cells] == wanted


def test_an_exercise_that_is_gone_altogether_gets_its_check_at_the_end(
    root: Path, released: Path
) -> None:
    notebook = nbformat.read(released, 4)
    notebook.cells = [c for c in notebook.cells if grade_id(c) not in ("kept", "check-kept")]
    assert grade_id(restored(root, notebook).cells[-1]) == "check-kept"


def test_cells_are_found_where_a_tool_has_dropped_the_metadata(released: Path) -> None:
    (lesson,) = read_lessons(SOLUTIONS)
    kept = lesson.exercises[1].exercise
    notebook = nbformat.read(released, 4)
    before = places_of(notebook, kept)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
    assert places_of(notebook, kept) == before
    assert before.check is not None and before.answers == [before.check - 1]
