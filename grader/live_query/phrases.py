"""The words that describe a query: counts, times, sinks, what came in and what was emitted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone

from grader.judging.instants import clock, moment
from grader.live_query.observation import Observation, Sink

_CAST_VALUE = re.compile(r"CAST\((NULL|'[^']*'|-?[\d.]+) AS \w+\)")


def so_far(seen: Observation) -> str:
    """What came in and what was emitted, as far as Spark counts it."""
    out = seen.rows_out
    lately = "" if seen.whole else f"In its last {len(seen.batches)} micro-batches: "
    return f"{lately}{_in_and_out(seen, out)}"


def _in_and_out(seen: Observation, out: int | None) -> str:
    if out:
        where = "" if seen.sink.kind in ("other", "console") else f" ({where_to_look(seen.sink)})"
        return f"The query has emitted {rows(out)}{where}."
    if seen.records_in == 0:
        return "No record has come in yet."
    took = "" if seen.records_in is None else f"The query took in {records(seen.records_in)}"
    if out is None:
        return f"{took}." if took else ""
    return f"{took} and has emitted no row." if took else "The query has emitted no row."


def late(seen: Observation) -> str:
    dropped = seen.total("numRowsDroppedByWatermark")
    return f"Spark reports {rows(dropped)} dropped as late." if dropped else ""


def where_to_look(sink: Sink) -> str:
    """Where to see the rows of a sink."""
    if sink.kind == "kafka":
        return f'kafka.read("{sink.name}")' if sink.name else "in the topics that the rows name"
    return {
        "memory": f'spark.table("{sink.name}").show()',
        "console": f"the console sink prints where Java prints, here not into the notebook but into {sink.name}; "
        "a memory sink shows rows here",
        "foreach": "your function of foreach was given each of them",
        "noop": "the noop sink keeps nothing; a memory sink does",
        "file": f"the files in {sink.name}",
        "foreachBatch": "where your function writes",
    }.get(sink.kind, "where it writes to")


def how_it_ended(seen: Observation) -> str:
    if seen.active:
        return ""
    if seen.trigger not in ("AvailableNowTrigger", "OneTimeTrigger"):
        return "It was stopped."
    # stopped by hand it leaves records unread, too
    return "It has ended." if seen.unread else "It has ended by itself, as its trigger says."


def start_again(seen: Observation) -> str:
    if seen.kept:
        return "start the query again on the same checkpoint"
    return 'start the query again, with .option("checkpointLocation", …): without one it begins from scratch each time'


def next_trigger(seen: Observation) -> str:
    """Spark fires at the multiples of the interval, counted from 1970."""
    now = moment(seen.now)
    due = (int(now.timestamp() * 1000) // seen.interval + 1) * seen.interval
    when = datetime.fromtimestamp(due / 1000, timezone.utc)
    return f"{when:%H:%M:%S} UTC" if when.date() == now.date() else f"{when:%Y-%m-%d %H:%M:%S} UTC"


def length(milliseconds: int) -> str:
    """A length of time in its largest whole unit: 10 s, 2 min, 1 h."""
    span = timedelta(milliseconds=milliseconds)
    for unit, name in ((timedelta(hours=1), "h"), (timedelta(minutes=1), "min")):
        if span >= unit and span % unit == timedelta(0):
            return f"{span // unit} {name}"
    return f"{milliseconds / 1000:g} s"


def dated(time: str | None) -> str:
    """A time with its date; one beyond Python's calendar as Spark writes it."""
    text = clock(time)
    return text if time is None or "-" in text else f"{moment(time).date()} {text}"


def short(condition: str) -> str:
    """A condition as it was written, near enough: without the casts that Spark adds to values."""
    condition = _CAST_VALUE.sub(r"\1", condition)
    return f"`{condition}`" if len(condition) <= 90 else f"`{condition[:87]}…`"


def rows(count: int | None) -> str:
    return f"{count} row{'s' if count != 1 else ''}"


def records(count: int) -> str:
    return f"{count} record{'s' if count != 1 else ''}"


def events(count: int) -> str:
    return f"{count} event{'s' if count != 1 else ''} sampled"


def batches(seen: Observation) -> str:
    count = len(seen.batches)
    text = f"{count} micro-batch{'es' if count != 1 else ''}"
    return text if seen.records_in is None else f"{text} over {records(seen.records_in)} read"


def topics(names: Iterable[str]) -> str:
    found = sorted(names)
    return ("topic " if len(found) == 1 else "topics ") + ", ".join(found)


def sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)
