"""Ways in which the state of sessions is misread."""

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F


def _state(spark: SparkSession, checkpoint: str) -> DataFrame:
    return spark.read.format("statestore").load(checkpoint)


def _visits(state: DataFrame, last_seen: Column | None = None) -> DataFrame:
    end = F.col("value.session_window.end")
    return state.select(
        F.col("key.user").alias("user"),
        F.col("value.session_window.start").alias("began"),
        (end - F.expr("INTERVAL 5 MINUTES") if last_seen is None else last_seen).alias("last_seen"),
        F.col("value.count").alias("pages"),
    )


def _going_on(visits: DataFrame) -> DataFrame:
    newest = visits.agg(F.max("last_seen").alias("newest"))
    late = F.col("newest") - F.expr("INTERVAL 5 MINUTES")
    return visits.crossJoin(newest).where(F.col("last_seen") >= late).drop("newest")


def everybody_in_the_state(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Visits that are over are still in the state

    Every visit of the state came out, also of users who were last seen more than five minutes ago.
    The state keeps a visit until the watermark has reached its end, because a late page view may
    still change it. That it is kept does not say that it goes on. If there is a condition, it held
    for all of them: which moment does it take for "now"?
    """
    return _visits(_state(spark, checkpoint))


def end_taken_for_last_seen(spark: SparkSession, checkpoint: str) -> DataFrame:
    """The end of a visit is not its last page view

    Every last_seen is five minutes too late. A session ends when the time of its last event is
    over: the gap is part of it.
    """
    return _going_on(_visits(_state(spark, checkpoint), F.col("value.session_window.end")))


def by_the_clock_on_the_wall(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Nobody is in the shop

    Not a row came out. Nothing is newer than the newest page view, and by the clock on the wall all
    page views of this run are long ago. "Now" is a matter of event time here: five minutes are
    counted back from the newest page view of all.
    """
    since = F.current_timestamp() - F.expr("INTERVAL 5 MINUTES")
    return _visits(_state(spark, checkpoint)).where(F.col("last_seen") > since)


def stays_at_the_first_batch(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Always reads the same state

    After the later steps the table is still that of step 1. The option batchId pins the reader to
    one version of the state; without it the reader takes the newest.
    """
    reader = spark.read.format("statestore").option("batchId", 0)
    return _going_on(_visits(reader.load(checkpoint)))


def reads_one_partition(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Only a part of the state is read

    Users are missing who are in the shop. Their visits are spread over as many stores as there are
    shuffle partitions, by a hash of the key without the session; partition_id says in which one a
    row lies.
    """
    return _going_on(_visits(_state(spark, checkpoint).where("partition_id = 0")))


def visits_of_a_user_added_up(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Two visits of a user are told as one

    Of a user with two visits in the state one row came out, with the pages of both. A user can have
    several rows in the state of a session window, one for each session.
    """
    visits = _visits(_state(spark, checkpoint)).groupBy("user")
    return _going_on(
        visits.agg(
            F.min("began").alias("began"),
            F.max("last_seen").alias("last_seen"),
            F.sum("pages").alias("pages"),
        )
    )


def one_page_each(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Rows of the state are not pages

    Every visit has 1 page. A session has one row in the state, however many events went into it.
    How many there were is written inside the row.
    """
    visits = _going_on(_visits(_state(spark, checkpoint)))
    return visits.groupBy("user", "began", "last_seen").agg(F.count("*").alias("pages"))
