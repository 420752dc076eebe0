"""The learner's reader at work on a real shard."""

from collections.abc import Callable
from typing import Any

from grader.connectors.shard_trial import on_a_shard


def subject(answer: Callable[..., Any], **event: Any) -> dict[str, Any]:
    return on_a_shard(answer, **event)
