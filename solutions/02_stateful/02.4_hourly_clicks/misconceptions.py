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
    """No operator that the watermark can evict

    At the end your query keeps {steps.8.state} rows in state; {asked.steps.8.state} are enough. A
    watermark alone evicts nothing. An operator can use it only if its key or its kind says when a
    row ends. Which of your two operators does?
    """
    return _by_hour(clicks.withWatermark("event_time", "10 minutes").dropDuplicates(["event_id"]))


def remembers_every_id(clicks: DataFrame) -> DataFrame:
    """Event ids kept forever

    At the end your query keeps {steps.8.state} rows in state; {asked.steps.8.state} are enough. The
    counts are evicted, the ids are not. `dropDuplicates` on an id must remember it forever. An hour
    from date_trunc next to the id has no end, and a watermark set downstream of the deduplication
    does not reach it. Which deduplication stores an expiry time?
    """
    return _by_window(clicks.withWatermark("event_time", "10 minutes").dropDuplicates(["event_id"]))


def remembers_ids_for_their_hour(clicks: DataFrame) -> DataFrame:
    """Event ids kept until their window closes

    After step 2 your query keeps {steps.2.state} rows in state; {asked.steps.2.state} are enough. A
    window in the key of the deduplication keeps an id until the window closes, for some clicks
    almost an hour. Duplicates arrive within ten minutes. Which deduplication counts them from the
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
    """Counts kept forever

    At the end your query keeps {steps.8.state} rows in state; {asked.steps.8.state} are enough. The
    ids are evicted, the counts are not. For Spark your hour is a timestamp without an end, whether
    it comes from date_trunc or from a window's start. A window as a whole has an end. Which column
    do you group by?
    """
    return _by_hour(
        clicks.withWatermark("event_time", "10 minutes").dropDuplicatesWithinWatermark(["event_id"])
    )


def counts_clicks_twice(clicks: DataFrame) -> DataFrame:
    """Missing deduplication

    The clicks that the app sent twice were counted twice. Without the operator its state is gone,
    too. The task bounds how long an id is kept. Which operator drops duplicates and evicts its ids?
    """
    return _by_window(clicks.withWatermark("event_time", "10 minutes"))


def forgets_too_soon(clicks: DataFrame) -> DataFrame:
    """Watermark delay of zero

    After step 2 your watermark was {steps.2.delay} behind the newest click; the task requires 10
    minutes. Without a delay, Spark drops a click if an earlier micro-batch had a newer one. Which
    delay does your query set?
    """
    return _by_window(
        clicks.withWatermark("event_time", "0 seconds").dropDuplicatesWithinWatermark(["event_id"])
    )


def takes_neighbours_for_copies(clicks: DataFrame) -> DataFrame:
    """Deduplication without the event id

    Two clicks on one page in the same second, with two ids, were counted as one. Time and page do
    not identify a click; the event id does. Which columns are in the key of your deduplication?
    """
    once = clicks.withWatermark("event_time", "10 minutes").dropDuplicates(["page", "event_time"])
    return _by_window(once)


def clicks_without_page_lost(clicks: DataFrame) -> DataFrame:
    """Clicks without a page filtered out

    The row of step 7 whose page is null is missing. Clicks without a page are counted together, as one more
    page. Which filter or join drops them?
    """
    once = clicks.withWatermark("event_time", "10 minutes").dropDuplicatesWithinWatermark(
        ["event_id"]
    )
    return _by_window(once.where("page IS NOT NULL"))


def waits_for_an_hour(clicks: DataFrame) -> DataFrame:
    """Watermark delay longer than required

    After step 2 your watermark was {steps.2.delay} behind the newest click; the task requires 10 minutes. A
    longer delay keeps ids and counts longer: your query keeps {steps.5.state} rows in state after step 5.
    Which delay does your query set?
    """
    return _by_window(
        clicks.withWatermark("event_time", "1 hour").dropDuplicatesWithinWatermark(["event_id"])
    )


def clicks_without_page_counted_twice(clicks: DataFrame) -> DataFrame:
    """Deduplication of clicks with a page only

    The row of step 7 whose page is null has 2 clicks; expected 1. The app sent e16 twice, and e16 has
    no page. In a condition null is equal to nothing, but a deduplication treats two nulls as equal.
    Which rows does your deduplication get?
    """
    timed = clicks.withWatermark("event_time", "10 minutes")
    once = timed.where("page IS NOT NULL").dropDuplicatesWithinWatermark(["event_id"])
    return _by_window(once.unionByName(timed.where("page IS NULL")))
