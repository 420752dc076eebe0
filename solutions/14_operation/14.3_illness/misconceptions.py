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
    """Watermark rule applied to the first batch

    Your answer is "time stands still" for a first batch. Spark sets the watermark at the end of a batch, so the
    first one always runs without it and reports the beginning of 1970. Which batch does rule 1 skip?
    """
    later = {**report, "batchId": 1}
    stands: Rule = lambda _, ms: _stands(later, ms)  # noqa: E731
    return _illness(report, interval_ms, {**RULES, "time stands still": stands})


def by_the_clock(report: Report, interval_ms: int) -> str:
    """Watermark compared with the clock

    Your answer is "time stands still" for a query that reads events of last year, with a watermark ten seconds
    older than they are. The field `timestamp` is when the batch began, by the clock. The watermark follows the
    events. Which field has their newest time?
    """

    def stands(report: Report, _: int) -> bool:
        late = {**report["eventTime"], "max": report["timestamp"]}
        return "max" in report["eventTime"] and _stands({**report, "eventTime": late}, _)

    return _illness(report, interval_ms, {**RULES, "time stands still": stands})


def any_late_row(report: Report, interval_ms: int) -> str:
    """Any late row counted

    Your answer is "late rows" if 1 of 100 rows is late, or fewer. The delay was chosen so that a few rows are
    late, because waiting for the very last one would delay every row. From which share on does rule 2 apply?
    """
    return _illness(report, interval_ms, {**RULES, "late rows": lambda r, _: _dropped(r) > 0})


def one_operator(report: Report, interval_ms: int) -> str:
    """Dropped rows of one operator only

    Your answer is not "late rows" if several operators together drop more than 1 row of 100. Or it is not if
    another operator than the first drops them. Each stateful operator has its own count. Do you add up all of
    them?
    """

    def late(report: Report, _: int) -> bool:
        return (
            _dropped({"stateOperators": report["stateOperators"][:1]}) * 100
            > report["numInputRows"]
        )

    return _illness(report, interval_ms, {**RULES, "late rows": late})


def one_log(report: Report, interval_ms: int) -> str:
    """One log of the checkpoint only

    Your answer does not name a checkpoint whose two logs together take more than half of the time. First
    `walCommit` writes the offset log before the batch, and `commitOffsets` writes the commit log after it. Which
    of the two is missing?
    """
    rule: Rule = lambda r, _: _part(r, "walCommit") > _took(r) / 2  # noqa: E731
    return _illness(report, interval_ms, {**RULES, "checkpoint": rule})


def long_is_overload(report: Report, interval_ms: int) -> str:
    """Long batch without a lag called overload

    Your answer is "overload" for a long batch although the query is not behind. After a pause, or once a night, a
    batch may be long. What else does rule 5 require?
    """
    rules = {**RULES, "overload": lambda r, interval_ms: _took(r) > interval_ms}
    return _illness(report, interval_ms, rules)


def behind_is_overload(report: Report, interval_ms: int) -> str:
    """Lag within the interval called overload

    Your answer is "overload" for a query whose batches fit into their interval. It could read more, but its limit
    does not let it; more machines would not help. Which of the two rules compares took with the interval in this
    way?
    """
    return _illness(report, interval_ms, {**RULES, "overload": lambda r, _: _behind(r)})


def lags_as_text(report: Report, interval_ms: int) -> str:
    """Largest lag chosen as a string

    Of 400 and 12000 records behind, your answer takes 400. The metrics are strings, and as a string "400" is
    larger. Where do you convert them to numbers?
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
    """Only the first source checked

    Your answer calls a query healthy while its second source is far behind. Each source has its own entry in
    `sources`. Which lag counts?
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
    """Lags of several sources added up

    Your answer calls a query behind although one batch reads more than the lag of each source. Either the lags are
    added up, or each is compared with a part of the rows. Which lag is compared with all of `numInputRows`?
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
    """Slowness tested before lost rows

    For a query that drops many rows, or whose watermark stands still, your answer names what makes it slow.
    Several rules apply, and the first one decides. Which rules come first?
    """
    names = ["checkpoint", "source", "overload", "limit", "time stands still", "late rows"]
    return _illness(report, interval_ms, {name: RULES[name] for name in names})


def half_is_enough(report: Report, interval_ms: int) -> str:
    """Exact limit counted

    If a limit is met exactly, your answer is not "healthy", or is another word: half of the time, an hour, 1 of
    100. All rules say *more than*. Is your comparison `>` or `>=`?
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
    """Whole days ignored

    Your answer does not see a watermark that is more than a day old. The `seconds` of a `timedelta` leave out
    whole days. A comparison of times without their dates does, too. What does `total_seconds()` give?
    """

    def stands(report: Report, _: int) -> bool:
        seen = report["eventTime"]
        if report["batchId"] == 0 or "max" not in seen:
            return False
        return (_moment(seen["max"]) - _moment(seen["watermark"])).seconds > 3600

    return _illness(report, interval_ms, {**RULES, "time stands still": stands})


def the_first_batch_is_healthy(report: Report, interval_ms: int) -> str:
    """First batch skipped by all rules

    Your answer calls a first batch healthy although it is long and far behind. It has no watermark yet, so one
    rule cannot apply. Which rules still do?
    """
    return "healthy" if report["batchId"] == 0 else _illness(report, interval_ms, RULES)


def either_way(report: Report, interval_ms: int) -> str:
    """Watermark after the newest event

    Your answer is "time stands still" if the watermark is *after* the newest event of the batch. Such a batch has
    only late rows: time has advanced. With `abs(…)` before and after are the same. Which of the two times must be
    the later one?
    """

    def stands(report: Report, _: int) -> bool:
        seen = report["eventTime"]
        if report["batchId"] == 0 or "max" not in seen:
            return False
        return abs(_moment(seen["max"]) - _moment(seen["watermark"])) > timedelta(hours=1)

    return _illness(report, interval_ms, {**RULES, "time stands still": stands})


def late_rows_first(report: Report, interval_ms: int) -> str:
    """Late rows tested before the watermark

    Your answer is "late rows" although time stands still as well. Both rules apply. Which one is first?
    """
    names = ["late rows", "time stands still", "checkpoint", "source", "overload", "limit"]
    return _illness(report, interval_ms, {name: RULES[name] for name in names})


def parts_added_up(report: Report, interval_ms: int) -> str:
    """Parts of the duration in place of the whole

    A batch took longer than its interval, and your answer is the word for a short one. The parts of `durationMs`,
    one alone or all added up, are less than the whole. Which field is the whole?
    """
    parts = report["durationMs"]
    sum_of_parts = sum(took for name, took in parts.items() if name != "triggerExecution")
    whole = {**parts, "triggerExecution": sum_of_parts}
    return _illness({**report, "durationMs": whole}, interval_ms, RULES)


def asking_alone(report: Report, interval_ms: int) -> str:
    """One part of the source's time only

    Your answer does not name a source if `latestOffset` and `getBatch` take more than half of the time only
    together. Which of the two is missing in your sum?
    """
    rule: Rule = lambda r, _: _part(r, "latestOffset") > _took(r) / 2  # noqa: E731
    return _illness(report, interval_ms, {**RULES, "source": rule})
