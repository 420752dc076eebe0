"""A class graded with nbgrader's own commands: the judge's scores stand in the grade book."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook
from submissions import ADD, DOUBLED, KEPT, RIGHT, filled, write

pytestmark = pytest.mark.slow

LESSON = "90_counting"
CLASS = ("all_right", "one_wrong", "untouched", "cheat", "by_heart")


def hand_in(root: Path, student: str, notebook: nbformat.NotebookNode) -> Path:
    folder = root / "submitted" / student / LESSON
    write(notebook, folder / f"{LESSON}.ipynb")
    shutil.copy(root / "course" / LESSON / "checks.pack", folder)
    return folder


def cheating(released: Path) -> nbformat.NotebookNode:
    """Says "passed" wherever it can; one answer is right, the other wrong; a check is gone."""
    patch = (
        "import sys, grader\n"
        "print('warning', file=sys.stderr)\n"
        "def passed(*args, **kwargs):\n    print('passed: 3 of 3 points')\n    return 3.0\n"
        "grader.check = passed\n"
    )
    wrong = patch + "def doubled(clicks):\n    return clicks"
    notebook = filled(released, {**RIGHT, "doubled": wrong, "kept": patch + KEPT})
    for cell in notebook.cells:
        marked = cell.metadata.get("nbgrader", {})
        if marked.get("grade_id") == "check-doubled":
            cell.source = "3.0"
            marked.update(points=30, schema_version=1, locked=False)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") != "check-kept"
    ]
    return notebook


# right on the public events only
BY_HEART = """
def doubled(clicks):
    rows = {"home": 2, "shoes": 4, "hats": 6}
    n = F.coalesce(*[F.when(F.col("page") == page, F.lit(n)) for page, n in rows.items()])
    return clicks.select("page", n.alias("n"))
"""


@pytest.fixture(scope="module")
def graded(project: Path) -> Path:
    released = project / "course" / LESSON / f"{LESSON}.ipynb"
    hand_in(project, "all_right", filled(released, RIGHT))
    wrong = {**RIGHT, "doubled": "def doubled(clicks):\n    return clicks", "add": "add = max"}
    hand_in(project, "one_wrong", filled(released, wrong))
    hand_in(project, "untouched", filled(released, {}))
    hand_in(project, "cheat", cheating(released))
    hand_in(project, "by_heart", filled(released, {**RIGHT, "doubled": BY_HEART}))
    return project


@pytest.fixture(scope="module")
def autograded(graded: Path) -> Path:
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", LESSON],
        cwd=graded,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return graded


def scores(root: Path, student: str) -> dict[str, Any]:
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        grades = book.find_submission_notebook(LESSON, LESSON, student).grades
        return {grade.name: (grade.auto_score, grade.needs_manual_grade) for grade in grades}


@pytest.mark.parametrize(
    ("student", "doubled", "kept", "add"),
    [
        ("all_right", 3, 2, 1),
        ("one_wrong", 0, 2, 0),
        ("untouched", 0, 0, 0),
        ("cheat", 0, 2, 1),
        ("by_heart", 0, 2, 1),
    ],
)
def test_every_student_gets_what_the_code_deserves(
    autograded: Path, student: str, doubled: float, kept: float, add: float
) -> None:
    got = scores(autograded, student)
    assert got["check-doubled"] == (doubled, False)
    assert got["check-kept"] == (kept, False)
    assert got["test-add"] == (add, False), "a test cell of nbgrader's own kind"
    # an essay that was not touched is worth nothing, any other waits for a person
    assert got["essay"] == ((0, False) if student == "untouched" else (None, True))


def test_the_verdict_stands_in_the_check_cell_and_nothing_else(autograded: Path) -> None:
    path = autograded / "autograded" / "cheat" / LESSON / f"{LESSON}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    cells = {c.metadata.get("nbgrader", {}).get("grade_id"): c for c in notebook.cells}
    (shown,) = cells["check-doubled"].outputs
    assert shown.metadata["verdict"]["status"] == "failed"
    assert "wrong value" in shown.data["text/plain"]
    assert "90.1" in shown.data["text/html"]
    assert cells["check-doubled"].source.startswith("grader.check")
    assert cells["check-kept"].outputs[0].metadata["verdict"]["status"] == "passed"
    assert cells["kept"].outputs[0].text == "warning\n", "what other cells print is kept"


def test_feedback_is_a_page_with_score_and_verdict_but_no_hidden_rows(
    autograded: Path, nbgrader: Callable[..., Any]
) -> None:
    nbgrader(autograded, "generate_feedback", LESSON)
    pages = {
        student: (autograded / "feedback" / student / LESSON / f"{LESSON}.html").read_text()
        for student in CLASS
    }
    assert "passed" in pages["all_right"]
    assert "not attempted" in pages["untouched"]
    assert "events that you have not seen" in pages["by_heart"]
    assert "bags" not in pages["by_heart"], "a page that only hidden events name"


def test_grading_again_gives_the_same_and_keeps_what_a_person_gave(
    autograded: Path, nbgrader: Callable[..., Any]
) -> None:
    with Gradebook(f"sqlite:///{autograded}/gradebook.db") as book:
        grade = book.find_grade("check-doubled", LESSON, LESSON, "one_wrong")
        grade.manual_score = 1.5
        book.db.commit()
    before = scores(autograded, "one_wrong")
    nbgrader(autograded, "autograde", LESSON, "--student", "one_wrong", "--force")
    after = scores(autograded, "one_wrong")
    assert after == {**before, "check-doubled": (0.0, True)}
    with Gradebook(f"sqlite:///{autograded}/gradebook.db") as book:
        assert book.find_grade("check-doubled", LESSON, LESSON, "one_wrong").score == 1.5


def test_without_solutions_the_public_scenarios_decide(
    project: Path, built: Path, tmp_path: Path, nbgrader: Callable[..., Any]
) -> None:
    shutil.copytree(built.parent, tmp_path / "course")
    shutil.copy(project / "nbgrader_config.py", tmp_path)
    answers = {"doubled": BY_HEART, "kept": "raise SystemExit", "add": ADD}
    hand_in(tmp_path, "ann", filled(built / f"{LESSON}.ipynb", answers))
    done = nbgrader(tmp_path, "autograde", LESSON)
    assert "public scenarios only" in done.stderr
    got = scores(tmp_path, "ann")
    assert (got["check-doubled"][0], got["check-kept"][0]) == (3, 0)


def test_release_and_validate_with_nbgraders_own_commands(
    project: Path, nbgrader: Callable[..., Any], tmp_path: Path
) -> None:
    root = tmp_path / "clone"
    shutil.copytree(project / "course", root / "course")
    shutil.copy(project / "nbgrader_config.py", root)
    handed_out = root / "released" / LESSON / f"{LESSON}.ipynb"
    nbgrader(root, "generate_assignment", LESSON)
    nbgrader(root, "generate_assignment", LESSON, "--force")
    original = root / "course" / LESSON / f"{LESSON}.ipynb"
    assert nbformat.read(handed_out, 4).cells == nbformat.read(original, 4).cells
    assert (handed_out.parent / "checks.pack").exists()
    nbgrader(root, "release_assignment", LESSON, f"--Exchange.root={tmp_path / 'exchange'}")

    write(filled(original, RIGHT), handed_out)
    assert "Success" in nbgrader(root, "validate", str(handed_out)).stdout
    write(filled(original, {**RIGHT, "doubled": DOUBLED.replace("2", "3")}), handed_out)
    said = nbgrader(root, "validate", str(handed_out)).stdout
    assert "VALIDATION FAILED ON 1 CELL" in " ".join(said.split())
    assert "90.1" in said
