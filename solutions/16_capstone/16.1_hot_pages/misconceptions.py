"""Counts that are told too soon, too often, of the wrong clicks, or never."""

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
    """Pages that only reach the limit are told of

    With a limit of 3 a page with 3 clicks came out. *More* than the limit is asked for.
    """
    clicks = _clicks(records).where("page IS NOT NULL")
    return _told(_counts(clicks).where(F.col("clicks") >= _limit(spark)))


def limit_of_the_shop(spark: SparkSession, records: DataFrame) -> DataFrame:
    """No page is ever over the limit

    Nothing came out. The check has a handful of clicks, and says so in the setting `shop.limit`; 5,000 is the shop's
    own. A figure that differs between a test and the shop has no place in the code.
    """
    clicks = _clicks(records).where("page IS NOT NULL")
    return _told(_counts(clicks).where(F.col("clicks") > 5000))


def limit_of_the_check(spark: SparkSession, records: DataFrame) -> DataFrame:
    """The limit is written down

    It is right with 3, which is the limit of the first run, and told of the same pages when the limit was 2. The setting
    `shop.limit` says what holds: here one thing, in the shop another.
    """
    clicks = _clicks(records).where("page IS NOT NULL")
    return _told(_counts(clicks).where(F.col("clicks") > 3))


def clicks_on_no_page(spark: SparkSession, records: DataFrame) -> DataFrame:
    """A page without a name

    Clicks that name no page came out as a page of their own. Null is a group like any other: who does not want it
    leaves those clicks out before the count.
    """
    return _told(_counts(_clicks(records)).where(F.col("clicks") > _limit(spark)))


def never_forgotten(spark: SparkSession, records: DataFrame) -> DataFrame:
    """No window is ever over

    A click whose window had long been over was counted, and after the last step {steps.6.state} counts are kept where
    {asked.steps.6.state} is enough. In update mode nothing waits for a watermark, but without one nothing is forgotten.
    """
    clicks = _clicks(records).where("page IS NOT NULL")
    counts = clicks.groupBy("page", F.window("event_time", "5 seconds")).agg(
        F.count("*").alias("clicks")
    )
    return _told(counts.where(F.col("clicks") > _limit(spark)))


def far_too_patient(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Windows that stay open for minutes

    A click that came after its window's end and five seconds more was counted. After step 4 the watermark stands
    {steps.4.delay} behind the newest click; the task says 5 seconds.
    """
    clicks = _clicks(records).where("page IS NOT NULL")
    return _told(_counts(clicks, "5 minutes").where(F.col("clicks") > _limit(spark)))


def not_patient_at_all(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Clicks that are seconds late are lost

    A click was dropped whose window had been over for less than five seconds. After step 3 the watermark stands
    {steps.3.delay} behind the newest click.
    """
    clicks = _clicks(records).where("page IS NOT NULL")
    return _told(_counts(clicks, "0 seconds").where(F.col("clicks") > _limit(spark)))


def every_second_anew(spark: SparkSession, records: DataFrame) -> DataFrame:
    """One run on a page, told of five times

    Windows that begin every second overlap, so a click is in five of them, and so are the alarms. "The past 5
    seconds" can be read so, and the burst over the edge would mostly be found. The task asks for windows that begin every
    five seconds.
    """
    sliding = F.window("event_time", "5 seconds", "1 second").alias("window")
    clicks = _clicks(records).where("page IS NOT NULL")
    return _told(_counts(clicks, window=sliding).where(F.col("clicks") > _limit(spark)))


def by_the_brokers_clock(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Clicks stand in the window in which they arrived

    Kafka's `timestamp` says when a record was sent, eventTime when somebody clicked. After an hour without network a
    whole hour of clicks would be a run on a page within five seconds.
    """
    clicks = _clicks(records, "timestamp").where("page IS NOT NULL")
    return _told(_counts(clicks).where(F.col("clicks") > _limit(spark)))


def moments_for_clicks(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Two clicks in one moment are one

    Too few are counted where two people clicked in the same millisecond. Equal is not the same: a count of
    different times counts times.
    """
    clicks = _clicks(records).where("page IS NOT NULL")
    moments = F.size(F.collect_set("event_time")).cast("long")
    return _told(_counts(clicks, count=moments).where(F.col("clicks") > _limit(spark)))


def at_the_limit_and_on_no_page(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Pages that only reach the limit, and one without a name

    Two things at once. With a limit of 3 a page with 3 clicks came out, where *more* than the limit is asked for. And
    clicks that name no page came out as a page of their own: null is a group like any other.
    """
    return _told(_counts(_clicks(records)).where(F.col("clicks") >= _limit(spark)))
