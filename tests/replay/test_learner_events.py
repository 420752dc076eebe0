"""Events that a learner makes: what is understood, what is refused and in which words, and how they are played."""

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from grader.authoring.proof import Bench
from grader.judging.play import events_of
from grader.judging.wording.given_events_text import given_events_text
from grader.replay.learner_events import GivenError, scenario_of
from grader.replay.replay import replay
from grader.scenario import Exercise, Scenario, Variant
from grader.scenario.recording import Recording

CLICKS = StructType().add("page", "string").add("at", "timestamp").add("ms", "integer")
BOTH = {"ads": StructType().add("ad", "string"), "clicks": StructType().add("ad", "string")}


@pytest.mark.parametrize(
    ("at", "is_of"),
    [
        ("12:00:05", "2026-03-01T12:00:05Z"),
        ("12:00", "2026-03-01T12:00:00Z"),
        ("12:00:05.250", "2026-03-01T12:00:05.250000Z"),
        ("2026-06-01T12:00:05Z", "2026-06-01T12:00:05Z"),
        ("2026-06-01 12:00:05", "2026-06-01T12:00:05Z"),
        ("2026-06-01T12:00:05+02:00", "2026-06-01T10:00:05Z"),
        (datetime(2026, 6, 1, 12), "2026-06-01T12:00:00Z"),
        (datetime(2026, 6, 1, 12, tzinfo=timezone(timedelta(hours=1))), "2026-06-01T11:00:00Z"),
        (None, None),
    ],
)
def test_a_time_is_read_as_it_was_meant(at: Any, is_of: str | None) -> None:
    (event,) = scenario_of([[{"at": at}]], {"clicks": CLICKS}).events
    assert event.value == {"at": is_of}


def test_a_step_may_be_empty_and_counts() -> None:
    scenario = scenario_of([[{"page": "a"}], [], [{"page": "b"}], []], {"clicks": CLICKS})
    assert (scenario.steps, [e.step for e in scenario.events]) == (4, [1, 3])


def test_events_of_two_streams_go_each_to_its_own() -> None:
    scenario = scenario_of([{"ads": [{"ad": "a"}]}, {"clicks": [{"ad": "a"}], "ads": []}], BOTH)
    assert [(e.step, e.input) for e in scenario.events] == [(1, "ads"), (2, "clicks")]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "returned None, not a list of steps"),
        ("12:00", "a value of type str, not a list of steps"),
        ([], "no event in any step"),
        ([[], []], "no event in any step"),
        ([{"page": "a"}], "step 1 is a dict; a step is a list of events, even of one"),
        ([["a"]], "step 1, event 1 is a value of type str; an event is a dict of its columns"),
        ([[{"pgae": "a"}]], "has a column 'pgae'; the columns are page, at, ms"),
        ([[{"page": 3}]], "step 1, event 1, page is 3; the column is of type string"),
        ([[{"ms": "3"}]], "ms is '3'; the column is of type int"),
        ([[{"ms": True}]], "ms is True; the column is of type int"),
        ([[{"page": "a"}], [{"at": "noon"}]], "step 2, event 1, at is 'noon'; a time is written"),
        ([[{"at": 5}]], "at is 5; a time is written"),
        ([[{"at": "25:00:00"}]], "at is '25:00:00'; a time is written"),
        ([[]] * 13, "13 steps; at most 12"),
        ([[{"page": "a"}] * 51], "51 events; at most 50"),
    ],
)
def test_what_is_no_list_of_steps_is_refused_with_its_place(given: Any, said: str) -> None:
    with pytest.raises(GivenError) as caught:
        scenario_of(given, {"clicks": CLICKS})
    assert said in given_events_text(caught.value.fields)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([[{"ad": "a"}]], "step 1 is a value of type list; it needs a dict of lists"),
        ([{"sales": []}], "step 1 names the stream 'sales'; there are ads, clicks"),
        ([{"ads": {"ad": "a"}}], "step 1 holds a value of type dict where a list"),
    ],
)
def test_a_step_of_two_streams_says_which(given: Any, said: str) -> None:
    with pytest.raises(GivenError) as caught:
        scenario_of(given, BOTH)
    assert said in given_events_text(caught.value.fields)


TASK = Exercise.from_dict(
    {
        "id": "given", "title": "t", "answer": "f", "takes": [], "returns": "events",
        "inputs": {"clicks": {"schema": "page STRING, at TIMESTAMP", "event_time": "at"}},
        "facts": [{"name": "n", "title": "t", "fix": "m", "run": "rows", "equals": 1}],
    }
)  # fmt: skip


def seen_once(clicks: DataFrame) -> DataFrame:
    return clicks.withWatermark("at", "10 seconds").dropDuplicatesWithinWatermark(["page"])


def played(bench: Bench, answer: Any) -> Recording:
    none = Variant("as_is", Scenario([]))
    return replay(bench.spark, bench.kafka, TASK, answer, none, subject=seen_once)


@pytest.mark.slow
def test_the_given_query_is_played_on_the_learners_events(bench: Bench) -> None:
    def clicks() -> Any:
        return [
            [{"page": "a", "at": "12:00:00"}, {"page": "a", "at": "12:00:01"}],
            [],
            [{"page": "b", "at": "13:00:00"}],
        ]

    recording = Recording.from_dict(played(bench, clicks).to_dict())
    assert recording.failure is None
    rows = [len([r for b in recording.of_step(n) for r in b.rows]) for n in (1, 2, 3)]
    assert (recording.steps, rows) == (3, [1, 0, 1])
    assert [e.value["page"] for e in events_of(recording, Scenario([])).events] == ["a", "a", "b"]


@pytest.mark.slow
def test_events_that_cannot_be_played_end_the_run_with_the_reason(bench: Bench) -> None:
    recording = played(bench, lambda: [{"page": "a"}])
    assert recording.failure is not None
    assert recording.failure.kind == "events"
    assert recording.failure.fields == {"fault": "step_is_dict", "step": 1}
