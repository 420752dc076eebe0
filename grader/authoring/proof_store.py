"""Proofs on disk: what `grader verify` showed of an exercise, beside it, with what that rests on."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.authoring.digests import (
    ENGINE,
    PACKAGE,
    PROOF,
    code_digest,
    digest,
    sources_digest,
    versions_digest,
)
from grader.authoring.hidden_diagnosis import NO_NAME
from grader.authoring.lesson_source import ExerciseSource, LessonSource
from grader.authoring.proof import Proof
from grader.judging.check_pack import FILE_NAME, PackedExercise, read_pack

RestsOn = dict[str, str]


def engine_rests_on(package: Path = PACKAGE) -> RestsOn:
    """The digests of what all proofs rest on; `package` is the folder of the engine's files."""
    return {"engine": code_digest(ENGINE, package), "versions": versions_digest(package)}


def rests_on(source: ExerciseSource, packed: PackedExercise, engine: RestsOn) -> RestsOn:
    """The digests of what the proof of one exercise rests on, those of `engine_rests_on` with them."""
    pack = digest([json.dumps(asdict(packed), sort_keys=True)])
    return {**engine, "exercise": sources_digest(source), "pack": pack}


def proof_path(source: ExerciseSource) -> Path:
    return source.folder / PROOF


def read_proof(source: ExerciseSource) -> dict[str, Any]:
    """The proof beside an exercise; empty where there is none, or none that can be read."""
    return read_file(proof_path(source))


def runs_on_hidden(source: ExerciseSource) -> dict[str, str]:
    """The prints of the known mistakes' runs on hidden events, by id, as the proof has them."""
    stated = read_proof(source).get("misconceptions", {})
    return {id: run for id, of_it in stated.items() if (run := of_it.get("run_on_hidden"))}


def write_proof(source: ExerciseSource, rests: RestsOn, proof: Proof) -> None:
    """Write what `verify` showed. A part of another command stays as long as its own digests hold."""
    _write(source, {**_parts(source, rests), **_as_data(proof), "rests_on": rests})


def write_part(source: ExerciseSource, name: str, part: dict[str, Any]) -> None:
    """Put another command's part beside the rest, such as "mutants".

    `part["rests_on"]` holds that part's own digests: the labels of `rests_on` that it needs, and
    others of its own.
    """
    _write(source, {**read_proof(source), name: part})


def forget_proof(source: ExerciseSource, rests: RestsOn) -> None:
    """Remove a proof that does not hold; a part of another command stays, as in `write_proof`.

    A fault may show itself with all digests unchanged (an answer that is right only at times), so
    an old proof left there would go on proving it.
    """
    if parts := _parts(source, rests):
        _write(source, parts)
    else:
        proof_path(source).unlink(missing_ok=True)


def changed(named: RestsOn, now: RestsOn) -> list[str]:
    """The labels in `now` whose digests are not those that a proof names."""
    return [label for label, value in now.items() if named.get(label) != value]


def _parts(source: ExerciseSource, rests: RestsOn) -> dict[str, Any]:
    """What other commands wrote beside the proof, by name, where its own digests still hold."""
    return {
        name: part
        for name, part in read_proof(source).items()
        if isinstance(part, dict) and "rests_on" in part and not _part_changed(part, rests)
    }


def _part_changed(part: dict[str, Any], now: RestsOn) -> list[str]:
    named = part["rests_on"]
    return changed(named, {label: value for label, value in now.items() if label in named})


def unproved(lessons: list[LessonSource], course: Path, package: Path = PACKAGE) -> list[str]:
    """What is to be proved anew: a line an exercise, with the command and what has changed."""
    found = []
    engine = engine_rests_on(package)
    for lesson in lessons:
        packed = read_pack(course / lesson.name / FILE_NAME).exercises
        for source in lesson.exercises:
            found += _unproved(source, packed.get(source.exercise.id), engine)
    return found


def _unproved(source: ExerciseSource, packed: PackedExercise | None, engine: RestsOn) -> list[str]:
    id, path = source.exercise.id, f"{source.lesson.name}/{source.folder.name}/{PROOF}"
    fix = f"Run `grader verify {id}` and commit solutions/{path}"
    if packed is None:
        return [f"{id} is not in course/. Run `grader build`. {fix}"]
    named = read_proof(source).get("rests_on")
    labels = changed(named or {}, rests_on(source, packed, engine))
    if not labels:
        return []
    why = f"was proved with another {' and '.join(labels)}" if named else "has no proof"
    return [f"{id} {why}. {fix}"]


def _as_data(proof: Proof) -> dict[str, Any]:
    assert proof.solution is not None
    assert proof.stub is not None
    return {
        "solution": proof.solution.status,
        "stub": proof.stub.status,
        "misconceptions": {
            name: {
                "status": verdict.status,
                "diagnosed": proof.diagnosed(name),
                "named_on_hidden": proof.on_hidden.get(name, NO_NAME) == name,
                "run_on_hidden": proof.runs_on_hidden.get(name),
            }
            for name, verdict in proof.misconceptions.items()
        },
        "equivalents": {
            name: {"status": verdict.status, "blamed_on_hidden": name in proof.blamed}
            for name, verdict in proof.equivalents.items()
        },
    }


def _write(source: ExerciseSource, data: dict[str, Any]) -> None:
    write_file(proof_path(source), data)


def read_file(path: Path) -> dict[str, Any]:
    """What `write_file` wrote; empty where there is no such file, or none that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):  # none yet, or one with a merge's marks in it
        return {}
    return found if isinstance(found, dict) else {}


def write_file(path: Path, data: dict[str, Any]) -> None:
    """Write a proof of any kind: the same data give the same bytes, a field a line."""
    text = json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
