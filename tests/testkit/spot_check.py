"""Answers of the course played anew and held against their proofs: a few, other ones at each commit."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.authoring.answer import Answer
from grader.authoring.hidden_diagnosis import Elsewhere
from grader.authoring.lesson_source import ExerciseSource
from grader.authoring.proof import PackedExpected, Player, name_given, play_and_judge
from grader.authoring.proof_store import PROOFS, proofs_in, read_proof, runs_on_hidden
from grader.judging.check_pack import PackedExercise


@dataclass(frozen=True)
class Spot:
    """One statement of a proof that can be played again.

    `kind` is a field of the proof: solution, stub, misconceptions or equivalents. `elsewhere` is what
    it says of hidden events of another seed, else of the public events and the class's hidden ones.
    """

    source: ExerciseSource
    kind: str
    name: str
    answer: Answer
    elsewhere: bool = False

    @property
    def id(self) -> str:
        where = "/elsewhere" if self.elsewhere else ""
        return f"{self.source.exercise.id}/{self.kind}/{self.name}{where}"


def spots_of(source: ExerciseSource) -> list[Spot]:
    """All that the proof of an exercise states."""
    given = [("solution", "", source.solution)]
    given += [("misconceptions", m.id, m.answer) for m in source.misconceptions]
    given += [("equivalents", e.id, e.answer) for e in source.equivalents]
    here = [Spot(source, *answer) for answer in [*given, ("stub", "", source.stub)]]
    if not source.exercise.has_scenario:  # there are no others to play them on
        return here
    return here + [Spot(source, *answer, elsewhere=True) for answer in given]


def sample(spots: Iterable[Spot], seed: str, size: int) -> list[Spot]:
    """At most `size` of the spots: those that the seed, such as a commit's id, happens to choose."""

    def order(spot: Spot) -> str:
        return hashlib.sha256(f"{seed} {spot.id}".encode()).hexdigest()

    return sorted(spots, key=order)[:size]


def contradiction(player: Player, spot: Spot, packed: PackedExercise) -> str | None:
    """Play a spot; what came of it and what the proof says, or None where these are the same."""
    seen = _seen_elsewhere(player, spot, packed) if spot.elsewhere else _seen(player, spot, packed)
    said = _said(spot, seen)
    return None if seen == said else f"{spot.id}: the proof says {said}, played anew it is {seen}"


def commit_id(root: Path) -> str | None:
    """The commit that `root` is at; None where there is no git or none yet."""
    return _git(root, "rev-parse", "HEAD")


def changed_since_the_last_commit_but_one(source: ExerciseSource) -> bool:
    """Whether the exercise's own text is another than in HEAD~1, by its proofs then and now.

    False where there is no such commit (no git, a shallow clone): nobody can tell then.
    """
    if _git(source.folder, "rev-parse", "--verify", "--quiet", "HEAD~1^{commit}") is None:
        return False
    before = proofs_in(_git(source.lesson.folder, "show", f"HEAD~1:./{PROOFS}") or "")
    then = before.get(source.exercise.id, {}).get("rests_on", {}).get("exercise")
    return bool(then is None or then != read_proof(source).get("rests_on", {}).get("exercise"))


def _said(spot: Spot, fields: Iterable[str]) -> dict[str, Any]:
    """What the proof states in these fields. No proof is written with a solution that is blamed."""
    part = read_proof(spot.source).get(spot.kind)
    stated = part.get(spot.name) if isinstance(part, dict) else {"status": part}
    return {field: (stated or {}).get(field, False) for field in fields}


def _seen(player: Player, spot: Spot, packed: PackedExercise) -> dict[str, Any]:
    expected = PackedExpected(player, spot.source, packed)
    verdict, _ = play_and_judge(player, spot.source, spot.answer, expected, packed.fingerprints)
    seen: dict[str, Any] = {"status": verdict.status}
    if spot.kind == "misconceptions":
        seen["diagnosed"] = name_given(verdict) == spot.name
    return seen


def _seen_elsewhere(player: Player, spot: Spot, packed: PackedExercise) -> dict[str, Any]:
    runs = runs_on_hidden(spot.source)
    elsewhere = Elsewhere(player, spot.source, packed.fingerprints, runs)
    if spot.kind == "misconceptions":
        return {"named_on_hidden": elsewhere.name_of(spot.answer) == spot.name}
    return {"blamed_on_hidden": elsewhere.blame_of(spot.answer) is not None}


def _git(folder: Path, *words: str) -> str | None:
    """What git says, or None where it refuses or is not there."""
    try:
        ran = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return ran.stdout.strip() if ran.returncode == 0 else None
