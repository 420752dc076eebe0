"""The rules that streams surprise people with, one by one, on a handful of events."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta

import pytest

from grader.model import NotModelled, Refused, play, run
from grader.model.expressions import Constant, call, col
from grader.model.query import (
    Aggregate,
    Deduplicate,
    Filter,
    Fold,
    Interval,
    Join,
    Node,
    Project,
    Query,
    SessionWindow,
    Source,
    TimeWindow,
    Union,
    Watermark,
)
from grader.scenario import Event, Scenario

CLICKS = Source("clicks", {"page": "string", "time": "timestamp"})
TAPS = Source("taps", CLICKS.columns)


def at(clock: str) -> str:
    return f"2026-03-01T{clock}Z"


def clicks(*steps: list[str], page: str = "/", input: str = "clicks") -> Scenario:
    """Clicks by step, each a time of the day."""
    return Scenario(
        [
            Event(number, input, {"page": page, "time": at(clock)})
            for number, clocks in enumerate(steps, start=1)
            for clock in clocks
        ],
        len(steps),
    )


def counts(rows: Node, *, delay: str = "10 seconds") -> Aggregate:
    window = {"window": TimeWindow("time", "5 minutes")}
    return Aggregate(Watermark(rows, "time", delay), window, {"clicks": Fold("count")})


def test_a_click_is_late_by_the_watermark_of_the_step_before():
    events = clicks(["12:01:00"], ["12:05:10", "12:04:00"], ["12:04:30"])
    recording = run(Query(counts(CLICKS)), events)
    assert [recording.dropped_in(step) for step in (1, 2, 3)] == [0, 0, 1]
    assert [row["clicks"] for batch in recording.of_step(2) for row in batch.rows] == [2]


def test_a_window_closes_when_the_watermark_stands_at_its_end():
    before = run(Query(counts(CLICKS)), clicks(["12:01:00"], ["12:05:09.999"]))
    at_it = run(Query(counts(CLICKS)), clicks(["12:01:00"], ["12:05:10"]))
    assert [len(b.rows) for b in before.of_step(2)] == [0, 0]
    assert [len(b.rows) for b in at_it.of_step(2)] == [0, 1]


def test_late_clicks_of_one_group_count_as_one_dropped_row_and_each_has_its_fate():
    events = clicks(["12:01:00", "12:06:00"], ["12:02:00", "12:03:00"])
    played = play(Query(counts(CLICKS)), events)
    assert played.recording.dropped_in(2) == 1
    assert [fate.event for fate in played.fates if fate.what == "late"] == [2, 3]


def test_a_stream_that_is_silent_in_a_step_holds_the_watermark():
    both = Union(Watermark(CLICKS, "time", "0 seconds"), Watermark(TAPS, "time", "0 seconds"))
    window = {"window": TimeWindow("time", "5 minutes")}
    query = Query(Aggregate(both, window, {"clicks": Fold("count")}))
    first = [*clicks(["12:01:00"]).events, *clicks(["12:30:00"], input="taps").events]
    events = Scenario([*first, *clicks([], ["12:20:00"]).events])
    assert run(query, events).watermark_after(2) == "2026-03-01T12:01:00.000Z"
    ahead = Query(query.plan, policy="max")
    assert run(ahead, events).watermark_after(2) == "2026-03-01T12:30:00.000Z"


def test_a_filter_on_another_column_works_before_the_watermark():
    rows = Watermark(CLICKS, "time", "0 seconds")
    on_page = Query(Filter(rows, call("=", col("page"), "/")))
    events = Scenario(
        [
            *clicks(["12:01:00"]).events,
            *clicks(["13:00:00"], page="/b").events,
            *clicks([], ["12:02:00"]).events,
        ]
    )
    assert run(on_page, events).watermark_after(2) == "2026-03-01T12:01:00.000Z"


def test_a_deduplication_within_the_watermark_remembers_from_the_first_on():
    rows = Deduplicate(Watermark(CLICKS, "time", "1 minute"), ("page",), within_watermark=True)
    events = clicks(["12:00:00"], ["12:00:50"], ["12:02:00"], ["12:02:10"])
    recording = run(Query(rows), events)
    assert [len(b.rows) for b in recording.batches if b.rows_in] == [1, 0, 0, 1]


@pytest.mark.parametrize(("columns", "dropped"), [(("page", "time"), 1), (("page",), 0)])
def test_a_time_that_nobody_reads_later_makes_nothing_late(columns: tuple[str, ...], dropped: int):
    once = Deduplicate(Watermark(CLICKS, "time", "1 minute"), ("page",))
    query = Query(Project(once, {name: col(name) for name in columns}))
    ours = run(query, clicks(["12:00:00"], ["12:10:00"], ["12:01:00"]))
    assert sum(o.dropped for batch in ours.batches for o in batch.operators) == dropped


def test_sessions_touch():
    keys = {"session_window": SessionWindow("time", "1 minute"), "page": col("page")}
    rows = Aggregate(Watermark(CLICKS, "time", "0 seconds"), keys, {"clicks": Fold("count")})
    events = clicks(["12:00:00", "12:01:00", "12:02:00.001"], ["13:00:00"])
    recording = run(Query(rows), events)
    assert [row["clicks"] for batch in recording.batches for row in batch.rows] == [2, 1]


def test_an_outer_row_comes_when_no_partner_can_come_any_more():
    views = Source("views", {"seen": "string", "view_time": "timestamp"})
    query = Query(
        Join(
            Watermark(CLICKS, "time", "0 seconds"),
            Watermark(views, "view_time", "0 seconds"),
            "left",
            {"page": "seen"},
            Interval("time", "view_time", "0 seconds", "1 minute"),
        )
    )

    def later(clock: str) -> list[Event]:
        value = {"seen": "/other", "view_time": at(clock)}
        return [*clicks([], ["12:30:00"]).events, Event(2, "views", value)]

    first = clicks(["12:00:00"]).events
    early = run(query, Scenario([*first, *later("12:01:00")]))
    over = run(query, Scenario([*first, *later("12:01:00.001")]))
    assert [len(b.rows) for b in early.of_step(2)] == [0, 0]
    assert [len(b.rows) for b in over.of_step(2)] == [0, 1]


def test_a_difference_of_times_pairs_rows_and_limits_no_state():
    """As in the plays of 06.3: its mistake watermark_alone has the fingerprint of such a run."""
    views = Source("views", {"seen": "string", "view_time": "timestamp"})
    apart = call("apart", col("view_time"), col("time"))
    query = Query(
        Join(
            Watermark(CLICKS, "time", "0 seconds"),
            Watermark(views, "view_time", "0 seconds"),
            "inner",
            {"page": "seen"},
            only=call("<=", apart, Constant(timedelta(minutes=1))),
        )
    )
    seen = [(1, "/", "12:01:00"), (1, "/", "12:01:01"), (2, "/b", "13:00:00")]
    events = [Event(step, "views", {"seen": p, "view_time": at(t)}) for step, p, t in seen]
    events += clicks(["12:00:00"]).events + clicks([], ["13:00:00"], page="/c").events
    recording = run(query, Scenario(events))
    rows = [row["view_time"] for batch in recording.batches for row in batch.rows]
    assert rows == ["2026-03-01T12:01:00.000000Z"]
    assert recording.state_after(2) == 5


@pytest.mark.parametrize(("taps", "state"), [([], 0), (["12:00:30"], 1)])
def test_a_condition_on_one_sides_key_holds_for_the_other_while_the_one_brings_nothing(
    taps: list[str], state: int
):
    other = Source("taps", {"seen": "string", "tap_time": "timestamp"})
    joined = Join(
        Watermark(CLICKS, "time", "0 seconds"),
        Watermark(other, "tap_time", "0 seconds"),
        "right",
        {"page": "seen"},
        Interval("time", "tap_time", "0 seconds", "1 minute"),
    )
    query = Query(Filter(joined, call("!=", col("seen"), "/")), policy="max")
    new = [Event(2, "taps", {"seen": "/", "tap_time": at(clock)}) for clock in taps]
    events = [*clicks([], ["12:00:00"]).events, *new]
    first = Event(1, "taps", {"seen": "/b", "tap_time": at("11:00:00")})
    second = run(query, Scenario([first, *events])).of_step(2)[0]
    assert second.operators[0].rows_updated == state


@pytest.mark.parametrize(
    "query",
    [
        Query(Aggregate(CLICKS, {"page": col("page")}, {"clicks": Fold("count")})),
        Query(CLICKS, "complete"),
        Query(Deduplicate(CLICKS, ("page",), within_watermark=True)),
        Query(Watermark(Watermark(CLICKS, "time", "1 minute"), "time", "1 minute")),
    ],
)
def test_what_spark_refuses_is_refused(query):
    with pytest.raises(Refused):
        run(query, clicks(["12:00:00"]))


@pytest.mark.parametrize(
    "query",
    [
        Query(Aggregate(CLICKS, {}, {"clicks": Fold("count")}), "update"),
        Query(Watermark(CLICKS, "time", "1 month")),
        Query(CLICKS, "upsert"),
    ],
)
def test_what_is_not_modelled_says_so(query):
    with pytest.raises(NotModelled):
        run(query, clicks(["12:00:00"]))


@pytest.mark.parametrize(("other_time", "fits"), [("12:00:00", True), ("12:00:01", False)])
def test_which_of_two_partitions_comes_first_is_not_said(other_time: str, fits: bool):
    query = Query(Deduplicate(Watermark(CLICKS, "time", "1 minute"), ("page",)))
    events = [
        Event(1, "clicks", {"page": "/", "time": at(time)}, partition)
        for partition, time in enumerate(["12:00:00", other_time])
    ]
    if fits:
        assert len(run(query, Scenario(events)).batches[0].rows) == 1
        return
    with pytest.raises(NotModelled, match="two partitions"):
        run(query, Scenario(events))


def test_the_model_needs_no_spark_no_kafka_and_no_pandas():
    unwanted = "{'pyspark', 'kafka', 'pandas', 'numpy'} & set(sys.modules)"
    program = f"import sys, grader.model; sys.exit(bool({unwanted}))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
