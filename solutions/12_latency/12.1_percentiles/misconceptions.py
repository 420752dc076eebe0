"""Ways to misread a list of latencies."""

import math
from collections.abc import Callable
from typing import Any

Records = list[dict[str, Any]]
PERCENTS = (50, 95, 99)


def _nearest(latencies: list[int], percent: int) -> int:
    return latencies[math.ceil(percent * len(latencies) / 100) - 1]


def _told(
    counted: Records,
    *,
    at: Callable[[list[int], int], float] = _nearest,
    below: int = 0,
    in_order: bool = True,
) -> dict[str, Any]:
    """The result as it should be, but for what is said."""
    arrived = [r["written"] - r["made"] for r in counted if r["written"] is not None]
    kept = [latency for latency in arrived if latency >= below]
    latencies = sorted(kept) if in_order else kept
    found = {f"p{p}": at(latencies, p) if latencies else None for p in PERCENTS}
    negative = sum(latency < 0 for latency in arrived)
    return {**found, "negative": negative, "missing": len(counted) - len(arrived)}


def _after(records: Records, began: int) -> Records:
    return [record for record in records if record["made"] >= began]


def the_average_in_the_middle(records: Records, began: int) -> dict[str, Any]:
    """p50 is an average

    p50 comes out as the sum of the latencies over their number, rounded. One record of a minute among
    a hundred of ten milliseconds moves that to 600, and nobody waited for 600 ms. p50 is the
    latency of a record: the one in the middle.
    """

    def at(latencies: list[int], percent: int) -> float:
        average = round(sum(latencies) / len(latencies))
        return average if percent == 50 else _nearest(latencies, percent)

    return _told(_after(records, began), at=at)


def negatives_in_the_percentiles(records: Records, began: int) -> dict[str, Any]:
    """Records that came out before they were made

    Latencies below 0 stand among the others and draw every percentile down. Such a record was
    timed by two clocks that differ: nobody knows how long it took.
    """
    return _told(_after(records, began), below=-(10**12))


def negatives_taken_for_zero(records: Records, began: int) -> dict[str, Any]:
    """A negative latency becomes the best of all

    Latencies below 0 count as 0 in the percentiles. That turns a fault of the clocks into a record
    that took no time, and the more clocks are wrong, the better the figures look.
    """
    clamped = [
        {**r, "written": r["written"] if r["written"] is None else max(r["written"], r["made"])}
        for r in _after(records, began)
    ]
    return {
        **_told(clamped),
        "negative": _told(_after(records, began))["negative"],
    }


def zero_thrown_away(records: Records, began: int) -> dict[str, Any]:
    """A latency of 0 is one

    Latencies of exactly 0 are in no percentile. Both times fell into the same millisecond; the task asks for those that
    are 0 *or more*.
    """
    return _told(_after(records, began), below=1)


def warm_up_counts(records: Records, began: int) -> dict[str, Any]:
    """The warm-up is in the figures

    Records that were made before `began` are in the percentiles, in `negative` and in `missing`. They tell of Java
    starting up, and not of the query.
    """
    return _told(records)


def just_then_left_out(records: Records, began: int) -> dict[str, Any]:
    """Made just when the measurement began

    A record that was made at `began` is in no figure. One made just then counts.
    """
    return _told([record for record in records if record["made"] > began])


def warm_up_by_the_end(records: Records, began: int) -> dict[str, Any]:
    """Records of the warm-up that came out late

    Records that were made before `began` and written after it are in the figures. They are the
    slow ones: they waited while Java was still starting up.
    """
    return _told([r for r in records if r["written"] is None or r["written"] >= began])


def warm_up_in_the_heaps(records: Records, began: int) -> dict[str, Any]:
    """The warm-up is counted in `negative` and `missing`

    The percentiles leave the warm-up out, and `negative` or `missing` have its records in them. What was made
    before `began` counts nowhere.
    """
    everything = _told(records)
    return {
        **_told(_after(records, began)),
        "negative": everything["negative"],
        "missing": everything["missing"],
    }


def missing_as_no_time(records: Records, began: int) -> dict[str, Any]:
    """A record that never came out is the fastest

    Records without `written` stand in the percentiles with 0. A query that lost half of its records
    would show the best p50 of all.
    """
    counted = _after(records, began)
    filled = [
        {**r, "written": r["made"] if r["written"] is None else r["written"]} for r in counted
    ]
    return {**_told(filled), "missing": sum(r["written"] is None for r in counted)}


def zero_for_none(records: Records, began: int) -> dict[str, Any]:
    """0 is a time

    A record that came out at 0 is among the missing. In Python 0 is as false as None, and only None says that a record
    never came out.
    """
    return _told([{**r, "written": r["written"] or None} for r in _after(records, began)])


def missing_unsaid(records: Records, began: int) -> dict[str, Any]:
    """Nobody hears of the missing ones

    `missing` is 0 though records never came out. They cannot have a latency, and so no percentile and no
    plot shows them. A figure of their own is all that tells of them.
    """
    return {**_told(_after(records, began)), "missing": 0}


def one_place_too_far(records: Records, began: int) -> dict[str, Any]:
    """A place too far to the right

    Where the percentage falls exactly on a place, the next slower record is taken: of 20 latencies
    p50 is the 10th, at or below which are ten. Python counts places from 0.
    """

    def at(latencies: list[int], percent: int) -> float:
        return latencies[min(len(latencies) - 1, percent * len(latencies) // 100)]

    return _told(_after(records, began), at=at)


def a_place_rounded_down(records: Records, began: int) -> dict[str, Any]:
    """A place rounded down

    A percentile comes out below which fewer records lie than it promises. With 21 latencies 95
    of 100 are 19.95 records: the 20th is the first one at which that many have come out.
    """

    def at(latencies: list[int], percent: int) -> float:
        return latencies[max(0, percent * len(latencies) // 100 - 1)]

    return _told(_after(records, began), at=at)


def a_place_to_the_nearest(records: Records, began: int) -> dict[str, Any]:
    """A part of a place

    With 21 latencies p50 comes out as the 10th, and 10 of 21 are less than half. A place with a part goes up to the next
    whole one, also where the part is small.
    """

    def at(latencies: list[int], percent: int) -> float:
        return latencies[max(0, round(percent * len(latencies) / 100) - 1)]

    return _told(_after(records, began), at=at)


def between_two_records(records: Records, began: int) -> dict[str, Any]:
    """A latency that no record had

    A percentile lies between two latencies, at a value that none of the records had. Interpolating is
    a habit of statistics; the task asks for the latency of a record.
    """

    def at(latencies: list[int], percent: int) -> float:
        place = percent * (len(latencies) - 1) / 100
        low = math.floor(place)
        high = min(low + 1, len(latencies) - 1)
        return latencies[low] + (latencies[high] - latencies[low]) * (place - low)

    return _told(_after(records, began), at=at)


def as_they_came(records: Records, began: int) -> dict[str, Any]:
    """In the order in which they came

    The percentiles are of latencies that stand in the order of the records, not in order of size. Only
    in order does a place say how many are below.
    """
    return _told(_after(records, began), in_order=False)
