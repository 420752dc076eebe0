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

    No delay and no window length can help: one stream still says that it is 1970, and the
    slower stream decides. Print the newest event_time of each stream by itself, with its date.
    """
    return _count(
        app, kiosk, of_app=F.timestamp_millis("sent"), of_kiosk=F.timestamp_millis("sent")
    )


def silences_the_symptom(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The watermark moves, and the kiosk's clicks are thrown away

    Told to believe the stream that is ahead (or not to ask the kiosk at all), Spark stops
    waiting for 1970. But the kiosk's clicks still say 1970, so now they are all late. The
    symptom is gone and the fault is still there. Why does the kiosk say 1970?
    """
    spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "max")
    return still_in_1970(spark, app, kiosk)


def by_time_of_arrival(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Counts when clicks arrived, not when they happened

    The column `received` has the right date and moves nicely, but it is processing time: a
    click that was late is counted in the window in which it came in. The event's own time is
    in `sent`; it has to be read in the right unit.
    """
    return _count(app, kiosk, of_app=F.col("received"), of_kiosk=F.col("received"))


def seconds_for_both(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Now the other stream has the wrong unit

    Read as seconds, the app's numbers lead tens of thousands of years ahead. The two sources
    do not send the same unit: count the digits of a value from each.
    """
    return _count(
        app, kiosk, of_app=F.timestamp_seconds("sent"), of_kiosk=F.timestamp_seconds("sent")
    )


def kiosk_left_out(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The kiosk was left out

    Without the kiosk the watermark moves, and the kiosk's clicks are missing. A repair must
    give the count that was asked for, of both streams.
    """
    clicks = app.withColumn("event_time", F.timestamp_millis("sent")).withWatermark(
        "event_time", "10 seconds"
    )
    return clicks.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


def repaired_but_hurried(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Repaired, but no longer waiting for the slower stream

    The units are right now. With the policy changed on top of that, the app runs ahead and
    the kiosk's late clicks are lost. Once the cause is mended, take the quick fix out again.
    """
    spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "max")
    return _count(
        app, kiosk, of_app=F.timestamp_millis("sent"), of_kiosk=F.timestamp_seconds("sent")
    )
