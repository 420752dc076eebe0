"""What a class answered before running: noted by the runner, judged by nobody but the teacher's side."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from testkit.shoes import LESSON, PREDICTIONS, grade, hand_in, make_course

from grader.classroom.marks import read_marks
from grader.classroom.prediction_report import answer_to, written
from grader.classroom.report import report_on
from grader.classroom.report_page import report_html
from grader.classroom.report_text import report_text
from grader.learner.predictions import read
from grader.runtime.bubblewrap import NoBubblewrapError, find_bubblewrap
from grader.sandbox.noted_predictions import (
    MOST_ANSWERS,
    MOST_QUESTIONS,
    Predicted,
    take_in,
)
from grader.sandbox.observed_run import ObservedRun
from grader.sandbox.supervisor import supervise

NAUGHTY = '<img src=x onerror="alert(1)">'


def bet(exercise: str = "91.1", **answers: Any) -> str:
    return "predict " + json.dumps({"exercise": exercise, "answers": answers})


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ada is right, Ben and Cem say two rows, Dua what is no answer and claims points, Eli nothing."""
    root = make_course(tmp_path_factory.mktemp("class"))
    right = ["right"] * 3
    hand_in(root, "ada", *right, bets=[bet(rows="one row", watermark="2026-01-01 12:04:50")])
    hand_in(root, "ben", *right, bets=[bet(rows="2"), bet(rows="1")])
    hand_in(root, "cem", *right, bets=[bet(rows="two"), "exit", bet(watermark="12:05:00")])
    claims = bet(rows=NAUGHTY, watermark="\x1b[31m", right=True, score="1")
    hand_in(root, "dua", *right, bets=[claims, bet("91.9", rows="1"), bet(rows=["1"])])
    hand_in(root, "eli", *right)
    grade(root)
    return root


def fate_text(root: Path) -> dict[str, Any]:
    return report_on(read_marks(root)[0]).to_dict()


def test_the_report_says_how_the_class_answered(root: Path) -> None:
    rows, watermark = fate_text(root)["predictions"]
    assert rows == {
        "exercise": "91.1", "name": "rows", "question": "How many rows?", "answer": "1",
        "asked": 5, "right": 1, "unanswered": 2,
        "wrong": [{"answer": "2", "times": 2, "said": "Home is no shoe."}],
    }  # fmt: skip
    assert (watermark["right"], watermark["unanswered"]) == (1, 3)
    assert watermark["wrong"] == [{"answer": "12:05:00", "times": 1, "said": ""}]
    text = report_text(fate_text(root))
    assert "91.1 asked rows: 1 of 3 right (1), 2 × 2\n" in text


def test_a_bet_costs_and_brings_no_points(root: Path) -> None:
    scores = {mark.student.id: mark.score for mark in read_marks(root)[0].marks}
    assert set(scores.values()) == {6}


def test_nothing_that_was_answered_reaches_the_page_as_it_is(root: Path) -> None:
    page = report_html(fate_text(root), "../..")
    assert "What they said before running" in page and "2 × 2 (Home is no shoe.)" in page
    assert "<img" not in page and "\x1b" not in page + report_text(fate_text(root))


def test_a_class_graded_before_answers_were_noted_has_its_report(tmp_path: Path) -> None:
    root = make_course(tmp_path)
    hand_in(root, "ada", "right", bets=[bet(rows="1")])
    grade(root)
    with sqlite3.connect(root / "grading" / "journal.db") as journal:
        ((told,),) = journal.execute("SELECT told FROM graded").fetchall()
        old = json.loads(told)
        assert old.pop("predicted") == {"91.1": {"rows": ["1"]}}
        journal.execute("UPDATE graded SET told = ?", (json.dumps(old),))
    report = fate_text(root)
    assert [one["asked"] for one in report["predictions"]] == [0, 0]
    assert "before running" not in report_html(report, "../..")
    assert "91.1 asked" not in report_text(report)
    assert grade(root).how[LESSON, "ada"] == "unchanged"


def test_a_run_that_was_kept_without_answers_is_judged_as_before() -> None:
    kept = json.loads(ObservedRun(predicted={"91.1": {"rows": ["1"]}}).to_json())
    assert ObservedRun.from_json(json.dumps(kept), []).predicted == {"91.1": {"rows": ["1"]}}
    del kept["predicted"]
    assert ObservedRun.from_json(json.dumps(kept), []).predicted is None


def test_what_a_submission_tells_is_kept_short() -> None:
    predicted: Predicted = {}
    for number in range(10 * MOST_QUESTIONS):
        take_in(predicted, "03.0", {f"q{number}": "1", "rows": str(number)})
        take_in(predicted, "03.0", {"rows": "9" * 10_000, "x" * 10_000: "1", "\ud800": "1"})
    (questions,) = predicted.values()
    assert len(questions) == MOST_QUESTIONS
    assert questions["rows"] == [str(number) for number in range(MOST_ANSWERS)]


@pytest.mark.parametrize(
    ("said", "counts"),
    [
        (["2", "1"], "2"),  # the first
        (["?", "12:00", "1 row"], "1"),  # the first that is a number, as asked
        (["12:00"], None),
        ([], None),
    ],
)
def test_the_first_answer_of_the_right_kind_counts(said: list[str], counts: str | None) -> None:
    found = answer_to(PREDICTIONS[0], said)
    assert (written(found) if found else None) == counts


@pytest.mark.parametrize("answer", ["7", "-0.5", "1234567", "12:04:50", "00:00:00.25", "23:59:59"])
def test_an_answer_is_written_so_that_it_reads_the_same(answer: str) -> None:
    given = read(answer)
    assert given is not None
    assert (written(given), read(written(given))) == (answer, given)


CELLS = """
import sys
from pathlib import Path
import grader
from grader.sandbox.runner import NOTED_VERB, Events, noting
from grader.sandbox.cell_shell import make_shell
setattr(grader, NOTED_VERB, noting(Events(Path(sys.argv[1]))))
for cell in (
    'import grader\\ngrader.predict("03.0")',
    'grader.predict("03.0", 7, rows="3 rows", watermark=None, long="x" * 1000)',
):
    error, outputs = make_shell().run(cell)
    assert error is None and not outputs, (error, outputs)
"""


def test_the_runner_notes_calls_and_shows_nothing(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    subprocess.run([sys.executable, "-c", CELLS, str(path)], check=True)
    first, second = (json.loads(line) for line in path.read_text().splitlines())
    assert first == {"event": "predicted", "exercise": "03.0", "answers": {}}
    predicted: Predicted = {}
    take_in(predicted, second["exercise"], second["answers"])
    assert predicted["03.0"]["rows"] == ["3 rows"]
    assert len(predicted["03.0"]["long"][0]) < 100


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["none", "bwrap"])
def test_a_notebook_that_really_runs_tells_its_answers(sandbox: str, tmp_path: Path) -> None:
    if sandbox == "bwrap":
        try:
            find_bubblewrap()
        except NoBubblewrapError as problem:
            pytest.skip(f"no sandbox here: {problem}")
    cells = ["import grader\nspark, kafka = grader.start()", 'grader.predict("03.0", rows=2 + 1)']
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    checked = supervise(notebook, [], tmp_path, sandbox=sandbox)
    assert [end.how for end in checked.cells.values()] == ["ok", "ok"]
    assert checked.predicted == {"03.0": {"rows": ["3"]}}
