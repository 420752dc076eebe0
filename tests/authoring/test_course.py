"""The course that is committed is the one that solutions/ makes, and every check in it is right.

What a check says of every answer is played by `grader verify`, which writes it down
as a proof in each lesson's folder. Here the proofs are held to the course as it is now, and to a sample of plays.
"""

from collections import defaultdict
from pathlib import Path

import pytest
from testkit.grader_command import run_grader
from testkit.spot_check import (
    Spot,
    changed_since_the_last_commit_but_one,
    commit_id,
    contradiction,
    sample,
    spots_of,
)
from testkit.unproved import unproved

from grader.authoring.lesson_source import ExerciseSource, LessonSource, read_lessons
from grader.authoring.play_store import KeptPlays, side_by_side
from grader.authoring.proof import Bench
from grader.authoring.proof_store import proofs_path, read_proof
from grader.judging.check_pack import FILE_NAME, PackedExercise, read_pack
from grader.validity.digest import digest_of

ROOT = Path(__file__).resolve().parents[2]
# statements played anew: however large the course grows, this many
OF_CHANGED_EXERCISES, OF_OTHERS = 20, 8


@pytest.fixture(scope="module")
def lessons() -> list[LessonSource]:
    return read_lessons(ROOT / "solutions")


@pytest.fixture(scope="module")
def exercises(lessons: list[LessonSource]) -> list[ExerciseSource]:
    return [source for lesson in lessons for source in lesson.exercises]


@pytest.fixture(scope="module")
def packed(lessons: list[LessonSource]) -> dict[str, PackedExercise]:
    packs = [read_pack(ROOT / "course" / lesson.name / FILE_NAME) for lesson in lessons]
    return {id: one for pack in packs for id, one in pack.exercises.items()}


@pytest.mark.slow
def test_course_is_what_solutions_make(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    checked = run_grader("build", "--check")
    assert checked.code == 0, checked.out + checked.err


def test_every_exercise_is_proved_as_it_is_now(lessons: list[LessonSource]) -> None:
    found = unproved(lessons, ROOT / "course")
    assert not found, "\n" + "\n".join(found)


def test_the_proofs_show_a_check_that_tells_right_from_wrong(
    exercises: list[ExerciseSource],
    packed: dict[str, PackedExercise],
    capsys: pytest.CaptureFixture[str],
) -> None:
    proofs = {source.exercise.id: read_proof(source) for source in exercises}
    assert len(proofs) >= 18
    bad = [
        id
        for id, proof in proofs.items()
        if (proof.get("solution"), proof.get("stub")) != ("passed", "not_attempted")
        or len(proof["misconceptions"]) < 3
        or any(m["status"] == "passed" for m in proof["misconceptions"].values())
        or not all(m["diagnosed"] for m in proof["misconceptions"].values())
        or not proof["equivalents"]
        or any(e["status"] != "passed" for e in proof["equivalents"].values())
        or any(e["blamed_on_hidden"] for e in proof["equivalents"].values())
    ]
    assert not bad
    named = {
        f"{id} {name}": mistake["named_on_hidden"]
        for id, proof in proofs.items()
        for name, mistake in proof["misconceptions"].items()
    }
    missed = [name for name, right in named.items() if not right]
    with capsys.disabled():
        print(f"\n{len(named) - len(missed)} of {len(named)} mistakes named on hidden events")
    assert not missed


@pytest.mark.slow
def test_proofs_say_what_happens_when_they_are_played_anew(
    exercises: list[ExerciseSource],
    packed: dict[str, PackedExercise],
    bench: Bench,
    capsys: pytest.CaptureFixture[str],
) -> None:
    chosen = chosen_spots(exercises)
    by_exercise: dict[str, list[Spot]] = defaultdict(list)
    for spot in chosen:
        by_exercise[spot.source.exercise.id].append(spot)
    plays = KeptPlays(lambda: bench, None)  # none is taken from disk

    def contradictions(id: str) -> list[str | None]:
        return [contradiction(plays, spot, packed[id]) for spot in by_exercise[id]]

    found = [c for some in side_by_side(plays, contradictions, [*by_exercise]) for c in some if c]
    with capsys.disabled():
        print(f"\n{len(chosen)} statements of the proofs played anew ({plays.played} plays)")
    assert not found, "\n" + "\n".join(found)


def chosen_spots(exercises: list[ExerciseSource]) -> list[Spot]:
    """What changed exercises state, as much of it as fits, and a sample of all other statements."""
    seed = commit_id(ROOT) or digest_of(
        proofs_path(source.lesson).read_text(encoding="utf-8") for source in exercises
    )
    changed, others = [], []
    for source in exercises:
        new = changed_since_the_last_commit_but_one(source)
        (changed if new else others).extend(spots_of(source))
    return sample(changed, seed, OF_CHANGED_EXERCISES) + sample(others, seed, OF_OTHERS)
