"""The result of one submission, and why a person should look at it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from grader.judging.verdict import Verdict
from grader.sandbox.noted_predictions import Predicted
from grader.sandbox.observed_run import ObservedRun
from grader.scenario import place_of

WAITS = "waits for a grade by hand"
NO_TIME = "it has no time of handing in (timestamp.txt), so it counts as on time"
# criteria of an exercise that was not judged by what its answer does
NOT_JUDGED = ("crash", "machine", "cell", "syntax")


@dataclass(frozen=True)
class Reason:
    """Why a person should look at a submission; `exercise` is an id, or None for the whole of it."""

    why: str
    exercise: str | None = None


@dataclass
class SubmissionResult:
    """Verdicts by exercise; if a submission could not be graded, only why not.

    `sandbox` is the kind in which it ran, `seconds` what that took, `predicted` what it answered before
    running (None: graded before that was noted).
    """

    student: str
    lesson: str
    verdicts: list[Verdict] = field(default_factory=list)
    person: list[Reason] = field(default_factory=list)
    sandbox: str = ""
    seconds: float = 0.0
    predicted: Predicted | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SubmissionResult:
        verdicts = [Verdict.from_dict(given) for given in data["verdicts"]]
        person = [Reason(**given) for given in data["person"]]
        return cls(**{**data, "verdicts": verdicts, "person": person})


def result_of(
    student: str, lesson: str, run: ObservedRun, sandbox: str, person: list[Reason]
) -> SubmissionResult:
    """What a run came to, and why a person should look at it."""
    verdicts = sorted(run.verdicts.values(), key=lambda verdict: place_of(verdict.exercise))
    seconds = round(run.seconds, 1)
    return SubmissionResult(student, lesson, verdicts, person, sandbox, seconds, run.predicted)


def not_graded(student: str, lesson: str, why: str) -> SubmissionResult:
    return SubmissionResult(student, lesson, person=[Reason(f"not graded: {why}")])


def reasons(verdicts: Iterable[Verdict]) -> list[Reason]:
    """Why a person should look at a submission with these verdicts."""
    found = []
    for verdict in verdicts:
        failed, said = (
            [one.name for one in verdict.criteria if not one.passed],
            first_failure(verdict),
        )
        if verdict.status == "timeout":
            found.append(Reason(f"it ran out of time: {said}", verdict.exercise))
        elif failed and failed[0] in NOT_JUDGED:
            found.append(Reason(said, verdict.exercise))
    return found


def first_failure(verdict: Verdict) -> str:
    """The first line of what the first failed criterion says, "" without one."""
    failed = [criterion.message for criterion in verdict.criteria if not criterion.passed]
    return failed[0].splitlines()[0] if failed and failed[0] else ""


def with_current(before: Iterable[Reason], current: Iterable[str]) -> list[Reason]:
    """The reasons of when it was graded, with those that the grade book gives *now*."""
    kept = [one for one in before if not one.why.endswith(WAITS) and one.why != NO_TIME]
    return kept + [Reason(why) for why in current]
