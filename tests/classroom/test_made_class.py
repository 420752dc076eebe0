"""A class made from a seed, with a known truth, graded on Spark: right, wrong, mixed and hostile.

MADE_CLASS=200 makes a large one, and MADE_CLASS_KILLS=10 kills the grading so often on the way
(the nightly workflow does); MADE_CLASS_LESSON names another lesson. Without Spark, test_strange_forms.py
kills a grading each time.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from testkit.made_class import Answer, Deserved, make_class

from grader.authoring.lesson_source import ExerciseSource, LessonSource, read_lessons
from grader.authoring.play_store import KeptPlays
from grader.authoring.proof import Bench, Player
from grader.classroom.course import Course
from grader.classroom.hidden_scenarios import Hidden, exercise_check, hidden_of
from grader.classroom.journal import Journal
from grader.judging.check_pack import FILE_NAME, PackedExercise, read_pack
from grader.judging.verdict import Verdict
from grader.sandbox.observed_run import session_of

PROJECT = Path(__file__).resolve().parents[2]
COUNT = int(os.environ.get("MADE_CLASS", "4"))
KILLS = int(os.environ.get("MADE_CLASS_KILLS", "0"))
LESSON = os.environ.get("MADE_CLASS_LESSON", "00")
SEED = int(os.environ.get("MADE_CLASS_SEED", "25"))
GRADE = [sys.executable, "-u", "-m", "grader", "grade"]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(6 * 3600)]


def test_every_grade_is_the_one_that_was_deserved(tmp_path: Path, bench: Bench) -> None:
    if not (PROJECT / "solutions").is_dir():
        pytest.skip("needs solutions/")
    lesson = next(x for x in read_lessons(PROJECT / "solutions") if x.id == LESSON)
    made = make_class(tmp_path, lesson, COUNT, SEED, loops=1 + COUNT // 100)
    (tmp_path / "grading").mkdir()
    (tmp_path / "grading" / "secret").write_text("of a class that was made up\n")
    truth = deserved(tmp_path, lesson, made, KeptPlays(lambda: bench, None))
    told = graded(tmp_path, kills=KILLS)
    with Journal(tmp_path / "grading" / "journal.db") as journal:
        found = {
            (one.student, verdict.exercise): (verdict.status, verdict.score, _named(verdict))
            for one in journal.of_lesson(lesson.name)
            for verdict in one.verdicts
        }
    wrong = {
        place: (found.get(place), truth[place])
        for place in truth
        if found.get(place) != truth[place]
    }
    assert not wrong
    assert set(found) == set(truth)
    assert in_book(tmp_path, lesson) == {place: score for place, (_, score, _) in truth.items()}
    finished = [line for line in told if " points" in line]
    assert len(finished) == len({_student(line) for line in finished}), "none was graded twice"


Truth = dict[tuple[str, str], tuple[str, float, str | None]]


def deserved(root: Path, lesson: LessonSource, made: Deserved, plays: Player) -> Truth:
    """Student and exercise → status, points and name: of the parts as they were made.

    Points for an answer that is partly right follow from its plays outside of any notebook.
    """
    seed = Course.read(root, root / "submitted").hidden_seed(lesson.name)
    hidden = hidden_of(root / "solutions" / lesson.name, seed)
    pack = read_pack(root / "course" / lesson.name / FILE_NAME)
    sources = {source.exercise.id: source for source in lesson.exercises}
    truth: Truth = {}
    points: dict[tuple[str, str], float] = {}
    for student, answers in made.items():
        for id, answer in answers.items():
            if (id, answer.name) not in points:
                points[id, answer.name] = points_of(
                    plays, sources[id], pack.exercises[id], hidden.get(id), answer
                )
            truth[student, id] = (answer.status, points[id, answer.name], answer.named)
    return truth


def points_of(
    plays: Player,
    source: ExerciseSource,
    packed: PackedExercise,
    hidden: Hidden | None,
    answer: Answer,
) -> float:
    if answer.status == "passed":
        return source.exercise.points
    wrong = next((w for w in source.misconceptions if w.id == answer.named), None)
    if wrong is None:
        return 0.0
    check = exercise_check(packed, hidden)
    session = session_of(check)
    for play in check.plays:
        if session.wants(play):
            session.add(replace(play, actual=plays.record(source, wrong.answer, play.variant)))
    return session.verdict().score


def graded(root: Path, *, kills: int) -> list[str]:
    """Grade the class, killed so often at random moments; all that was told."""
    dice = random.Random(SEED)
    told: list[str] = []
    command = [*GRADE, str(root / "submitted")]
    for kill in range(kills + 1):
        process = subprocess.Popen(
            command,
            cwd=PROJECT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert process.stderr is not None
        if kill < kills:
            # after one that was graded, at some moment of the next ones
            wanted = max(1, COUNT // (kills + 1))
            for line in process.stderr:
                told.append(line)
                wanted -= " points" in line
                if wanted <= 0:
                    break
            time.sleep(dice.uniform(0, 10))
            os.kill(process.pid, signal.SIGKILL)
        told += list(process.stderr)
        code = process.wait()
        assert kill < kills or code == 0, "".join(told)
    return told


def in_book(root: Path, lesson: LessonSource) -> dict[tuple[str, str], float]:
    """Student and exercise → points in nbgrader's grade book."""
    exercises = {f"check-{s.exercise.answer}": s.exercise.id for s in lesson.exercises}
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        return {
            (found.student_id, exercises[grade.name]): grade.auto_score
            for found in book.assignment_submissions(lesson.name)
            for notebook in found.notebooks
            for grade in notebook.grades
            if grade.name in exercises
        }


def _named(verdict: Verdict) -> str | None:
    return verdict.diagnosis.id if verdict.diagnosis else None


def _student(line: str) -> str:
    return line.split("] ", 1)[-1].split(" ", 1)[0]
