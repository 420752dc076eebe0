"""Ways in which a retry is emitted, an order is dropped, or every id is kept forever."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def time_in_the_key(orders: DataFrame) -> DataFrame:
    """Event time in the key: every retry was emitted

    A retry has its own `sent_at`. If the key contains the time, or all columns, each retry is a new key. The time
    should decide how long an id is remembered, without being compared. Which operator separates the two?
    """
    timed = orders.withWatermark("sent_at", "5 minutes")
    return timed.dropDuplicates(["order_id", "sent_at"]).select("order_id", "item")


def time_in_the_key_within(orders: DataFrame) -> DataFrame:
    """Event time in the key of dropDuplicatesWithinWatermark

    Every retry was emitted, and after step 4 {steps.4.state} keys are in state; {asked.steps.4.state} are enough.
    Something in your key is new in every retry. Without a list, the operator compares all columns. Which columns
    does yours compare, and does a retry change one of them? The operator takes the time from the watermark by
    itself.
    """
    timed = orders.withWatermark("sent_at", "5 minutes")
    once = timed.dropDuplicatesWithinWatermark(["order_id", "sent_at"])
    return once.select("order_id", "item")


def ids_for_ever(orders: DataFrame) -> DataFrame:
    """No eviction: every id stays in state

    Retries were dropped, but after step 6 {steps.6.state} ids are in state; {asked.steps.6.state} is enough. The
    watermark advanced and evicted no id, because an id alone has no time that a watermark could reach. The late
    order was not dropped either. Does anything at or downstream of your operator still read the time? If not,
    Spark removes that column upstream of the operator, and a row without a time is never late.
    """
    timed = orders.withWatermark("sent_at", "5 minutes")
    return timed.dropDuplicates(["order_id"]).select("order_id", "item")


def ids_for_ever_beside_the_time(orders: DataFrame) -> DataFrame:
    """No eviction: late orders are dropped, but every id stays in state

    The rows are right, but after step 6 {steps.6.state} ids are in state; {asked.steps.6.state} is enough. The
    watermark advanced and evicted no id, because the ids are stored without a time. Which operator stores next to
    the id how long it is needed?
    """
    timed = orders.withWatermark("sent_at", "5 minutes").dropDuplicates(["order_id"])
    return timed.where(F.col("sent_at").isNotNull()).select("order_id", "item")


def windows_take_retries_apart(orders: DataFrame) -> DataFrame:
    """Time windows instead of a deduplication

    Orders were emitted when their window had closed, not at once, and the newest order is missing. A retry in the
    next window was emitted as another order. Which operator emits a row when it arrives, and knows its id for five
    minutes from then on?
    """
    timed = orders.withWatermark("sent_at", "5 minutes")
    grouped = timed.groupBy("order_id", F.window("sent_at", "5 minutes"))
    return grouped.agg(F.first("item").alias("item")).select("order_id", "item")


def no_watermark(orders: DataFrame) -> DataFrame:
    """No watermark: nothing is late, nothing is evicted

    The late order is among the rows, and after step 6 {steps.6.state} ids are in state. Without a watermark a
    query has no event time: no order can be late, and no id can expire. Which line gives the query a watermark?
    """
    return orders.dropDuplicates(["order_id"]).select("order_id", "item")


def within_what(orders: DataFrame) -> DataFrame:
    """No watermark before dropDuplicatesWithinWatermark

    Spark rejected the query: dropDuplicatesWithinWatermark keeps an id for the watermark's delay, and no input
    column of it has a watermark. If your query sets one: is it set after that call, or was its column dropped or
    computed again in between?
    """
    return orders.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")


def the_thing_for_its_order(orders: DataFrame) -> DataFrame:
    """Item as identity: two orders of one item are one

    Orders are missing. Two customers ordered the same item, and one of the orders was dropped as a duplicate of
    the other. The item does not identify an order. Which column does?
    """
    timed = orders.withWatermark("sent_at", "5 minutes")
    return timed.dropDuplicatesWithinWatermark(["item"]).select("order_id", "item")


def the_thing_at_its_second(orders: DataFrame) -> DataFrame:
    """Item and time as identity

    Retries were emitted, because their time is different. And of two orders of the same item in the same second
    only one was emitted. Item and time do not identify an order. Which column does?
    """
    timed = orders.withWatermark("sent_at", "5 minutes")
    return timed.dropDuplicatesWithinWatermark(["item", "sent_at"]).select("order_id", "item")


def seconds_for_minutes(orders: DataFrame) -> DataFrame:
    """Watermark delay too short

    After step 1 the watermark was {steps.1.delay} behind the newest order; {asked.steps.1.delay} are required. The
    delay does two things here: it limits how late an order may be, and how long an id is remembered. How long may
    a retry take?
    """
    timed = orders.withWatermark("sent_at", "5 seconds")
    return timed.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")


def twice_the_delay(orders: DataFrame) -> DataFrame:
    """Watermark delay too long

    After step 1 the watermark was {steps.1.delay} behind the newest order; {asked.steps.1.delay} are required. An
    order that should be dropped was emitted, and ids stay in state longer than needed. Which rule says how far
    behind is late?
    """
    timed = orders.withWatermark("sent_at", "10 minutes")
    return timed.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")


def orders_without_an_item(orders: DataFrame) -> DataFrame:
    """Filter on item: orders without an item are missing

    An order whose item is null was not emitted. A null in a column that is not the identity says nothing about the
    order. Which part of your query drops rows with a null?
    """
    known = orders.where(F.col("item").isNotNull()).withWatermark("sent_at", "5 minutes")
    return known.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")
