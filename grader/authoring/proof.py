"""Proves one exercise: plays and judges its solution, stub, misconceptions and equivalents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from pyspark.sql import SparkSession

from grader.authoring.answer import Answer
from grader.authoring.lesson_source import ExerciseSource
from grader.judging.check_pack import PackedExercise
from grader.judging.diagnosis import Fingerprint, Prints, prints_of
from grader.judging.judge import JudgingSession, judge
from grader.judging.play import Play
from grader.judging.verdict import Verdict
from grader.replay.kafka import Kafka
from grader.replay.replay import replay
from grader.runtime.broker import lease_broker
from grader.runtime.leaked_threads import end_stray_threads
from grader.runtime.spark_session import spark_session, stop_spark
from grader.scenario import Scenario, Variant, variants_of
from grader.scenario.recording import Recording

Expected = dict[tuple[str, str], Recording]


class Player(Protocol):
    """What plays answers: the lab itself (Bench), or a player that keeps its recordings."""

    def record(
        self,
        source: ExerciseSource,
        answer: Answer,
        variant: Variant,
        *,
        as_expected: bool = False,
    ) -> Recording: ...


def shows_state(source: ExerciseSource) -> bool:
    """Whether a run is looked into: a worked example is there to be drawn, its state with it."""
    return source.exercise.kind == "example"


@dataclass(frozen=True)
class Bench:
    """The running lab on which answers are proved: every play is a new one."""

    spark: SparkSession
    kafka: Kafka

    def record(
        self,
        source: ExerciseSource,
        answer: Answer,
        variant: Variant,
        *,
        as_expected: bool = False,
    ) -> Recording:
        end_stray_threads(self.spark)
        subject = source.subject.function if source.subject else None
        return replay(
            self.spark,
            self.kafka,
            source.exercise,
            answer.function,
            variant,
            subject=subject,
            look_into_state=shows_state(source),
        )


@contextmanager
def open_bench() -> Iterator[Bench]:
    """A lab that starts now and ends with the block."""
    with lease_broker() as broker:
        try:
            yield Bench(spark_session(), Kafka(broker.bootstrap_servers))
        finally:
            stop_spark()


@dataclass
class Proof:
    """What the proof of one exercise showed; `faults` say what is wrong with the exercise.

    - `on_hidden`: the diagnosis of each mistake on events of another seed
    - `runs_on_hidden`: the print of its run there
    - `blamed`: what right answers are accused of (see hidden_diagnosis.py)
    """

    id: str
    solution: Verdict | None = None
    stub: Verdict | None = None
    misconceptions: dict[str, Verdict] = field(default_factory=dict)
    equivalents: dict[str, Verdict] = field(default_factory=dict)
    on_hidden: dict[str, str] = field(default_factory=dict)
    runs_on_hidden: dict[str, str] = field(default_factory=dict)
    blamed: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def diagnosed(self, misconception: str) -> bool:
        """Whether a mistake was called by its own name."""
        return name_given(self.misconceptions[misconception]) == misconception


def scenarios_of(source: ExerciseSource) -> dict[str, Scenario]:
    """The public scenario, and the hidden one if there is one."""
    found = {"public": source.public}
    hidden = source.hidden()
    if hidden is not None:
        found["hidden"] = hidden
    return found


def expected_of(player: Player, source: ExerciseSource, *, hidden: bool = True) -> Expected:
    """What the solution does on the public scenario in all its variants, and on the hidden one.

    The variants after a crash are compared with the run without one: a right answer does the same in both.
    """
    found: Expected = {}
    for variant in variants_of(source.exercise, source.public):
        if variant.name == "crash":
            found["public", "crash"] = found["public", "as_is"]
        else:
            found["public", variant.name] = expected_on(player, source, variant)
    events = source.hidden() if hidden else None
    if events is not None:
        found["hidden", "as_is"] = expected_on(player, source, Variant("as_is", events))
    return found


def expected_on(player: Player, source: ExerciseSource, variant: Variant) -> Recording:
    """What the solution does on one variant: answers are compared with it."""
    recording = player.record(source, source.solution, variant, as_expected=True)
    lasting = recording.lasting()
    if shows_state(source):
        for kept, batch in zip(lasting.batches, recording.batches, strict=True):
            kept.state = batch.state
    return lasting


class PackedExpected(Expected):
    """What answers are compared with, from the pack that students have; the hidden run is played."""

    def __init__(self, player: Player, source: ExerciseSource, packed: PackedExercise):
        super().__init__((("public", name), kept) for name, kept in packed.expected.items())
        self["public", "crash"] = self["public", "as_is"]
        self._player, self._source = player, source

    def __missing__(self, key: tuple[str, str]) -> Recording:
        events = scenarios_of(self._source)[key[0]]
        self[key] = expected_on(self._player, self._source, Variant(key[1], events))
        return self[key]


def play_and_judge(
    player: Player,
    source: ExerciseSource,
    answer: Answer,
    expected: Expected,
    fingerprints: Sequence[Fingerprint] = (),
    *,
    hidden: bool = True,
) -> tuple[Verdict, list[Play]]:
    """Play an answer as far as it is right; the verdict, and the plays."""
    wanted = [("public", variant) for variant in variants_of(source.exercise, source.public)]
    events = source.hidden() if hidden else None
    if events is not None:
        wanted.append(("hidden", Variant("as_is", events)))
    session = JudgingSession(source.exercise, fingerprints)
    plays: list[Play] = []
    for scenario, variant in wanted:
        recording = player.record(source, answer, variant)
        plays.append(Play(scenario, variant, expected[scenario, variant.name], recording))
        if not session.add(plays[-1]):
            break
    return session.verdict(), plays


def prints_in(source: ExerciseSource, verdict: Verdict, play: Play) -> Prints:
    """What a wrong answer showed in the play that failed."""
    assert play.actual is not None
    failed = [criterion.name for criterion in verdict.criteria if not criterion.passed]
    return prints_of(play.actual, play.expected, failed, source.exercise.facts)


def hidden_runs(
    player: Player, source: ExerciseSource, events: Scenario, expected: Recording
) -> dict[str, str]:
    """The prints of the known mistakes' runs on the hidden scenario of a class, by id.

    A mistake that does no harm there has no print. A mistake that fails has none either, because
    messages say little about a failure on hidden events.
    """
    found = {}
    variant = Variant("as_is", events)
    for wrong in source.misconceptions:
        play = Play("hidden", variant, expected, player.record(source, wrong.answer, variant))
        verdict = judge(source.exercise, [play])
        if play.actual and play.actual.failure is None and not verdict.passed:
            found[wrong.id] = prints_in(source, verdict, play).shown
    return found


def fingerprints_of(
    player: Player, source: ExerciseSource, expected: Expected
) -> list[Fingerprint]:
    """Play every misconception on the public scenario and keep what it does."""
    found = []
    for wrong in source.misconceptions:
        verdict, plays = play_and_judge(player, source, wrong.answer, expected, hidden=False)
        failed = sorted(criterion.name for criterion in verdict.criteria if not criterion.passed)
        prints = prints_in(source, verdict, plays[-1])
        found.append(Fingerprint(wrong.id, wrong.title, wrong.hint, prints, failed))
    return found


def prove(
    player: Player,
    source: ExerciseSource,
    expected: Expected,
    fingerprints: list[Fingerprint],
) -> Proof:
    """Check every answer that the author wrote with the check that students will get."""
    proof = Proof(source.exercise.id)

    def verdict_on(answer: Answer) -> Verdict:
        return play_and_judge(player, source, answer, expected, fingerprints)[0]

    proof.solution = verdict_on(source.solution)
    if not proof.solution.passed:
        proof.faults.append("the solution does not pass: " + _why(proof.solution))
    proof.faults += by_hand_faults(source, expected)
    proof.stub = verdict_on(source.stub)
    if proof.stub.status != "not_attempted":
        proof.faults.append(
            f"the stub is {proof.stub.status}, not not_attempted: " + _why(proof.stub)
        )
    for wrong in source.misconceptions:
        verdict = verdict_on(wrong.answer)
        proof.misconceptions[wrong.id] = verdict
        named = name_given(verdict)
        if verdict.passed:
            proof.faults.append(
                f"misconception {wrong.id} passes: add events or a criterion that tells it."
            )
        elif named != wrong.id:
            proof.faults.append(
                f"misconception {wrong.id} is diagnosed as {named}: it must do something of its own "
                f"on the public scenario. " + _why(verdict)
            )
    for other in source.equivalents:
        verdict = verdict_on(other.answer)
        proof.equivalents[other.id] = verdict
        if not verdict.passed:
            proof.faults.append(f"equivalent {other.id} does not pass: " + _why(verdict))
        if verdict.diagnosis:
            proof.faults.append(
                f"equivalent {other.id} is given the diagnosis {verdict.diagnosis.id}."
            )
    return proof


def name_given(verdict: Verdict) -> str | None:
    """The id of the mistake that a verdict names; None if it names none."""
    return verdict.diagnosis.id if verdict.diagnosis else None


def by_hand_faults(source: ExerciseSource, expected: Expected) -> list[str]:
    """Rows that the author worked out on paper and Spark did not make."""
    from grader.judging.instants import moment_text
    from grader.judging.play import rows_of
    from grader.judging.rows import same

    recording = expected["public", "as_is"]
    faults = []
    for given in source.by_hand:
        wanted = {name.lower(): value for name, value in given["row"].items()}
        rows = rows_of(recording, recording, given.get("step"))

        def fits(row: dict[str, object], wanted: dict[str, object] = wanted) -> bool:
            for name, value in wanted.items():
                found = row.get(name)
                text = isinstance(value, str) and isinstance(found, str)
                if not same(value, found) and not (text and found == _moment(value, moment_text)):
                    return False
            return True

        if not any(fits(row) for row in rows):
            where = f" in step {given['step']}" if "step" in given else ""
            faults.append(f"the row worked out by hand {given['row']} does not come out{where}.")
    return faults


def _moment(value: object, moment_text: Callable[[str], str]) -> str | None:
    try:
        return moment_text(str(value))
    except ValueError:
        return None


def _why(verdict: Verdict) -> str:
    failed = [f"{c.name}: {c.message}" for c in verdict.criteria if not c.passed]
    return f"{verdict.status}; " + " | ".join(failed)
