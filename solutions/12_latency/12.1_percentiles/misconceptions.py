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
    """Average instead of the median

    p50 is the sum of the latencies divided by their number, rounded. One record of a minute among
    a hundred records of ten milliseconds moves that to 600 ms, and no record took 600 ms. Which
    record is in the middle?
    """

    def at(latencies: list[int], percent: int) -> float:
        average = round(sum(latencies) / len(latencies))
        return average if percent == 50 else _nearest(latencies, percent)

    return _told(_after(records, began), at=at)


def negatives_in_the_percentiles(records: Records, began: int) -> dict[str, Any]:
    """Negative latencies in the percentiles

    Latencies below 0 are in the percentiles and make some of them too small. Such a record was
    timed by two clocks that differ, so its real latency is unknown. In which of the five numbers
    does it belong?
    """
    return _told(_after(records, began), below=-(10**12))


def negatives_taken_for_zero(records: Records, began: int) -> dict[str, Any]:
    """Negative latencies set to 0

    Latencies below 0 count as 0 in the percentiles. That turns a fault of the clocks into a
    record that took no time: the more clocks are wrong, the better the percentiles look. In which
    of the five numbers does such a record belong?
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
    """Latency of 0 left out

    Latencies of exactly 0 are in no percentile. Both times were in the same millisecond; the task
    takes latencies of 0 *or more*. Which comparison includes 0?
    """
    return _told(_after(records, began), below=1)


def warm_up_counts(records: Records, began: int) -> dict[str, Any]:
    """Warm-up in the result

    Records that were made before `began` are in the percentiles, in `negative` and in `missing`.
    They measure the start of the JVM, not the query. Where do you leave them out?
    """
    return _told(records)


def just_then_left_out(records: Records, began: int) -> dict[str, Any]:
    """Record made exactly at `began` left out

    A record that was made exactly at `began` is in no number. The task includes it. Which
    comparison do you use?
    """
    return _told([record for record in records if record["made"] > began])


def warm_up_by_the_end(records: Records, began: int) -> dict[str, Any]:
    """Warm-up decided by `written`

    Records that were made before `began` and written after it are in the result. They are the
    slow ones, because they waited while the JVM was still starting. Which of the two times
    decides?
    """
    return _told([r for r in records if r["written"] is None or r["written"] >= began])


def warm_up_in_the_heaps(records: Records, began: int) -> dict[str, Any]:
    """Warm-up in `negative` or `missing`

    The percentiles leave the warm-up out, but `negative` or `missing` include its records. A
    record that was made before `began` counts in no number. Which list do you count these two
    from?
    """
    everything = _told(records)
    return {
        **_told(_after(records, began)),
        "negative": everything["negative"],
        "missing": everything["missing"],
    }


def missing_as_no_time(records: Records, began: int) -> dict[str, Any]:
    """Missing record counted as a latency of 0

    Records without `written` are in the percentiles with 0. A query that lost half of its records
    would have the best p50 of all. In which of the five numbers does such a record belong?
    """
    counted = _after(records, began)
    filled = [
        {**r, "written": r["made"] if r["written"] is None else r["written"]} for r in counted
    ]
    return {**_told(filled), "missing": sum(r["written"] is None for r in counted)}


def zero_for_none(records: Records, began: int) -> dict[str, Any]:
    """Time of 0 taken for None

    A record that was written at 0 is among the missing. In Python both 0 and None are false, but
    only None means that the record was never written. How do you compare with None?
    """
    return _told([{**r, "written": r["written"] or None} for r in _after(records, began)])


def missing_unsaid(records: Records, began: int) -> dict[str, Any]:
    """Missing records not counted

    `missing` is 0 although some records were never written. They have no latency, so no
    percentile shows them. Where do you count them?
    """
    return {**_told(_after(records, began)), "missing": 0}


def one_place_too_far(records: Records, began: int) -> dict[str, Any]:
    """Percentile rank one too high

    If the percentage falls exactly on a rank, your function takes the next slower record. Of 20
    latencies p50 is the 10th, because ten are not slower. Python counts places from 0. How do you
    turn a rank into a place?
    """

    def at(latencies: list[int], percent: int) -> float:
        return latencies[min(len(latencies) - 1, percent * len(latencies) // 100)]

    return _told(_after(records, began), at=at)


def a_place_rounded_down(records: Records, began: int) -> dict[str, Any]:
    """Percentile rank rounded down

    Fewer records than promised are at or below your percentile. With 21 latencies 95 percent are
    19.95 records: the 20th is the first that reaches them. In which direction do you round the
    rank?
    """

    def at(latencies: list[int], percent: int) -> float:
        return latencies[max(0, percent * len(latencies) // 100 - 1)]

    return _told(_after(records, began), at=at)


def a_place_to_the_nearest(records: Records, began: int) -> dict[str, Any]:
    """Percentile rank rounded to the nearest integer

    With 21 latencies your p50 is the 10th, and 10 of 21 are less than half. A fractional rank is
    rounded up, even if the fraction is small. Which function rounds up?
    """

    def at(latencies: list[int], percent: int) -> float:
        return latencies[max(0, round(percent * len(latencies) / 100) - 1)]

    return _told(_after(records, began), at=at)


def between_two_records(records: Records, began: int) -> dict[str, Any]:
    """Interpolated percentile

    A percentile is between two latencies, at a value that no record had. Many libraries
    interpolate; the task requires the latency of a record (nearest rank). Which method does your
    library use?
    """

    def at(latencies: list[int], percent: int) -> float:
        place = percent * (len(latencies) - 1) / 100
        low = math.floor(place)
        high = min(low + 1, len(latencies) - 1)
        return latencies[low] + (latencies[high] - latencies[low]) * (place - low)

    return _told(_after(records, began), at=at)


def as_they_came(records: Records, began: int) -> dict[str, Any]:
    """Unsorted latencies

    The percentiles are from a list in the order of the records, not in order of size. A rank
    counts the latencies that are not larger only if the list is sorted. Where do you sort?
    """
    return _told(_after(records, began), in_order=False)


def zero_where_nothing_was_measured(records: Records, began: int) -> dict[str, Any]:
    """Percentile of 0 without any latency

    If no latency of 0 or more was measured, your percentiles are 0. That looks like the best
    possible result. What does the task return for a percentile that does not exist?
    """
    told = _told(_after(records, began))
    return {name: 0 if value is None else value for name, value in told.items()}
