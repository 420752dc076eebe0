"""Grades for Canvas: the CSV that its grade book imports (Grades → Import).

Canvas finds a student by ID, SIS User ID or SIS Login ID. The column `ID` is the grade book's
lms_user_id (`nbgrader db student add … --lms-user-id`). The login ID is the student's id here.
"""

from __future__ import annotations

import csv
import io

from grader.classroom.exports.grades_csv import number
from grader.classroom.marks import LessonMarks, Mark

COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POSSIBLE = "    Points Possible"


def canvas(marks: list[LessonMarks]) -> str:
    """1 row per student, 1 column per lesson; empty if nothing was handed in, which leaves Canvas' own."""
    people = {mark.student.id: mark.student for lesson in marks for mark in lesson.marks}
    found: dict[tuple[str, str], Mark] = {
        (mark.student.id, lesson.name): mark for lesson in marks for mark in lesson.marks
    }
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow([*COLUMNS, *(title(lesson) for lesson in marks)])
    rows.writerow([POSSIBLE, "", "", "", "", *(number(lesson.max_score) for lesson in marks)])
    for id, person in sorted(people.items(), key=lambda item: (item[1].name, item[0])):
        of_student = [found.get((id, lesson.name)) for lesson in marks]
        scores = [number(mark.score if mark else None) for mark in of_student]
        rows.writerow([person.name, person.lms_id, "", id, "", *scores])
    return text.getvalue()


def title(lesson: LessonMarks) -> str:
    """The column's name; Canvas asks which assignment it is, or makes one, if no (id) follows."""
    return f"{lesson.pack.lesson} {lesson.pack.title}"
