"""The learner's function gets a record's bytes, the schemas of the registry, and the reader's schema."""

from collections.abc import Callable
from typing import Any

from grader.connectors.order_schemas import on_a_record


def subject(answer: Callable[..., Any], **event: Any) -> dict[str, Any]:
    return on_a_record(answer, **event)
