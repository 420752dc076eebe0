"""Ways in which two sources get one wrong watermark."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

_POLICY = "spark.sql.streaming.multipleWatermarkPolicy"


def _count(clicks: DataFrame) -> DataFrame:
    return clicks.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


def waits_for_the_silent_one(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Watermark policy `min`: the silent kiosk holds the query back

    In step 2 the kiosk was silent. After it the watermark was {steps.2.watermark}, the kiosk's;
    expected {asked.steps.2.watermark}, the web's. Each stream has a watermark, and Spark takes
    the earlier one by default. Which setting changes that? If you set it, compare its name
    letter by letter, because Spark silently accepts an unknown name.
    """
    return _count(
        web.withWatermark("event_time", "10 seconds").unionByName(
            kiosk.withWatermark("event_time", "1 minute")
        )
    )


def ten_seconds_for_both(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """One delay of ten seconds for two sources

    In step 4 the kiosk was ahead. After it the watermark was {steps.4.watermark}, ten seconds
    behind a kiosk click; expected {asked.steps.4.watermark}, a minute behind. If you set one
    watermark after the union: Spark no longer knows there which stream a click came from. If
    you set two: which delay has the kiosk's?
    """
    return _count(web.unionByName(kiosk).withWatermark("event_time", "10 seconds"))


def a_minute_for_both(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """One delay of a minute for two sources

    In step 2 only the web sent clicks. After it the watermark was {steps.2.watermark}, a minute
    behind a web click; expected {asked.steps.2.watermark}, ten seconds behind. If you set one
    watermark after the union: Spark no longer knows there which stream a click came from. If
    you set two: which delay has the web's?
    """
    return _count(web.unionByName(kiosk).withWatermark("event_time", "1 minute"))


def only_the_web_tells_time(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Kiosk without a watermark of its own

    In step 4 only the kiosk sent clicks. After it the watermark was {steps.4.watermark}, the
    web's; expected {asked.steps.4.watermark}, the kiosk's. Spark counts a stream without a
    watermark, but such a stream never advances the watermark of the query. A stream with a
    longer delay advances it later. Which delay has the kiosk in your query?
    """
    spark.conf.set(_POLICY, "max")
    return _count(web.withWatermark("event_time", "10 seconds").unionByName(kiosk))


def kiosk_left_out(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Kiosk left out

    Without the kiosk nothing holds the watermark back, but no click of the kiosk is counted.
    Which streams must a row count?
    """
    return _count(web.withWatermark("event_time", "10 seconds"))


def delays_swapped(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Delays set on the wrong streams

    In step 2 only the web sent clicks. After it the watermark was {steps.2.watermark}, a minute
    behind; expected {asked.steps.2.watermark}. In step 4 only the kiosk sent clicks. After it
    the watermark was {steps.4.watermark}, ten seconds behind; expected
    {asked.steps.4.watermark}. Which stream has a delay of a minute in the task?
    """
    spark.conf.set(_POLICY, "max")
    return _count(
        web.withWatermark("event_time", "1 minute").unionByName(
            kiosk.withWatermark("event_time", "10 seconds")
        )
    )


def counted_before_the_union(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Separate count for each source

    Spark emitted a window twice, once with the clicks of each source. If you count before the
    union: a union of two counts does not add them up. If you count after the union: a grouping
    key such as the source splits the count again. Where must the count be, and which keys may
    it have?
    """
    spark.conf.set(_POLICY, "max")
    of_web = _count(web.withWatermark("event_time", "10 seconds"))
    return of_web.unionByName(_count(kiosk.withWatermark("event_time", "1 minute")))


def copies_taken_out(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Equal clicks counted once

    The window that closed in step 2 has 1 click fewer than expected. The web and the kiosk have
    a click with the same page and second, and only one of the two was counted. Which part of
    your query removes equal rows: UNION without ALL in SQL, distinct, dropDuplicates?
    """
    spark.conf.set(_POLICY, "max")
    both = web.withWatermark("event_time", "10 seconds").unionByName(
        kiosk.withWatermark("event_time", "1 minute")
    )
    return _count(both.distinct())


def counted_by_page(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Page as a second grouping key

    Spark emitted each window once for each page. In exercise 03.2 the page was a grouping key;
    this task requires 1 row per window. Which keys does your groupBy have?
    """
    spark.conf.set(_POLICY, "max")
    both = web.withWatermark("event_time", "10 seconds").unionByName(
        kiosk.withWatermark("event_time", "1 minute")
    )
    counts = both.groupBy(F.window("event_time", "5 minutes"), "page")
    return counts.agg(F.count("*").alias("clicks"))


def clicks_without_a_page_left_out(
    spark: SparkSession, web: DataFrame, kiosk: DataFrame
) -> DataFrame:
    """Clicks without a page left out

    The window that closed in step 2 has 1 click fewer than expected, and so has a later one. Clicks
    without a page are missing. A condition on a null is not true, `dropna` removes the row, and
    `count` of a column skips a null. Which part of your query looks at `page`?
    """
    spark.conf.set(_POLICY, "max")
    both = web.withWatermark("event_time", "10 seconds").unionByName(
        kiosk.withWatermark("event_time", "1 minute")
    )
    return _count(both.where(F.col("page").isNotNull()))
