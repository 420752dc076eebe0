"""Grades for Gradescope: a results.json for each submission, as its autograders write them."""

from __future__ import annotations

import json
from typing import Any

from grader.classroom.marks import LessonMarks, Mark
from grader.feedback.verdict_text import verdict_text
from grader.judging.check_pack import PackedExercise


def gradescope(marks: list[LessonMarks]) -> dict[str, str]:
    """LESSON/STUDENT/results.json → its text, for all that could be graded."""
    files = {}
    for lesson, mark in [(one, mark) for one in marks for mark in one.marks if mark.cells]:
        text = json.dumps(results(mark, lesson), indent=2, ensure_ascii=False)
        files[f"{mark.lesson}/{mark.student.id}/results.json"] = text + "\n"
    return files


def results(mark: Mark, lesson: LessonMarks) -> dict[str, Any]:
    """One submission: a test for every graded cell; a cell that waits for a person has no score yet."""
    exercises = {packed.exercise.id: packed for packed in lesson.pack.graded()}
    verdicts = {verdict.exercise: verdict for verdict in mark.verdicts}
    tests = []
    for cell in mark.cells:
        verdict = verdicts.get(cell.exercise or "")
        test: dict[str, Any] = {
            "score": cell.score or 0.0,
            "max_score": cell.max_score,
            "name": _title(cell.exercise, exercises) or cell.name,
            "number": cell.exercise or cell.name,
            "visibility": "visible",
        }
        if verdict is not None:
            test["status"] = "passed" if verdict.passed else "failed"
            test["output"] = verdict_text(verdict, exercises[verdict.exercise].exercise.title)
            test["output_format"] = "text"
            test["tags"] = [verdict.status]
            if verdict.diagnosis:
                test["extra_data"] = {"misconception": verdict.diagnosis.id}
        tests.append(test)
    found: dict[str, Any] = {
        "score": mark.score,
        "execution_time": round(sum(verdict.seconds for verdict in mark.verdicts), 2),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {
            "student": mark.student.id,
            "lesson": mark.lesson,
            "late_penalty": mark.late_penalty,
            "needs_person": [reason.why for reason in mark.person],
        },
    }
    if mark.warning:
        found["output"] = f"This submission was {mark.warning}."
        found["extra_data"]["warning"] = mark.warning
    return found


def _title(exercise: str | None, exercises: dict[str, PackedExercise]) -> str | None:
    return f"{exercise} {exercises[exercise].exercise.title}" if exercise in exercises else None
