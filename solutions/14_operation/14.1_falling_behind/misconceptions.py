"""Alarms that ring too often, or not at all."""

from itertools import pairwise
from typing import Any

Report = dict[str, Any]
MAX = "maxOffsetsBehindLatest"


def _texts(report: Report, name: str = MAX) -> list[str]:
    found = [source.get("metrics", {}).get(name) for source in report["sources"]]
    return [text for text in found if text is not None]


def _lags(reports: list[Report], name: str = MAX) -> list[float]:
    return [max(map(float, texts)) for texts in (_texts(r, name) for r in reports) if texts]


def _grows(lags: list[Any], times: int = 3) -> bool:
    newest = lags[-times - 1 :]
    return len(newest) == times + 1 and all(a < b for a, b in pairwise(newest))


def _above(lags: list[float], most: float) -> bool:
    return bool(lags) and lags[-1] > most


def compared_as_text(reports: list[Report], most: int) -> bool:
    """Lags compared as strings

    From 90 to 100 the lag grows, and your answer says that it does not. Spark writes the metrics of a source as
    strings, and as a string "90" is larger than "100". Where do you convert them to numbers?
    """
    texts = [max(found) for found in map(_texts, reports) if found]
    return _above([float(text) for text in texts], most) or _grows(texts)


def the_rates(reports: list[Report], most: int) -> bool:
    """Rates compared in place of lags

    There is no alert for the real overload, and there is one for a query without any lag. With
    `maxOffsetsPerTrigger` the input rate is what the query *reads*, not what arrives. So it is always a rate that
    the query can process. Which metric shows what is waiting?
    """
    newest = reports[-3:]
    slow = [r["inputRowsPerSecond"] > r["processedRowsPerSecond"] for r in newest]
    return _above(_lags(reports), most) or (len(slow) == 3 and all(slow))


def longer_than_at_first(reports: list[Report], most: int) -> bool:
    """Newest lag compared with the oldest only

    There is an alert if the newest lag is larger than the oldest, although the lag shrank between them. A lag goes
    up and down from batch to batch; three steps up in a row are a trend. Do you compare each lag with the one
    before it?
    """
    lags = _lags(reports)
    return _above(lags, most) or (len(lags) >= 4 and lags[-1] > lags[-4])


def two_steps_are_enough(reports: list[Report], most: int) -> bool:
    """Growth of two steps taken for three

    There is an alert after two steps up. How many lags are needed for three steps?
    """
    lags = _lags(reports)
    return _above(lags, most) or _grows(lags, times=2)


def staying_is_growing(reports: list[Report], most: int) -> bool:
    """Equal lags taken for growth

    There is an alert although a lag is the same twice. Such a query reads exactly as much as arrives. Is your
    comparison `<` or `<=`?
    """
    lags = _lags(reports)
    newest = lags[-4:]
    stays = len(newest) == 4 and all(a <= b for a, b in pairwise(newest))
    return _above(lags, most) or stays


def as_much_as_is_allowed(reports: list[Report], most: int) -> bool:
    """Alert at exactly the allowed lag

    There is an alert at exactly `most`. The rule says *above*. Is your comparison `>` or `>=`?
    """
    lags = _lags(reports)
    return _above(lags, most - 1) or _grows(lags)


def the_first_source(reports: list[Report], most: int) -> bool:
    """Only the first source checked

    A lag of the second source gives no alert. A query may read several topics, and each has its own entry in
    `sources`. Which of their lags counts?
    """
    firsts = [{"sources": report["sources"][:1]} for report in reports]
    lags = _lags(firsts)
    return _above(lags, most) or _grows(lags)


def silence_is_zero(reports: list[Report], most: int) -> bool:
    """Missing lag taken for a lag of 0

    A report without a lag counts as a lag of 0. So it interrupts a growth, or begins one. Which reports have to be
    left out?
    """
    lags = [max(map(float, _texts(report)), default=0.0) for report in reports]
    return _above(lags, most) or _grows(lags)


def on_average(reports: list[Report], most: int) -> bool:
    """Average or smallest lag in place of the largest

    One partition falls behind while the others catch up, and there is no alert: the metric that you use becomes
    smaller. The clicks in that partition arrive later and later. Which metric is the lag of the worst partition?
    """
    lags = _lags(reports, "avgOffsetsBehindLatest")
    return _above(lags, most) or _grows(lags)


def it_grew_once(reports: list[Report], most: int) -> bool:
    """Growth anywhere in the list

    There is an alert although the newest lag is smaller than the one before. The three steps up are earlier in the
    list, or a counter of steps is never reset. An alert is about now. Which four lags count?
    """
    lags = _lags(reports)
    grew = any(_grows(lags[:end]) for end in range(len(lags) + 1))
    return _above(lags, most) or grew


def zero_is_silence(reports: list[Report], most: int) -> bool:
    """Lag of 0 taken for a missing lag

    A report with a lag of 0 does not count. So the alert continues when nothing waits any more, and a growth that
    begins at 0 is noticed late. In an `if` the number 0 is false, just like `None` and an empty list. How can you
    test for `None` alone?
    """
    lags = [lag for lag in _lags(reports) if lag]
    return _above(lags, most) or _grows(lags)


def empty_metrics_are_zero(reports: list[Report], most: int) -> bool:
    """Empty metrics taken for a lag of 0

    A report whose source has empty `metrics` counts as a lag of 0, so it interrupts a growth. Kafka reported
    nothing. Which reports have to be left out?
    """
    lags = []
    for report in reports:
        told = [source["metrics"] for source in report["sources"] if "metrics" in source]
        if told:
            lags.append(max(float(metrics.get(MAX, "0")) for metrics in told))
    return _above(lags, most) or _grows(lags)


def length_not_asked(reports: list[Report], most: int) -> bool:
    """Fewer than four lags

    There is an alert with one, two or three lags. `all(…)` tests only the steps that exist, and for an empty list
    it is true. How many lags are needed for three steps?
    """
    lags = _lags(reports)
    return bool(lags) and (_above(lags, most) or all(a < b for a, b in pairwise(lags[-4:])))


def sources_added_up(reports: list[Report], most: int) -> bool:
    """Lags of several sources added up

    There is an alert if the smaller of two lags grows and the larger does not. Which lag of a report counts?
    """
    lags = [sum(map(float, texts)) for texts in map(_texts, reports) if texts]
    return _above(lags, most) or _grows(lags)


def largest_as_text(reports: list[Report], most: int) -> bool:
    """Largest lag chosen as a string

    Of the lags 95 and 110 your answer takes 95, and there is no alert while the other one grows. Spark writes the
    metrics of a source as strings, and as a string "95" is larger. Where do you convert them to numbers?
    """
    lags = [float(max(texts)) for texts in map(_texts, reports) if texts]
    return _above(lags, most) or _grows(lags)


def batches_without_data_left_out(reports: list[Report], most: int) -> bool:
    """Batches without rows left out

    A report with `numInputRows` 0 does not count, although its source reports a lag. The lag says what waits in
    the topic, not what the batch read. Which reports does rule 2 leave out?
    """
    lags = _lags([report for report in reports if report["numInputRows"] > 0])
    return _above(lags, most) or _grows(lags)
