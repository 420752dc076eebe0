"""The check pack of a lesson: all that a learner's machine needs to judge, in one small file."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from grader.errors import UserFacingError
from grader.judging.course_origin import restore_fix
from grader.judging.diagnosis import Fingerprint
from grader.judging.play import Play
from grader.scenario import Exercise, Scenario, Variant, scenario_from_lines, variants_of
from grader.scenario.recording import Recording

FILE_NAME = "checks.pack"
_MAGIC = b"stateful-streams checks 5\n"


class PackError(UserFacingError, RuntimeError):
    """A check pack that is missing or cannot be read; the message names the fix."""


@dataclass(frozen=True)
class PackedPrediction:
    """A question asked before running, with the answer that Spark gave."""

    name: str
    question: str
    answer: str
    why: str = ""
    wrong: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PackedExercise:
    """One exercise (or worked example) as students' machines have it: public things only.

    - `subject`: the source of a given query that the answer looks at
    - `discussion`: what learners who have passed read about the solution (Markdown)
    - `cell`: the answer cell as it is handed out (a worked example's code)
    - `equivalents`: the number of other right answers that the check was proved with
    - `made_from`: the digest of the sources and the engine
    """

    exercise: Exercise
    public: Scenario
    expected: dict[str, Recording]
    fingerprints: list[Fingerprint] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    predictions: list[PackedPrediction] = field(default_factory=list)
    subject: str | None = None
    discussion: str = ""
    cell: str = ""
    equivalents: int = 0
    made_from: str = ""

    def plays(self) -> list[Play]:
        """The plays that a check wants, none of them played yet."""
        return [self.play(variant, None) for variant in variants_of(self.exercise, self.public)]

    def play(self, variant: Variant, actual: Recording | None) -> Play:
        # a crash must not change the answer: it is compared with the plain run
        expected = self.expected["as_is" if variant.name == "crash" else variant.name]
        return Play("public", variant, expected, actual)


@dataclass(frozen=True)
class Pack:
    """A lesson's packed exercises, by id."""

    lesson: str
    slug: str
    title: str
    exercises: dict[str, PackedExercise]

    def graded(self) -> list[PackedExercise]:
        return [e for e in self.exercises.values() if e.exercise.kind == "exercise"]


def write_pack(pack: Pack, path: Path) -> None:
    """Write a pack; its content is compressed so that learners do not read an answer by accident."""
    data = {
        "lesson": pack.lesson,
        "slug": pack.slug,
        "title": pack.title,
        "exercises": [_packed(given) for given in pack.exercises.values()],
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    path.write_bytes(_MAGIC + zlib.compress(text.encode(), 9))


def read_pack(path: Path) -> Pack:
    """Read a pack; raises PackError with the fix if it is missing or damaged."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise PackError(f"{path} is missing. Restore it: {restore_fix(path)}.") from error
    if not raw.startswith(_MAGIC):
        raise PackError(
            f"{path} is not a check pack of this version. Update course/ and grader together."
        )
    try:
        data = json.loads(zlib.decompress(raw[len(_MAGIC) :]))
    except (zlib.error, ValueError) as error:
        raise PackError(f"{path} is damaged. Restore it: {restore_fix(path)}.") from error
    exercises = {given["exercise"]["id"]: _unpacked(given) for given in data["exercises"]}
    return Pack(data["lesson"], data["slug"], data["title"], exercises)


def find_packs(start: Path) -> dict[str, Path]:
    """Lesson id → check pack, for packs next to `start` and in the course/ folder around it."""
    found: dict[str, Path] = {}
    for folder in [start, *start.parents]:
        if (folder / FILE_NAME).exists():
            found.setdefault(read_pack(folder / FILE_NAME).lesson, folder / FILE_NAME)
        for course in (folder, folder / "course"):
            for path in sorted(course.glob(f"[0-9][0-9]_*/{FILE_NAME}")):
                found.setdefault(path.parent.name.split("_", 1)[0], path)
        if found and ((folder / "course").is_dir() or folder.name == "course"):
            break
    return found


def find_exercise(exercise_id: object, start: Path) -> PackedExercise:
    """The packed exercise of an id such as 03.2; the search begins in the folder `start`.

    Raises PackError with the fix if no exercise has the id.
    """
    if not isinstance(exercise_id, str):
        raise PackError(f'An exercise is named by text, as "03.2"; got {exercise_id!r}.')
    lesson = exercise_id.split(".", 1)[0]
    packs = find_packs(start)
    if lesson not in packs and lesson.zfill(2) in packs:
        raise PackError(
            f"Exercise {exercise_id} is written with two digits: {'0' + exercise_id!r}."
        )
    if lesson not in packs:
        there = ", ".join(sorted(packs)) or "none at all"
        raise PackError(
            f"There is no check pack for lesson {lesson!r} near {start} (found: {there}). "
            "Open the notebook from the course/ folder; its checks lie beside it."
        )
    exercises = read_pack(packs[lesson]).exercises
    if exercise_id not in exercises:
        raise PackError(
            f"Lesson {lesson} has no exercise {exercise_id!r}; it has {', '.join(exercises)}."
        )
    return exercises[exercise_id]


def _packed(given: PackedExercise) -> dict[str, Any]:
    return {
        "exercise": given.exercise.to_dict(),
        "public": given.public.to_lines(),
        "expected": {name: recording.to_dict() for name, recording in given.expected.items()},
        "fingerprints": [print_.to_dict() for print_ in given.fingerprints],
        "hints": given.hints,
        "predictions": [asdict(prediction) for prediction in given.predictions],
        "subject": given.subject,
        "discussion": given.discussion,
        "cell": given.cell,
        "equivalents": given.equivalents,
        "made_from": given.made_from,
    }


def _unpacked(data: dict[str, Any]) -> PackedExercise:
    return PackedExercise(
        exercise=Exercise.from_dict(data["exercise"]),
        public=scenario_from_lines(data["public"]),
        expected={name: Recording.from_dict(given) for name, given in data["expected"].items()},
        fingerprints=[Fingerprint.from_dict(given) for given in data["fingerprints"]],
        hints=data["hints"],
        predictions=[PackedPrediction(**given) for given in data["predictions"]],
        subject=data["subject"],
        discussion=data["discussion"],
        cell=data["cell"],
        equivalents=data["equivalents"],
        made_from=data.get("made_from", ""),
    )
