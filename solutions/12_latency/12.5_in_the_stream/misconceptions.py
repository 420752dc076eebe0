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
    """Minutes by the clock of those who made the records

    The windows are those of `made`. A record from a clock that is ahead moves the watermark with it, those without `made`
    belong to no window, and a minute is over while its slowest records are still on their way: they are dropped as late.
    """
    latencies = _latencies(results).withColumn("made_at", F.timestamp_millis("made"))
    return _told(latencies, time="made_at")


def whole_seconds(results: DataFrame) -> DataFrame:
    """Kafka's time without its milliseconds

    The worst latencies are too small, by up to a second. A timestamp cast to a whole number counts seconds, and what
    stood behind the point is gone.
    """
    latencies = _latencies(results).withColumn(
        "latency", F.col("timestamp").cast("long") * 1000 - F.col("made")
    )
    return _told(latencies)


def only_what_can_be_measured(results: DataFrame) -> DataFrame:
    """Records without a latency are left out

    `unknown` is 0 and `records` too few. What has no `made` was thrown out before it could be counted, and
    nobody will ask why there are fewer of them each day.
    """
    return _told(_latencies(results).where(F.col("latency").isNotNull()))


def too_long_for_an_int(results: DataFrame) -> DataFrame:
    """Nothing is known of any record

    Every record is `unknown`: `made` came out as null for all of them. If it was read as an INT: milliseconds since 1970 do
    not fit into one, and `from_json` makes null of what does not fit. If not, it was looked for where it is not: a
    name has to be as in the JSON, letter by letter, and the path of `get_json_object` begins with a `$`.
    """
    parsed = F.from_json(F.col("value").cast("string"), "made INT")
    latency = F.unix_millis("timestamp") - parsed["made"]
    return _told(results.select("timestamp", latency.alias("latency")))


def unknown_as_no_time(results: DataFrame) -> DataFrame:
    """Unknown is not zero

    `unknown` is 0, and a minute in which nothing could be measured has a worst latency of 0. Records
    without `made` were given the latency of a perfect one.
    """
    return _told(_latencies(results).withColumn("latency", F.coalesce("latency", F.lit(0))))


def distance_of_the_clocks(results: DataFrame) -> DataFrame:
    """A negative latency with its sign taken off

    `negative` is 0, and records from a clock that is ahead stand among the slow ones. By how much the clocks differ
    says nothing about the time that a record took.
    """
    return _told(_latencies(results).withColumn("latency", F.abs("latency")))


def negative_ones_clamped(results: DataFrame) -> DataFrame:
    """Negative latencies set to 0

    `negative` is 0: those records count as ones that took no time at all, and nobody hears that a clock is wrong.
    """
    return _told(_latencies(results).withColumn("latency", F.greatest("latency", F.lit(0))))


def the_budget_itself_is_slow(results: DataFrame) -> DataFrame:
    """A record of exactly 1,000 ms

    A record of exactly 1,000 ms counts as slow; the task calls slow what takes *more* than that.
    """
    return _told(_latencies(results), limit="latency >= 1000")


def worst_of_all_clocks(results: DataFrame) -> DataFrame:
    """A worst latency below zero

    In a minute with nothing but negative latencies `worst` is one of them. There is no latency to be the worst: null.
    """
    return _told(_latencies(results), worst=F.max("latency"))


def no_watermark(results: DataFrame) -> DataFrame:
    """No minute would ever be over

    In append mode a row waits until it is final. Only a watermark on the column of the windows says when that
    is, so Spark refuses a query that has none there.
    """
    return _told(_latencies(results), delay=None)


def patience_of_a_minute(results: DataFrame) -> DataFrame:
    """More patience than asked for

    After step 1 the watermark stood {steps.1.delay} behind the newest record; {asked.steps.1.delay} are asked
    for. A report on latency comes later than it could.
    """
    return _told(_latencies(results), delay="1 minute")
