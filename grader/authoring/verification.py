"""The matrix that proves the course: every exercise, every answer its author wrote, against the real check."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.authoring.answer import SourceError
from grader.authoring.exercise_digests import packed_from
from grader.authoring.hidden_diagnosis import prove_elsewhere
from grader.authoring.lesson_source import ExerciseSource, LessonSource
from grader.authoring.play_store import KeptPlays, side_by_side
from grader.authoring.proof import PackedExpected, Player, Proof, prove
from grader.authoring.proof_store import engine_rests_on, forget_proof, rests_on, write_proof
from grader.judging.check_pack import FILE_NAME, PackedExercise, PackError, read_pack

Notify = Callable[[str], None]


def verify(
    lessons: list[LessonSource],
    course: Path,
    plays: KeptPlays,
    ids: list[str],
    notify: Notify = lambda text: None,
    *,
    write: bool = True,
    hidden: bool = True,
) -> list[Proof]:
    """Prove the exercises of `ids` (exercises or lessons; all if empty) with the packs in course/.

    With `write` each proof goes into its lesson's file at once; one with a fault is removed. Without
    `hidden` the answers see their public events alone.
    """
    chosen = [s for lesson in lessons for s in lesson.exercises if is_chosen(s, ids)]
    packed: dict[str, PackedExercise] = {}
    for lesson in lessons:
        packed |= read_pack(course / lesson.name / FILE_NAME).exercises
    engine = engine_rests_on() if write else {}
    progress = _Progress(len(chosen), notify)

    def one(source: ExerciseSource) -> Proof:
        id = source.exercise.id
        if id not in packed:
            raise PackError(f"{id} is not in course/ yet. Run `grader build` first.")
        began = time.monotonic()
        rests = rests_on(source, packed[id], engine)
        try:
            proof = prove_packed(plays, source, packed[id], hidden=hidden)
        except Exception as error:  # the lesson may need what this Spark lacks
            proof = Proof(id, faults=[_fault_of_the_source(error, source)])
        proof.seconds = round(time.monotonic() - began, 1)
        if write and proof.faults:
            forget_proof(source, rests)
        elif write:
            write_proof(source, rests, proof)
        progress.notify(source, proof)
        return proof

    return side_by_side(plays, one, chosen)


def prove_packed(
    player: Player, source: ExerciseSource, packed: PackedExercise, *, hidden: bool = True
) -> Proof:
    """Check an exercise's answers with its pack, on its own events and on `hidden` ones."""
    expected = PackedExpected(player, source, packed)
    proof = prove(player, source, expected, packed.fingerprints)
    if hidden:
        prove_elsewhere(player, source, packed.fingerprints, proof)
    if packed.made_from != packed_from(source):
        proof.faults.append("course/ was made from other sources: run `grader build` first.")
    return proof


def _fault_of_the_source(error: Exception, source: ExerciseSource) -> str:
    """What is wrong with an exercise's own code; an error with a cause elsewhere is raised again."""
    if isinstance(error, SourceError):
        return str(error)
    given = source.subject
    frames = traceback.extract_tb(error.__traceback__)
    if given and any(frame.filename == str(given.path) for frame in frames):
        return f"{given.path} does not run: {type(error).__name__}: {error}"
    raise error


class _Progress:
    """One line per exercise: its result, how many are done, and about how long the rest takes."""

    def __init__(self, count: int, notify: Notify):
        self._count, self._done, self._notify = count, 0, notify
        self._began = time.monotonic()
        self._lock = threading.Lock()

    def notify(self, source: ExerciseSource, proof: Proof) -> None:
        with self._lock:
            self._done += 1
            left = self._count - self._done
            minutes = (time.monotonic() - self._began) / self._done * left / 60
            how = "NOT OK" if proof.faults else "ok"
            self._notify(
                f"{source.exercise.id} {source.exercise.title}: {how} ({proof.seconds} s); "
                f"{self._done} of {self._count}"
                + (f", about {minutes:.0f} min left" if minutes >= 0.5 else "")
            )
            for fault in proof.faults:
                self._notify(f"    {fault}")
            for name, said in proof.on_hidden.items():
                if said != name:
                    self._notify(f"    misconception {name} on hidden events: {said}")


def is_chosen(source: ExerciseSource, ids: list[str]) -> bool:
    """Whether an exercise is one of `ids`, or of a lesson among them; every one is if that is empty."""
    return not ids or source.exercise.id in ids or source.lesson.id in ids


def as_json(proofs: list[Proof]) -> dict[str, Any]:
    """The contract's JSON. The field `diagnosed` is true if the diagnosis named the right mistake."""
    return {
        "exercises": [
            {
                "id": proof.id,
                "solution": proof.solution.status if proof.solution else None,
                "stub": proof.stub.status if proof.stub else None,
                "misconceptions": [
                    {
                        "id": name,
                        "status": verdict.status,
                        "diagnosed": proof.diagnosed(name),
                    }
                    for name, verdict in proof.misconceptions.items()
                ],
                "equivalents": [
                    {"id": name, "status": verdict.status}
                    for name, verdict in proof.equivalents.items()
                ],
                "seconds": proof.seconds,
            }
            for proof in proofs
        ],
        "ok": bool(proofs) and not any(proof.faults for proof in proofs),
    }


def summary(proofs: list[Proof]) -> str:
    """The figures of a whole run in one sentence."""
    mistakes = [(proof, name) for proof in proofs for name in proof.misconceptions]
    right = sum(1 + len(proof.equivalents) for proof in proofs)
    said = (
        f"{len(proofs)} exercises, {len(mistakes)} mistakes of which "
        f"{sum(proof.diagnosed(name) for proof, name in mistakes)} named"
    )
    if not any(proof.on_hidden for proof in proofs):
        return said
    return (
        f"{said}, "
        f"{sum(proof.on_hidden[name] == name for proof, name in mistakes)} on hidden events, too, "
        f"{sum(len(proof.blamed) for proof in proofs)} of {right} right answers blamed"
    )
