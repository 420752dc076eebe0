"""Answers to 07.1: other ways to print each label once, right and wrong."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def right_all_but_the_time(orders: DataFrame) -> DataFrame:
    """Compares every column but the time; repartitioned, and the time dropped at the end

    A retry is of the same item.
    """
    timed = orders.repartition("order_id").withWatermark("sent_at", "5 minutes")
    key = [name for name in timed.columns if name != "sent_at"]
    return timed.dropDuplicatesWithinWatermark(key).drop("sent_at")


def right_key_of_its_own(orders: DataFrame) -> DataFrame:
    """Compares a hash of the id, under another name, and joins columns by SQL expressions

    One id, one hash.
    """
    keyed = orders.selectExpr("sha2(order_id, 256) AS k", "*").withWatermark(
        "sent_at", "0 hours 5 minutes"
    )
    return keyed.dropDuplicatesWithinWatermark(["k"]).selectExpr("item", "order_id")


def right_state_of_its_own(orders: DataFrame) -> DataFrame:
    """Keeps each id with a timer, five minutes of event time after its first delivery

    applyInPandasWithState drops late rows by the watermark, too, and the timer lets go of the id at the same step.
    """
    import pandas as pd
    from pyspark.sql.streaming.state import GroupStateTimeout

    def first_of(key, frames, state):
        if state.hasTimedOut:
            state.remove()
            return
        rows = pd.concat(list(frames))
        if state.exists:
            (until,) = state.get
        else:
            first = rows.sort_values("millis").iloc[0]
            until = int(first["millis"]) + 300_000 - 1
            yield pd.DataFrame({"order_id": [key[0]], "item": [first["item"]]})
        state.update((until,))
        state.setTimeoutTimestamp(until)

    timed = orders.withWatermark("sent_at", "5 minutes")
    return (
        timed.withColumn("millis", F.unix_millis("sent_at"))
        .groupBy("order_id")
        .applyInPandasWithState(
            first_of,
            "order_id STRING, item STRING",
            "until LONG",
            "append",
            GroupStateTimeout.EventTimeTimeout,
        )
    )


def wrong_columns_chosen_first(orders: DataFrame) -> DataFrame:
    """Sets the watermark, selects the two columns, and then drops copies within the watermark

    The column with the watermark is gone when it is needed; Spark refuses.
    """
    timed = orders.withWatermark("sent_at", "5 minutes")
    return timed.select("order_id", "item").dropDuplicatesWithinWatermark(["order_id"])


def wrong_watermark_set_behind(orders: DataFrame) -> DataFrame:
    """Drops copies within the watermark, and sets the watermark behind it

    Refused.
    """
    once = orders.dropDuplicatesWithinWatermark(["order_id"])
    return once.withWatermark("sent_at", "5 minutes").select("order_id", "item")


def wrong_time_computed_anew(orders: DataFrame) -> DataFrame:
    """Sets the watermark and then cuts the time to seconds, which loses it

    Refused.
    """
    timed = orders.withWatermark("sent_at", "5 minutes").withColumn(
        "sent_at", F.date_trunc("second", "sent_at")
    )
    return timed.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")


def wrong_all_columns_compared(orders: DataFrame) -> DataFrame:
    """All columns compared."""
    late = orders.withWatermark("sent_at", "5 minutes").dropDuplicatesWithinWatermark()
    return late.select("order_id", "item")


def wrong_twice_as_patient(orders: DataFrame) -> DataFrame:
    """Twice as patient."""
    late = orders.withWatermark("sent_at", "10 minutes")
    return late.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")


def wrong_surprises_left_out(orders: DataFrame) -> DataFrame:
    """Surprises left out."""
    late = orders.where("item IS NOT NULL").withWatermark("sent_at", "5 minutes")
    return late.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")
