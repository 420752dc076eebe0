"""Runs the check of learners on mutants: each must fail, or be explained as right as well."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grader.authoring.answer import Answer, SourceError
from grader.authoring.exercise_digests import mutants_digest, packed_from
from grader.authoring.lesson_source import ExerciseSource, LessonSource
from grader.authoring.mutants.explanations import Explanation, read_explanations
from grader.authoring.mutants.mutant_generator import Mutant, mutants_of
from grader.authoring.play_store import KeptPlays, side_by_side
from grader.authoring.proof import Expected, PackedExpected, play_and_judge
from grader.authoring.proof_store import (
    RestsOn,
    engine_rests_on,
    write_part,
)
from grader.authoring.verification import is_chosen
from grader.judging.check_pack import FILE_NAME, PackError, read_pack
from grader.judging.diagnosis import Fingerprint
from grader.judging.play import Play
from grader.judging.verdict import Verdict
from grader.validity.digest import digest_of
from grader.validity.python_code import code_of

PART = "mutants"
PROGRESS_EVERY = 20  # mutants between two lines of progress
# the time limit of a mutant is so many times the solution's own longest play
TIME_FACTOR, TIME_EXTRA = 3, 10
Notify = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """What the check said about one mutant; `verdict` is None if its text does not even run.

    With `ran_out`, it did not end in its time, which may be the fault of a loaded machine.
    """

    mutant: Mutant
    verdict: Verdict | None
    ran_out: bool = False

    @property
    def killed(self) -> bool:
        return self.verdict is None or not self.verdict.passed

    @property
    def diagnosis(self) -> str | None:
        """The id of the misconception by whose name the check called it."""
        found = self.verdict.diagnosis if self.verdict else None
        return found.id if found else None

    def message(self) -> str:
        """What the check said first; empty if all was right."""
        failed = [c for c in self.verdict.criteria if not c.passed] if self.verdict else []
        return " ".join(failed[0].message.split()) if failed else ""

    def to_dict(self) -> dict[str, Any]:
        status = self.verdict.status if self.verdict else "error"
        entry = {"change": self.mutant.change, "line": self.mutant.line, "status": status}
        return entry | {"message": self.message(), "diagnosis": self.diagnosis}


@dataclass
class MutantProof:
    """How an exercise's mutants did; `stale` are explanations of changes that no survivor makes."""

    id: str
    outcomes: list[Outcome]
    explanations: list[Explanation] = field(default_factory=list)

    @property
    def killed(self) -> int:
        return sum(outcome.killed for outcome in self.outcomes)

    @property
    def explained(self) -> int:
        return sum(not o.killed and self._is_explained(o.mutant) for o in self.outcomes)

    @property
    def survivors(self) -> list[Mutant]:
        left = [outcome.mutant for outcome in self.outcomes if not outcome.killed]
        return [mutant for mutant in left if not self._is_explained(mutant)]

    @property
    def stale(self) -> list[Explanation]:
        left = [outcome.mutant for outcome in self.outcomes if not outcome.killed]
        return [e for e in self.explanations if not any(e.fits(m.change, m.line) for m in left)]

    @property
    def names(self) -> list[dict[str, Any]]:
        """The mutants that the check called by a misconception's name."""
        return [outcome.to_dict() for outcome in self.outcomes if outcome.diagnosis]

    def part(self, rests: RestsOn) -> dict[str, Any]:
        """What the exercise's proof holds of it."""
        names = [{k: n[k] for k in ("change", "line", "diagnosis")} for n in self.names]
        stale = [str(explanation) for explanation in self.stale]
        counts = {name: value for name, value in self.to_dict().items() if name != "id"}
        return {**counts, "stale": stale, "named": names, "rests_on": rests}

    def _is_explained(self, mutant: Mutant) -> bool:
        return any(e.fits(mutant.change, mutant.line) for e in self.explanations)

    def to_dict(self) -> dict[str, Any]:
        survivors = [{"change": m.change, "line": m.line} for m in self.survivors]
        return {
            "id": self.id,
            "mutants": len(self.outcomes),
            "killed": self.killed,
            "explained": self.explained,
            "survivors": survivors,
        }


def verify_mutants(
    lessons: list[LessonSource],
    course: Path,
    plays: KeptPlays,
    ids: list[str],
    notify: Notify = lambda text: None,
    *,
    write: bool = True,
) -> list[MutantProof]:
    """Play the mutants of the exercises of `ids` (all if empty) with the packs in course/.

    With `write` the result goes into each exercise's proof.
    """
    checks: list[Check] = []
    for lesson in lessons:
        packed = read_pack(course / lesson.name / FILE_NAME).exercises
        for source in lesson.exercises:
            if is_chosen(source, ids):
                pack = packed.get(source.exercise.id)
                if pack is None or pack.made_from != packed_from(source):
                    raise PackError(
                        f"{source.exercise.id}: course/ was made from other sources. "
                        "Run `grader build` first."
                    )
                expected = PackedExpected(plays, source, pack)
                checks.append(Check(source, expected, pack.fingerprints))
    proofs = play_all(plays, checks, notify)
    if write:
        engine = engine_rests_on()
        for check, proof in zip(checks, proofs, strict=True):
            part = proof.part(mutants_rest_on(check.source, engine))
            write_part(check.source, PART, {**part, "engine": engine["engine"]})
    return proofs


def mutants_rest_on(source: ExerciseSource, engine: RestsOn) -> RestsOn:
    """The digests of what the mutants' part of a proof rests on; it outlives a change of the engine.

    All mutants of a course take hours. So every known mistake and right answer tests a new engine.
    A sample of the mutants does so at each commit, and all of them at night. The part's `engine` is the one
    that the mutants were played on last.
    """
    explained = [f"{e.change} {e.line}" for e in read_explanations(source.folder)]
    made = digest_of([*(code_of(mutant.text) for mutant in mutants_of(source)), *explained])
    return {"played": mutants_digest(source), "versions": engine["versions"], PART: made}


@dataclass(frozen=True)
class Check:
    """An exercise's check: what answers are compared with, and what the judge knows about wrong ones."""

    source: ExerciseSource
    expected: Expected
    fingerprints: list[Fingerprint] = field(default_factory=list)

    def play(self, plays: KeptPlays, answer: Answer) -> tuple[Verdict, list[Play]]:
        known = self.fingerprints
        return play_and_judge(plays, self.source, answer, self.expected, known, hidden=False)


def play_all(
    plays: KeptPlays, checks: list[Check], notify: Notify = lambda text: None
) -> list[MutantProof]:
    """Play the mutants of several exercises, side by side, and report the progress."""
    cases = side_by_side(plays, lambda check: Case.prepare(plays, check), checks)
    work = [(case, mutant) for case in cases for mutant in mutants_of(case.check.source)]
    progress = _Progress(len(work), notify)

    def one(given: tuple[Case, Mutant]) -> Outcome:
        outcome = given[0].play(given[1])
        progress.another()
        return outcome

    outcomes = side_by_side(plays, one, work)
    proofs = []
    for case in cases:
        source = case.check.source
        of_it = [outcome for (of, _), outcome in zip(work, outcomes, strict=True) if of is case]
        proofs.append(MutantProof(source.exercise.id, of_it, read_explanations(source.folder)))
        for line in report(proofs[-1]):
            notify(line)
    return proofs


@dataclass(frozen=True)
class Case:
    """A check as learners meet it, with a shorter time limit."""

    plays: KeptPlays
    check: Check

    @classmethod
    def prepare(cls, plays: KeptPlays, check: Check) -> Case:
        """Play the solution first: how long it takes sets the limit. Raises SourceError if it fails."""
        source = check.source
        verdict, played = check.play(plays, source.solution)
        if not verdict.passed:
            failed = next(c.message for c in verdict.criteria if not c.passed)
            raise SourceError(
                f"{source.exercise.id}: the solution itself does not pass ({failed}). "
                f"`grader verify {source.exercise.id}` says what to fix."
            )
        longest = max(play.actual.seconds for play in played if play.actual)
        limit = min(source.exercise.timeout, TIME_FACTOR * round(longest) + TIME_EXTRA)
        hurried = replace(source, exercise=replace(source.exercise, timeout=limit))
        vars(hurried)["public"] = source.public  # the events that `expected` is of
        return cls(plays, replace(check, source=hurried))

    def play(self, mutant: Mutant) -> Outcome:
        """Play it as a learner's answer is played: first the events as they are."""
        check = self.check
        answer = check.source.answer_of(mutant.text)
        try:
            verdict, played = check.play(self.plays, answer)
        except SourceError:
            return Outcome(mutant, None)
        failures = [play.actual.failure for play in played if play.actual and play.actual.failure]
        ran_out = any(failure.kind == "timeout" for failure in failures)
        return Outcome(mutant, verdict, ran_out)


def score_of(proofs: list[MutantProof]) -> float:
    """The share of mutants that are killed or explained; 0 if there are none."""
    count = sum(len(proof.outcomes) for proof in proofs)
    good = sum(proof.killed + proof.explained for proof in proofs)
    return round(good / count, 4) if count else 0.0


def as_json(proofs: list[MutantProof]) -> dict[str, Any]:
    """The contract's JSON."""
    return {"exercises": [proof.to_dict() for proof in proofs], "score": score_of(proofs)}


def faultless(proofs: list[MutantProof]) -> bool:
    """Whether the check misses no wrong answer, and no explanation is out of date."""
    return bool(proofs) and not any(proof.survivors or proof.stale for proof in proofs)


def report(proof: MutantProof) -> list[str]:
    """An exercise's result in lines: the count, each survivor, each explanation that is stale."""
    count = f"{len(proof.outcomes)} mutants, {proof.killed} killed, {proof.explained} explained"
    ran_out = sum(outcome.ran_out for outcome in proof.outcomes)
    of_time = f"; {ran_out} came to no end in time" if ran_out else ""
    lines = [f"{proof.id}: {count}{of_time}, {len(proof.survivors)} left"]
    lines += [f"    passes: line {m.line}: {m.change}" for m in proof.survivors]
    lines += [f"    stale explanation, nothing that passes does this: {e}" for e in proof.stale]
    return lines


def names_text(proofs: list[MutantProof]) -> list[str]:
    """Every mutant with its line, what became of it, its name if it was given one, and why."""
    lines = []
    for proof in proofs:
        for outcome in proof.outcomes:
            entry = outcome.to_dict()
            name = f" [{entry['diagnosis']}]" if entry["diagnosis"] else ""
            lines.append(
                f"{proof.id} line {entry['line']}: {entry['change']}: {entry['status']}{name}"
                + (f": {entry['message']}" if entry["message"] else "")
            )
    return lines


class _Progress:
    """Reports from time to time how many are done and how long the rest will take."""

    def __init__(self, count: int, notify: Notify):
        self.count, self.notify = count, notify
        self.done, self.began = 0, time.monotonic()

    def another(self) -> None:
        self.done += 1
        if self.done % PROGRESS_EVERY == 0 and self.done < self.count:
            left = (time.monotonic() - self.began) / self.done * (self.count - self.done)
            self.notify(
                f"{self.done} of {self.count} mutants, some {max(1, round(left / 60))} min to go"
            )
