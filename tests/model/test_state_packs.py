"""The functions of lesson 09 on plain rows: the model does with them what Spark did with the lesson's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.judging.check_pack import find_exercise
from grader.model import run
from grader.model.agreement import behaviour
from grader.model.query import Node, Query, Source, Watermark, WithState
from grader.model.timestamps import MILLISECOND, after, micros
from grader.scenario import scenario_from_lines

COURSE = Path(__file__).parents[2] / "course"
MINUTE = 60_000
Rows = Iterator[dict[str, Any]]


def millis(time: Any) -> int:
    return micros(time) // 1000


def newest_of(rows: list[dict[str, Any]], column: str) -> int:
    return max(millis(row[column]) for row in rows)


def fill_cart(key: Any, rows: Any, cart: Any) -> Rows:
    if cart.hasTimedOut:
        (total,) = cart.get
        cart.remove()
        yield {"customer": key[0], "total": total, "what": "given up"}
        return
    (before,) = cart.get if cart.exists else (0.0,)
    total = before + sum(row["price"] for row in rows)
    cart.update((total,))
    cart.setTimeoutTimestamp(newest_of(rows, "time") + 10 * MINUTE)
    yield {"customer": key[0], "total": total, "what": "filled"}


def moving_average(key: Any, rows: Any, state: Any) -> Rows:
    if state.hasTimedOut:
        state.remove()
        return
    average = state.get[0] if state.exists else None
    for row in sorted(rows, key=lambda row: row["quote_time"]):
        price = row["price"]
        average = price if average is None else 0.25 * price + 0.75 * average
        yield {"option": key[0], "quote_time": row["quote_time"], "average": average}
    state.update((average,))
    state.setTimeoutTimestamp(newest_of(rows, "quote_time") + 30 * MINUTE)


def crate_counts(key: Any, rows: Any, state: Any) -> Rows:
    crates, pieces = state.get if state.exists else (0, 0)
    crates += len(rows)
    pieces += sum(row["pieces"] or 0 for row in rows)
    state.update((crates, pieces))
    yield {"fruit": key[0], "crates": crates, "pieces": pieces}


def silent_sensors(key: Any, rows: Any, state: Any) -> Rows:
    newest, count = state.get if state.exists else (0, 0)
    if state.hasTimedOut:
        state.remove()
        yield {"sensor": key[0], "last_seen": after(newest, MILLISECOND), "readings": count}
        return
    newest = max(newest, newest_of(rows, "measured_at"))
    state.update((newest, count + len(rows)))
    state.setTimeoutTimestamp(newest + 5 * MINUTE)


def parcel_news(key: Any, rows: Any, state: Any) -> Rows:
    times = [millis(row["scanned_at"]) for row in rows]
    first, newest, count = state.get if state.exists else (min(times), 0, 0)
    first, newest = min([first, *times]), max([newest, *times])
    told = {"parcel": key[0], "scans": count + len(rows)}
    if state.hasTimedOut:
        state.remove()
        yield told | {"news": "lost", "first_scan": after(first, MILLISECOND)}
    elif any(row["place"] == "door" for row in rows):
        state.remove()
        yield told | {"news": "delivered", "first_scan": after(first, MILLISECOND)}
    else:
        state.update((first, newest, count + len(rows)))
        state.setTimeoutTimestamp(newest + 120 * MINUTE)


def silent_tills(key: Any, rows: Any, state: Any) -> Rows:
    now = after(state.getCurrentProcessingTimeMs(), MILLISECOND)
    if state.hasTimedOut:
        state.update((True,))  # and no timeout any more
        yield {"till": key[0], "what": "silent", "told_at": now}
        return
    if state.exists and state.get[0]:
        yield {"till": key[0], "what": "back", "told_at": now}
    state.update((False,))
    state.setTimeoutDuration(30_000)


Told = tuple[Callable[..., Rows], str, str, str, tuple[str, str] | None]
CARTS: Told = (
    fill_cart,
    "customer",
    "customer total what",
    "EventTimeTimeout",
    ("time", "1 minute"),
)
QUERIES: dict[str, Told] = {
    "09.0": CARTS,
    "09.1": (
        moving_average,
        "option",
        "option quote_time average",
        "EventTimeTimeout",
        ("quote_time", "1 minute"),
    ),
    "09.2": (crate_counts, "fruit", "fruit crates pieces", "NoTimeout", None),
    "09.3": (
        silent_sensors,
        "sensor",
        "sensor last_seen readings",
        "EventTimeTimeout",
        ("measured_at", "1 minute"),
    ),
    "09.4": (
        parcel_news,
        "parcel",
        "parcel news scans first_scan",
        "EventTimeTimeout",
        ("scanned_at", "10 minutes"),
    ),
    "09.5": (silent_tills, "till", "till what told_at", "ProcessingTimeTimeout", None),
    "09.6": CARTS,
}


@pytest.mark.parametrize("exercise", QUERIES)
def test_does_what_spark_did(exercise: str):
    given = find_exercise(exercise, COURSE)
    function, key, columns, timeout, watermark = QUERIES[exercise]
    ((name, stream),) = given.exercise.inputs.items()
    types = dict(column.lower().split(" ") for column in stream.schema.split(", "))
    rows: Node = Source(name, types)
    if watermark:
        rows = Watermark(rows, *watermark)
    mode = given.exercise.output_mode
    named = dict.fromkeys(columns.split(), "any")
    query = Query(WithState(rows, (key,), function, named, {}, mode, timeout), mode)
    expected = given.expected["as_is"]
    events = scenario_from_lines(expected.given) if expected.given else given.public
    assert behaviour(run(query, events)) == behaviour(expected)
