"""Repairs after which sales are still missing, are emitted later, or are counted wrong."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def _rows(spark: SparkSession, sales: str) -> DataFrame:
    return spark.readStream.format("delta").option("maxFilesPerTrigger", 1).load(sales)


def _days(rows: DataFrame) -> DataFrame:
    days = rows.groupBy(F.window("sold_at", "1 day")).agg(
        F.count("*").alias("sales"), F.sum("cents").alias("cents")
    )
    return days.select(F.col("window.start").alias("day"), "sales", "cents")


def _daily(rows: DataFrame, delay: str = "2 days") -> DataFrame:
    return _days(rows.withWatermark("sold_at", delay))


def begins_after_the_newest(spark: SparkSession, sales: str) -> DataFrame:
    """startingVersion is latest

    Your query read no row. With `latest` each run begins after the newest version, as long as the checkpoint has no
    version. The checkpoint alone prevents that rows are read again. Where does a stream begin without this option?
    """
    rows = spark.readStream.format("delta").option("startingVersion", "latest").load(sales)
    return _daily(rows)


def delay_of_the_draft(spark: SparkSession, sales: str) -> DataFrame:
    """Watermark delay of 10 minutes

    After step 1 your watermark was {steps.1.delay} behind the newest sale; the task allows {asked.steps.1.delay}. So
    Spark dropped the sales of the next store. The metric of dropped rows counts groups of sales, so it is smaller than
    what is missing. How far is a commit behind the one before?
    """
    return _daily(_rows(spark, sales), "10 minutes")


def one_day(spark: SparkSession, sales: str) -> DataFrame:
    """Watermark delay shorter than the disorder of the commits

    After step 1 your watermark was {steps.1.delay} behind the newest sale; the task allows {asked.steps.1.delay}. The
    length of the window is not a delay: a day can get sales after it has ended. What does rule 2 say?
    """
    return _daily(_rows(spark, sales), "1 day")


def a_week_to_be_safe(spark: SparkSession, sales: str) -> DataFrame:
    """Watermark delay longer than the task allows

    After step 1 your watermark was {steps.1.delay} behind the newest sale; the task allows {asked.steps.1.delay}. So
    your query emits each day later and keeps more state. What does rule 2 say?
    """
    return _daily(_rows(spark, sales), "7 days")


def equal_sales_once(spark: SparkSession, sales: str) -> DataFrame:
    """Equal rows counted once

    Days have fewer sales than expected. By rule 1 each row is a sale, also if it is equal to another row. A deduplication
    after withWatermark also drops each late sale, even if its day is open. The checkpoint already prevents that a row
    is read twice. Which line drops rows of the table?
    """
    timed = _rows(spark, sales).withWatermark("sold_at", "2 days")
    return _days(timed.dropDuplicates(["store", "cents", "sold_at"]))


def equal_sales_once_without_an_end(spark: SparkSession, sales: str) -> DataFrame:
    """Equal rows counted once, without a watermark

    A day has fewer sales than expected. By rule 1 each row is a sale, also if it is equal to another row. A
    deduplication before withWatermark also keeps every sale in state forever. The checkpoint already prevents that a
    row is read twice. Which line drops rows of the table?
    """
    return _daily(_rows(spark, sales).dropDuplicates())


def unknown_cents_left_out(spark: SparkSession, sales: str) -> DataFrame:
    """Sales without cents left out

    The day of 2 March has one sale less than expected: one of its sales has null `cents`. A filter, `dropna` or a count
    of the column `cents` leaves it out. What counts rows, whatever they contain?
    """
    return _daily(_rows(spark, sales).where("cents IS NOT NULL"))
