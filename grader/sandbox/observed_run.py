"""What was seen of a notebook's run, and the verdicts that follow from it.

The supervisor judges by it at once; kept on disk it is judged again later, by other criteria or
weights, and nobody's code runs for that.
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


class NotSeenError(Exception):
    """The judge wants a play that was not played: the notebook has to run again."""


@dataclass(frozen=True)
class Wanted:
    """An exercise to check and the plays that decide on it, hidden ones included.

    `hidden_runs` are the prints of the known mistakes' runs on the hidden scenario, by id.
    """

    packed: PackedExercise
    plays: list[Play]
    hidden_runs: dict[str, str] = field(default_factory=dict)


@dataclass
class CellEnd:
    """How a cell ended: ok, error, syntax, timeout or crash; and what it showed."""

    how: str
    message: str = ""
    outputs: list[dict[str, Any]] = field(default_factory=list)
    count: int | None = None


@dataclass(frozen=True)
class Trouble:
    """Why an exercise has no verdict of the judge: the verdict's status, a criterion's name, what is said."""

    status: str
    name: str
    message: str


@dataclass
class Seen:
    """What was seen of one exercise: its recordings by play, or why there are none."""

    recordings: dict[str, Recording] = field(default_factory=dict)
    failure: Failure | None = None
    trouble: Trouble | None = None

    @property
    def first(self) -> Recording | None:
        return next(iter(self.recordings.values()), None)

    @classmethod
    def of(cls, played: list[Play]) -> Seen:
        return cls({play_key(play): play.actual for play in played if play.actual})


@dataclass
class Checked:
    """What a notebook came to: verdicts by exercise, how each cell that was run ended, what was seen.

    `predicted` is None where the run was kept before answers were noted; `seconds` is what the run took, 0
    where it was kept.
    """

    verdicts: dict[str, Verdict] = field(default_factory=dict)
    cells: dict[int, CellEnd] = field(default_factory=dict)
    seen: dict[str, Seen] = field(default_factory=dict)
    predicted: Predicted | None = None
    seconds: float = 0.0

    def to_json(self) -> str:
        """All of it but the verdicts, which follow from the rest."""
        told = {
            "version": VERSION,
            "cells": {index: asdict(cell) for index, cell in self.cells.items()},
            "seen": {exercise: asdict(seen) for exercise, seen in self.seen.items()},
            "predicted": self.predicted,
        }
        return json.dumps(told)

    @classmethod
    def from_json(cls, text: str, wanted: list[Wanted]) -> Checked:
        """What was kept, judged again. Raises NotSeenError, or ValueError for another format."""
        told = json.loads(text)
        if told["version"] != VERSION:
            raise ValueError(f"what was kept has format {told['version']}, not {VERSION}")
        cells = {int(index): CellEnd(**cell) for index, cell in told["cells"].items()}
        checked = cls(cells=cells, predicted=told.get("predicted"))
        for one in wanted:
            exercise = one.packed.exercise.id
            if exercise not in told["seen"]:
                raise NotSeenError(exercise)
            checked.add(one, _seen(told["seen"][exercise]))
        return checked

    def add(self, wanted: Wanted, seen: Seen, verdict: Verdict | None = None) -> None:
        """Take in what was seen of an exercise, and the verdict; it is judged here if it was not."""
        exercise = wanted.packed.exercise.id
        self.verdicts[exercise] = verdict or verdict_of(wanted, seen)
        self.seen[exercise] = seen


def verdict_of(wanted: Wanted, seen: Seen) -> Verdict:
    """The verdict on what was seen; raises NotSeenError where the judge would look at more."""
    exercise = wanted.packed.exercise
    if seen.trouble is not None:
        criteria = [Criterion(seen.trouble.name, False, seen.trouble.message)]
        return Verdict(exercise.id, seen.trouble.status, 0.0, exercise.points, criteria)
    if seen.failure is not None:
        return failed_verdict(exercise, seen.failure)
    session = session_of(wanted)
    for play in wanted.plays:
        if session.wants(play):
            recording = seen.recordings.get(play_key(play))
            if recording is None:
                raise NotSeenError(exercise.id)
            session.add(replace(play, actual=recording))
    return session.verdict()


def session_of(wanted: Wanted) -> JudgingSession:
    """The judging of an answer whose plays are to come."""
    return JudgingSession(wanted.packed.exercise, wanted.packed.fingerprints, wanted.hidden_runs)


def play_key(play: Play) -> str:
    """What tells a play from another of the exercise: the scenario, how it is played, the events."""
    variant: Variant = play.variant
    events = [{k: v for k, v in x.items() if k != "note"} for x in variant.scenario.to_lines()]
    how = [variant.scenario.steps, variant.crash_after, *([variant.conf] if variant.conf else [])]
    told = json.dumps([events, *how], sort_keys=True)
    return f"{play.scenario} {variant.name} {digest_of([told])}"


def _seen(told: dict[str, Any]) -> Seen:
    return Seen(
        {name: Recording.from_dict(given) for name, given in told["recordings"].items()},
        Failure(**told["failure"]) if told["failure"] else None,
        Trouble(**told["trouble"]) if told["trouble"] else None,
    )
