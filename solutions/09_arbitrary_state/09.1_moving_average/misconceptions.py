"""Wrong ways to keep a moving average."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

ALPHA = 0.25
HALF_AN_HOUR = 30 * 60 * 1000
Update = Callable[[Any, Iterator[pd.DataFrame], GroupState], Iterator[pd.DataFrame]]


def _by_option(
    quotes: DataFrame,
    update: Update,
    kept: str = "average DOUBLE",
    timeout: str = GroupStateTimeout.EventTimeTimeout,
) -> DataFrame:
    return (
        quotes.withWatermark("quote_time", "1 minute")
        .groupBy("option")
        .applyInPandasWithState(
            update,
            outputStructType="option STRING, quote_time TIMESTAMP, average DOUBLE",
            stateStructType=kept,
            outputMode="append",
            timeoutConf=timeout,
        )
    )


def _in_order(chunks: Iterator[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(list(chunks)).sort_values("quote_time")


def _averages(prices: pd.Series, old: float | None, weight: float = ALPHA) -> list[float]:
    found = []
    for price in prices:
        old = price if old is None else weight * price + (1 - weight) * old
        found.append(old)
    return found


def _rows(option: str, frame: pd.DataFrame, averages: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"option": option, "quote_time": frame["quote_time"], "average": averages})


def _set_timeout(state: GroupState, frame: pd.DataFrame) -> None:
    newest = int(frame["quote_time"].max().timestamp() * 1000)
    state.setTimeoutTimestamp(newest + HALF_AN_HOUR)


def _update(
    order: Callable[[Iterator[pd.DataFrame]], pd.DataFrame] = _in_order,
    averages: Callable[[pd.Series, float | None], list[float]] = _averages,
    set_timeout: Callable[[GroupState, pd.DataFrame], None] = _set_timeout,
    ended: Callable[[GroupState], None] = GroupState.remove,
) -> Update:
    """The function as it should be, but for what is said."""

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            ended(state)
            return
        frame = order(chunks)
        found = averages(frame["price"], state.get[0] if state.exists else None)
        state.update((found[-1],))
        set_timeout(state, frame)
        yield _rows(key[0], frame, found)

    return update


def forgetting_between_batches(quotes: DataFrame) -> DataFrame:
    """Every batch starts anew

    Every batch starts again with its first price. The function is called anew for each option in
    each batch, in whatever Python process is free; its variables, and globals, too, are gone by
    then. What must last goes into the state, and comes out of it on the next call.
    """
    return _by_option(quotes, _update(averages=lambda prices, _old: _averages(prices, None)))


def order_of_arrival(quotes: DataFrame) -> DataFrame:
    """Quotes taken in the order in which they arrived

    The averages are those of the quotes as they arrived. Kafka keeps, in a partition, the order in which
    they were sent, a shuffle promises none at all, and a quote that overtook another gets the wrong place
    in the average. Who puts the rows of a batch in order? To sort each piece by itself is not
    enough: a quote may have overtaken one of a later piece.
    """
    return _by_option(quotes, _update(order=lambda chunks: pd.concat(list(chunks))))


def the_first_piece(quotes: DataFrame) -> DataFrame:
    """Only the first piece of a group

    Some quotes have no average: all but the first two of an option in a batch. Spark hands over a
    group as an *iterator* of DataFrames. With the default of 10,000 rows a piece the loss would
    show only on a very busy day; the check uses pieces of two rows.
    """
    return _by_option(quotes, _update(order=lambda chunks: next(chunks).sort_values("quote_time")))


def weights_swapped(quotes: DataFrame) -> DataFrame:
    """The two weights exchanged

    The averages are those of 0.75 for the new price and 0.25 for the average so far; they jump
    after every quote. The smoothing factor is the share of what is new.
    """
    return _by_option(
        quotes, _update(averages=lambda prices, old: _averages(prices, old, 1 - ALPHA))
    )


def never_letting_go(quotes: DataFrame) -> DataFrame:
    """No option is ever given up, and no quote is late

    An option that was silent for more than half an hour went on from its old average, and a late
    quote was counted. A watermark alone removes nothing here: Spark cannot know what your state
    means. You say when it ends, with a timeout; and only with `EventTimeTimeout` are late rows kept
    from your function.
    """

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        frame = _in_order(chunks)
        averages = _averages(frame["price"], state.get[0] if state.exists else None)
        state.update((averages[-1],))
        yield _rows(key[0], frame, averages)

    return _by_option(quotes, update, timeout=GroupStateTimeout.NoTimeout)


def never_forgotten(quotes: DataFrame) -> DataFrame:
    """No option is ever forgotten

    In step 5 cocoa-put, silent for more than half an hour, went on from its old average, and after step 4 the
    query kept {steps.4.state} averages where {asked.steps.4.state} are asked for. `EventTimeTimeout` only allows a
    timeout, and a timeout removes nothing. Does each call with quotes set one, in milliseconds, and what does your
    function do when it is called for one?
    """
    return _by_option(quotes, _update(ended=lambda _state: None))


def newest_of_all_batches(quotes: DataFrame) -> DataFrame:
    """Forgotten too late, where a batch was older than the one before

    In step 5 oat-put went on from its old average. Its last batch, that of step 3, has a quote of 09:08:40, and
    after step 4 the watermark stood at {steps.4.watermark}. That a batch before it had one of 09:09:30 does not count
    here: half an hour is asked for from the newest quote of the last batch.
    """

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.remove()
            return
        frame = _in_order(chunks)
        old, newest = state.get if state.exists else (None, 0)
        averages = _averages(frame["price"], old)
        newest = max(newest, int(frame["quote_time"].max().timestamp() * 1000))
        state.update((averages[-1], newest))
        state.setTimeoutTimestamp(newest + HALF_AN_HOUR)
        yield _rows(key[0], frame, averages)

    return _by_option(quotes, update, "average DOUBLE, newest LONG")


def timeout_only_at_first(quotes: DataFrame) -> DataFrame:
    """Given up only after a single batch

    An option with one batch of quotes was given up in time, and one with a second batch was not.
    A call that updates the state and sets no timeout leaves none. Set it on every call with quotes.
    """

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.remove()
            return
        frame = _in_order(chunks)
        known = state.exists
        averages = _averages(frame["price"], state.get[0] if known else None)
        state.update((averages[-1],))
        if not known:
            _set_timeout(state, frame)
        yield _rows(key[0], frame, averages)

    return _by_option(quotes, update)


def half_an_hour_after_another_quote(quotes: DataFrame) -> DataFrame:
    """Forgotten too early

    An option was forgotten before the watermark had passed half an hour after the newest quote of its
    last batch. If the half hour counts from another quote: the earliest of the batch may be minutes older,
    and so may the one that happened to arrive last. If something was taken off it: the watermark itself
    has to pass that moment, and where it stands just there it has not.
    """
    return _by_option(
        quotes, _update(set_timeout=lambda state, frame: _set_timeout(state, frame.head(1)))
    )


def timeouts_bring_rows(quotes: DataFrame) -> DataFrame:
    """A call without rows not reckoned with

    The function is also called when a timeout has passed, and then there are no rows at all: no
    last price, no newest time, nothing to build an average of. Ask `state.hasTimedOut` before you
    touch the rows.
    """

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        frame = _in_order(chunks)
        averages = _averages(frame["price"], state.get[0] if state.exists else None)
        state.update((averages[-1],))
        _set_timeout(state, frame)
        yield _rows(key[0], frame, averages)

    return _by_option(quotes, update)


def zero_taken_for_none(quotes: DataFrame) -> DataFrame:
    """An average of 0 taken for none

    Tea-call was worth nothing in step 3, and in step 4 the price alone became its average. An average of 0 is an
    average. To an `if`, 0 is as false as `None`: ask `state.exists`, or compare with `None`.
    """

    def averages(prices: pd.Series, old: float | None) -> list[float]:
        found = []
        for price in prices:
            old = ALPHA * price + (1 - ALPHA) * old if old else price
            found.append(old)
        return found

    return _by_option(quotes, _update(averages=averages))


def kept_as_a_float(quotes: DataFrame) -> DataFrame:
    """Rounded between two batches

    In step 4 the average of tea-call was right; the one that was made of it in step 6 is off by less than a millionth. A
    `FLOAT` has seven digits. Of which type is the average in the state's schema?
    """
    return _by_option(quotes, _update(), "average FLOAT")
