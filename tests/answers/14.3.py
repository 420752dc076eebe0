"""Answers to 14.3: other ways to read a report, and to misread one."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pandas as pd

MAX = "maxOffsetsBehindLatest"
Rule = Callable[[dict, int], bool]


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _took(report: dict) -> int:
    return report["durationMs"]["triggerExecution"]


def _part(report: dict, *names: str) -> int:
    return sum(report["durationMs"].get(name, 0) for name in names)


def _dropped(report: dict) -> list[int]:
    return [operator["numRowsDroppedByWatermark"] for operator in report["stateOperators"]]


def _lag(report: dict) -> int:
    return max(int(s.get("metrics", {}).get(MAX, "0")) for s in report["sources"])


def _behind(report: dict) -> bool:
    return _lag(report) > report["numInputRows"]


def _held_back(report: dict) -> float:
    """By how many seconds the watermark is behind; 0 where that cannot be said."""
    seen = report["eventTime"]
    if report["batchId"] == 0 or "max" not in seen:
        return 0.0
    return (_moment(seen["max"]) - _moment(seen["watermark"])).total_seconds()


RULES: dict[str, Rule] = {
    "time stands still": lambda r, _: _held_back(r) > 3600,
    "late rows": lambda r, _: 100 * sum(_dropped(r)) > r["numInputRows"],
    "checkpoint": lambda r, _: 2 * _part(r, "walCommit", "commitOffsets") > _took(r),
    "source": lambda r, _: 2 * _part(r, "latestOffset", "getBatch") > _took(r),
    "overload": lambda r, interval_ms: _behind(r) and _took(r) > interval_ms,
    "limit": lambda r, _: _behind(r),
}


def _first(report: dict, interval_ms: int, changed: dict[str, Rule]) -> str:
    rules = {**RULES, **changed}
    return next((word for word, rule in rules.items() if rule(report, interval_ms)), "healthy")


def right_missing_parts_are_0(report: dict, interval_ms: int) -> str:
    """A Counter of the parts gives 0 for what is missing, and one of the lags for the sources."""
    parts, seen = Counter(report["durationMs"]), report["eventTime"]
    if report["batchId"] and "max" in seen:
        form = "%Y-%m-%dT%H:%M:%S.%fZ"
        ends = [datetime.strptime(seen[name], form) for name in ("watermark", "max")]
        if ends[0] + timedelta(minutes=60) < ends[1]:
            return "time stands still"
    late = Counter({"rows": 0})
    for operator in report["stateOperators"]:
        late["rows"] += operator["numRowsDroppedByWatermark"]
    if late["rows"] > 0.01 * report["numInputRows"]:
        return "late rows"
    half = parts["triggerExecution"] / 2
    if parts["walCommit"] + parts["commitOffsets"] > half:
        return "checkpoint"
    if parts["latestOffset"] + parts["getBatch"] > half:
        return "source"
    for source in report["sources"]:
        if int(Counter(source.get("metrics"))[MAX]) > report["numInputRows"]:
            return "overload" if parts["triggerExecution"] > interval_ms else "limit"
    return "healthy"


def right_times_in_pandas(report: dict, interval_ms: int) -> str:
    """Times as pandas.Timestamp, and lags as a Series of numbers."""
    seen, rows = report["eventTime"], report["numInputRows"]
    if report["batchId"] != 0 and seen.get("max") is not None:
        if pd.Timestamp(seen["max"]) - pd.Timestamp(seen["watermark"]) > pd.Timedelta("1h"):
            return "time stands still"
    parts = pd.Series(report["durationMs"]).astype(float)
    names = ["walCommit", "commitOffsets", "latestOffset", "getBatch", "triggerExecution"]
    wal, commit, latest, get, took = parts.reindex(names, fill_value=0.0)
    if sum(_dropped(report)) * 100 > rows:
        return "late rows"
    if wal + commit > took - wal - commit:
        return "checkpoint"
    if latest + get > took - latest - get:
        return "source"
    lags = pd.Series([(s.get("metrics") or {}).get(MAX, 0) for s in report["sources"]])
    if not (pd.to_numeric(lags) > rows).any():
        return "healthy"
    return "limit" if took <= interval_ms else "overload"


def right_words_that_hold(report: dict, interval_ms: int) -> str:
    """A generator gives every word that holds, in the order of the table; the first is taken."""

    def words() -> Iterator[str]:
        if _held_back(report) > 60 * 60:
            yield "time stands still"
        if sum(_dropped(report)) > report["numInputRows"] / 100:
            yield "late rows"
        for word, names in (
            ("checkpoint", ("walCommit", "commitOffsets")),
            ("source", ("latestOffset", "getBatch")),
        ):
            if _part(report, *names) / _took(report) > 0.5:
                yield word
        if _behind(report):
            yield "overload" if _took(report) > interval_ms else "limit"
        yield "healthy"

    return next(words())


def right_overwritten_from_the_end(report: dict, interval_ms: int) -> str:
    """Begins with the last word of the table, and writes over it what stands before."""
    word = "healthy"
    if _behind(report):
        word = "limit"
        if _took(report) > interval_ms:
            word = "overload"
    if _part(report, "getBatch", "latestOffset") > _took(report) / 2:
        word = "source"
    if _part(report, "commitOffsets", "walCommit") > _took(report) / 2:
        word = "checkpoint"
    if sum(_dropped(report)) * 100 > report["numInputRows"]:
        word = "late rows"
    if report["batchId"] > 0 and "max" in report["eventTime"]:
        newest, marked = (_moment(report["eventTime"][n]) for n in ("max", "watermark"))
        word = "time stands still" if newest.timestamp() - marked.timestamp() > 3.6e3 else word
    return word


def right_by_match(report: dict, interval_ms: int) -> str:
    """`match` on the report itself where keys may be missing, and on what was found out."""
    match report:
        case {"batchId": 0}:
            still = False
        case {"eventTime": {"max": newest, "watermark": marked}}:
            still = _moment(newest) > _moment(marked) + timedelta(hours=1)
        case _:
            still = False
    if still:
        return "time stands still"
    if sum(_dropped(report)) * 100 > report["numInputRows"]:
        return "late rows"
    logs = _part(report, "walCommit", "commitOffsets")
    asked = _part(report, "latestOffset", "getBatch")
    if 2 * logs > _took(report):
        return "checkpoint"
    if 2 * asked > _took(report):
        return "source"
    match _behind(report), _took(report) > interval_ms:
        case True, True:
            return "overload"
        case True, False:
            return "limit"
    return "healthy"


def wrong_a_minute_for_an_hour(report: dict, interval_ms: int) -> str:
    """Compares seconds with 60."""
    return _first(report, interval_ms, {"time stands still": lambda r, _: _held_back(r) > 60})


def wrong_only_1970_stands_still(report: dict, interval_ms: int) -> str:
    """Looks for a watermark of 1970, and not for one that is an hour behind."""

    def stands(r: dict, _: int) -> bool:
        return _held_back(r) > 0 and r["eventTime"]["watermark"].startswith("1970")

    return _first(report, interval_ms, {"time stands still": stands})


def wrong_worst_operator(report: dict, interval_ms: int) -> str:
    """Holds each operator's dropped rows against the limit, and not "all together"."""

    def late(r: dict, _: int) -> bool:
        return 100 * max(_dropped(r), default=0) > r["numInputRows"]

    return _first(report, interval_ms, {"late rows": late})


def wrong_whole_per_cent(report: dict, interval_ms: int) -> str:
    """Cuts the share to whole per cent before it is compared: 1.02 per cent is 1, and not more."""

    def late(r: dict, _: int) -> bool:
        return 100 * sum(_dropped(r)) // max(1, r["numInputRows"]) > 1

    return _first(report, interval_ms, {"late rows": late})


def wrong_no_data_no_late_rows(report: dict, interval_ms: int) -> str:
    """Asks for late rows only where there are rows, to divide by them; a second operator drops some later."""

    def late(r: dict, _: int) -> bool:
        return r["numInputRows"] > 0 and sum(_dropped(r)) / r["numInputRows"] > 0.01

    return _first(report, interval_ms, {"late rows": late})


def wrong_half_of_the_interval(report: dict, interval_ms: int) -> str:
    """Holds logs and source against half of the interval, and not of what the batch took."""
    rules: dict[str, Rule] = {
        "checkpoint": lambda r, ms: _part(r, "walCommit", "commitOffsets") > ms / 2,
        "source": lambda r, ms: _part(r, "latestOffset", "getBatch") > ms / 2,
    }
    return _first(report, interval_ms, rules)


def wrong_the_work_alone(report: dict, interval_ms: int) -> str:
    """Takes addBatch for the whole batch where the interval is asked about."""
    rule: Rule = lambda r, ms: _behind(r) and r["durationMs"]["addBatch"] > ms  # noqa: E731
    return _first(report, interval_ms, {"overload": rule})


def wrong_each_part_alone(report: dict, interval_ms: int) -> str:
    """Wants more than half of one part alone, and not "together"."""
    rules: dict[str, Rule] = {
        "checkpoint": lambda r, _: (
            2 * max(_part(r, "walCommit"), _part(r, "commitOffsets")) > _took(r)
        ),
        "source": lambda r, _: 2 * max(_part(r, "latestOffset"), _part(r, "getBatch")) > _took(r),
    }
    return _first(report, interval_ms, rules)


def wrong_behind_is_a_limit(report: dict, interval_ms: int) -> str:
    """Asks for the limit first, without the interval: there is no overload any more."""
    return _first(report, interval_ms, {"overload": lambda r, ms: False})


def wrong_late_rows_first(report: dict, interval_ms: int) -> str:
    """Exchanges the first two rules of the table."""
    if RULES["late rows"](report, interval_ms):
        return "late rows"
    return _first(report, interval_ms, {})


def wrong_any_lag_is_behind(report: dict, interval_ms: int) -> str:
    """Calls a query behind as soon as one record waits."""
    rules: dict[str, Rule] = {
        "overload": lambda r, ms: _lag(r) > 0 and _took(r) > ms,
        "limit": lambda r, _: _lag(r) > 0,
    }
    return _first(report, interval_ms, rules)


def wrong_second_batch_too(report: dict, interval_ms: int) -> str:
    """Leaves out the second batch as well as the first."""
    rule: Rule = lambda r, _: r["batchId"] > 1 and _held_back(r) > 3600  # noqa: E731
    return _first(report, interval_ms, {"time stands still": rule})


def wrong_either_way(report: dict, interval_ms: int) -> str:
    """Takes how far the two times are apart, also where the watermark is ahead of old rows."""
    return _first(
        report, interval_ms, {"time stands still": lambda r, _: abs(_held_back(r)) > 3600}
    )


def wrong_parts_unthought_of(report: dict, interval_ms: int) -> str:
    """Takes it that every part is there: a KeyError where one is not."""

    def checkpoint(r: dict, _: int) -> bool:
        parts: dict[str, Any] = r["durationMs"]
        return parts["walCommit"] + parts["commitOffsets"] > _took(r) / 2

    return _first(report, interval_ms, {"checkpoint": checkpoint})


def wrong_nothing_is_wrong_at_first(report: dict, interval_ms: int) -> str:
    """Leaves the first batch out of all rules, and not of the first one only."""
    if report["batchId"] == 0:
        return "healthy"
    return _first(report, interval_ms, {})


def wrong_sum_of_the_parts(report: dict, interval_ms: int) -> str:
    """Adds up the parts, which are less than triggerExecution."""
    took = sum(ms for name, ms in report["durationMs"].items() if name != "triggerExecution")
    parts = {**report["durationMs"], "triggerExecution": took}
    return _first({**report, "durationMs": parts}, interval_ms, {})


def right_in_whole_numbers(report: dict, interval_ms: int) -> str:
    """Whole numbers throughout: milliseconds since 1970, limits cut off by //, which changes nothing of "more than"."""

    def millis(text: str) -> int:
        passed = _moment(text) - datetime(1970, 1, 1, tzinfo=timezone.utc)
        return passed // timedelta(milliseconds=1)

    seen, parts = report["eventTime"], report["durationMs"]
    if seen.get("max") and report["batchId"]:
        if millis(seen["max"]) - millis(seen["watermark"]) > 60 * 60 * 1000:
            return "time stands still"
    if sum(_dropped(report)) > report["numInputRows"] // 100:
        return "late rows"
    half = parts["triggerExecution"] // 2
    for word, one, other in (
        ("checkpoint", "walCommit", "commitOffsets"),
        ("source", "latestOffset", "getBatch"),
    ):
        if parts.get(one, 0) + parts.get(other, 0) > half:
            return word
    rows = report["numInputRows"]
    told = [int(s["metrics"][MAX]) for s in report["sources"] if (s.get("metrics") or {}).get(MAX)]
    if all(lag <= rows for lag in told):
        return "healthy"
    return ("limit", "overload")[parts["triggerExecution"] > interval_ms]


def _held_by(report: dict, parse: Callable[[str], datetime]) -> float:
    seen = report["eventTime"]
    if report["batchId"] == 0 or "max" not in seen:
        return 0.0
    return (parse(seen["max"]) - parse(seen["watermark"])).total_seconds()


def wrong_three_zeros_in_the_format(report: dict, interval_ms: int) -> str:
    """Reads the times with a format that ends in `.000Z`, as the example does.

    Differs (a ValueError) for a max of 2026-03-01T12:20:00.250Z.
    """

    def parse(text: str) -> datetime:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.000Z")

    return _first(
        report, interval_ms, {"time stands still": lambda r, _: _held_by(r, parse) > 3600}
    )


def wrong_milliseconds_cut_off(report: dict, interval_ms: int) -> str:
    """Cuts the times off after the seconds.

    Differs for a max of 12:20:00.500 and a watermark of 11:20:00.000, which is more than an hour before.
    """

    def parse(text: str) -> datetime:
        return datetime.fromisoformat(text[:19])

    return _first(
        report, interval_ms, {"time stands still": lambda r, _: _held_by(r, parse) > 3600}
    )


def wrong_kafka_always_has_metrics(report: dict, interval_ms: int) -> str:
    """Passes over sources other than Kafka, and takes it that a Kafka source has `metrics`.

    Differs (a KeyError) for {"description": "KafkaV2[Subscribe[clicks]]"} without any, as in a batch that is repeated.
    """

    def behind(r: dict) -> bool:
        kafka = [s for s in r["sources"] if s.get("description", "").startswith("Kafka")]
        return any(int(s["metrics"].get(MAX, "0")) > r["numInputRows"] for s in kafka)

    rules: dict[str, Rule] = {
        "overload": lambda r, ms: behind(r) and _took(r) > ms,
        "limit": lambda r, _: behind(r),
    }
    return _first(report, interval_ms, rules)


def wrong_no_data_is_never_behind(report: dict, interval_ms: int) -> str:
    """Does not call a batch without data behind, as it says nothing about the load."""
    word = _first(report, interval_ms, {})
    return word if report["numInputRows"] or word not in ("overload", "limit") else "healthy"


def wrong_limit_before_what_is_slow(report: dict, interval_ms: int) -> str:
    """Says "limit" as soon as a query that is behind fits into its interval, before it asks what took the time."""
    word = _first(report, interval_ms, {})
    slow = word in ("checkpoint", "source") and _took(report) <= interval_ms
    return "limit" if slow and _behind(report) else word


def wrong_limit_before_late_rows(report: dict, interval_ms: int) -> str:
    """Says "limit" before it asks for late rows, where the batch fits into its interval."""
    word = _first(report, interval_ms, {})
    fits = word == "late rows" and _took(report) <= interval_ms
    return "limit" if fits and _behind(report) else word


def wrong_day_of_the_month(report: dict, interval_ms: int) -> str:
    """Reckons with day, hour, minute and second, without month and year."""

    def in_march(text: str) -> datetime:
        return _moment(text).replace(month=3, year=2026)

    changed = {"time stands still": lambda r, _: _held_by(r, in_march) > 3600}
    return _first(report, interval_ms, changed)


def wrong_watermark_of_another_day(report: dict, interval_ms: int) -> str:
    """Says that time stands still where the watermark is of another day: at midnight it is seconds."""

    def stands(r: dict, _: int) -> bool:
        seen = r["eventTime"]
        another = _held_back(r) > 0 and seen["max"][:10] > seen["watermark"][:10]
        return another or _held_back(r) > 3600

    return _first(report, interval_ms, {"time stands still": stands})


def wrong_first_and_last_operator(report: dict, interval_ms: int) -> str:
    """Adds up the first and the last operator, as if there were never more than two."""

    def late(r: dict, _: int) -> bool:
        counts = _dropped(r)
        ends = counts if len(counts) < 2 else [counts[0], counts[-1]]
        return 100 * sum(ends) > r["numInputRows"]

    return _first(report, interval_ms, {"late rows": late})
