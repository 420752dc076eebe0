"""Suites that let bugs live, or find fault with the right function."""

import json
from collections.abc import Callable
from typing import Any

import pandas as pd
from pyspark.sql import Row
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout
from pyspark.sql.types import StructType

Told = list[tuple[float, str]]


def _cart(total: float | None = None, timed_out: bool = False) -> GroupState:
    return GroupState(
        Row(total),
        0,
        GroupState.NO_TIMESTAMP,
        GroupStateTimeout.EventTimeTimeout,
        timed_out,
        True,
        total is not None,
        False,
        False,
        GroupState.NO_TIMESTAMP,
        b"",
        StructType(),
    )


def _called(fill: Callable[..., Any], cart: GroupState, *pieces: list[tuple[float, str]]) -> Told:
    frames = [
        pd.DataFrame(
            {
                "price": [price for price, _ in piece],
                "time": pd.to_datetime([f"2026-03-01 {time}" for _, time in piece]),
            }
        )
        for piece in pieces
    ]
    found = list(fill(("mia",), iter(frames), cart))
    return [(row.total, row.what) for frame in found for row in frame.itertuples()]


def _timeout(cart: GroupState) -> str:
    return f"{pd.Timestamp(json.loads(cart.json())['timeoutTimestamp'], unit='ms'):%H:%M:%S}"


def _kept(cart: GroupState, total: float, timeout: str) -> None:
    assert cart.get == (total,)
    assert _timeout(cart) == timeout


def _given_up(fill: Callable[..., Any]) -> None:
    cart = _cart(25.0, timed_out=True)
    assert _called(fill, cart, []) == [(25.0, "given up")]
    assert not cart.exists


def what_is_told_only(fill: Callable[..., Any]) -> Any:
    """What a call leaves behind goes unseen

    The bugs in what a call leaves behind live: a total that is not kept, timeouts that are wrong or missing, a cart that
    stays. The others were caught. A call also changes the state; when the rows are out, compare what is in it.
    """
    assert _called(fill, _cart(), [(20.0, "10:00:00")]) == [(20.0, "filled")]
    pieces = [(2.0, "10:06:00")], [(3.0, "10:04:00")]
    assert _called(fill, _cart(80.0), *pieces) == [(85.0, "filled")]
    assert _called(fill, _cart(25.0, timed_out=True), []) == [(25.0, "given up")]


def time_is_never_up(fill: Callable[..., Any]) -> Any:
    """The call for a timeout goes unseen

    Two bugs live, both in the call for a timeout: one that keeps the cart, one that says nothing. In your
    tests it is you who says that time is up: `cart_state(total=25.0, timed_out=True)`. After such a call, compare what came
    out and what is left.
    """
    cart = _cart(20.0)
    assert _called(fill, cart, [(2.0, "10:06:00")], [(3.0, "10:04:00")]) == [(25.0, "filled")]
    _kept(cart, 25.0, "10:16:00")


def one_piece_a_call(fill: Callable[..., Any]) -> Any:
    """A function that takes the first piece only lives

    All bugs but one were caught: a function that takes the first piece of a group passes your tests. How many pieces did
    you hand over in one call, and what would be missing without the second?
    """
    cart = _cart(20.0)
    assert _called(fill, cart, [(2.0, "10:06:00"), (3.0, "10:04:00")]) == [(25.0, "filled")]
    _kept(cart, 25.0, "10:16:00")
    _given_up(fill)


def in_the_order_of_time(fill: Callable[..., Any]) -> Any:
    """A function that counts from the last row lives

    All bugs but one were caught: a function that counts ten minutes from the last row passes your tests.
    Rows come in no promised order. Hand over a newest thing that is not the last, and compare the timeout to the minute.
    """
    cart = _cart(20.0)
    assert _called(fill, cart, [(2.0, "10:04:00")], [(3.0, "10:06:00")]) == [(25.0, "filled")]
    _kept(cart, 25.0, "10:16:00")
    _given_up(fill)


def new_carts_only(fill: Callable[..., Any]) -> Any:
    """What a known cart keeps goes unseen

    The bugs that show only in a cart that is known live: one keeps no new total, one sets no new timeout. A state of your
    own may hold anything: `cart_state(total=80.0)`. After a call with things, compare its total and its timeout, too.
    """
    for _ in range(2):
        cart = _cart()
        assert _called(fill, cart, [(2.0, "10:06:00")], [(3.0, "10:04:00")]) == [(5.0, "filled")]
        _kept(cart, 5.0, "10:16:00")
    _given_up(fill)


def from_call_to_call(fill: Callable[..., Any]) -> Any:
    """A function that keeps totals in a dictionary lives

    All bugs but one were caught: a function that keeps its totals in a dictionary passes your tests. Whatever total
    was in the state, the same function had come to it in a call before. Give it a total that it has never seen.
    """
    cart = _cart()
    assert _called(fill, cart, [(12.5, "10:00:00"), (7.5, "10:01:00")]) == [(20.0, "filled")]
    assert _called(fill, cart, [(2.0, "10:06:00")], [(3.0, "10:04:00")]) == [(25.0, "filled")]
    _kept(cart, 25.0, "10:16:00")
    _given_up(fill)


def timeout_of_the_first(fill: Callable[..., Any]) -> Any:
    """The right function does not pass

    Your tests fail on the right function, so they catch nothing: whoever says that all is wrong is right about the
    bugs, too. Work out on paper what the code does in that call. (It is a generator: it does nothing until its rows are
    taken.)
    """
    cart = _cart()
    _called(fill, cart, [(2.0, "10:00:00"), (3.0, "10:06:00")])
    assert _timeout(cart) == "10:10:00", "ten minutes after the first thing"
