"""Ways in which the state of sessions is misread."""

from pyspark.sql import Column, DataFrame, SparkSession, Window
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


def newest_beginning_for_now(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Some who have left are still there

    Visits came out that were last seen more than five minutes before the newest page view, though not
    all that the state keeps. It is so where the newest page view goes on with a visit; where it opens one,
    all is right. Which moment is "now" for you: the last page view of all, or the last beginning?
    """
    visits = _visits(_state(spark, checkpoint))
    newest = visits.agg(F.max("began").alias("newest"))
    late = F.col("newest") - F.expr("INTERVAL 5 MINUTES")
    return visits.crossJoin(newest).where(F.col("last_seen") >= late).drop("newest")


def newest_end_for_now(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Only the visit with the newest page view came out

    Who was last seen a little before the newest page view is missing. "Now" is the newest page view, and
    not the newest end, which lies five minutes ahead of it: counted from there five minutes lead back to
    that page view itself. Do you compare page views with page views, or ends with ends?
    """
    visits = _visits(_state(spark, checkpoint))
    end = F.max("last_seen") + F.expr("INTERVAL 5 MINUTES")
    late = F.col("now") - F.expr("INTERVAL 5 MINUTES")
    now = visits.agg(end.alias("now"))
    return visits.crossJoin(now).where(F.col("last_seen") >= late).drop("now")


def each_user_has_a_now(spark: SparkSession, checkpoint: str) -> DataFrame:
    """The last visit of every user came out

    Of a user with two visits in the state only the later one came out, and with it users who were last
    seen more than five minutes before the newest page view of all. "Now" is one moment for the whole
    shop. Over whose page views do you look for the newest?
    """
    own = Window.partitionBy("user")
    visits = _visits(_state(spark, checkpoint)).withColumn("now", F.max("last_seen").over(own))
    late = F.col("now") - F.expr("INTERVAL 5 MINUTES")
    return visits.where(F.col("last_seen") >= late).drop("now")


def five_minutes_left_out(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Who was last seen exactly five minutes ago is missing

    A visit is missing whose last page view was five minutes before the newest one, to the second.
    Exactly five still count: a page view of this moment would touch that visit and lengthen it.
    """
    visits = _visits(_state(spark, checkpoint))
    newest = visits.agg(F.max("last_seen").alias("newest"))
    late = F.col("newest") - F.expr("INTERVAL 5 MINUTES")
    return visits.crossJoin(newest).where(F.col("last_seen") > late).drop("newest")


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
