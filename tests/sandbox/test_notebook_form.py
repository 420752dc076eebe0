"""`grader check --form`: which answers are found in a notebook, before anything runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import nbformat
import pytest
from testkit.wild_notebooks import ANSWER, COURSE, LESSON, RIGHT, WILD, Wild, answer, edited

from grader.cli import main
from grader.sandbox.notebook_form import form_of, form_text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "course" / LESSON
    folder.mkdir(parents=True)
    shutil.copy(COURSE / "checks.pack", folder)
    return folder


@pytest.mark.parametrize("wild", WILD, ids=lambda wild: wild.name)
def test_an_answer_is_found_or_what_hides_it_is_said(wild: Wild, folder: Path) -> None:
    path = folder / f"{LESSON}.ipynb"
    nbformat.write(edited(wild.edit), path)
    form = form_of(path)
    first, *others = form.answers
    assert (first.exercise, first.status) == ("00.1", wild.status)
    assert wild.said in first.problem
    assert {one.status for one in others} == {"not_attempted"}
    assert not form.problem


def test_the_command_runs_nothing_and_says_it_as_text_and_as_json(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = edited(answer(RIGHT))
    notebook.cells[2].source = "name = input('Who are you? ')\nopen('ran', 'w')"
    notebook.cells[4]["id"] = notebook.cells[6]["id"] = "the same"
    path = folder / f"{LESSON}.ipynb"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(notebook).encode())
    assert main(["check", "--form", str(path)]) == 1
    said = capsys.readouterr().out
    assert said.startswith(f"{LESSON}.ipynb can be graded.\n1 of 3 answers found:\n  ✓ 00.1")
    assert f"cell {ANSWER + 1}" in said and "not attempted" in said
    assert "byte order mark: it was read all the same" in said and "calls input()" in said
    assert main(["check", "--form", str(path), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["can_be_graded"], told["found"], told["expected"]) == (True, 1, 3)
    assert [one["status"] for one in told["answers"]] == ["found", *["not_attempted"] * 2]
    assert not (folder / "ran").exists()


def test_a_file_that_grading_would_refuse_says_the_fix(folder: Path) -> None:
    copy = folder / f"{LESSON} (1).ipynb"
    nbformat.write(edited(answer(RIGHT)), copy)
    assert f"must be called {LESSON}.ipynb. Fix: rename it" in form_text(form_of(copy))
    copy.write_text("<html>")
    assert "web page. Fix: download the notebook itself" in form_text(form_of(copy))
