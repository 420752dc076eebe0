"""A class graded with nbgrader's own commands: the judge's scores stand in the grade book."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
import zstandard
from nbgrader.api import Gradebook
from testkit.served_notebooks import TOKEN, jupyterlab
from testkit.submissions import ADD, DOUBLED, KEPT, RIGHT, filled, write

from grader.classroom.class_grading import grade_class

pytestmark = pytest.mark.slow

LESSON = "90_counting"
CLASS = ("all_right", "one_wrong", "untouched", "cheat", "by_heart", "half_by_heart")


def prying(root: Path) -> str:
    """A wrong answer that looks around."""
    paths = [str(root / name) for name in ("gradebook.db", "solutions", "submitted")]
    return f"add = max\nimport os\nprint([os.path.exists(path) for path in {paths}])"


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


# the public rows are right, and every other one is left as it was
HALF_BY_HEART = """
def doubled(clicks):
    rows = {"home": 1, "shoes": 2, "hats": 3}
    seen = F.coalesce(*[F.when(F.col("page") == page, F.col("n") == n) for page, n in rows.items()])
    return clicks.select("page", F.when(seen, F.col("n") * 2).otherwise(F.col("n")).alias("n"))
"""


@pytest.fixture(scope="module")
def graded(project: Path) -> Path:
    released = project / "course" / LESSON / f"{LESSON}.ipynb"
    hand_in(project, "all_right", filled(released, RIGHT))
    wrong = {**RIGHT, "doubled": "def doubled(clicks):\n    return clicks", "add": prying(project)}
    hand_in(project, "one_wrong", filled(released, wrong))
    hand_in(project, "untouched", filled(released, {}))
    hand_in(project, "cheat", cheating(released))
    hand_in(project, "by_heart", filled(released, {**RIGHT, "doubled": BY_HEART}))
    hand_in(project, "half_by_heart", filled(released, {**RIGHT, "doubled": HALF_BY_HEART}))
    return project


@pytest.fixture(scope="module")
def autograded(graded: Path) -> Path:
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
        ("half_by_heart", 0, 2, 1),
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
    assert (
        "Your query has other columns than the task: the task names no column"
        in shown.data["text/plain"]
    )
    assert "90.1" in shown.data["text/html"]
    assert cells["check-doubled"].source.startswith("grader.check")
    assert cells["check-kept"].outputs[0].metadata["verdict"]["status"] == "passed"
    assert cells["kept"].outputs[0].text == "warning\n", "what other cells print is kept"


def test_a_submission_sees_nothing_of_the_class(autograded: Path) -> None:
    if os.environ.get("GRADER_SANDBOX") == "none":
        pytest.skip("no sandbox can be made here")
    assert (autograded / "gradebook.db").exists()
    path = autograded / "autograded" / "one_wrong" / LESSON / f"{LESSON}.ipynb"
    cells = {
        c.metadata.get("nbgrader", {}).get("grade_id"): c for c in nbformat.read(path, 4).cells
    }
    assert cells["add"].outputs[0].text == "[False, False, False]\n"


def test_a_mistake_that_shows_on_hidden_events_alone_has_its_name_and_none_of_their_figures(
    autograded: Path,
) -> None:
    named = {}
    for student in ("by_heart", "half_by_heart"):
        path = autograded / "autograded" / student / LESSON / f"{LESSON}.ipynb"
        cells = {
            c.metadata.get("nbgrader", {}).get("grade_id"): c for c in nbformat.read(path, 4).cells
        }
        named[student] = cells["check-doubled"].outputs[0].metadata["verdict"]["diagnosis"]
    assert named["by_heart"] is None, "its rows are those of no known mistake"
    assert named["half_by_heart"]["id"] == "n_as_it_was"
    assert named["half_by_heart"]["hint"] == "Look at n."


def test_feedback_is_a_page_with_score_and_verdict_but_no_hidden_rows(
    autograded: Path, nbgrader: Callable[..., Any]
) -> None:
    nbgrader(autograded, "generate_feedback", LESSON)
    pages = {
        student: (autograded / "feedback" / student / LESSON / f"{LESSON}.html").read_text()
        for student in CLASS
    }
    assert "passed" in pages["all_right"]
    assert 'class="ss-lens"' in pages["one_wrong"], "the picture of what the query did"
    assert "missing" in pages["one_wrong"] or "wrong value" in pages["one_wrong"]
    assert "not attempted" in pages["untouched"]
    assert "events that you have not seen" in pages["by_heart"]
    for student in ("by_heart", "half_by_heart"):
        assert "bags" not in pages[student], "a page that only hidden events name"


def test_grader_grade_writes_what_nbgrader_autograde_writes(
    autograded: Path, tmp_path: Path
) -> None:
    """And takes the runs that this one kept: only who handed in later has to run."""
    for name in ("course", "solutions", "submitted", "grading"):
        shutil.copytree(autograded / name, tmp_path / name)
    shutil.copy(autograded / "nbgrader_config.py", tmp_path)
    released = tmp_path / "course" / LESSON / f"{LESSON}.ipynb"
    hand_in(tmp_path, "later", filled(released, {**RIGHT, "doubled": DOUBLED.replace("2", "3")}))
    done = subprocess.run(
        [sys.executable, "-m", "grader", "grade", "submitted", LESSON, "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert {one["student"]: one["how"] for one in told["submissions"]} == {
        **dict.fromkeys(CLASS, "judged"),
        "later": "run",
    }
    assert scores(tmp_path, "later")["check-doubled"] == (0, False)
    for student in CLASS:
        assert scores(tmp_path, student) == scores(autograded, student)
        page = Path("autograded", student, LESSON, f"{LESSON}.ipynb")
        assert (tmp_path / page).read_text() == (autograded / page).read_text()


def test_on_request_no_two_students_have_hidden_events_in_common(
    autograded: Path, tmp_path: Path
) -> None:
    def played(root: Path, student: str) -> set[str]:
        text = zstandard.decompress(
            (root / "grading" / "runs" / student / LESSON / f"{LESSON}.zst").read_bytes()
        )
        seen = json.loads(text.split(b"\n", 1)[1])["seen"]["90.1"]["recordings"]
        return {name for name in seen if name.startswith("hidden")}

    assert played(autograded, "all_right") == played(autograded, "half_by_heart")
    for name in ("course", "solutions", "grading"):
        shutil.copytree(autograded / name, tmp_path / name)
    shutil.copy(autograded / "nbgrader_config.py", tmp_path)
    for student in ("all_right", "by_heart"):
        shutil.copytree(autograded / "submitted" / student, tmp_path / "submitted" / student)
    grades = grade_class(tmp_path, tmp_path / "submitted", hidden_for="student", jobs=1)
    assert [sum(v.score for v in one.verdicts) for one in grades.submissions] == [6, 3]
    first, second = (played(tmp_path, student) for student in ("all_right", "by_heart"))
    assert first and second and not first & second


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
    project: Path,
    built: Path,
    tmp_path: Path,
    nbgrader: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GRADER_SANDBOX", "none")
    shutil.copytree(built.parent, tmp_path / "course")
    shutil.copy(project / "nbgrader_config.py", tmp_path)
    answers = {"doubled": BY_HEART, "kept": "raise SystemExit", "add": ADD}
    hand_in(tmp_path, "ann", filled(built / f"{LESSON}.ipynb", answers))
    done = nbgrader(tmp_path, "autograde", LESSON)
    assert "public scenarios only" in done.stderr
    assert "ann: graded without a sandbox, as you chose" in done.stderr
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


def test_validate_in_jupyterlab_tells_which_check_fails(project: Path, tmp_path: Path) -> None:
    root = tmp_path / "clone"
    shutil.copytree(project / "course", root / "course")
    shutil.copy(project / "nbgrader_config.py", root)
    path = root / "course" / LESSON / f"{LESSON}.ipynb"
    write(filled(path, {**RIGHT, "doubled": DOUBLED.replace("2", "3")}), path)
    with jupyterlab(root, root / "course") as address:
        request = urllib.request.Request(
            f"{address}assignments/validate",
            data=json.dumps({"path": f"{LESSON}/{path.name}"}).encode(),
            headers={"Authorization": f"token {TOKEN}"},
        )
        with urllib.request.urlopen(request, timeout=200) as answer:
            told = json.load(answer)
    assert told["success"], told
    (failed,) = told["value"]["failed"]
    assert failed["source"] == 'grader.check("90.1", doubled)'
    assert "90.1: failed" in failed["raw_error"]
