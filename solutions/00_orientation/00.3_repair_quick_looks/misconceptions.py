from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery


def _in_seconds(clicks: DataFrame) -> DataFrame:
    return clicks.select("event_id", "page", (F.col("ms_on_page") / 1000).alias("seconds"))


def counts_first(clicks: DataFrame) -> DataFrame | None:
    """A stream counted as if it had an end

    `count()` wants the one number for all rows, now. There is no such number while rows still
    come. An empty batch does no harm: a filter that keeps nothing simply emits nothing.
    """
    short = clicks.filter(F.col("ms_on_page") < 2000)
    if short.count() == 0:
        return None
    return _in_seconds(short)


def sorts_the_stream(clicks: DataFrame) -> DataFrame:
    """Rows of a stream asked for in order

    To put rows in order one must have them all, and the next click may belong in front of those
    that are out already. Spark refuses `orderBy` on such a stream, and sortWithinPartitions, too,
    which orders less. Let rows go as they come, and sort where they are read.
    """
    short = clicks.filter(F.col("ms_on_page") < 2000)
    return _in_seconds(short.orderBy("event_time"))


def starts_it_itself(clicks: DataFrame) -> StreamingQuery:
    """Building a query mixed up with running it

    A function that starts a query decides for all its users where the rows go, and when. Start
    none, and return the DataFrame, which is only the plan; whoever calls starts it.
    """
    short = clicks.filter(F.col("ms_on_page") < 2000)
    return _in_seconds(short).writeStream.format("noop").start()


def whole_seconds(clicks: DataFrame) -> DataFrame:
    """Fractions of a second cut off

    A click of 1,250 ms came out as 1 second, one of 900 ms as 0. Which function or type drops
    what stands behind the point, and does the task want it?
    """
    short = clicks.filter(F.col("ms_on_page") < 2000)
    return short.select("event_id", "page", F.floor(F.col("ms_on_page") / 1000).alias("seconds"))


def unknown_taken_for_quick(clicks: DataFrame) -> DataFrame:
    """A time that nobody knows taken for a quick look

    The click e12, whose time on the page is null, came out. Nobody knows how long it lasted; the task says
    that such a one is not quick. What does your condition, or a value put in for the null, make of it?
    """
    short = clicks.filter("ms_on_page IS NULL OR ms_on_page < 2000")
    return _in_seconds(short)


def two_seconds_are_quick(clicks: DataFrame) -> DataFrame:
    """The boundary let in

    The click e04 came out, which lasted two seconds to the millisecond. The task says "less than": which of
    "less" and "less or equal" is that?
    """
    short = clicks.filter(F.col("ms_on_page") <= 2000)
    return _in_seconds(short)
