"""What was seen of a notebook's run, and the verdicts that follow from it.

The supervisor judges it at once. A run that is kept on disk can be judged again later, by other criteria
or weights, and no learner's code runs for that.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from grader.judging.check_pack import PackedExercise
from grader.judging.judge import JudgingSession, failed_verdict
from grader.judging.play import Play
from grader.judging.verdict import Criterion, Verdict
from grader.sandbox.noted_predictions import Predicted
from grader.scenario import Variant
from grader.scenario.recording import Failure, Recording
from grader.validity.digest import digest_of

VERSION = 2  # failures with fields


class MissingPlayError(Exception):
    """The judge wants a play that was not played: the notebook has to run again."""


@dataclass(frozen=True)
class ExerciseCheck:
    """An exercise to check and the plays that decide on it, hidden ones included.

    `hidden_runs` are the prints of the known mistakes' runs on the hidden scenario, by id.
    """

    packed: PackedExercise
    plays: list[Play]
    hidden_runs: dict[str, str] = field(default_factory=dict)


@dataclass
class CellResult:
    """How a cell ended: ok, error, syntax, timeout or crash; and what it showed."""

    how: str
    message: str = ""
    outputs: list[dict[str, Any]] = field(default_factory=list)
    count: int | None = None


@dataclass(frozen=True)
class Trouble:
    """Why an exercise has no verdict of the judge: the verdict's status, a criterion's name, the message."""

    status: str
    name: str
    message: str


@dataclass
class Observation:
    """What was seen of one exercise: its recordings by play, or why there are none."""

    recordings: dict[str, Recording] = field(default_factory=dict)
    failure: Failure | None = None
    trouble: Trouble | None = None

    @property
    def first(self) -> Recording | None:
        return next(iter(self.recordings.values()), None)

    @classmethod
    def of(cls, played: list[Play]) -> Observation:
        return cls({play_key(play): play.actual for play in played if play.actual})


@dataclass
class ObservedRun:
    """What a notebook came to: verdicts by exercise, how each cell that was run ended, what was seen.

    - `predicted` is None if the run is older than this field
    - `seconds` is how long the run took; 0 if the run is older than this field
    """

    verdicts: dict[str, Verdict] = field(default_factory=dict)
    cells: dict[int, CellResult] = field(default_factory=dict)
    observations: dict[str, Observation] = field(default_factory=dict)
    predicted: Predicted | None = None
    seconds: float = 0.0

    def to_json(self) -> str:
        """All of it but the verdicts, which follow from the rest."""
        data = {
            "version": VERSION,
            "cells": {index: asdict(cell) for index, cell in self.cells.items()},
            "seen": {exercise: asdict(seen) for exercise, seen in self.observations.items()},
            "predicted": self.predicted,
            "seconds": self.seconds,
        }
        return json.dumps(data)

    @classmethod
    def from_json(cls, text: str, checks: list[ExerciseCheck]) -> ObservedRun:
        """What was kept, judged again. Raises MissingPlayError, or ValueError for another format."""
        data = json.loads(text)
        if data["version"] != VERSION:
            raise ValueError(f"what was kept has format {data['version']}, not {VERSION}")
        cells = {int(index): CellResult(**cell) for index, cell in data["cells"].items()}
        run = cls(cells=cells, predicted=data.get("predicted"), seconds=data.get("seconds", 0.0))
        for check in checks:
            exercise = check.packed.exercise.id
            if exercise not in data["seen"]:
                raise MissingPlayError(exercise)
            run.add(check, _observation(data["seen"][exercise]))
        return run

    def add(
        self, check: ExerciseCheck, seen: Observation, verdict: Verdict | None = None
    ) -> Verdict:
        """Take in what was seen of an exercise, and the verdict; it is judged here if it was not."""
        exercise = check.packed.exercise.id
        verdict = verdict or verdict_of(check, seen)
        self.observations[exercise] = seen
        self.verdicts[exercise] = verdict
        return verdict


def verdict_of(check: ExerciseCheck, seen: Observation) -> Verdict:
    """The verdict on what was seen; raises MissingPlayError if the judge would look at more."""
    exercise = check.packed.exercise
    if seen.trouble is not None:
        criteria = [Criterion(seen.trouble.name, False, seen.trouble.message)]
        return Verdict(exercise.id, seen.trouble.status, 0.0, exercise.points, criteria)
    if seen.failure is not None:
        return failed_verdict(exercise, seen.failure)
    session = session_of(check)
    for play in check.plays:
        if session.wants(play):
            recording = seen.recordings.get(play_key(play))
            if recording is None:
                raise MissingPlayError(exercise.id)
            session.add(replace(play, actual=recording))
    return session.verdict()


def session_of(check: ExerciseCheck) -> JudgingSession:
    """The judging of an answer whose plays will come."""
    return JudgingSession(check.packed.exercise, check.packed.fingerprints, check.hidden_runs)


def play_key(play: Play) -> str:
    """What distinguishes a play from the others of the exercise: the scenario, how it is played, the events."""
    variant: Variant = play.variant
    events = [{k: v for k, v in x.items() if k != "note"} for x in variant.scenario.to_lines()]
    how = [variant.scenario.steps, variant.crash_after, *([variant.conf] if variant.conf else [])]
    data = json.dumps([events, *how], sort_keys=True)
    return f"{play.scenario} {variant.name} {digest_of([data])}"


def _observation(data: dict[str, Any]) -> Observation:
    return Observation(
        {name: Recording.from_dict(given) for name, given in data["recordings"].items()},
        Failure(**data["failure"]) if data["failure"] else None,
        Trouble(**data["trouble"]) if data["trouble"] else None,
    )
