"""Answers to 12.1: percentiles found in other ways, and figures that only look like them."""

import heapq
import math
import sqlite3
from collections import Counter
from fractions import Fraction
from itertools import accumulate
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

PERCENTS = (50, 95, 99)


def _heaps(records: list[dict], began: int) -> tuple[list[int], int, int]:
    """The latencies of 0 or more in order, how many are negative, how many are missing."""
    counted = [r for r in records if r["made"] >= began]
    out = [r["written"] - r["made"] for r in counted if r["written"] is not None]
    good = sorted(latency for latency in out if latency >= 0)
    return good, len(out) - len(good), len(counted) - len(out)


def _told(records: list[dict], began: int, at: Any, **wrong: Any) -> dict[str, Any]:
    good, negative, missing = _heaps(records, began)
    found = {f"p{p}": at(good, p) if good else None for p in PERCENTS}
    return {**found, "negative": negative, "missing": missing, **wrong}


def _nearest(latencies: list[int], p: int) -> int:
    return latencies[math.ceil(p * len(latencies) / 100) - 1]


def right_from_the_slow_end(records: list[dict], began: int) -> dict:
    """From the slowest down: of 100 latencies one may be above p99, of 21 none."""
    good, negative, missing = _heaps(records, began)
    good.reverse()
    found: dict[str, Any] = {"missing": missing, "negative": negative}
    for p in PERCENTS:
        found[f"p{p}"] = good[len(good) * (100 - p) // 100] if good else None
    return found


def right_with_a_histogram(records: list[dict], began: int) -> dict:
    """Counts equal latencies, and adds the counts up until there are enough."""
    missing = negative = 0
    times: Counter[int] = Counter()
    for record in records:
        made, written = record["made"], record["written"]
        if made < began:
            continue
        if written is None:
            missing += 1
        elif written - made < 0:
            negative += 1
        else:
            times[written - made] += 1
    values = sorted(times)
    below = list(accumulate(times[value] for value in values))

    def at(p: int) -> int | None:
        return next(
            (v for v, n in zip(values, below) if 100 * n >= p * below[-1]),
            None,
        )

    return {
        "p50": at(50),
        "p95": at(95),
        "p99": at(99),
        "negative": negative,
        "missing": missing,
    }


def right_with_pandas(records: list[dict], began: int) -> dict:
    """A table with whole numbers that may be missing; places by floor division of a negative number."""
    table = pd.DataFrame(records, columns=["made", "written"]).astype("Int64")
    table = table[table["made"] >= began]
    latency = (table["written"] - table["made"]).dropna()
    good = latency[latency >= 0].sort_values()
    found: dict[str, Any] = {
        "negative": int((latency < 0).sum()),
        "missing": int(table["written"].isna().sum()),
    }
    for p in PERCENTS:
        found[f"p{p}"] = int(good.iloc[-(-p * len(good) // 100) - 1]) if len(good) else None
    return found


def right_largest_of_the_quickest(records: list[dict], began: int) -> dict:
    """The largest of the quickest so many percent, which heapq hands out."""

    def at(latencies: list[int], p: int) -> int:
        enough = math.ceil(Fraction(p, 100) * len(latencies))
        return max(heapq.nsmallest(enough, latencies))

    return _told(records, began, at)


def right_by_searching_the_shares(records: list[dict], began: int) -> dict:
    """numpy: the first place at which a hundred times its number reaches p times them all."""
    good, negative, missing = _heaps(records, began)
    values = np.array(good, dtype="int64")
    reached = 100 * np.arange(1, len(values) + 1)
    found = {
        f"p{p}": values[np.searchsorted(reached, p * len(values))] if len(values) else None
        for p in PERCENTS
    }
    return {**found, "negative": np.int64(negative), "missing": np.int64(missing)}


def wrong_median_of_statistics(records: list[dict], began: int) -> dict:
    """statistics.median for p50: of an even number the mean of the two in the middle.

    "no value between two of them".
    """
    good, _, _ = _heaps(records, began)
    return _told(records, began, _nearest, p50=median(good) if good else None)


def wrong_the_next_higher(records: list[dict], began: int) -> dict:
    """pandas' quantile with interpolation="higher": of 20 latencies p50 is the 11th."""

    def at(latencies: list[int], p: int) -> int:
        return int(pd.Series(latencies).quantile(p / 100, interpolation="higher"))

    return _told(records, began, at)


def wrong_the_next_lower(records: list[dict], began: int) -> dict:
    """numpy's percentile with method="lower": of two latencies p99 is the smaller."""
    return _told(records, began, lambda good, p: int(np.percentile(good, p, method="lower")))


def wrong_place_rounded(records: list[dict], began: int) -> dict:
    """round() for the place: of 21 latencies p50 is the 10th, and 10 of 21 are no 50 percent."""
    return _told(records, began, lambda good, p: good[max(0, round(p * len(good) / 100) - 1)])


def wrong_percent_of_all_records(records: list[dict], began: int) -> dict:
    """So many percent of all records, those that never came out included.

    "at least so many percent of *them*", the latencies of 0 or more.
    """
    sent = sum(r["made"] >= began for r in records)

    def at(latencies: list[int], p: int) -> int:
        return latencies[min(math.ceil(p * sent / 100), len(latencies)) - 1]

    return _told(records, began, at)


def wrong_made_just_then_is_left_out(records: list[dict], began: int) -> dict:
    """A record made at `began` itself counts for the warm-up: "one made just then does" count."""
    return _told([r for r in records if r["made"] > began], began, _nearest)


def wrong_zero_where_there_are_none(records: list[dict], began: int) -> dict:
    """Percentiles of 0 where nothing came out; None is asked for."""
    good, negative, missing = _heaps(records, began)
    found = {f"p{p}": _nearest(good, p) if good else 0 for p in PERCENTS}
    return {**found, "negative": negative, "missing": missing}


def wrong_negative_ones_are_missing_as_well(records: list[dict], began: int) -> dict:
    """missing is all that is not in the percentiles, and so has the negative ones in it."""
    _, negative, missing = _heaps(records, began)
    return _told(records, began, _nearest, missing=missing + negative)


def wrong_each_latency_once(records: list[dict], began: int) -> dict:
    """Sorts a set: equal latencies of several records are one."""
    return _told(records, began, lambda good, p: _nearest(sorted(set(good)), p))


def wrong_slowest_first(records: list[dict], began: int) -> dict:
    """Sorts from the slowest to the quickest: p99 is what one of 100 does not exceed."""
    return _told(records, began, lambda good, p: _nearest(good[::-1], p))


def wrong_sign_taken_off(records: list[dict], began: int) -> dict:
    """Counts negative latencies, and has them in the percentiles without their sign."""
    counted = [r for r in records if r["made"] >= began and r["written"] is not None]
    latencies = sorted(abs(r["written"] - r["made"]) for r in counted)
    found = {f"p{p}": _nearest(latencies, p) if latencies else None for p in PERCENTS}
    _, negative, missing = _heaps(records, began)
    return {**found, "negative": negative, "missing": missing}


def wrong_in_seconds(records: list[dict], began: int) -> dict:
    """Latencies in seconds, as one says them."""
    return _told(records, began, lambda good, p: _nearest(good, p) / 1000)


def wrong_what_is_false_is_missing(records: list[dict], began: int) -> dict:
    """`if record["written"]` for "it came out": a record that is written at 0 never did, then."""
    counted = [r for r in records if r["made"] >= began]
    out = [r["written"] - r["made"] for r in counted if r["written"]]
    good = sorted(latency for latency in out if latency >= 0)
    found = {f"p{p}": _nearest(good, p) if good else None for p in PERCENTS}
    return {**found, "negative": len(out) - len(good), "missing": len(counted) - len(out)}


def wrong_warm_up_forgotten(records: list[dict], began: int) -> dict:
    """Does not look at `began`."""
    return _told(records, min((r["made"] for r in records), default=began), _nearest)


def right_in_sql(records: list[dict], began: int) -> dict:
    """SQLite: cume_dist() is the share of latencies that do not exceed one; the smallest that is enough."""
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE records (made INTEGER, written INTEGER)")
        rows = [(r["made"], r["written"]) for r in records if r["made"] >= began]
        base.executemany("INSERT INTO records VALUES (?, ?)", rows)
        shares = """
            SELECT min(latency) FROM (
                SELECT written - made AS latency,
                       cume_dist() OVER (ORDER BY written - made) AS share
                FROM records WHERE written >= made
            ) WHERE share >= ? / 100.0
        """
        found = {f"p{p}": base.execute(shares, (p,)).fetchone()[0] for p in PERCENTS}
        heaps = (
            "SELECT count(*) FILTER (WHERE written < made), count(*) - count(written) FROM records"
        )
        found["negative"], found["missing"] = base.execute(heaps).fetchone()
    return found


def right_by_rank(records: list[dict], began: int) -> dict:
    """pandas' rank as a share, ties at their last place; the smallest whose share is enough."""
    good, negative, missing = _heaps(records, began)
    latencies = pd.Series(good, dtype="int64")
    share = latencies.rank(method="max", pct=True)
    found: dict[str, Any] = {"negative": negative, "missing": missing}
    for p in PERCENTS:
        enough = latencies[share >= p / 100]
        found[f"p{p}"] = None if enough.empty else int(enough.min())
    return found


def wrong_names_in_capitals(records: list[dict], began: int) -> dict[str, Any]:
    """P50, P95 and P99 in place of p50, p95 and p99: whoever reads told["p50"] finds nothing."""
    told = _told(records, began, _nearest)
    return {name.upper() if name[1:].isdigit() else name: value for name, value in told.items()}
