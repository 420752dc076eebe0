"""Ways to measure a latency that is not there."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _latencies(results: DataFrame) -> DataFrame:
    made = F.get_json_object(F.col("value").cast("string"), "$.made").cast("long")
    return results.select("timestamp", made.alias("made")).withColumn(
        "latency", F.unix_millis("timestamp") - F.col("made")
    )


def _told(
    latencies: DataFrame,
    *,
    time: str = "timestamp",
    delay: str | None = "10 seconds",
    limit: str = "latency > 1000",
    worst: Column | None = None,
) -> DataFrame:
    if delay is not None:
        latencies = latencies.withWatermark(time, delay)
    if worst is None:
        worst = F.max(F.when(F.col("latency") >= 0, F.col("latency")))
    return latencies.groupBy(F.window(time, "1 minute")).agg(
        F.count("*").alias("records"),
        F.count_if(F.expr(limit)).alias("slow"),
        F.count_if(F.col("latency") < 0).alias("negative"),
        F.count_if(F.col("latency").isNull()).alias("unknown"),
        worst.alias("worst"),
    )


def minutes_of_the_makers(results: DataFrame) -> DataFrame:
    """Windows by the time in the value

    The windows are windows of `made`. A record from a clock that is ahead advances the watermark,
    and records without `made` belong to no window. The slowest records are dropped as late,
    because their minute has closed before they arrive. Which of the two times advances steadily?
    """
    latencies = _latencies(results).withColumn("made_at", F.timestamp_millis("made"))
    return _told(latencies, time="made_at")


def whole_seconds(results: DataFrame) -> DataFrame:
    """Timestamp without its milliseconds

    The worst latencies are too small, by up to a second. A timestamp that is cast to an integer
    counts seconds, and the fraction is lost. Which function gives milliseconds?
    """
    latencies = _latencies(results).withColumn(
        "latency", F.col("timestamp").cast("long") * 1000 - F.col("made")
    )
    return _told(latencies)


def only_what_can_be_measured(results: DataFrame) -> DataFrame:
    """Records without a latency left out

    `unknown` is 0, and `records` is too small. Records without `made` were filtered out before
    they were counted. Which step removes them?
    """
    return _told(_latencies(results).where(F.col("latency").isNotNull()))


def too_long_for_an_int(results: DataFrame) -> DataFrame:
    """No latency for any record

    Every record is `unknown`: `made` is null for all of them. If it is parsed as an INT:
    milliseconds since 1970 do not fit, and `from_json` returns null. If not: the name has to
    match the JSON exactly, and the path of `get_json_object` begins with `$`. Which of the two is
    it?
    """
    parsed = F.from_json(F.col("value").cast("string"), "made INT")
    latency = F.unix_millis("timestamp") - parsed["made"]
    return _told(results.select("timestamp", latency.alias("latency")))


def unknown_as_no_time(results: DataFrame) -> DataFrame:
    """Unknown latency counted as 0

    `unknown` is 0, and a minute in which nothing could be measured has a worst latency of 0.
    Records without `made` have the latency of a perfect record. Where does null become 0?
    """
    return _told(_latencies(results).withColumn("latency", F.coalesce("latency", F.lit(0))))


def distance_of_the_clocks(results: DataFrame) -> DataFrame:
    """Sign of a negative latency removed

    `negative` is 0, and records from a clock that is ahead count among the slow ones. The
    difference of two clocks is not the time that a record took. Where does the sign get lost?
    """
    return _told(_latencies(results).withColumn("latency", F.abs("latency")))


def negative_ones_clamped(results: DataFrame) -> DataFrame:
    """Negative latencies set to 0

    `negative` is 0: those records count as if they took no time, and the wrong clock stays
    hidden. Where does a negative number become 0?
    """
    return _told(_latencies(results).withColumn("latency", F.greatest("latency", F.lit(0))))


def the_budget_itself_is_slow(results: DataFrame) -> DataFrame:
    """Record of exactly 1,000 ms counted as slow

    A record of exactly 1,000 ms counts as slow; the task says *more than* 1,000 ms. Which
    comparison leaves the limit out?
    """
    return _told(_latencies(results), limit="latency >= 1000")


def worst_of_all_clocks(results: DataFrame) -> DataFrame:
    """Worst latency below zero

    In a minute with negative latencies only, `worst` is one of them. The task takes the largest
    latency that is 0 or more, and null if there is none. Which records does your maximum include?
    """
    return _told(_latencies(results), worst=F.max("latency"))


def no_watermark(results: DataFrame) -> DataFrame:
    """No watermark on the grouping column

    In append mode a row waits until it is final. Only a watermark on the column of the windows
    decides that, so Spark refuses a query without one. On which column do you need it, and do you
    group by `F.window` of that column?
    """
    return _told(_latencies(results), delay=None)


def patience_of_a_minute(results: DataFrame) -> DataFrame:
    """Watermark delay longer than required

    After step 1 the watermark was {steps.1.delay} behind the newest record; {asked.steps.1.delay}
    are required. The report is emitted later than it could be. Which delay does the task give?
    """
    return _told(_latencies(results), delay="1 minute")


def the_first_made_in_the_text(results: DataFrame) -> DataFrame:
    """First `made` in the text instead of the field

    A value can contain other objects with a `made` of their own. Your function took the first
    `made` in the text, and the latency of that record is too large. The task means the field of
    the outer object. Which function reads a field by its path?
    """
    text = F.col("value").cast("string")
    made = F.regexp_extract(text, '"made": *([0-9]+)', 1)
    latency = F.unix_millis("timestamp") - F.when(made != "", made.cast("long"))
    return _told(results.select("timestamp", latency.alias("latency")))


def no_delay(results: DataFrame) -> DataFrame:
    """Watermark delay of 0

    After step 1 the watermark was {steps.1.delay} behind the newest record; {asked.steps.1.delay}
    are required. A record within the allowed delay was dropped, because its minute had closed.
    Which delay does the task give?
    """
    return _told(_latencies(results), delay="0 seconds")


def unknown_is_slow(results: DataFrame) -> DataFrame:
    """Unknown latency counted as slow

    Records without a latency are in `slow`. A comparison with null is null, and `otherwise` takes
    it for false. In which of the counts does such a record belong?
    """
    return _told(_latencies(results), limit="NOT coalesce(latency <= 1000, false)")


def zero_is_no_latency(results: DataFrame) -> DataFrame:
    """Latency of 0 left out of `worst`

    In a minute with a latency of 0 `worst` is null. The task takes latencies of 0 *or more*.
    Which comparison includes 0?
    """
    worst = F.max(F.when(F.col("latency") > 0, F.col("latency")))
    return _told(_latencies(results), worst=worst)
