"""The function that the tests are for, and nine that have a planted bug each."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
from pyspark.sql.streaming.state import GroupState

Key = tuple[str]
Fill = Callable[[Key, Iterator[pd.DataFrame], Any], Iterator[pd.DataFrame]]


def fill_cart(key: Key, chunks: Iterator[pd.DataFrame], cart: GroupState) -> Iterator[pd.DataFrame]:
    (customer,) = key
    if cart.hasTimedOut:
        (total,) = cart.get
        cart.remove()
        yield pd.DataFrame({"customer": [customer], "total": [total], "what": ["given up"]})
        return
    added = pd.concat(list(chunks))
    (before,) = cart.get if cart.exists else (0.0,)
    total = before + float(added["price"].sum())
    cart.update((total,))
    give_up = added["time"].max() + pd.Timedelta(minutes=10)
    cart.setTimeoutTimestamp(int(give_up.timestamp() * 1000))
    yield pd.DataFrame({"customer": [customer], "total": [total], "what": ["filled"]})


class _But:
    """A cart's state on which some calls do something else, or nothing."""

    def __init__(self, cart: GroupState, **others: Callable[..., None]):
        self._cart, self._others = cart, others

    def __getattr__(self, name: str) -> Any:
        return self._others.get(name) or getattr(self._cart, name)


def _nothing(*_: object) -> None:
    pass


def _first_piece(key: Key, chunks: Iterator[pd.DataFrame], cart: Any) -> Iterator[pd.DataFrame]:
    return fill_cart(key, chunks if cart.hasTimedOut else iter([next(chunks)]), cart)


def _in_a_dict() -> Fill:
    totals: dict[Key, float] = {}

    def fill(key: Key, chunks: Iterator[pd.DataFrame], cart: Any) -> Iterator[pd.DataFrame]:
        if cart.hasTimedOut:
            totals.pop(key, None)
            yield from fill_cart(key, chunks, cart)
            return
        added = pd.concat(list(chunks))
        totals[key] = totals.get(key, 0.0) + float(added["price"].sum())
        cart.update((totals[key],))
        give_up = added["time"].max() + pd.Timedelta(minutes=10)
        cart.setTimeoutTimestamp(int(give_up.timestamp() * 1000))
        yield pd.DataFrame({"customer": [key[0]], "total": [totals[key]], "what": ["filled"]})

    return fill


def _not_kept(key: Key, chunks: Iterator[pd.DataFrame], cart: Any) -> Iterator[pd.DataFrame]:
    return fill_cart(key, chunks, _But(cart, update=_nothing) if cart.exists else cart)


def _no_new_timeout(key: Key, chunks: Iterator[pd.DataFrame], cart: Any) -> Iterator[pd.DataFrame]:
    known = _But(cart, setTimeoutTimestamp=_nothing)
    return fill_cart(key, chunks, known if cart.exists else cart)


def _last_row(key: Key, chunks: Iterator[pd.DataFrame], cart: Any) -> Iterator[pd.DataFrame]:
    if cart.hasTimedOut:
        return fill_cart(key, chunks, cart)
    added = pd.concat(list(chunks))
    return fill_cart(key, iter([added.assign(time=added["time"].iloc[-1])]), cart)


def _seconds(key: Key, chunks: Iterator[pd.DataFrame], cart: Any) -> Iterator[pd.DataFrame]:
    def in_seconds(ms: int) -> None:
        cart.setTimeoutTimestamp(ms // 1000)

    return fill_cart(key, chunks, _But(cart, setTimeoutTimestamp=in_seconds))


def _not_removed(key: Key, chunks: Iterator[pd.DataFrame], cart: Any) -> Iterator[pd.DataFrame]:
    return fill_cart(key, chunks, _But(cart, remove=_nothing))


def _untold(key: Key, chunks: Iterator[pd.DataFrame], cart: Any) -> Iterator[pd.DataFrame]:
    if not cart.hasTimedOut:
        return fill_cart(key, chunks, cart)
    cart.remove()
    return iter([])


def _total_lost(key: Key, chunks: Iterator[pd.DataFrame], cart: Any) -> Iterator[pd.DataFrame]:
    timed_out = cart.hasTimedOut
    for told in fill_cart(key, chunks, cart):
        yield told.assign(total=0.0) if timed_out else told


def subject(name: str) -> Fill:
    """The function to be tested: the right one, or one with the bug of that name."""
    planted: dict[str, Fill] = {
        "in_a_dict": _in_a_dict(),
        "right": fill_cart,
        "first_piece": _first_piece,
        "not_kept": _not_kept,
        "no_new_timeout": _no_new_timeout,
        "last_row": _last_row,
        "seconds": _seconds,
        "not_removed": _not_removed,
        "untold": _untold,
        "total_lost": _total_lost,
    }
    fill = planted[name]
    fill.__name__ = fill_cart.__name__  # what is tested is what it does
    return fill
