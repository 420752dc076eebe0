"""Ways in which two sources disagree about the time."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

_POLICY = "spark.sql.streaming.multipleWatermarkPolicy"


def _count(clicks: DataFrame) -> DataFrame:
    return clicks.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


def waits_for_the_silent_one(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The silent kiosk holds the whole query back

    After step 2, in which the kiosk was silent, the watermark stood at {steps.2.watermark}, where
    the kiosk had left it; by the web it would be {asked.steps.2.watermark}. Each stream has its
    watermark, and Spark takes the smaller of the two unless told otherwise. The task would rather
    go on. Which setting decides that? (If you set it, compare its name letter by letter: Spark
    takes an unknown name without a word.)
    """
    return _count(
        web.withWatermark("event_time", "10 seconds").unionByName(
            kiosk.withWatermark("event_time", "1 minute")
        )
    )


def ten_seconds_for_both(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """One delay for two sources

    After step 4, in which the kiosk was ahead, the watermark stood at {steps.4.watermark}: the
    web's ten seconds behind a click of the kiosk. The kiosk was granted a minute, which gives
    {asked.steps.4.watermark}. If there is one watermark, behind the union: where does it have to
    stand to know its stream? If there are two: which delay has the kiosk's?
    """
    return _count(web.unionByName(kiosk).withWatermark("event_time", "10 seconds"))


def a_minute_for_both(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The patience of the slower source for both

    After step 2, in which only the web spoke, the watermark stood at {steps.2.watermark}: the
    kiosk's minute behind a click of the web. The web waits ten seconds, which gives
    {asked.steps.2.watermark}. Each source has a patience of its own. If there is one watermark,
    behind the union: where does it have to stand to know its stream? If there are two: which delay
    has the web's?
    """
    return _count(web.unionByName(kiosk).withWatermark("event_time", "1 minute"))


def only_the_web_tells_time(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Only the web moved the watermark

    After step 4, in which only the kiosk spoke, the watermark stood at {steps.4.watermark}, where
    the web had left it; by the kiosk it would be {asked.steps.4.watermark}. A stream without a
    watermark of its own is counted, and never moves the time on; one with too long a delay does
    it too late. How long may a click of the kiosk be behind?
    """
    spark.conf.set(_POLICY, "max")
    return _count(web.withWatermark("event_time", "10 seconds").unionByName(kiosk))


def kiosk_left_out(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The troublesome source was left out

    Without the kiosk nothing holds the watermark back, and nothing of the kiosk is counted
    either. The task wants the clicks of both.
    """
    return _count(web.withWatermark("event_time", "10 seconds"))


def delays_swapped(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The delays stand at the wrong streams

    After step 2, in which only the web spoke, the watermark stood at {steps.2.watermark}, a minute
    behind its click; it should stand at {asked.steps.2.watermark}. After step 4, in which only the
    kiosk spoke, it stood at {steps.4.watermark}, ten seconds behind; it should stand at
    {asked.steps.4.watermark}. Which stream was granted a minute?
    """
    spark.conf.set(_POLICY, "max")
    return _count(
        web.withWatermark("event_time", "1 minute").unionByName(
            kiosk.withWatermark("event_time", "10 seconds")
        )
    )


def counted_before_the_union(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Each source counted by itself

    A window came out twice, once with the clicks of each source. If you count before the union:
    two counts put under each other are not one count; let the clicks come together first.
    If you count behind it: the source, as a key of groupBy, splits the count again.
    """
    spark.conf.set(_POLICY, "max")
    of_web = _count(web.withWatermark("event_time", "10 seconds"))
    return of_web.unionByName(_count(kiosk.withWatermark("event_time", "1 minute")))


def copies_taken_out(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Two clicks that look the same counted as one

    The window that was over in step 2 came out with a click too few. The web and the kiosk have
    one each of the same page and second, and only one of the two was counted. Does anything on
    the way take out rows that look the same: UNION in SQL without ALL, distinct, dropDuplicates?
    """
    spark.conf.set(_POLICY, "max")
    both = web.withWatermark("event_time", "10 seconds").unionByName(
        kiosk.withWatermark("event_time", "1 minute")
    )
    return _count(both.distinct())


def counted_by_page(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Counted by page, too

    Each window comes out once for each page. In the last exercise the page was one of the keys;
    this one asks for one number a window.
    """
    spark.conf.set(_POLICY, "max")
    both = web.withWatermark("event_time", "10 seconds").unionByName(
        kiosk.withWatermark("event_time", "1 minute")
    )
    counts = both.groupBy(F.window("event_time", "5 minutes"), "page")
    return counts.agg(F.count("*").alias("clicks"))
