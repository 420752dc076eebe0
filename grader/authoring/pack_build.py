"""The check packs of lessons: recordings are played once and kept, words are taken from solutions/ each time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from grader.authoring.exercise_digests import packed_from
from grader.authoring.lesson_source import ExerciseSource, LessonSource, solved_away
from grader.authoring.play_store import KeptPlays, side_by_side
from grader.authoring.proof import by_hand_faults, expected_of, fingerprints_of
from grader.authoring.proof_store import changed, engine_rests_on, read_proof
from grader.judging.check_pack import (
    FILE_NAME,
    Pack,
    PackedExercise,
    PackedPrediction,
    PackError,
    read_pack,
)
from grader.judging.recording_path import value_at
from grader.judging.wording.failure_text import failure_in_short

Notify = Callable[[str], None]


def packs_of(
    lessons: list[LessonSource],
    course: Path,
    plays: KeptPlays,
    notify: Notify = lambda text: None,
    *,
    fresh: bool = False,
) -> dict[str, Pack]:
    """Lesson id → check pack. What is in `course` and still valid is not played again, unless `fresh`."""
    known = {} if fresh else _known(lessons, course)
    engine = engine_rests_on()

    def packed(source: ExerciseSource) -> PackedExercise:
        there = known.get(source.exercise.id)
        if there is not None and _holds(there, source, engine):
            return with_words(there, source)
        notify(f"packing {source.exercise.id} {source.exercise.title}")
        return with_words(_played(source, plays), source)

    parts = [source for lesson in lessons for source in lesson.parts]
    made = side_by_side(plays, packed, parts)
    packs = {x.id: Pack(x.id, x.slug, x.title, {}) for x in lessons}
    for source, exercise in zip(parts, made, strict=True):
        packs[source.lesson.id].exercises[source.exercise.id] = exercise
    return packs


def with_words(packed: PackedExercise, source: ExerciseSource) -> PackedExercise:
    """A pack's exercise with what people read of it as solutions/ has it now."""
    recording = packed.expected["as_is"]
    written = {wrong.id: wrong for wrong in source.misconceptions}
    return replace(
        packed,
        exercise=source.exercise,
        public=source.public,
        fingerprints=[
            replace(known, title=written[known.id].title, hint=written[known.id].hint)
            for known in packed.fingerprints
        ],
        hints=source.hints,
        predictions=[
            PackedPrediction(p.name, p.question, value_at(recording, p.path), p.why, p.wrong)
            for p in source.predictions
        ],
        subject=source.subject.text if source.subject else None,
        discussion=source.discussion,
        equivalents=len(source.equivalents),
        cell="\n\n".join(source.cells)
        if source.exercise.kind == "example"
        else solved_away(source.lesson.cell(source.exercise.answer)),
    )


def _holds(packed: PackedExercise, source: ExerciseSource, engine: dict[str, str]) -> bool:
    """Whether a pack's recordings and fingerprints are what playing again would give."""
    if packed.made_from != packed_from(source):
        return False
    proved = read_proof(source).get("rests_on", {})
    return source.exercise.kind == "example" or not changed(proved, engine)


def _known(lessons: list[LessonSource], course: Path) -> dict[str, PackedExercise]:
    """The exercises in course/ as it is; packs that are missing or cannot be read count as none."""
    found: dict[str, PackedExercise] = {}
    for lesson in lessons:
        with contextlib.suppress(PackError, ValueError, KeyError):
            found |= read_pack(course / lesson.name / FILE_NAME).exercises
    return found


def _played(source: ExerciseSource, plays: KeptPlays) -> PackedExercise:
    expected = expected_of(plays, source)
    broken = [
        f"{name}: {failure_in_short(rec.failure)}" for name, rec in expected.items() if rec.failure
    ]
    if broken:
        raise PackError(f"{source.exercise.id}: the solution does not run ({'; '.join(broken)}).")
    if source.exercise.kind == "example" and (faults := by_hand_faults(source, expected)):
        raise PackError(f"{source.exercise.id}: {'; '.join(faults)}")
    public = {name: rec for (scenario, name), rec in expected.items() if scenario == "public"}
    public.pop("crash", None)
    return PackedExercise(
        exercise=source.exercise,
        public=source.public,
        expected=public,
        fingerprints=fingerprints_of(plays, source, expected),
        made_from=packed_from(source),
    )
