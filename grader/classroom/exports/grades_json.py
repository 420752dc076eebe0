"""Grades with all details, as JSON."""

from __future__ import annotations

import json

from grader.classroom.marks import LessonMarks

VERSION = 1


def as_json(marks: list[LessonMarks]) -> str:
    """{"version", "lessons": [{"lesson", "title", "max_score", "students": [mark]}]}; see marks.py."""
    lessons = [
        {
            "lesson": lesson.name,
            "title": lesson.pack.title,
            "max_score": lesson.max_score,
            "students": [mark.to_dict() for mark in lesson.marks],
        }
        for lesson in marks
    ]
    return json.dumps({"version": VERSION, "lessons": lessons}, indent=2, ensure_ascii=False) + "\n"
