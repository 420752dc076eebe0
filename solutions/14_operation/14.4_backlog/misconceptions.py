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
    """Function not fixed yet

    The records are the lag of the worst partition, and the seconds are calculated as if no more records arrived.
    Both faults of the given function are still there. Which fields show the lag of every partition?
    """
    lag = _metric(later, "maxOffsetsBehindLatest")
    return _told(lag, record_bytes, lag / later["processedRowsPerSecond"])


def as_if_nothing_more_came(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Processing rate used as if nothing more arrived

    The records are right. The seconds are the lag divided by the processing rate, even if the lag grows. That
    would hold for a topic that gets no more records. How much smaller did the lag become between the two reports?
    """
    now = _behind(later)
    return _told(now, record_bytes, now / later["processedRowsPerSecond"])


def as_if_nothing_more_came_while_it_shrinks(
    earlier: Report, later: Report, record_bytes: float
) -> dict[str, Any]:
    """Processing rate in place of the rate of shrinking

    If the lag becomes smaller, the seconds are too few: they are the lag divided by the processing rate. While the
    query works, more records arrive. How much smaller did the lag become between the two reports?
    """
    told = _backlog(earlier, later, record_bytes)
    if told["seconds"]:
        told["seconds"] = round(_behind(later) / later["processedRowsPerSecond"])
    return told


def the_worst_partition(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Worst partition in place of the sum

    The result has fewer records than are behind: the records of one partition. `maxOffsetsBehindLatest` is right
    for an alert. How do you get the number over all partitions?
    """
    return _backlog(earlier, later, record_bytes, lambda r: _metric(r, "maxOffsetsBehindLatest"))


def the_average_partition(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Average partition in place of the sum

    The result has fewer records than are behind: the average of the partitions. By what would you have to multiply
    it?
    """
    return _backlog(earlier, later, record_bytes, lambda r: _metric(r, "avgOffsetsBehindLatest"))


def all_as_the_worst(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Worst partition multiplied by the number of partitions

    The result has more records than are behind: the lag of the worst partition times the number of partitions. Are
    all partitions equally far behind?
    """

    def lag(report: Report) -> float:
        offsets = report["sources"][0]["latestOffset"]
        return _metric(report, "maxOffsetsBehindLatest") * sum(map(len, offsets.values()))

    return _backlog(earlier, later, record_bytes, lag)


def before_the_batch(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Records of the batch counted as waiting

    The result has more records than are behind: it includes the records of the batch itself. The batch has read up
    to `endOffset`. From which offset do you count?
    """

    def lag(report: Report) -> float:
        source = report["sources"][0]
        return _behind({"sources": [{**source, "endOffset": source["startOffset"]}]})

    return _backlog(earlier, later, record_bytes, lag)


def known_partitions(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """New partition left out

    If `endOffset` lacks a partition or a topic, its records are missing in the sum. Nothing of it has been read
    yet, so all of it is behind. Which of the two dicts has all partitions?
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
    """Only one topic counted

    The source reads two topics, and only one of them is in the sum. Do you loop over all topics?
    """

    def lag(report: Report) -> float:
        source = report["sources"][0]
        (topic, partitions), *_ = source["latestOffset"].items()
        return _behind({"sources": [{**source, "latestOffset": {topic: partitions}}]})

    return _backlog(earlier, later, record_bytes, lag)


def batches_for_seconds(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Intervals between reports counted as seconds

    The seconds are too few if the reports are more than one second apart: your result is a number of such
    intervals. How many seconds does one of them take?
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
    """Fraction of a second ignored

    The seconds are too few if the reports are not whole seconds apart. Here `total_seconds()` includes the
    fraction, unless it is converted to an integer or the strings are truncated before. Where is the fraction lost?
    """
    return _lasting(earlier, later, record_bytes, int(_passed(earlier, later)))


def without_whole_days(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Whole days ignored

    The seconds are too few if the reports are days apart. `seconds` and `microseconds` of a `timedelta` leave out
    whole days. What does `total_seconds()` give?
    """
    return _lasting(earlier, later, record_bytes, _passed(earlier, later) % 86400)


def seconds_of_a_day(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Days and fractions of a second ignored

    The seconds are too few if the reports are days apart, or not whole seconds. `seconds` of a `timedelta` is an
    integer without the days. What does `total_seconds()` give?
    """
    passed = (_moment(later["timestamp"]) - _moment(earlier["timestamp"])).seconds
    return _lasting(earlier, later, record_bytes, passed)


def cut_off(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Seconds truncated, not rounded

    If `round` rounds up, your seconds are one too few. `int` and `//` truncate. Which function does the task use?
    """
    before, now = _behind(earlier), _behind(later)
    told = _backlog(earlier, later, record_bytes)
    if told["seconds"]:
        told["seconds"] = int(now * _passed(earlier, later) / (before - now))
    return told


def always_up(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Bytes and seconds rounded up

    If `round` rounds down, your bytes and seconds are one too many. `math.ceil` always rounds up. Which function
    does the task use?
    """
    before, now = _behind(earlier), _behind(later)
    told = _backlog(earlier, later, record_bytes)
    told["bytes"] = math.ceil(now * record_bytes)
    if 0 < now < before:
        told["seconds"] = math.ceil(now * _passed(earlier, later) / (before - now))
    return told


def it_was_through_long_ago(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Negative time for a growing lag

    The seconds are below 0 if the lag grows. At this rate the query never catches up. Which value does rule 6
    require?
    """
    before, now = _behind(earlier), _behind(later)
    told = _backlog(earlier, later, record_bytes)
    if now > before:
        told["seconds"] = round(now * _passed(earlier, later) / (before - now))
    return told


def it_ends_for_sure(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Time given for a growing lag

    The result has seconds although the lag grows. At this rate the query never catches up, and people would
    believe a number. Which value does rule 6 require?
    """
    before, now = _behind(earlier), _behind(later)
    told = _backlog(earlier, later, record_bytes)
    if now > before:
        told["seconds"] = round(now * _passed(earlier, later) / (now - before))
    return told


def nothing_takes_for_ever(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """None although nothing is behind

    The result is `None` if nothing is behind in both reports. The lag did not become smaller, because it could
    not. Which of the rules 5 and 6 has to be tested first?
    """
    told = _backlog(earlier, later, record_bytes)
    if _behind(later) >= _behind(earlier):
        told["seconds"] = None
    return told


def bytes_cut_off(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Bytes truncated, not rounded

    If `round` rounds up, your result has one byte too few. `int` and `//` truncate. Which function does the task
    use?
    """
    told = _backlog(earlier, later, record_bytes)
    return {**told, "bytes": int(_behind(later) * record_bytes)}


def all_cut_off(earlier: Report, later: Report, record_bytes: float) -> dict[str, Any]:
    """Bytes and seconds truncated, not rounded

    If `round` rounds up, your bytes and seconds are one too few. `int` and `//` truncate. Which function does the
    task use?
    """
    told = cut_off(earlier, later, record_bytes)
    return {**told, "bytes": int(_behind(later) * record_bytes)}


def new_ones_not_counted_before(
    earlier: Report, later: Report, record_bytes: float
) -> dict[str, Any]:
    """New partition left out in the earlier report

    The records are right. The seconds are wrong or missing if the *earlier* `endOffset` lacks a partition or a
    topic: all of it was behind then, too. Do you count both reports with the same function?
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


def nothing_was_behind_before(
    earlier: Report, later: Report, record_bytes: float
) -> dict[str, Any]:
    """Earlier report decides about 0 seconds

    Your seconds are 0 if nothing was behind in the earlier report, although records are behind now. Which of the
    two reports does rule 5 look at?
    """
    told = _backlog(earlier, later, record_bytes)
    return {**told, "seconds": told["seconds"] if _behind(earlier) else 0}
