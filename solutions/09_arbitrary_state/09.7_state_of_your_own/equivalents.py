"""Other suites that catch all bugs."""

import json
from collections.abc import Callable
from typing import Any

import pandas as pd
from pyspark.sql import Row
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout
from pyspark.sql.types import StructType

TEN = pd.Timestamp("2026-03-01 10:00:00")
TEN_MINUTES = pd.Timedelta(minutes=10)


def _cart(total: float | None, timed_out: bool) -> GroupState:
    return GroupState(
        None if total is None else Row(total=total),
        batchProcessingTimeMs=1,
        eventTimeWatermarkMs=1,
        timeoutConf=GroupStateTimeout.EventTimeTimeout,
        hasTimedOut=timed_out,
        watermarkPresent=True,
        defined=total is not None,
        updated=False,
        removed=False,
        timeoutTimestamp=-1,
        keyAsUnsafe=b"",
        valueSchema=StructType(),
    )


def a_table_of_calls(fill: Callable[..., Any]) -> Any:
    """Each line is a call: the total before, minutes of things by piece, and all that the call leaves."""
    calls: list[tuple[float | None, list[list[int]], tuple[float, str], float | None, int]] = [
        (None, [[0]], (1.0, "filled"), 1.0, 10),
        (None, [[3, 1], [2]], (3.0, "filled"), 3.0, 13),
        (7.0, [[1], [5], [4]], (10.0, "filled"), 10.0, 15),
        (7.0, [], (7.0, "given up"), None, -1),
    ]
    for before, pieces, told, kept, timeout in calls:
        cart = _cart(before, timed_out=not pieces)
        frames = [
            pd.DataFrame({"price": 1.0, "time": [TEN + pd.Timedelta(minutes=m) for m in minutes]})
            for minutes in pieces or [[]]
        ]
        found = [tuple(row) for out in fill(("noa",), iter(frames), cart) for row in out.values]
        assert found == [("noa", *told)]
        assert cart.getOption == (None if kept is None else (kept,))
        set_to = json.loads(cart.json())["timeoutTimestamp"]
        asked = (TEN + pd.Timedelta(minutes=timeout)).timestamp() * 1000
        assert set_to == (-1 if timeout < 0 else asked)


def split_or_whole(fill: Callable[..., Any]) -> Any:
    """The same things in one piece or in three leave the same, and in a cart that is known, too."""
    times = [TEN + pd.Timedelta(minutes=m) for m in (5, 9, 2)]
    whole = pd.DataFrame({"price": [1.0, 2.0, 4.0], "time": times})
    for before in (None, 16.0):
        for frames in ([whole], [whole[:1], whole[1:2], whole[2:]]):
            cart = _cart(before, timed_out=False)
            (row,) = list(fill(("oki",), iter(frames), cart))
            assert float(row["total"].iloc[0]) == 7.0 + (before or 0.0) == cart.get[0]
            after = json.loads(cart.json())
            assert after["updated"]
            assert pd.Timestamp(after["timeoutTimestamp"], unit="ms") == times[1] + TEN_MINUTES
    cart = _cart(16.0, timed_out=True)
    (row,) = list(fill(("oki",), iter([whole[:0]]), cart))
    assert (row["total"].to_list(), row["what"].to_list()) == ([16.0], ["given up"])
    assert json.loads(cart.json())["removed"]
