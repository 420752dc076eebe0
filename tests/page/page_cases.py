"""The answers whose verdicts are known: those of the proofs, and those that nobody foresaw."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader.authoring.lesson_source import ExerciseSource, _variations, read_lessons
from grader.page.offered_exercises import why_not_offered

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "course"


@dataclass(frozen=True)
class Case:
    """An answer, and what the lab says of it: its status (empty if not known) and the name of its mistake.

    The `kind` is solution, stub, equivalent, mistake, right answer or wrong answer.
    """

    exercise: str
    kind: str
    id: str
    text: str
    name: str
    status: str
    mistake: str | None

    @property
    def right(self) -> bool:
        return self.status == "passed"

    def __str__(self) -> str:
        return f"{self.exercise} {self.kind} {self.id}"


@cache
def offered() -> dict[str, ExerciseSource]:
    """The exercises that a page offers, by id."""
    sources = [s for lesson in read_lessons(ROOT / "solutions") for s in lesson.exercises]
    return {s.exercise.id: s for s in sources if not why_not_offered(s.exercise)}


def proved() -> Iterator[Case]:
    """Every answer of a proof, with the status that it had on Spark."""
    for id, source in offered().items():
        proof = json.loads((source.lesson.folder / "proofs.json").read_text("utf-8"))[id]
        for kind, answer in (("solution", source.solution), ("stub", source.stub)):
            yield Case(id, kind, kind, answer.text, answer.name, proof[kind], None)
        for one in source.equivalents:
            status = proof["equivalents"][one.id]["status"]
            yield Case(id, "equivalent", one.id, one.answer.text, one.answer.name, status, None)
        for one in source.misconceptions:
            found = proof["misconceptions"][one.id]
            name = one.id if found["diagnosed"] else None
            yield Case(
                id, "mistake", one.id, one.answer.text, one.answer.name, found["status"], name
            )


def unforeseen() -> Iterator[Case]:
    """Every answer of tests/answers: passed, or failed in some way and with some name."""
    verdicts = json.loads((ROOT / "tests/answers/verdicts.json").read_text("utf-8"))
    for id in offered():
        for one in _variations(ROOT / "tests" / "answers" / f"{id}.py"):
            outcome = verdicts[id][one.id]
            passes = outcome == "passes"
            name = None if outcome in ("passes", "no name") else outcome
            kind = "right answer" if passes else "wrong answer"
            status = "passed" if passes else ""
            yield Case(id, kind, one.id, one.answer.text, one.answer.name, status, name)
