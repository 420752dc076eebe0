"""Grades as a table (CSV): a row for each student and lesson, a column for each exercise."""

from __future__ import annotations

import csv
import io

from grader.classroom.marks import LessonMarks

COLUMNS = (
    *("student", "last_name", "first_name", "email", "lesson", "handed_in", "timestamp", "score"),
    *("max_score", "late_penalty", "needs_person", "sandbox"),
)


def table(marks: list[LessonMarks]) -> str:
    """Scores are empty if nothing was handed in; `needs_person` says why, if a person should look."""
    exercises = [packed.exercise.id for lesson in marks for packed in lesson.pack.graded()]
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow([*COLUMNS, *exercises])
    for lesson in marks:
        for mark in lesson.marks:
            scores = {cell.exercise: cell.score for cell in mark.cells}
            who = mark.student
            why = "; ".join(
                f"{reason.exercise}: {reason.why}" if reason.exercise else reason.why
                for reason in mark.person
            )
            rows.writerow(
                [
                    *(who.id, who.last_name, who.first_name, who.email, mark.lesson),
                    *("yes" if mark.handed_in else "no", mark.timestamp, number(mark.score)),
                    *(number(lesson.max_score), number(mark.late_penalty), why, mark.sandbox),
                    *(number(scores.get(exercise)) for exercise in exercises),
                ]
            )
    return text.getvalue()


def number(value: float | None) -> str:
    """A score as it is read again without loss; empty if there is none."""
    return "" if value is None else f"{value:.10g}"
