"""Reasons in joins of two streams: a side without rows, rows that wait for a partner."""

from __future__ import annotations

from typing import Any

from grader.judging.instants import moment
from grader.live_query import event_times, phrases
from grader.live_query.observation import Observation, Reason


def one_side_empty(seen: Observation) -> Reason | None:
    """A join of streams that has no records of one input yet, in this run or before."""
    if not seen.has("stream_join") or seen.resumed or seen.records is None or not seen.batches:
        return None
    if not seen.whole:  # what came before the batches that Spark still reports is unknown
        return None
    silent = " and ".join(name for name, count in seen.records.items() if not count)
    if not silent:
        return None
    outer = any("outer" in join.text for join in seen.of("stream_join"))
    return Reason(
        "idle_source",
        f"{phrases.so_far(seen)} {silent}, an input of the join, has brought nothing yet.",
        "A pair needs a row of each side"
        + (", and a row without a partner waits until the watermark says so." if outer else "."),
        f"Send events to {silent}, and compare the topic's name with the producer's.",
    )


def join_without_match(seen: Observation) -> Reason | None:
    join = _join_operator(seen)
    if join is None or len(seen.operators) > 1 or seen.rows_out != 0 or not join["numRowsTotal"]:
        return None  # an operator after it may hold its pairs, or what was emitted is not counted
    kind = next((step.text for step in seen.of("stream_join")), "")
    outer = "outer" in kind
    held = join["numRowsTotal"]
    return Reason(
        "no_match",
        f"{phrases.so_far(seen)} {phrases.rows(held)} {'waits' if held == 1 else 'wait'} in the state of the {kind} "
        "join, and no row has been emitted.",
        "A join emits a pair when the second of its rows comes"
        + (
            ", an outer join a row without a partner when the watermark says that none can come any more."
            if outer
            else "."
        )
        + (f" {event_times.what_moves_it(seen)}" if outer and len(seen.streams) > 1 else ""),
        "Compare the keys and the times of the two inputs"
        + (f". For the rows without a partner: {_later_events(seen)}" if outer else "."),
        event_times.standings(seen),
    )


def join_waits(seen: Observation) -> Reason | None:
    """Rows of an outer join that wait until no partner can come any more; pairs were emitted already."""
    join = _join_operator(seen)
    kind = next((step.text for step in seen.of("stream_join") if "outer" in step.text), "")
    if (
        join is None
        or not kind
        or not join["numRowsTotal"]
        or seen.narrowed
        or seen.mode != "append"
    ):
        return None
    return Reason(
        "join_waits",
        phrases.sentences(phrases.so_far(seen), event_times.state(seen), phrases.late(seen)),
        f"A {kind} join emits a row without a partner when the watermark says that none can come any more: when it "
        f"has passed the time of the row and the range of the join's condition. {event_times.what_moves_it(seen)}",
        _later_events(seen),
        event_times.standings(seen),
    )


def _later_events(seen: Observation) -> str:
    """The input that holds the watermark of a join back."""
    known = [s for s in seen.streams if s.watermark is not None]
    if len(known) < 2 or seen.policy == "max":
        return "Send later events to the inputs."
    say = event_times.teller(seen)
    ordered = sorted(known, key=lambda stream: moment(stream.watermark or ""))
    slow, fast = ordered[0], ordered[-1]
    if moment(slow.watermark or "") == moment(fast.watermark or ""):
        return "Send later events to both inputs."
    return (
        f"Send later events to {slow.name}: its newest event is of {say(slow.newest)}, and {fast.name} is at "
        f"{say(fast.newest)} already. Until then it holds the time back at {say(slow.watermark)} for both."
    )


def _join_operator(seen: Observation) -> dict[str, Any] | None:
    return next((op for op in seen.operators if "Join" in op.get("operatorName", "")), None)
