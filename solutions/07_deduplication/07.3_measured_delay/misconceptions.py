"""Delays that people read from the same table, for other reasons."""

from pyspark.sql import DataFrame


def _within(orders: DataFrame, delay: str) -> DataFrame:
    timed = orders.withWatermark("sent_at", delay)
    return timed.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")


def from_the_last_copy(orders: DataFrame) -> DataFrame:
    """Delay measured from the previous record, not from the first

    After step 1 the watermark was {steps.1.delay} behind the newest order. Every duplicate in the table is within
    that of the previous record of its order, but one is further from the first. A duplicate does not extend the
    memory: an id is kept from its first record on. In step 4 a duplicate slipped through. Which column measures
    from the first?
    """
    return _within(orders, "5 minutes")


def only_for_orders_behind(orders: DataFrame) -> DataFrame:
    """Delay covers late orders but not duplicates

    After step 1 the watermark was {steps.1.delay} behind the newest order. With that delay none of yesterday's
    orders is dropped, but duplicates slip through, because their ids are evicted too early. Which column says how
    long an id is needed?
    """
    return _within(orders, "4 minutes")


def for_the_average_copy(orders: DataFrame) -> DataFrame:
    """Delay equals the lateness of an order

    After step 1 the watermark was {steps.1.delay} behind the newest order. A record that is exactly that far
    behind is already late, and in the table an order is 180 seconds behind. For duplicates the delay is too short
    as well: which of them are further from their first?
    """
    return _within(orders, "3 minutes")


def waits_for_late_copies(orders: DataFrame) -> DataFrame:
    """Delay covers a duplicate that may be dropped as late

    After step 1 the watermark was {steps.1.delay} behind the newest order. Nothing slips through, but ids are kept
    far longer than needed. The record that was furthest behind was a duplicate. What happens to a duplicate that
    is late?
    """
    return _within(orders, "12 minutes")


def waits_to_the_second(orders: DataFrame) -> DataFrame:
    """Delay equals the largest lateness in the table

    After step 1 the watermark was {steps.1.delay} behind the newest order. In the table one record is that far
    behind. Nothing slips through, but ids are kept far longer than needed. Is that record a first record or a
    duplicate, and what do the rules say about each?
    """
    return _within(orders, "690 seconds")


def a_minute_on_top(orders: DataFrame) -> DataFrame:
    """Delay longer than any distance in the table

    After step 1 the watermark was {steps.1.delay} behind the newest order. No duplicate is that far from its first
    record, and no record is that far behind. Nothing slips through, but ids are kept far longer than needed. Which
    of the records that are far behind may be dropped?
    """
    return _within(orders, "13 minutes")


def a_whole_day(orders: DataFrame) -> DataFrame:
    """Delay of a day

    After step 1 the watermark was {steps.1.delay} behind the newest order. Nothing slips through and no order is
    dropped, but no id was evicted: after step 6 {steps.6.state} are in state; {asked.steps.6.state} is enough. How
    far from their first record are the duplicates in the table?
    """
    return _within(orders, "1 day")


def both_added_up(orders: DataFrame) -> DataFrame:
    """Delay is the sum of both distances, or longer

    After step 1 the watermark was {steps.1.delay} behind the newest order. No order is dropped with that, but ids
    are kept longer than needed. The distance of duplicates and the lateness of orders are two needs, and one delay
    serves both at once. Must it be as long as their sum, or as the larger of them?
    """
    return _within(orders, "10 minutes")


def not_rounded(orders: DataFrame) -> DataFrame:
    """Delay not rounded up

    After step 1 the watermark was {steps.1.delay} behind the newest order. The distance is the right one. Read the
    last rule again: what does it do with that distance?
    """
    return _within(orders, "400 seconds")


def rounded_down(orders: DataFrame) -> DataFrame:
    """Delay shorter than the longest distance

    After step 1 the watermark was {steps.1.delay} behind the newest order. One duplicate in the table is further
    from its first record than that, so nothing is guaranteed for it. Which one?
    """
    return _within(orders, "6 minutes")
