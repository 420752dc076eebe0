"""The frames of the landing page: each figure is what the model of Spark, and once Spark itself, says."""

import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from grader.judging.check_pack import PackedExercise, find_exercise
from grader.model.explorer.worked_example import example_of
from grader.model.query import Query
from grader.model.query_reader import query_of
from grader.site.first_minute import (
    EXAMPLE,
    LONGEST,
    QUESTION,
    SLIDER,
    FirstMinute,
    clock,
    first_minute,
    outcome_of,
    watermarks_of,
)

COURSE = Path(__file__).parents[2] / "course"


@cache
def minute() -> FirstMinute:
    return first_minute(COURSE)


@cache
def example() -> PackedExercise:
    return find_exercise(EXAMPLE, COURSE / "03_watermarks")


@cache
def query() -> Query:
    return query_of(example_of(example()), example().exercise)


def holds(seconds: int) -> None:
    """The frame of a delay is the model's run with this delay, its watermarks included."""
    of_range = minute().of_delay(seconds)
    played = outcome_of(query(), example().public, seconds)
    assert replace(of_range, least=seconds, most=seconds) == played, seconds
    subtracted = [newest - seconds for newest in minute().newest]
    assert subtracted == watermarks_of(query(), example().public, seconds), seconds


@pytest.mark.parametrize("seconds", SLIDER)
def test_each_frame_of_the_slider_is_the_models(seconds: int) -> None:
    holds(seconds)


def test_a_delay_at_random_has_the_frame_that_the_model_plays() -> None:
    dice = random.Random(46)
    for seconds in [*dice.sample(range(3600), 20), 6 * 3600, 24 * 3600, LONGEST]:
        holds(seconds)


@pytest.mark.slow
def test_delays_of_an_hour_have_the_frames_that_the_model_plays() -> None:
    edges = {outcome.least for outcome in minute().outcomes}
    near = {edge + by for edge in edges for by in (-2, -1, 0, 1)}
    for seconds in sorted({*range(0, 3601, 10), *near} - {-2, -1}):
        holds(seconds)


def test_the_worked_examples_frame_is_what_spark_did() -> None:
    spark, frame = example().expected["as_is"], minute().of_delay(minute().delay)
    steps = range(1, spark.steps + 1)
    in_state = [
        sum(one.opened <= step and (one.emitted or spark.steps + 1) > step for one in frame.counts)
        for step in steps
    ]
    assert [spark.state_after(step) for step in steps] == in_state
    assert max(batch.state_rows for batch in spark.batches) == frame.most_rows
    emitted = [(b.step, row["clicks"]) for b in spark.batches for row in b.rows]
    assert emitted == [(one.emitted, one.clicks) for one in frame.counts if one.emitted]
    assert frame.first == emitted[0][0]
    dropped = [minute().clicks[place] for place in frame.dropped]
    assert [spark.dropped_in(step) for step in steps] == [
        sum(click.step == step for click in dropped) for step in steps
    ]
    watermarks = [(spark.watermark_after(step) or "")[11:19] for step in steps]
    assert watermarks == [clock(newest - minute().delay) for newest in minute().newest]


def test_the_click_in_question_is_dropped_and_the_right_delays_are_few() -> None:
    shown = minute().of_delay(minute().delay)
    assert [clock(minute().clicks[place].at) for place in shown.dropped] == [QUESTION]
    best = minute().outcomes[minute().best]
    assert (best.least, best.most) == (181, 240)
    assert not best.dropped and best.first == 4


def test_the_page_names_the_clicks_the_rounds_and_the_window_in_words() -> None:
    assert (len(minute().clicks), len(minute().newest), minute().window) == (10, 5, 300)


def test_the_code_is_the_lessons() -> None:
    before, after = minute().code
    shown = f"{before}2 minutes{after}".split()
    assert " ".join(shown) in " ".join(example().cell.split())


def test_a_delay_of_more_than_a_week_has_no_frame() -> None:
    with pytest.raises(ValueError, match="604801"):
        minute().of_delay(LONGEST + 1)
