"""The learner's text as Prometheus's official parser reads it."""

from collections.abc import Callable
from typing import Any

from grader.query_metrics.exposition_trial import as_scraped


def subject(answer: Callable[..., Any], reports: list[dict[str, Any]]) -> dict[str, Any]:
    return as_scraped(answer, reports)
