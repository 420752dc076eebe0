"""Ways in which the leak stays, or is stopped at the cost of the answer."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def _by_window(clicks: DataFrame) -> DataFrame:
    counted = clicks.groupBy(F.window("event_time", "1 hour"), "page").agg(
        F.count("*").alias("clicks")
    )
    return counted.select(F.col("window.start").alias("hour"), "page", "clicks")


def _by_hour(clicks: DataFrame) -> DataFrame:
    hour = F.date_trunc("hour", "event_time").alias("hour")
    return clicks.groupBy(hour, "page").agg(F.count("*").alias("clicks"))


def leaks_as_before(clicks: DataFrame) -> DataFrame:
    """Both leaks are still there

    At the end {steps.8.state} rows are kept; {asked.steps.8.state} are enough. A watermark by
    itself forgets nothing. It is a promise about time, and an operator can use it only if its own
    key or its own kind tells Spark when a row's time is over.
    """
    return _by_hour(clicks.withWatermark("event_time", "10 minutes").dropDuplicates(["event_id"]))


def remembers_every_id(clicks: DataFrame) -> DataFrame:
    """The hours are forgotten, the event ids are not

    At the end {steps.8.state} rows are kept; {asked.steps.8.state} are enough. dropDuplicates on
    an id must remember each id for ever: the same one might come again in a year. An hour cut by
    date_trunc beside the id has no end to Spark, and a watermark that is set behind the
    deduplication does not reach it. Your app sends a click again within minutes. Which operator
    knows that?
    """
    return _by_window(clicks.withWatermark("event_time", "10 minutes").dropDuplicates(["event_id"]))


def remembers_ids_for_their_hour(clicks: DataFrame) -> DataFrame:
    """The ids are forgotten when their hour is over, and not before

    After step 2 {steps.2.state} rows are kept, where {asked.steps.2.state} are enough. A window in
    the key of the deduplication gives an id an end: that of the window, for some clicks most of an
    hour away. The app sends a click again within ten minutes. Which operator counts these from the
    click?
    """
    once = clicks.withWatermark("event_time", "10 minutes").withColumn(
        "window", F.window("event_time", "1 hour")
    )
    counted = once.dropDuplicates(["event_id", "window"]).groupBy("window", "page").count()
    return counted.select(
        F.col("window.start").alias("hour"), "page", F.col("count").alias("clicks")
    )


def remembers_every_hour(clicks: DataFrame) -> DataFrame:
    """The event ids are forgotten, the hours are not

    At the end {steps.8.state} rows are kept; {asked.steps.8.state} are enough. To you the column
    that you group by is an hour, which is over at some time. To Spark it is some column that
    happens to be a timestamp, whether date_trunc made it or it is the start of a window. A window
    as a whole carries its own end: group by that, and take its start afterwards.
    """
    return _by_hour(
        clicks.withWatermark("event_time", "10 minutes").dropDuplicatesWithinWatermark(["event_id"])
    )


def counts_clicks_twice(clicks: DataFrame) -> DataFrame:
    """The leak is gone, and so is the deduplication

    The clicks that the app sent twice are counted twice. Taking an operator out takes its state
    out, too; keep the deduplication and bound how long it remembers.
    """
    return _by_window(clicks.withWatermark("event_time", "10 minutes"))


def forgets_too_soon(clicks: DataFrame) -> DataFrame:
    """The watermark leaves no time for clicks that come late

    After step 2 the watermark stood {steps.2.delay} behind the newest click; the task allows 10
    minutes. With no delay a click is thrown away when a newer one has been seen in an earlier
    micro-batch. State would be smallest if you waited for nothing.
    """
    return _by_window(
        clicks.withWatermark("event_time", "0 seconds").dropDuplicatesWithinWatermark(["event_id"])
    )


def takes_neighbours_for_copies(clicks: DataFrame) -> DataFrame:
    """Two clicks in the same second are taken for one

    Two clicks on one page in the same second, with two ids, were counted as one. Neither the time
    alone nor page and time together make a click: the event id says which click it is. It must be
    in the key; what must be bounded is for how long.
    """
    once = clicks.withWatermark("event_time", "10 minutes").dropDuplicates(["page", "event_time"])
    return _by_window(once)
