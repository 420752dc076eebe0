"""A play is judged once, when it comes in, by all who judge: a notebook's check, a class, an author's proof."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.authoring.answer import Answer
from grader.authoring.lesson_source import ExerciseSource, read_lessons
from grader.authoring.proof import PackedExpected, play_and_judge
from grader.judging.check_pack import PackedExercise, find_exercise
from grader.judging.judge import JudgingSession
from grader.judging.play import Play
from grader.learner import check as checks
from grader.sandbox.observed_run import ExerciseCheck, Observation, verdict_of
from grader.scenario import Variant
from grader.scenario.recording import Recording

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = "00.3"  # it is played in three ways


@pytest.fixture(scope="module")
def packed() -> PackedExercise:
    return find_exercise(EXERCISE, ROOT / "course")


@pytest.fixture(scope="module")
def source() -> ExerciseSource:
    lessons = read_lessons(ROOT / "solutions")
    return next(s for lesson in lessons for s in lesson.exercises if s.exercise.id == EXERCISE)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Play]]:
    """All plays that are judged while a test runs."""
    plays: list[Play] = []
    judgements = JudgingSession._judgements

    def counted(session: JudgingSession, play: Play) -> Any:
        plays.append(play)
        return judgements(session, play)

    monkeypatch.setattr(JudgingSession, "_judgements", counted)
    yield plays


def all_right(packed: PackedExercise) -> list[Play]:
    return [replace(play, actual=play.expected) for play in packed.plays()]


def test_a_class_is_judged_once(packed: PackedExercise, judged: list[Play]) -> None:
    plays = all_right(packed)
    assert verdict_of(ExerciseCheck(packed, packed.plays()), Observation.of(plays)).passed
    assert judged == plays and len(plays) > 2


def test_a_proof_is_judged_once(
    packed: PackedExercise, source: ExerciseSource, judged: list[Play]
) -> None:
    class Player:
        def record(
            self, source: ExerciseSource, answer: Answer, variant: Variant, **_: Any
        ) -> Recording:
            return packed.play(variant, None).expected

    expected = PackedExpected(Player(), source, packed)
    verdict, plays = play_and_judge(
        Player(), source, source.solution, expected, packed.fingerprints, hidden=False
    )
    assert verdict.passed and judged == plays and len(plays) > 2


def test_a_check_is_judged_once(
    packed: PackedExercise, judged: list[Play], monkeypatch: pytest.MonkeyPatch
) -> None:
    def replay(
        spark: Any, kafka: Any, exercise: Any, answer: Any, variant: Variant, **_: Any
    ) -> Any:
        return packed.play(variant, None).expected

    monkeypatch.chdir(ROOT / "course")
    monkeypatch.setattr(checks, "replay", replay)
    monkeypatch.setattr(
        checks.notebook_lab, "start", lambda: SimpleNamespace(spark=None, kafka=None)
    )
    monkeypatch.setattr(checks.progress, "remember", lambda *_, **__: None)
    assert checks.check(EXERCISE, lambda clicks: clicks).passed
    assert judged == all_right(packed)


def test_after_a_play_that_goes_wrong_only_hidden_events_are_wanted_while_there_are_points(
    packed: PackedExercise,
) -> None:
    first, *others = packed.plays()
    hidden = replace(first, scenario="hidden")
    session = JudgingSession(packed.exercise)
    assert session.add(replace(first, actual=first.expected)) and session.wants(others[0])
    none = replace(others[0].expected, batches=[])
    assert not session.add(replace(others[0], actual=none))
    assert not session.wants(others[1]) and session.wants(hidden)
    partly = session.verdict()
    session.add(replace(hidden, actual=none))
    by_heart = session.verdict()
    assert partly.score > 0 == by_heart.score
    assert [c.name for c in by_heart.criteria] == [*(c.name for c in partly.criteria), "hidden"]
    nothing = JudgingSession(packed.exercise)
    nothing.add(replace(first, actual=none))
    assert not nothing.wants(hidden)


def test_nothing_played_is_no_verdict(packed: PackedExercise) -> None:
    with pytest.raises(ValueError, match="nothing was played"):
        JudgingSession(packed.exercise).verdict()
