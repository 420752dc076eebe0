"""Other right expositions."""

from collections import defaultdict
from datetime import datetime
from itertools import groupby
from typing import Any

Report = dict[str, Any]


def with_the_official_client(reports: list[Report]) -> str:
    """By prometheus_client's own families and writer, with HELP lines."""
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    one = ["query"]
    rows = CounterMetricFamily("shop_query_input_rows", "Rows read", labels=one)
    took = GaugeMetricFamily("shop_query_batch_duration_seconds", "Newest batch", labels=one)
    rate = GaugeMetricFamily("shop_query_input_rows_per_second", "Rows per second", labels=one)
    mark = GaugeMetricFamily("shop_query_watermark_timestamp_seconds", "Watermark", labels=one)
    lag = GaugeMetricFamily(
        "shop_query_lag_records", "Not yet read", labels=["query", "topic", "partition"]
    )
    by_query: dict[str, list[Report]] = {}
    for report in reports:
        by_query.setdefault(report["name"] or report["id"], []).append(report)
    for query, own in by_query.items():
        newest = own[-1]
        rows.add_metric([query], sum(report["numInputRows"] for report in own))
        took.add_metric([query], newest["durationMs"]["triggerExecution"] / 1000)
        if newest.get("inputRowsPerSecond") not in (None, "NaN"):
            rate.add_metric([query], newest["inputRowsPerSecond"])
        text = (newest.get("eventTime") or {}).get("watermark", "1970")
        if not text.startswith("1970"):
            mark.add_metric(
                [query], datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
            )
        for source in newest["sources"]:
            if not isinstance(source["latestOffset"], dict):
                continue
            for topic, ends in source["latestOffset"].items():
                read = source["endOffset"].get(topic, {})
                for partition, end in ends.items():
                    lag.add_metric([query, topic, partition], end - read.get(partition, 0))
    registry = CollectorRegistry()

    class All:
        def collect(self) -> Any:
            return [rows, took, rate, mark, lag]

    registry.register(All())  # type: ignore[arg-type]
    return generate_latest(registry).decode()


def newest_first(reports: list[Report]) -> str:
    """Tuples, sorted and grouped by metric; only metrics with samples get a TYPE line."""
    samples: list[tuple[str, str, float]] = []
    rows: dict[str, int] = defaultdict(int)
    seen = set()
    for report in reversed(reports):
        name = report["id"] if report["name"] is None else report["name"]
        escaped = "".join({"\\": "\\\\", '"': '\\"', "\n": "\\n"}.get(c, c) for c in name)
        label = f'query="{escaped}"'
        rows[label] += report["numInputRows"]
        if label in seen:
            continue
        seen.add(label)
        samples.append(
            ("batch_duration_seconds", label, report["durationMs"]["triggerExecution"] / 1e3)
        )
        rate = float(report.get("inputRowsPerSecond", "nan"))
        if rate == rate:
            samples.append(("input_rows_per_second", label, rate))
        text = report.get("eventTime", {}).get("watermark")
        if text and text != "1970-01-01T00:00:00.000Z":
            at = datetime.strptime(text[:-1] + "+0000", "%Y-%m-%dT%H:%M:%S.%f%z")
            samples.append(("watermark_timestamp_seconds", label, at.timestamp()))
        for source in report["sources"]:
            latest = source["latestOffset"]
            for topic in latest if isinstance(latest, dict) else ():
                for part, offset in latest[topic].items():
                    read = source["endOffset"].get(topic, {}).get(part, 0)
                    samples.append(
                        (
                            "lag_records",
                            f'partition="{part}",topic="{topic}",{label}',
                            offset - read,
                        )
                    )
    samples += [("input_rows_total", label, count) for label, count in rows.items()]
    text = ""
    for metric, group in groupby(sorted(samples), key=lambda sample: sample[0]):
        kind = "counter" if metric.endswith("_total") else "gauge"
        text += f"# HELP shop_query_{metric} Of a query.\n# TYPE shop_query_{metric} {kind}\n"
        for _, labels, value in group:
            text += f"shop_query_{metric}{{{labels},}} {value:.6f}\n"
    return text


def one_pass_per_metric(reports: list[Report]) -> str:
    """A comprehension for each metric, lines joined, with blank lines between metrics."""
    newest = {r["name"] if r["name"] is not None else r["id"]: r for r in reports}

    def said(query: str) -> str:
        return query.translate(str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"}))

    rows = [
        f'shop_query_input_rows_total {{ query = "{said(query)}" }} '
        f"{float(sum(r['numInputRows'] for r in reports if query in (r['name'], r['id'])))}"
        for query in newest
    ]
    took = [
        f'shop_query_batch_duration_seconds{{query="{said(query)}"}} {r["durationMs"]["triggerExecution"] / 1000}'
        for query, r in newest.items()
    ]
    rate = [
        f'shop_query_input_rows_per_second{{query="{said(query)}"}} {r["inputRowsPerSecond"]}'
        for query, r in newest.items()
        if "inputRowsPerSecond" in r and r["inputRowsPerSecond"] != "NaN"
    ]
    marks = []
    for query, r in newest.items():
        text = r.get("eventTime", {}).get("watermark")
        at = datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() if text else 0
        if at > 0:
            marks.append(f'shop_query_watermark_timestamp_seconds{{query="{said(query)}"}} {at}')
    lag = [
        f'shop_query_lag_records{{query="{said(query)}",topic="{topic}",partition="{number}"}} '
        f"{latest - (s['endOffset'].get(topic) or {}).get(number, 0)}"
        for query, r in newest.items()
        for s in r["sources"]
        if isinstance(s["latestOffset"], dict)
        for topic, partitions in s["latestOffset"].items()
        for number, latest in partitions.items()
    ]
    blocks = [
        ("# TYPE shop_query_input_rows_total counter", rows),
        ("# TYPE shop_query_batch_duration_seconds gauge", took),
        ("# TYPE shop_query_input_rows_per_second gauge", rate),
        ("# TYPE shop_query_watermark_timestamp_seconds gauge", marks),
        ("# TYPE shop_query_lag_records gauge", lag),
    ]
    return "\n\n".join("\n".join([head, *lines]) for head, lines in blocks) + "\n"
