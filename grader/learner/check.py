"""A check in a notebook: play the exercise on the lab that runs, judge, show, remember."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError

from grader.errors import UserFacingError
from grader.feedback.display import Display
from grader.feedback.lens.known_fates import Known
from grader.feedback.lens.player import player
from grader.feedback.lens.scene import make_scene
from grader.feedback.verdict_html import recording_html, verdict_html
from grader.feedback.verdict_text import recording_text, so_far_text, verdict_text
from grader.judging.check_pack import PackedExercise
from grader.judging.judge import JudgingSession
from grader.judging.play import Play, events_of
from grader.judging.verdict import Verdict
from grader.learner import notebook_lab, progress
from grader.learner.course_packs import exercise_near
from grader.learner.hints import show_discussion
from grader.replay.given_query import subject_of
from grader.replay.replay import Answer, replay
from grader.scenario import Exercise, Scenario
from grader.scenario.recording import Recording

# what is known about a function's run on some events beyond its recording: see feedback/lens/known_fates.py
KnownBeyond = Callable[[Answer, Exercise, Scenario, Recording], Known | None]


def nothing_more(*_: Any) -> Known | None:
    """What is known about a run without a model."""
    return None


class CheckFailed(UserFacingError, AssertionError):
    """An answer that does not pass. Shown in one line: the verdict above it says why."""

    def __init__(self, verdict: Verdict):
        super().__init__(f"{verdict.exercise}: {verdict.status.replace('_', ' ')}")
        self.verdict = verdict


def check(exercise_id: str, answer: Any, known_beyond: KnownBeyond = nothing_more) -> Verdict:
    """Check an answer, show the verdict and return it; raises CheckFailed unless it passes.

    The function `known_beyond` adds to the picture what a recording does not show.
    """
    packed = exercise_near(exercise_id, Path.cwd())
    _demand_function(packed, answer)
    running = notebook_lab.start()
    display = Display()
    session = JudgingSession(packed.exercise, packed.fingerprints)
    plays: list[Play] = []
    wanted = [play.variant for play in packed.plays()]
    display.text(f"{exercise_id}: running your function on the check's events …")
    for play in _played(running, packed, answer):
        plays.append(play)
        if not session.add(play):
            break
        if left := wanted[len(plays) :]:
            display.text(so_far_text(session.verdict(), left))
    verdict = session.verdict()
    title = packed.exercise.title
    drawn = None if verdict.passed else plays[0].actual
    known = _known(packed, answer, drawn, known_beyond) if drawn else None
    display.rich(verdict_text(verdict, title), verdict_html(verdict, title, drawn, packed, known))
    progress.remember(verdict, title=title)
    if not verdict.passed:
        raise CheckFailed(verdict)
    if packed.discussion:
        show_discussion(packed)
    return verdict


def lens(exercise_id: str, answer: Any, known_beyond: KnownBeyond = nothing_more) -> None:
    """Play an answer on the exercise's public events and show what happened, step by step."""
    packed = exercise_near(exercise_id, Path.cwd())
    _demand_function(packed, answer)
    running = notebook_lab.start()
    recording = _looked_into(running, packed, answer)
    events = events_of(recording, packed.public)
    known = _known(packed, answer, recording, known_beyond)
    scene = make_scene(packed.exercise, events, recording, known=known)
    if scene.marks:
        Display().widget(player(scene))
    as_text = recording_text(recording, events, packed.expected["as_is"])
    Display().rich(as_text, recording_html(recording, packed, known))


def _looked_into(running: notebook_lab.Lab, packed: PackedExercise, answer: Answer) -> Recording:
    """An answer's run with its state; without state if Spark's state reader cannot read it."""
    variant, subject = packed.plays()[0].variant, subject_of(packed.subject)
    asked = (running.spark, running.kafka, packed.exercise, answer, variant)
    play = partial(replay, *asked, subject=subject)
    try:
        return play(look_into_state=True)
    except Py4JJavaError as error:  # of a checkpoint whose offset log has named sources, Spark 4.2
        reason = str(error.java_exception)
        Display().text(
            f"Not shown: what is in the state. Spark's reader cannot read it here ({reason})."
        )
        return play(look_into_state=False)


def _known(
    packed: PackedExercise, answer: Answer, recording: Recording, known_beyond: KnownBeyond
) -> Known | None:
    """What the model knows about a run, from the answer's query or the query that gets its events."""
    exercise, query = packed.exercise, answer
    if exercise.answer_kind.returns_events and packed.subject:
        exercise = replace(exercise, takes=list(exercise.inputs))
        query = subject_of(packed.subject) or answer
    return known_beyond(query, exercise, events_of(recording, packed.public), recording)


def _played(running: notebook_lab.Lab, packed: PackedExercise, answer: Answer) -> Iterator[Play]:
    """Play one variant after the other."""
    subject = subject_of(packed.subject)
    for play in packed.plays():
        recording = replay(
            running.spark, running.kafka, packed.exercise, answer, play.variant, subject=subject
        )
        yield packed.play(play.variant, recording)


def _demand_function(packed: PackedExercise, answer: Any) -> None:
    if not callable(answer):
        task = packed.exercise
        raise TypeError(
            f"grader.check({task.id!r}, …) takes the function itself, {task.answer}, "
            f"not what it returns (this is a {type(answer).__name__}): "
            f"grader.check({task.id!r}, {task.answer})"
        )
