"""Answers to 12.2: long tails explained in other ways, right and wrong."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median, median_low, multimode
from typing import Any

import numpy as np
import pandas as pd

Times = dict[str, int]


def _batches(reports: list[dict]) -> dict[int, Times]:
    return {
        report["batchId"]: report["durationMs"]
        for report in reports
        if report["batchId"] > 0 and "addBatch" in report["durationMs"]
    }


def _slow(
    batches: dict[int, Times],
    by: str = "triggerExecution",
    factor: float = 1.5,
    usual: Callable[[Iterable[int]], float] = median,
) -> list:
    limit = factor * usual(times[by] for times in batches.values())
    return [id for id, times in batches.items() if times[by] > limit]


def _beyond(batches: dict[int, Times], slow: list[int]) -> dict[str, list[float]]:
    """By part how far each slow batch is beyond the part's median."""
    parts = sorted({part for times in batches.values() for part in times} - {"triggerExecution"})
    usual = {part: median(t.get(part, 0) for t in batches.values()) for part in parts}
    return {part: [batches[id].get(part, 0) - usual[part] for id in slow] for part in parts}


def _every(slow: list[int]) -> int | None:
    distances = {later - sooner for sooner, later in pairwise(slow)}
    return distances.pop() if len(slow) > 2 and len(distances) == 1 else None


def _told(
    reports: list[dict],
    of: Callable[[list[float]], float] = sum,
    slow_of: Callable[[dict[int, Times]], list[int]] = _slow,
) -> dict[str, Any]:
    batches = _batches(reports)
    slow = slow_of(batches)
    beyond = _beyond(batches, slow)
    part = max(beyond, key=lambda name: of(beyond[name])) if slow else None
    return {"slow": slow, "part": part, "every": _every(slow)}


def right_in_whole_numbers(reports: list[dict]) -> dict:
    """Doubles every median, so that there are no halves: 4 times a batch against 3 times that."""

    def doubled(numbers: list[int]) -> int:
        in_order, half = sorted(numbers), len(numbers) // 2
        return in_order[half] + in_order[half - 1 + len(numbers) % 2]

    ids, rows = [], []
    for report in reports:
        times = report["durationMs"]
        if report["batchId"] and times.get("addBatch") is not None:
            ids.append(report["batchId"])
            rows.append(times)
    usual = doubled([row["triggerExecution"] for row in rows])
    slow = [i for i, row in enumerate(rows) if 4 * row["triggerExecution"] > 3 * usual]
    most, part = None, None
    for name in {name for row in rows for name in row if name != "triggerExecution"}:
        column = [row.get(name, 0) for row in rows]
        more = sum(2 * column[i] for i in slow) - len(slow) * doubled(column)
        if slow and (most is None or more > most):
            most, part = more, name
    numbers = [ids[i] for i in slow]
    regular = len(slow) >= 3 and all(b - a == numbers[1] - numbers[0] for a, b in pairwise(numbers))
    return {"slow": numbers, "part": part, "every": numbers[1] - numbers[0] if regular else None}


def right_with_a_matrix(reports: list[dict]) -> dict:
    """numpy: a row for each batch, a column for each part."""
    batches = [r for r in reports if r["batchId"] != 0 and "addBatch" in r["durationMs"]]
    parts = sorted({p for r in batches for p in r["durationMs"] if p != "triggerExecution"})
    matrix = np.array([[r["durationMs"].get(p, 0) for p in parts] for r in batches], dtype=float)
    whole = np.array([r["durationMs"]["triggerExecution"] for r in batches])
    is_slow = whole > 1.5 * np.median(whole)
    slow = np.array([r["batchId"] for r in batches])[is_slow]
    beyond = (matrix[is_slow] - np.median(matrix, axis=0)).sum(axis=0)
    gaps = np.diff(slow)
    return {
        "every": int(gaps[0]) if len(gaps) >= 2 and (gaps == gaps[0]).all() else None,
        "part": parts[int(np.argmax(beyond))] if is_slow.any() else None,
        "slow": slow.tolist(),
    }


@dataclass
class _Batch:
    id: int
    times: Times

    @property
    def whole(self) -> int:
        return self.times["triggerExecution"]


def right_with_a_class(reports: list[dict]) -> dict:
    """Batches as objects, parts in a defaultdict that has a column for each."""
    batches = [_Batch(r["batchId"], r["durationMs"]) for r in reports]
    batches = [batch for batch in batches if batch.id and "addBatch" in batch.times]
    usual = median(batch.whole for batch in batches)
    slow = [batch for batch in batches if batch.whole / usual > 1.5]
    columns: dict[str, list[int]] = defaultdict(lambda: [0] * len(batches))
    for place, batch in enumerate(batches):
        for part, time in batch.times.items():
            columns[part][place] = time
    del columns["triggerExecution"]
    gains = {
        part: sum(batch.times.get(part, 0) for batch in slow) - len(slow) * median(column)
        for part, column in columns.items()
    }
    found = [batch.id for batch in slow]
    every = None
    if len(found) > 2 and found == [
        found[0] + n * (found[1] - found[0]) for n in range(len(found))
    ]:
        every = found[1] - found[0]
    return {"slow": found, "part": max(gains, key=gains.get) if slow else None, "every": every}


def right_early_return(reports: list[dict]) -> dict:
    """Gives up where nothing is slow; else sorts parts by what they have beyond their median."""
    batches = _batches(reports)
    slow = [id for id in sorted(batches) if id in _slow(batches)]
    if not slow:
        return {"slow": [], "part": None, "every": None}
    ranked = sorted((sum(more), part) for part, more in _beyond(batches, slow).items())
    gaps = [slow[n + 1] - slow[n] for n in range(len(slow) - 1)]
    every = gaps[0] if len(gaps) > 1 and gaps.count(gaps[0]) == len(gaps) else None
    return {"slow": slow, "part": ranked[-1][1], "every": every}


def right_filled_up_first(reports: list[dict]) -> dict:
    """Gives every batch every part, 0 where it names none, and goes on with full rows."""
    kept = list(filter(lambda r: r["batchId"] != 0 and "addBatch" in r["durationMs"], reports))
    names = set().union(*(r["durationMs"] for r in kept))
    rows = {r["batchId"]: dict.fromkeys(names, 0) | r["durationMs"] for r in kept}
    usual = {name: median(row[name] for row in rows.values()) for name in names}
    slow = [
        id
        for id, row in rows.items()
        if 2 * row["triggerExecution"] > 3 * usual["triggerExecution"]
    ]
    gains: Counter[str] = Counter()
    for id in slow:
        for name in names - {"triggerExecution"}:
            gains[name] += rows[id][name] - usual[name]
    part = gains.most_common(1)[0][0] if gains else None
    steps = {b - a for a, b in pairwise(slow)}
    return {
        "slow": slow,
        "part": part,
        "every": min(steps) if len(slow) > 2 and len(steps) == 1 else None,
    }


def wrong_twice_the_median(reports: list[dict]) -> dict:
    """Slow is what takes more than twice the median; one and a half times is asked for."""
    batches = _batches(reports)
    slow = _slow(batches, factor=2)
    beyond = _beyond(batches, slow)
    part = max(beyond, key=lambda name: sum(beyond[name])) if slow else None
    return {"slow": slow, "part": part, "every": _every(slow)}


def wrong_slow_by_add_batch(reports: list[dict]) -> dict:
    """Goes by addBatch, not by the whole batch: a slow latestOffset is no slow batch then."""
    batches = _batches(reports)
    slow = _slow(batches, by="addBatch")
    beyond = _beyond(batches, slow)
    part = max(beyond, key=lambda name: sum(beyond[name])) if slow else None
    return {"slow": slow, "part": part, "every": _every(slow)}


def wrong_upper_of_two_in_the_middle(reports: list[dict]) -> dict:
    """A median of one's own that takes the upper of the two in the middle, for limit and parts."""

    def middle(numbers: list[int]) -> int:
        return sorted(numbers)[len(numbers) // 2]

    batches = _batches(reports)
    limit = 1.5 * middle([times["triggerExecution"] for times in batches.values()])
    slow = [id for id, times in batches.items() if times["triggerExecution"] > limit]
    parts = sorted({p for times in batches.values() for p in times} - {"triggerExecution"})

    def more(part: str) -> int:
        usual = middle([times.get(part, 0) for times in batches.values()])
        return sum(batches[id].get(part, 0) - usual for id in slow)

    return {"slow": slow, "part": max(parts, key=more) if slow else None, "every": _every(slow)}


def wrong_each_slow_batch_has_a_vote(reports: list[dict]) -> dict:
    """The part that is the most beyond its median in most of the slow batches; the sum is asked for."""
    batches = _batches(reports)
    slow = _slow(batches)
    beyond = _beyond(batches, slow)
    votes = [max(beyond, key=lambda name: beyond[name][place]) for place in range(len(slow))]
    return {"slow": slow, "part": multimode(votes)[0] if slow else None, "every": _every(slow)}


def wrong_only_what_is_above(reports: list[dict]) -> dict:
    """Adds up only what is above the median.

    "a slow batch that is below the median adds less than nothing".
    """
    return _told(reports, of=lambda more: sum(max(0, one) for one in more))


def wrong_largest_of_one_batch(reports: list[dict]) -> dict:
    """The largest excess of a single slow batch, not of all together."""
    return _told(reports, of=max)


def wrong_times_the_usual(reports: list[dict]) -> dict:
    """How many times the usual a part takes in the slow batches, not how many milliseconds more."""
    batches = _batches(reports)
    slow = _slow(batches)
    parts = sorted({p for times in batches.values() for p in times} - {"triggerExecution"})

    def growth(part: str) -> float:
        usual = median(times.get(part, 0) for times in batches.values())
        return sum(batches[id].get(part, 0) for id in slow) / max(usual, 1)

    return {"slow": slow, "part": max(parts, key=growth) if slow else None, "every": _every(slow)}


def wrong_first_distance_and_last(reports: list[dict]) -> dict:
    """Compares the first distance with the last, and not those in between."""
    told = _told(reports)
    slow = told["slow"]
    regular = len(slow) > 2 and slow[1] - slow[0] == slow[-1] - slow[-2]
    return {**told, "every": slow[1] - slow[0] if regular else None}


def wrong_commonest_distance(reports: list[dict]) -> dict:
    """The distance that most neighbours have; all have to have it."""
    told = _told(reports)
    slow = told["slow"]
    distances = Counter(later - sooner for sooner, later in pairwise(slow))
    return {**told, "every": distances.most_common(1)[0][0] if len(slow) > 2 else None}


def wrong_first_report_left_out(reports: list[dict]) -> dict:
    """Leaves out the first report, whatever its number: a list may begin with batch 1."""
    return _told(reports[1:])


def wrong_a_part_where_nothing_is_slow(reports: list[dict]) -> dict:
    """Names a part where no batch is slow: every sum is 0, and max gives the first."""
    batches = _batches(reports)
    slow = _slow(batches)
    beyond = _beyond(batches, slow)
    part = max(beyond, key=lambda name: sum(beyond[name]))
    return {"slow": slow, "part": part, "every": _every(slow)}


def wrong_parts_in_a_list(reports: list[dict]) -> dict:
    """The part of each slow batch, in a list; one name over all of them is asked for."""
    batches = _batches(reports)
    slow = _slow(batches)
    beyond = _beyond(batches, slow)
    parts = [max(beyond, key=lambda name: beyond[name][place]) for place in range(len(slow))]
    return {"slow": slow, "part": sorted(set(parts)), "every": _every(slow)}


def wrong_medians_of_all_reports(reports: list[dict]) -> dict:
    """Slow batches by those that count, the medians of the parts over all reports, waiting and batch 0 included."""
    batches = _batches(reports)
    slow = _slow(batches)
    all_times = [report["durationMs"] for report in reports]
    parts = sorted({p for times in batches.values() for p in times} - {"triggerExecution"})

    def beyond(part: str) -> float:
        usual = median(times.get(part, 0) for times in all_times)
        return sum(batches[id].get(part, 0) - usual for id in slow)

    return {"slow": slow, "part": max(parts, key=beyond) if slow else None, "every": _every(slow)}


def wrong_medians_of_waiting_too(reports: list[dict]) -> dict:
    """As above, without batch 0."""
    return wrong_medians_of_all_reports([report for report in reports if report["batchId"]])


def wrong_only_the_parts_of_the_lesson(reports: list[dict]) -> dict:
    """Goes through the parts that the lesson's table has; a report may have others."""
    table = ("latestOffset", "walCommit", "queryPlanning", "getBatch", "addBatch", "commitOffsets")
    names = {*table, "triggerExecution"}
    return _told(
        [
            {**r, "durationMs": {p: time for p, time in r["durationMs"].items() if p in names}}
            for r in reports
        ]
    )


def wrong_distance_of_places(reports: list[dict]) -> dict:
    """How many batches that count lie between the slow ones; their numbers are asked for, and one may be missing."""
    told = _told(reports)
    batches = list(_batches(reports))
    return {**told, "every": _every([batches.index(id) for id in told["slow"]])}


def wrong_lower_of_two_in_the_middle(reports: list[dict]) -> dict:
    """median_low in place of the median for the limit."""
    return _told(reports, slow_of=lambda batches: _slow(batches, usual=median_low))


def wrong_limit_rounded(reports: list[dict]) -> dict:
    """Rounds the limit to whole milliseconds: 151.5 becomes 152."""

    def limit(times: Iterable[int]) -> float:
        return round(1.5 * median(times))

    return _told(reports, slow_of=lambda batches: _slow(batches, factor=1, usual=limit))


def wrong_no_time_for_add_batch(reports: list[dict]) -> dict:
    """Takes a batch that spent 0 ms on addBatch for one that does not name it."""
    return _told([report for report in reports if report["durationMs"].get("addBatch")])


def right_a_long_table(reports: list[dict]) -> dict:
    """pandas: a row for each batch and part, made wide with 0 where nothing is named."""
    rows = [
        (number, part, time)
        for number, times in _batches(reports).items()
        for part, time in times.items()
    ]
    wide = (
        pd.DataFrame(rows, columns=["number", "part", "time"])
        .pivot(index="number", columns="part", values="time")
        .fillna(0)
    )
    whole = wide.pop("triggerExecution")
    is_slow = whole > 1.5 * whole.median()
    more = wide[is_slow].sum() - wide.median() * is_slow.sum()
    slow = [number for number in _batches(reports) if is_slow.loc[number]]
    return {"slow": slow, "part": more.idxmax() if slow else None, "every": _every(slow)}


def wrong_greatest_common_divisor(reports: list[dict]) -> dict:
    """The greatest common divisor of the distances: of 10 and 20 that is 10, and there is no rhythm."""
    told = _told(reports)
    gaps = [later - sooner for sooner, later in pairwise(told["slow"])]
    every = math.gcd(*gaps) if len(gaps) > 1 else None
    return {**told, "every": every if every != 1 else None}


def wrong_same_remainder(reports: list[dict]) -> dict:
    """Asks whether all numbers leave the same remainder: 5, 10 and 20 do, and one distance is 10."""
    told = _told(reports)
    slow = told["slow"]
    every = slow[1] - slow[0] if len(slow) > 2 else None
    if every and any(number % every != slow[0] % every for number in slow):
        every = None
    return {**told, "every": every}


def wrong_a_part_must_have_grown(reports: list[dict]) -> dict:
    """Begins with a largest sum of 0: where every part took less than usual, None comes out.

    A slow batch of addBatch 78, walCommit 9, commitOffsets 7 and 106 without a name, beside 80, 10 and 10:
    the largest sum is -1, of walCommit.
    """
    batches = _batches(reports)
    slow = _slow(batches)
    part, most = None, 0.0
    for name, more in _beyond(batches, slow).items():
        if sum(more) > most:
            part, most = name, sum(more)
    return {"slow": slow, "part": part, "every": _every(slow)}


def wrong_neighbours_are_no_rhythm(reports: list[dict]) -> dict[str, Any]:
    """No rhythm where slow batches follow one another: of 5, 6 and 7 the distance is 1, and all have it."""
    told = _told(reports)
    return {**told, "every": None if told["every"] == 1 else told["every"]}
