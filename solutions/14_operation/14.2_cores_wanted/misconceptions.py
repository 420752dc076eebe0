"""Rules that scale too soon, too far, or the wrong way."""

import math
from collections.abc import Callable
from typing import Any

Report = dict[str, Any]
Shares = list[float]


def _behind(report: Report) -> bool:
    texts = [s.get("metrics", {}).get("maxOffsetsBehindLatest", "0") for s in report["sources"]]
    return any(text != "0" for text in texts)


def _with_data(reports: list[Report]) -> list[Report]:
    return [report for report in reports if report["numInputRows"] > 0]


def _shares(reports: list[Report], interval_ms: int, part: str = "triggerExecution") -> Shares:
    return [report["durationMs"][part] / interval_ms for report in reports]


def _long(shares: Shares) -> bool:
    return len(shares) >= 3 and min(shares[-3:]) > 0.8


def _short(shares: Shares) -> bool:
    return len(shares) >= 5 and max(shares[-5:]) < 0.3


def _wanted(
    reports: list[Report],
    interval_ms: int,
    cores: int,
    fewest: int,
    most: int,
    long: Callable[[Shares], bool] = _long,
    short: Callable[[Shares], bool] = _short,
    behind: Callable[[Report], bool] = _behind,
    counted: Callable[[list[Report]], list[Report]] = _with_data,
    part: str = "triggerExecution",
) -> int:
    """The right rule, of which any part may be another."""
    counts = counted(reports)
    shares = _shares(counts, interval_ms, part)
    if long(shares):
        cores = cores * 2
    elif short(shares) and not behind(counts[-1]):
        cores = math.ceil(cores / 2)
    return min(max(cores, fewest), most)


def by_duration_alone(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Fewer cores although the query is behind

    Your answer removes cores while the query is behind. Its batches are short because `maxOffsetsPerTrigger` lets
    little in, not because little arrives. What does rule 4 require besides short batches?
    """
    return _wanted(reports, interval_ms, cores, fewest, most, behind=lambda _: False)


def empty_batches_count(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Batches without data counted

    Batches without data are counted with the others. They interrupt a row of long batches, or make a row of short
    ones. They close windows and read nothing. Which batches say something about the load?
    """
    return _wanted(reports, interval_ms, cores, fewest, most, counted=list)


def on_average(reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int) -> int:
    """Average of the batches in place of each

    The cores change because of a single batch. The average passes the limit because this batch is very long, or
    because the others are very short. Does *each* of the newest three, or five, pass it?
    """
    return _wanted(
        reports,
        interval_ms,
        cores,
        fewest,
        most,
        long=lambda shares: len(shares) >= 3 and sum(shares[-3:]) / 3 > 0.8,
        short=lambda shares: len(shares) >= 5 and sum(shares[-5:]) / 5 < 0.3,
    )


def too_few_are_enough(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Fewer batches than the rule needs

    The cores change after fewer than three, or five, batches: there are no more reports yet. `all(…)` is true for
    an empty list. How many batches does each rule need?
    """
    return _wanted(
        reports,
        interval_ms,
        cores,
        fewest,
        most,
        long=lambda shares: bool(shares) and min(shares[-3:]) > 0.8,
        short=lambda shares: bool(shares) and max(shares[-5:]) < 0.3,
    )


def half_a_core(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> float:
    """Half of an odd number not rounded

    Your answer is 3.5 for 7 cores. `/` gives a fraction. Which way does the task round it?
    """
    counted = _with_data(reports)
    shares = _shares(counted, interval_ms)
    wanted: float = cores
    if _long(shares):
        wanted = cores * 2
    elif _short(shares) and not _behind(counted[-1]):
        wanted = cores / 2
    return min(max(wanted, fewest), most)


def rounded_to_even(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Half rounded to the even number

    Your answer is 4 for 7 cores and also 4 for 9: `round` rounds a half to the even number. Which function always
    rounds up?
    """
    counted = _with_data(reports)
    shares = _shares(counted, interval_ms)
    if _short(shares) and not _long(shares) and not _behind(counted[-1]):
        return min(max(round(cores / 2), fewest), most)
    return _wanted(reports, interval_ms, cores, fewest, most)


def text_is_true(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """String "0" taken for true

    Your answer keeps the cores if a source reports the lag "0", as if it were behind. In an `if` or an `any(…)`
    every string except the empty one is true. Where do you convert it to a number?
    """

    def told(report: Report) -> bool:
        return any(s.get("metrics", {}).get("maxOffsetsBehindLatest") for s in report["sources"])

    return _wanted(reports, interval_ms, cores, fewest, most, behind=told)


def bounds_of_changes(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Bounds applied only to changes

    If neither rule applies, more cores than `most` or fewer than `fewest` stay as they are. The bounds hold for
    the present number, too, because they may have been changed. Where do you apply them?
    """
    changed = _wanted(reports, interval_ms, cores, 1, 1_000_000)
    return cores if changed == cores else min(max(changed, fewest), most)


def down_as_soon_as_up(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Cores removed after three short batches

    Your answer removes cores after three or four short batches. To remove them late costs a little money; to
    remove them early costs a lag and a restart. How many short batches does rule 4 need?
    """
    return _wanted(
        reports,
        interval_ms,
        cores,
        fewest,
        most,
        short=lambda shares: len(shares) >= 3 and max(shares[-3:]) < 0.3,
    )


def limits_belong_to_it(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Share of exactly 0.8 or 0.3 counted

    The cores change if a batch takes exactly 0.8 or 0.3 of the interval. The rules say *above* and *below*. Which
    comparisons do you use?
    """
    return _wanted(
        reports,
        interval_ms,
        cores,
        fewest,
        most,
        long=lambda shares: len(shares) >= 3 and min(shares[-3:]) >= 0.8,
        short=lambda shares: len(shares) >= 5 and max(shares[-5:]) <= 0.3,
    )


def without_bounds(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """No bounds

    The result is above `most` or below `fewest`. A rule that is wrong while the query is unattended doubles again
    and again, and the bounds limit what that costs. Where do you apply them?
    """
    return _wanted(reports, interval_ms, cores, 1, 1_000_000)


def rounded_down(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Half of an odd number rounded down

    For an odd number of cores your answer is the smaller half. Which way does the task round?
    """
    counted = _with_data(reports)
    shares = _shares(counted, interval_ms)
    if _short(shares) and not _long(shares) and not _behind(counted[-1]):
        return min(max(cores // 2, fewest), most)
    return _wanted(reports, interval_ms, cores, fewest, most)


def the_work_alone(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Duration of the work in place of the whole batch

    Your answer does not call batches long that fill their interval. `addBatch` is only the work. Asking the source
    and writing the logs take time, too. Which part of `durationMs` is all of it?
    """
    return _wanted(reports, interval_ms, cores, fewest, most, part="addBatch")


def the_first_source(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Only the first source checked, or all required

    Your answer removes cores while the second of two sources is behind. Either only the first source is checked,
    or all of them have to be behind. Each source has its own entry in `sources`. How many have to be behind?
    """

    def first_behind(report: Report) -> bool:
        return _behind({"sources": report["sources"][:1]})

    return _wanted(reports, interval_ms, cores, fewest, most, behind=first_behind)


def behind_at_any_time(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Lag of an older batch counted

    Your answer keeps the cores although the lag is gone: an older report still has one. Which batch does rule 4
    look at?
    """
    counted = _with_data(reports)
    return _wanted(
        reports, interval_ms, cores, fewest, most, behind=lambda _: any(map(_behind, counted))
    )


def one_bound_each(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """One bound for each direction

    The result is below `fewest` after doubling, or above `most` after halving. Each branch applies only one of the
    bounds. Where can you apply both to every result?
    """
    changed = _wanted(reports, interval_ms, cores, 1, 1_000_000)
    if changed > cores:
        return min(changed, most)
    if changed < cores:
        return max(changed, fewest)
    return min(max(cores, fewest), most)


def as_now_without_bounds(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Bounds missing with few batches

    With one batch, or none, the result is the present number, even if that is above `most`. Does rule 7 hold
    there, too?
    """
    counted = _with_data(reports)
    if len(counted) < 3:
        return cores
    return _wanted(reports, interval_ms, cores, fewest, most)


def bounds_first(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Bounds applied before halving

    For 100 cores and at most 32, your answer is 16, expected 32. First take half of the present cores, then apply
    the bounds. In which order does your code do that?
    """
    return _wanted(reports, interval_ms, min(max(cores, fewest), most), fewest, most)


def the_last_lag_told(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Last known lag in place of the newest batch

    Your answer keeps the cores if only an older batch reported a lag. The newest batch with data counts, and a
    source that reports no lag in it is not behind. Which report do you look at?
    """
    counted = _with_data(reports)

    def told(_: Report) -> bool:
        newest = [r for r in counted[-5:] if any(s.get("metrics") for s in r["sources"])]
        return bool(newest) and _behind(newest[-1])

    return _wanted(reports, interval_ms, cores, fewest, most, behind=told)


def the_newest_report(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Lag of a no-data batch used

    Your answer removes cores although the newest batch with data was behind. A no-data batch came after it and
    reports another lag, or none. Which report does rule 4 look at?
    """
    newest = reports[-1] if reports else {"sources": []}
    return _wanted(reports, interval_ms, cores, fewest, most, behind=lambda _: _behind(newest))


def the_newest_reports_alone(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Newest reports taken before filtering

    Your answer keeps the cores although there were three long or five short batches: many batches without data are
    between them. Which step comes first: leaving these out, or taking the newest?
    """
    return _wanted(reports[-8:], interval_ms, cores, fewest, most)


def four_short_are_enough(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Cores removed after four short batches

    Your answer removes cores after four short batches. How many does rule 4 need?
    """
    return _wanted(
        reports,
        interval_ms,
        cores,
        fewest,
        most,
        short=lambda shares: len(shares) >= 4 and max(shares[-4:]) < 0.3,
    )


def four_long_are_needed(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Cores kept after three long batches

    Your answer keeps the cores after three long batches. How many does rule 3 need?
    """
    return _wanted(
        reports,
        interval_ms,
        cores,
        fewest,
        most,
        long=lambda shares: len(shares) >= 4 and min(shares[-4:]) > 0.8,
    )


def any_of_them(reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int) -> int:
    """One long or short batch taken as enough

    The cores change if one of the newest three batches is long, or one of the newest five short. Does rule 3 say
    *any* or *each*?
    """
    return _wanted(
        reports,
        interval_ms,
        cores,
        fewest,
        most,
        long=lambda shares: len(shares) >= 3 and max(shares[-3:]) > 0.8,
        short=lambda shares: len(shares) >= 5 and min(shares[-5:]) < 0.3,
    )


def exactly_long(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Share of exactly 0.8 counted as long

    Your answer adds cores if a batch takes exactly 0.8 of the interval. The rule says *above*. Is your comparison
    `>` or `>=`?
    """
    return _wanted(
        reports,
        interval_ms,
        cores,
        fewest,
        most,
        long=lambda shares: len(shares) >= 3 and min(shares[-3:]) >= 0.8,
    )


def exactly_short(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Share of exactly 0.3 counted as short

    Your answer removes cores if a batch takes exactly 0.3 of the interval. The rule says *below*. Is your
    comparison `<` or `<=`?
    """
    return _wanted(
        reports,
        interval_ms,
        cores,
        fewest,
        most,
        short=lambda shares: len(shares) >= 5 and max(shares[-5:]) <= 0.3,
    )
