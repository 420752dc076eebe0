"""The learner's settings at work, at a real broker and at servers that are not it."""

from collections.abc import Callable
from typing import Any

from grader.connectors.client_trial import at_a_server


def subject(answer: Callable[..., Any], **event: Any) -> str:
    return at_a_server(answer, **event)
