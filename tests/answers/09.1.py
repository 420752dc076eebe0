"""Answers to 09.1: a moving average."""

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

MINUTE = 60 * 1000
Update = Callable[[Any, Iterator[pd.DataFrame], GroupState], Iterator[pd.DataFrame]]


def _by_option(quotes: DataFrame, update: Update, kept: str = "average DOUBLE") -> DataFrame:
    return (
        quotes.withWatermark("quote_time", "1 minute")
        .groupBy("option")
        .applyInPandasWithState(
            update,
            outputStructType="option STRING, quote_time TIMESTAMP, average DOUBLE",
            stateStructType=kept,
            outputMode="append",
            timeoutConf=GroupStateTimeout.EventTimeTimeout,
        )
    )


def _in_order(chunks: Iterator[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(list(chunks)).sort_values("quote_time")


def _averages(prices: Any, old: float | None) -> list[float]:
    found = []
    for price in prices:
        old = price if old is None else 0.25 * price + 0.75 * old
        found.append(old)
    return found


def _rows(option: str, frame: pd.DataFrame, averages: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"option": option, "quote_time": frame["quote_time"], "average": averages})


def _newest(frame: pd.DataFrame) -> int:
    return int(frame["quote_time"].max().timestamp() * 1000)


def _update(
    averages: Callable[[Any, float | None], list[float]] = _averages,
    after: int = 30 * MINUTE,
    in_order: Callable[[Iterator[pd.DataFrame]], pd.DataFrame] = _in_order,
    newest: Callable[[pd.DataFrame], int] = _newest,
) -> Update:
    """The function as it should be, but for how it averages, when the time is up (milliseconds after the newest),
    the order of a batch, and which moment is its newest."""

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.remove()
            return
        frame = in_order(chunks)
        found = averages(frame["price"], state.get[0] if state.exists else None)
        state.update((found[-1],))
        state.setTimeoutTimestamp(newest(frame) + after)
        yield _rows(key[0], frame, found)

    return update


def right_timeout_before_update(quotes: DataFrame) -> DataFrame:
    """Sets the timeout before it updates, as a float, not before the watermark; a frame for each quote

    Right: the order of the two calls does not matter, and the lesson advises to take the later of timeout and watermark.
    """

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.remove()
            return
        frame = pd.concat(chunks).sort_values(["quote_time"], kind="stable")
        give_up = (frame["quote_time"].iloc[-1] + pd.Timedelta("30min")).timestamp() * 1000
        state.setTimeoutTimestamp(max(give_up, state.getCurrentWatermarkMs()))
        (old,) = state.getOption or (None,)
        for time, price in zip(frame["quote_time"], frame["price"], strict=True):
            old = price if old is None else old + (price - old) / 4
            yield pd.DataFrame({"average": [old], "option": [key[0]], "quote_time": [time]})
        state.update([old])

    return _by_option(quotes, update)


def right_accumulated(quotes: DataFrame) -> DataFrame:
    """Lets itertools accumulate, keeps the number of quotes and the last moment too, and gives a list of frames

    Right: what else is in the state is not said; a list of DataFrames is as good as a generator.
    """

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Any:
        if state.hasTimedOut:
            state.remove()
            return iter([])
        batch = sorted(
            (time, price) for c in chunks for time, price in zip(c["quote_time"], c["price"])
        )
        before = [state.get[0]] if state.exists else []
        count = state.get[1] if state.exists else 0
        prices = before + [price for _, price in batch]
        found = list(accumulate(prices, lambda old, new: 0.25 * new + 0.75 * old))[len(before) :]
        last = batch[-1][0]
        state.update((found[-1], count + len(batch), str(last)))
        state.setTimeoutTimestamp(round(last.timestamp() * 1000) + 30 * MINUTE)
        times = [time for time, _ in batch]
        return iter([pd.DataFrame({"option": key[0], "quote_time": times, "average": found})])

    return _by_option(quotes, update, "average DOUBLE, quotes INT, last STRING")


def right_result_as_a_decimal(quotes: DataFrame) -> DataFrame:
    """Hands the average on as a decimal with twelve places

    Right: the text names no type of the average, and nothing is lost that a comparison to 1e-9 sees.
    """
    decimal = F.col("average").cast("decimal(30,12)")
    return _by_option(quotes, _update()).withColumn("average", decimal)


def right_forgotten_when_the_next_comes_as_well(quotes: DataFrame) -> DataFrame:
    """Removes on the timeout, and looks at the watermark when quotes come, too

    Right: the second look finds only what the first would have removed in the same batch's time.
    """

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.remove()
            return
        frame = _in_order(chunks)
        old, until = state.get if state.exists else (None, 0)
        if state.exists and state.getCurrentWatermarkMs() > until:
            old = None
        averages = _averages(frame["price"], old)
        until = _newest(frame) + 30 * MINUTE
        state.update((averages[-1], until))
        state.setTimeoutTimestamp(until)
        yield _rows(key[0], frame, averages)

    return _by_option(quotes, update, "average DOUBLE, until LONG")


def wrong_delay_taken_off(quotes: DataFrame) -> DataFrame:
    """Sets the timeout 29 minutes after the newest quote, "because the watermark is a minute behind"

    Wrong: the *watermark* has to pass 30 minutes after it; salt-put is forgotten in step 8 and starts again in step 9.
    """
    return _by_option(quotes, _update(after=29 * MINUTE))


def wrong_reached_is_passed(quotes: DataFrame) -> DataFrame:
    """Sets the timeout a millisecond before the half hour is over

    Wrong: a watermark that stands just there has not passed it; salt-put is forgotten in step 8.
    """
    return _by_option(quotes, _update(after=30 * MINUTE - 1))


def wrong_a_second_more(quotes: DataFrame) -> DataFrame:
    """Sets the timeout half a second after the half hour is over, to be on the safe side

    Wrong: passed is passed, a millisecond after 30 minutes.
    """
    return _by_option(quotes, _update(after=30 * MINUTE + 500))


def wrong_zero_is_nothing(quotes: DataFrame) -> DataFrame:
    """Takes an average of 0.0 for none

    Wrong: an option can be worth nothing; after a first price of 0 the average is 0, and the next price counts a quarter.
    """

    def averages(prices: Any, old: float | None) -> list[float]:
        found = []
        for price in prices:
            old = 0.25 * price + 0.75 * (old or price)
            found.append(old)
        return found

    return _by_option(quotes, _update(averages))


def wrong_sorted_piece_by_piece(quotes: DataFrame) -> DataFrame:
    """Goes through the pieces, and sorts each of them

    Wrong: quotes of a batch count in the order of their times, across pieces.
    """

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.remove()
            return
        average = state.get[0] if state.exists else None
        newest = 0
        for chunk in chunks:
            piece = chunk.sort_values("quote_time")
            averages = _averages(piece["price"], average)
            average = averages[-1]
            newest = max(newest, _newest(piece))
            yield _rows(key[0], piece, averages)
        state.update((average,))
        state.setTimeoutTimestamp(newest + 30 * MINUTE)

    return _by_option(quotes, update)


def wrong_timeout_removes_nothing(quotes: DataFrame) -> DataFrame:
    """Returns when the time is up, and does not remove the state

    Wrong: the option is not forgotten; cocoa-put goes on in step 5. (never_letting_go does not drop the late quote of step 3.)
    """

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            return
        frame = _in_order(chunks)
        averages = _averages(frame["price"], state.get[0] if state.exists else None)
        state.update((averages[-1],))
        state.setTimeoutTimestamp(_newest(frame) + 30 * MINUTE)
        yield _rows(key[0], frame, averages)

    return _by_option(quotes, update)


def wrong_state_of_seven_digits(quotes: DataFrame) -> DataFrame:
    """Keeps the average as a FLOAT

    Wrong by a hair: averages are off in the eighth digit from the second batch on.
    """
    return _by_option(quotes, _update(), "average FLOAT")


def wrong_zero_kept_is_nothing_kept(quotes: DataFrame) -> DataFrame:
    """Starts anew where the average that is kept is 0.0

    Wrong: an option that was worth nothing has an average, and the next price counts a quarter.
    """
    return _by_option(quotes, _update(lambda prices, old: _averages(prices, old or None)))


def wrong_result_of_seven_digits(quotes: DataFrame) -> DataFrame:
    """Hands the average on as a FLOAT

    Wrong by a hair: 18.523062 for 18.5230625.
    """
    averages = right_accumulated(quotes)
    return averages.withColumn("average", averages["average"].cast("float"))


def wrong_order_of_whole_seconds(quotes: DataFrame) -> DataFrame:
    """Sorts the quotes of a batch by their time cut to seconds: two of one second stay as they came."""

    def in_order(chunks: Iterator[pd.DataFrame]) -> pd.DataFrame:
        frame = pd.concat(list(chunks))
        return frame.iloc[frame["quote_time"].dt.floor("s").argsort(kind="stable")]

    return _by_option(quotes, _update(in_order=in_order))


def wrong_timeout_in_whole_seconds(quotes: DataFrame) -> DataFrame:
    """int(newest.timestamp()) * 1000: the fraction of the second is gone, and the half-hour ends too soon."""
    return _by_option(quotes, _update(newest=lambda frame: _newest(frame) // 1000 * 1000))


def wrong_gap_within_a_batch_starts_anew(quotes: DataFrame) -> DataFrame:
    """Begins a new average also where two quotes of one batch are more than half an hour apart

    An option is forgotten when the watermark has passed its half-hour, and within a batch no watermark moves.
    """

    def update(key: Any, chunks: Iterator[pd.DataFrame], state: GroupState) -> Iterator[Any]:
        if state.hasTimedOut:
            state.remove()
            return
        frame = _in_order(chunks)
        average = state.get[0] if state.exists else None
        found: list[float] = []
        apart = frame["quote_time"].diff() > pd.Timedelta(minutes=30)
        for price, anew in zip(frame["price"], apart, strict=True):
            average = _averages([price], None if anew else average)[0]
            found.append(average)
        state.update((found[-1],))
        state.setTimeoutTimestamp(_newest(frame) + 30 * MINUTE)
        yield _rows(key[0], frame, found)

    return _by_option(quotes, update)
