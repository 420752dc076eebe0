"""Queries and events at random, for the model and Spark to be compared on (hypothesis)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

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
    WithState,
    nodes,
)
from grader.model.timestamps import as_json, length, moment
from grader.scenario import Event, Scenario
from testkit.random_functions import COLUMNS, KEPT, function_of

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
LOWER = ("-1 minute", "0 seconds", "0 seconds", "1 minute")
UPPER = ("1 minute", "2 minutes", "5 minutes", "-30 seconds")
GAPS = ("10 seconds", "30 seconds", "1 minute", "2 minutes")

Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass(frozen=True)
class Case:
    query: Query
    scenario: Scenario


@cache
def cases(count: int, number: int, kind: str = "all") -> tuple[Case, ...]:
    """So many cases from a seed: the same seed gives the same ones (for one hypothesis version).

    `kind` is a name in KINDS; of all kinds each has its share.
    """
    if kind != "all":
        return _of_kind(kind, count, number)
    parts = sum(SHARES.values())
    found = [
        case
        for name, share in SHARES.items()
        for case in _of_kind(name, -(-count * share // parts), number)
    ]
    return tuple(found[:count])


def _of_kind(kind: str, count: int, number: int) -> tuple[Case, ...]:
    found: list[Case] = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(_cases(KINDS[kind]))
    def collect(case: Case) -> None:
        found.append(case)

    collect()
    return tuple(found[:count])


@st.composite
def _cases(draw: Draw, shapes: list[Callable[[Draw], Shape]]) -> Case:
    plan, modes = draw(st.sampled_from(shapes))(draw)
    query = Query(plan, draw(st.sampled_from(modes)), draw(st.sampled_from(["min", "max"])))
    return Case(query, draw(_scenarios(_stage(query))))


@dataclass(frozen=True)
class Stage:
    """What a query's events are made of.

    `beside` are seconds, by which the events of `views` lie beside those of `clicks`: the bounds of
    a join. `clocks` says whether its steps go by the clock.
    """

    inputs: list[str]
    ids: tuple[str | None, ...] = tuple("abcdef")
    beside: tuple[float, ...] = (0,)
    clocks: bool = False
    fewest_steps: int = 1
    events: tuple[int, int] = (0, 6)  # in a step


def _stage(query: Query) -> Stage:
    everything = nodes(query.plan)
    inputs = sorted({n.input for n in everything if isinstance(n, Source)})
    for node in everything:
        if isinstance(node, Join) and node.kind != "inner":
            # few ids, so that many meet
            bounds = (node.within.lower, node.within.upper) if node.within else ()
            beside = tuple(length(text).total_seconds() for text in bounds if text)
            return Stage(inputs, ("a", "a", "b", None), beside or (0,), False, 3, (2, 8))
        if isinstance(node, WithState):
            clocks = node.timeout == "ProcessingTimeTimeout"
            return Stage(inputs, ("a", "b", "c"), (0,), clocks, 3, (int(clocks), 6))
    return Stage(inputs)


def kind_of(query: Query) -> str:
    """What a case is counted as: its join, its function with state, or anything else."""
    for node in nodes(query.plan):
        if isinstance(node, Join):
            return f"{node.kind} join"
        if isinstance(node, WithState):
            return f"state, {node.timeout}"
    return "other"


@st.composite
def _scenarios(draw: Draw, stage: Stage) -> Scenario:
    """Events of up to five steps: time runs on, with ties, stragglers, silent steps and streams."""
    steps = draw(st.integers(stage.fewest_steps, 5))
    partitions = draw(st.integers(1, 2))
    events = []
    clocks, clock = {}, NOON
    for step in range(1, steps + 1):
        heard = [stage.inputs] * 6 + [[one] for one in stage.inputs if len(stage.inputs) > 1]
        inputs: list[str] = draw(st.sampled_from(heard))  # the others are silent in this step
        for _ in range(draw(st.integers(*stage.events))):
            input = draw(st.sampled_from(inputs))
            value = draw(_values(input, step, stage))
            partition = draw(st.integers(0, partitions - 1))
            events.append(Event(step, input, value, partition, "k" if value is None else None))
        clock += timedelta(milliseconds=draw(st.sampled_from([10_000, 30_000, 60_000, 60_001, 1])))
        clocks[step] = as_json(clock)
    return Scenario(events, steps, clocks if stage.clocks else {})


@st.composite
def _values(draw: Draw, input: str, step: int, stage: Stage) -> Any:
    odd = draw(st.integers(0, 30))
    if odd == 0:
        return draw(st.sampled_from([None, "no JSON", {}]))
    id = draw(st.sampled_from(stage.ids))
    page = draw(st.sampled_from(["/", "/a", "/b", None]))
    beside = draw(st.sampled_from(stage.beside)) if input == "views" else 0
    time = draw(_times(step, beside))
    n = draw(st.one_of(st.none(), st.integers(-3, 9)))
    if input == "views":
        return {"view": id, "seen": page, "m": n, "view_time": time}
    gap = draw(st.sampled_from([*GAPS, "0 seconds", None]))
    x = draw(st.one_of(st.none(), st.integers(-8, 40).map(lambda quarters: quarters / 4)))
    return {"id": id, "page": page, "n": n, "x": x, "gap": gap, "time": time}


@st.composite
def _times(draw: Draw, step: int, beside: float) -> str | None:
    """Seldom null; on the edges of windows and delays, or a hair beside them."""
    if draw(st.integers(0, 25)) == 0:
        return None
    minutes = draw(st.sampled_from([2, 2, 2, 5])) * step
    is_past = draw(st.sampled_from([0, 0, 10, 30, 60, 90, 120, 180, 300, 420, -30, -60]))
    hair = draw(st.sampled_from([0, 0, 0, 0, 1, -1, 1000, -1000, 999]))
    return as_json(NOON + timedelta(minutes=minutes, seconds=beside - is_past, microseconds=hair))


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


def _outer_join(draw: Draw) -> Shape:
    """One that Spark nearly always takes: both sides in time, and an end to the waiting."""
    sides = [
        Watermark(
            _filtered(draw, rows, time) if draw(st.booleans()) else rows,
            time,
            draw(st.sampled_from(DELAYS)),
        )
        for rows, time in ((CLICKS, "time"), (VIEWS, "view_time"))
    ]
    keys = draw(st.sampled_from([{"id": "view"}, {"id": "view"}, {"id": "view", "page": "seen"}]))
    kind = draw(st.sampled_from(["left", "right"]))
    lower, upper = draw(st.sampled_from(LOWER)), draw(st.sampled_from(UPPER))
    if draw(st.integers(0, 2)) == 0:  # only the one that it needs
        lower, upper = (None, upper) if kind == "left" else (lower, None)
    within = Interval("time", "view_time", lower, upper, draw(st.booleans()), draw(st.booleans()))
    return Join(sides[0], sides[1], kind, keys, within), [*APPEND * 9, "update"]


def _having_partners(draw: Draw) -> Shape:
    """An outer join under a condition on what came of it, which may see its nulls."""
    joined, modes = _outer_join(draw)
    conditions: list[Expression] = [
        call("is_null", col("view")),
        call("is_null", col("id")),
        call("is_not_null", col("m")),
        call("!=", col("page"), "/b"),
        call("or", call("is_null", col("m")), call(">", col("m"), 2)),
        call(">", call("coalesce", col("n"), 0), 2),
    ]
    return Filter(joined, draw(st.sampled_from(conditions))), modes


def _join_then_windows(draw: Draw, join: Callable[[Draw], Shape] = _join) -> Shape:
    joined, _ = join(draw)
    time = draw(st.sampled_from(["time", "view_time"]))
    keys: dict[str, Key] = {"window": TimeWindow(time, "5 minutes"), **_columns("page")}
    folds = {"rows": Fold("count"), "views": Fold("count", col("view"))}
    return Aggregate(joined, keys, folds), APPEND


def _outer_join_then_windows(draw: Draw) -> Shape:
    return _join_then_windows(draw, _outer_join)


def _state(draw: Draw) -> Shape:
    """A function with state, of the handful that everyone writes, or of things put together."""
    timeout = draw(st.sampled_from(["EventTimeTimeout", "EventTimeTimeout", "NoTimeout"]))
    return _with_state(draw, timeout, "wait")


def _state_by_the_clock(draw: Draw) -> Shape:
    return _with_state(draw, "ProcessingTimeTimeout", "wait by the clock")


def _with_state(draw: Draw, timeout: str, wait: str) -> Shape:
    usual: dict[str, list[tuple[list[str], list[str]]]] = {
        "NoTimeout": [(["count", "tell"], []), (["count", "tell", "forget odd"], [])],
        "EventTimeTimeout": [
            (["count", wait, "tell"], ["tell", "forget"]),  # the last one, until nothing comes
            (["count", "wait carelessly"], ["tell", "forget"]),  # a session
        ],
        "ProcessingTimeTimeout": [(["count", wait], ["tell", "forget"])],
    }
    waits: dict[str, list[str]] = {
        "NoTimeout": [],
        "EventTimeTimeout": ["wait", "wait", "wait carelessly", "wait no longer"],
        "ProcessingTimeTimeout": [wait, wait],
    }
    changes = ["count", "count", "forget", "forget odd", "forget old", *waits[timeout] * 2]
    telling = st.sampled_from([["tell"], ["tell each"], ["tell order"]])
    if draw(st.integers(0, 2)) == 0:
        on_rows, on_timeout = draw(st.sampled_from(usual[timeout]))
    else:
        some = st.lists(st.sampled_from(changes), min_size=1, max_size=3)
        on_rows, on_timeout = draw(some) + draw(telling), ["tell", *draw(some)]
    function = function_of(on_rows, on_timeout, draw(st.sampled_from([10_000, 30_000, 60_000])))
    mode = draw(st.sampled_from(TWO))
    keys = draw(st.sampled_from([("page",), ("id",), ("id",), ("id", "page"), ("page", "n")]))
    timed = Watermark(_filtered(draw, CLICKS, "time"), "time", draw(st.sampled_from(DELAYS)))
    rows = _stream(draw) if draw(st.booleans()) else timed
    applied = WithState(rows, keys, function, COLUMNS, KEPT, mode, timeout)
    return applied, [*[mode] * 19, "complete", "append", "update"]


@st.composite
def _intervals(draw: Draw) -> Interval | None:
    lower = draw(st.sampled_from([None, *LOWER]))
    upper = draw(st.sampled_from([None, *UPPER]))
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


KINDS: dict[str, list[Callable[[Draw], Shape]]] = {
    "other": [
        _stateless,
        *[_windows, _windows],
        _plain,
        *[_dedup, _dedup_then_windows],
        *[_sessions, _sessions],
        _chain,
        *[_join, _join, _join_then_windows],
    ],
    "outer joins": [_outer_join, _outer_join, _having_partners, _outer_join_then_windows],
    "state": [_state, _state, _state_by_the_clock],
}
# of all cases: joins and Python functions take Spark twice as long as the others
SHARES = {"other": 8, "outer joins": 1, "state": 1}
