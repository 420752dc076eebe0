"""Proofs on disk: what `grader verify` showed about a lesson's exercises, with the digests that it rests on."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.authoring.exercise_digests import exercise_digest, pack_digest
from grader.authoring.hidden_diagnosis import NO_NAME
from grader.authoring.lesson_source import ExerciseSource, LessonSource
from grader.authoring.proof import Proof
from grader.judging.check_pack import PackedExercise
from grader.runtime.paths import PACKAGE
from grader.validity.code_graph import CodeGraph
from grader.validity.stored_results import PROOF
from grader.validity.versions import locked_versions

PROOFS = "proofs.json"  # next to lesson.py
RestsOn = dict[str, str]
Entry = dict[str, Any]  # a proof and other commands' parts, or the notebook's note
_one_at_a_time = threading.Lock()  # exercises of a lesson are proved side by side


def engine_rests_on(package: Path = PACKAGE) -> RestsOn:
    """The digests of what all proofs rest on; `package` is the folder of the engine's files."""
    return {"engine": PROOF.code(CodeGraph(package)), "versions": locked_versions(package)}


def rests_on(source: ExerciseSource, packed: PackedExercise, engine: RestsOn) -> RestsOn:
    """The digests of what the proof of one exercise rests on, those of `engine_rests_on` with them."""
    return {**engine, "exercise": exercise_digest(source), "pack": pack_digest(packed)}


def proofs_path(lesson: LessonSource) -> Path:
    return lesson.folder / PROOFS


def read_proofs(lesson: LessonSource) -> dict[str, Any]:
    """The proofs of a lesson by exercise, and "notebook"; empty if no file can be read."""
    return proofs_in(_text(proofs_path(lesson)))


def proofs_in(text: str) -> dict[str, Any]:
    """The proofs in a file's text; empty if it holds none, such as one with a merge's marks in it."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def read_proof(source: ExerciseSource) -> dict[str, Any]:
    """The proof of an exercise; empty if there is none."""
    return _entry(read_proofs(source.lesson), source.exercise.id)


def _entry(proofs: dict[str, Any], name: str) -> Entry:
    found = proofs.get(name)
    return found if isinstance(found, dict) else {}


def runs_on_hidden(source: ExerciseSource) -> dict[str, str]:
    """The prints of the known mistakes' runs on hidden events, by id, as the proof has them."""
    stated = read_proof(source).get("misconceptions", {})
    return {id: run for id, of_it in stated.items() if (run := of_it.get("run_on_hidden"))}


def write_proof(source: ExerciseSource, rests: RestsOn, proof: Proof) -> None:
    """Write what `verify` showed. A part of another command stays as long as its own digests hold."""
    stated = {**_as_data(proof), "rests_on": rests}
    _change(source.lesson, source.exercise.id, lambda found: {**_parts(found, rests), **stated})


def write_part(source: ExerciseSource, name: str, part: dict[str, Any]) -> None:
    """Add the part of another command to the rest, such as "mutants".

    `part["rests_on"]` holds that part's own digests: the labels of `rests_on` that it needs, and
    others of its own.
    """
    _change(source.lesson, source.exercise.id, lambda found: {**found, name: part})


def forget_proof(source: ExerciseSource, rests: RestsOn) -> None:
    """Remove a proof that does not hold; a part of another command stays, as in `write_proof`.

    A fault may appear although no digest has changed, such as an answer that is only sometimes right.
    An old proof left there would go on proving it.
    """
    _change(source.lesson, source.exercise.id, lambda found: _parts(found, rests))


def write_entry(lesson: LessonSource, name: str, entry: dict[str, Any]) -> None:
    """Write one entry to a lesson's file, one field per line; an empty entry is removed, and so is an empty file."""
    _change(lesson, name, lambda _: entry)


def _change(lesson: LessonSource, name: str, change: Callable[[Entry], Entry]) -> None:
    """Write what `change` makes of an entry; the file is read and written while no other thread does so."""
    path = proofs_path(lesson)
    with _one_at_a_time:
        found = proofs_in(_text(path))
        kept = {**found, name: change(_entry(found, name))}
        kept = {name: entry for name, entry in kept.items() if entry}
        if kept:
            text = json.dumps(kept, indent=1, sort_keys=True, ensure_ascii=False)
            new = path.with_suffix(".new")
            new.write_text(text + "\n", encoding="utf-8")
            os.replace(new, path)  # a reader never sees half a file
        else:
            path.unlink(missing_ok=True)


def changed(named: RestsOn, now: RestsOn) -> list[str]:
    """The labels in `now` whose digests are not those that a proof names."""
    return [label for label, value in now.items() if named.get(label) != value]


def _parts(found: Entry, rests: RestsOn) -> Entry:
    """What other commands wrote next to the proof, by name, if its own digests still hold."""
    return {
        name: part
        for name, part in found.items()
        if isinstance(part, dict) and "rests_on" in part and not _part_changed(part, rests)
    }


def _part_changed(part: dict[str, Any], now: RestsOn) -> list[str]:
    named = part["rests_on"]
    return changed(named, {label: value for label, value in now.items() if label in named})


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


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
