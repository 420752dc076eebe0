"""Suites that miss bugs, or fail on the right function."""

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
    """State after a call not tested

    The suite misses the bugs in what a call leaves behind. They are a total that is not kept, timeouts that
    are wrong or missing, and a cart that stays. It catches the others. A call also changes the state. What
    do `cart.get`, `timeout_of(cart)` and `cart.exists` return after each call?
    """
    assert _called(fill, _cart(), [(20.0, "10:00:00")]) == [(20.0, "filled")]
    pieces = [(2.0, "10:06:00")], [(3.0, "10:04:00")]
    assert _called(fill, _cart(80.0), *pieces) == [(85.0, "filled")]
    assert _called(fill, _cart(25.0, timed_out=True), []) == [(25.0, "given up")]


def time_is_never_up(fill: Callable[..., Any]) -> Any:
    """Timeout call not tested

    The suite misses two bugs, both in the timeout call: one keeps the cart, one emits nothing. In a test
    you decide that a timeout has passed: `cart_state(total=25.0, timed_out=True)`. After such a call, which
    rows and which state do you expect?
    """
    cart = _cart(20.0)
    assert _called(fill, cart, [(2.0, "10:06:00")], [(3.0, "10:04:00")]) == [(25.0, "filled")]
    _kept(cart, 25.0, "10:16:00")


def one_piece_a_call(fill: Callable[..., Any]) -> Any:
    """Only one chunk per call

    The suite catches all bugs except one: a function that takes only the first chunk of a group passes. How
    many chunks did you pass in one call, and what would be missing without the second?
    """
    cart = _cart(20.0)
    assert _called(fill, cart, [(2.0, "10:06:00"), (3.0, "10:04:00")]) == [(25.0, "filled")]
    _kept(cart, 25.0, "10:16:00")
    _given_up(fill)


def in_the_order_of_time(fill: Callable[..., Any]) -> Any:
    """Newest item always last

    The suite catches all bugs except one: a function that counts ten minutes from the last row passes. Rows
    arrive in no promised order. Is the newest item in your tests ever *not* the last, and do you compare
    the timeout to the minute?
    """
    cart = _cart(20.0)
    assert _called(fill, cart, [(2.0, "10:04:00")], [(3.0, "10:06:00")]) == [(25.0, "filled")]
    _kept(cart, 25.0, "10:16:00")
    _given_up(fill)


def timeout_by_its_word(fill: Callable[..., Any]) -> Any:
    """Total of a timeout not compared

    The suite catches all bugs except one: a function that emits a wrong total at a timeout passes. Rule 6
    promises a row with two values. Which of them do you compare with a number that you expect?
    """
    cart = _cart(20.0)
    assert _called(fill, cart, [(2.0, "10:06:00")], [(3.0, "10:04:00")]) == [(25.0, "filled")]
    _kept(cart, 25.0, "10:16:00")
    cart = _cart(25.0, timed_out=True)
    assert _called(fill, cart, [])[-1][1] == "given up"
    assert not cart.exists


def new_carts_only(fill: Callable[..., Any]) -> Any:
    """Known carts not tested

    The suite misses the bugs that only show in a known cart: one keeps no new total, one sets no new
    timeout. A state that you make can hold any total: `cart_state(total=80.0)`. After a call with items, do
    you compare its total and its timeout?
    """
    for _ in range(2):
        cart = _cart()
        assert _called(fill, cart, [(2.0, "10:06:00")], [(3.0, "10:04:00")]) == [(5.0, "filled")]
        _kept(cart, 5.0, "10:16:00")
    _given_up(fill)


def from_call_to_call(fill: Callable[..., Any]) -> Any:
    """Previous total always from an earlier call

    The suite catches all bugs except one: a function that keeps totals in a dictionary passes. Every total
    in the state came from an earlier call of the same function. Which state holds a total that the function
    has never seen?
    """
    cart = _cart()
    assert _called(fill, cart, [(12.5, "10:00:00"), (7.5, "10:01:00")]) == [(20.0, "filled")]
    assert _called(fill, cart, [(2.0, "10:06:00")], [(3.0, "10:04:00")]) == [(25.0, "filled")]
    _kept(cart, 25.0, "10:16:00")
    _given_up(fill)


def timeout_of_the_first(fill: Callable[..., Any]) -> Any:
    """Suite fails on the right function

    Your tests fail on the right function, so they earn nothing: a suite that always fails catches every
    bug, too. Work out on paper what the code does in that call. It is a generator, so it does nothing until
    you take its rows. Which of your expectations differs?
    """
    cart = _cart()
    _called(fill, cart, [(2.0, "10:00:00"), (3.0, "10:06:00")])
    assert _timeout(cart) == "10:10:00", "ten minutes after the first thing"
