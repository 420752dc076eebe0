"""Answers to 00.1: right answers by other routes, wrong ones that no misconception describes."""

from collections.abc import Iterable, Iterator

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

_COLUMNS = ["event_id", "page", "ms_on_page"]


def right_view_and_sql(clicks: DataFrame) -> DataFrame:
    """A temporary view, and the whole query as SQL text."""
    clicks.createOrReplaceTempView("all_clicks")
    return clicks.sparkSession.sql(
        "SELECT event_id, page, ms_on_page FROM all_clicks "
        "WHERE page IN ('/checkout') AND ms_on_page BETWEEN 30000 AND 2147483647"
    )


def right_semi_join(clicks: DataFrame) -> DataFrame:
    """The wanted page kept in a small table, a left semi join instead of a condition."""
    wanted = clicks.sparkSession.createDataFrame([("/checkout",)], "page STRING")
    long_enough = clicks.filter(~(F.col("ms_on_page") < 30_000))
    return long_enough.join(wanted, "page", "left_semi").select(*_COLUMNS)


def right_in_pandas(clicks: DataFrame) -> DataFrame:
    """Filtered in Python, table by table, with mapInPandas."""

    def keep(tables: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for table in tables:
            found = (table["page"] == "/checkout") & (table["ms_on_page"] >= 30_000)
            yield table.loc[found, _COLUMNS]

    return clicks.mapInPandas(keep, "event_id STRING, page STRING, ms_on_page INT")


def right_with_a_watermark_and_whole_seconds(clicks: DataFrame) -> DataFrame:
    """A watermark that nothing needs, whole seconds compared, a wider number, an observed count."""
    marked = clicks.withWatermark("event_time", "1 minute").withColumn(
        "seconds", F.floor(F.col("ms_on_page") / 1000)
    )
    kept = marked.filter("seconds >= '30' AND page <=> '/checkout'").observe(
        "kept", F.count(F.lit(1)).alias("rows")
    )
    return kept.select(F.col("ms_on_page").cast("long"), F.col("page"), F.col("event_id"))


def wrong_page_only_ends_so(clicks: DataFrame) -> DataFrame:
    """Any page whose path ends in /checkout"""
    return clicks.filter(
        F.col("page").endswith("/checkout") & (F.col("ms_on_page") >= 30_000)
    ).select(*_COLUMNS)


def wrong_case_ignored(clicks: DataFrame) -> DataFrame:
    """The page compared without regard to upper and lower case"""
    return clicks.filter((F.lower("page") == "/checkout") & (F.col("ms_on_page") >= 30_000)).select(
        *_COLUMNS
    )


def wrong_unknown_time_kept(clicks: DataFrame) -> DataFrame:
    """A click whose time on the page is unknown is kept"""
    long_enough = F.col("ms_on_page").isNull() | (F.col("ms_on_page") >= 30_000)
    return clicks.filter((F.col("page") == "/checkout") & long_enough).select(*_COLUMNS)


def wrong_outliers_cut_off(clicks: DataFrame) -> DataFrame:
    """Looks of more than ten minutes left out as "not real" """
    return clicks.filter(
        (F.col("page") == "/checkout") & F.col("ms_on_page").between(30_000, 600_000)
    ).select(*_COLUMNS)


def wrong_de_morgan(clicks: DataFrame) -> DataFrame:
    """What is not wanted described and negated, with & where | was due

    Drops only clicks that fail both conditions: e03, e04, e06, e07 and others come through.
    """
    not_wanted = (F.col("page") != "/checkout") & (F.col("ms_on_page") < 30_000)
    return clicks.filter(~not_wanted).select(*_COLUMNS)


def wrong_a_zero_or_two_too_few(clicks: DataFrame) -> DataFrame:
    """300 in place of 30,000

    e03, e08 and e13 come through, e11 does not.
    """
    return clicks.filter((F.col("page") == "/checkout") & (F.col("ms_on_page") >= 300)).select(
        *_COLUMNS
    )


def right_flat_map(clicks: DataFrame) -> DataFrame:
    """Flink's flatMap: each click becomes a list of one row or of none, and inline unfolds it."""
    wanted = F.expr("page = '/checkout' AND ms_on_page >= 30000")
    one = F.array(F.struct(*_COLUMNS))
    return clicks.select(F.inline(F.when(wanted, one)))


def right_as_a_duration(clicks: DataFrame) -> DataFrame:
    """The time on the page made an interval, and compared with an interval of thirty seconds."""
    lasted = "make_dt_interval(0, 0, 0, CAST(ms_on_page / 1000 AS DECIMAL(18, 6)))"
    kept = clicks.where(f"{lasted} >= INTERVAL '30' SECOND").where("page <=> '/checkout'")
    return kept.selectExpr(*_COLUMNS)


def wrong_compared_as_text(clicks: DataFrame) -> DataFrame:
    """The time compared as text, letter by letter

    "900" >= "30000" as a text: e08 (900 ms) comes through; one of 120,000 ms ("120000") does not.
    """
    long_enough = F.col("ms_on_page").cast("string") >= "30000"
    return clicks.filter((F.col("page") == "/checkout") & long_enough).select(*_COLUMNS)


def wrong_rounded_to_seconds(clicks: DataFrame) -> DataFrame:
    """Rounded to whole seconds before it is compared

    A click of 29,999 ms rounds to 30 and comes through (e13); so does one of 29,500 ms.
    """
    seconds = F.round(F.col("ms_on_page") / 1000)
    return clicks.filter((F.col("page") == "/checkout") & (seconds >= 30)).select(*_COLUMNS)
