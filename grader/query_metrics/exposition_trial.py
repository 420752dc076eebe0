"""Tries a function that writes Prometheus's text format: what the official parser reads of its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

# the metrics of the task, and the column of the result for each
COLUMNS = {
    "shop_query_input_rows_total": "rows",
    "shop_query_batch_duration_seconds": "duration",
    "shop_query_input_rows_per_second": "rate",
    "shop_query_watermark_timestamp_seconds": "watermark",
    "shop_query_lag_records": "lag",
}
_LABELS = ("query", "topic", "partition")
_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_TYPE = re.compile(r"^#[ \t]+TYPE[ \t]+(\S+)", re.M)


def as_scraped(
    exposition: Callable[..., Any], reports: list[dict[str, Any]]
) -> dict[str, Any] | None:
    """What Prometheus reads of the text that a function makes of progress reports; None if it makes none.

    - `text`: "valid", or the first fault
    - `types`: the type of each metric that has samples
    - a list of samples for each metric of the task, and `other` for the rest
    """
    text = exposition(reports)
    if text is None:
        return None
    found: dict[str, list[str]] = {name: [] for name in ("types", *COLUMNS.values(), "other")}
    if not isinstance(text, str):
        return {"text": f"not a string: {type(text).__name__}", **found}
    try:
        families = list(text_string_to_metric_families(text))
    except ValueError as error:
        return {"text": _refused(text, error), **found}
    samples = _named(text, families)
    for name, kind, sample in samples:
        found[COLUMNS.get(name, "other")].append(_shown(name, sample))
        found["types"].append(f"{COLUMNS.get(name, name)} {kind}")
    for column, values in found.items():
        found[column] = sorted(set(values) if column == "types" else values)
    return {"text": _fault(text, samples) or "valid", **found}


def _named(text: str, families: list[Metric]) -> list[tuple[str, str, Sample]]:
    """Each sample with its type and the name in its line: the parser adds _total to a counter without it."""
    lines = [line.strip() for line in text.split("\n")]
    lines = [line for line in lines if line and not line.startswith("#")]
    samples = [(family.type, sample) for family in families for sample in family.samples]
    found = []
    for line, (kind, sample) in zip(lines, samples, strict=True):
        name = _NAME.match(line)
        found.append((name[0] if name else sample.name, kind, sample))
    return found


def _refused(text: str, error: ValueError) -> str:
    for line in text.split("\n"):
        try:
            list(text_string_to_metric_families(line))
        except ValueError:
            return f"line refused by the parser: {line}"
    return f"refused by the parser: {error}"


def _fault(text: str, samples: Sequence[tuple[str, str, Sample]]) -> str:
    """The first fault that Prometheus or a reader would meet and the parser lets pass; empty if none."""
    if text and not text.endswith("\n"):
        return "no newline at the end"
    types = _TYPE.findall(text)
    groups = [name for name, _ in groupby(name for name, _, _ in samples)]
    series = [(name, *sorted(sample.labels.items())) for name, _, sample in samples]
    for name in dict.fromkeys([*types, *groups]):
        if types.count(name) > 1:
            return f"two TYPE lines for {name}"
        if groups.count(name) > 1:
            return f"samples of {name} are not together"
    for name, _, sample in samples:
        if series.count((name, *sorted(sample.labels.items()))) > 1:
            return f"a sample twice: {_shown(name, sample)}"
        if sample.timestamp is not None:
            return f"a timestamp: {_shown(name, sample)}"
    return ""


def _shown(name: str, sample: Sample) -> str:
    """A sample in one spelling; labels that the task does not have are named, and so is such a metric."""
    metric = [] if name in COLUMNS else [name]
    labels = [
        value if label in _LABELS else f"{label}={value}"
        for label, value in sorted(sample.labels.items(), key=_place)
    ]
    said = " ".join([*metric, *labels]).replace("\n", "⏎")
    return f"{said}: {round(sample.value, 3):.15g}"


def _place(label: tuple[str, str]) -> tuple[int, str]:
    known = label[0] in _LABELS
    return (_LABELS.index(label[0]) if known else len(_LABELS), label[0])
