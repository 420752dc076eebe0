"""Wrong figures for people who cannot check them."""

import math
from collections.abc import Callable
from datetime import datetime
from typing import Any

Report = dict[str, Any]
Lag = Callable[[Report], float]


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _behind(report: Report) -> int:
    source = report["sources"][0]
    return sum(
        latest - source["endOffset"].get(topic, {}).get(partition, 0)
        for topic, partitions in source["latestOffset"].items()
        for partition, latest in partitions.items()
    )


def _metric(report: Report, name: str) -> float:
    return float(report["sources"][0]["metrics"][name])


def _passed(earlier: Report, later: Report) -> float:
    return (_moment(later["timestamp"]) - _moment(earlier["timestamp"])).total_seconds()


def _told(now: float, record_bytes: float, seconds: float | None) -> dict[str, Any]:
    size = round(now * record_bytes)
    return {
        "records": round(now),
        "bytes": size,
        "seconds": None if seconds is None else round(seconds),
    }


def _backlog(
    earlier: Report, later: Report, record_bytes: float, lag: Lag = _behind
) -> dict[str, Any]:
    before, now = lag(earlier), lag(later)
    seconds = None
    if now == 0:
        seconds = 0.0
    elif now < before:
        seconds = now * _passed(earlier, later) / (before - now)
    return _told(now, record_bytes, seconds)


def as_it_was(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Still as it was found

    The records are those of the worst partition, and the seconds are counted as if no more came in. Both
    faults of the function are still there.
    """
    lag = _metric(later, "maxOffsetsBehindLatest")
    return _told(lag, record_bytes, lag / later["processedRowsPerSecond"])


def as_if_nothing_more_came(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """As if nothing more came

    The records are right. The seconds are those for a topic that gets no more records: they are the lag by the
    rate of processing, also where the lag grows. What counts is how much smaller the lag becomes.
    """
    now = _behind(later)
    return _told(now, record_bytes, now / later["processedRowsPerSecond"])


def as_if_nothing_more_came_while_it_shrinks(
    earlier: Report, later: Report, record_bytes: float
) -> dict[str, Any]:
    """The rate of processing for that of shrinking

    Where the lag gets smaller, the seconds are too few: the lag by the rate of processing. While the query works, more comes
    in. What counts is how much smaller the lag became between the two reports.
    """
    told = _backlog(earlier, later, record_bytes)
    if told["seconds"]:
        told["seconds"] = round(_behind(later) / later["processedRowsPerSecond"])
    return told


def the_worst_partition(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """The worst partition for all

    Fewer records come out than are behind: those of one partition. `maxOffsetsBehindLatest` says when to worry.
    For how much there is, the partitions are added up.
    """
    return _backlog(earlier, later, record_bytes, lambda r: _metric(r, "maxOffsetsBehindLatest"))


def the_average_partition(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """A mean partition for all

    Fewer records come out than are behind: the average of the partitions. Times their number it would be right.
    """
    return _backlog(earlier, later, record_bytes, lambda r: _metric(r, "avgOffsetsBehindLatest"))


def all_as_the_worst(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """All partitions like the worst

    More records come out than are behind: those of the worst partition, times the partitions. The others wait for less.
    """

    def lag(report: Report) -> float:
        offsets = report["sources"][0]["latestOffset"]
        return _metric(report, "maxOffsetsBehindLatest") * sum(map(len, offsets.values()))

    return _backlog(earlier, later, record_bytes, lag)


def before_the_batch(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """The batch is counted as waiting

    More records come out than are behind: those of the batch itself are among them. It has read up to
    `endOffset`; `startOffset` is where it began.
    """

    def lag(report: Report) -> float:
        source = report["sources"][0]
        return _behind({"sources": [{**source, "endOffset": source["startOffset"]}]})

    return _backlog(earlier, later, record_bytes, lag)


def known_partitions(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """A new partition has been left out

    Where `endOffset` lacks a partition, or a topic, its records are missing in the sum. Nothing has been read
    there yet, so all of it is behind.
    """

    def lag(report: Report) -> float:
        source = report["sources"][0]
        return sum(
            source["latestOffset"][topic][partition] - end
            for topic, partitions in source["endOffset"].items()
            for partition, end in partitions.items()
        )

    return _backlog(earlier, later, record_bytes, lag)


def the_first_topic(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """The first topic for all

    Where a source reads two topics, only one of them is in the sum.
    """

    def lag(report: Report) -> float:
        source = report["sources"][0]
        (topic, partitions), *_ = source["latestOffset"].items()
        return _behind({"sources": [{**source, "latestOffset": {topic: partitions}}]})

    return _backlog(earlier, later, record_bytes, lag)


def batches_for_seconds(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Reports are not seconds

    The seconds are too few wherever more than one lies between the reports: what comes out is how many times as
    long as between the two it will take.
    """
    before, now = _behind(earlier), _behind(later)
    told = _backlog(earlier, later, record_bytes)
    if told["seconds"]:
        told["seconds"] = round(now / (before - now))
    return told


def _lasting(earlier: Report, later: Report, record_bytes: float, passed: float) -> dict[str, Any]:
    before, now = _behind(earlier), _behind(later)
    told = _backlog(earlier, later, record_bytes)
    if told["seconds"]:
        told["seconds"] = round(now * passed / (before - now))
    return told


def whole_seconds_between(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Half a second is left out

    The seconds are too few where the reports are not whole seconds apart. `total_seconds()` is all of it, if it is not
    cut to a whole number, and the texts were not cut after the seconds before they became times.
    """
    return _lasting(earlier, later, record_bytes, int(_passed(earlier, later)))


def without_whole_days(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Whole days are left out

    The seconds are too few where the reports are days apart. `seconds` and `microseconds` of a `timedelta` are what is
    left when whole days are taken away; `total_seconds()` is all of it.
    """
    return _lasting(earlier, later, record_bytes, _passed(earlier, later) % 86400)


def seconds_of_a_day(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Days and half seconds are left out

    The seconds are too few where the reports are days apart, or not whole seconds. `seconds` of a `timedelta` is a
    whole number, without the days; `total_seconds()` is all of it.
    """
    passed = (_moment(later["timestamp"]) - _moment(earlier["timestamp"])).seconds
    return _lasting(earlier, later, record_bytes, passed)


def cut_off(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Cut off, not rounded

    Where `round` goes up, the seconds are one too few. `int` and `//` cut off what stands after the point.
    """
    before, now = _behind(earlier), _behind(later)
    told = _backlog(earlier, later, record_bytes)
    if told["seconds"]:
        told["seconds"] = int(now * _passed(earlier, later) / (before - now))
    return told


def always_up(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Up, not rounded

    Where `round` goes down, bytes and seconds are one too many. `math.ceil` always goes up.
    """
    before, now = _behind(earlier), _behind(later)
    told = _backlog(earlier, later, record_bytes)
    told["bytes"] = math.ceil(now * record_bytes)
    if 0 < now < before:
        told["seconds"] = math.ceil(now * _passed(earlier, later) / (before - now))
    return told


def it_was_through_long_ago(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Through before now

    Seconds below 0 come out where the lag grows. As it goes there is no end: say so, with `None`.
    """
    before, now = _behind(earlier), _behind(later)
    told = _backlog(earlier, later, record_bytes)
    if now > before:
        told["seconds"] = round(now * _passed(earlier, later) / (before - now))
    return told


def it_ends_for_sure(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """It will never catch up, and a figure comes out

    Seconds come out where the lag grows. As it goes there is no end: say so, with `None`. A number would be
    believed.
    """
    before, now = _behind(earlier), _behind(later)
    told = _backlog(earlier, later, record_bytes)
    if now > before:
        told["seconds"] = round(now * _passed(earlier, later) / (now - before))
    return told


def nothing_takes_for_ever(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Nothing is behind, and nothing is said

    `None` comes out where nothing is behind in both reports. The lag has not become smaller there: it could not.
    """
    told = _backlog(earlier, later, record_bytes)
    if _behind(later) >= _behind(earlier):
        told["seconds"] = None
    return told


def bytes_cut_off(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Bytes cut off, not rounded

    Where `round` goes up, there is one byte too few. `int` and `//` cut off what stands after the point.
    """
    told = _backlog(earlier, later, record_bytes)
    return {**told, "bytes": int(_behind(later) * record_bytes)}


def all_cut_off(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Bytes and seconds cut off, not rounded

    Where `round` goes up, bytes and seconds are one too few. `int` and `//` cut off what stands after the point.
    """
    told = cut_off(earlier, later, record_bytes)
    return {**told, "bytes": int(_behind(later) * record_bytes)}


def new_ones_not_counted_before(
    earlier: Report, later: Report, record_bytes: float
) -> dict[str, Any]:
    """What was new in the earlier report

    The records are right. The seconds are not, or there are none, where the *earlier* `endOffset` lacks a partition
    or a topic: all of that was behind then, too.
    """
    source = earlier["sources"][0]
    known = {
        topic: {part: latest for part, latest in parts.items() if part in ends}
        for topic, parts in source["latestOffset"].items()
        if (ends := source["endOffset"].get(topic))
    }
    return _backlog(
        {**earlier, "sources": [{**source, "latestOffset": known}]}, later, record_bytes
    )
