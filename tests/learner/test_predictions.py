"""A bet is judged by what was meant, and a slip of form costs nothing."""

from pathlib import Path

import pytest

import grader
from grader.judging.check_pack import PackError
from grader.learner import progress
from grader.learner.predictions import read

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def lesson(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GRADER_STATE", str(tmp_path))
    monkeypatch.chdir(ROOT / "course")


def noted(exercise: str) -> dict[str, bool]:
    found = progress.read()["exercises"].get(exercise, {})
    return dict(found.get("predictions", {}))


@pytest.mark.parametrize("answer", [2, 2.0, "2", " 2 rows", "two", "Two windows", "two."])
def test_a_number_is_the_same_however_it_is_written(answer, capsys) -> None:
    grader.predict("03.2", rows=answer)
    assert capsys.readouterr().out.startswith("✓ rows")
    assert noted("03.2") == {"rows": True}


@pytest.mark.parametrize(
    "answer", ["12:04:50", "12:4:50", "12:04:50.0", "12:04:50Z", "2026-03-01T12:04:50", "12:04:50 "]
)
def test_a_time_is_the_same_however_it_is_written(answer, capsys) -> None:
    grader.predict("03.2", watermark=answer)
    assert capsys.readouterr().out.startswith("✓ watermark")


def test_larger_numbers_can_be_spelt_too() -> None:
    assert read("forty") == read("40") == ("number", 40)
    assert read("thirty-two") == read("thirty two rows") == ("number", 32)
    assert read("none") == read("no rows") == ("number", 0)
    assert read("1,200") == ("number", 1200)
    assert read("3rows") == read("3  rows") == ("number", 3)
    assert read("12:05 UTC") == read("12:05") == ("time", 43500)
    assert read("one hundred") is read("no answer") is None
    assert read("no idea") is read("1,5") is None
    assert read("many") is read("12:99:00") is read("three or four") is read(True) is None


@pytest.mark.parametrize("answer", ["some", "12:04:50", None, "two or three"])
def test_what_is_no_number_is_not_noted_for_good(answer, capsys) -> None:
    grader.predict("03.2", rows=answer)
    assert "asks for a number" in capsys.readouterr().out and noted("03.2") == {}
    grader.predict("03.2", rows=2)
    assert noted("03.2") == {"rows": True}


def test_a_wrong_answer_gets_its_own_nudge_however_it_is_written(capsys) -> None:
    grader.predict("03.2", rows="one")
    assert "✗ rows is not one. One window closes." in capsys.readouterr().out
    grader.predict("03.2", rows=2)
    assert noted("03.2") == {"rows": False}  # the first bet stands


def test_a_misspelt_name_is_told_which_questions_there_are(capsys) -> None:
    grader.predict("03.2", watermrak="12:04:50", rows=2)
    said = capsys.readouterr().out
    assert "✓ rows" in said and "no question 'watermrak'. Did you mean watermark?" in said
    assert 'grader.predict("03.2", watermark=…, rows=…, dropped=…)' in said
    assert noted("03.2") == {"rows": True}


def test_an_answer_without_a_name_is_told_to_take_one(capsys) -> None:
    grader.predict("03.2", "12:04:50")
    said = capsys.readouterr().out
    assert "needs the name of its question" in said and "watermark: In step 2 arrive" in said


def test_an_exercise_without_a_question_says_so(capsys) -> None:
    grader.predict("00.1", rows=3)
    assert capsys.readouterr().out == "00.1 asks nothing before it is run.\n"


def test_an_exercise_that_is_not_there_is_told_in_one_line() -> None:
    with pytest.raises(PackError, match=r"no exercise '03\.9'; it has") as caught:
        grader.predict("03.9", rows=3)
    assert len(caught.value._render_traceback_()) == 1


@pytest.mark.parametrize(
    ("written", "fix"), [(3.2, 'as "03.2"'), ("3.2", "'03.2'"), (None, 'as "03.2"')]
)
def test_an_id_in_another_form_is_told_how_to_be_written(written: object, fix: str) -> None:
    with pytest.raises(PackError, match=fix):
        grader.predict(written, rows=3)
