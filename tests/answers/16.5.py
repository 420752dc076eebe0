"""Answers to 16.5: other ways from silver to gold, and what is not gold."""

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F


def right_places_as_text(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """A set of texts, partition and offset with a colon between; nulls are left out by both columns."""
    place = F.concat_ws(":", "partition", "offset")
    counts = (
        silver.where(F.col("page").isNotNull() & F.col("event_time").isNotNull())
        .groupBy(F.window("event_time", "5 seconds").alias("w"), "page")
        .agg(F.array_size(F.collect_set(place)).alias("clicks"))
    )
    over = counts.where(F.col("clicks") > F.lit(spark.conf.get("shop.limit")).cast("int"))
    return over.select("page", "w.start", "w.end", "clicks")


def right_list_without_its_copies(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Collects all places in a list, and leaves copies out of that."""
    limit = int(spark.conf.get("shop.limit"))
    places = F.array_distinct(F.collect_list(F.struct("offset", "partition")))
    return (
        silver.groupBy(F.window("event_time", "5 seconds"), F.col("page"))
        .agg(F.size(places).cast("bigint").alias("clicks"))
        .where(~F.isnull("page"))
        .select("page", "window.*", "clicks")
        .where(f"clicks > {limit}")
    )


def right_set_in_sql(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """SQL with a common table expression and a parameter; the set is one of whole rows of silver."""
    silver.createOrReplaceTempView("silver_rows")
    return spark.sql(
        """
        WITH counts AS (
            SELECT page, window.start, window.end,
                   cardinality(collect_set(struct(partition, offset, event_time, arrived))) AS clicks
            FROM silver_rows WHERE page IS NOT NULL
            GROUP BY page, window(event_time, '5 seconds')
        )
        SELECT * FROM counts WHERE clicks > :most
        """,
        args={"most": int(spark.conf.get("shop.limit"))},
    )


def right_counted_one_by_one(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Sorts the set of places, and counts them one by one."""
    one_by_one = F.aggregate(
        F.array_sort(F.collect_set(F.array(F.col("partition").cast("long"), F.col("offset")))),
        F.lit(0).cast("long"),
        lambda so_far, _place: so_far + 1,
    )
    return (
        silver.filter("page IS NOT NULL")
        .groupBy("page", F.window(timeColumn="event_time", windowDuration="5 seconds"))
        .agg(one_by_one.alias("clicks"))
        .filter(F.col("clicks") >= int(spark.conf.get("shop.limit")) + 1)
        .withColumn("start", F.col("window.start"))
        .withColumn("end", F.col("window.end"))
        .select("page", "start", "end", "clicks")
    )


def right_with_a_watermark_of_no_use(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """A watermark before the count: in complete mode, and on a table, nothing is dropped by it."""
    places = F.collect_set(F.struct("partition", "offset"))
    return (
        silver.withWatermark("event_time", "5 seconds")
        .where("page IS NOT NULL")
        .groupBy("page", F.window("event_time", "5 seconds"))
        .agg(F.size(places).alias("clicks"))
        .where(F.col("clicks") > int(spark.conf.get("shop.limit")))
        .select("page", "window.start", "window.end", "clicks")
    )


def _gold(spark: SparkSession, silver: DataFrame, clicks: Column) -> DataFrame:
    counts = (
        silver.where("page IS NOT NULL")
        .groupBy("page", F.window("event_time", "5 seconds"))
        .agg(clicks.cast("long").alias("clicks"))
    )
    over = counts.where(F.col("clicks") > int(spark.conf.get("shop.limit")))
    return over.select("page", "window.start", "window.end", "clicks")


def _places() -> Column:
    return F.size(F.collect_set(F.struct("partition", "offset")))


def wrong_copies_within_a_watermark(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """dropDuplicatesWithinWatermark: it drops copies, and with them what comes late."""
    timed = silver.withWatermark("event_time", "5 seconds")
    once = timed.dropDuplicatesWithinWatermark(["partition", "offset"])
    return _gold(spark, once, F.count("*"))


def wrong_a_list_and_no_set(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """collect_list keeps both of two that are equal."""
    return _gold(spark, silver, F.size(F.collect_list(F.struct("partition", "offset"))))


def wrong_one_click_a_moment_and_partition(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Partition and time in place of partition and offset: two clicks in a moment are one."""
    return _gold(spark, silver, F.size(F.collect_set(F.struct("partition", "event_time"))))


def wrong_by_arrival(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Partition and arrival for a place: what the broker took in together is one."""
    return _gold(spark, silver, F.size(F.collect_set(F.struct("partition", "arrived"))))


def wrong_places_run_together(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Partition and offset as one text with nothing between: 1 and 1500 are 11 and 500."""
    return _gold(spark, silver, F.size(F.collect_set(F.concat("partition", "offset"))))


def wrong_places_added_up(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Adds partition and offset: 0 and 1 is the same as 1 and 0."""
    return _gold(spark, silver, F.size(F.collect_set(F.col("partition") + F.col("offset"))))


def wrong_only_about(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """approx_count_distinct, as Spark's error offers."""
    return _gold(spark, silver, F.approx_count_distinct(F.struct("partition", "offset"), 0.01))


def wrong_arrival_for_a_missing_time(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """A click without a time counts when it arrived."""
    at = F.coalesce("event_time", "arrived")
    return _gold(spark, silver.withColumn("event_time", at), _places())


def wrong_compared_before_copies_are_out(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Holds the number of rows against the limit, and tells the number of places."""
    counts = (
        silver.where("page IS NOT NULL")
        .groupBy("page", F.window("event_time", "5 seconds"))
        .agg(F.count("*").alias("written"), _places().alias("clicks"))
        .where(F.col("written") > int(spark.conf.get("shop.limit")))
    )
    return counts.select("page", "window.start", "window.end", "clicks")


def wrong_from_first_to_last_offset(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Takes the way from the smallest offset to the largest for a count: others lie between."""
    return _gold(spark, silver, F.max("offset") - F.min("offset") + 1)


def wrong_compared_as_text(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Compares count and limit as texts: 23 is less than 3."""
    counts = (
        silver.where("page IS NOT NULL")
        .groupBy("page", F.window("event_time", "5 seconds"))
        .agg(_places().cast("long").alias("clicks"))
    )
    over = counts.where(F.col("clicks").cast("string") > F.lit(spark.conf.get("shop.limit")))
    return over.select("page", "window.start", "window.end", "clicks")


def wrong_a_window_of_no_time(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Works the window out, and leaves clicks without a time in: four of them on one page are a row without a start."""
    start = F.timestamp_seconds(F.floor(F.unix_seconds("event_time") / 5) * 5)
    counts = (
        silver.where("page IS NOT NULL")
        .groupBy("page", start.alias("start"))
        .agg(F.size(F.collect_set(F.struct("partition", "offset"))).alias("clicks"))
    )
    over = counts.where(F.col("clicks") > int(spark.conf.get("shop.limit")))
    end = F.col("start") + F.expr("INTERVAL 5 SECONDS")
    return over.select("page", "start", end.alias("end"), "clicks")


def wrong_copies_in_a_row_only(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Takes a record for a copy if the one before it in the list has the same place: 1, 2, 1 are three."""
    places = F.collect_list(F.struct("partition", "offset"))
    counts = (
        silver.where("page IS NOT NULL")
        .groupBy("page", F.window("event_time", "5 seconds"))
        .agg(places.alias("places"))
    )
    new = "filter(places, (place, i) -> i = 0 OR place <> places[greatest(i - 1, 0)])"
    told = counts.selectExpr("page", "window.start", "window.end", f"bigint(size({new})) AS clicks")
    return told.where(F.col("clicks") > int(spark.conf.get("shop.limit")))


def wrong_a_day_late_is_too_late(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Leaves out what came more than a day late; a click of Friday that arrives on Monday is to count."""
    return _gold(spark, silver.where("arrived <= event_time + INTERVAL 1 DAY"), _places())


def wrong_nothing_arrives_before_it_is_clicked(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Leaves out what arrived before it was clicked: where the sender's clock is a second behind, as it may be, clicks
    are missing."""
    return _gold(spark, silver.where("arrived >= event_time"), _places())


def wrong_pages_without_their_query(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Cuts a page off at its question mark, and so counts clicks of several pages as of one."""
    return _gold(spark, silver.withColumn("page", F.substring_index("page", "?", 1)), _places())


def wrong_pages_in_small_letters(spark: SparkSession, silver: DataFrame) -> DataFrame:
    """Makes pages tidy: /Tea and /tea are one."""
    return _gold(spark, silver.withColumn("page", F.lower("page")), _places())
