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

    A watermark by itself forgets nothing. It is a promise about time, and an operator can use
    it only if its own key or its own kind tells Spark when a row's time is over.
    """
    return _by_hour(clicks.withWatermark("event_time", "10 minutes").dropDuplicates(["event_id"]))


def remembers_every_id(clicks: DataFrame) -> DataFrame:
    """The hours are forgotten, the event ids are not

    dropDuplicates on an id must remember each id for ever: the same one might come again in a
    year. Your app sends a click again within minutes. Which operator knows that?
    """
    return _by_window(clicks.withWatermark("event_time", "10 minutes").dropDuplicates(["event_id"]))


def remembers_every_hour(clicks: DataFrame) -> DataFrame:
    """The event ids are forgotten, the hours are not

    To you date_trunc gives an hour that is over at some time. To Spark it gives some column
    that happens to be a timestamp. Only a window carries its own end.
    """
    return _by_hour(
        clicks.withWatermark("event_time", "10 minutes").dropDuplicatesWithinWatermark(["event_id"])
    )


def counts_clicks_twice(clicks: DataFrame) -> DataFrame:
    """The leak is gone, and so is the deduplication

    Taking an operator out takes its state out, too, but the app still sends some clicks twice.
    Keep the deduplication and bound how long it remembers.
    """
    return _by_window(clicks.withWatermark("event_time", "10 minutes"))


def forgets_too_soon(clicks: DataFrame) -> DataFrame:
    """The watermark leaves no time for clicks that come late

    With no delay a click is thrown away when a newer one has been seen in an earlier
    micro-batch. State would be smallest if you waited for nothing; the task allows 10 minutes.
    """
    return _by_window(
        clicks.withWatermark("event_time", "0 seconds").dropDuplicatesWithinWatermark(["event_id"])
    )


def takes_neighbours_for_copies(clicks: DataFrame) -> DataFrame:
    """Two clicks in the same second are taken for one

    Page and time do not make a click: two visitors can click in the same second. The event id
    says which click it is. It must be in the key; what must be bounded is for how long.
    """
    once = clicks.withWatermark("event_time", "10 minutes").dropDuplicates(["page", "event_time"])
    return _by_window(once)
