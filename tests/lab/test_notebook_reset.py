"""Starting again: answer cells come back, nothing is lost, and what cannot come back is said."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest

from grader.cli import main
from grader.errors import SetupError
from grader.lab.notebook_reset import COPY, reset
from grader.learner import progress

COURSE = Path(__file__).resolve().parents[2] / "course"
LESSON = "03_watermarks"


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The notebook of a clone of one lesson."""
    monkeypatch.setenv("GRADER_STATE", str(tmp_path / "state"))
    (tmp_path / ".git").mkdir()
    shutil.copytree(COURSE / LESSON, tmp_path / "course" / LESSON)
    return tmp_path / "course" / LESSON / f"{LESSON}.ipynb"


def kept(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "state" / "before-reset").glob("*.ipynb"))


def test_an_answer_comes_back_as_handed_out_and_the_old_one_is_kept(
    notebook: Path, tmp_path: Path
) -> None:
    given = nbformat.read(notebook, 4)
    written = nbformat.read(notebook, 4)
    answers = [c for c in written.cells if c.metadata.get("nbgrader", {}).get("solution")]
    for cell in answers:
        cell.source = "mine"
    nbformat.write(written, notebook)
    reset("03", tmp_path)
    assert [c.source for c in nbformat.read(notebook, 4).cells] == [c.source for c in given.cells]
    (copy,) = kept(tmp_path)
    assert sum(c.source == "mine" for c in nbformat.read(copy, 4).cells) == len(answers)


def test_a_notebook_that_is_cut_short_is_kept_and_the_way_back_named(
    notebook: Path, tmp_path: Path
) -> None:
    text = notebook.read_text()
    notebook.write_text(text[:1000])
    with pytest.raises(SetupError) as told:
        reset("03.1", tmp_path)
    (copy,) = kept(tmp_path)
    assert copy.read_text() == text[:1000]
    assert f"git checkout -- {notebook}" in str(told.value) and str(copy) in str(told.value)


def test_an_answer_cell_that_is_gone_is_told_with_what_the_way_back_takes(
    notebook: Path, tmp_path: Path
) -> None:
    written = nbformat.read(notebook, 4)
    written.cells = [c for c in written.cells if not c.metadata.get("nbgrader", {}).get("solution")]
    nbformat.write(written, notebook)
    told = "\n".join(reset("03.1", tmp_path))
    assert "03.1: its answer cell is gone" in told and str(kept(tmp_path)[0]) in told
    assert f"git checkout -- {notebook}" in told


def test_of_an_answers_copies_none_stays(notebook: Path, tmp_path: Path) -> None:
    """JupyterLab copies a cell with its id; the last of them would be the answer."""
    given = nbformat.read(notebook, 4)
    written = nbformat.read(notebook, 4)
    at = next(
        n for n, c in enumerate(written.cells) if c.metadata.get("nbgrader", {}).get("solution")
    )
    written.cells[at].source = "first"
    written.cells.insert(at + 1, nbformat.from_dict({**written.cells[at], "id": "of-the-copy"}))
    written.cells[at + 1].source = "second"
    nbformat.write(written, notebook)
    reset("03", tmp_path)
    cells = nbformat.read(notebook, 4).cells
    assert cells[at].source == given.cells[at].source and cells[at + 1].source == COPY
    (copy,) = kept(tmp_path)
    assert [c.source for c in nbformat.read(copy, 4).cells[at : at + 2]] == ["first", "second"]


def test_a_lesson_that_lies_beside_no_course_is_found_from_its_folder(
    notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As nbgrader's exchange hands one out."""
    shutil.move(notebook.parent, tmp_path / LESSON)
    fetched = tmp_path / LESSON / notebook.name
    given = fetched.read_text()
    written = nbformat.read(fetched, 4)
    for cell in written.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = "mine"
    nbformat.write(written, fetched)
    shutil.rmtree(tmp_path / "course")
    monkeypatch.chdir(tmp_path / LESSON)
    assert main(["reset", "03"]) == 0
    assert [c.source for c in nbformat.read(fetched, 4).cells] == [
        c.source for c in nbformat.reads(given, 4).cells
    ]


def test_without_a_notebook_only_verdicts_are_forgotten(notebook: Path, tmp_path: Path) -> None:
    notebook.unlink()
    for exercise in ("03.1", "03.2"):
        progress.remember_hint(exercise, 1)
    assert f"There is no {notebook}" in reset("03.1", tmp_path)[0]
    assert (progress.hints_seen("03.1"), progress.hints_seen("03.2")) == (0, 1)
