"""Grades for Moodle: a CSV for each lesson, as its grade book imports them (Import → CSV file).

Moodle finds a student by *Username*, *User ID* or *Email address*, as the teacher chooses. The column `User ID` is
the grade book's lms_user_id. Moodle takes an empty cell for "no grade" and deletes the grade that it has, and stops at
a user that it does not know. So a file holds only those who have a score.
"""

from __future__ import annotations

import csv
import io

from grader.classroom.exports.canvas_csv import title
from grader.classroom.exports.grades_csv import number
from grader.classroom.marks import LessonMarks

COLUMNS = ("Username", "User ID", "Email address", "Last name", "First name")


def moodle(marks: list[LessonMarks]) -> dict[str, str]:
    """LESSON.csv → its text: 1 row per student with a score."""
    return {f"{lesson.name}.csv": _table(lesson) for lesson in marks}


def _table(lesson: LessonMarks) -> str:
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow([*COLUMNS, title(lesson)])
    for mark in lesson.marks:
        if mark.score is not None:
            who = mark.student
            about = (who.id, who.lms_id, who.email, who.last_name, who.first_name)
            rows.writerow([*about, number(mark.score)])
    return text.getvalue()
