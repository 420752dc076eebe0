"""Answers to 16.1: other ways to the pages over the limit, and other ways past them."""

from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F


def right_one_tuple_of_json(spark: SparkSession, records: DataFrame) -> DataFrame:
    """json_tuple gives both as text; the setting is compared as it is, and Spark makes a number of it."""
    both = F.json_tuple(F.col("value").cast("string"), "pageId", "eventTime")
    clicks = records.select(both.alias("page", "said")).select(
        "page", F.col("said").try_cast("timestamp").alias("at")
    )
    counts = (
        clicks.filter(F.col("page").isNotNull() & F.col("at").isNotNull())
        .withWatermark("at", "5 seconds")
        .groupBy(F.window("at", "5 seconds"), "page")
        .agg(F.sum(F.lit(1)).alias("clicks"))
    )
    over = counts.filter(counts["clicks"] > spark.conf.get("shop.limit"))
    return over.selectExpr("page", "window.start", "window.end", "clicks")


def right_window_as_a_column(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Makes the window a column first, drops what is not needed, and names columns at the end."""
    schema = "struct<eventTime: timestamp, pageId: string, referrer: string>"
    return (
        records.withColumn("text", F.expr("string(value)"))
        .withColumn("click", F.from_json("text", schema))
        .where("click.pageId IS NOT NULL AND click.eventTime IS NOT NULL")
        .withColumn("at", F.col("click.eventTime"))
        .withColumn("page", F.col("click.pageId"))
        .withWatermark("at", "5 seconds")
        .withColumn("w", F.window("at", "5 seconds"))
        .groupBy("page", "w")
        .count()
        .withColumnRenamed("count", "clicks")
        .withColumns({"start": F.col("w.start"), "end": F.col("w.end")})
        .drop("w")
        .where(f"clicks > {int(spark.conf.get('shop.limit'))}")
        .select("page", "start", "end", "clicks")
    )


def right_read_in_python(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Python's own json in a function; what it cannot read is null."""
    import json
    from datetime import datetime

    @F.udf("page STRING, event_time TIMESTAMP")
    def click(value: Any) -> Any:
        try:
            said = json.loads(bytes(value))
            return said["pageId"], datetime.fromisoformat(said["eventTime"].replace("Z", "+00:00"))
        except (AttributeError, KeyError, TypeError, ValueError):
            return None

    return (
        records.select(click("value").alias("c"))
        .select("c.page", "c.event_time")
        .dropna()
        .withWatermark("event_time", "5 seconds")
        .groupBy("page", F.window("event_time", "5 seconds"))
        .agg(F.count("event_time").alias("clicks"))
        .where(F.col("clicks") > int(spark.conf.get("shop.limit")))
        .select("page", "window.*", "clicks")
    )


def right_sql_with_a_parameter(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Two views, the second with a watermark; the limit is a parameter, the windows slide by their length."""
    records.createOrReplaceTempView("records_of_clicks")
    clicks = spark.sql(
        """
        SELECT c.pageId AS page, c.eventTime AS event_time FROM (
            SELECT from_json(CAST(value AS STRING), 'pageId STRING, eventTime TIMESTAMP') AS c
            FROM records_of_clicks WHERE value IS NOT NULL
        ) WHERE c.pageId IS NOT NULL
        """
    )
    clicks.withWatermark("event_time", "5 seconds").createOrReplaceTempView("clicks_in_time")
    return spark.sql(
        """
        WITH counts AS (
            SELECT page, window(event_time, '5 seconds', '5 seconds') AS w, count(1) AS clicks
            FROM clicks_in_time GROUP BY page, window(event_time, '5 seconds', '5 seconds')
        )
        SELECT page, w.start AS start, w.end AS end, clicks FROM counts WHERE clicks > :most
        """,
        args={"most": int(spark.conf.get("shop.limit"))},
    )


def right_time_read_on_its_own(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Takes the time as text from the JSON, and reads it afterwards with try_to_timestamp."""

    def told(counts: DataFrame, limit: int) -> DataFrame:
        window = F.col("window")
        columns = [window.getField(name).alias(name) for name in ("start", "end")]
        return counts.where(F.col("clicks") >= limit + 1).select("page", *columns, "clicks")

    said = F.from_json(F.col("value").cast("string"), "pageId STRING, eventTime STRING")
    clicks = records.select(said.alias("s")).select(
        F.col("s")["pageId"].alias("page"),
        F.try_to_timestamp(F.col("s")["eventTime"]).alias("event_time"),
    )
    in_time = clicks.withWatermark("event_time", "5 seconds").where(~F.isnull("page"))
    counts = in_time.groupBy("page", F.window("event_time", "5 seconds")).agg(
        F.count("page").alias("clicks")
    )
    return told(counts, int(spark.conf.get("shop.limit")))


def _clicks(records: DataFrame, *more: str) -> DataFrame:
    click = F.from_json(F.col("value").cast("string"), "pageId STRING, eventTime TIMESTAMP")
    return records.select(click.alias("c"), *more).select(
        F.col("c.pageId").alias("page"), F.col("c.eventTime").alias("event_time"), *more
    )


def _over(
    spark: SparkSession,
    clicks: DataFrame,
    delay: str = "5 seconds",
    over: Column | None = None,
) -> DataFrame:
    return _told(spark, clicks.withWatermark("event_time", delay), over)


def _told(spark: SparkSession, clicks: DataFrame, over: Column | None = None) -> DataFrame:
    counts = (
        clicks.where("page IS NOT NULL")
        .groupBy("page", F.window("event_time", "5 seconds"))
        .agg(F.count("*").alias("clicks"))
    )
    limit = int(spark.conf.get("shop.limit"))
    hot = counts.where(F.col("clicks") > limit if over is None else over)
    return hot.select("page", "window.start", "window.end", "clicks")


def wrong_as_patient_as_the_promise(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Ten seconds of patience: that is how soon the shop wants to know, and not how late a click may be."""
    return _over(spark, _clicks(records), "10 seconds")


def wrong_arrival_for_a_missing_time(spark: SparkSession, records: DataFrame) -> DataFrame:
    """A click without a time counts when it arrived; it is to count nowhere."""
    clicks = _clicks(records, "timestamp")
    at = F.coalesce("event_time", "timestamp")
    return _over(spark, clicks.withColumn("event_time", at))


def wrong_unknown_is_a_page(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Fills missing pages with a name, and so counts them as a page."""
    return _over(spark, _clicks(records).fillna("unknown", ["page"]))


def wrong_compared_as_text(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Compares count and limit as texts: 10 clicks are fewer than 3, and 10000 fewer than 5000."""
    over = F.col("clicks").cast("string") > F.lit(spark.conf.get("shop.limit"))
    return _over(spark, _clicks(records), over=over)


def wrong_rounded_to_seconds(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Rounds times to whole seconds: a click a millisecond before the edge goes over it."""
    seconds = F.timestamp_seconds(F.round(F.unix_millis("event_time") / 1000))
    return _over(spark, _clicks(records).withColumn("event_time", seconds))


def wrong_truncated_after_the_watermark(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Cuts times to seconds behind withWatermark: to the new column no watermark belongs."""
    timed = _clicks(records).withWatermark("event_time", "5 seconds")
    return _told(spark, timed.withColumn("event_time", F.date_trunc("second", "event_time")))


def wrong_names_of_the_result(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Reads the JSON by the names that the result has; in the JSON they are others."""
    click = F.from_json(F.col("value").cast("string"), "page STRING, event_time TIMESTAMP")
    return _over(spark, records.select(click.alias("c")).select("c.*"))


def wrong_one_more_than_over(spark: SparkSession, records: DataFrame) -> DataFrame:
    """More than the limit and one: the click with which a page goes over is not enough."""
    limit = int(spark.conf.get("shop.limit"))
    return _over(spark, _clicks(records), over=F.col("clicks") > limit + 1)


def wrong_only_what_is_beyond(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Tells how many clicks are over the limit, and not how many there are."""
    limit = int(spark.conf.get("shop.limit"))
    hot = _over(spark, _clicks(records))
    return hot.withColumn("clicks", F.col("clicks") - limit)


def wrong_empty_is_no_page(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Leaves out pages that are empty texts as well: clicks with "pageId": "" do not lack a page, and are in no count."""
    return _over(spark, _clicks(records).where("page <> ''"))


def wrong_pages_made_tidy(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Lower case, and no spaces at the ends: two clicks on /Tea and two on /tea are over a limit of 3."""
    return _over(spark, _clicks(records).withColumn("page", F.lower(F.trim("page"))))


def wrong_nothing_arrives_before_it_is_clicked(
    spark: SparkSession, records: DataFrame
) -> DataFrame:
    """Leaves out clicks that are later than their record's timestamp: whose clock is fast has no clicks."""
    return _over(spark, _clicks(records, "timestamp").where("event_time <= timestamp"))


def wrong_a_day_late_is_too_late(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Leaves out what was on its way for a day, although the watermark would let it count."""
    fresh = "timestamp <= event_time + INTERVAL 1 DAY"
    return _over(spark, _clicks(records, "timestamp").where(fresh))


def wrong_pages_without_their_query(spark: SparkSession, records: DataFrame) -> DataFrame:
    """Cuts a page off at its question mark, and so counts clicks of several pages as of one."""
    page = F.substring_index("page", "?", 1)
    return _over(spark, _clicks(records).withColumn("page", page))
