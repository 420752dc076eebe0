"""What tells of alarms, twice each: the second time is the retry after a kill."""

from collections.abc import Callable
from typing import Any


def subject(alarm_key: Callable[..., Any], alarms: list[dict[str, Any]]) -> list[Any]:
    first = [alarm_key(**alarm) for alarm in alarms]
    again = [alarm_key(**alarm) for alarm in alarms]
    pairs = zip(first, again, strict=True)
    return [one if one == two else "another one each time" for one, two in pairs]
