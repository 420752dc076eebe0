"""Expositions of 14.6 as people may write them, right and wrong."""

import json
import time
from collections import Counter, OrderedDict
from datetime import datetime, timezone
from typing import Any

Report = dict[str, Any]
KINDS = {
    "shop_query_input_rows_total": "counter",
    "shop_query_batch_duration_seconds": "gauge",
    "shop_query_input_rows_per_second": "gauge",
    "shop_query_watermark_timestamp_seconds": "gauge",
    "shop_query_lag_records": "gauge",
}
ROWS, TOOK, RATE, MARK, LAG = KINDS


def _esc(value: Any) -> str:
    return str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _seconds(text: str | None) -> float | None:
    if not text or text.startswith("1970"):
        return None
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc).timestamp()


def _samples(reports: list[Report]) -> list[tuple[str, dict[str, str], Any]]:
    newest: dict[str, Report] = {}
    totals: Counter[str] = Counter()
    for report in reports:
        query = report["name"] or report["id"]
        newest[query] = report
        totals[query] += report["numInputRows"]
    found: list[tuple[str, dict[str, str], Any]] = []
    for query, report in newest.items():
        own = {"query": query}
        found.append((ROWS, own, totals[query]))
        found.append((TOOK, own, report["durationMs"]["triggerExecution"] / 1000))
        rate = report.get("inputRowsPerSecond")
        if isinstance(rate, int | float):
            found.append((RATE, own, rate))
        mark = _seconds(report.get("eventTime", {}).get("watermark"))
        if mark is not None:
            found.append((MARK, own, mark))
        for source in report["sources"]:
            if isinstance(source["latestOffset"], dict):
                for topic, parts in source["latestOffset"].items():
                    for part, latest in parts.items():
                        lag = latest - source["endOffset"].get(topic, {}).get(part, 0)
                        found.append((LAG, {**own, "topic": topic, "partition": part}, lag))
    return found


def _written(samples: Any, form: Any = str, esc: Any = _esc) -> str:
    samples, text = list(samples), ""
    for metric, kind in KINDS.items():
        text += f"# TYPE {metric} {kind}\n"
        for name, labels, value in samples:
            if name == metric:
                shown = ",".join(f'{label}="{esc(text)}"' for label, text in labels.items())
                text += f"{name}{{{shown}}} {form(value)}\n"
    return text


def right_with_help_and_floats(reports: list[Report]) -> str:
    lines: dict[str, list[str]] = {metric: [] for metric in KINDS}
    for name, labels, value in _samples(reports):
        shown = ", ".join(f'{label}="{_esc(text)}"' for label, text in sorted(labels.items()))
        lines[name].append(f"{name}{{{shown}}}\t{float(value)!r}")
    out = []
    for metric, own in lines.items():
        if own:
            out += [
                f"# HELP {metric} Of a query, from its reports.",
                f"# TYPE {metric} {KINDS[metric]}",
                *own,
            ]
    return "".join(line + "\n" for line in out)


def right_lag_first_and_exponents(reports: list[Report]) -> str:
    samples = _samples(reports)
    blocks = []
    for metric in reversed(KINDS):
        own = [one for one in samples if one[0] == metric]
        body = "".join(
            f"{metric}{{{','.join(f'{k}={chr(34)}{_esc(v)}{chr(34)}' for k, v in labels.items())}}} {value:.17e}\n"
            for _, labels, value in own
        )
        blocks.append(f"#  TYPE   {metric}  {KINDS[metric]}\n{body}")
    return "\n".join(blocks)


def right_windows_line_ends(reports: list[Report]) -> str:
    return _written(_samples(reports)).replace("\n", "\r\n")


def right_metrics_object(reports: list[Report]) -> str:
    class Metric:
        def __init__(self, name: str):
            self.name, self.values = name, OrderedDict()

        def set(self, value: Any, **labels: str) -> None:
            self.values[tuple(labels.items())] = value

        def inc(self, value: int, **labels: str) -> None:
            key = tuple(labels.items())
            self.values[key] = self.values.get(key, 0) + value

        def clear(self, query: str) -> None:
            for key in [key for key in self.values if dict(key)["query"] == query]:
                del self.values[key]

        def __str__(self) -> str:
            lines = [f"# TYPE {self.name} {KINDS[self.name]}"]
            for key, value in self.values.items():
                labels = ",".join(f'{name}="{_esc(text)}"' for name, text in key)
                lines.append(f"{self.name}{{{labels}}} {value}")
            return "\n".join(lines)

    metrics = {name: Metric(name) for name in KINDS}
    for number, _report in enumerate(reports):
        for name, labels, value in _samples(reports[number : number + 1]):
            if name == ROWS:
                for metric in (TOOK, RATE, MARK, LAG):
                    metrics[metric].clear(labels["query"])
                metrics[ROWS].inc(value, **labels)
            else:
                metrics[name].set(value, **labels)
    return "\n".join(map(str, metrics.values())) + "\n"


def right_no_text_without_reports(reports: list[Report]) -> str:
    if not reports:
        return ""
    return _written(_samples(reports))


def wrong_bytes(reports: list[Report]) -> Any:
    return _written(_samples(reports)).encode()


def wrong_list_of_lines(reports: list[Report]) -> Any:
    return _written(_samples(reports)).splitlines()


def wrong_openmetrics_counter(reports: list[Report]) -> str:
    """OpenMetrics declares a counter without _total; the text format does not."""
    text = _written(_samples(reports)).replace(
        f"# TYPE {ROWS} counter", f"# TYPE {ROWS[:-6]} counter"
    )
    return text + "# EOF\n"


def wrong_counter_without_total(reports: list[Report]) -> str:
    return _written(_samples(reports)).replace(ROWS, ROWS[:-6])


def wrong_values_rounded(reports: list[Report]) -> str:
    return _written(_samples(reports), lambda value: round(value, 1))


def wrong_general_format(reports: list[Report]) -> str:
    """%g has six digits: a watermark loses its last hours."""
    return _written(_samples(reports), lambda value: f"{value:g}")


def wrong_spaces_as_underscores(reports: list[Report]) -> str:
    return _written(
        _samples(reports), esc=lambda text: "".join(c if c.isalnum() else "_" for c in text)
    )


def wrong_quotes_removed(reports: list[Report]) -> str:
    return _written(
        _samples(reports),
        esc=lambda text: text.replace('"', "'").replace("\\", "/").replace("\n", " "),
    )


def wrong_python_repr(reports: list[Report]) -> str:
    return _written(_samples(reports), esc=lambda text: repr(text)[1:-1])


def wrong_json_with_umlauts(reports: list[Report]) -> str:
    """Right for all public names but for none with a tab."""
    return _written(_samples(reports), esc=lambda text: json.dumps(text, ensure_ascii=False)[1:-1])


def wrong_unnamed_left_out(reports: list[Report]) -> str:
    return _written(_samples([report for report in reports if report["name"] is not None]))


def wrong_age_of_the_watermark(reports: list[Report]) -> str:
    return _written(
        (name, labels, time.time() - value if name == MARK else value)
        for name, labels, value in _samples(reports)
    )


def wrong_batch_duration_of_add_batch(reports: list[Report]) -> str:
    changed = [
        {**one, "durationMs": {"triggerExecution": one["durationMs"].get("addBatch", 0)}}
        for one in reports
    ]
    return _written(_samples(changed))


def wrong_newest_by_batch_id(reports: list[Report]) -> str:
    """After a new checkpoint the batch ids begin at 0 again."""
    newest: dict[str, Report] = {}
    for report in reports:
        query = report["name"] or report["id"]
        if query not in newest or report["batchId"] >= newest[query]["batchId"]:
            newest[query] = report
    totals = {labels["query"]: value for name, labels, value in _samples(reports) if name == ROWS}
    return _written(
        (name, labels, totals[labels["query"]] if name == ROWS else value)
        for name, labels, value in _samples(list(newest.values()))
    )


def wrong_last_known_lag(reports: list[Report]) -> str:
    """A repeated batch has no lag, and the lag of the report before is kept."""
    found = _samples(reports)
    have = {labels["query"] for name, labels, _ in found if name == LAG}
    for report in reversed(reports):
        query = report["name"] or report["id"]
        if query not in have:
            old = [one for one in _samples([report]) if one[0] == LAG]
            found += old
            have |= {query} if old else set()
    return _written(found)


def wrong_last_known_rate(reports: list[Report]) -> str:
    """A rate that is missing is that of the report before."""
    known: dict[str, Any] = {}
    for report in reports:
        rate = report.get("inputRowsPerSecond")
        if isinstance(rate, float):
            known[report["name"] or report["id"]] = rate
    found = [one for one in _samples(reports) if one[0] != RATE]
    return _written(found + [(RATE, {"query": query}, rate) for query, rate in known.items()])


def wrong_duplicates_counted_once(reports: list[Report]) -> str:
    """A batch that is repeated after a restart counts once, although it was read twice."""
    once = {
        ((one["name"] or one["id"]), one["id"], one["batchId"]): one["numInputRows"]
        for one in reports
    }
    totals: Counter[str] = Counter()
    for (query, _, _), rows in once.items():
        totals[query] += rows
    return _written(
        (name, labels, totals[labels["query"]] if name == ROWS else value)
        for name, labels, value in _samples(reports)
    )


def wrong_partition_as_int_in_topic(reports: list[Report]) -> str:
    """One label for topic and partition."""
    return _written(
        (
            name,
            {"query": labels["query"], "partition": f"{labels['topic']}-{labels['partition']}"},
            value,
        )
        if name == LAG
        else (name, labels, value)
        for name, labels, value in _samples(reports)
    )


def wrong_extra_metric(reports: list[Report]) -> str:
    text = _written(_samples(reports))
    return text + f"# TYPE shop_queries gauge\nshop_queries {len({r['id'] for r in reports})}\n"


def wrong_run_id_label(reports: list[Report]) -> str:
    runs = {one["name"] or one["id"]: one["runId"] for one in reports}
    return _written(
        (n, {**labels, "run": runs[labels["query"]]}, v) for n, labels, v in _samples(reports)
    )


def wrong_plus_inf_lag(reports: list[Report]) -> str:
    """A lag that is not known is infinite."""
    found = _samples(reports)
    for report in {one["name"] or one["id"]: one for one in reports}.values():
        for source in report["sources"]:
            if source["latestOffset"] is None:
                labels = {"query": report["name"] or report["id"], "topic": "", "partition": ""}
                found.append((LAG, labels, "+Inf"))
    return _written(found)
