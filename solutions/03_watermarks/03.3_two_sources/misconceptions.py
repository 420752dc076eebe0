"""Ways in which two sources disagree about the time."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

_POLICY = "spark.sql.streaming.multipleWatermarkPolicy"


def _count(clicks: DataFrame) -> DataFrame:
    return clicks.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


def waits_for_the_silent_one(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The silent kiosk holds the whole query back

    Each stream has its watermark, and Spark took the smaller of the two, as it does unless
    told otherwise. A source that says nothing stays where it was, and the count waits with it.
    The task would rather go on. Which setting decides that?
    """
    return _count(
        web.withWatermark("event_time", "10 seconds").unionByName(
            kiosk.withWatermark("event_time", "1 minute")
        )
    )


def ten_seconds_for_both(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """One delay for two sources

    With one watermark behind the union both streams are treated alike: when the kiosk is
    ahead, its clicks push the time on with the web's ten seconds, and the minute that the
    kiosk was granted is gone. Where would a watermark have to stand to know its stream?
    """
    return _count(web.unionByName(kiosk).withWatermark("event_time", "10 seconds"))


def a_minute_for_both(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The patience of the slower source for both

    One watermark behind the union, with the longer of the two delays, loses little, but now
    every web click makes its rows wait a minute instead of ten seconds. Each source has a
    patience of its own. Where would a watermark have to stand to know its stream?
    """
    return _count(web.unionByName(kiosk).withWatermark("event_time", "1 minute"))


def only_the_web_tells_time(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Only the web moves the watermark

    The kiosk's clicks are counted, but the kiosk has no watermark of its own, so it can never
    move the time on. That works until the web is silent and only the kiosk speaks.
    """
    spark.conf.set(_POLICY, "max")
    return _count(web.withWatermark("event_time", "10 seconds").unionByName(kiosk))


def kiosk_left_out(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """The troublesome source was left out

    Without the kiosk nothing holds the watermark back, and nothing of the kiosk is counted
    either. The task wants the clicks of both.
    """
    return _count(web.withWatermark("event_time", "10 seconds"))
