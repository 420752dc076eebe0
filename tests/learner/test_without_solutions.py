"""A learner's machine needs course/, datasets/ and the package: solutions/ may be gone.

The tests in browser/ run without solutions/, too.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from grader.authoring.lesson_source import read_lessons

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
LESSON = "00_orientation"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A project folder without solutions/ and with a package that cannot see them either."""
    for name in ("course", "datasets", "grader"):
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


def grader(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(home), "GRADER_STATE": str(home / "state")}
    command = [
        sys.executable,
        "-c",
        "import sys; from grader.cli import main; sys.exit(main())",
        *words,
    ]
    return subprocess.run(
        command, cwd=home, env=environment, capture_output=True, text=True, timeout=600
    )


def solve(notebook: Path, only: list[str] | None = None) -> None:
    """Write the solutions of a lesson into a student's notebook."""
    lesson = next(x for x in read_lessons(ROOT / "solutions") if x.name == notebook.stem)
    student = nbformat.read(notebook, as_version=4)
    for cell in student.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if cell.metadata.get("nbgrader", {}).get("solution") and (only is None or name in only):
            cell.source = lesson.cell(name)
    nbformat.write(student, notebook)


def test_all_that_a_learner_does_works_without_solutions(home: Path) -> None:
    assert not (home / "solutions").exists()
    listed = json.loads(grader(home, "list", "--json").stdout)
    assert [lesson["id"] for lesson in listed["lessons"]][:4] == ["00", "01", "02", "03"]
    ids = [exercise["id"] for exercise in listed["lessons"][0]["exercises"]]

    notebook = home / "course" / LESSON / f"{LESSON}.ipynb"
    untouched = grader(home, "check", str(notebook), "--json")
    assert untouched.returncode == 1, untouched.stderr
    assert {v["status"] for v in json.loads(untouched.stdout)["verdicts"]} == {"not_attempted"}

    solve(notebook)
    solved = grader(home, "check", str(notebook), "--json")
    verdicts = json.loads(solved.stdout)["verdicts"]
    assert solved.returncode == 0, solved.stdout + solved.stderr
    assert [(v["exercise"], v["status"]) for v in verdicts] == [(id, "passed") for id in ids]
    assert all(v["score"] == v["max_score"] > 0 for v in verdicts)

    before = notebook.read_bytes()
    reset = grader(home, "reset", ids[0])
    assert reset.returncode == 0, reset.stderr
    kept = next((home / "state" / "before-reset").glob("*.ipynb"))
    assert kept.read_bytes() == before
    assert "NotImplementedError" in notebook.read_text()
    assert grader(home, "progress").returncode == 0
    assert grader(home, "reset", "99").returncode == 2
