"""Recordings in, verdict out. The judge runs no code of learners."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from grader.judging.answer_judges import failed_run, judge_of
from grader.judging.diagnosis import Fingerprint, diagnose, diagnose_elsewhere, prints_of
from grader.judging.failure_status import in_a_check, status_of
from grader.judging.finding import Judgement, failed
from grader.judging.plan_mistakes import mistake_in_plan
from grader.judging.play import Play
from grader.judging.verdict import Criterion, Diagnosis, Verdict
from grader.judging.wording.criterion_text import criterion_text
from grader.judging.wording.diagnosis_text import known_mistake, plan_mistake
from grader.judging.wording.failure_text import failure_text
from grader.scenario import Exercise
from grader.scenario.recording import Failure


def in_halves(points: float) -> float:
    """Points as a verdict gives them, rounded down to half a point: 2.7 are 2.5."""
    return math.floor(points * 2) / 2


class JudgingSession:
    """The judging of one answer while its plays come in: the events as they are first, then the others.

    One cause gives one message: after the first play that fails, no other play is necessary. There is one
    exception: points for the right part, which hidden events can take back if the answer knew it by heart.
    Only here the findings become the words of the verdict.
    """

    def __init__(
        self,
        exercise: Exercise,
        fingerprints: Sequence[Fingerprint] = (),
        hidden_runs: Mapping[str, str] | None = None,
    ):
        """`hidden_runs` are those of the known mistakes on the hidden scenario (see diagnose_elsewhere)."""
        self._exercise = exercise
        self._judge = judge_of(exercise)
        self._fingerprints, self._hidden_runs = list(fingerprints), hidden_runs or {}
        self._judged: dict[str, tuple[Play, Judgement]] = {}
        self._by_heart: list[tuple[Play, Judgement]] = []
        self._last: Play | None = None  # up to the first that goes wrong
        self._wrong = False
        self._failure: Failure | None = None
        self._seconds = 0.0

    def wants(self, play: Play) -> bool:
        """Whether a play can still change the verdict."""
        return not self._wrong or (play.hidden and self._score() > 0)

    def add(self, play: Play) -> bool:
        """Judge a play; returns whether all was right so far, so that the next is worth playing.

        A play that was not played counts as failed, except for that reason.
        """
        self._seconds += play.actual.seconds if play.actual else 0
        found, failure = self._judgements(play)
        if self._wrong:
            self._by_heart += [(play, one) for one in found if not one.passed]
            return False
        self._last, self._failure = play, failure
        for one in found:  # batching is judged twice: its worst counts
            if one.name not in self._judged or not one.passed:
                self._judged[one.name] = (play, one)
        self._wrong = not all(one.passed for one in found)
        return not self._wrong

    def verdict(self) -> Verdict:
        """The verdict on the plays so far; raises ValueError if there are none."""
        if self._last is None:
            raise ValueError("nothing was played, so there is nothing to judge.")
        status = "passed"
        if self._wrong:
            status = status_of(self._failure) if self._failure else "failed"
        found = [*self._judged.values(), *self._by_heart]
        return Verdict(
            self._exercise.id,
            status,
            score=0.0 if self._by_heart else self._score(),
            max_score=self._exercise.points,
            criteria=[
                Criterion(one.name, one.passed, criterion_text(self._exercise, play, one.why))
                for play, one in found
            ],
            diagnosis=None
            if status in ("passed", "not_attempted")
            else self._diagnosis(self._last),
            seconds=round(self._seconds, 2),
        )

    def _judgements(self, play: Play) -> tuple[list[Judgement], Failure | None]:
        if play.actual is None:
            return [failed(play.variant.name, "not_played")], None
        failure = play.actual.failure
        failure = in_a_check(failure) if failure else self._judge.schema_failure(play)
        if failure:
            return [failed_run(self._judge, play, failure)], failure
        return self._judge.judgements(play), None

    def _score(self) -> float:
        """All points, the shares of what is right if the gates are met, or none: in half points."""
        passed = [name for name, (_, one) in self._judged.items() if one.passed]
        gates = [name for name in self._judge.gates if name in self._judged]
        if self._failure or not set(gates) <= set(passed) or (self._judge.gates and not gates):
            return 0.0
        return in_halves(self._exercise.earned(passed))

    def _diagnosis(self, play: Play) -> Diagnosis | None:
        """The mistake that fits the play that went wrong: two may differ only after a kill.

        The plan is read if nothing else failed: one cause gives one message.
        """
        if play.actual is None:
            return None
        wrong = [name for name, (_, one) in self._judged.items() if not one.passed]
        prints = prints_of(play.actual, play.expected, wrong, self._exercise.facts)
        known = (
            diagnose_elsewhere(self._fingerprints, self._hidden_runs, prints)
            if play.hidden
            else diagnose(self._fingerprints, prints)
        )
        if known is not None:
            return known_mistake(known, self._exercise, play)
        if self._failure:
            return None
        in_plan = mistake_in_plan(self._exercise, play.actual, play.expected)
        return None if in_plan is None else plan_mistake(in_plan)


def judge(
    exercise: Exercise,
    plays: Iterable[Play],
    fingerprints: Sequence[Fingerprint] = (),
    hidden_runs: Mapping[str, str] | None = None,
) -> Verdict:
    """Judge an answer from its plays: the public scenario as it is first, then the others.

    After the first play that goes wrong the rest need not have been played (`actual` is None).
    """
    session = JudgingSession(exercise, fingerprints, hidden_runs)
    for play in plays:
        if not session.add(play):
            break
    return session.verdict()


def failed_verdict(exercise: Exercise, failure: Failure, seconds: float = 0.0) -> Verdict:
    """The verdict on an exercise that could not be played at all (a syntax error, say)."""
    said = failure_text(failure, exercise.returns)
    criteria = [Criterion(failure.kind, False, said)]
    return Verdict(exercise.id, status_of(failure), 0.0, exercise.points, criteria, seconds=seconds)
