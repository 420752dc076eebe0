"""Late penalties, as nbgrader assigns them, for what was graded before the due date or a grade changed."""

from __future__ import annotations

from nbformat.v4 import new_notebook
from nbgrader.api import Gradebook
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import Config

from grader.classroom.grade_writer import course_of

NAME = f"nbgrader.preprocessors.{AssignLatePenalties.__name__}"


def assign_late_penalties(config: Config, lesson: str) -> None:
    """Assign the penalties of a lesson's late submissions anew, where nbgrader_config.py lets nbgrader do so.

    nbgrader's own converter does it only when it grades. Due date, extensions and grades by hand stand in
    the grade book alone, and what is judged again from a kept run needs no converter.
    """
    if NAME not in config.Autograde.autograde_preprocessors:
        return
    course = course_of(config)
    with Gradebook(course.db_url, course.course_id) as book:
        about = [
            {"notebook": notebook.name, "assignment": lesson, "student": submission.student_id}
            for submission in book.assignment_submissions(lesson)
            for notebook in submission.notebooks
            if submission.total_seconds_late or notebook.late_submission_penalty
        ]
    penalties = AssignLatePenalties(config=config)
    for one in about:
        penalties.preprocess(new_notebook(), {"nbgrader": {**one, "db_url": course.db_url}})
