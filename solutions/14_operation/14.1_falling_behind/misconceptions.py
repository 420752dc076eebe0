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
    """A text is not a number

    From 90 to 100 the lag grows, and the answer says that it does not. Spark writes the figures of a
    source as text, and as a text "90" is larger than "100".
    """
    texts = [max(found) for found in map(_texts, reports) if found]
    return _above([float(text) for text in texts], most) or _grows(texts)


def the_rates(reports: list[Report], most: int) -> bool:
    """The rates are fine while the lag grows

    There is no alarm for the real overload, and there is one for a query that has no lag at all. With
    `maxOffsetsPerTrigger` the input rate is what the query *takes in*, not what arrives: it is always one
    that the query can manage.
    """
    newest = reports[-3:]
    slow = [r["inputRowsPerSecond"] > r["processedRowsPerSecond"] for r in newest]
    return _above(_lags(reports), most) or (len(slow) == 3 and all(slow))


def longer_than_at_first(reports: list[Report], most: int) -> bool:
    """More than at first is not growing

    An alarm rings where the newest lag is larger than the oldest one, with steps down between. A lag goes up
    and down as batches come and go; three steps up in a row are a direction.
    """
    lags = _lags(reports)
    return _above(lags, most) or (len(lags) >= 4 and lags[-1] > lags[-4])


def two_steps_are_enough(reports: list[Report], most: int) -> bool:
    """Three lags are two steps

    An alarm rings after two steps up. To see that it has grown three times takes four lags.
    """
    lags = _lags(reports)
    return _above(lags, most) or _grows(lags, times=2)


def staying_is_growing(reports: list[Report], most: int) -> bool:
    """A lag that stays does not grow

    An alarm rings where a lag is the same twice. Such a query takes in exactly what arrives.
    """
    lags = _lags(reports)
    newest = lags[-4:]
    stays = len(newest) == 4 and all(a <= b for a, b in pairwise(newest))
    return _above(lags, most) or stays


def as_much_as_is_allowed(reports: list[Report], most: int) -> bool:
    """The most that is allowed is allowed

    An alarm rings at exactly `most`. The task says *above*.
    """
    lags = _lags(reports)
    return _above(lags, most - 1) or _grows(lags)


def the_first_source(reports: list[Report], most: int) -> bool:
    """The second source is not heard

    A lag of the second source gives no alarm. A query may read from several topics, each has its own entry in
    `sources`, and the largest lag counts.
    """
    firsts = [{"sources": report["sources"][:1]} for report in reports]
    lags = _lags(firsts)
    return _above(lags, most) or _grows(lags)


def silence_is_zero(reports: list[Report], most: int) -> bool:
    """No lag told, taken for no lag

    A report that tells no lag counts as one with 0: a growth that goes on is broken there, or one begins
    that there was not. Leave such a report out.
    """
    lags = [max(map(float, _texts(report)), default=0.0) for report in reports]
    return _above(lags, most) or _grows(lags)


def on_average(reports: list[Report], most: int) -> bool:
    """Not the worst partition

    One partition falls behind while the others catch up, and there is no alarm: the figure that you look at gets
    smaller, be it the average or that of the partition that is least behind. The clicks in that one partition get
    later and later. `maxOffsetsBehindLatest` is the worst one.
    """
    lags = _lags(reports, "avgOffsetsBehindLatest")
    return _above(lags, most) or _grows(lags)


def it_grew_once(reports: list[Report], most: int) -> bool:
    """An alarm about what is over

    An alarm rings although the newest lag is smaller than the one before. The steps up lie earlier in the list:
    three in a row that are over, or a count that nothing sets back. An alarm is about now: take the newest four.
    """
    lags = _lags(reports)
    grew = any(_grows(lags[:end]) for end in range(len(lags) + 1))
    return _above(lags, most) or grew


def zero_is_silence(reports: list[Report], most: int) -> bool:
    """No lag, taken for none told

    A report with a lag of 0 does not count: an alarm goes on when nothing waits any more, and a growth that begins
    at 0 rings too late. In an `if` the number 0 is false, just as `None` and an empty list are.
    """
    lags = [lag for lag in _lags(reports) if lag]
    return _above(lags, most) or _grows(lags)


def empty_metrics_are_zero(reports: list[Report], most: int) -> bool:
    """Empty metrics, taken for a lag of 0

    A report whose source has empty `metrics` counts as one with a lag of 0, so a growth that goes on is broken
    there. Kafka told nothing: leave such a report out, too.
    """
    lags = []
    for report in reports:
        told = [source["metrics"] for source in report["sources"] if "metrics" in source]
        if told:
            lags.append(max(float(metrics.get(MAX, "0")) for metrics in told))
    return _above(lags, most) or _grows(lags)


def length_not_asked(reports: list[Report], most: int) -> bool:
    """Fewer than four lags

    An alarm rings with one, two or three lags. `all(…)` asks those steps that are there, and of an empty list it is
    true. That a lag has grown three times takes four lags.
    """
    lags = _lags(reports)
    return bool(lags) and (_above(lags, most) or all(a < b for a, b in pairwise(lags[-4:])))


def sources_added_up(reports: list[Report], most: int) -> bool:
    """The lags of two sources in one sum

    An alarm rings where the smaller of two lags grows and the larger one stays. The largest lag of a report counts,
    and not all of them together.
    """
    lags = [sum(map(float, texts)) for texts in map(_texts, reports) if texts]
    return _above(lags, most) or _grows(lags)


def largest_as_text(reports: list[Report], most: int) -> bool:
    """The largest text is not the largest number

    Of a lag of 95 and one of 110, 95 is taken, and there is no alarm while the other one grows. Spark writes the
    figures of a source as text, and as a text "95" is larger.
    """
    lags = [float(max(texts)) for texts in map(_texts, reports) if texts]
    return _above(lags, most) or _grows(lags)
