"""A class's answers to a lesson compared with each other."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from nbformat import NotebookNode

from grader.authoring.lesson_source import read_lessons
from grader.classroom.course import Course
from grader.classroom.marks import LessonMarks
from grader.classroom.similarity import Similarities, similarities
from grader.errors import SetupError
from grader.learner.notebook_reader import NotebookError, read_notebook
from grader.sandbox.notebook_cells import places_of
from grader.scenario import Exercise


def similarities_in(root: Path, lesson: LessonMarks, earlier: Sequence[Path] = ()) -> Similarities:
    """What is nearly the same among the graded notebooks, by exercise; see similarity.py.

    `earlier` are the folders of earlier classes, with their autograded/ in them. Raises SetupError for one
    that has no graded notebook of the lesson.
    """
    course = Course.read(root, root / "submitted")
    students = [mark.student.id for mark in lesson.marks]
    pages = {student: course.page(student, lesson.name) for student in students}
    notebooks = _readable(pages)
    before: dict[str, NotebookNode] = {}
    for folder in earlier:
        found = sorted(folder.glob(f"autograded/*/{lesson.name}/{lesson.name}.ipynb"))
        if not found:
            raise SetupError(
                f"{folder} has no autograded/STUDENT/{lesson.name}: name the folder of a class that was graded."
            )
        before |= _readable({f"{folder.name}/{path.parents[1].name}": path for path in found})
    source = course.solutions(lesson.name)
    lessons = read_lessons(source.parent) if source else []
    own = next((one for one in lessons if one.folder == source), None)
    all_found = Similarities()
    for packed in lesson.pack.graded():
        exercise = packed.exercise
        ours = own.cell(exercise.answer) if own else ""
        answers, others = _answers(notebooks, exercise), _answers(before, exercise)
        all_found.add(similarities(exercise.id, answers, packed.cell, ours, others))
    return all_found


def _readable(pages: Mapping[str, Path]) -> dict[str, NotebookNode]:
    notebooks = {}
    for student, path in pages.items():
        with contextlib.suppress(NotebookError):  # nothing of this student could be graded
            notebooks[student] = read_notebook(path)
    return notebooks


def _answers(notebooks: Mapping[str, NotebookNode], exercise: Exercise) -> dict[str, str]:
    return {
        student: "\n\n".join(
            notebook.cells[index].source for index in places_of(notebook, exercise).answers
        )
        for student, notebook in notebooks.items()
    }
