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
    """Fewer cores for a query that is behind

    Cores are taken away while the query is behind. Its batches are short because `maxOffsetsPerTrigger`
    lets little in, not because little comes.
    """
    return _wanted(reports, interval_ms, cores, fewest, most, behind=lambda _: False)


def empty_batches_count(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Batches without data say something

    Batches without data are counted with the others: they end the row of long ones, or make a row of short
    ones. They close windows and take in nothing, so they say nothing about the load.
    """
    return _wanted(reports, interval_ms, cores, fewest, most, counted=list)


def on_average(reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int) -> int:
    """One batch makes the average

    The cores change because of a single batch: it is so long, or the others are so short, that the average
    passes the limit. *Each* of the newest three, or five, has to.
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
    """A row that is not long enough yet

    The cores change after fewer batches than three, or five: there are no more reports yet. Of an empty
    list `all(…)` is true.
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
    """Half a core

    Three and a half cores come out where there were seven. `/` gives half a core; the task rounds up.
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
    """Half of nine

    Of seven cores four come out, and of nine four as well: `round` goes from a half to the even number. The task
    rounds up.
    """
    counted = _with_data(reports)
    shares = _shares(counted, interval_ms)
    if _short(shares) and not _long(shares) and not _behind(counted[-1]):
        return min(max(round(cores / 2), fewest), most)
    return _wanted(reports, interval_ms, cores, fewest, most)


def text_is_true(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """The text "0" is not nothing

    No cores are taken away where a source tells the lag "0", as if it were behind. In an `if` or an `any(…)` each text
    but the empty one is true: `int(…)` makes a number of it.
    """

    def told(report: Report) -> bool:
        return any(s.get("metrics", {}).get("maxOffsetsBehindLatest") for s in report["sources"])

    return _wanted(reports, interval_ms, cores, fewest, most, behind=told)


def bounds_of_changes(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Out of bounds, and left there

    More cores than `most`, or fewer than `fewest`, stay as they are where neither rule holds. The bounds are for
    what there is now, too: somebody may have changed them.
    """
    changed = _wanted(reports, interval_ms, cores, 1, 1_000_000)
    return cores if changed == cores else min(max(changed, fewest), most)


def down_as_soon_as_up(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Down as soon as up

    Cores are taken away after three or four short batches. Giving back too late costs a little money; giving
    back too soon costs a lag, and a restart. So the rule is slower on its way down.
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
    """Exactly at a limit

    The cores change where a batch takes exactly 0.8 or 0.3 of the interval. The task says *above* and
    *below*.
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
    """Out of bounds

    More cores come out than `most`, or fewer than `fewest`. A rule that is wrong once, with nobody there,
    doubles again and again: the bounds are what it can cost at the worst.
    """
    return _wanted(reports, interval_ms, cores, 1, 1_000_000)


def rounded_down(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Half of seven

    Of an odd number of cores the smaller half comes out. The task rounds up.
    """
    counted = _with_data(reports)
    shares = _shares(counted, interval_ms)
    if _short(shares) and not _long(shares) and not _behind(counted[-1]):
        return min(max(cores // 2, fewest), most)
    return _wanted(reports, interval_ms, cores, fewest, most)


def the_work_alone(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """A part of the batch for the whole

    Batches that fill their interval are not called long. `addBatch` is the work alone; asking the source
    and writing the logs take time as well, and `triggerExecution` is all of it.
    """
    return _wanted(reports, interval_ms, cores, fewest, most, part="addBatch")


def the_first_source(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """One source that is behind is enough

    Cores are taken away while the second of two sources is behind. Either only the first is asked, or all of them
    have to be behind. Each source has its own entry in `sources`, and any of them counts.
    """

    def first_behind(report: Report) -> bool:
        return _behind({"sources": report["sources"][:1]})

    return _wanted(reports, interval_ms, cores, fewest, most, behind=first_behind)


def behind_at_any_time(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """It was behind, once

    The cores stay although the lag is gone: an older report still told one. The task asks for the newest
    batch with data.
    """
    counted = _with_data(reports)
    return _wanted(
        reports, interval_ms, cores, fewest, most, behind=lambda _: any(map(_behind, counted))
    )


def one_bound_each(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """One bound for each way

    Fewer cores come out than `fewest` where their number was doubled, or more than `most` where it was halved. Each
    rule has only one of the bounds; both are for whatever comes out.
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
    """A single batch, and out of bounds

    With one batch, or none, there are as many cores as before, also where that is more than `most`. The bounds are
    for that, too.
    """
    counted = _with_data(reports)
    if len(counted) < 3:
        return cores
    return _wanted(reports, interval_ms, cores, fewest, most)


def bounds_first(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Half of the allowed, not of those there are

    Of 100 cores, with at most 32, 16 are left and not 32. The bounds are for what comes out: first half of the
    cores there are now, and then the bounds.
    """
    return _wanted(reports, interval_ms, min(max(cores, fewest), most), fewest, most)


def the_last_lag_told(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """The newest batch tells no lag

    The cores stay where only an older batch told a lag. The task asks for the newest batch with data, and a source
    that tells none there is not behind.
    """
    counted = _with_data(reports)

    def told(_: Report) -> bool:
        newest = [r for r in counted[-5:] if any(s.get("metrics") for s in r["sources"])]
        return bool(newest) and _behind(newest[-1])

    return _wanted(reports, interval_ms, cores, fewest, most, behind=told)


def the_newest_report(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """A batch without data was asked for its lag

    Cores are taken away where the newest batch with data was behind, and a batch without data came after it. That
    one tells another lag, or none: ask the newest of those with data.
    """
    newest = reports[-1] if reports else {"sources": []}
    return _wanted(reports, interval_ms, cores, fewest, most, behind=lambda _: _behind(newest))


def the_newest_reports_alone(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Too few reports were looked at

    The cores stay although there were three long batches, or five short ones: many without data lie between them.
    Leave those out first, and then take the newest.
    """
    return _wanted(reports[-8:], interval_ms, cores, fewest, most)


def four_short_are_enough(
    reports: list[Report], cores: int, interval_ms: int, fewest: int, most: int
) -> int:
    """Four short batches are enough

    Cores are taken away after four short batches. The task asks for five.
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
    """Three long batches are not enough

    The cores stay as many as they are after three long batches. The task asks for three, and for nothing else.
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
    """One batch of a row is enough

    The cores change where one batch of the newest three is long, or one of the newest five short. *Each* of them
    has to be.
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
    """Exactly four fifths

    Cores are added where a batch takes exactly 0.8 of the interval. The task says *above*.
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
    """Exactly three tenths

    Cores are taken away where a batch takes exactly 0.3 of the interval. The task says *below*.
    """
    return _wanted(
        reports,
        interval_ms,
        cores,
        fewest,
        most,
        short=lambda shares: len(shares) >= 5 and max(shares[-5:]) <= 0.3,
    )
