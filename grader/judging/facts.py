"""Criteria beyond rows, declared as data: metrics, checkpoint files, settings, plans, batches."""

from __future__ import annotations

import fnmatch
import re
from typing import Any

from grader.judging.finding import Judgement, failed, passed
from grader.judging.instants import clock, is_time, moment_text
from grader.judging.rows import same
from grader.scenario import Fact
from grader.scenario.recording import Recording


def judge_fact(fact: Fact, recording: Recording) -> Judgement:
    """Compare one declared fact with a recording."""
    figure = figure_of(fact, recording)
    if fact.tests:
        ran = (recording.tests or {})[fact.tests]
        if figure == fact.equals:
            return passed(fact.name, "suite_right", fact=fact)
        return failed(fact.name, "suite_wrong", fact=fact, ran=ran)
    if figure is None:
        return failed(fact.name, "fact_unmeasured", fact=fact)
    if _holds(fact, figure):
        return passed(fact.name, "fact_met", fact=fact, figure=figure)
    return failed(fact.name, "fact_not_met", fact=fact, figure=figure)


def fact_print(fact: Fact, recording: Recording) -> Any:
    """The part of a figure that is the same in every run of the same answer.

    That is the figure itself, or for bytes, times and numbers of files whether it is too small.
    """
    figure = figure_of(fact, recording)
    if figure is None or fact.equals is not None or fact.source() not in ("metric", "files"):
        return figure
    if _holds(fact, figure):
        return "holds"
    return "too small" if fact.at_least is not None and figure < fact.at_least else "other"


def figure_of(fact: Fact, recording: Recording) -> Any:
    """The figure that a fact is about; None if the recording has none."""
    source = fact.source()
    if source == "tests":
        return (recording.tests or {}).get(fact.tests or "", {}).get("outcome")
    if source == "files":
        return sum(fnmatch.fnmatch(name, fact.files or "") for name in recording.checkpoint)
    if source == "conf":
        return _setting(recording.conf, fact.conf or "")
    if source == "plan":
        return sum(len(re.findall(fact.plan or "", plan)) for plan in recording.plans)
    if source == "versions":
        operation = fact.where.get("operation")
        return sum(
            bool(version["rows"]) if operation is None else version["operation"] == operation
            for version in recording.versions.get(fact.versions or "", [])
        )
    if source == "batch":
        series = [
            float(getattr(batch, fact.batch or "")) for batch in recording.batches if batch.rows_in
        ]
        return _take(series, fact.take)
    if source == "run":
        by_step = [_of_step(fact, recording, step) for step in range(1, recording.steps + 1)]
        if fact.step is not None:
            return by_step[fact.step - 1] if fact.step <= len(by_step) else None
        if fact.run == "watermark":
            return by_step[-1] if by_step else None
        return _take(by_step, fact.take)
    series = [
        sum(
            operator.metrics[fact.metric]
            for operator in batch.operators
            if fact.metric in operator.metrics
        )
        for batch in recording.batches
        if any(fact.metric in operator.metrics for operator in batch.operators)
    ]
    return _take(series, fact.take)


def _of_step(fact: Fact, recording: Recording, step: int) -> Any:
    """What a run shows of one step: a count, or the watermark when it was over."""
    if fact.run == "dropped":
        return recording.dropped_in(step)
    if fact.run == "state":
        return recording.state_after(step)
    if fact.run == "watermark":
        return _clock(recording.watermark_after(step), _first_day(recording))
    if fact.run == "events":
        return sum("input" in line and line["step"] == step for line in recording.given or [])
    rows = [row for batch in recording.of_step(step) for row in batch.rows]
    day = _first_day(recording)
    return sum(
        all(_is(_inner(row, path), wanted, day) for path, wanted in fact.where.items())
        for row in rows
    )


def _first_day(recording: Recording) -> str | None:
    """The day (in UTC) of a run's first watermark: the times that authors write are on this day."""
    times = [batch.watermark for batch in recording.batches if batch.watermark]
    return moment_text(times[0])[:10] if times else None


def _clock(time: str | None, day: str | None) -> str:
    """HH:MM:SS, with the date if it is another day than the first."""
    return clock(time, days=time is not None and day is not None and moment_text(time)[:10] != day)


def _inner(row: Any, path: str) -> Any:
    """A column's value; `window.start` is a field of a struct."""
    for name in path.split("."):
        row = row.get(name) if isinstance(row, dict) else None
    return row


def _is(value: Any, wanted: Any, day: str | None) -> bool:
    """Whether a row holds a value in the author's notation: `null` for none, a time as HH:MM:SS."""
    if value is None:
        return bool(wanted == "null")
    return same(value, wanted) or (is_time(value) and _clock(value, day) == wanted)


def _setting(conf: dict[str, str], name: str) -> str | None:
    """A setting's value; Spark reads the names of RocksDB's settings and all booleans in any case."""
    value = conf.get(name)
    if ".stateStore.rocksdb." in name and value is None:
        value = {key.lower(): value for key, value in conf.items()}.get(name.lower())
    return value.lower() if value is not None and value.lower() in ("true", "false") else value


def _take(series: list[float], take: str) -> float | None:
    if take == "count":
        return len(series)
    if not series:
        return None
    folded = {"max": max, "min": min, "sum": sum, "last": lambda s: s[-1], "first": lambda s: s[0]}
    return float(folded[take](series))  # type: ignore[operator]


def _holds(fact: Fact, figure: Any) -> bool:
    if fact.equals is not None and str(figure) != str(fact.equals):
        number = isinstance(figure, int | float) and isinstance(fact.equals, int | float)
        if not number or figure != fact.equals:
            return False
    if fact.at_least is None and fact.at_most is None:
        return True
    try:
        number_ = float(figure)
    except (TypeError, ValueError):
        return False
    over = fact.at_least is None or number_ >= fact.at_least
    return over and (fact.at_most is None or number_ <= fact.at_most)
