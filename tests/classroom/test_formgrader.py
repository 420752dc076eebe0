"""nbgrader's own pages, feedback and export go on working with what `grader grade` wrote (no Spark)."""

from __future__ import annotations

import csv
import json
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from testkit.served_notebooks import TOKEN, jupyterlab
from testkit.shoes import LESSON, grade, hand_in, make_course

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_course(tmp_path_factory.mktemp("class"))
    hand_in(root, "ada", "right", "right", "right", essay="Many shoes.")
    hand_in(root, "ben", "wrong", "right", "late", essay="<script>alert(1)</script> None.")
    grade(root)
    return root


def test_a_person_grades_and_comments_in_formgrader_and_it_stays(root: Path) -> None:
    with jupyterlab(root, root) as address:

        def ask(path: str, **told: Any) -> Any:
            request = urllib.request.Request(
                f"{address}formgrader/{path}",
                data=json.dumps(told).encode() if told else None,
                headers={"Authorization": f"token {TOKEN}"},
                method="PUT" if told else "GET",
            )
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read().decode()

        (assignment,) = json.loads(ask("api/assignments"))
        assert (assignment["name"], assignment["num_submissions"]) == (LESSON, 2)
        told = json.loads(ask(f"api/submissions/{LESSON}"))
        assert {one["student"]: (one["code_score"], one["autograded"]) for one in told} == {
            "ada": (6, True),
            "ben": (3, True),
        }
        assert all(one["needs_manual_grade"] for one in told), "the essays"
        notebooks = json.loads(ask(f"api/submitted_notebooks/{LESSON}/{LESSON}"))
        ben = next(one["id"] for one in notebooks if one["student"] == "ben")
        page = ask(f"submissions/{ben}/?index=0")
        assert "Home is no shoe" in page, "the verdict stands on the page"
        assert "<script>alert(1)</script> None." not in page and "None." in page
        grades = {
            one["name"]: one["id"] for one in json.loads(ask(f"api/grades?submission_id={ben}"))
        }
        ask(f"api/grade/{grades['essay']}", manual_score=2.5)
        (comment, *_) = json.loads(ask(f"api/comments?submission_id={ben}"))
        ask(f"api/comment/{comment['id']}", manual_comment="See me.")
    make_course(root, points=3.0)
    assert set(grade(root).how.values()) == {"judged"}
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        submission = book.find_submission(LESSON, "ben")
        assert submission.score == 0 + 3 + 1.5 + 2.5
        assert book.find_comment(comment["name"], LESSON, LESSON, "ben").comment == "See me."


def test_feedback_and_export_are_nbgraders(root: Path, nbgrader: Callable[..., Any]) -> None:
    nbgrader(root, "generate_feedback", LESSON)
    page = (root / "feedback" / "ben" / LESSON / f"{LESSON}.html").read_text()
    assert "Home is no shoe" in page
    nbgrader(root, "export")
    rows = {row["student_id"]: row for row in csv.DictReader((root / "grades.csv").open())}
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        for student, row in rows.items():
            submission = book.find_submission(LESSON, student)
            assert float(row["score"]) == submission.score > 0
            assert float(row["max_score"]) == submission.max_score
    assert set(rows) == {"ada", "ben"}
