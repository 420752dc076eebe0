"""Repairs that leave the watermark stuck, or free it at the cost of the answer."""

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F


def _count(app: DataFrame, kiosk: DataFrame, *, of_app: Column, of_kiosk: Column) -> DataFrame:
    clicks = app.withColumn("event_time", of_app).withWatermark("event_time", "10 seconds")
    taps = kiosk.withColumn("event_time", of_kiosk).withWatermark("event_time", "1 minute")
    both = clicks.unionByName(taps)
    return both.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


def still_in_1970(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Watermark still in January 1970

    After step 3 the watermark was {steps.3.watermark}; expected {asked.steps.3.watermark}. No
    delay and no window length can help: the times of one stream are in 1970, and the slower
    stream decides. Which time, with its date, does the query make of each stream's newest
    `sent`?
    """
    return _count(
        app, kiosk, of_app=F.timestamp_millis("sent"), of_kiosk=F.timestamp_millis("sent")
    )


def silences_the_symptom(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Kiosk clicks still in 1970, hidden by the policy `max`

    The app's clicks are counted and the watermark advances. The kiosk's clicks were emitted in
    January 1970 or dropped as late. The app alone now decides the watermark, so the query no
    longer waits for the kiosk, and the cause is still there. Why are the kiosk's times in 1970?
    """
    spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "max")
    return still_in_1970(spark, app, kiosk)


def by_time_of_arrival(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Processing time instead of event time

    Clicks are counted in the windows in which they arrived. The column `received` has the right
    date, but it is the time of arrival. The event time is in `sent`. In which unit does each
    stream send it?
    """
    return _count(app, kiosk, of_app=F.col("received"), of_kiosk=F.col("received"))


def seconds_for_both(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Seconds assumed for both streams

    Only the kiosk's clicks are in the counts. Read as seconds, the app's numbers are tens of
    thousands of years ahead. The two sources do not send the same unit. How many digits does a
    value of each stream have?
    """
    return _count(
        app, kiosk, of_app=F.timestamp_seconds("sent"), of_kiosk=F.timestamp_seconds("sent")
    )


def kiosk_left_out(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Kiosk left out

    The watermark advances, and no click of the kiosk is counted. Which streams must a row
    count?
    """
    clicks = app.withColumn("event_time", F.timestamp_millis("sent")).withWatermark(
        "event_time", "10 seconds"
    )
    return clicks.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


def repaired_but_hurried(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Watermark policy `max`: the slower stream is not waited for

    The units are right. But after step 2 the watermark was {steps.2.watermark}, the app's;
    expected {asked.steps.2.watermark}, the kiosk's, which is the slower stream. So Spark drops
    late clicks of the kiosk. Which policy did the query have before?
    """
    spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "max")
    return _count(
        app, kiosk, of_app=F.timestamp_millis("sent"), of_kiosk=F.timestamp_seconds("sent")
    )


def one_watermark_for_both(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """One watermark for both streams

    The units are right. But after step 2 the watermark was {steps.2.watermark}, ten seconds
    behind the newest click of both streams; expected {asked.steps.2.watermark}, the slower
    stream's. If you set one watermark after the union: Spark no longer knows there which stream
    a click came from. If each stream has its own: which delay has the kiosk's, and which policy
    do you use?
    """
    clicks = app.withColumn("event_time", F.timestamp_millis("sent"))
    taps = kiosk.withColumn("event_time", F.timestamp_seconds("sent"))
    both = clicks.unionByName(taps).withWatermark("event_time", "10 seconds")
    return both.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


def kiosk_by_time_of_arrival(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Processing time for the kiosk's clicks

    The app's clicks are counted when they happened, the kiosk's when they arrived. The column
    `received` is the time of arrival. The kiosk's event time is in `sent`. In which unit does
    the kiosk send it?
    """
    return _count(app, kiosk, of_app=F.timestamp_millis("sent"), of_kiosk=F.col("received"))


def kiosk_without_a_watermark(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Kiosk without a watermark of its own

    The units are right. But after step 2 the watermark was {steps.2.watermark}, the app's;
    expected {asked.steps.2.watermark}, the kiosk's, which is the slower stream. After the last
    step the kiosk is ahead, and the watermark {steps.5.watermark} is right, because it is again
    the app's. So the policy `max` is not the cause. Does each stream have a watermark with its
    own delay?
    """
    clicks = app.withColumn("event_time", F.timestamp_millis("sent"))
    taps = kiosk.withColumn("event_time", F.timestamp_seconds("sent"))
    both = clicks.withWatermark("event_time", "10 seconds").unionByName(taps)
    return both.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


def _repaired(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    return _count(
        app, kiosk, of_app=F.timestamp_millis("sent"), of_kiosk=F.timestamp_seconds("sent")
    )


def rounded_to_seconds(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """App times rounded to whole seconds

    The units are right. But an app click of the last half second of 12:04 is counted in the window
    from 12:05: its time was rounded up. The first window has 1 click fewer than expected, the second 1
    more. Which function keeps the milliseconds?
    """
    seconds = F.round(F.col("sent") / 1000).cast("bigint")
    return _count(
        app, kiosk, of_app=F.timestamp_seconds(seconds), of_kiosk=F.timestamp_seconds("sent")
    )


def clicks_without_a_page_left_out(
    spark: SparkSession, app: DataFrame, kiosk: DataFrame
) -> DataFrame:
    """Clicks without a page left out

    The units are right. But two windows have 1 click fewer than expected: the clicks without a
    page are missing. A condition on a null is not true, `dropna` removes the row, and `count` of a
    column skips a null. Which part of your query looks at `page`?
    """
    known = F.col("page").isNotNull()
    return _repaired(spark, app.where(known), kiosk.where(known))


def equal_clicks_counted_once(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Equal clicks counted once

    The units are right. But the window from 12:05 has 1 click fewer than expected. Two app clicks have the
    same values, and only one of them was counted. Which part of your query removes equal rows:
    UNION without ALL in SQL, distinct, dropDuplicates?
    """
    clicks = app.withColumn("event_time", F.timestamp_millis("sent"))
    taps = kiosk.withColumn("event_time", F.timestamp_seconds("sent"))
    both = clicks.withWatermark("event_time", "10 seconds").unionByName(
        taps.withWatermark("event_time", "1 minute")
    )
    counts = both.distinct().groupBy(F.window("event_time", "5 minutes"))
    return counts.agg(F.count("*").alias("clicks"))
