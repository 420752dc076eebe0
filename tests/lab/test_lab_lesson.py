"""`grader lab 03` opens the notebook of lesson 03."""

from pathlib import Path

import pytest

from grader.cli import main
from grader.errors import SetupError
from grader.lab.local_lab import lesson_notebook, run_lab

COURSE = Path(__file__).parents[2] / "course"


def test_a_lesson_has_one_notebook_whatever_is_next_to_it(tmp_path: Path) -> None:
    folder = tmp_path / "03_watermarks"
    folder.mkdir()
    for name in (
        "03_watermarks.ipynb",
        "03_watermarks-0.2.0.ipynb",
    ):  # one that an update put there
        (folder / name).touch()
    assert lesson_notebook(tmp_path, "03") == "03_watermarks/03_watermarks.ipynb"
    for path in COURSE.glob("[0-9][0-9]_*"):
        assert (COURSE / lesson_notebook(COURSE, path.name[:2])).is_file()


def test_another_number_is_refused_before_anything_starts() -> None:
    with pytest.raises(SetupError, match="There is no lesson 99"):
        lesson_notebook(COURSE, "99")
    said: list[str] = []
    assert run_lab(None, COURSE, lesson="99", open_browser=False, say=said.append) == 1
    assert said[0].startswith("There is no lesson 99. Fix: name one of these: 00, 01")


def test_containers_open_the_first_page_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "03", "--docker"]) != 0
    assert "Leave the lesson out" in capsys.readouterr().err
