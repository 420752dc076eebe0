"""A class of notebooks of strange form: each gets what it deserves, or a person is told why not; never a silent 0.

The forms and what they deserve are in testkit/strange_catalogue.py. Of those that run, every second is graded;
STRANGE_FORMS=1 grades all of them (the nightly workflow does).
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from testkit import strange_catalogue
from testkit.plain_class import LESSON, PROJECT, SOURCE, grade, make_course, solved
from testkit.strange_forms import Form, hand_in

from grader.classroom.journal import Journal
from grader.classroom.submission_result import SubmissionResult

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SOURCE.is_dir(), reason="needs solutions/"),
    pytest.mark.timeout(1800),
]
COUNT = 20  # submissions of the class whose grading is killed
KILLS = (5, 8)  # a grading is killed when so many submissions are graded in it
EVERY = int(os.environ.get("STRANGE_FORMS", "2"))
GRADED = [form for form in strange_catalogue.FORMS if not form.refused][::EVERY]
FORMS = [*GRADED, *strange_catalogue.CANNOT]
KILLED = GRADED[:: len(GRADED) // COUNT][:COUNT]
Results = dict[str, SubmissionResult]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The class of all forms, graded once."""
    root = made(tmp_path_factory.mktemp("strange"), FORMS)
    grade(root)
    return root


@pytest.fixture(scope="module")
def results(root: Path) -> Results:
    return results_in(root)


def made(root: Path, forms: list[Form]) -> Path:
    """A course in which each of these forms is handed in."""
    notebook = solved()
    make_course(root)
    for form in forms:
        hand_in(root, form, notebook)
    return root


def results_in(root: Path) -> Results:
    with Journal(root / "grading" / "journal.db") as journal:
        return {one.student: one for one in journal.of_lesson(LESSON)}


def scores_in(root: Path) -> dict[tuple[str, str], float | None]:
    """Student and cell → points in nbgrader's grade book."""
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        return {
            (found.student_id, score.name): score.auto_score
            for found in book.assignment_submissions(LESSON)
            for notebook in found.notebooks
            for score in notebook.grades
        }


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.student)
def test_a_strange_form_gets_what_it_deserves(form: Form, results: Results) -> None:
    found = results[form.student]
    told = "\n".join(f"{one.exercise}: {one.why}" for one in found.person)
    assert bool(found.verdicts) is not form.refused, told
    others = {one.exercise: one.status for one in found.verdicts if not one.passed}
    assert others == form.statuses, (form.why, told)
    assert re.search(form.person, told) if form.person else not told, (form.why, told)


def test_no_zero_is_silent(results: Results) -> None:
    """Who loses points otherwise than by a failed check is shown to a person, and so is who has none at all."""
    for found in results.values():
        lost = {one.status for one in found.verdicts if not one.passed}
        nothing = not any(one.score for one in found.verdicts)
        assert found.person or (lost <= {"failed"} and not nothing), found


def test_a_grading_that_is_killed_twice_comes_to_the_same_result(
    root: Path, results: Results, tmp_path: Path
) -> None:
    made(tmp_path, KILLED)
    told = [*killed(tmp_path, KILLS[0]), *killed(tmp_path, KILLS[1]), *killed(tmp_path, None)]
    after, students = results_in(tmp_path), {form.student for form in KILLED}
    assert set(after) == students
    assert {s: outcome(after[s]) for s in students} == {s: outcome(results[s]) for s in students}
    scores = scores_in(root)
    assert scores_in(tmp_path) == {k: v for k, v in scores.items() if k[0] in students}
    finished = Counter(line.split("] ", 1)[1].split(" ", 1)[0] for line in told)
    assert set(finished) <= students and set(finished.values()) == {1}, "none is graded twice"


def outcome(found: SubmissionResult) -> list[object]:
    """All of a result but how long it took."""
    verdicts = [(x.exercise, x.status, x.score, x.criteria, x.diagnosis) for x in found.verdicts]
    return [*verdicts, *found.person]


def killed(root: Path, after: int | None) -> list[str]:
    """Grade the class, with all processes killed when so many submissions are graded; the line of each."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "testkit.plain_class", str(root), "2"],
        cwd=PROJECT / "tests",
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    graded = []
    for line in process.stdout:
        if " points" in line:
            graded.append(line)
        if len(graded) == after:
            os.killpg(process.pid, signal.SIGKILL)
            break
    graded += [line for line in process.stdout if " points" in line]
    assert process.wait() == (0 if after is None else -signal.SIGKILL)
    return graded
