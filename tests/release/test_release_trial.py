"""A release as people get it: installed in an empty home, used, and brought over an older one that is in use."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from testkit.lab_processes import ROOT
from testkit.made_class import answers_for, hand_in, make_class
from testkit.own_home import Person
from testkit.submissions import filled, write

from grader.authoring.lesson_source import LessonSource
from grader.authoring.release.packages import build_packages, export
from grader.authoring.release.release_files import SUMS
from grader.authoring.release.release_state import git, previous
from grader.classroom.bundle import TOP

pytestmark = [pytest.mark.release, pytest.mark.timeout(3600)]

EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=600).execute()
"""
STATE = "import json; from grader.learner import progress; print(json.dumps(progress.read()))"


def test_each_file_has_the_hash_in_its_list(release: Path) -> None:
    listed = dict(line.split("  ")[::-1] for line in (release / SUMS).read_text().splitlines())
    found = {path.name: path.read_bytes() for path in release.iterdir() if path.name != SUMS}
    assert listed == {name: hashlib.sha256(content).hexdigest() for name, content in found.items()}


def test_the_lab_starts_in_an_empty_home_and_checks_itself(learner: Person) -> None:
    said = learner.start_and_stop_the_lab()
    assert "files new" in said and "graded: passed" in said
    assert (learner.home / "stateful-streams" / "course" / "progress.ipynb").is_file()


def test_a_right_answer_passes_in_its_notebook(learner: Person, lesson: LessonSource) -> None:
    solve_first(learner, lesson)
    done = state_of(learner)["exercises"]
    assert {name: entry["status"] for name, entry in done.items()} == {"00.1": "passed"}


def test_a_wrong_answer_gets_the_name_of_its_mistake(learner: Person, lesson: LessonSource) -> None:
    (source, *_) = lesson.exercises
    wrong = answers_for(source)["wrong"][0]
    notebook = handed_out(learner, lesson)
    path = notebook.with_name(f"{lesson.id}_wrong.ipynb")
    write(filled(notebook, {source.exercise.answer: wrong.source or ""}), path)
    verdict = checked(learner, path, source.exercise.id, code=1)
    assert (verdict["status"], verdict["diagnosis"]["id"]) == (wrong.status, wrong.named)


def test_a_class_of_two_gets_what_each_deserves(
    learner: Person, lesson: LessonSource, tmp_path: Path
) -> None:
    deserved = class_of_two(tmp_path, lesson)
    assert scores(graded(learner, tmp_path)) == deserved
    assert scores(graded(learner, tmp_path), how="unchanged") == deserved


def test_the_students_zip_is_set_up_and_its_notebook_is_checked(
    learner: Person, release: Path, lesson: LessonSource, tmp_path: Path
) -> None:
    (bundle,) = release.glob("*-students.zip")
    with zipfile.ZipFile(bundle) as zipped:
        zipped.extractall(tmp_path)
    folder = tmp_path / TOP
    environment = {"PATH": "/usr/bin:/bin", **learner.environment}
    words = ["make", f"PYTHON={sys.executable}", "setup"]
    subprocess.run(words, cwd=folder, env=environment, check=True)
    (source, *_) = lesson.exercises
    notebook = folder / "course" / lesson.name / f"{lesson.name}.ipynb"
    write(filled(notebook, {source.exercise.answer: solution(lesson)}), notebook)
    words = [".venv/bin/grader", "check", str(notebook), "--exercise", "00.1", "--json"]
    ran = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert [one["status"] for one in json.loads(ran.stdout)["verdicts"]] == ["passed"]


def test_an_upgrade_keeps_what_a_person_has(
    learner: Person, release: Path, lesson: LessonSource, tmp_path: Path
) -> None:
    commit, words = previous(ROOT, os.environ.get("PREVIOUS", ""))
    print(f"The upgrade is from {words}.")
    older = build_older(tmp_path / "older", commit)
    cache = {"GRADER_CACHE": str(learner.home / ".cache" / "stateful-streams")}
    person = Person.in_folder(tmp_path / "person", **cache)
    person.install(older.lock, older.wheel)
    person.start_and_stop_the_lab()
    solve_first(person, lesson)
    person.run("grader", "drill", "watermarks", "--count", "3", "--seed", "1", typed="1\n1\n1\n")
    group = tmp_path / "class"
    group.mkdir()
    deserved = class_of_two(group, lesson, older.course / lesson.name)
    # public events decide: what a teacher with the wheel alone has
    shutil.rmtree(group / "solutions")
    assert scores(graded(person, group)) == deserved
    half = half_written(person)
    before = Kept.of(person, group, half)
    assert before.state["exercises"] and before.state["drill"]["watermarks"]

    (wheel,) = release.glob("*.whl")
    person.install(ROOT / "requirements.lock", wheel)
    assert "graded: passed" in person.start_and_stop_the_lab()
    assert Kept.of(person, group, half) == before
    assert scores(graded(person, group)) == deserved
    person.run("grader", "drill", "watermarks", "--count", "1", "--seed", "2", typed="1\n")
    (was, now) = (
        state["drill"]["watermarks"]["answered"] for state in (before.state, state_of(person))
    )
    assert now == was + 1 == 4
    solve_first(person, lesson)


@dataclass(frozen=True)
class Older:
    """A release that was built from an earlier commit."""

    wheel: Path
    lock: Path
    course: Path


def build_older(folder: Path, commit: str) -> Older:
    tree = export(ROOT, commit, folder / "tree")
    seconds = int(git(ROOT, "log", "-1", "--format=%ct", commit))
    (wheel,) = build_packages(tree, folder, seconds, "wheel")
    return Older(wheel, tree / "requirements.lock", tree / "course")


@dataclass(frozen=True)
class Kept:
    """What an upgrade must not change, as the installed release reads it."""

    state: dict[str, Any]
    grades: str
    notebook: bytes

    @classmethod
    def of(cls, person: Person, group: Path, notebook: Path) -> Kept:
        person.run("grader", "export", "--format", "csv", cwd=group)
        return cls(state_of(person), (group / "grades.csv").read_text(), notebook.read_bytes())


def state_of(person: Person) -> dict[str, Any]:
    """The person's progress and drills, as the release that they have reads them."""
    return dict(json.loads(person.run("python", "-c", STATE)))


def handed_out(person: Person, lesson: LessonSource) -> Path:
    return person.home / "stateful-streams" / "course" / lesson.name / f"{lesson.name}.ipynb"


def solution(lesson: LessonSource) -> str:
    return lesson.cell(lesson.exercises[0].exercise.answer)


def solve_first(person: Person, lesson: LessonSource) -> None:
    """Run the lesson's notebook, with the answer to its first exercise, as far as the check of it."""
    answer = lesson.exercises[0].exercise.answer
    path = handed_out(person, lesson)
    notebook = filled(path, {answer: solution(lesson)})
    ids = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    notebook.cells = notebook.cells[: ids.index(f"check-{answer}") + 1]
    solved = write(notebook, path.with_name("solved.ipynb"))
    person.run("python", "-c", EXECUTE, str(solved), cwd=path.parent)


def half_written(person: Person) -> Path:
    """A notebook with a sentence of the person's in an answer that is not finished."""
    path = next((person.home / "stateful-streams").glob("course/03_*/03_*.ipynb"))
    notebook = nbformat.read(path, as_version=4)
    stub = next(cell for cell in notebook.cells if "NotImplementedError" in cell.source)
    stub.source = f"# I think that the delay is 10 seconds\n{stub.source}"
    return write(notebook, path)


def checked(person: Person, notebook: Path, exercise: str, code: int) -> dict[str, Any]:
    words = ("grader", "check", str(notebook), "--exercise", exercise, "--json")
    (verdict,) = json.loads(person.run(*words, cwd=notebook.parent, code=code))["verdicts"]
    return dict(verdict)


def class_of_two(
    root: Path, lesson: LessonSource, course: Path | None = None
) -> dict[str, dict[str, str]]:
    """Fill a class's folder: one who is right and one who is wrong. What each deserves, by exercise.

    `course` is the lesson's folder as it was handed out, where that was not of this tree.
    """
    make_class(root, lesson, 0, seed=0)
    if course:
        shutil.rmtree(root / "course" / lesson.name)
        shutil.copytree(course, root / "course" / lesson.name)
    (root / "submitted").mkdir()
    deserved = {}
    for student, kind in {"ada": "right", "ben": "wrong"}.items():
        answers = {one.exercise.id: answers_for(one)[kind][0] for one in lesson.exercises}
        hand_in(root, lesson, student, [answer.source for answer in answers.values()])
        deserved[student] = {name: answer.status for name, answer in answers.items()}
    return deserved


def graded(person: Person, root: Path) -> dict[str, Any]:
    return dict(json.loads(person.run("grader", "grade", "submitted", "--json", cwd=root)))


def scores(grades: dict[str, Any], how: str = "") -> dict[str, dict[str, str]]:
    """Each student's statuses by exercise; `how` is what grading must have done with every submission."""
    assert not how or {one["how"] for one in grades["submissions"]} == {how}
    return {
        one["student"]: {verdict["exercise"]: verdict["status"] for verdict in one["verdicts"]}
        for one in grades["submissions"]
    }
