"""What tells of alarms, twice each: the second time is the retry after a kill."""

from collections.abc import Callable
from typing import Any


def subject(alarm_key: Callable[..., Any], alarms: list[dict[str, Any]]) -> list[Any]:
    first = [alarm_key(**alarm) for alarm in alarms]
    again = [alarm_key(**alarm) for alarm in alarms]
    pairs = zip(first, again, strict=True)
    return [as_text(one) if one == two else "another one each time" for one, two in pairs]


def as_text(key: Any) -> str:
    """The key; one that is no text is told with its type."""
    return key if isinstance(key, str) else f"no text: {key!r}"
