"""Queries that emit too early, too often, for the wrong clicks, or never."""

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

SCHEMA = "pageId STRING, eventTime TIMESTAMP"


def _clicks(records: DataFrame, time: str = "click.eventTime") -> DataFrame:
    click = F.from_json(F.col("value").cast("string"), SCHEMA).alias("click")
    named = records.select(click, "timestamp")
    return named.select(F.col("click.pageId").alias("page"), F.col(time).alias("event_time"))


def _counts(
    clicks: DataFrame,
    delay: str = "5 seconds",
    window: Column | None = None,
    count: Column | None = None,
) -> DataFrame:
    window = F.window("event_time", "5 seconds") if window is None else window
    counted = (F.count("*") if count is None else count).alias("clicks")
    return clicks.withWatermark("event_time", delay).groupBy("page", window).agg(counted)


def _told(counts: DataFrame) -> DataFrame:
    return counts.select(
        "page", F.col("window.start").alias("start"), F.col("window.end").alias("end"), "clicks"
    )


def _limit(spark: SparkSession) -> int:
    return int(spark.conf.get("shop.limit") or 0)


def at_the_limit(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Limit included

    With a limit of 3, a page with 3 clicks was emitted. The task requires *more* than the limit. Which
    comparison do you need?
    """
    clicks = _clicks(records).where("page IS NOT NULL")
    return _told(_counts(clicks).where(F.col("clicks") >= _limit(spark)))


def limit_of_the_shop(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Limit of the shop written into the code

    Nothing was emitted. The check has only a few clicks, and the setting `shop.limit` is small; 5,000 is the
    limit of the real shop. Where can the query read the limit that is valid now?
    """
    clicks = _clicks(records).where("page IS NOT NULL")
    return _told(_counts(clicks).where(F.col("clicks") > 5000))


def limit_of_the_check(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Limit of the check written into the code

    The result is right with a limit of 3, and the same pages were emitted with a limit of 2. The setting
    `shop.limit` has the limit that is valid now. How does your query read it?
    """
    clicks = _clicks(records).where("page IS NOT NULL")
    return _told(_counts(clicks).where(F.col("clicks") > 3))


def clicks_on_no_page(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Clicks without a page counted

    Clicks without a page were emitted as a page of their own. For `groupBy`, null is a group like any other. At
    which point should these clicks be removed?
    """
    return _told(_counts(_clicks(records)).where(F.col("clicks") > _limit(spark)))


def never_forgotten(spark: SparkSession, records: DataFrame) -> DataFrame:
    """No watermark

    A click was counted although its window had closed, and after the last step {steps.6.state} counts are in
    state, expected {asked.steps.6.state}. Update mode does not wait for a watermark, but without one Spark
    evicts nothing. Which column and which delay belong into `withWatermark`?
    """
    clicks = _clicks(records).where("page IS NOT NULL")
    counts = clicks.groupBy("page", F.window("event_time", "5 seconds")).agg(
        F.count("*").alias("clicks")
    )
    return _told(counts.where(F.col("clicks") > _limit(spark)))


def far_too_patient(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Watermark delay of minutes

    A click was counted although its window had closed more than 5 seconds before. After step 4 the watermark of
    your query is {steps.4.delay} behind the newest click; the task allows 5 seconds. Which delay does the task
    allow?
    """
    clicks = _clicks(records).where("page IS NOT NULL")
    return _told(_counts(clicks, "5 minutes").where(F.col("clicks") > _limit(spark)))


def not_patient_at_all(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Watermark delay too short

    A click was dropped although its window had closed less than 5 seconds before. After step 3 the watermark of
    your query is {steps.3.delay} behind the newest click. How late may a click be?
    """
    clicks = _clicks(records).where("page IS NOT NULL")
    return _told(_counts(clicks, "0 seconds").where(F.col("clicks") > _limit(spark)))


def every_second_anew(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Sliding windows instead of tumbling windows

    Windows that begin every second overlap, so each click is in five of them, and a burst is reported up to
    five times. "The past 5 seconds" can be read in that way, but the task has windows that begin every 5
    seconds. Which argument of `F.window` makes them slide?
    """
    sliding = F.window("event_time", "5 seconds", "1 second").alias("window")
    clicks = _clicks(records).where("page IS NOT NULL")
    return _told(_counts(clicks, window=sliding).where(F.col("clicks") > _limit(spark)))


def by_the_brokers_clock(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Windows by Kafka's timestamp

    Clicks are in the window in which they were sent. Kafka's `timestamp` says when a record was sent,
    `eventTime` when the visitor clicked. After an hour without network, an hour of clicks would be in one
    window. Which column belongs into `F.window`?
    """
    clicks = _clicks(records, "timestamp").where("page IS NOT NULL")
    return _told(_counts(clicks).where(F.col("clicks") > _limit(spark)))


def moments_for_clicks(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Distinct times counted instead of clicks

    Too few clicks are counted where two visitors clicked in the same millisecond. Clicks with the same time are
    still different clicks. What does your aggregation count?
    """
    clicks = _clicks(records).where("page IS NOT NULL")
    moments = F.size(F.collect_set("event_time")).cast("long")
    return _told(_counts(clicks, count=moments).where(F.col("clicks") > _limit(spark)))


def at_the_limit_and_on_no_page(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Limit included, and clicks without a page counted

    There are two causes. With a limit of 3, a page with 3 clicks was emitted, but the task requires *more* than
    the limit. And clicks without a page were emitted as a page of their own, because null is a group like any
    other. Which line decides each of the two?
    """
    return _told(_counts(_clicks(records)).where(F.col("clicks") >= _limit(spark)))


def empty_is_no_page(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Empty page left out

    Four clicks with `"pageId": ""` are in one window of step 5, and no row was emitted for them. An empty
    string is a value, and null is not. Which condition removes only clicks without a page?
    """
    clicks = _clicks(records).where("page <> ''")
    return _told(_counts(clicks).where(F.col("clicks") > _limit(spark)))
