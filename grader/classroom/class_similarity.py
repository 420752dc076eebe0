"""A class's answers to a lesson compared with each other."""

from __future__ import annotations

from pathlib import Path

from nbformat import NotebookNode

from grader.authoring.lesson_source import read_lessons
from grader.classroom.course import Course
from grader.classroom.marks import LessonMarks
from grader.classroom.similarity import Pair, pairs
from grader.sandbox.notebook_cells import NotebookError, places_of, read_notebook


def alike_in(root: Path, lesson: LessonMarks) -> list[Pair]:
    """The pairs of nearly the same answers among the graded notebooks, by exercise; see similarity.py."""
    course = Course.read(root, root / "submitted")
    notebooks: dict[str, NotebookNode] = {}
    for mark in lesson.marks:
        student = mark.student.id
        try:
            notebooks[student] = read_notebook(course.page(student, lesson.name))
        except NotebookError:
            continue  # nothing of this student could be graded
    source = course.solutions(lesson.name)
    lessons = read_lessons(source.parent) if source else []
    own = next((one for one in lessons if one.folder == source), None)
    found: list[Pair] = []
    for packed in lesson.pack.graded():
        exercise = packed.exercise
        answers = {
            student: "\n\n".join(
                notebook.cells[index].source for index in places_of(notebook, exercise).answers
            )
            for student, notebook in notebooks.items()
        }
        ours = own.cell(exercise.answer) if own else ""
        found += pairs(exercise.id, answers, packed.cell, ours)
    return found
