"""Repairs that leave the watermark stuck, or free it at the cost of the answer."""

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F


def _count(app: DataFrame, kiosk: DataFrame, *, of_app: Column, of_kiosk: Column) -> DataFrame:
    clicks = app.withColumn("event_time", of_app).withWatermark("event_time", "10 seconds")
    taps = kiosk.withColumn("event_time", of_kiosk).withWatermark("event_time", "1 minute")
    both = clicks.unionByName(taps)
    return both.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


def still_in_1970(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The watermark still stands in January 1970

    After step 3 the watermark stood at {steps.3.watermark}; it should stand at
    {asked.steps.3.watermark}. No delay and no window length can help: one stream still says that
    it is 1970, and the slower stream decides. Work out by hand what time the query makes of each
    stream's newest `sent`, with its date.
    """
    return _count(
        app, kiosk, of_app=F.timestamp_millis("sent"), of_kiosk=F.timestamp_millis("sent")
    )


def silences_the_symptom(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The watermark moves, and the kiosk's clicks are in 1970

    The app's clicks are counted and the watermark moves, but the kiosk's clicks came out in
    January 1970 or were dropped as late. The app alone now says what time it is: nobody waits for
    the kiosk any more, and nothing has been mended. Why does the kiosk say 1970?
    """
    spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "max")
    return still_in_1970(spark, app, kiosk)


def by_time_of_arrival(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Counts when clicks arrived, not when they happened

    Clicks are counted in the windows in which they came in. The column `received` has the right
    date and moves nicely, but it is the time of arrival. The event's own time is in `sent`; it has to
    be read in the right unit.
    """
    return _count(app, kiosk, of_app=F.col("received"), of_kiosk=F.col("received"))


def seconds_for_both(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Now the other stream has the wrong unit

    Only the kiosk's clicks are in the counts. Read as seconds, the app's numbers lead tens of
    thousands of years ahead. The two sources do not send the same unit: count the digits of a
    value from each.
    """
    return _count(
        app, kiosk, of_app=F.timestamp_seconds("sent"), of_kiosk=F.timestamp_seconds("sent")
    )


def kiosk_left_out(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The kiosk was left out

    The watermark moves, and the kiosk's clicks are in no count. A repair must give the count that
    was asked for, of both streams.
    """
    clicks = app.withColumn("event_time", F.timestamp_millis("sent")).withWatermark(
        "event_time", "10 seconds"
    )
    return clicks.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


def repaired_but_hurried(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The slower stream is not waited for

    The units are right. But after step 2 the watermark stood at {steps.2.watermark}, as the app
    says; the kiosk, which is behind, says {asked.steps.2.watermark}. So the kiosk's late clicks
    are lost. The task wants the slower stream waited for, as it was before.
    """
    spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "max")
    return _count(
        app, kiosk, of_app=F.timestamp_millis("sent"), of_kiosk=F.timestamp_seconds("sent")
    )


def one_watermark_for_both(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Ten seconds behind the newest click of both streams

    The units are right. But after step 2 the watermark stood at {steps.2.watermark}, ten seconds
    behind the newest click of both streams together; the slower stream says {asked.steps.2.watermark}.
    If there is one watermark, behind the union: Spark no longer knows there which stream a click
    came from, so where does it have to stand? If each stream has its own: which delay has the
    kiosk's, and is the slower one waited for?
    """
    clicks = app.withColumn("event_time", F.timestamp_millis("sent"))
    taps = kiosk.withColumn("event_time", F.timestamp_seconds("sent"))
    both = clicks.unionByName(taps).withWatermark("event_time", "10 seconds")
    return both.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


def kiosk_by_time_of_arrival(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The kiosk's clicks counted when they arrived

    The app's clicks are counted when they happened, the kiosk's in the windows in which they came
    in. The column `received` is the time of arrival. The kiosk's own time is in `sent`; it has to be
    read in the right unit.
    """
    return _count(app, kiosk, of_app=F.timestamp_millis("sent"), of_kiosk=F.col("received"))


def kiosk_without_a_watermark(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The kiosk has no say in what time it is

    The units are right. But after step 2 the watermark stood at {steps.2.watermark}, as the app
    says; the kiosk, which is behind, says {asked.steps.2.watermark}. After the last step, in which
    the kiosk is ahead, {steps.5.watermark} is right, as it is again the app's: so the later of two
    watermarks was not taken either. Does each stream have a watermark of its own, with its own delay?
    """
    clicks = app.withColumn("event_time", F.timestamp_millis("sent"))
    taps = kiosk.withColumn("event_time", F.timestamp_seconds("sent"))
    both = clicks.withWatermark("event_time", "10 seconds").unionByName(taps)
    return both.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))
