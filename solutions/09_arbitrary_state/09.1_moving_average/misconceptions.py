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
    """The right function, except for the parts that are given."""

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
    """Average lost between batches

    Every batch starts again with its first price. Spark calls the function in any free Python worker. Its
    variables and globals are lost at the end of the batch. What do you write to the state with
    `state.update`, and where do you read it in the next call?
    """
    return _by_option(quotes, _update(averages=lambda prices, _old: _averages(prices, None)))


def order_of_arrival(quotes: DataFrame) -> DataFrame:
    """Quotes in order of arrival

    The averages are those of the quotes as they arrived. A Kafka partition keeps the order in which records
    were sent, and a shuffle promises no order. So a quote that overtook another has the wrong place. Where
    do you sort the whole batch of an option? To sort each chunk by itself is not enough, because a quote
    can overtake one of a later chunk.
    """
    return _by_option(quotes, _update(order=lambda chunks: pd.concat(list(chunks))))


def the_first_piece(quotes: DataFrame) -> DataFrame:
    """First chunk taken for the whole group

    Some quotes have no average: all except the first two of an option in a batch. Spark passes a group as
    an *iterator* of DataFrames. With the default of 10,000 rows per chunk the loss would show only on a
    busy day; the check uses chunks of two rows. How do you read all of them?
    """
    return _by_option(quotes, _update(order=lambda chunks: next(chunks).sort_values("quote_time")))


def weights_swapped(quotes: DataFrame) -> DataFrame:
    """Weights exchanged

    The averages are those of 0.75 for the new price and 0.25 for the average so far, so they jump after
    every quote. Which of the two does the weight of 0.25 belong to?
    """
    return _by_option(
        quotes, _update(averages=lambda prices, old: _averages(prices, old, 1 - ALPHA))
    )


def never_letting_go(quotes: DataFrame) -> DataFrame:
    """No timeout: no option evicted, no quote dropped

    An option without quotes for more than half an hour continued from its old average, and a late quote was
    counted. A watermark alone evicts nothing here, because Spark cannot know what your state means. Only
    with `EventTimeTimeout` does Spark drop late rows before your function. Which `timeoutConf` does your
    query have, and where do you set a timeout?
    """

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        frame = _in_order(chunks)
        averages = _averages(frame["price"], state.get[0] if state.exists else None)
        state.update((averages[-1],))
        yield _rows(key[0], frame, averages)

    return _by_option(quotes, update, timeout=GroupStateTimeout.NoTimeout)


def never_forgotten(quotes: DataFrame) -> DataFrame:
    """Timeout without removal of the state

    In step 5 cocoa-put continued from its old average after more than half an hour without quotes. After
    step 4 the query kept {steps.4.state} averages; {asked.steps.4.state} are expected. `EventTimeTimeout`
    only allows a timeout, and a timeout removes nothing. Does each call with quotes set a timeout in
    milliseconds, and what does your function do when `state.hasTimedOut` is true?
    """
    return _by_option(quotes, _update(ended=lambda _state: None))


def newest_of_all_batches(quotes: DataFrame) -> DataFrame:
    """Timeout from the newest quote of all batches

    In step 5 oat-put continued from its old average. Its most recent batch, in step 3, has a quote of
    09:08:40, and after step 4 the watermark was {steps.4.watermark}. An earlier batch had a quote of
    09:09:30, but it does not count here. From which quote does your timeout count the 30 minutes?
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
    """Timeout set in the first call only

    An option with one batch of quotes was evicted in time, and an option with a second batch was not. If a
    call updates the state without setting a timeout, any earlier timeout is cleared. Which of your calls
    with quotes set one?
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
    """Timeout too early

    An option was evicted before the watermark was more than 30 minutes after the newest quote of its most
    recent batch. The earliest quote of a batch, or the one that arrived last, can be minutes older. And a
    watermark that only reaches the timeout has not passed it, so subtract nothing. From which quote do you
    count, and how many milliseconds do you add?
    """
    return _by_option(
        quotes, _update(set_timeout=lambda state, frame: _set_timeout(state, frame.head(1)))
    )


def timeouts_bring_rows(quotes: DataFrame) -> DataFrame:
    """Timeout call not handled

    Spark also calls the function when a timeout has passed. Then there are no rows: no last price and no
    newest time. What does your function do first if `state.hasTimedOut` is true?
    """

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        frame = _in_order(chunks)
        averages = _averages(frame["price"], state.get[0] if state.exists else None)
        state.update((averages[-1],))
        _set_timeout(state, frame)
        yield _rows(key[0], frame, averages)

    return _by_option(quotes, update)


def zero_taken_for_none(quotes: DataFrame) -> DataFrame:
    """Average of 0 treated as missing

    The price of tea-call was 0 in step 3, and in step 4 the price alone became its average. An average of 0
    is an average, but an `if` treats 0 like `None`. Do you ask `state.exists`, or compare with `None`?
    """

    def averages(prices: pd.Series, old: float | None) -> list[float]:
        found = []
        for price in prices:
            old = ALPHA * price + (1 - ALPHA) * old if old else price
            found.append(old)
        return found

    return _by_option(quotes, _update(averages=averages))


def kept_as_a_float(quotes: DataFrame) -> DataFrame:
    """Average rounded to a FLOAT in the state

    In step 4 the average of tea-call was right. The average of step 6, which is based on it, is off by less
    than a millionth. A `FLOAT` has seven digits. Which type does the average have in the schema of the
    state?
    """
    return _by_option(quotes, _update(), "average FLOAT")
