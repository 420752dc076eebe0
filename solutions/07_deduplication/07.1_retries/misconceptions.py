"""Ways in which a retry is taken for an order, or every order is remembered for ever."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def time_in_the_key(orders: DataFrame) -> DataFrame:
    """Every retry came out as an order of its own

    A retry has a stamp of its own: where the time is compared, or everything is, each one is new. The
    time must tell how long an id is remembered without being part of what is compared.
    """
    timed = orders.withWatermark("sent_at", "5 minutes")
    return timed.dropDuplicates(["order_id", "sent_at"]).select("order_id", "item")


def time_in_the_key_within(orders: DataFrame) -> DataFrame:
    """Every retry came out, and is remembered as an order

    Each retry came out, and after step 4 {steps.4.state} keys are kept; {asked.steps.4.state} are
    enough. Something that your operator compares is new in every retry. Which columns does it compare,
    all of them where you name none, and is one of them stamped anew? It takes the time from the
    watermark without being told.
    """
    timed = orders.withWatermark("sent_at", "5 minutes")
    once = timed.dropDuplicatesWithinWatermark(["order_id", "sent_at"])
    return once.select("order_id", "item")


def ids_for_ever(orders: DataFrame) -> DataFrame:
    """Every id is kept for ever

    Retries were recognised, and after step 6 {steps.6.state} ids are kept; {asked.steps.6.state} is
    enough. The watermark moved, and no id was let go: an id by itself has no time that a watermark
    could pass. Nor was the order that came too late turned away. Does anything at or behind your
    operator still read the time? Where nothing does, Spark leaves it out before the operator, and what
    carries no time is never late.
    """
    timed = orders.withWatermark("sent_at", "5 minutes")
    return timed.dropDuplicates(["order_id"]).select("order_id", "item")


def ids_for_ever_beside_the_time(orders: DataFrame) -> DataFrame:
    """Late orders are turned away, and every id is kept

    The rows are right, and after step 6 {steps.6.state} ids are kept; {asked.steps.6.state} is enough.
    The watermark moved, and no id was let go: it is kept without a time that the watermark could pass.
    Which operator writes beside the id how long it is needed?
    """
    timed = orders.withWatermark("sent_at", "5 minutes").dropDuplicates(["order_id"])
    return timed.where(F.col("sent_at").isNotNull()).select("order_id", "item")


def windows_take_retries_apart(orders: DataFrame) -> DataFrame:
    """Retries in another window, and rows when a window is over

    Orders came out when their window was over, not at once, and the newest has not come. A retry on the
    other side of a window's edge came out as an order of its own. Which operator gives a row out when
    it comes, and knows its id for five minutes from there?
    """
    timed = orders.withWatermark("sent_at", "5 minutes")
    grouped = timed.groupBy("order_id", F.window("sent_at", "5 minutes"))
    return grouped.agg(F.first("item").alias("item")).select("order_id", "item")


def no_watermark(orders: DataFrame) -> DataFrame:
    """No time at all: nothing is late, nothing is forgotten

    The order that came too late is among the rows, and after step 6 {steps.6.state} ids are kept.
    Without a watermark there is no time: no order can be late, and no id can be old.
    """
    return orders.dropDuplicates(["order_id"]).select("order_id", "item")


def within_what(orders: DataFrame) -> DataFrame:
    """Within a watermark that Spark does not find

    Spark refuses: dropDuplicatesWithinWatermark remembers an id for as long as the watermark's delay,
    and no column that it is called on carries a watermark. Where does it learn which column is the
    time, and how long the delay is? If you have set a watermark, it stands behind that call, or its
    column was left out or computed anew before it.
    """
    return orders.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")


def the_thing_for_its_order(orders: DataFrame) -> DataFrame:
    """Two orders of the same thing are taken for one

    Orders are missing: two people ordered the same thing, and one of the orders was taken for a
    copy of the other. What an order is about does not say which order it is.
    """
    timed = orders.withWatermark("sent_at", "5 minutes")
    return timed.dropDuplicatesWithinWatermark(["item"]).select("order_id", "item")


def the_thing_at_its_second(orders: DataFrame) -> DataFrame:
    """Retries come out, and two orders of one second are one

    Both ways round: retries came out, as their time is another, and of two orders of the same thing
    in the same second only one came. Thing and time do not say which order it is; the id does.
    """
    timed = orders.withWatermark("sent_at", "5 minutes")
    return timed.dropDuplicatesWithinWatermark(["item", "sent_at"]).select("order_id", "item")


def seconds_for_minutes(orders: DataFrame) -> DataFrame:
    """The watermark does not wait long enough

    After step 1 the watermark stood {steps.1.delay} behind the newest order;
    {asked.steps.1.delay} are asked for. The delay does two things at once here: orders that are
    further behind are thrown away, and ids are remembered for that long.
    """
    timed = orders.withWatermark("sent_at", "5 seconds")
    return timed.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")
