"""Names on hidden events of another seed, where no plan shows what an answer does: real answers, real runs."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from testkit.spot_check import commit_id

from grader.authoring.hidden_diagnosis import NO_NAME, PASSES, Elsewhere
from grader.authoring.lesson_source import ExerciseSource, read_lessons
from grader.authoring.mutants import mutants_of
from grader.authoring.mutants.mutant_generator import Mutant
from grader.authoring.play_store import KeptPlays
from grader.authoring.proof import Bench, name_given
from grader.authoring.proof_store import runs_on_hidden
from grader.judging.check_pack import FILE_NAME, PackedExercise, read_pack
from grader.judging.judge import judge
from grader.judging.play import Play
from grader.scenario import Variant

pytestmark = pytest.mark.slow
SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions"
EXERCISES = {
    source.exercise.id: source for lesson in read_lessons(SOLUTIONS) for source in lesson.exercises
}
STEPS = int(os.environ.get("STEPS_AWAY", "2"))  # of each function; others at each commit
FUNCTIONS = [id for id, source in EXERCISES.items() if source.exercise.returns == "results"]


def packed_of(source: ExerciseSource) -> PackedExercise:
    """The exercise as students have it, with the prints of its known mistakes."""
    pack = read_pack(SOLUTIONS.parent / "course" / source.lesson.name / FILE_NAME)
    return pack.exercises[source.exercise.id]


def changed(source: ExerciseSource, *changes: tuple[str, str]) -> str:
    """The solution's cells with some texts changed."""
    text = "\n\n".join(source.cells)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def some_of(mutants: list[Mutant]) -> list[Mutant]:
    dice = random.Random(commit_id(SOLUTIONS.parent) or "")
    return dice.sample(mutants, min(STEPS, len(mutants)))


def test_a_name_needs_the_whole_run_of_the_mistake(bench: Bench) -> None:
    source = EXERCISES["09.1"]
    plays = KeptPlays(lambda: bench, None)
    elsewhere = Elsewhere(plays, source, packed_of(source).fingerprints, runs_on_hidden(source))
    # the same mistake in the solution's own words, and averages that are wrong in another way
    swapped = source.answer_of(changed(source, ("alpha = 0.25", "alpha = 0.75")))
    halved = source.answer_of(changed(source, ("alpha = 0.25", "alpha = 0.5")))
    assert elsewhere.name_of(swapped) == "weights_swapped"
    assert elsewhere.name_of(halved) == NO_NAME
    assert elsewhere.name_of(source.solution) == PASSES


@pytest.mark.parametrize("id", FUNCTIONS)
def test_no_step_away_from_a_pure_function_has_a_name_that_other_calls_deny(
    bench: Bench, id: str
) -> None:
    source = EXERCISES[id]
    plays = KeptPlays(lambda: bench, None)
    packed = packed_of(source)
    known = packed.fingerprints
    elsewhere = Elsewhere(plays, source, known, runs_on_hidden(source))
    public = Variant("as_is", source.public)
    denied = {}
    for mutant in some_of(mutants_of(source)):
        answer = source.answer_of(mutant.text)
        play = Play(
            "public", public, packed.expected["as_is"], plays.record(source, answer, public)
        )
        verdict = judge(source.exercise, [play], known)
        here = PASSES if verdict.passed else name_given(verdict) or NO_NAME
        there = elsewhere.name_of(answer)
        if there != here:
            denied[mutant.change] = (here, there)
    assert denied == {}
