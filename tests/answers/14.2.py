"""Answers to 14.2: other rules for the cores, right and wrong."""

import math
from fractions import Fraction
from itertools import takewhile
from typing import Any

import numpy as np
import pandas as pd

MAX = "maxOffsetsBehindLatest"


def _lags(report: dict, name: str = MAX) -> list[int]:
    return [int(source.get("metrics", {}).get(name, "0")) for source in report["sources"]]


def _with_data(reports: list[dict]) -> list[dict]:
    return [report for report in reports if report["numInputRows"] > 0]


def _shares(reports: list[dict], interval_ms: int) -> list[float]:
    return [report["durationMs"]["triggerExecution"] / interval_ms for report in reports]


def _long(shares: list[float]) -> bool:
    return len(shares) >= 3 and min(shares[-3:]) > 0.8


def _short(shares: list[float]) -> bool:
    return len(shares) >= 5 and max(shares[-5:]) < 0.3


def _bounded(cores: int, fewest: int, most: int) -> int:
    return max(fewest, min(most, cores))


def _rule(
    data: list[dict],
    shares: list[float],
    cores: int,
    long: Any = _long,
    short: Any = _short,
    behind: Any = lambda report: any(_lags(report)),
) -> int:
    if long(shares):
        return cores * 2
    if short(shares) and not behind(data[-1]):
        return math.ceil(cores / 2)
    return cores


def right_in_pandas(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """A row for each batch with data; thousandths in place of shares."""
    rows = [
        (1000 * r["durationMs"]["triggerExecution"], max(_lags(r), default=0))
        for r in reports
        if r["numInputRows"]
    ]
    batches = pd.DataFrame(rows, columns=["took", "lag"])
    if len(batches) >= 3 and (batches["took"].tail(3) > 800 * interval_ms).all():
        cores = 2 * cores
    elif len(batches) >= 5 and (batches["took"].tail(5) < 300 * interval_ms).all():
        if batches["lag"].iloc[-1] == 0:
            cores = (cores + 1) // 2
    return int(np.clip(cores, fewest, most))


def right_in_fractions(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Exact fractions, and a factor that stands for the rule."""
    data = _with_data(reports)
    shares = [Fraction(r["durationMs"]["triggerExecution"], interval_ms) for r in data]
    factor = Fraction(1)
    if len(shares) > 2 and all(share > Fraction(4, 5) for share in shares[-3:]):
        factor = Fraction(2)
    elif len(shares) > 4 and all(share < Fraction(3, 10) for share in shares[-5:]):
        factor = Fraction(1) if any(_lags(data[-1])) else Fraction(1, 2)
    return min(most, max(fewest, math.ceil(cores * factor)))


def right_words_first(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Calls each batch long, short or neither, and compares the ends of the list of words."""

    def word(report: dict) -> str:
        took = report["durationMs"]["triggerExecution"]
        return (
            "long"
            if took * 5 > interval_ms * 4
            else "short"
            if took * 10 < interval_ms * 3
            else "-"
        )

    data = [report for report in reports if report["numInputRows"] != 0]
    words = [word(report) for report in data]
    wanted = cores
    if words[-3:] == ["long"] * 3:
        wanted += cores
    if words[-5:] == ["short"] * 5:
        told = [s["metrics"] for s in data[-1]["sources"] if s.get("metrics")]
        if all(int(metrics.get(MAX, 0)) == 0 for metrics in told):
            wanted = -(-cores // 2)
    if wanted < fewest:
        return fewest
    return most if wanted > most else wanted


def right_walks_back(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Goes back from the newest batch while all are long, or all are short, and counts them."""
    long = short = seen = 0
    behind = False
    for report in reversed(reports):
        if report["numInputRows"] == 0:
            continue
        if not seen:
            behind = sum(_lags(report)) > 0
        share = report["durationMs"]["triggerExecution"] / interval_ms
        long += share > 0.8 and long == seen
        short += share < 0.3 and short == seen
        seen += 1
    if long >= 3:
        cores <<= 1
    elif short >= 5 and not behind:
        cores -= cores >> 1
    return _bounded(cores, fewest, most)


def right_taken_apart(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Takes the newest shares apart by their shape."""
    data = _with_data(reports)
    match _shares(data, interval_ms):
        case [*_, a, b, c] if a > 0.8 and b > 0.8 and c > 0.8:
            wanted = cores * 2
        case [*_, a, b, c, d, e] if max(a, b, c, d, e) < 0.3 and not any(_lags(data[-1])):
            wanted = cores // 2 + cores % 2
        case _:
            wanted = cores
    return sorted((fewest, wanted, most))[1]


def wrong_lag_of_the_newest_report(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Takes the lag of the newest report, which may be a batch without data."""
    data = _with_data(reports)
    shares = _shares(data, interval_ms)
    wanted = _rule(data, shares, cores, behind=lambda _: any(_lags(reports[-1])))
    return _bounded(wanted, fewest, most)


def wrong_up_only_when_behind(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Wants a lag for the first rule as well, which asks for none."""
    data = _with_data(reports)
    shares = _shares(data, interval_ms)
    wanted = _rule(data, shares, cores, long=lambda shares: _long(shares) and any(_lags(data[-1])))
    return _bounded(wanted, fewest, most)


def wrong_any_of_them(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """One long batch of three is enough, or one short one of five."""
    data = _with_data(reports)
    wanted = _rule(
        data,
        _shares(data, interval_ms),
        cores,
        long=lambda shares: len(shares) >= 3 and max(shares[-3:]) > 0.8,
        short=lambda shares: len(shares) >= 5 and min(shares[-5:]) < 0.3,
    )
    return _bounded(wanted, fewest, most)


def wrong_oldest_batches(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Takes the first three, or five, of the list, which are the oldest."""
    data = _with_data(reports)
    shares = _shares(data, interval_ms)[::-1]
    return _bounded(_rule(data, shares, cores), fewest, most)


def wrong_one_core_at_a_time(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """One core more, or one less, in place of twice and half."""
    data = _with_data(reports)
    wanted = _rule(data, _shares(data, interval_ms), 4)
    return _bounded(cores + (wanted > 4) - (wanted < 4), fewest, most)


def wrong_seconds_for_the_interval(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Takes it that the interval is a second, as in the lesson's overload."""
    data = _with_data(reports)
    return _bounded(_rule(data, _shares(data, 1000), cores), fewest, most)


def wrong_bounds_first(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Puts the cores within the bounds before the rule, and not after it."""
    data = _with_data(reports)
    return _rule(data, _shares(data, interval_ms), _bounded(cores, fewest, most))


def wrong_silence_is_behind(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Takes a source that tells no lag for one that is behind."""
    data = _with_data(reports)

    def behind(report: dict) -> bool:
        return any(s.get("metrics", {}).get(MAX) != "0" for s in report["sources"])

    return _bounded(_rule(data, _shares(data, interval_ms), cores, behind=behind), fewest, most)


def wrong_cut_before_it_is_sorted_out(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Takes the newest five reports, and leaves out those without data afterwards."""
    data = _with_data(reports[-5:])
    return _bounded(_rule(data, _shares(data, interval_ms), cores), fewest, most)


def wrong_behind_as_in_the_next_exercise(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Calls a query behind when its lag is more than a batch; here a lag of 1 is one."""
    data = _with_data(reports)

    def behind(report: dict) -> bool:
        return max(_lags(report)) > report["numInputRows"]

    return _bounded(_rule(data, _shares(data, interval_ms), cores, behind=behind), fewest, most)


def wrong_least_behind(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Asks for the partition that is least behind."""
    data = _with_data(reports)

    def behind(report: dict) -> bool:
        return any(_lags(report, "minOffsetsBehindLatest"))

    return _bounded(_rule(data, _shares(data, interval_ms), cores, behind=behind), fewest, most)


def wrong_half_of_the_allowed(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Halves what is allowed and not what there is: of 48 cores with at most 32 it leaves 16."""
    data = _with_data(reports)
    wanted = _rule(data, _shares(data, interval_ms), cores)
    if wanted < cores:
        wanted = math.ceil(min(cores, most) / 2)
    return _bounded(wanted, fewest, most)


def wrong_metrics_unthought_of(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Takes it that every source has the lag in its metrics: a KeyError where one has not."""
    data = _with_data(reports)

    def behind(report: dict) -> bool:
        return any(int(source["metrics"][MAX]) > 0 for source in report["sources"])

    return _bounded(_rule(data, _shares(data, interval_ms), cores, behind=behind), fewest, most)


def wrong_one_bound_for_each_way(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """At most `most` on the way up, at least `fewest` on the way down, and both only in between."""
    data = _with_data(reports)
    shares = _shares(data, interval_ms)
    if _long(shares):
        return min(most, 2 * cores)
    if _short(shares) and not any(_lags(data[-1])):
        return max(fewest, math.ceil(cores / 2))
    return _bounded(cores, fewest, most)


def wrong_returns_early(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """With fewer than three batches as many as now, before it has looked at the bounds."""
    data = _with_data(reports)
    if len(data) < 3:
        return cores
    return _bounded(_rule(data, _shares(data, interval_ms), cores), fewest, most)


def wrong_bounds_before_and_after(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Within the bounds, then the rule, then within the bounds."""
    data = _with_data(reports)
    wanted = _rule(data, _shares(data, interval_ms), _bounded(cores, fewest, most))
    return _bounded(wanted, fewest, most)


def wrong_last_lag_told_anywhere(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Takes the lags of the newest of five batches that tells any."""
    data = _with_data(reports)

    def behind(_: dict) -> bool:
        told = [[s["metrics"][MAX] for s in r["sources"] if s.get("metrics")] for r in data[-5:]]
        newest = ([lags for lags in told if lags] or [[]])[-1]
        return any(int(lag) for lag in newest)

    return _bounded(_rule(data, _shares(data, interval_ms), cores, behind=behind), fewest, most)


def wrong_newest_eight_reports(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Takes eight reports for enough to have five with data among them."""
    data = _with_data(reports[-8:])
    return _bounded(_rule(data, _shares(data, interval_ms), cores), fewest, most)


def wrong_half_and_a_half_rounded(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Rounds up by `round(cores / 2 + 0.5)`, which goes to the even number from a half.

    Differs for 10 cores: 5.5 becomes 6, and half of 10 is 5. (8, 12 and 16 are halved as they should be.)
    """
    data = _with_data(reports)
    shares = _shares(data, interval_ms)
    wanted = _rule(data, shares, cores)
    if _short(shares) and wanted != cores:
        wanted = round(cores / 2 + 0.5)
    return _bounded(wanted, fewest, most)


def wrong_whole_per_cent(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Makes whole per cent of the shares before they are compared.

    Differs for three batches of 805 ms in 1000: 80 per cent is not above 80.
    """
    data = _with_data(reports)
    shares = [100 * r["durationMs"]["triggerExecution"] // interval_ms / 100 for r in data]
    return _bounded(_rule(data, shares, cores), fewest, most)


def wrong_kafka_always_has_metrics(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Passes over sources other than Kafka, and takes it that a Kafka source has `metrics`.

    Differs (a KeyError) where the newest of five short batches has a Kafka source without any.
    """
    data = _with_data(reports)
    wanted = cores
    if _long(_shares(data, interval_ms)):
        wanted = cores * 2
    elif _short(_shares(data, interval_ms)):
        kafka = [s for s in data[-1]["sources"] if s.get("description", "").startswith("Kafka")]
        if not any(int(source["metrics"].get(MAX, 0)) for source in kafka):
            wanted = math.ceil(cores / 2)
    return _bounded(wanted, fewest, most)


def wrong_twice_for_each_three(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Doubles once for each three long batches at the end of the list.

    Differs for six long batches in a row: 8 cores become 32, and should be 16.
    """
    data = _with_data(reports)
    shares = _shares(data, interval_ms)
    long = sum(1 for _ in takewhile(lambda share: share > 0.8, reversed(shares)))
    wanted = cores * 2 ** (long // 3) if long >= 3 else _rule(data, shares, cores)
    return _bounded(wanted, fewest, most)


def wrong_half_for_each_five(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Halves once for each five short batches: after ten 16 cores are 4, and should be 8."""
    data = _with_data(reports)
    shares = _shares(data, interval_ms)
    wanted = _rule(data, shares, cores)
    while wanted < cores and _short(shares[:-5]):
        shares = shares[:-5]
        wanted = math.ceil(wanted / 2)
    return _bounded(wanted, fewest, most)


def wrong_average_as_a_whole_number(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Takes the average lag and makes a whole number of it: one of two partitions behind by 1 is 0."""

    def behind(report: dict) -> bool:
        told = [source.get("metrics", {}) for source in report["sources"]]
        return any(int(float(of.get("avgOffsetsBehindLatest", "0"))) for of in told)

    data = _with_data(reports)
    wanted = _rule(data, _shares(data, interval_ms), cores, behind=behind)
    return _bounded(wanted, fewest, most)


def wrong_only_two_sources(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Asks the first source and the last, as if there were never more than two."""

    def behind(report: dict) -> bool:
        lags = _lags(report)
        return any([lags[0], lags[-1]])

    data = _with_data(reports)
    wanted = _rule(data, _shares(data, interval_ms), cores, behind=behind)
    return _bounded(wanted, fewest, most)


def wrong_nothing_while_it_is_behind(
    reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Wants the newest batch to be at rest before either rule: nothing is added while a source is behind."""
    data = _with_data(reports)
    shares = _shares(data, interval_ms)
    wanted = cores if data and any(_lags(data[-1])) else _rule(data, shares, cores)
    return _bounded(wanted, fewest, most)
