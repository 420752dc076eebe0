"""The parts of an exercise that its pack and its proof depend on: code and events, no words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from grader.authoring.lesson_source import ExerciseSource
from grader.judging.check_pack import PackedExercise
from grader.validity.digest import digest_of, file_digest
from grader.validity.exercise_parts import events_part, has_tables, judged_part, kind_of_play
from grader.validity.python_code import code_of
from grader.validity.stored_results import code_imported_by
from grader.validity.versions import lake_jars, locked_versions

_PROVED_ONLY = ("equivalents.py", "hidden.py")  # nothing in a pack is made from them
_NAMES_ONLY = "misconceptions.py"  # whether an answer passes does not depend on it
# read by other ways, or only shown to people
_NOT_CODE = ("exercise.toml", "mutants.toml", "rules.toml", "discussion.md", "public.jsonl")


def public_digest(source: ExerciseSource) -> str:
    """A digest of what an exercise's pack is made from.

    That is the public events, the cells, known mistakes and the given query.
    """
    return _digest(source, but=_PROVED_ONLY)


def mutants_digest(source: ExerciseSource) -> str:
    """A digest of what an exercise's mutants are played on and judged by.

    That is the same without the known mistakes: they name a wrong answer, and no status comes from them.
    """
    return _digest(source, but=(*_PROVED_ONLY, _NAMES_ONLY))


def exercise_digest(source: ExerciseSource) -> str:
    """A digest of all that an exercise's proof is made from: also hidden events and other right answers."""
    return _digest(source)


def packed_from(source: ExerciseSource) -> str:
    """A digest of what the recordings in a pack come from. A worked example has no proof that names the
    engine by which it was played, so its own digest does."""
    is_example = source.exercise.kind == "example"
    engine = [kind_of_play(source.exercise).code(), locked_versions()] if is_example else []
    return digest_of([public_digest(source), *engine])


def pack_digest(packed: PackedExercise) -> str:
    """A digest of what answers are judged by in a pack: recordings, and fingerprints without their words."""
    prints = [[f.id, f.prints.shown, f.prints.plan, f.failed] for f in packed.fingerprints]
    held = {
        "exercise": judged_part(packed.exercise),
        "public": events_part(packed.public),
        "expected": {name: recording.to_dict() for name, recording in packed.expected.items()},
        "fingerprints": prints,
        "subject": code_of(packed.subject or ""),
    }
    return digest_of([json.dumps(held, sort_keys=True)])


def _digest(source: ExerciseSource, but: tuple[str, ...] = ()) -> str:
    paths = [p for p in sorted(source.folder.glob("*.*")) if p.name not in (*_NOT_CODE, *but)]
    texts = {p.name: p.read_text(encoding="utf-8") for p in paths if p.suffix == ".py"}
    held: dict[str, Any] = {
        "exercise": judged_part(source.exercise),
        "by_hand": source.by_hand,
        "public": events_part(source.public),
        "cells": [code_of(cell) for cell in source.cells],
        "code": {name: code_of(text) for name, text in texts.items()},
        "data": {p.name: file_digest(p) for p in paths if _is_data(p)},
        "imported": code_imported_by([*texts.values(), *source.cells]),
    }
    if has_tables(source.exercise):
        held["lake"] = lake_jars()
    return digest_of([json.dumps(held, sort_keys=True, default=str)])


def _is_data(path: Path) -> bool:
    return path.suffix != ".py" and path.is_file()
