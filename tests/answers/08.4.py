"""Answers to 08.4: who is in the shop, from the state."""

from datetime import timedelta
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F


def _visits(spark: SparkSession, checkpoint: str, **options: int) -> DataFrame:
    state = spark.read.format("statestore").options(**options).load(checkpoint)
    return state.select(
        F.col("key.user").alias("user"),
        F.col("value.session_window.start").alias("began"),
        (F.col("value.session_window.end") - F.expr("INTERVAL 5 MINUTES")).alias("last_seen"),
        F.col("value.count").alias("pages"),
    )


def right_rows_collected(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Collects the state, decides in Python, and makes a DataFrame of what is left

    Right: an ordinary DataFrame is asked for, and the state is small.
    """
    rows = _visits(spark, checkpoint).collect()
    newest = max((row.last_seen for row in rows), default=None)
    here = [row for row in rows if newest - row.last_seen <= timedelta(minutes=5)]
    return spark.createDataFrame(
        [tuple(row) for row in here],
        "user STRING, began TIMESTAMP, last_seen TIMESTAMP, pages LONG",
    )


def right_newest_collected(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Fetches the greatest end first, and compares ends with ends; another column order

    Right: ends are five minutes after the last page views, all of them.
    """
    state = (
        spark.read.format("statestore").option("path", checkpoint).option("operatorId", 0).load()
    )
    end = F.col("value.session_window.end")
    newest = state.agg(F.unix_micros(F.max(end))).first()[0]
    here = state.where(F.unix_micros(end) >= newest - 300_000_000)
    return here.select(
        F.col("value.count").alias("pages"),
        F.timestamp_micros(F.unix_micros(end) - 300_000_000).alias("last_seen"),
        F.col("key.sessionStartTime").alias("began"),
        F.col("key.user").alias("user"),
    )


def right_last_visit_of_each_user(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Takes each user's last visit first, then those that are not over

    Right: of two visits of a user only the last can go on: they are more than five minutes apart.
    """
    last = Window.partitionBy("user").orderBy(F.desc("last_seen"))
    visits = _visits(spark, checkpoint).withColumn("place", F.row_number().over(last))
    all_of_them = Window.partitionBy(F.lit(1))
    return (
        visits.withColumn("now", F.max("last_seen").over(all_of_them))
        .where("place = 1")
        .where(F.unix_timestamp("now") - F.unix_timestamp("last_seen") <= 5 * 60)
        .select("user", "began", "last_seen", "pages")
    )


def right_added_up_after_the_filter(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Groups by user when those who left are out

    Right: a user has one visit at most that goes on.
    """
    visits = _visits(spark, checkpoint)
    since = visits.select((F.max("last_seen") - F.expr("INTERVAL 5 MINUTES")).alias("since"))
    here = visits.join(since, visits.last_seen >= since.since)
    return here.groupBy("user").agg(
        F.min("began").alias("began"),
        F.max("last_seen").alias("last_seen"),
        F.sum("pages").alias("pages"),
    )


def wrong_now_is_the_newest_beginning(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Takes the newest beginning of a visit for the newest page view

    Wrong: "Now is the newest page view of all"; a visit that goes on may have the newest page view and an old beginning.
    """
    visits = _visits(spark, checkpoint)
    newest = visits.agg(F.max("began").alias("newest"))
    late = F.col("newest") - F.expr("INTERVAL 5 MINUTES")
    return visits.crossJoin(newest).where(F.col("last_seen") >= late).drop("newest")


def wrong_clock_the_wrong_way_round(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Compares with the clock on the wall, and the wrong way round

    Wrong: everybody in the state was seen before now less five minutes.
    """
    since = F.current_timestamp() - F.expr("INTERVAL 5 MINUTES")
    return _visits(spark, checkpoint).where(F.col("last_seen") <= since)


def wrong_one_version_back(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Reads the state of the batch before the last, as the last one brought no page views

    After a step whose page views move no watermark there is no such batch.
    """
    commits = (path.name for path in Path(checkpoint, "commits").iterdir())
    newest = max(int(name) for name in commits if name.isdigit())
    visits = _visits(spark, checkpoint, batchId=max(0, newest - 1))
    now = visits.agg(F.max("last_seen").alias("now"))
    return visits.crossJoin(now).where("last_seen >= now - INTERVAL 5 MINUTES").drop("now")
