"""What a teacher takes out of a graded class: the report, and the files for other programs.

Files are read as others read them: csv by pandas, junit by junitparser, json by Python's own reader.
Canvas, Moodle and Gradescope have no reader to be had outside of them: theirs are held to what their manuals say, and
for Moodle to its importer's source.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas
import pytest
from junitparser import JUnitXml
from nbgrader.api import Gradebook
from testkit import shoes
from testkit.shoes import LESSON, grade, hand_in, make_course

from grader.classroom.exports import FORMATS, export
from grader.classroom.exports.canvas_csv import canvas
from grader.classroom.marks import LessonMarks, Mark, Person, read_marks
from grader.classroom.report import report_on
from grader.classroom.report_page import report_html
from grader.classroom.submission_result import Reason
from grader.cli import main
from grader.errors import SetupError

NAUGHTY = '<img src=x onerror="alert(1)">'


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ada is right, Ben wrong in a known way and late, Cem hangs; Dua's file is broken, Eli has none."""
    root = make_course(tmp_path_factory.mktemp("class"))
    hand_in(root, "ada", "right", "right", "right", essay="Shoes.")
    hand_in(root, "ben", "wrong", "wrong", "late")
    hand_in(root, "cem", "hang in play", "wrong", "garbage")
    (hand_in(root, "dua") / f"{LESSON}.ipynb").write_text("{")
    (hand_in(root, NAUGHTY) / f"{LESSON}.ipynb").write_text("{")
    grade(root)
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        book.update_or_create_student("ada", first_name="Ada", last_name='B, "Countess"')
        book.update_or_create_student("cem", lms_user_id="4711")
        book.update_or_create_student("eli")
        book.find_grade("check-answer_2", LESSON, LESSON, "ben").manual_score = 1.5
        book.find_grade("essay", LESSON, LESSON, "ada").manual_score = 3
        book.db.commit()
    return root


@pytest.fixture
def marks(root: Path) -> list[LessonMarks]:
    return read_marks(root)


def test_the_report_says_what_to_teach_again_and_whom_to_look_at(
    marks: list[LessonMarks],
) -> None:
    report = report_on(marks[0]).to_dict()
    assert (report["students"], report["handed_in"], report["graded"]) == (6, 5, 3)
    assert report["scores"] == {"mean": 3.83, "median": 2.5, "lowest": 0, "highest": 9}
    first, second, third = report["exercises"]
    assert first["statuses"] == {
        "passed": 1, "failed": 1, "error": 0, "timeout": 1, "not_attempted": 0,
    }  # fmt: skip
    assert (first["mean"], second["mean"], third["mean"]) == (0.67, 0.67, 1)
    (home,) = second["misconceptions"]
    assert (home["title"], home["students"]) == ("Home is no shoe", ["ben", "cem"])
    assert home["passage"] == f"course/{LESSON}/{LESSON}.ipynb#What-is-a-shoe?"
    assert third["failed_criteria"] == {"step": 1}
    assert third["no_name"] == ["ben", "cem"]
    assert [(one["student"], one["exercise"]) for one in report["timeouts"]] == [("cem", "91.1")]
    people = {(one["student"], one["exercise"]) for one in report["person"]}
    assert people == {
        ("cem", "91.1"),
        ("cem", "91.3"),
        ("dua", None),
        (NAUGHTY, None),
        ("ada", None),
    }
    assert (report["stuck"], report["missing"]) == (["ben", "cem"], ["eli"])
    assert report["warning"].startswith("3 submissions were graded without a sandbox")


def test_the_page_holds_the_same_and_runs_nothing_that_a_student_wrote(
    marks: list[LessonMarks],
) -> None:
    page = report_html(report_on(marks[0]).to_dict(), "../..")
    assert f'href="../../course/{LESSON}/{LESSON}.ipynb#What-is-a-shoe?"' in page
    for said in ("Home is no shoe", "Needs a person", "graded without a sandbox", "eli"):
        assert said in page
    assert "<img" not in page and "&lt;img" in page


def test_the_commands(
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(root)
    assert main(["report", "91"]) == 0
    told = capsys.readouterr().out
    assert "2 × Home is no shoe" in told and "WARNING" in told
    assert (root / "grading" / "reports" / f"{LESSON}.html").read_text().startswith("<!doctype")
    assert main(["report", LESSON, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lesson"] == LESSON
    out = tmp_path / "out.csv"
    assert main(["export", "--format", "csv", "91", "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert told.out.strip() == str(out) and out.exists()
    assert "wait for a person" in told.err and "without a sandbox" in told.err
    assert main(["report", "92"]) == 2
    assert "there are: 91_shoes" in capsys.readouterr().err


def test_before_anything_is_graded_it_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="grader grade"):
        read_marks(shoes.make_course(tmp_path))


def test_csv_as_pandas_reads_it(marks: list[LessonMarks], tmp_path: Path) -> None:
    (path,) = export(marks, "csv", tmp_path / "grades.csv")
    read = pandas.read_csv(path, index_col="student", keep_default_na=False, na_values=[""])
    assert read["score"].dropna().to_dict() == {"ada": 9, "ben": 2.5, "cem": 0}
    assert read.loc["ada", "last_name"] == 'B, "Countess"'
    assert list(read.loc["ben", ["91.1", "91.2", "91.3"]]) == [0, 1.5, 1]
    assert (read.loc["eli", "handed_in"], read.loc["dua", "handed_in"]) == ("no", "yes")
    assert "not a notebook" in read.loc["dua", "needs_person"]
    assert set(read["max_score"]) == {10}


def test_json_holds_verdicts_too(marks: list[LessonMarks], tmp_path: Path) -> None:
    (path,) = export(marks, "json", tmp_path / "grades.json")
    (lesson,) = json.loads(path.read_text())["lessons"]
    ben = next(one for one in lesson["students"] if one["student"]["id"] == "ben")
    assert ben["score"] == 2.5
    assert [verdict["status"] for verdict in ben["verdicts"]] == ["failed"] * 3
    assert "without a sandbox" in ben["warning"]


def test_junit_as_junitparser_reads_it(marks: list[LessonMarks], tmp_path: Path) -> None:
    (path,) = export(marks, "junit", tmp_path / "grades.xml")
    read = JUnitXml.fromfile(str(path))
    assert isinstance(read, JUnitXml)
    suites = {suite.name: suite for suite in read}
    assert set(suites) == {f"{LESSON} {mark.student.id}" for mark in marks[0].marks}
    for suite in suites.values():
        told = (suite.tests, suite.failures, suite.errors, suite.skipped, suite.time)
        suite.update_statistics()  # the reader counts for itself
        counted = (suite.tests, suite.failures, suite.errors, suite.skipped)
        assert told[:4] == counted and suite.tests == 3
        assert told[4] == pytest.approx(suite.time, abs=0.05)
    ada, cem = (suites[f"{LESSON} {name}"] for name in ("ada", "cem"))
    assert [case.name for case in ada if case.is_passed] == [f"91.{n} Shoes" for n in (1, 2, 3)]
    assert all(case.is_skipped for case in suites[f"{LESSON} eli"])
    first, second, third = cem
    assert first.is_error and second.is_failure and third.is_error
    assert second.classname == f"{LESSON}.cem" and second.result[0].type == "home"
    assert "rows" in (second.result[0].text or "")
    properties = {one.name: one.value for one in cem.properties()}
    assert properties["score"] == "0" and "without a sandbox" in str(properties["warning"])


def test_junit_holds_signs_that_xml_cannot(marks: list[LessonMarks]) -> None:
    from grader.classroom.exports.junit_xml import junit

    verdict = marks[0].marks[1].verdicts[0]
    verdict.status = "failed"
    verdict.criteria = [type(verdict.criteria[0])("rows", False, "\x00 \x1b[31m ]]> <b> \ufffe")]
    (case,) = (
        case
        for suite in JUnitXml.fromstring(junit(marks).encode())
        for case in suite
        if case.result and "]]> <b>" in str(case.result[0].text)
    )
    assert case.is_failure and "\x1b" not in str(case.result[0].text)


def test_gradescope_gets_a_file_for_each_submission(
    marks: list[LessonMarks], tmp_path: Path
) -> None:
    paths = export(marks, "gradescope", tmp_path)
    read = {path.parent.name: json.loads(path.read_text()) for path in paths}
    assert set(read) == {"ada", "ben", "cem"}
    known = {
        "score",
        "execution_time",
        "output",
        "output_format",
        "visibility",
        "stdout_visibility",
    }
    known |= {"extra_data", "tests", "leaderboard"}
    of_test = {"score", "max_score", "status", "name", "name_format", "number", "output"}
    of_test |= {"output_format", "tags", "visibility", "extra_data"}
    for results in read.values():
        assert set(results) <= known and results["tests"]
        assert results["output"].startswith("This submission was graded without a sandbox")
        for test in results["tests"]:
            assert set(test) <= of_test
            assert test.get("status", "passed") in ("passed", "failed")
            assert 0 <= test["score"] <= test["max_score"]
        assert sum(test["score"] for test in results["tests"]) == results["score"]
    assert read["ben"]["tests"][1]["extra_data"] == {"misconception": "home"}


def test_canvas_reads_its_columns(marks: list[LessonMarks], tmp_path: Path) -> None:
    (path,) = export(marks, "canvas", tmp_path / "canvas.csv")
    head, possible, *rows = csv.reader(io.StringIO(path.read_text(), newline=""))
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "91 Shoes"]
    assert possible[0].strip() == "Points Possible" and possible[-1] == "10"
    found: dict[str, Any] = {row[3]: row for row in rows}
    assert found["ada"][0] == 'B, "Countess", Ada' and found["ada"][-1] == "9"
    assert found["cem"][1] == "4711" and found["cem"][-1] == "0"
    assert found["eli"][-1] == "", "whoever handed in nothing keeps what Canvas has"


def test_canvas_leaves_alone_who_is_in_another_lesson_only(marks: list[LessonMarks]) -> None:
    """Somebody who is in no grade book, with a submission that could not be graded."""
    (lesson,) = marks
    gil = Mark(Person("gil"), "92_more", handed_in=True, person=[Reason("not graded")])
    text = canvas([lesson, replace(lesson, name="92_more", marks=[*lesson.marks, gil])])
    (row,) = (row for row in csv.reader(io.StringIO(text)) if row[3] == "gil")
    assert row[5:] == ["", ""]


def test_moodle_gets_a_file_a_lesson_with_no_empty_grade(
    marks: list[LessonMarks], tmp_path: Path
) -> None:
    """An empty cell would delete a grade in Moodle."""
    (path,) = export(marks, "moodle", tmp_path)
    assert path == tmp_path / f"{LESSON}.csv"
    head, *rows = csv.reader(io.StringIO(path.read_text(), newline=""))
    assert head == ["Username", "User ID", "Email address", "Last name", "First name", "91 Shoes"]
    assert {row[0]: row[-1] for row in rows} == {"ada": "9", "ben": "2.5", "cem": "0"}
    assert rows[0][3:5] == ['B, "Countess"', "Ada"] and rows[2][1] == "4711"


def test_every_format_of_the_command_can_be_written(
    marks: list[LessonMarks], tmp_path: Path
) -> None:
    for format in FORMATS:
        assert all(path.stat().st_size for path in export(marks, format, tmp_path / format))
