"""The query of an exercise that is given, from its text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def subject_of(text: str | None) -> Callable[..., Any] | None:
    """The function `subject` that source text defines: it takes the inputs and returns a streaming DataFrame."""
    if text is None:
        return None
    namespace: dict[str, Any] = {"__name__": "subject"}
    exec(compile(text, "subject.py", "exec", dont_inherit=True), namespace)
    return namespace["subject"]  # type: ignore[no-any-return]
