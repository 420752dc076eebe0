"""What JupyterLab opens on: a page that is true, links that lead somewhere, no tools for teachers."""

import re
import shutil
import time
from pathlib import Path

import pytest
from jupyterlab_server.config import get_page_config

from grader.judging.verdict import Verdict
from grader.lab.local_lab import OUR_DEFAULTS
from grader.lab.welcome_page import keep_welcome_page
from grader.learner import progress

COURSE = Path(__file__).resolve().parents[2] / "course"
TEACHERS = ("assignment-list", "course-list", "create-assignment", "formgrader", "menu")


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course of two lessons, and a learner who has done nothing."""
    monkeypatch.setenv("GRADER_STATE", str(tmp_path / "state"))
    for lesson in ("00_orientation", "03_watermarks"):
        shutil.copytree(COURSE / lesson, tmp_path / "course" / lesson)
    shutil.copy(COURSE / "progress.ipynb", tmp_path / "course")
    return tmp_path / "course"


def test_the_page_follows_the_progress_and_its_links_lead_somewhere(course: Path) -> None:
    assert keep_welcome_page(course) == "/lab/tree/welcome.md"
    page = course / "welcome.md"
    first = page.read_text()
    assert "## Start here: [00 Orientation](00_orientation/00_orientation.ipynb)" in first
    assert "grader drill placement" in first
    links = re.findall(r"\]\((.*?)\)", first)
    assert len(set(links)) == 3 and all((course / link).is_file() for link in links)
    progress.remember(Verdict(exercise="00.1", status="passed", score=2, max_score=2), title="")
    until = time.monotonic() + 30
    while "Next: [00.2 " not in page.read_text():
        assert time.monotonic() < until, page.read_text()
        time.sleep(0.1)
    assert "## Your progress: 2 of " in page.read_text()
    assert "</progress> 1 of 3 |" in page.read_text()


def test_what_cannot_be_shown_stops_no_lab(course: Path) -> None:
    (course / "03_watermarks" / "checks.pack").write_bytes(b"half a pack")
    keep_welcome_page(course)
    page = (course / "welcome.md").read_text()
    assert "[00 Orientation]" in page and "03_watermarks/checks.pack is not a check pack" in page
    (course / "welcome.md").unlink()
    (course / "welcome.md").mkdir()
    assert keep_welcome_page(course) == "/lab"
    (course.parent / "empty").mkdir()
    assert keep_welcome_page(course.parent / "empty") == "/lab"


def test_only_a_learners_lab_hides_the_tools_for_teachers(monkeypatch: pytest.MonkeyPatch) -> None:
    def hidden() -> list[str]:
        disabled = get_page_config([])["disabledExtensions"]
        return sorted(name for name in disabled if "nbgrader" in name)

    assert hidden() == [], "`jupyter lab` has them"
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(OUR_DEFAULTS))
    assert hidden() == [f"@jupyter/nbgrader:{name}" for name in TEACHERS]
