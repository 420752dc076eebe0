"""Delays that people read off the same table, for other reasons."""

from pyspark.sql import DataFrame


def _within(orders: DataFrame, delay: str) -> DataFrame:
    timed = orders.withWatermark("sent_at", delay)
    return timed.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")


def from_the_last_copy(orders: DataFrame) -> DataFrame:
    """Enough from one copy to the next, and not from the first

    After step 1 the watermark stood {steps.1.delay} behind the newest order. In the table every copy is
    within that of the delivery before it, and one is further from its first. A copy does not prolong
    what is remembered: an id is kept from its first delivery on. In step 4 a copy slipped through.
    """
    return _within(orders, "5 minutes")


def only_for_orders_behind(orders: DataFrame) -> DataFrame:
    """The delay is enough for late orders, not for copies

    After step 1 the watermark stood {steps.1.delay} behind the newest order. With that no order of
    yesterday's is lost, and copies slip through: their ids are forgotten too soon. Which column says
    how long an id is needed?
    """
    return _within(orders, "4 minutes")


def for_the_average_copy(orders: DataFrame) -> DataFrame:
    """An order that is three minutes behind is lost

    After step 1 the watermark stood {steps.1.delay} behind the newest order. An order that is exactly as
    far behind as the delay is late already, and in the table an order is 180 seconds behind. Nor is that
    enough for copies: which of them are further from their first?
    """
    return _within(orders, "3 minutes")


def waits_for_late_copies(orders: DataFrame) -> DataFrame:
    """Waits for a copy that may be thrown away

    After step 1 the watermark stood {steps.1.delay} behind the newest order. Nothing slips through
    with that, and ids are kept far longer than needed. The delivery that was furthest behind was a
    copy. What happens to a copy that comes too late?
    """
    return _within(orders, "12 minutes")


def waits_to_the_second(orders: DataFrame) -> DataFrame:
    """As long as the delivery that was furthest behind

    After step 1 the watermark stood {steps.1.delay} behind the newest order. In the table one delivery
    is that far behind. Nothing slips through with that, and ids are kept far longer than needed. Is that
    delivery an order, or a copy, and what does the rule say of each?
    """
    return _within(orders, "690 seconds")


def a_minute_on_top(orders: DataFrame) -> DataFrame:
    """Longer than anything in the table

    After step 1 the watermark stood {steps.1.delay} behind the newest order. No copy is that far from
    its first, and no delivery that far behind. Nothing slips through, and ids are kept far longer than
    needed. Of the deliveries that are far behind, which may be thrown away?
    """
    return _within(orders, "13 minutes")


def a_whole_day(orders: DataFrame) -> DataFrame:
    """Every id is kept for a day

    After step 1 the watermark stood {steps.1.delay} behind the newest order. Nothing slips through and
    nothing is lost, and no id was let go: after step 6 {steps.6.state} are kept, where
    {asked.steps.6.state} is enough. The rule asks for the smallest delay that does. How far from their
    first are copies in the table?
    """
    return _within(orders, "1 day")


def both_added_up(orders: DataFrame) -> DataFrame:
    """Longer than both needs ask for

    After step 1 the watermark stood {steps.1.delay} behind the newest order. Nothing is lost with that,
    and ids are kept longer than needed. How far copies are from their first and how far orders are
    behind are two needs, and one delay serves both at once: it must be long enough for the larger of
    them, and need not be their sum.
    """
    return _within(orders, "10 minutes")


def not_rounded(orders: DataFrame) -> DataFrame:
    """The longest distance, not rounded up

    After step 1 the watermark stood {steps.1.delay} behind the newest order. The distance is the right
    one. Read the end of the rule again: what is to be done with it?
    """
    return _within(orders, "400 seconds")


def rounded_down(orders: DataFrame) -> DataFrame:
    """A little less than the longest distance

    After step 1 the watermark stood {steps.1.delay} behind the newest order. The longest distance is
    longer than that, so the copy that is furthest apart has no promise.
    """
    return _within(orders, "6 minutes")
