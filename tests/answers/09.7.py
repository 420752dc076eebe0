"""Answers to 09.7: test suites for fill_cart."""

import json
import unittest
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pandas as pd
from pyspark.sql import Row
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout
from pyspark.sql.types import StructType


def _cart_state(total: float | None = None, timed_out: bool = False) -> GroupState:
    return GroupState(
        optionalValue=Row(total),
        batchProcessingTimeMs=0,
        eventTimeWatermarkMs=GroupState.NO_TIMESTAMP,
        timeoutConf=GroupStateTimeout.EventTimeTimeout,
        hasTimedOut=timed_out,
        watermarkPresent=True,
        defined=total is not None,
        updated=False,
        removed=False,
        timeoutTimestamp=GroupState.NO_TIMESTAMP,
        keyAsUnsafe=b"",
        valueSchema=StructType(),
    )


def _piece(*things: tuple[float, str]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "customer": ["mia" for _ in things],
            "price": [price for price, _ in things],
            "time": pd.to_datetime([f"2026-03-01 {time}" for _, time in things]),
        }
    )


def _called(fill: Any, cart: GroupState, *pieces: pd.DataFrame) -> list[tuple[float, str]]:
    frames = list(fill(("mia",), iter(pieces), cart))
    return [(row.total, row.what) for frame in frames for row in frame.itertuples()]


def _timeout_of(cart: GroupState) -> str | None:
    ms = json.loads(cart.json())["timeoutTimestamp"]
    return None if ms == GroupState.NO_TIMESTAMP else f"{pd.Timestamp(ms, unit='ms'):%H:%M:%S}"


def right_with_a_mock(fill: Callable[..., Any]) -> Any:
    """Hands over a mock for the state, and asks it how it was called

    Right: it tests every promise, each bug in nature would show: a function with a dictionary would begin at 0 and not at 80.
    """
    cart = MagicMock(hasTimedOut=False, exists=True, get=(80.0,), getOption=(80.0,))
    pieces = _piece((1.0, "10:05:00"), (2.0, "10:06:00")), _piece((3.0, "10:04:00"))
    assert _called(fill, cart, *pieces) == [(86.0, "filled")]
    cart.update.assert_called_with((86.0,))
    newest = pd.Timestamp("2026-03-01 10:16:00").timestamp() * 1000
    cart.setTimeoutTimestamp.assert_called_with(newest)
    cart.remove.assert_not_called()

    cart = MagicMock(hasTimedOut=True, exists=True, get=(86.0,), getOption=(86.0,))
    assert _called(fill, cart, _piece()) == [(86.0, "given up")]
    cart.remove.assert_called_once_with()


def right_with_a_note_pad(fill: Callable[..., Any]) -> Any:
    """Hands over a plain object that notes the last update, timeout and removal

    Right, as right_with_a_mock.
    """

    def state(**known: Any) -> tuple[SimpleNamespace, dict[str, Any]]:
        notes: dict[str, Any] = {}
        cart = SimpleNamespace(
            update=lambda value: notes.update(kept=tuple(value)),
            setTimeoutTimestamp=lambda ms: notes.update(timeout=ms),
            remove=lambda: notes.update(removed=True),
            **known,
        )
        return cart, notes

    cart, notes = state(hasTimedOut=False, exists=True, get=(80.0,), getOption=(80.0,))
    pieces = _piece((2.0, "10:06:00")), _piece((3.0, "10:04:00"))
    assert _called(fill, cart, *pieces) == [(85.0, "filled")]
    assert notes == {"kept": (85.0,), "timeout": 1772360160000}

    cart, notes = state(hasTimedOut=True, exists=True, get=(25.0,), getOption=(25.0,))
    assert _called(fill, cart, _piece()) == [(25.0, "given up")]
    assert notes == {"removed": True}


def right_with_unittest(fill: Callable[..., Any]) -> Any:
    """Uses the assertions of unittest, compares whole frames, and puts pieces into a list

    Right: an assertion of unittest raises an AssertionError.
    """
    test = unittest.TestCase()
    for before in (None, 40.0):
        cart = _cart_state(before)
        pieces = [_piece((2.0, "10:06:00")), _piece(), _piece((3.0, "10:04:00"), (1.5, "09:59:00"))]
        (frame,) = fill(("mia",), iter(pieces), cart)
        total = 6.5 + (before or 0.0)
        wanted = pd.DataFrame({"customer": ["mia"], "total": [total], "what": ["filled"]})
        pd.testing.assert_frame_equal(frame[list(wanted)], wanted)
        test.assertEqual(cart.getOption, (total,))
        test.assertEqual(_timeout_of(cart), "10:16:00")
    cart = _cart_state(40.0, timed_out=True)
    with test.subTest("given up"):
        test.assertListEqual(_called(fill, cart, _piece()), [(40.0, "given up")])
        test.assertFalse(cart.exists)
        test.assertIsNone(cart.getOption)


def right_all_faults_at_the_end(fill: Callable[..., Any]) -> Any:
    """Makes all its calls, collects what is wrong, and raises once

    Right: a suite that fails raises an AssertionError.
    """
    faults = []

    def expect(what: str, found: Any, wanted: Any) -> None:
        if found != wanted:
            faults.append(f"{what}: {found}, not {wanted}")

    for total in (None, 11.0):
        cart = _cart_state(total)
        told = _called(
            fill, cart, _piece((4.0, "10:09:00"), (1.0, "10:02:00")), _piece((8.0, "10:03:00"))
        )
        expect("told", told, [(13.0 + (total or 0), "filled")])
        expect("kept", cart.getOption, (13.0 + (total or 0),))
        expect("timeout", _timeout_of(cart), "10:19:00")
    cart = _cart_state(11.0, timed_out=True)
    expect("told", _called(fill, cart, _piece()), [(11.0, "given up")])
    expect("kept", cart.exists, False)
    assert not faults, "\n".join(faults)


def wrong_in_order_and_no_piece_at_the_timeout(fill: Callable[..., Any]) -> Any:
    """The newest thing is always the last, and the call for a timeout has no piece at all

    Wrong: nothing tests that ten minutes count from the newest.
    """
    cart = _cart_state(20.0)
    pieces = _piece((2.0, "10:04:00")), _piece((3.0, "10:06:00"))
    assert _called(fill, cart, *pieces) == [(25.0, "filled")]
    assert cart.get == (25.0,)
    assert _timeout_of(cart) == "10:16:00"

    cart = _cart_state(25.0, timed_out=True)
    assert _called(fill, cart) == [(25.0, "given up")]
    assert not cart.exists


def wrong_looks_at_the_name(fill: Callable[..., Any]) -> Any:
    """Looks at the function's name

    Wrong: it calls nothing.
    """
    assert fill.__name__ == "fill_cart"


def wrong_known_cart_is_only_told(fill: Callable[..., Any]) -> Any:
    """Tests a new cart in full, and of a known one only what is told

    Wrong: not_kept and no_new_timeout live.
    """
    cart = _cart_state()
    pieces = _piece((2.0, "10:06:00")), _piece((3.0, "10:04:00"))
    assert _called(fill, cart, *pieces) == [(5.0, "filled")]
    assert cart.get == (5.0,)
    assert _timeout_of(cart) == "10:16:00"

    assert _called(fill, _cart_state(80.0), _piece((1.0, "10:00:00"))) == [(81.0, "filled")]

    cart = _cart_state(25.0, timed_out=True)
    assert _called(fill, cart, _piece()) == [(25.0, "given up")]
    assert not cart.exists


def wrong_some_timeout_is_set(fill: Callable[..., Any]) -> Any:
    """Hands things over out of order, and only asks whether a timeout of that day is set

    Wrong: last_row lives.
    """
    cart = _cart_state(20.0)
    pieces = _piece((2.0, "10:06:00")), _piece((3.0, "10:04:00"))
    assert _called(fill, cart, *pieces) == [(25.0, "filled")]
    assert cart.get == (25.0,)
    assert (_timeout_of(cart) or "").startswith("10:1")

    cart = _cart_state(25.0, timed_out=True)
    assert _called(fill, cart, _piece()) == [(25.0, "given up")]
    assert not cart.exists


def wrong_given_up_without_a_look(fill: Callable[..., Any]) -> Any:
    """Makes the call for a timeout, and asserts nothing of it

    Wrong: not_removed and untold live.
    """
    cart = _cart_state(20.0)
    pieces = _piece((2.0, "10:06:00")), _piece((3.0, "10:04:00"))
    assert _called(fill, cart, *pieces) == [(25.0, "filled")]
    assert cart.get == (25.0,)
    assert _timeout_of(cart) == "10:16:00"

    _called(fill, _cart_state(25.0, timed_out=True), _piece())


def wrong_second_piece_is_empty(fill: Callable[..., Any]) -> Any:
    """Hands over two pieces, and the second has no rows

    Wrong: first_piece lives.
    """
    cart = _cart_state(20.0)
    pieces = _piece((2.0, "10:06:00"), (3.0, "10:04:00")), _piece()
    assert _called(fill, cart, *pieces) == [(25.0, "filled")]
    assert cart.get == (25.0,)
    assert _timeout_of(cart) == "10:16:00"

    cart = _cart_state(25.0, timed_out=True)
    assert _called(fill, cart, _piece()) == [(25.0, "given up")]
    assert not cart.exists


def wrong_the_total_it_would_have_anyway(fill: Callable[..., Any]) -> Any:
    """Makes a state for the second call, with the total that the first call has left

    Wrong: in_a_dict lives, as its dictionary has just that total.
    """
    cart = _cart_state()
    assert _called(fill, cart, _piece((20.0, "10:00:00"))) == [(20.0, "filled")]
    cart = _cart_state(20.0)
    pieces = _piece((2.0, "10:06:00")), _piece((3.0, "10:04:00"))
    assert _called(fill, cart, *pieces) == [(25.0, "filled")]
    assert cart.get == (25.0,)
    assert _timeout_of(cart) == "10:16:00"

    cart = _cart_state(25.0, timed_out=True)
    assert _called(fill, cart, _piece()) == [(25.0, "given up")]
    assert not cart.exists


def wrong_one_piece_in_order(fill: Callable[..., Any]) -> Any:
    """Everything but the piece: all things in one piece, and the newest one last

    Wrong: two gaps at once, first_piece and last_row live.
    """
    cart = _cart_state(20.0)
    assert _called(fill, cart, _piece((2.0, "10:04:00"), (3.0, "10:06:00"))) == [(25.0, "filled")]
    assert cart.get == (25.0,)
    assert _timeout_of(cart) == "10:16:00"
    cart = _cart_state(25.0, timed_out=True)
    assert _called(fill, cart, _piece()) == [(25.0, "given up")]
    assert not cart.exists


_CART = _cart_state(total=80.0)


def wrong_one_cart_for_all(fill: Callable[..., Any]) -> Any:
    """A cart made outside is full of what the tests before have put in."""
    assert _called(fill, _CART, _piece((1.0, "10:05:00"))) == [(81.0, "filled")]
