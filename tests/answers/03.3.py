"""Answers to 03.3, two sources and one watermark."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

_POLICY = "spark.sql.streaming.multipleWatermarkPolicy"


def _count(clicks: DataFrame) -> DataFrame:
    return clicks.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


def _timed(web: DataFrame, kiosk: DataFrame) -> DataFrame:
    return web.withWatermark("event_time", "10 seconds").unionByName(
        kiosk.withWatermark("event_time", "1 minute")
    )


def right_in_sql(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Views with their watermarks, UNION ALL and the count in SQL; the policy is set last."""
    web.withWatermark("event_time", "10 seconds").createOrReplaceTempView("web")
    kiosk.withWatermark("event_time", "1 minute").createOrReplaceTempView("kiosk")
    counted = spark.sql(
        "SELECT window(event_time, '5 minutes') AS window, count(*) AS clicks FROM "
        "(SELECT event_time FROM web UNION ALL SELECT event_time FROM kiosk) "
        "GROUP BY window(event_time, '5 minutes')"
    )
    spark.conf.set(_POLICY, "MAX")
    return counted


def right_with_other_settings(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Sets the policy, and RocksDB and the number of partitions beside it."""
    spark.conf.set(_POLICY, "max")
    spark.conf.set("spark.sql.shuffle.partitions", 3)
    spark.conf.set(
        "spark.sql.streaming.stateStore.providerClass",
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    )
    return _count(_timed(web, kiosk))


def right_windows_before_the_union(
    spark: SparkSession, web: DataFrame, kiosk: DataFrame
) -> DataFrame:
    """Gives each stream its watermark and its window, and unites windows."""
    spark.conf.set(_POLICY, "max")
    windows = [
        stream.withWatermark("event_time", delay).select(
            F.window("event_time", "5 minutes").alias("window")
        )
        for stream, delay in ((kiosk, "60 seconds"), (web, "10 seconds"))
    ]
    both = windows[0].union(windows[1])
    return both.groupBy("window").agg(F.sum(F.lit(1)).alias("clicks"))


def wrong_source_in_the_key(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Unites the streams and groups by window and source

    One count of both together; window 12:00 comes twice.
    """
    spark.conf.set(_POLICY, "max")
    named = _timed(
        web.withColumn("source", F.lit("web")), kiosk.withColumn("source", F.lit("kiosk"))
    )
    counted = named.groupBy(F.window("event_time", "5 minutes"), "source")
    return counted.agg(F.count("*").alias("clicks")).select("window", "clicks")


def wrong_ten_seconds_on_each(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Policy and places right, but ten seconds on each stream

    The kiosk was granted a minute; shows in step 4.
    """
    spark.conf.set(_POLICY, "max")
    return _count(
        web.withWatermark("event_time", "10 seconds").unionByName(
            kiosk.withWatermark("event_time", "10 seconds")
        )
    )


def wrong_a_minute_on_each(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Policy and places right, but a minute on each stream

    The web waits ten seconds; shows in step 2.
    """
    spark.conf.set(_POLICY, "max")
    return _count(
        web.withWatermark("event_time", "1 minute").unionByName(
            kiosk.withWatermark("event_time", "1 minute")
        )
    )


def wrong_setting_misspelt(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Sets the policy under a name that there is not (multipleWatermarksPolicy)

    Spark takes any name; the default stays.
    """
    spark.conf.set("spark.sql.streaming.multipleWatermarksPolicy", "max")
    return _count(_timed(web, kiosk))


def wrong_policy_and_swapped(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Two mistakes: no policy, and the delays at the wrong streams

    Shows in step 1 by the watermark (12:01:50), in step 2 by the missing row.
    """
    return _count(
        web.withWatermark("event_time", "1 minute").unionByName(
            kiosk.withWatermark("event_time", "10 seconds")
        )
    )


def wrong_union_distinct(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Unites in SQL by UNION, which takes equal clicks of both sources for one."""
    spark.conf.set(_POLICY, "max")
    web.withWatermark("event_time", "10 seconds").createOrReplaceTempView("web")
    kiosk.withWatermark("event_time", "1 minute").createOrReplaceTempView("kiosk")
    return spark.sql(
        "SELECT window(event_time, '5 minutes') AS window, count(*) AS clicks FROM "
        "(SELECT page, event_time FROM web UNION SELECT page, event_time FROM kiosk) "
        "GROUP BY window(event_time, '5 minutes')"
    )


def wrong_copies_dropped(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Drops what is alike in page and second behind the union."""
    spark.conf.set(_POLICY, "max")
    return _count(_timed(web, kiosk).dropDuplicates(["page", "event_time"]))


def wrong_kiosk_ten_minutes(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Gives the kiosk ten minutes

    A minute is asked for; the kiosk never leads.
    """
    spark.conf.set(_POLICY, "max")
    return _count(
        web.withWatermark("event_time", "10 seconds").unionByName(
            kiosk.withWatermark("event_time", "10 minutes")
        )
    )


def wrong_by_page_in_secret(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Groups by page, too, and leaves the page out of the result

    One row a window is asked for; step 2 has two.
    """
    spark.conf.set(_POLICY, "max")
    counts = _timed(web, kiosk).groupBy(F.window("event_time", "5 minutes"), "page")
    return counts.agg(F.count("*").alias("clicks")).drop("page")


def _both(web: DataFrame, kiosk: DataFrame, delays: tuple[str, str]) -> DataFrame:
    late = (
        stream.withWatermark("event_time", d)
        for stream, d in zip((web, kiosk), delays, strict=True)
    )
    return next(late).unionByName(next(late))


def _counted(clicks: DataFrame, *by: Any) -> DataFrame:
    return clicks.groupBy(*by).agg(F.count("*").alias("clicks"))


def _in_windows(clicks: DataFrame, *by: Any) -> DataFrame:
    return _counted(clicks, F.window("event_time", "5 minutes"), *by)


def wrong_delays_the_other_way_round(
    spark: SparkSession, web: DataFrame, kiosk: DataFrame
) -> DataFrame:
    """Delays the other way round."""
    spark.conf.set(_POLICY, "max")
    return _in_windows(_both(web, kiosk, ("1 minute", "10 seconds")))


def wrong_an_hour_for_the_kiosk(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """An hour for the kiosk."""
    spark.conf.set(_POLICY, "max")
    return _in_windows(_both(web, kiosk, ("10 seconds", "1 hour")))


def wrong_ten_seconds_each(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Ten seconds each."""
    spark.conf.set(_POLICY, "max")
    return _in_windows(_both(web, kiosk, ("10 seconds", "10 seconds")))


def wrong_counts_of_each_added_up(
    spark: SparkSession, web: DataFrame, kiosk: DataFrame
) -> DataFrame:
    """Counts each source by itself, unites the counts, and adds those of a window up

    The rows are right. Each source keeps a row of an open window, where one is enough.
    """
    spark.conf.set(_POLICY, "max")
    of_web = _count(web.withWatermark("event_time", "10 seconds"))
    of_kiosk = _count(kiosk.withWatermark("event_time", "1 minute"))
    both = of_web.unionByName(of_kiosk)
    return both.groupBy("window").agg(F.sum("clicks").alias("clicks"))
