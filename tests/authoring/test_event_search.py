"""The search for events asks the model first, and Spark about the one that it proposes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from model.course import known

from grader.authoring.event_edits import Idea, changed, diff_lines, ideas_of
from grader.authoring.event_search import Forecast, sharpen
from grader.authoring.lesson_source import ExerciseSource
from grader.authoring.mutants.explanations import read_explanations
from grader.authoring.mutants.mutant_generator import Mutant, mutants_of
from grader.authoring.play_store import KeptPlays
from grader.authoring.proof import Bench

# the only click without a page, and the mutant that passes once it is gone
WITHOUT_PAGE = 16
NOT_NULL = '`.where(F.col("page").isNotNull())` put in after `clicks`'
EXERCISES = [id for id in known() if known()[id].exercise.kind == "exercise"]


@pytest.fixture
def blunt() -> ExerciseSource:
    """03.2 without the click that tells this mutant from the solution."""
    source = replace(known()["03.2"])
    assert source.public.events[WITHOUT_PAGE].value["page"] is None  # type: ignore[index]
    gone = Idea("", None, instead=WITHOUT_PAGE)
    vars(source)["public"] = changed(source.public, [gone])
    return source


def mutant(source: ExerciseSource, change: str) -> Mutant:
    return next(m for m in mutants_of(source) if m.change == change)


def test_the_model_proposes_one_event_that_parts_a_survivor(blunt: ExerciseSource) -> None:
    forecast, survivor = Forecast(blunt), mutant(blunt, NOT_NULL)
    assert forecast.parts(survivor, []) is False
    found = forecast.proposed(survivor, ideas_of(blunt.public, blunt.cells[-1]), [])
    assert found is not None
    (line,) = diff_lines(blunt.public, found)
    assert '"page": null' in line and line.endswith("(page null)")


def test_the_model_says_nothing_of_what_it_does_not_read(blunt: ExerciseSource) -> None:
    unread = mutant(blunt, "`.dropna()` put in after `clicks`")
    forecast = Forecast(blunt)
    assert forecast.parts(unread, []) is None
    assert forecast.proposed(unread, ideas_of(blunt.public, blunt.cells[-1]), []) is None


@pytest.mark.parametrize("id", EXERCISES)
def test_the_model_forecasts_what_the_proofs_hold(id: str) -> None:
    """All survivors in the course are explained: those pass by the model, and no others do."""
    source = known()[id]
    forecast, explanations = Forecast(source), read_explanations(source.folder)
    for one in mutants_of(source):
        said = forecast.parts(one, [])
        if said is not None:
            explained = any(e.fits(one.change, one.line) for e in explanations)
            assert said is not explained, one.change


@pytest.mark.slow
def test_spark_plays_the_proposed_event_alone(bench: Bench, blunt: ExerciseSource) -> None:
    plays = KeptPlays(lambda: bench, None)
    survivor = mutant(blunt, NOT_NULL)
    found = sharpen(plays, blunt, [survivor])
    (line,) = diff_lines(blunt.public, found[survivor.id])
    assert '"page": null' in line
    assert plays.played == 2  # the solution, and the survivor


@pytest.mark.slow
def test_what_the_model_does_not_read_spark_searches(bench: Bench, blunt: ExerciseSource) -> None:
    unread = mutant(blunt, "`.dropna()` put in after `clicks`")
    found = sharpen(KeptPlays(lambda: bench, None), blunt, [unread])
    lines = diff_lines(blunt.public, found[unread.id])
    assert len(lines) == 1 and lines[0].endswith(("(page null)", "(page missing)"))
