"""Queries and events at random, for the model and Spark to be compared on (hypothesis)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from grader.model.clock import as_json, moment
from grader.model.expressions import Column, Expression, call, col
from grader.model.query import (
    Aggregate,
    Deduplicate,
    Filter,
    Fold,
    Interval,
    Join,
    Key,
    Node,
    Project,
    Query,
    SessionWindow,
    Source,
    TimeWindow,
    Union,
    Watermark,
    nodes,
)
from grader.scenario import Event, Scenario

NOON = moment("2026-03-01T12:00:00Z")
CLICKS = Source(
    "clicks",
    {
        "id": "string",
        "page": "string",
        "n": "int",
        "x": "double",
        "gap": "string",
        "time": "timestamp",
    },
)
TAPS = Source("taps", CLICKS.columns)
VIEWS = Source("views", {"view": "string", "seen": "string", "m": "int", "view_time": "timestamp"})
DELAYS = ("0 seconds", "10 seconds", "1 minute", "3 minutes")
WINDOWS = (
    ("1 minute", None, "0 seconds"),
    ("5 minutes", None, "0 seconds"),
    ("5 minutes", "1 minute", "0 seconds"),
    ("5 minutes", "2 minutes", "0 seconds"),
    ("3 minutes", None, "1 minute"),
)
GAPS = ("10 seconds", "30 seconds", "1 minute", "2 minutes")

Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass(frozen=True)
class Case:
    query: Query
    scenario: Scenario


def cases(count: int, number: int) -> list[Case]:
    """So many cases from a seed: the same seed gives the same ones (for one hypothesis version)."""
    found: list[Case] = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(_cases())
    def collect(case: Case) -> None:
        found.append(case)

    collect()
    return found[:count]


@st.composite
def _cases(draw: Draw) -> Case:
    query = draw(_queries())
    inputs = sorted({n.input for n in nodes(query.plan) if isinstance(n, Source)})
    return Case(query, draw(_scenarios(inputs)))


@st.composite
def _scenarios(draw: Draw, inputs: list[str]) -> Scenario:
    """Events of up to five steps: time runs on, with ties, stragglers, silent steps and streams."""
    steps = draw(st.integers(1, 5))
    partitions = draw(st.integers(1, 2))
    events = []
    for step in range(1, steps + 1):
        for _ in range(draw(st.integers(0, 6))):
            input = draw(st.sampled_from(inputs))
            value = draw(_values(input, step))
            partition = draw(st.integers(0, partitions - 1))
            events.append(Event(step, input, value, partition, "k" if value is None else None))
    return Scenario(events, steps)


@st.composite
def _values(draw: Draw, input: str, step: int) -> Any:
    odd = draw(st.integers(0, 30))
    if odd == 0:
        return draw(st.sampled_from([None, "no JSON", {}]))
    id = draw(st.sampled_from("abcdef"))
    page = draw(st.sampled_from(["/", "/a", "/b", None]))
    time = draw(_times(step))
    n = draw(st.one_of(st.none(), st.integers(-3, 9)))
    if input == "views":
        return {"view": id, "seen": page, "m": n, "view_time": time}
    gap = draw(st.sampled_from([*GAPS, "0 seconds", None]))
    x = draw(st.one_of(st.none(), st.integers(-8, 40).map(lambda quarters: quarters / 4)))
    return {"id": id, "page": page, "n": n, "x": x, "gap": gap, "time": time}


@st.composite
def _times(draw: Draw, step: int) -> str | None:
    """Seldom null; on the edges of windows and delays, or a hair beside them."""
    if draw(st.integers(0, 25)) == 0:
        return None
    minutes = draw(st.sampled_from([2, 2, 2, 5])) * step
    behind = draw(st.sampled_from([0, 0, 10, 30, 60, 90, 120, 180, 300, 420, -30, -60]))
    hair = draw(st.sampled_from([0, 0, 0, 0, 1, -1, 1000, -1000, 999]))
    return as_json(NOON + timedelta(minutes=minutes, seconds=-behind, microseconds=hair))


@st.composite
def _queries(draw: Draw) -> Query:
    shape = draw(st.sampled_from(SHAPES))
    plan, modes = shape(draw)
    return Query(plan, draw(st.sampled_from(modes)), draw(st.sampled_from(["min", "max"])))


Shape = tuple[Node, list[str]]
ALL, TWO, APPEND = ["append", "update", "complete"], ["append", "update"], ["append"]


def _stateless(draw: Draw) -> Shape:
    rows = _stream(draw)
    return Project(rows, _columns("id", "page", more=call("+", col("n"), 1))), TWO


def _windows(draw: Draw) -> Shape:
    groups = Aggregate(_stream(draw), {"window": _window(draw), **_other_keys(draw)}, _folds(draw))
    return _having(draw, groups), ALL


def _plain(draw: Draw) -> Shape:
    keys: dict[str, Key] = draw(
        st.sampled_from(
            [
                _columns("page"),
                _columns("time", "page"),
                {"minute": call("date_trunc", "minute", col("time"))},
            ]
        )
    )
    return _having(draw, Aggregate(_stream(draw), keys, _folds(draw))), ALL


def _dedup(draw: Draw) -> Shape:
    columns = draw(st.sampled_from([("id",), ("id", "time"), ("page", "n"), ()]))
    rows = Deduplicate(_stream(draw), columns, draw(st.booleans()))
    return rows, TWO


def _dedup_then_windows(draw: Draw) -> Shape:
    columns = draw(st.sampled_from([("id",), ("id", "time")]))
    rows = Deduplicate(_stream(draw), columns, draw(st.booleans()))
    return Aggregate(rows, {"window": _window(draw), **_other_keys(draw)}, _folds(draw)), ALL


def _sessions(draw: Draw) -> Shape:
    gap = draw(st.one_of(st.sampled_from(GAPS), st.just(col("gap"))))
    keys: dict[str, Key] = {"session_window": SessionWindow("time", gap), "page": col("page")}
    modes = ["append", "append", "append", "complete", "update"]
    return Aggregate(_stream(draw), keys, _folds(draw)), modes


def _chain(draw: Draw) -> Shape:
    first = Aggregate(_stream(draw), {"window": _window(draw), **_columns("page")}, _folds(draw))
    if draw(st.booleans()):
        again: Node = first
        time = "window"
    else:
        again = Project(first, _columns("page", "rows", at=call("window_time", col("window"))))
        time = "at"
    duration, slide = draw(st.sampled_from([("5 minutes", None), ("10 minutes", "5 minutes")]))
    keys: dict[str, Key] = {"window": TimeWindow(time, duration, slide), **_other_keys(draw)}
    return Aggregate(
        again, keys, {"rows": Fold("sum", col("rows")), "groups": Fold("count")}
    ), APPEND


def _join(draw: Draw) -> Shape:
    left = _timed(draw, CLICKS, "time")
    right = _timed(draw, VIEWS, "view_time")
    keys = draw(st.sampled_from([{"id": "view"}, {"page": "seen"}, {"id": "view", "page": "seen"}]))
    kind = draw(st.sampled_from(["inner", "left", "right"]))
    return Join(left, right, kind, keys, draw(_intervals())), TWO


def _join_then_windows(draw: Draw) -> Shape:
    joined, _ = _join(draw)
    time = draw(st.sampled_from(["time", "view_time"]))
    keys: dict[str, Key] = {"window": TimeWindow(time, "5 minutes"), **_columns("page")}
    folds = {"rows": Fold("count"), "views": Fold("count", col("view"))}
    return Aggregate(joined, keys, folds), APPEND


@st.composite
def _intervals(draw: Draw) -> Interval | None:
    lower = draw(st.sampled_from([None, "-1 minute", "0 seconds", "0 seconds", "1 minute"]))
    upper = draw(st.sampled_from([None, "1 minute", "2 minutes", "5 minutes", "-30 seconds"]))
    if lower is None and upper is None:
        return None
    return Interval("time", "view_time", lower, upper, draw(st.booleans()), draw(st.booleans()))


def _stream(draw: Draw) -> Node:
    """Clicks, or clicks and taps together, nearly always with a watermark."""
    kind = draw(st.integers(0, 7))
    if kind == 0:
        return _timed(draw, Union(CLICKS, TAPS), "time")
    if kind <= 2:
        return Union(_timed(draw, CLICKS, "time"), _timed(draw, TAPS, "time"))
    return _timed(draw, CLICKS, "time")


def _timed(draw: Draw, rows: Node, time: str) -> Node:
    rows = _filtered(draw, rows, time)
    if draw(st.integers(0, 15)):
        rows = Watermark(rows, time, draw(st.sampled_from(DELAYS)))
    return _filtered(draw, rows, time)


def _filtered(draw: Draw, rows: Node, time: str) -> Node:
    """Now and then under a condition, on the event time or on another column."""
    if draw(st.integers(0, 4)):
        return rows
    number, text = ("m", "seen") if time == "view_time" else ("n", "page")
    conditions: list[Expression] = [
        call(">", col(number), 2),
        call("!=", col(text), "/b"),
        call("or", call("is_null", col(text)), call("starts_with", col(text), "/a")),
        call("and", call("is_not_null", col(time)), call("<=", col(number), 5)),
        call(">", col(number), 0),
    ]
    return Filter(rows, draw(st.sampled_from(conditions)))


def _window(draw: Draw) -> TimeWindow:
    return TimeWindow("time", *draw(st.sampled_from(WINDOWS)))


def _other_keys(draw: Draw) -> dict[str, Key]:
    return draw(st.sampled_from([{}, _columns("page")]))  # type: ignore[no-any-return]


def _columns(*names: str, **more: Expression) -> dict[str, Any]:
    return {name: Column(name) for name in names} | more


def _folds(draw: Draw) -> dict[str, Fold]:
    """`rows` and one other."""
    other = draw(
        st.sampled_from(
            [
                Fold("count", col("n")),
                Fold("sum", col("n")),
                Fold("sum", col("x")),
                Fold("min", col("page")),
                Fold("max", col("time")),
                Fold("avg", col("x")),
                Fold("avg", col("n")),
            ]
        )
    )
    return {"rows": Fold("count"), "other": other}


def _having(draw: Draw, groups: Aggregate) -> Node:
    """Now and then with a condition on what came of the grouping."""
    if draw(st.integers(0, 5)):
        return groups
    conditions: list[Expression] = [call(">", col("rows"), 1)]
    if "page" in groups.keys:
        conditions.append(call("and", call("!=", col("page"), "/b"), call(">=", col("rows"), 1)))
    if "window" in groups.keys:
        conditions.append(call(">=", col("window.start"), NOON + timedelta(minutes=5)))
    return Filter(groups, draw(st.sampled_from(conditions)))


SHAPES: list[Callable[[Draw], Shape]] = [
    _stateless,
    *[_windows, _windows],
    _plain,
    *[_dedup, _dedup_then_windows],
    *[_sessions, _sessions],
    _chain,
    *[_join, _join, _join_then_windows],
]
