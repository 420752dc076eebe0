"""Functions with state of one's own: when they are called, and what is left of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from model.test_rules import at
from testkit.random_functions import COLUMNS, KEPT, function_of

from grader.model import NotModelled, Refused, play, run
from grader.model.query import Node, Query, Source, Watermark, WithState
from grader.model.run import Played
from grader.model.timestamps import micros, moment
from grader.scenario import Event, Scenario
from grader.scenario.recording import Recording

VISITS = Source("clicks", {"id": "string", "time": "timestamp"})
MINUTE = 60_000


def visits(*steps: str, partition: int = 0) -> Scenario:
    """Clicks by step, each an id and a time of the day: "a 12:00:00, b 12:01:00"."""
    events = [
        Event(number, "clicks", {"id": id, "time": at(clock)}, partition)
        for number, step in enumerate(steps, start=1)
        for id, clock in (one.split() for one in step.split(",") if one.strip())
    ]
    return Scenario(events, len(steps))


def with_state(
    function: Callable[..., Any],
    timeout: str = "EventTimeTimeout",
    *,
    rows: Node = VISITS,
    delay: str | None = "0 seconds",
    mode: str = "append",
) -> WithState:
    timed = Watermark(rows, "time", delay) if delay else rows
    return WithState(timed, ("id",), function, COLUMNS, KEPT, mode, timeout)


def played(
    on_rows: list[str], on_timeout: list[str], *steps: str, timeout: str = "EventTimeTimeout"
) -> Played:
    query = Query(with_state(function_of(on_rows, on_timeout, MINUTE), timeout))
    return play(query, visits(*steps))


def told(recording: Recording) -> list[list[tuple[str, int]]]:
    """By batch: the key and the count of each row; a row of a timeout has the key in brackets."""
    return [
        [(f"[{r['key']}]" if r["timed_out"] else r["key"], r["rows"]) for r in batch.rows]
        for batch in recording.batches
    ]


def counts(recording: Recording) -> list[tuple[int, int, int, int]]:
    """By batch: rows in state, updated, removed, dropped."""
    found = [batch.operators[0] for batch in recording.batches]
    return [(o.rows_total, o.rows_updated, o.rows_removed, o.dropped) for o in found]


def test_a_count_goes_on_from_batch_to_batch_and_no_batch_runs_without_data():
    recording = played(
        ["count", "tell"], [], "a 12:00:00, a 12:00:01", "a 12:10:00", timeout="NoTimeout"
    )
    assert told(recording.recording) == [[("a", 2)], [("a", 3)]]
    assert counts(recording.recording) == [(1, 1, 0, 0), (1, 1, 0, 0)]


@pytest.mark.parametrize(
    ("timeout", "dropped", "seen"), [("EventTimeTimeout", 1, []), ("NoTimeout", 0, [2])]
)
def test_late_rows_are_kept_from_the_function_only_where_event_time_times_out(
    timeout: str, dropped: int, seen: list[int]
):
    steps = "a 12:00:00, b 12:10:00", "a 12:10:00"  # as old as the watermark
    recording = played(["count", "tell"], [], *steps, timeout=timeout).recording
    assert recording.dropped_in(2) == dropped
    assert [row["rows"] for b in recording.of_step(2) for row in b.rows] == seen


@pytest.mark.parametrize(
    ("clock", "up"),
    [("12:01:00", []), ("12:01:00.001", [("[a]", 1)])],
)
def test_time_is_up_when_the_watermark_has_passed_it_and_in_the_batch_without_data(
    clock: str, up: list[Any]
):
    function = function_of(["count", "wait", "tell"], ["tell", "forget"], MINUTE)
    recording = run(Query(with_state(function)), visits("a 12:00:00", f"b {clock}"))
    assert told(recording) == [[("a", 1)], [], [("b", 1)], up]
    assert recording.batches[-1].rows_in == 0


def test_rows_that_set_a_new_timeout_come_before_the_old_one_is_looked_at():
    steps = "a 12:00:00", "b 12:05:00", "a 12:06:00"
    recording = played(["count", "wait", "tell"], ["tell"], *steps).recording
    assert told(recording) == [[("a", 1)], [], [("b", 1)], [("[a]", 1)], [("a", 2)], []]


def test_a_call_that_leaves_all_as_it_was_lets_the_old_timeout_pass_in_the_same_batch():
    def first_only(key: Any, rows: Any, state: Any) -> Any:
        if not state.exists and key == ("a",):
            state.update((len(rows), None))
            state.setTimeoutTimestamp(millis("12:01:00"))
        row = {"key": key[0], "rows": len(rows), "newest": None, "seen": None}
        return [row | {"timed_out": state.hasTimedOut}]

    events = visits("a 12:00:00", "b 12:05:00", "a 12:06:00")
    recording = run(Query(with_state(first_only)), events)
    third = [[("[a]", 0), ("a", 1)], [("[a]", 0)]]
    assert told(recording) == [[("a", 1)], [], [("b", 1)], [("[a]", 0)], *third]


def millis(clock: str) -> int:
    return micros(moment(at(clock))) // 1000


def test_who_updates_and_sets_no_timeout_has_none():
    def once(key: Any, rows: Any, state: Any) -> Any:
        if not state.exists:
            state.setTimeoutTimestamp(millis("12:01:00"))
        state.update((len(rows), None))
        return []

    recording = run(Query(with_state(once)), visits("a 12:00:00", "a 12:00:10", "a 12:09:00"))
    assert [total for total, *_ in counts(recording)] == [1] * len(recording.batches)


def test_a_timeout_that_is_left_is_up_again_in_every_batch():
    steps = "a 12:00:00", "b 12:05:00", "b 12:06:00"
    recording = played(["count", "wait carelessly"], ["tell"], *steps).recording
    assert told(recording) == [[], [], [], [("[a]", 1)], [("[a]", 1)], [("[a]", 1)]]


def test_what_is_removed_counts_even_if_there_was_nothing():
    recording = played(["forget"], [], "a 12:00:00, b 12:00:00", timeout="NoTimeout").recording
    assert counts(recording) == [(0, 0, 2, 0)]


def test_a_timeout_set_with_a_removal_keeps_a_row_without_a_value():
    steps = "a 12:00:00", "b 12:05:00"
    played_ = played(["count", "forget", "wait carelessly"], ["tell", "forget"], *steps)
    assert counts(played_.recording)[0] == (1, 1, 0, 0)
    assert told(played_.recording)[-1] == [("[a]", 0)]


def test_what_comes_of_a_timeout_has_the_events_that_were_in_the_state():
    found = played(["count", "wait carelessly"], ["tell", "forget"], "a 12:00:00", "b 12:05:00")
    out = [fate for fate in found.fates if fate.what == "out"]
    assert [fate.event for fate in out] == [0]
    assert [fate.event for fate in found.fates if fate.what == "kept"] == [0, 1]


def test_by_the_clock_each_step_is_one_batch_and_a_key_with_rows_sets_its_timeout_first():
    function = function_of(["count", "wait by the clock"], ["tell", "forget"], MINUTE)
    node = with_state(function, "ProcessingTimeTimeout", delay=None)
    events = visits("a 12:00:00, b 12:00:00", "b 12:00:00", "b 12:00:00", "b 12:00:00").events
    times = ["12:00:00", "12:00:50", "12:01:00", "12:01:00.001"]
    clocks = {number: at(clock) for number, clock in enumerate(times, start=1)}
    recording = run(Query(node), Scenario(events, clocks=clocks))
    assert told(recording) == [[], [], [], [("[a]", 1)]]
    with pytest.raises(NotModelled, match="clock"):
        run(Query(node), Scenario(events))


def test_an_order_that_nobody_promises_is_not_guessed():
    ordered = Query(with_state(function_of(["tell order"], [], MINUTE), "NoTimeout"))
    counting = Query(with_state(function_of(["tell"], [], MINUTE), "NoTimeout"))
    rows = [
        Event(1, "clicks", {"id": id, "time": at("12:00:00")}, partition)
        for id, partition in [("a", 0), ("a", 1)]
    ]
    assert run(ordered, Scenario(rows)).batches[0].rows[0]["seen"] == "aa"
    assert run(counting, Scenario(rows)).batches[0].rows[0]["rows"] == 2


@pytest.mark.parametrize(
    "query",
    [
        Query(with_state(function_of(["tell"], [], 0), delay=None)),
        Query(with_state(function_of(["tell"], [], 0)), "update"),
        Query(with_state(function_of(["tell"], [], 0), mode="update"), "append"),
        Query(with_state(function_of(["wait"], [], 0), "NoTimeout")),
        Query(with_state(function_of(["wait"], [], 0), "NoTimeout", delay=None)),
        Query(with_state(function_of(["wait carelessly"], [], -(10**13)))),
        Query(with_state(lambda key, rows, state: [state.get])),
        Query(with_state(lambda key, rows, state: [1 // 0])),
    ],
)
def test_what_spark_refuses_of_a_function_is_refused(query: Query):
    with pytest.raises(Refused):
        run(query, visits("a 12:00:00"))


def test_a_timeout_before_the_watermark_is_refused():
    careless = function_of(["count", "wait carelessly"], [], -MINUTE)
    assert run(Query(with_state(careless)), visits("a 12:00:00")).batches
    with pytest.raises(Refused, match="before the watermark"):
        run(Query(with_state(careless)), visits("a 12:00:00", "a 12:00:30"))
