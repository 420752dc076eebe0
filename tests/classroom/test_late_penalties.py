"""Late penalties follow the due date, extensions and new scores, whenever a class is graded again."""

from __future__ import annotations

from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from testkit.shoes import LESSON, grade, hand_in, make_course

from grader.classroom.marks import read_marks

DUE = "2026-04-01 12:00:00 UTC"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A class where late work earns nothing; Ada hands in before the due date, Ben an hour after it."""
    make_course(tmp_path)
    strict(tmp_path)
    for student, hour in (("ada", 11), ("ben", 13)):
        folder = hand_in(tmp_path, student, "right", "right", "late")
        (folder / "timestamp.txt").write_text(f"2026-04-01 {hour}:00:00 UTC")
    grade(tmp_path)
    return tmp_path


def strict(root: Path) -> None:
    with open(root / "nbgrader_config.py", "a", encoding="utf-8") as settings:
        settings.write('\nc.LateSubmissionPlugin.penalty_method = "zero"\n')


def scores(root: Path) -> dict[str, float | None]:
    (lesson,) = read_marks(root)
    return {mark.student.id: mark.score for mark in lesson.marks}


def set_due_date(root: Path) -> None:
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        book.update_or_create_assignment(LESSON, duedate=DUE)


def test_a_due_date_that_is_set_later_counts_when_the_class_is_graded_again(root: Path) -> None:
    assert scores(root) == {"ada": 5, "ben": 5}
    set_due_date(root)
    assert set(grade(root).how.values()) == {"unchanged"}
    assert scores(root) == {"ada": 5, "ben": 0}


def test_an_extension_takes_the_penalty_away(root: Path) -> None:
    set_due_date(root)
    grade(root)
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        book.grant_extension(LESSON, "ben", hours=2)
    grade(root)
    assert scores(root) == {"ada": 5, "ben": 5}


def test_a_score_that_is_judged_again_is_penalized_whole(root: Path) -> None:
    set_due_date(root)
    grade(root)
    make_course(root, points=4.0)
    strict(root)
    assert set(grade(root).how.values()) == {"judged"}
    assert scores(root) == {"ada": 10, "ben": 0}


def test_a_grade_by_hand_is_penalized_too(root: Path) -> None:
    set_due_date(root)
    grade(root)
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        book.find_grade("essay", LESSON, LESSON, "ben").manual_score = 4
        book.db.commit()
    grade(root)
    assert scores(root)["ben"] == 0
