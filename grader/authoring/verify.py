"""The matrix that proves the course: every exercise, every answer its author wrote, against the real check."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.authoring.plays import KeptPlays, side_by_side
from grader.authoring.prove import Expected, Proof, expected_on, prove
from grader.authoring.source import ExerciseSource, LessonSource
from grader.judging.pack import FILE_NAME, Pack, PackedExercise, read_pack
from grader.scenario import Variant


def verify(
    lessons: list[LessonSource],
    course: Path,
    plays: KeptPlays,
    ids: list[str],
    tell: Callable[[str], None] = lambda text: None,
) -> list[Proof]:
    """Prove the exercises of `ids` (exercises or lessons; all if empty) with the packs in course/."""
    chosen = [s for lesson in lessons for s in lesson.exercises if chosen(s, ids)]
    packs = {lesson.id: read_pack(course / lesson.name / FILE_NAME) for lesson in lessons}

    def one(source: ExerciseSource) -> Proof:
        began = time.monotonic()
        proof = _prove_packed(plays, source, packs[source.lesson.id])
        proof.seconds = round(time.monotonic() - began, 1)
        tell(
            f"{source.exercise.id} {source.exercise.title}: {'ok' if not proof.faults else 'NOT OK'} ({proof.seconds} s)"
        )
        for fault in proof.faults:
            tell(f"    {fault}")
        return proof

    return side_by_side(plays, one, chosen)


def _prove_packed(plays: KeptPlays, source: ExerciseSource, pack: Pack) -> Proof:
    packed = pack.exercises[source.exercise.id]
    expected = packed_expected(packed)
    hidden = source.hidden()
    if hidden is not None:
        expected["hidden", "as_is"] = expected_on(plays, source, Variant("as_is", hidden))
    return prove(plays, source, expected, packed.fingerprints)


def packed_expected(packed: PackedExercise) -> Expected:
    """The public runs that a pack expects, by scenario and variant."""
    expected = {("public", name): recording for name, recording in packed.expected.items()}
    expected["public", "crash"] = expected["public", "as_is"]
    return expected


def chosen(source: ExerciseSource, ids: list[str]) -> bool:
    """Whether an exercise is one of `ids`, or of a lesson among them; every one is if that is empty."""
    return not ids or source.exercise.id in ids or source.lesson.id in ids


def as_json(proofs: list[Proof]) -> dict[str, Any]:
    """The contract's JSON. `diagnosed` is true where the mistake was called by its own name."""
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
                        "diagnosed": verdict.diagnosis is not None and verdict.diagnosis.id == name,
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
