"""A question as the lens draws a run: first only the input, then what became of it."""

from __future__ import annotations

from dataclasses import replace

from grader.feedback.lens.axis import Axis
from grader.feedback.lens.page_pictures import page_pictures
from grader.feedback.lens.scene import Scene, Step, make_scene
from grader.model.drill.question import Question
from grader.model.explorer.model_fates import known_of

ROUND = 300e6  # microseconds


def draw_asked(question: Question) -> str:
    """A picture of the events by event time and step, and the rows out if they are part of the question."""
    return page_pictures(asked_scene(question))


def draw_answered(question: Question) -> str:
    """A picture of the whole run."""
    return page_pictures(answered_scene(question))


def asked_scene(question: Question) -> Scene:
    scene = answered_scene(question)
    names = [question.situation.name(n) for n in range(len(scene.marks))]
    marks = [
        replace(mark, fate="counted", description=f"{name}, step {mark.step}", kept=None)
        for mark, name in zip(scene.marks, names, strict=True)
    ]
    return replace(
        scene,
        axis=_axis([mark.time for mark in marks]),
        marks=marks,
        spans=[],
        steps=[_asked(step, question.shows_rows) for step in scene.steps],
        stateful=False,
        notes=(),
        lines=(),
    )


def _asked(step: Step, shows_rows: bool) -> Step:
    hidden = replace(step, before=None, after=None, states=[], stored=[], batches=[], asked=True)
    return replace(hidden, asked=False, batches=step.batches) if shows_rows else hidden


def answered_scene(question: Question) -> Scene:
    """The lens's scene, with the events' fates from the model."""
    situation, played = question.situation, question.played
    scene = make_scene(
        situation.exercise(), situation.scenario, played.recording, known=known_of(played)
    )
    times = [mark.time for mark in scene.marks]
    times += [time for span in scene.spans for time in (span.start, span.end)]
    times += [time for step in scene.steps for time in (step.before, step.after) if time]
    return replace(scene, axis=_axis(times))


def _axis(times: list[float]) -> Axis:
    """An even axis between round times: the lens's folds, which save room, make times hard to read."""
    return Axis([min(times) // ROUND * ROUND, (max(times) // ROUND + 1) * ROUND], [0.0, 1.0], [])
