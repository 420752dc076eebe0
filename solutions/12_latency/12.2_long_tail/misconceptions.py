"""Ways to explain a long tail wrongly."""

from collections.abc import Callable
from itertools import pairwise
from math import gcd, inf
from statistics import mean, median
from typing import Any

Report = dict[str, Any]


def _is_batch(report: Report) -> bool:
    return report["batchId"] != 0 and "addBatch" in report["durationMs"]


def _spacing(slow: list[int]) -> int | None:
    distances = {later - sooner for sooner, later in pairwise(slow)}
    return distances.pop() if len(slow) > 2 and len(distances) == 1 else None


def _grown(batches: list[Report], slow: list[Report]) -> str:
    """The part that takes more than usual, by the most."""
    parts = {part for report in batches for part in report["durationMs"]} - {"triggerExecution"}
    usual = {p: median(b["durationMs"].get(p, 0) for b in batches) for p in parts}
    return max(parts, key=lambda p: sum(b["durationMs"].get(p, 0) - usual[p] for b in slow))


def _told(
    reports: list[Report],
    *,
    counts: Callable[[Report], bool] = _is_batch,
    usual: Callable[[list[int]], float] = median,
    most: Callable[[list[Report], list[Report]], str] = _grown,
    spacing: Callable[[list[int]], int | None] = _spacing,
) -> dict[str, Any]:
    """The result as it should be, but for what is said."""
    batches = [report for report in reports if counts(report)]
    times = [report["durationMs"]["triggerExecution"] for report in batches]
    slow = [b for b in batches if b["durationMs"]["triggerExecution"] > 1.5 * usual(times)]
    ids = [report["batchId"] for report in slow]
    return {
        "slow": ids,
        "part": most(batches, slow) if slow else None,
        "every": spacing(ids),
    }


def the_largest_part(reports: list[Report]) -> dict[str, Any]:
    """Largest part instead of the part that grew

    `part` is the part that takes the most time in the slow batches. It takes as much time in all
    other batches. Which part takes more than usual there?
    """

    def largest(_batches: list[Report], slow: list[Report]) -> str:
        parts = {part for report in slow for part in report["durationMs"]} - {"triggerExecution"}
        return max(sorted(parts), key=lambda p: sum(b["durationMs"].get(p, 0) for b in slow))

    return _told(reports, most=largest)


def the_whole_for_a_part(reports: list[Report]) -> dict[str, Any]:
    """Whole batch named as a part

    `part` is `triggerExecution`, which is the whole batch and includes all other parts. Which
    parts are left without it?
    """
    return _told(reports, most=lambda _batches, _slow: "triggerExecution")


def against_the_average(reports: list[Report]) -> dict[str, Any]:
    """Average instead of the median

    Slow batches are missing from `slow`. A few very slow batches raise the average, and with it
    your limit. Which value hardly changes because of them?
    """
    return _told(reports, usual=mean)


def the_first_batch_counts(reports: list[Report]) -> dict[str, Any]:
    """Batch 0 among the slow batches

    Batch 0 is in `slow`. It plans the query, creates the checkpoint and waits for the JVM, once
    in the life of a query, so it explains no tail. Where do you leave it out?
    """
    return _told(reports, counts=lambda report: "addBatch" in report["durationMs"])


def idle_reports_count(reports: list[Report]) -> dict[str, Any]:
    """Reports without addBatch counted as batches

    Reports without `addBatch`, all or some of them, count as fast batches. Spark sends such a
    report while it waits for data, with the number of the next batch. With enough of them every
    real batch looks slow. If you remove items from a list while you loop over it: which item does
    the loop skip?
    """
    return _told(reports, counts=lambda report: report["batchId"] != 0)


def two_make_no_rhythm(reports: list[Report]) -> dict[str, Any]:
    """Distance of two slow batches

    `every` has a number although only two batches are slow. Any two batches have a distance. How
    many slow batches does the task require?
    """

    def spacing(slow: list[int]) -> int | None:
        distances = {later - sooner for sooner, later in pairwise(slow)}
        return distances.pop() if len(distances) == 1 else None

    return _told(reports, spacing=spacing)


def the_first_distance(reports: list[Report]) -> dict[str, Any]:
    """Distance that not all neighbors have

    `every` is the distance of some slow batches, and others have a different distance. The task
    requires the same distance for all neighbors. Which distances do you compare?
    """

    def spacing(slow: list[int]) -> int | None:
        return slow[1] - slow[0] if len(slow) > 2 else None

    return _told(reports, spacing=spacing)


def places_for_numbers(reports: list[Report]) -> dict[str, Any]:
    """Positions in the list instead of batchId

    `slow` has positions in the list. The list may begin late, and it includes reports of waiting.
    Which field identifies a batch?
    """
    found = _told(reports)
    places = {r["batchId"]: place for place, r in enumerate(reports) if _is_batch(r)}
    slow = [places[id] for id in found["slow"]]
    return {**found, "slow": slow, "every": _spacing(slow)}


def exactly_at_the_limit(reports: list[Report]) -> dict[str, Any]:
    """Batch exactly at the limit

    A batch that took exactly one and a half times the median is in `slow`; the task says *more
    than*. Which comparison leaves the limit out?
    """
    batches = [report for report in reports if _is_batch(report)]
    limit = 1.5 * median(b["durationMs"]["triggerExecution"] for b in batches)
    slow = [b for b in batches if b["durationMs"]["triggerExecution"] >= limit]
    ids = [report["batchId"] for report in slow]
    return {"slow": ids, "part": _grown(batches, slow) if slow else None, "every": _spacing(ids)}


def _part_by(
    reports: list[Report],
    *,
    usual: Callable[[list[int]], float] = median,
    over: Callable[[Report], bool] = _is_batch,
    unnamed: int | None = 0,
    slow_as_well: bool = True,
    least: float = -inf,
) -> Callable[[list[Report], list[Report]], str]:
    """The part that takes more than usual by the most, but for what is usual; a batch adds `least` or more."""

    def most(batches: list[Report], slow: list[Report]) -> str:
        base = [r for r in reports if over(r) and (slow_as_well or r not in slow)]
        parts = {part for report in batches for part in report["durationMs"]} - {"triggerExecution"}

        def beyond(part: str) -> float:
            found = [report["durationMs"].get(part, unnamed) for report in base]
            times = [time for time in found if time is not None]
            often = usual(times) if times else 0
            return sum(max(least, report["durationMs"].get(part, 0) - often) for report in slow)

        return max(sorted(parts), key=beyond)

    return most


def parts_where_they_are_named(reports: list[Report]) -> dict[str, Any]:
    """Part that most batches do not have

    Your result lacks a part that only the slow batches have. Either its median is over the
    batches that have it, although a missing part means 0 ms. Or your function looks at the parts
    of a single batch. Over which batches is your median?
    """
    return _told(reports, most=_part_by(reports, unnamed=None))


def batch_0_in_the_medians(reports: list[Report]) -> dict[str, Any]:
    """Batch 0 in the medians

    Batch 0 is not in `slow`, but its times are in the medians. With few batches it changes them,
    and a slow batch looks normal. Which batches count for a median?
    """
    everything = [report for report in reports if "addBatch" in report["durationMs"]]
    limit = 1.5 * median(report["durationMs"]["triggerExecution"] for report in everything)
    slow = [
        report
        for report in everything
        if report["batchId"] != 0 and report["durationMs"]["triggerExecution"] > limit
    ]
    most = _part_by(reports, over=lambda report: "addBatch" in report["durationMs"])
    ids = [report["batchId"] for report in slow]
    part = most([r for r in everything if _is_batch(r)], slow) if slow else None
    return {"slow": ids, "part": part, "every": _spacing(ids)}


def waiting_in_the_medians(reports: list[Report]) -> dict[str, Any]:
    """Reports without addBatch in the medians

    `slow` is right, and `part` is a part that takes as much time in every batch. The medians of
    the parts include reports of waiting. With enough of them a median is 0, and every large part
    seems to have grown. Which reports count for a median?
    """
    return _told(reports, most=_part_by(reports, over=lambda report: report["batchId"] != 0))


def below_the_median_is_nothing(reports: list[Report]) -> dict[str, Any]:
    """Negative differences not subtracted

    Two slow batches spend more on your part, and a third one much less. The sum is over all slow
    batches, and a difference below the median is negative. What do you do with negative
    differences?
    """
    return _told(reports, most=_part_by(reports, least=0))


def the_usual_without_the_slow(reports: list[Report]) -> dict[str, Any]:
    """Usual time of a part if many batches are slow

    With two slow batches of five your `part` is wrong. Either the median of a part leaves the
    slow batches out; the task takes it over all batches that count. Or you subtract it once from
    the sum, not once per slow batch. Which of the two is it?
    """
    return _told(reports, most=_part_by(reports, slow_as_well=False))


def the_average_of_a_part(reports: list[Report]) -> dict[str, Any]:
    """Average of a part instead of its median

    Your `part` fits an average of each part, over all batches or over those that are not slow. A
    few unusual batches change an average. Which value does the task take per part?
    """
    return _told(reports, most=_part_by(reports, usual=mean))


def no_part_that_grew(reports: list[Report]) -> dict[str, Any]:
    """None for a sum of 0 or less

    A batch is slow, and `part` is None. No part took more than its median in it: the time went to
    something without a name. The task still names the part with the largest sum. With which value
    does your search for the maximum begin?
    """
    found = _told(reports)
    batches = [report for report in reports if _is_batch(report)]
    slow = [report for report in batches if report["batchId"] in found["slow"]]
    if not slow:
        return found
    part = found["part"]
    usual = median(report["durationMs"].get(part, 0) for report in batches)
    grown = sum(report["durationMs"].get(part, 0) - usual for report in slow)
    return {**found, "part": part if grown > 0 else None}


def a_part_where_nothing_is_slow(reports: list[Report]) -> dict[str, Any]:
    """Part named without a slow batch

    No batch is slow, and `part` has a name. All sums are 0 then, and the first part wins. What
    does the task return if no batch is slow?
    """
    found = _told(reports)
    return found if found["slow"] else {**found, "part": "addBatch"}


def a_common_divisor(reports: list[Report]) -> dict[str, Any]:
    """Common divisor of different distances

    `every` is a number that divides all distances, but the distances differ. The task requires
    the same distance for all neighbors. How many different distances are there?
    """

    def spacing(slow: list[int]) -> int | None:
        return gcd(*(later - sooner for sooner, later in pairwise(slow))) if len(slow) > 2 else None

    return _told(reports, spacing=spacing)


def the_first_distance_and_the_last(reports: list[Report]) -> dict[str, Any]:
    """First and last distance compared only

    The first and the last distance are equal, and one in between differs. The task requires the
    same distance for all neighbors. Which distances do you compare?
    """

    def spacing(slow: list[int]) -> int | None:
        ends = len(slow) > 2 and slow[1] - slow[0] == slow[-1] - slow[-2]
        return slow[1] - slow[0] if ends else None

    return _told(reports, spacing=spacing)
