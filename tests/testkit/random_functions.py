"""Functions with state for applyInPandasWithState, put together of a few things that one can do.

The same function runs in the model and, shipped whole to a worker, in Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

COLUMNS = {
    "key": "string",
    "rows": "bigint",
    "newest": "timestamp",
    "seen": "string",
    "timed_out": "boolean",
}
KEPT = {"rows": "bigint", "newest": "bigint"}
EPOCH, MILLISECOND = datetime(1970, 1, 1, tzinfo=timezone.utc), timedelta(milliseconds=1)

# what can be done in a call, one after the other: how many rows there were and their newest time are
# what the state holds, in the order of KEPT; times in milliseconds since 1970
DONE = {
    "count": "keep what was counted, with the rows of this call",
    "forget": "remove the state, if there is one or not",
    "forget odd": "remove it where the count is odd",
    "forget old": "remove it where there was one",
    "wait": "a timeout so long after the newest time, or after the watermark if that is later",
    "wait carelessly": "a timeout so long after the newest time, wherever the watermark stands",
    "wait no longer": "a timeout at the watermark itself: reached, and not passed",
    "wait by the clock": "a timeout so long after the clock of this batch",
    "tell": "a row of what was counted",
    "tell order": "a row with the ids in the order in which they came",
    "tell each": "a row for each row",
}


def function_of(
    on_rows: Sequence[str], on_timeout: Sequence[str], wait: int
) -> Callable[..., Iterator[dict[str, Any]]]:
    """A function that does these things, by their names in DONE; `wait` is in milliseconds."""

    def function(key: Any, rows: Any, state: Any) -> Iterator[dict[str, Any]]:
        before, newest = state.get if state.exists else (0, None)
        counted = before + len(rows)
        for row in rows:
            if row["time"] is not None:
                at = (row["time"] - EPOCH) // MILLISECOND
                newest = at if newest is None else max(newest, at)
        ids = [row["id"] or "-" for row in rows]
        for done in on_timeout if state.hasTimedOut else on_rows:
            telling: list[str | None] = []
            if done == "count":
                state.update((counted, newest))
            elif (
                done == "forget"
                or (done == "forget odd" and counted % 2)
                or (done == "forget old" and before)
            ):
                state.remove()
            elif done == "wait":
                watermark = state.getCurrentWatermarkMs()
                state.setTimeoutTimestamp(max(newest or 0, watermark) + wait)
            elif done == "wait carelessly" and newest is not None:
                state.setTimeoutTimestamp(newest + wait)
            elif done == "wait no longer" and state.getCurrentWatermarkMs() > 0:
                state.setTimeoutTimestamp(state.getCurrentWatermarkMs())
            elif done == "wait by the clock":
                state.setTimeoutDuration(wait)
            elif done == "tell":
                telling = [None]
            elif done == "tell order":
                telling = ["".join(ids)]
            elif done == "tell each":
                telling = list(ids)
            for seen in telling:
                yield {
                    "key": "|".join(str(part) for part in key),
                    "rows": counted,
                    "newest": None if newest is None else EPOCH + newest * MILLISECOND,
                    "seen": seen,
                    "timed_out": state.hasTimedOut,
                }

    function.__qualname__ = f"{list(on_rows)}, on a timeout {list(on_timeout)}, after {wait} ms"
    return function
