"""Answers to 14.1: other alarms, right and wrong."""

from collections import deque
from collections.abc import Generator
from itertools import pairwise
from typing import Any

import pandas as pd

MAX = "maxOffsetsBehindLatest"


def _told(report: dict) -> list[int]:
    found = [source.get("metrics", {}).get(MAX) for source in report["sources"]]
    return [int(text) for text in found if text is not None]


def _lags(reports: list[dict], of: Any = max) -> list[int]:
    return [of(told) for told in map(_told, reports) if told]


def _grows(lags: list[int]) -> bool:
    return len(lags) > 3 and all(a < b for a, b in pairwise(lags[-4:]))


def _alarm(lags: list[int], most: int) -> bool:
    return bool(lags) and (lags[-1] > most or _grows(lags))


def right_in_pandas(reports: list[dict], most: int) -> bool:
    """A row for each source that tells a lag, the largest of each report, and their differences."""
    rows = [
        (number, float(source["metrics"][MAX]))
        for number, report in enumerate(reports)
        for source in report["sources"]
        if MAX in source.get("metrics", {})
    ]
    if not rows:
        return False
    lags = pd.DataFrame(rows, columns=["report", "lag"]).groupby("report")["lag"].max()
    steps = lags.diff().dropna().tail(3)
    return bool(lags.iloc[-1] > most or (len(steps) == 3 and (steps > 0).all()))


def right_the_newest_four_kept(reports: list[dict], most: int) -> bool:
    """Keeps four lags in a deque; growing lags are those that are in order already, and all differ."""
    newest: deque[int] = deque(maxlen=4)
    for report in reports:
        told = _told(report)
        if told:
            newest.append(sorted(told)[-1])
    if not newest:
        return False
    return newest[-1] > most or (len(newest) == 4 and list(newest) == sorted(set(newest)))


def right_taken_apart(reports: list[dict], most: int) -> bool:
    """Takes the list apart by its shape."""
    match _lags(reports):
        case [*_, newest] if newest > most:
            return True
        case [*_, a, b, c, d]:
            return a < b < c < d
    return False


def right_by_key_errors(reports: list[dict], most: int) -> bool:
    """Asks for each lag, and passes over those that are not there."""
    lags = []
    for report in reports:
        largest = -1
        for source in report["sources"]:
            try:
                largest = max(largest, int(source["metrics"][MAX]))
            except KeyError:
                continue
        if largest >= 0:
            lags.append(largest)
    try:
        grown = lags[-1] > lags[-2] > lags[-3] > lags[-4]
    except IndexError:
        grown = False
    return grown or most < (lags[-1:] or [most])[0]


def right_from_the_end(reports: list[dict], most: int) -> bool:
    """Walks back from the newest report, and stops as soon as it knows."""
    steps, after = 0, None
    for report in reports[::-1]:
        lag = max(_told(report), default=None)
        if lag is None:
            continue
        if after is None:
            if lag > most:
                return True
        elif lag < after:
            steps += 1
        else:
            return False
        if steps == 3:
            return True
        after = lag
    return False


_seen: list[int] = []


def wrong_remembers_other_calls(reports: list[dict], most: int) -> bool:
    """Keeps the lags in a list outside, and adds to it at every call: those of other queries stay in it."""
    _seen.extend(_lags(reports))
    return _alarm(_seen, most) if reports else False


def wrong_smallest_source(reports: list[dict], most: int) -> bool:
    """Takes the smallest lag among the sources."""
    return _alarm(_lags(reports, min), most)


def wrong_sources_added_up(reports: list[dict], most: int) -> bool:
    """Adds up the lags of all sources, where the largest is asked."""
    return _alarm(_lags(reports, sum), most)


def wrong_any_lag_above(reports: list[dict], most: int) -> bool:
    """Rings if any lag of the list was above `most`, also one that is over."""
    lags = _lags(reports)
    return any(lag > most for lag in lags) or _grows(lags)


def wrong_newest_first(reports: list[dict], most: int) -> bool:
    """Takes the list for newest first; "reports are oldest first"."""
    return _alarm(_lags(reports)[::-1], most)


def wrong_all_sources_have_to_tell(reports: list[dict], most: int) -> bool:
    """Leaves out a report if one of its sources tells no lag, and not only if none does."""
    whole = [r for r in reports if len(_told(r)) == len(r["sources"])]
    return _alarm(_lags(whole), most)


def wrong_both_have_to_hold(reports: list[dict], most: int) -> bool:
    """Rings only where the lag is above `most` and has grown: "or"."""
    lags = _lags(reports)
    return bool(lags) and lags[-1] > most and _grows(lags)


def wrong_newest_four_reports(reports: list[dict], most: int) -> bool:
    """Cuts off the newest four reports before it leaves out those that tell nothing."""
    return _alarm(_lags(reports[-4:]), most)


def wrong_length_not_asked(reports: list[dict], most: int) -> bool:
    """all(…) over the steps that there are: with one lag there is none, and that is all of them."""
    lags = _lags(reports)
    return bool(lags) and (lags[-1] > most or all(a < b for a, b in pairwise(lags[-4:])))


def wrong_nothing_told_unthought_of(reports: list[dict], most: int) -> bool:
    """Asks for the last lag of a list that may be empty: an IndexError."""
    lags = _lags(reports)
    return lags[-1] > most or _grows(lags)


def wrong_four_times(reports: list[dict], most: int) -> bool:
    """Wants four steps up, of five lags."""
    newest = _lags(reports)[-5:]
    grown = len(newest) == 5 and all(a < b for a, b in pairwise(newest))
    return bool(newest) and (newest[-1] > most or grown)


def wrong_newest_report_only(reports: list[dict], most: int) -> bool:
    """Compares `most` with the newest report, which may tell no lag, and not with the newest lag."""
    told = _told(reports[-1]) if reports else []
    return (bool(told) and max(told) > most) or _grows(_lags(reports))


def wrong_zero_is_false(reports: list[dict], most: int) -> bool:
    """Keeps what is true of the lags: a 0 is not."""
    return _alarm([lag for told in map(_told, reports) if told and (lag := max(told))], most)


def wrong_only_where_it_is_behind(reports: list[dict], most: int) -> bool:
    """Notes a lag if there are metrics, and if the lag is one."""
    lags = []
    for report in reports:
        found = [int(s["metrics"][MAX]) for s in report["sources"] if s.get("metrics")]
        if found and max(found):
            lags.append(max(found))
    return _alarm(lags, most)


def _watching(most: int) -> Generator[bool, dict | None, None]:
    """Is sent one report after the other, and says after each whether there is an alarm."""
    last, steps = None, 0
    report = yield False
    while True:
        told = _told(report) if report else []
        if told:
            steps = steps + 1 if last is not None and max(told) > last else 0
            last = max(told)
        report = yield last is not None and (last > most or steps > 2)


def right_a_generator_that_is_sent_reports(reports: list[dict], most: int) -> bool:
    """A coroutine, as in a listener: each report is sent to it, and the last answer counts."""
    watching = _watching(most)
    alarm = next(watching)
    for report in reports:
        alarm = watching.send(report)
    return alarm


def wrong_kafka_always_has_metrics(reports: list[dict], most: int) -> bool:
    """Passes over sources other than Kafka, and takes it that a Kafka source has `metrics`.

    Differs (a KeyError) for {"description": "KafkaV2[Subscribe[clicks]]"} without any, as in a batch that is repeated.
    """
    lags = []
    for report in reports:
        told = [
            s["metrics"] for s in report["sources"] if s.get("description", "").startswith("Kafka")
        ]
        found = [int(metrics[MAX]) for metrics in told if MAX in metrics]
        if found:
            lags.append(max(found))
    return _alarm(lags, most)


def wrong_as_text_with_five_digits(reports: list[dict], most: int) -> bool:
    """Fills the texts up to five digits and compares them as texts, which a lag of six digits does not fit.

    Differs for the lags 99998, 99999, 100000, 100001 with a `most` above: "100000" is before "99999".
    """
    texts = [
        max(s["metrics"][MAX].zfill(5) for s in r["sources"] if MAX in s.get("metrics", {}))
        for r in reports
        if _told(r)
    ]
    if not texts:
        return False
    newest = texts[-4:]
    grown = len(newest) == 4 and all(a < b for a, b in pairwise(newest))
    return grown or int(texts[-1]) > most


def wrong_batches_without_data_left_out(reports: list[dict], most: int) -> bool:
    """Leaves out batches without data; they tell a lag all the same."""
    return _alarm(_lags([report for report in reports if report["numInputRows"]]), most)


def wrong_no_limit_where_it_is_0(reports: list[dict], most: int) -> bool:
    """Takes a limit of 0 for none, as `if most` does."""
    lags = _lags(reports)
    return _alarm(lags, most or max(lags, default=0))


def wrong_held_against_the_first_source(reports: list[dict], most: int) -> bool:
    """Looks for the largest source, but holds each against the first one: of 10, 5000 and 30 it takes 30."""

    def largest(told: list[int]) -> int:
        found = told[0]
        for lag in told[1:]:
            if lag > told[0]:
                found = lag
        return found

    return _alarm(_lags(reports, of=largest), most)


def wrong_only_the_source_of_the_lesson(reports: list[dict], most: int) -> bool:
    """Asks only sources that subscribe to clicks, as all of the notebook's do."""
    ours = "KafkaV2[Subscribe[clicks]]"
    asked = [{"sources": [s for s in r["sources"] if s["description"] == ours]} for r in reports]
    return _alarm(_lags(asked), most)
