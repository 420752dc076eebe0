"""Ways to explain a long tail wrongly."""

from collections.abc import Callable
from itertools import pairwise
from math import inf
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
    """What is large in every batch

    The part named is the one that takes the most time in the slow batches. It takes as much in all the
    others. What makes a batch slow is what it has more of than usual.
    """

    def largest(_batches: list[Report], slow: list[Report]) -> str:
        parts = {part for report in slow for part in report["durationMs"]} - {"triggerExecution"}
        return max(sorted(parts), key=lambda p: sum(b["durationMs"].get(p, 0) for b in slow))

    return _told(reports, most=largest)


def the_whole_for_a_part(reports: list[Report]) -> dict[str, Any]:
    """triggerExecution is the whole

    `part` is `triggerExecution`: the batch is slow because the batch is slow. That figure holds all the
    others.
    """
    return _told(reports, most=lambda _batches, _slow: "triggerExecution")


def against_the_average(reports: list[Report]) -> dict[str, Any]:
    """A tail that lifts its own limit

    Slow batches are missing from `slow`. The average of the batches contains the very tail that is
    looked for: a few batches of many seconds raise it until others pass below. The median hardly notices them.
    """
    return _told(reports, usual=mean)


def the_first_batch_counts(reports: list[Report]) -> dict[str, Any]:
    """Batch 0 is slow for reasons of its own

    Batch 0 stands in `slow`. It plans the query, makes the checkpoint and waits for Java to compile;
    it comes once in the life of a query and explains no tail.
    """
    return _told(reports, counts=lambda report: "addBatch" in report["durationMs"])


def idle_reports_count(reports: list[Report]) -> dict[str, Any]:
    """Reports of batches that did not run

    Reports without `addBatch`, all or some of them, were counted as quick batches. Spark sends such a report while it
    waits for data; it carries the number of the batch that is to come. With enough of them every real batch looks slow.
    (A loop that removes from the list that it goes through skips the one behind.)
    """
    return _told(reports, counts=lambda report: report["batchId"] != 0)


def two_make_no_rhythm(reports: list[Report]) -> dict[str, Any]:
    """A rhythm from two batches

    `every` has a number where only two batches were slow. Any two have a distance. It takes a third one
    at the same distance to call it a rhythm.
    """

    def spacing(slow: list[int]) -> int | None:
        distances = {later - sooner for sooner, later in pairwise(slow)}
        return distances.pop() if len(distances) == 1 else None

    return _told(reports, spacing=spacing)


def the_first_distance(reports: list[Report]) -> dict[str, Any]:
    """A distance that not all of them keep

    `every` is the distance of some slow batches, and others of the same query keep another. A rhythm holds for all of
    them, or there is none.
    """

    def spacing(slow: list[int]) -> int | None:
        return slow[1] - slow[0] if len(slow) > 2 else None

    return _told(reports, spacing=spacing)


def places_for_numbers(reports: list[Report]) -> dict[str, Any]:
    """Places in the list

    `slow` has the places of the reports in the list. The list may begin late and has idle reports in it;
    a batch is known by its `batchId`, which also names its files in the checkpoint.
    """
    found = _told(reports)
    places = {r["batchId"]: place for place, r in enumerate(reports) if _is_batch(r)}
    slow = [places[id] for id in found["slow"]]
    return {**found, "slow": slow, "every": _spacing(slow)}


def exactly_at_the_limit(reports: list[Report]) -> dict[str, Any]:
    """Exactly at the limit

    A batch that took exactly one and a half times the median stands in `slow`; the task asks for *more
    than* that.
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
    """A part that most batches do not have

    A part that only the slow batches name is not found. Either its median was taken over the batches that name it, and then
    it looks as if it were as usual: who does not name it spent 0 ms on it. Or only the parts of one batch were gone
    through, and it is not among them.
    """
    return _told(reports, most=_part_by(reports, unnamed=None))


def batch_0_in_the_medians(reports: list[Report]) -> dict[str, Any]:
    """Batch 0 in the medians

    Batch 0 does not stand in `slow`, but its times are in the medians. Where batches are few it moves them, and what is
    slow looks usual.
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
    """Waiting in the medians

    `slow` is right, and `part` is one that takes as much in every batch. Reports without `addBatch` are in the medians of
    the parts: with enough of them a median is 0, and what is always large looks as if it had grown.
    """
    return _told(reports, most=_part_by(reports, over=lambda report: report["batchId"] != 0))


def below_the_median_is_nothing(reports: list[Report]) -> dict[str, Any]:
    """A slow batch that spends less

    Of a part that two slow batches spend more on, and a third one much less, `part` has its name. The sum is over all
    slow batches: what the third one is below the median is taken off, and another part has more.
    """
    return _told(reports, most=_part_by(reports, least=0))


def the_usual_without_the_slow(reports: list[Report]) -> dict[str, Any]:
    """What is usual, where many batches are slow

    With two slow batches of five `part` is another one. Either the median of a part leaves the slow batches out: the task
    takes it over all batches that count, one figure for what is usual, whatever is called slow. Or it was taken off
    once from the sum, and not once for each slow batch.
    """
    return _told(reports, most=_part_by(reports, slow_as_well=False))


def the_average_of_a_part(reports: list[Report]) -> dict[str, Any]:
    """An average of a part

    `part` comes out as if it went by an average of each part, over all batches or over those that are not slow. A few
    batches that spent their time elsewhere move an average; the median over all that count stays where most of them are.
    """
    return _told(reports, most=_part_by(reports, usual=mean))
