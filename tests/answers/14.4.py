"""Answers to 14.4: other ways to reckon what is behind, right and wrong."""

import time
from calendar import timegm
from collections import Counter
from datetime import datetime, timedelta
from fractions import Fraction
from statistics import linear_regression
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd

MAX = "maxOffsetsBehindLatest"


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _passed(earlier: dict, later: dict) -> float:
    return (_moment(later["timestamp"]) - _moment(earlier["timestamp"])).total_seconds()


def _behind(report: dict) -> int:
    source = report["sources"][0]
    return sum(
        latest - source["endOffset"].get(topic, {}).get(partition, 0)
        for topic, partitions in source["latestOffset"].items()
        for partition, latest in partitions.items()
    )


def _seconds(before: float, now: float, passed: float) -> int | None:
    if now == 0:
        return 0
    return round(now * passed / (before - now)) if now < before else None


def _told(now: int, record_bytes: float, seconds: int | None) -> dict:
    return {"records": now, "bytes": round(now * record_bytes), "seconds": seconds}


def right_counters(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Counters of all offsets by topic and partition, the one taken from the other."""

    def offsets(report: dict, name: str) -> Counter:
        found: Counter = Counter()
        for topic, partitions in report["sources"][0][name].items():
            found.update({(topic, partition): at for partition, at in partitions.items()})
        return found

    before, now = (
        sum((offsets(report, "latestOffset") - offsets(report, "endOffset")).values())
        for report in (earlier, later)
    )
    seconds: int | None = 0
    if now:
        try:
            seconds = round(now / ((before - now) / _passed(earlier, later)))
        except ZeroDivisionError:
            seconds = None
        if now > before:
            seconds = None
    return dict(records=now, bytes=round(record_bytes * now), seconds=seconds)


def right_in_pandas(earlier: dict, later: dict, record_bytes: float) -> dict:
    """A Series for each kind of offset; what one lacks is filled with 0."""

    def series(offsets: dict) -> pd.Series:
        flat = {f"{t} {p}": at for t, partitions in offsets.items() for p, at in partitions.items()}
        return pd.Series(flat, dtype="int64")

    def lag(report: dict) -> int:
        (source,) = report["sources"]
        read, there = series(source["endOffset"]), series(source["latestOffset"])
        return int((there - read.reindex(there.index, fill_value=0)).sum())

    before, now = lag(earlier), lag(later)
    between = pd.Timestamp(later["timestamp"]) - pd.Timestamp(earlier["timestamp"])
    told: dict[str, Any] = {"records": now, "bytes": round(now * record_bytes), "seconds": None}
    if now < before:
        told["seconds"] = round(now * between.total_seconds() / (before - now))
    elif now == 0:
        told["seconds"] = 0
    return told


def right_in_fractions(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Exact fractions, with whole milliseconds for the time, and a record's size as it is."""
    before, now = _behind(earlier), _behind(later)
    clocks = [_moment(report["timestamp"]) for report in (earlier, later)]
    passed = Fraction((clocks[1] - clocks[0]) // timedelta(milliseconds=1), 1000)
    seconds = None
    if now == 0 or before > now:
        seconds = round(now * passed / (before - now)) if now else 0
    return {"seconds": seconds, "bytes": round(now * record_bytes), "records": now}


def right_copied_and_emptied(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Takes what was read from a copy of what is there, topic by topic; times as seconds since 1970."""

    def waiting(report: dict) -> int:
        source = report["sources"][0]
        left = {topic: dict(partitions) for topic, partitions in source["latestOffset"].items()}
        for topic, partitions in source["endOffset"].items():
            for partition, read in partitions.items():
                left[topic][partition] -= read
        return sum(sum(partitions.values()) for partitions in left.values())

    def clock(report: dict) -> float:
        whole, _, part = report["timestamp"].rstrip("Z").partition(".")
        return timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float(f"0.{part or 0}")

    before, now = waiting(earlier), waiting(later)
    if not now:
        seconds: int | None = 0
    elif before <= now:
        seconds = None
    else:
        seconds = int(f"{now * (clock(later) - clock(earlier)) / (before - now):.0f}")
    return {"records": now, "bytes": int(f"{now * record_bytes:.0f}"), "seconds": seconds}


def right_where_the_line_ends(earlier: dict, later: dict, record_bytes: float) -> dict:
    """A line through the two lags, and the moment at which it is down at 0."""
    (at, before), (end, now) = (
        (_moment(report["timestamp"]).timestamp(), _behind(report)) for report in (earlier, later)
    )
    slope = (now - before) / (end - at)
    told = _told(now, record_bytes, None)
    if now and slope < 0:
        told["seconds"] = round(-now / slope)
    if not now:
        told["seconds"] = 0
    return told


def wrong_records_of_the_earlier(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Tells the records of the earlier report, and the seconds from the later one."""
    before, now = _behind(earlier), _behind(later)
    return _told(before, record_bytes, _seconds(before, now, _passed(earlier, later)))


def wrong_new_ones_not_counted_before(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Counts new partitions in the later report only; the earlier is to be counted "in the same way"."""
    source = earlier["sources"][0]
    before = sum(
        source["latestOffset"][topic][partition] - read
        for topic, partitions in source["endOffset"].items()
        for partition, read in partitions.items()
    )
    now = _behind(later)
    return _told(now, record_bytes, _seconds(before, now, _passed(earlier, later)))


def wrong_from_the_earlier_on(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Reckons the time from the earlier report on, as if nothing had been worked off since."""
    before, now = _behind(earlier), _behind(later)
    seconds = _seconds(before, now, _passed(earlier, later))
    if seconds:
        seconds = round(before * _passed(earlier, later) / (before - now))
    return _told(now, record_bytes, seconds)


def wrong_milliseconds(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Gives milliseconds for seconds."""
    before, now = _behind(earlier), _behind(later)
    return _told(now, record_bytes, _seconds(before, now, 1000 * _passed(earlier, later)))


def wrong_size_of_a_record_rounded(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Rounds the size of a record before it multiplies."""
    before, now = _behind(earlier), _behind(later)
    told = _told(now, record_bytes, _seconds(before, now, _passed(earlier, later)))
    return {**told, "bytes": now * round(record_bytes)}


def wrong_staying_unthought_of(earlier: dict, later: dict, record_bytes: float) -> dict:
    """None where the lag grows; where it stays it divides by zero."""
    before, now = _behind(earlier), _behind(later)
    seconds: int | None = 0
    if now > before:
        seconds = None
    elif now:
        seconds = round(now * _passed(earlier, later) / (before - now))
    return _told(now, record_bytes, seconds)


def wrong_what_a_batch_read(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Takes what the later batch read for what the lag lost."""
    before, now = _behind(earlier), _behind(later)
    seconds = _seconds(before, now, _passed(earlier, later))
    if seconds:
        seconds = round(now * _passed(earlier, later) / max(1, later["numInputRows"]))
    return _told(now, record_bytes, seconds)


def wrong_read_by_the_earlier(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Takes latestOffset of the later report less endOffset of the earlier one."""
    mixed = {
        "sources": [
            {
                "latestOffset": later["sources"][0]["latestOffset"],
                "endOffset": earlier["sources"][0]["endOffset"],
            }
        ]
    }
    before, now = _behind(earlier), _behind(mixed)
    return _told(now, record_bytes, _seconds(before, now, _passed(earlier, later)))


def wrong_times_without_a_date(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Cuts the time of day out of the texts: across midnight the time between is below 0."""
    clocks = [
        datetime.strptime(report["timestamp"][11:23], "%H:%M:%S.%f") for report in (earlier, later)
    ]
    before, now = _behind(earlier), _behind(later)
    passed = (clocks[1] - clocks[0]).total_seconds()
    return _told(now, record_bytes, _seconds(before, now, passed))


def wrong_shrinking_of_the_worst(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Half a repair: all partitions are counted, but only the worst one's lag is watched as it shrinks."""
    before, after = (int(report["sources"][0]["metrics"][MAX]) for report in (earlier, later))
    now, passed = _behind(later), _passed(earlier, later)
    seconds = None
    if not now:
        seconds = 0
    elif after < before:
        seconds = round(now * passed / (before - after))
    return _told(now, record_bytes, seconds)


def wrong_zero_is_said_as_none(earlier: dict, later: dict, record_bytes: float) -> dict:
    """`seconds or None`: where nothing is behind, None comes out."""
    before, now = _behind(earlier), _behind(later)
    seconds = _seconds(before, now, _passed(earlier, later))
    return _told(now, record_bytes, seconds or None)


def wrong_partitions_alone(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Looks for a new partition, and not for a new topic: a KeyError there."""

    def lag(report: dict) -> int:
        source = report["sources"][0]
        return sum(
            latest - source["endOffset"][topic].get(partition, 0)
            for topic, partitions in source["latestOffset"].items()
            for partition, latest in partitions.items()
        )

    before, now = lag(earlier), lag(later)
    return _told(now, record_bytes, _seconds(before, now, _passed(earlier, later)))


def wrong_whole_kilobytes(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Rounds the bytes to thousands."""
    before, now = _behind(earlier), _behind(later)
    told = _told(now, record_bytes, _seconds(before, now, _passed(earlier, later)))
    return {**told, "bytes": round(now * record_bytes, -3)}


def wrong_new_topics_not_counted_before(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Counts a new partition of the earlier report, and not a new topic of it."""
    source = earlier["sources"][0]
    known = {topic: source["latestOffset"][topic] for topic in source["endOffset"]}
    before = _behind({"sources": [{**source, "latestOffset": known}]})
    now = _behind(later)
    return _told(now, record_bytes, _seconds(before, now, _passed(earlier, later)))


def wrong_bytes_cut_off(earlier: dict, later: dict, record_bytes: float) -> dict:
    """`int` for the bytes, `round` for the seconds."""
    before, now = _behind(earlier), _behind(later)
    told = _told(now, record_bytes, _seconds(before, now, _passed(earlier, later)))
    return {**told, "bytes": int(now * record_bytes)}


def wrong_seconds_and_microseconds(earlier: dict, later: dict, record_bytes: float) -> dict:
    """`seconds` and `microseconds` of the time between, without its `days`."""
    between = _moment(later["timestamp"]) - _moment(earlier["timestamp"])
    before, now = _behind(earlier), _behind(later)
    passed = between.seconds + between.microseconds / 1e6
    return _told(now, record_bytes, _seconds(before, now, passed))


def right_by_regression(earlier: dict, later: dict, record_bytes: float) -> dict:
    """A regression through the two points, of which the slope says how fast it goes down."""
    before, now = map(_behind, (earlier, later))
    slope = linear_regression([0.0, _passed(earlier, later)], [before, now]).slope
    seconds: int | None
    if now == 0:
        seconds = 0
    elif slope >= 0:
        seconds = None
    else:
        seconds = round(now / abs(slope))
    return _told(now, record_bytes, seconds)


def wrong_day_of_the_month(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Reckons the time between from day, hour, minute and second, without the month.

    Differs across the end of one: from 2026-03-31T23:59:50 to 2026-04-01T00:00:20 it is minus thirty days.
    """

    def clock(report: dict) -> float:
        at = _moment(report["timestamp"])
        of_day = at.hour * 3600 + at.minute * 60 + at.second + at.microsecond / 1e6
        return at.day * 86400 + of_day

    before, now = _behind(earlier), _behind(later)
    return _told(now, record_bytes, _seconds(before, now, clock(later) - clock(earlier)))


def wrong_times_of_berlin(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Takes the texts for the time of Berlin, which leaves out an hour at the end of March.

    Differs from 2026-03-29T01:30:00.000Z to 03:30: two hours, of which one is left.
    """

    def clock(report: dict) -> float:
        local = datetime.fromisoformat(report["timestamp"].removesuffix("Z"))
        return local.replace(tzinfo=ZoneInfo("Europe/Berlin")).timestamp()

    before, now = _behind(earlier), _behind(later)
    return _told(now, record_bytes, _seconds(before, now, clock(later) - clock(earlier)))


def wrong_share_of_what_was_behind(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Reckons with the share that is left of what was behind before, and divides by what was behind

    Differs (a ZeroDivisionError) where nothing was behind in the earlier report, and 30 records are now: None.
    """
    before, now = _behind(earlier), _behind(later)
    if now == 0:
        return _told(now, record_bytes, 0)
    left = now / before
    seconds = round(_passed(earlier, later) * left / (1 - left)) if left < 1 else None
    return _told(now, record_bytes, seconds)


def wrong_nothing_was_behind(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Says 0 seconds where nothing was behind in the earlier report, whatever is now

    Differs where nothing was behind, and 30 records are now: they did not become fewer, so None.
    """
    before, now = _behind(earlier), _behind(later)
    seconds = _seconds(before, now, _passed(earlier, later))
    return _told(now, record_bytes, seconds if before else 0)


def wrong_day_of_the_year(earlier: dict, later: dict, record_bytes: float) -> dict:
    """Reckons the time between from the day of the year

    Differs across its end: from 2026-12-31T23:59:50 to 2027-01-01T00:00:20 it is minus a year.
    """

    def clock(report: dict) -> float:
        at = _moment(report["timestamp"])
        of_day = at.hour * 3600 + at.minute * 60 + at.second + at.microsecond / 1e6
        return at.timetuple().tm_yday * 86400 + of_day

    before, now = _behind(earlier), _behind(later)
    return _told(now, record_bytes, _seconds(before, now, clock(later) - clock(earlier)))
