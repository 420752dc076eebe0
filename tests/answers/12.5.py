"""Answers to 12.5: latency by minute, measured in other ways, right and wrong."""

import json
from typing import Any

import pandas as pd
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _made() -> Column:
    return F.get_json_object(F.col("value").cast("string"), "$.made").cast("long")


def _latencies(results: DataFrame) -> DataFrame:
    return results.select("timestamp", (F.unix_millis("timestamp") - _made()).alias("latency"))


def _by_minute(latencies: DataFrame, **but: Column) -> DataFrame:
    """The report of a column `latency`, but for the columns that `but` gives."""
    latency = F.col("latency")
    columns = {
        "records": F.count("*"),
        "slow": F.count_if(latency > 1000),
        "negative": F.count_if(latency < 0),
        "unknown": F.count_if(latency.isNull()),
        "worst": F.max(F.when(latency >= 0, latency)),
    } | but
    return (
        latencies.withWatermark("timestamp", "10 seconds")
        .groupBy(F.window("timestamp", "1 minute"))
        .agg(*(column.alias(name) for name, column in columns.items()))
    )


def right_with_a_variant(results: DataFrame) -> DataFrame:
    """Reads the value as a variant, which is null where it is no JSON; counts what `when` leaves."""
    parsed = F.try_parse_json(F.col("value").cast("string"))
    made = F.try_variant_get(parsed, "$.made", "long")
    latency = F.col("latency")
    return (
        results.withWatermark("timestamp", "10 seconds")
        .withColumn("latency", F.unix_millis("timestamp") - made)
        .groupBy(F.window("timestamp", "1 minute"))
        .agg(
            F.count(F.lit(1)).alias("records"),
            F.count(F.when(latency > 1000, 1)).alias("slow"),
            F.count(F.when(latency < 0, 1)).alias("negative"),
            F.count(F.when(latency.isNull(), 1)).alias("unknown"),
            F.max(F.when(latency >= 0, latency)).alias("worst"),
        )
    )


def right_by_a_function_in_python(results: DataFrame) -> DataFrame:
    """A pandas UDF that tries json.loads on each value."""

    def made_in(value: Any) -> int | None:
        try:
            made = json.loads(value)["made"]
        except (TypeError, ValueError, KeyError, IndexError):
            return None
        return made if isinstance(made, int) else None

    @F.pandas_udf("long")
    def made_of(values: pd.Series) -> pd.Series:
        return pd.Series([made_in(value) for value in values], dtype="Int64")

    texts = results.select("timestamp", F.col("value").cast("string").alias("text"))
    latency = F.unix_millis("timestamp") - made_of("text")
    return _by_minute(texts.select("timestamp", latency.alias("latency")))


def right_by_the_difference_of_times(results: DataFrame) -> DataFrame:
    """Makes a time of `made`, and takes the difference of two times in milliseconds."""
    parsed = F.from_json(F.col("value").cast("string"), "made BIGINT")
    timed = results.select("timestamp", F.timestamp_millis(parsed["made"]).alias("made_at"))
    latency = F.timestamp_diff("MILLISECOND", "made_at", "timestamp")
    return _by_minute(timed.withColumn("latency", latency).drop("made_at"))


def right_kind_by_kind(results: DataFrame) -> DataFrame:
    """Gives every record a kind, and counts the kinds; unknown is what is left of all."""
    latency = F.col("latency")
    kind = (
        F.when(latency.isNull(), "unknown")
        .when(latency < 0, "negative")
        .when(latency <= 1000, "quick")
        .otherwise("slow")
    )
    kinds = _latencies(results).withColumn("kind", kind).withWatermark("timestamp", "10 seconds")
    good = F.col("kind").isin("quick", "slow")
    counts = kinds.groupBy(F.window("timestamp", "60 seconds")).agg(
        F.count("kind").alias("records"),
        F.sum((F.col("kind") == "slow").cast("int")).alias("slow"),
        F.sum(F.when(F.col("kind") == "negative", 1).otherwise(0)).alias("negative"),
        F.count_if(good).alias("quick_or_slow"),
        F.max(F.when(good, latency)).alias("worst"),
    )
    unknown = F.col("records") - F.col("quick_or_slow") - F.col("negative")
    return counts.withColumn("unknown", unknown).drop("quick_or_slow")


def right_seconds_with_a_point(results: DataFrame) -> DataFrame:
    """The time as seconds with a point, times a thousand, rounded: whole milliseconds again."""
    millis = F.round(F.col("timestamp").cast("double") * 1000).cast("long")
    made = F.json_tuple(F.col("value").cast("string"), "made").alias("made")
    rows = results.select("timestamp", made).withColumn(
        "latency", millis - F.col("made").cast("long")
    )
    return _by_minute(rows, worst=F.expr("max(latency) FILTER (WHERE latency >= 0)"))


def wrong_in_microseconds(results: DataFrame) -> DataFrame:
    """Microseconds against a limit in milliseconds: nearly every record is slow, and worst too large."""
    latency = F.unix_micros("timestamp") - _made() * 1000
    return _by_minute(results.select("timestamp", latency.alias("latency")))


def wrong_until_now(results: DataFrame) -> DataFrame:
    """The age of a record when the report is made, not when it was written."""
    latency = F.unix_millis(F.current_timestamp()) - _made()
    return _by_minute(results.select("timestamp", latency.alias("latency")))


def wrong_made_less_written(results: DataFrame) -> DataFrame:
    """The difference the other way round."""
    latency = _made() - F.unix_millis("timestamp")
    return _by_minute(results.select("timestamp", latency.alias("latency")))


def wrong_zero_is_no_latency(results: DataFrame) -> DataFrame:
    """worst of those above 0: in a minute with a latency of 0 and a negative one it is null."""
    latency = F.col("latency")
    return _by_minute(_latencies(results), worst=F.max(F.when(latency > 0, latency)))


def wrong_no_worst_is_zero(results: DataFrame) -> DataFrame:
    """0 for worst where there is none; null is asked for."""
    latency = F.col("latency")
    worst = F.coalesce(F.max(F.when(latency >= 0, latency)), F.lit(0))
    return _by_minute(_latencies(results), worst=worst)


def wrong_unknown_is_slow(results: DataFrame) -> DataFrame:
    """`otherwise` takes what is null, too: unknown records count as slow."""
    slow = F.sum(F.when(F.col("latency") <= 1000, 0).otherwise(1))
    return _by_minute(_latencies(results), slow=slow)


def wrong_negative_is_unknown(results: DataFrame) -> DataFrame:
    """Has the negative ones among the unknown, as nobody can say how long they took.

    A record is of one kind: of those it can be said that they are negative.
    """
    unknown = F.count_if(F.col("latency").isNull() | (F.col("latency") < 0))
    return _by_minute(_latencies(results), unknown=unknown)


def wrong_values_counted(results: DataFrame) -> DataFrame:
    """Counts values: a record whose value is null is none then; "of whatever kind"."""
    latency = F.unix_millis("timestamp") - _made()
    rows = results.select("timestamp", "value", latency.alias("latency"))
    return _by_minute(rows, records=F.count("value"))


def wrong_fails_on_no_json(results: DataFrame) -> DataFrame:
    """from_json with FAILFAST: one value that is no JSON ends the query."""
    text = F.col("value").cast("string")
    parsed = F.from_json(text, "made LONG", {"mode": "FAILFAST"})
    latency = F.unix_millis("timestamp") - parsed["made"]
    return _by_minute(results.select("timestamp", latency.alias("latency")))


def wrong_minute_cut_off(results: DataFrame) -> DataFrame:
    """date_trunc in place of the window: no watermark ends such a group, and append mode refuses it."""
    minute = F.struct(
        F.date_trunc("minute", "timestamp").alias("start"),
        (F.date_trunc("minute", "timestamp") + F.expr("INTERVAL 1 MINUTE")).alias("end"),
    ).alias("window")
    latency = F.col("latency")
    timed = _latencies(results).withWatermark("timestamp", "10 seconds")
    return timed.groupBy(minute).agg(
        F.count("*").alias("records"),
        F.count_if(latency > 1000).alias("slow"),
        F.count_if(latency < 0).alias("negative"),
        F.count_if(latency.isNull()).alias("unknown"),
        F.max(F.when(latency >= 0, latency)).alias("worst"),
    )


def wrong_minutes_of_each_page(results: DataFrame) -> DataFrame:
    """A row for each minute and page; "a row for each minute"."""
    page = F.get_json_object(F.col("value").cast("string"), "$.page").alias("page")
    rows = results.select(
        "timestamp", page, (F.unix_millis("timestamp") - _made()).alias("latency")
    )
    latency = F.col("latency")
    return (
        rows.withWatermark("timestamp", "10 seconds")
        .groupBy(F.window("timestamp", "1 minute"), "page")
        .agg(
            F.count("*").alias("records"),
            F.count_if(latency > 1000).alias("slow"),
            F.count_if(latency < 0).alias("negative"),
            F.count_if(latency.isNull()).alias("unknown"),
            F.max(F.when(latency >= 0, latency)).alias("worst"),
        )
        .drop("page")
    )


def right_seconds_as_decimals(results: DataFrame) -> DataFrame:
    """The time as seconds with three places, exactly, a thousand times; minutes counted in SQL."""
    timed = results.withWatermark("timestamp", "10 seconds")
    return results.sparkSession.sql(
        """
        WITH measured AS (
            SELECT window(timestamp, '1 minute') AS window,
                   CAST(CAST(timestamp AS DECIMAL(20, 3)) * 1000 AS BIGINT)
                       - from_json(CAST(value AS STRING), 'made BIGINT').made AS ms
            FROM {timed}
        )
        SELECT window,
               count(*) AS records,
               count(CASE WHEN ms > 1000 THEN 1 END) AS slow,
               count(CASE WHEN ms < 0 THEN 1 END) AS negative,
               count(*) - count(ms) AS unknown,
               max(CASE WHEN ms >= 0 THEN ms END) AS worst
        FROM measured GROUP BY window
        """,
        timed=timed,
    )


def right_a_summary_in_a_struct(results: DataFrame) -> DataFrame:
    """One aggregate into a struct, whose fields become the columns; microseconds, floored to milliseconds."""
    made = F.json_tuple(F.col("value").cast("string"), "made").alias("made")
    rows = results.withWatermark("timestamp", "10 seconds").select("timestamp", made)
    millis = F.floor(F.unix_micros("timestamp") / 1000)
    rows = rows.select("timestamp", (millis - F.col("made").try_cast("long")).alias("ms"))
    ms = F.col("ms")
    summary = F.struct(
        F.count(F.lit(True)).alias("records"),
        F.count_if(ms > 1000).alias("slow"),
        F.count_if(ms < 0).alias("negative"),
        F.count_if(F.isnull(ms)).alias("unknown"),
        F.max(F.when(ms > -1, ms)).alias("worst"),
    )
    minute = F.window("timestamp", "60 seconds", "60 seconds")
    return rows.groupBy(minute).agg(summary.alias("s")).select("window", "s.*")


def wrong_by_a_pattern(results: DataFrame) -> DataFrame:
    """Looks for "made": and digits in the text, wherever they stand.

    {"click": {"made": 1772366400080}, "made": 1772366405080} was made five seconds later than that finds.
    """
    text = F.col("value").cast("string")
    made = F.regexp_extract(text, r'"made"\s*:\s*(-?\d+)', 1).try_cast("long")
    latency = F.unix_millis("timestamp") - made
    return _by_minute(results.select("timestamp", latency.alias("latency")))


def wrong_last_digits(results: DataFrame) -> DataFrame:
    """The last thirteen characters before the brace, as in the example: `made` may not stand last.

    {"made": 1772366405080, "page": "tea"} is unknown then.
    """
    made = F.regexp_extract(F.col("value").cast("string"), r"(\d{13})\}$", 1).try_cast("long")
    latency = F.unix_millis("timestamp") - made
    return _by_minute(results.select("timestamp", latency.alias("latency")))
