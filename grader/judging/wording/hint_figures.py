"""A known mistake's hint with the figures of the learner's own run in it."""

from __future__ import annotations

import re

from grader.judging.event_time import event_micros
from grader.judging.facts import figure_of
from grader.judging.instants import micros
from grader.judging.play import Play, events_of
from grader.judging.recording_path import value_at
from grader.judging.wording.value_text import duration_text, figure_text
from grader.scenario import Exercise, Scenario, Variant
from grader.scenario.recording import Recording

_PLACE = re.compile(r"\{([\w.]+)\}")
_SENTENCE = re.compile(r"(?<=[.?!:]) (?=\S)")


def filled(hint: str, exercise: Exercise, play: Play) -> str:
    """The hint with each `{path}` replaced by what the run shows there.

    - `{steps.2.watermark}` and similar: a path into the run
    - `{asked.steps.2.watermark}` and similar: a path into the expected run
    - `{steps.2.delay}`: how far the watermark is behind the newest event
    - `{facts.NAME}`: the figure of a fact

    A sentence is left out if the run does not have its figure, or if the learner has not seen its events.
    """
    said = []
    for sentence in _SENTENCE.split(hint):
        places = {
            path: None if play.hidden else _figure(path, exercise, play)
            for path in paths_in(sentence)
        }
        if None not in places.values():
            said.append(_PLACE.sub(lambda found: str(places[found[1]]), sentence))  # noqa: B023
    return " ".join(said)


def paths_in(hint: str) -> list[str]:
    """The paths that a hint asks for."""
    return _PLACE.findall(hint)


def check_path(path: str, exercise: Exercise, scenario: Scenario) -> None:
    """Raise ValueError if a hint's path leads nowhere, whatever the run."""
    empty = Recording(exercise.id, steps=scenario.steps)
    _figure(path, exercise, Play("public", Variant("as_is", scenario), empty, empty))


def _figure(path: str, exercise: Exercise, play: Play) -> str | None:
    """What a run shows at a path; None if it has nothing there. ValueError for no known path."""
    if path.startswith("facts."):
        name = path.removeprefix("facts.")
        fact = next((fact for fact in exercise.facts if fact.name == name), None)
        if fact is None:
            raise ValueError(f"{path}: the exercise has no fact {name!r}.")
        figure = figure_of(fact, play.run)
        return None if figure is None else figure_text(figure)
    run = play.expected if path.startswith("asked.") else play.run
    path = path.removeprefix("asked.")
    watermark_path = path.replace(".delay", ".watermark")
    figure = value_at(run, watermark_path)
    if watermark_path.endswith(".watermark"):
        step = int(path.split(".")[1])
        watermark = run.watermark_after(step)
        if watermark is None:
            return None
        if path != watermark_path:
            return _delay_text(watermark, step, exercise, events_of(run, play.variant.scenario))
    return figure


def _delay_text(watermark: str, step: int, exercise: Exercise, scenario: Scenario) -> str | None:
    """How far a watermark is behind the newest event that had come by the end of a step."""
    arrived = [event for event in scenario.events if event.step <= step]
    times = [time for event in arrived if (time := event_micros(event, exercise)) is not None]
    return duration_text(max(times) - micros(watermark)) if times else None
