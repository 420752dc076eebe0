"""Ways to misread a report of a query."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

Report = dict[str, Any]
Rule = Callable[[Report, int], bool]


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _took(report: Report) -> float:
    return float(report["durationMs"]["triggerExecution"])


def _part(report: Report, *names: str) -> float:
    return float(sum(report["durationMs"].get(name, 0) for name in names))


def _dropped(report: Report) -> int:
    return sum(operator["numRowsDroppedByWatermark"] for operator in report["stateOperators"])


def _lags(report: Report) -> list[str]:
    return [s.get("metrics", {}).get("maxOffsetsBehindLatest", "0") for s in report["sources"]]


def _behind(report: Report) -> bool:
    return bool(max(map(int, _lags(report))) > report["numInputRows"])


def _stands(report: Report, _interval_ms: int) -> bool:
    seen = report["eventTime"]
    if report["batchId"] == 0 or "max" not in seen:
        return False
    return _moment(seen["max"]) - _moment(seen["watermark"]) > timedelta(hours=1)


RULES: dict[str, Rule] = {
    "time stands still": _stands,
    "late rows": lambda r, _: _dropped(r) * 100 > r["numInputRows"],
    "checkpoint": lambda r, _: _part(r, "walCommit", "commitOffsets") > _took(r) / 2,
    "source": lambda r, _: _part(r, "latestOffset", "getBatch") > _took(r) / 2,
    "overload": lambda r, interval_ms: _behind(r) and _took(r) > interval_ms,
    "limit": lambda r, _: _behind(r),
}


def _illness(report: Report, interval_ms: int, rules: dict[str, Rule]) -> str:
    found = (name for name, rule in rules.items() if rule(report, interval_ms))
    return next(found, "healthy")


def the_first_batch_too(report: Report, interval_ms: int) -> str:
    """In the first batch there is no watermark yet

    "time stands still" is said of a first batch. Spark sets the watermark when a batch is over, so the first one
    always works with none, and reports the beginning of 1970.
    """
    later = {**report, "batchId": 1}
    stands: Rule = lambda _, ms: _stands(later, ms)  # noqa: E731
    return _illness(report, interval_ms, {**RULES, "time stands still": stands})


def by_the_clock(report: Report, interval_ms: int) -> str:
    """Old events are not late

    "time stands still" is said of a query that works through events of last year, with a watermark ten
    seconds behind them. `timestamp` is when the batch began, by the clock. The watermark follows the events.
    """

    def stands(report: Report, _: int) -> bool:
        late = {**report["eventTime"], "max": report["timestamp"]}
        return "max" in report["eventTime"] and _stands({**report, "eventTime": late}, _)

    return _illness(report, interval_ms, {**RULES, "time stands still": stands})


def any_late_row(report: Report, interval_ms: int) -> str:
    """A few late rows are expected

    "late rows" is said where one of a hundred is late, or fewer. The delay was chosen so that a few are: to wait for
    the last one of all would make every row late.
    """
    return _illness(report, interval_ms, {**RULES, "late rows": lambda r, _: _dropped(r) > 0})


def one_operator(report: Report, interval_ms: int) -> str:
    """Each operator drops rows

    "late rows" is not said where the dropped rows of two operators make more than one of a hundred, or the second one
    alone. Each stateful operator has its own count.
    """

    def late(report: Report, _: int) -> bool:
        return (
            _dropped({"stateOperators": report["stateOperators"][:1]}) * 100
            > report["numInputRows"]
        )

    return _illness(report, interval_ms, {**RULES, "late rows": late})


def one_log(report: Report, interval_ms: int) -> str:
    """A checkpoint has two logs

    A checkpoint whose two logs together take more than half of the time is not named. `walCommit` writes the
    offset log before the batch, `commitOffsets` the commit log after it.
    """
    rule: Rule = lambda r, _: _part(r, "walCommit") > _took(r) / 2  # noqa: E731
    return _illness(report, interval_ms, {**RULES, "checkpoint": rule})


def long_is_overload(report: Report, interval_ms: int) -> str:
    """Long, and not behind

    "overload" is said of a batch that was long, although the query is not behind. After a pause, or once
    a night, a batch may be long. It is an overload when it does not catch up.
    """
    rules = {**RULES, "overload": lambda r, interval_ms: _took(r) > interval_ms}
    return _illness(report, interval_ms, rules)


def behind_is_overload(report: Report, interval_ms: int) -> str:
    """Behind, with time to spare

    "overload" is said of a query whose batches fit into their interval. It could do more and may not: more
    machines would not help it.
    """
    return _illness(report, interval_ms, {**RULES, "overload": lambda r, _: _behind(r)})


def lags_as_text(report: Report, interval_ms: int) -> str:
    """The largest text is not the largest number

    Of 400 and 12000 records behind, 400 is taken. The figures are text, and as a text "400" is larger.
    """

    def behind(report: Report, _: int) -> bool:
        return bool(int(max(_lags(report))) > report["numInputRows"])

    rules = {
        **RULES,
        "overload": lambda r, interval_ms: behind(r, 0) and _took(r) > interval_ms,
        "limit": behind,
    }
    return _illness(report, interval_ms, rules)


def the_first_source(report: Report, interval_ms: int) -> str:
    """A source that is behind goes unseen

    A query is called healthy while its second source is far behind. Each source has its own entry in `sources`, and the
    largest lag counts.
    """

    def behind(report: Report, _: int) -> bool:
        return _behind({**report, "sources": report["sources"][:1]})

    rules = {
        **RULES,
        "overload": lambda r, interval_ms: behind(r, 0) and _took(r) > interval_ms,
        "limit": behind,
    }
    return _illness(report, interval_ms, rules)


def lags_added_up(report: Report, interval_ms: int) -> str:
    """Neither source alone is behind

    A query is called behind where each of its sources has a lag that one batch takes in. Either the lags are added
    up, or each is held against a part of the rows. The largest lag counts, against all of `numInputRows`.
    """

    def behind(report: Report, _: int) -> bool:
        return bool(sum(map(int, _lags(report))) > report["numInputRows"])

    rules = {
        **RULES,
        "overload": lambda r, interval_ms: behind(r, 0) and _took(r) > interval_ms,
        "limit": behind,
    }
    return _illness(report, interval_ms, rules)


def slowness_first(report: Report, interval_ms: int) -> str:
    """Slow before wrong

    A query that drops many rows, or whose time stands still, is called by what makes it slow. Several rules hold, and
    the first of the table counts: late rows are in nobody's figures, however fast the query is made.
    """
    names = ["checkpoint", "source", "overload", "limit", "time stands still", "late rows"]
    return _illness(report, interval_ms, {name: RULES[name] for name in names})


def half_is_enough(report: Report, interval_ms: int) -> str:
    """Exactly at a limit

    A query is not called healthy, or is called by another word, where a rule is met exactly: half of the time, an
    hour, one of a hundred. The table says *more than* everywhere.
    """

    def stands(report: Report, _: int) -> bool:
        seen = report["eventTime"]
        if report["batchId"] == 0 or "max" not in seen:
            return False
        return _moment(seen["max"]) - _moment(seen["watermark"]) >= timedelta(hours=1)

    rules: dict[str, Rule] = {
        "time stands still": stands,
        "late rows": lambda r, _: _dropped(r) > 0 and _dropped(r) * 100 >= r["numInputRows"],
        "checkpoint": lambda r, _: _part(r, "walCommit", "commitOffsets") >= _took(r) / 2,
        "source": lambda r, _: _part(r, "latestOffset", "getBatch") >= _took(r) / 2,
        "overload": RULES["overload"],
        "limit": RULES["limit"],
    }
    return _illness(report, interval_ms, rules)


def seconds_of_a_day(report: Report, interval_ms: int) -> str:
    """A day is left out

    A watermark that is more than a day back is not seen. `seconds` of a `timedelta` is what is left when whole days
    are taken away; `total_seconds()` is all of it. And who compares times of day without their dates has no days at
    all.
    """

    def stands(report: Report, _: int) -> bool:
        seen = report["eventTime"]
        if report["batchId"] == 0 or "max" not in seen:
            return False
        return (_moment(seen["max"]) - _moment(seen["watermark"])).seconds > 3600

    return _illness(report, interval_ms, {**RULES, "time stands still": stands})


def the_first_batch_is_healthy(report: Report, interval_ms: int) -> str:
    """Only one rule leaves the first batch out

    A first batch is called healthy although it is long and far behind. It has no watermark yet, so the first rule
    is not for it; all the others are.
    """
    return "healthy" if report["batchId"] == 0 else _illness(report, interval_ms, RULES)


def either_way(report: Report, interval_ms: int) -> str:
    """A watermark ahead of the events

    "time stands still" is said where the watermark is *after* the newest event of the batch. Such a batch has old
    rows only: time went on, and they are late. With `abs(…)` before and after are the same.
    """

    def stands(report: Report, _: int) -> bool:
        seen = report["eventTime"]
        if report["batchId"] == 0 or "max" not in seen:
            return False
        return abs(_moment(seen["max"]) - _moment(seen["watermark"])) > timedelta(hours=1)

    return _illness(report, interval_ms, {**RULES, "time stands still": stands})


def late_rows_first(report: Report, interval_ms: int) -> str:
    """Late rows before the time that stands still

    "late rows" is said where the time stands still as well. Both rules hold there, and the first of the table
    counts.
    """
    names = ["late rows", "time stands still", "checkpoint", "source", "overload", "limit"]
    return _illness(report, interval_ms, {name: RULES[name] for name in names})


def parts_added_up(report: Report, interval_ms: int) -> str:
    """The parts are not the whole

    A batch that took longer than its interval is called by the word for a short one. The other parts of `durationMs` make
    less than all of it: took is `triggerExecution`.
    """
    parts = report["durationMs"]
    sum_of_parts = sum(took for name, took in parts.items() if name != "triggerExecution")
    whole = {**parts, "triggerExecution": sum_of_parts}
    return _illness({**report, "durationMs": whole}, interval_ms, RULES)
