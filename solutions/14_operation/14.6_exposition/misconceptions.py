"""Expositions that Prometheus refuses, or reads as something else."""

import json
from datetime import datetime
from typing import Any

Report = dict[str, Any]
ROWS = "shop_query_input_rows_total"
TOOK = "shop_query_batch_duration_seconds"
RATE = "shop_query_input_rows_per_second"
MARK = "shop_query_watermark_timestamp_seconds"
LAG = "shop_query_lag_records"
Sample = tuple[str, dict[str, str], Any]


def _name(report: Report) -> str:
    name: str = report["id"] if report["name"] is None else report["name"]
    return name


def _newest(reports: list[Report]) -> dict[str, Report]:
    return {_name(report): report for report in reports}


def _mark(report: Report) -> float | None:
    text = report.get("eventTime", {}).get("watermark")
    at = datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() if text else 0
    return at or None


def _rate(report: Report) -> Any:
    rate = report.get("inputRowsPerSecond")
    return None if rate == "NaN" else rate


def _lags(report: Report) -> list[tuple[str, str, Any]]:
    found = []
    for source in report["sources"]:
        if isinstance(source["latestOffset"], dict):
            for topic, partitions in source["latestOffset"].items():
                for partition, latest in partitions.items():
                    end = source["endOffset"].get(topic, {}).get(partition, 0)
                    found.append((topic, partition, latest - end))
    return found


def _of(query: str, report: Report) -> list[Sample]:
    """The gauges of a query."""
    labels = {"query": query}
    lags = [
        (LAG, {**labels, "topic": topic, "partition": partition}, lag)
        for topic, partition, lag in _lags(report)
    ]
    return [
        (TOOK, labels, report["durationMs"]["triggerExecution"] / 1000),
        (RATE, labels, _rate(report)),
        (MARK, labels, _mark(report)),
        *lags,
    ]


def _right(reports: list[Report]) -> list[Sample]:
    found: list[Sample] = []
    for query, report in _newest(reports).items():
        total = sum(one["numInputRows"] for one in reports if _name(one) == query)
        found += [(ROWS, {"query": query}, total), *_of(query, report)]
    return found


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _line(sample: Sample, escaped: Any = _escaped) -> str:
    metric, labels, value = sample
    shown = ",".join(f'{name}="{escaped(text)}"' for name, text in labels.items())
    return f"{metric}{{{shown}}} {value}\n"


def _text(samples: list[Sample], escaped: Any = _escaped) -> str:
    text = ""
    for metric in (ROWS, TOOK, RATE, MARK, LAG):
        text += f"# TYPE {metric} {'counter' if metric == ROWS else 'gauge'}\n"
        own = [one for one in samples if one[0] == metric and one[2] is not None]
        text += "".join(_line(one, escaped) for one in own)
    return text


def _replaced(reports: list[Report], metric: str, value: Any) -> str:
    """The right text with other values of a metric: `value` gets a query and its newest report."""
    newest = _newest(reports)
    return _text(
        [
            (
                name,
                labels,
                value(labels["query"], newest[labels["query"]]) if name == metric else old,
            )
            for name, labels, old in _right(reports)
        ]
    )


def no_types(reports: list[Report]) -> str:
    """Samples without a TYPE line

    Prometheus reads the values and does not know what they are: each of your metrics is *unknown* to the
    parser. Which comment line declares a counter or a gauge, and where is it?
    """
    return "".join(_line(one) for one in sorted(_right(reports), key=str) if one[2] is not None)


def counter_declared_a_gauge(reports: list[Report]) -> str:
    """Counter declared as a gauge

    The total of rows is a gauge in your text. A gauge may go down at any time, so nothing that reads the type
    takes a decrease for a restart. Which of the five metrics only grows?
    """
    return _text(_right(reports)).replace(f"{ROWS} counter", f"{ROWS} gauge")


def type_before_each_sample(reports: list[Report]) -> str:
    """TYPE line before each sample

    A metric has several TYPE lines in your text, and the format allows one. With one sample per metric the
    difference does not show. Where is your TYPE line written, once per metric or once per sample?
    """
    return "".join(
        f"# TYPE {one[0]} {'counter' if one[0] == ROWS else 'gauge'}\n{_line(one)}"
        for one in sorted(_right(reports), key=lambda sample: sample[0])
        if one[2] is not None
    )


def grouped_by_query(reports: list[Report]) -> str:
    """Samples grouped by query

    Your text has all samples of one query, then all samples of the next. The format groups by metric: all
    samples of a metric directly follow its TYPE line. Which of your loops has to be the outer one?
    """
    text, known = "", set()
    for one in _right(reports):
        if one[2] is None:
            continue
        if one[0] not in known:
            text += f"# TYPE {one[0]} {'counter' if one[0] == ROWS else 'gauge'}\n"
            known.add(one[0])
        text += _line(one)
    return text


def no_last_newline(reports: list[Report]) -> str:
    """No newline after the last line

    The last line of your text does not end in a newline, so Prometheus cannot tell whether the text was cut
    off. `"\\n".join(lines)` writes newlines only *between* lines. What is missing?
    """
    return _text(_right(reports)).rstrip("\n")


def a_sample_per_report(reports: list[Report]) -> str:
    """Gauges of old reports kept

    Your text has several samples with the same name and the same labels, one per report. A scrape is about now.
    Which report of a query does a gauge come from?
    """
    found = [one for one in _right(reports) if one[0] == ROWS]
    for report in reports:
        found += _of(_name(report), report)
    return _text(found)


def own_timestamps(reports: list[Report]) -> str:
    """Samples with a timestamp

    Your samples end in a time. Without a time, Prometheus uses the time of the scrape. Samples with an old one
    are refused, and an alert does not see that a target is gone. What do the rules say about times?
    """
    newest = _newest(reports)
    found: list[Sample] = []
    for metric, labels, value in _right(reports):
        at = datetime.fromisoformat(newest[labels["query"]]["timestamp"].replace("Z", "+00:00"))
        shown = None if value is None else f"{value} {int(at.timestamp() * 1000)}"
        found.append((metric, labels, shown))
    return _text(found)


def labels_not_escaped(reports: list[Report]) -> str:
    """Label values not escaped

    Prometheus cannot read the line of a query whose name has a quote, or reads a different name. A label value
    is in quotes. Three characters need a backslash before them there. Which three?
    """
    return _text(_right(reports), str)


def only_quotes_escaped(reports: list[Report]) -> str:
    """Backslash in a label value not escaped

    The quotes of your label values are right. The query `shop\\new` got a different name, because a backslash
    and an n are a newline there. Which character has to be doubled?
    """
    return _text(_right(reports), lambda text: text.replace('"', r"\"").replace("\n", r"\n"))


def newline_not_escaped(reports: list[Report]) -> str:
    """Newline in a label value not escaped

    A query has a newline in its name, and your sample is on two lines. Prometheus reads line by line, and
    refuses the whole scrape. How does a newline look in a label value?
    """
    return _text(_right(reports), lambda text: text.replace("\\", r"\\").replace('"', r"\""))


def backslash_escaped_last(reports: list[Report]) -> str:
    """Backslash escaped after the quote

    A label value with a quote is broken, although each character is replaced. The backslash that you put before
    the quote is doubled by a later replacement. Which of the three replacements has to be the first?
    """
    return _text(
        _right(reports),
        lambda text: text.replace('"', r"\"").replace("\n", r"\n").replace("\\", r"\\"),
    )


def escaped_as_json(reports: list[Report]) -> str:
    """Label values escaped as JSON

    The name of a query with an ä has the characters `u00e4` in it. JSON escapes more than Prometheus does: here
    every character of UTF-8 is written as it is, except three. Which three?
    """
    return _text(_right(reports), lambda text: json.dumps(text)[1:-1])


def named_none(reports: list[Report]) -> str:
    """Query without a name called None

    A sample has the label `query="None"`, or none at all. A query that was started without `queryName` has null
    as its name. Two of them would be one. What do the rules use instead?
    """
    renamed = [{**one, "name": str(one["name"])} for one in reports]
    return _text(_right(renamed))


def named_by_run(reports: list[Report]) -> str:
    """Run id in place of the id

    The label of a query without a name is its `runId`. It changes with every start, so every restart begins a
    new series and the graph breaks off. Which id stays with the checkpoint?
    """
    renamed = [
        {**one, "name": one["runId"] if one["name"] is None else one["name"]} for one in reports
    ]
    return _text(_right(renamed))


def total_of_an_id(reports: list[Report]) -> str:
    """Reports grouped by id

    A query was started with a new checkpoint and the same name, and its total lost the rows from before. To
    Prometheus both are one series, because the label is the same. By what do you group the reports?
    """
    newest = _newest(reports)
    total = {
        query: sum(one["numInputRows"] for one in reports if one["id"] == report["id"])
        for query, report in newest.items()
    }
    return _replaced(reports, ROWS, lambda query, _: total[query])


def total_of_a_run(reports: list[Report]) -> str:
    """Reports grouped by run

    After a restart your total begins again, although the reports from before are there. By what do you group
    the reports?
    """
    newest = _newest(reports)
    total = {
        query: sum(one["numInputRows"] for one in reports if one["runId"] == report["runId"])
        for query, report in newest.items()
    }
    return _replaced(reports, ROWS, lambda query, _: total[query])


def one_query_only(reports: list[Report]) -> str:
    """Only the query of the newest report

    The list has reports of two queries, and your text has samples of one. One driver runs many queries, and one
    scrape gets the metrics of all. Which is the newest report of *each* query?
    """
    return _text(_right([one for one in reports if _name(one) == _name(reports[-1])]))


def rows_of_the_newest_batch(reports: list[Report]) -> str:
    """Rows of one batch in place of a total

    Your counter has the rows of the newest batch. Prometheus sees only the moments at which it scrapes, so
    batches between two scrapes are lost, and each smaller batch looks like a restart. Over which reports is a
    total added up?
    """
    return _replaced(reports, ROWS, lambda _, report: report["numInputRows"])


def milliseconds(reports: list[Report]) -> str:
    """Duration in milliseconds

    The metric's name says seconds, and the value is a thousand times too large. Prometheus uses base units, so
    that all graphs have the same ones. What is the unit in `durationMs`?
    """
    return _replaced(reports, TOOK, lambda _, report: report["durationMs"]["triggerExecution"])


def watermark_in_milliseconds(reports: list[Report]) -> str:
    """Watermark in milliseconds

    Your watermark is far in the future: it is a number of milliseconds, and the metric's name says seconds.
    `time()` in Prometheus is in seconds, too, so a difference of the two would be wrong. Which unit has
    `timestamp()`?
    """
    return _replaced(reports, MARK, lambda _, report: (at := _mark(report)) and int(at * 1000))


def watermark_cut_off(reports: list[Report]) -> str:
    """Seconds without their decimals

    The watermark lost its milliseconds. A value in Prometheus is a floating-point number. What does `int` or
    `//` cut off?
    """
    return _replaced(reports, MARK, lambda _, report: (at := _mark(report)) and int(at))


def watermark_of_1970(reports: list[Report]) -> str:
    """Watermark of 1970 as a sample

    In the first batch there is no watermark yet, and Spark writes 1970 for it. As a sample this is a query that
    is more than 50 years behind. What do the rules say about this time?
    """

    def zero(query: str, report: Report) -> float | None:
        has = "watermark" in report.get("eventTime", {})
        return (_mark(report) or 0) if has else None

    return _replaced(reports, MARK, zero)


def absent_is_zero(reports: list[Report]) -> str:
    """Absent value written as 0

    A value that is not in the report is 0 in your text. For Prometheus that is a measurement: the query reads
    nothing, or its watermark is in 1970. How does an exposition say that it does not know a value?
    """
    found = [
        (name, labels, 0 if value is None else value) for name, labels, value in _right(reports)
    ]
    return _text(found)


def nan_as_a_sample(reports: list[Report]) -> str:
    """NaN written as a sample

    A rate is NaN in your text. Prometheus accepts that, and every sum and average over it becomes NaN as well.
    What do the rules say about a rate that is "NaN"?
    """
    return _replaced(reports, RATE, lambda _, report: report.get("inputRowsPerSecond", "NaN"))


def zero_left_out(reports: list[Report]) -> str:
    """Value of 0 left out

    A rate of 0 or a lag of 0 has no sample in your text. So a query that has caught up looks like a query that
    is gone. In an `if` the number 0 is false, just like `None`. How can you test for `None` alone?
    """
    found = [(name, labels, value or None) for name, labels, value in _right(reports)]
    return _text(found)


def lag_of_a_topic(reports: list[Report]) -> str:
    """Lags of partitions added up

    Your lag has one sample per topic. A stuck partition is then hidden behind those that are read: Prometheus
    can add up samples, but it cannot split them. Which labels does the lag have?
    """
    found = [one for one in _right(reports) if one[0] != LAG]
    for query, report in _newest(reports).items():
        topics: dict[str, int] = {}
        for topic, _, lag in _lags(report):
            topics[topic] = topics.get(topic, 0) + lag
        found += [(LAG, {"query": query, "topic": topic}, lag) for topic, lag in topics.items()]
    return _text(found)


def largest_lag(reports: list[Report]) -> str:
    """Largest lag of the source for each partition

    Every partition has the same lag in your text, the value of `maxOffsetsBehindLatest`. It is the lag of the
    worst partition. Which two offsets does one partition have?
    """

    def largest(report: Report, topic: str) -> int:
        sources = [s for s in report["sources"] if isinstance(s["latestOffset"], dict)]
        (own,) = [s for s in sources if topic in s["latestOffset"]]
        return max(
            latest - own["endOffset"].get(name, {}).get(number, 0)
            for name, partitions in own["latestOffset"].items()
            for number, latest in partitions.items()
        )

    newest = _newest(reports)
    return _text(
        [
            (
                name,
                labels,
                largest(newest[labels["query"]], labels["topic"]) if name == LAG else value,
            )
            for name, labels, value in _right(reports)
        ]
    )


def lag_before_the_batch(reports: list[Report]) -> str:
    """Lag before the batch

    Your lag is larger than what waits: it counts the rows that the batch has read. After the batch the query is
    at its `endOffset`. From which offset do you subtract?
    """
    newest = _newest(reports)
    found: list[Sample] = []
    for name, labels, value in _right(reports):
        if name == LAG:
            for source in newest[labels["query"]]["sources"]:
                latest = source["latestOffset"]
                if isinstance(latest, dict) and labels["topic"] in latest:
                    start = (source["startOffset"] or {}).get(labels["topic"], {})
                    number = labels["partition"]
                    value = latest[labels["topic"]][number] - start.get(number, 0)
        found.append((name, labels, value))
    return _text(found)


def new_partitions_left_out(reports: list[Report]) -> str:
    """New partitions without a lag

    A partition is in `latestOffset` and not yet in `endOffset`: nothing of it has been read. Your text has no
    lag for it, so what waits there is invisible. What is its end?
    """
    known = {
        (query, topic, number)
        for query, report in _newest(reports).items()
        for source in report["sources"]
        if isinstance(source["latestOffset"], dict)
        for topic, partitions in source["endOffset"].items()
        for number in partitions
    }
    found = [
        one
        for one in _right(reports)
        if one[0] != LAG or (one[1]["query"], one[1]["topic"], one[1]["partition"]) in known
    ]
    return _text(found)


def repeated_batch_has_no_lag(reports: list[Report]) -> str:
    """Lag of 0 for a batch that is repeated

    After a restart Spark repeats a batch and does not ask the topic for its end: `latestOffset` is null. Your
    text says that nothing waits. What does null mean for a sample?
    """
    found = _right(reports)
    for query, report in _newest(reports).items():
        for source in report["sources"]:
            if source["latestOffset"] is None and isinstance(source["endOffset"], dict):
                for topic, partitions in source["endOffset"].items():
                    for number in partitions:
                        found.append(
                            (LAG, {"query": query, "topic": topic, "partition": number}, 0)
                        )
    return _text(found)


def counter_without_total(reports: list[Report]) -> str:
    """Counter without `_total` in its name

    Your text has a metric `shop_query_input_rows`, and the task has none of this name. A counter's name ends in
    `_total`, in the TYPE line and in each sample. Where did this part go?
    """
    return _text(_right(reports)).replace(ROWS, ROWS.removesuffix("_total"))


def last_lag_kept(reports: list[Report]) -> str:
    """Lag of an older report kept

    The newest report has no lag, and your text has the lag of a report before it. In the meantime the topic has
    grown, or the query has read. Which report does a gauge come from?
    """
    found = _right(reports)
    have = {labels["query"] for name, labels, _ in found if name == LAG}
    for report in reversed(reports):
        query = _name(report)
        if query not in have:
            old = [one for one in _of(query, report) if one[0] == LAG]
            found += old
            have |= {query} if old else set()
    return _text(found)
