from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery


def _in_seconds(clicks: DataFrame) -> DataFrame:
    return clicks.select("event_id", "page", (F.col("ms_on_page") / 1000).alias("seconds"))


def counts_first(clicks: DataFrame) -> DataFrame | None:
    """Batch action on a stream: count()

    `count()` on a stream needs the number of all rows, and rows keep arriving. You do not need it:
    a filter that keeps nothing emits nothing. Which lines can go?
    """
    short = clicks.filter(F.col("ms_on_page") < 2000)
    if short.count() == 0:
        return None
    return _in_seconds(short)


def sorts_the_stream(clicks: DataFrame) -> DataFrame:
    """Sort of an unbounded stream

    To sort, Spark needs all rows, and the next click can belong before those already emitted. So
    Spark rejects `orderBy` on such a stream, and `sortWithinPartitions`, too. Emit the rows in any
    order. Which consumer could sort them later?
    """
    short = clicks.filter(F.col("ms_on_page") < 2000)
    return _in_seconds(short.orderBy("event_time"))


def starts_it_itself(clicks: DataFrame) -> StreamingQuery:
    """Query started inside the function

    A function that starts a query decides for every caller where and when the rows are written.
    Return the DataFrame, which is the plan, and start nothing. Which line starts the query?
    """
    short = clicks.filter(F.col("ms_on_page") < 2000)
    return _in_seconds(short).writeStream.format("noop").start()


def whole_seconds(clicks: DataFrame) -> DataFrame:
    """Seconds truncated to integers

    Your query emitted 1 second for a click of 1,250 ms and 0 for one of 900 ms. Which function or
    type in your code removes the fraction?
    """
    short = clicks.filter(F.col("ms_on_page") < 2000)
    return short.select("event_id", "page", F.floor(F.col("ms_on_page") / 1000).alias("seconds"))


def unknown_taken_for_quick(clicks: DataFrame) -> DataFrame:
    """Null kept as a quick look

    Your query emitted the click e12, whose ms_on_page is null. The task says to drop it. What is
    your condition for a null, or for the value that replaces it?
    """
    short = clicks.filter("ms_on_page IS NULL OR ms_on_page < 2000")
    return _in_seconds(short)


def two_seconds_are_quick(clicks: DataFrame) -> DataFrame:
    """Limit included by the comparison

    Your query emitted the click e04, which lasted exactly 2,000 ms. The task says "less than".
    Which comparison excludes the limit?
    """
    short = clicks.filter(F.col("ms_on_page") <= 2000)
    return _in_seconds(short)
