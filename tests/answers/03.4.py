"""Answers to 03.4, the stuck watermark."""

from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

_POLICY = "spark.sql.streaming.multipleWatermarkPolicy"


def _count(both: DataFrame) -> DataFrame:
    return both.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


def _both(
    app: DataFrame,
    kiosk: DataFrame,
    *,
    of_app: Column,
    of_kiosk: Column,
    app_delay: str = "10 seconds",
    kiosk_delay: str = "1 minute",
) -> DataFrame:
    clicks = app.withColumn("event_time", of_app).withWatermark("event_time", app_delay)
    taps = kiosk.withColumn("event_time", of_kiosk).withWatermark("event_time", kiosk_delay)
    return clicks.unionByName(taps)


def right_by_the_digits(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Reads either stream by the size of its numbers: thirteen digits are milliseconds, ten are seconds."""
    sent = F.col("sent")
    time = F.when(sent >= 100_000_000_000, F.timestamp_millis(sent)).otherwise(
        F.timestamp_seconds(sent)
    )
    return _count(_both(app, kiosk, of_app=time, of_kiosk=time))


def right_in_sql(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Microseconds and a cast in selectExpr; the count in SQL."""
    clicks = app.selectExpr("timestamp_micros(sent * 1000) AS event_time")
    taps = kiosk.selectExpr("CAST(sent AS TIMESTAMP) AS event_time")
    both = taps.withWatermark("event_time", "60 seconds").union(
        clicks.withWatermark("event_time", "10 seconds")
    )
    both.createOrReplaceTempView("both_streams")
    return spark.sql(
        "SELECT window(event_time, '5 minutes') AS window, count(*) AS clicks FROM both_streams "
        "GROUP BY window(event_time, '5 minutes')"
    )


def right_from_unixtime(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Goes by text: from_unixtime of whole seconds and to_timestamp; cuts the app's milliseconds

    No window changes by that; the watermark stands up to a second earlier, which loses nothing.
    """
    return _count(
        _both(
            app,
            kiosk,
            of_app=F.to_timestamp(F.from_unixtime((F.col("sent") / 1000).cast("long"))),
            of_kiosk=F.to_timestamp(F.from_unixtime("sent")),
        )
    )


def right_source_on_the_way(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Names the source, unites with columns that only one has, and counts the sources."""
    clicks = app.select(
        F.timestamp_seconds(F.col("sent") / 1000).alias("t"), F.lit("app").alias("a")
    )
    taps = kiosk.select(F.timestamp_seconds("sent").alias("t"), F.lit("kiosk").alias("k"))
    both = clicks.withWatermark("t", "10 seconds").unionByName(
        taps.withWatermark("t", "1 minute"), allowMissingColumns=True
    )
    counted = both.groupBy(F.window("t", "5 minutes"))
    return counted.agg(F.count(F.coalesce("a", "k")).alias("clicks"))


def wrong_bad_times_filtered_out(
    spark: SparkSession, app: DataFrame, kiosk: DataFrame
) -> DataFrame:
    """Reads both as milliseconds and leaves out times before 2000, before the watermarks

    All of the kiosk is left out; its watermark never begins, so the query's does not.
    """
    real = F.col("event_time") >= F.lit("2000-01-01").cast("timestamp")
    time = F.timestamp_millis("sent")
    clicks = (
        app.withColumn("event_time", time).where(real).withWatermark("event_time", "10 seconds")
    )
    taps = kiosk.withColumn("event_time", time).where(real).withWatermark("event_time", "1 minute")
    return _count(clicks.unionByName(taps))


def wrong_kiosk_parsed_as_text(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Parses the kiosk's number as the text of a timestamp, which gives null

    The kiosk's clicks have no time and are in no count.
    """
    parsed = F.try_to_timestamp(F.col("sent").cast("string"))
    return _count(_both(app, kiosk, of_app=F.timestamp_millis("sent"), of_kiosk=parsed))


def wrong_bad_times_filtered_and_hurried(
    spark: SparkSession, app: DataFrame, kiosk: DataFrame
) -> DataFrame:
    """Leaves out times before 2000 and takes the policy max

    The kiosk is in no count.
    """
    spark.conf.set(_POLICY, "max")
    return wrong_bad_times_filtered_out(spark, app, kiosk)


def wrong_ten_seconds_each_and_max(
    spark: SparkSession, app: DataFrame, kiosk: DataFrame
) -> DataFrame:
    """Units right; two mistakes: ten seconds on each stream, and the policy max

    The slower stream is not waited for.
    """
    spark.conf.set(_POLICY, "max")
    return _count(
        _both(
            app,
            kiosk,
            of_app=F.timestamp_millis("sent"),
            of_kiosk=F.timestamp_seconds("sent"),
            kiosk_delay="10 seconds",
        )
    )


def wrong_a_minute_over_the_union(
    spark: SparkSession, app: DataFrame, kiosk: DataFrame
) -> DataFrame:
    """Units right; one watermark of a minute over the union

    Stands a minute behind the newest of both, not behind the slower: 12:02:20 after step 1 in place of 12:02:00.
    """
    clicks = app.withColumn("event_time", F.timestamp_millis("sent"))
    taps = kiosk.withColumn("event_time", F.timestamp_seconds("sent"))
    return _count(clicks.unionByName(taps).withWatermark("event_time", "1 minute"))


def wrong_app_without_a_watermark(
    spark: SparkSession, app: DataFrame, kiosk: DataFrame
) -> DataFrame:
    """Units right; only the kiosk has a watermark

    As long as the kiosk is the slower one all is right; after step 5, where it leads, 14:01:00 in place of
    13:59:50. Caught by the watermark alone.
    """
    clicks = app.withColumn("event_time", F.timestamp_millis("sent"))
    taps = kiosk.withColumn("event_time", F.timestamp_seconds("sent"))
    return _count(clicks.unionByName(taps.withWatermark("event_time", "1 minute")))


def wrong_units_swapped(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The app as seconds, the kiosk as milliseconds

    Both wrong now; the watermark stands in January 1970 still.
    """
    return _count(
        _both(app, kiosk, of_app=F.timestamp_seconds("sent"), of_kiosk=F.timestamp_millis("sent"))
    )


def wrong_kiosk_times_a_thousand_as_seconds(
    spark: SparkSession, app: DataFrame, kiosk: DataFrame
) -> DataFrame:
    """Repairs the kiosk twice: times 1000, and read as seconds

    The kiosk lives in the year 58134; only the app is counted.
    """
    twice = F.timestamp_seconds(F.col("sent") * 1000)
    return _count(_both(app, kiosk, of_app=F.timestamp_millis("sent"), of_kiosk=twice))


def wrong_kiosk_divided(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Divides the kiosk's number by 1000 where it should be multiplied

    The kiosk stands at half past midnight of 1970-01-01.
    """
    divided = F.timestamp_millis((F.col("sent") / 1000).cast("long"))
    return _count(_both(app, kiosk, of_app=F.timestamp_millis("sent"), of_kiosk=divided))


def wrong_arrival_where_it_is_known(
    spark: SparkSession, app: DataFrame, kiosk: DataFrame
) -> DataFrame:
    """Takes the time of arrival, and where that is missing the right time of sending

    Counts when clicks arrived.
    """
    return _count(
        _both(
            app,
            kiosk,
            of_app=F.coalesce("received", F.timestamp_millis("sent")),
            of_kiosk=F.coalesce("received", F.timestamp_seconds("sent")),
        )
    )


def wrong_rounded_to_seconds(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Rounds the app's milliseconds to seconds, so that 12:04:59.6 falls into the next window."""
    rounded = F.timestamp_seconds(F.round(F.col("sent") / 1000))
    return _count(_both(app, kiosk, of_app=rounded, of_kiosk=F.timestamp_seconds("sent")))


def wrong_union_takes_copies_out(
    spark: SparkSession, app: DataFrame, kiosk: DataFrame
) -> DataFrame:
    """Takes copies out behind the union; a copy is two clicks that look the same."""
    both = _both(
        app, kiosk, of_app=F.timestamp_millis("sent"), of_kiosk=F.timestamp_seconds("sent")
    )
    return _count(both.distinct())


def _counted(clicks: DataFrame, *by: Any) -> DataFrame:
    return clicks.groupBy(*by).agg(F.count("*").alias("clicks"))


def _in_windows(clicks: DataFrame, *by: Any) -> DataFrame:
    return _counted(clicks, F.window("event_time", "5 minutes"), *by)


def _in_time(web: DataFrame, kiosk: DataFrame, delays: tuple[str, str]) -> DataFrame:
    late = (
        stream.withWatermark("event_time", d)
        for stream, d in zip((web, kiosk), delays, strict=True)
    )
    return next(late).unionByName(next(late))


def wrong_one_watermark_after_the_union(
    spark: SparkSession, app: DataFrame, kiosk: DataFrame
) -> DataFrame:
    """One watermark after the union."""
    clicks = app.withColumn("event_time", F.timestamp_millis("sent"))
    taps = kiosk.withColumn("event_time", F.timestamp_seconds("sent"))
    return _in_windows(clicks.unionByName(taps).withWatermark("event_time", "10 seconds"))


def wrong_received_for_the_kiosk(
    spark: SparkSession, app: DataFrame, kiosk: DataFrame
) -> DataFrame:
    """Received for the kiosk."""
    clicks = app.withColumn("event_time", F.timestamp_millis("sent"))
    taps = kiosk.withColumn("event_time", F.col("received"))
    return _in_windows(_in_time(clicks, taps, ("10 seconds", "1 minute")))
