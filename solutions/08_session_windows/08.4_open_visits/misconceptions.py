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
    """Visits that are over: everything in state was returned

    Every visit in state was returned, even of users who were last seen more than five minutes ago. The state keeps
    a visit until the watermark reaches its end, because a late page view may still change it. That does not mean
    that the visit goes on. If you have a condition, all visits satisfied it: which moment is "now" in it?
    """
    return _visits(_state(spark, checkpoint))


def end_taken_for_last_seen(spark: SparkSession, checkpoint: str) -> DataFrame:
    """End of the visit instead of its last page view

    Every last_seen is five minutes later than the last page view. A session ends when the claim of its last event
    ends, so the gap is part of the session. How do you get the last page view?
    """
    return _going_on(_visits(_state(spark, checkpoint), F.col("value.session_window.end")))


def newest_beginning_for_now(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Newest beginning instead of the newest page view

    Visits were returned that were last seen more than five minutes before the newest page view, but not all that
    are in state. That happens if the newest page view continues a visit; if it begins one, all is right. Which
    moment is "now" in your function: the last page view of all, or the last beginning?
    """
    visits = _visits(_state(spark, checkpoint))
    newest = visits.agg(F.max("began").alias("newest"))
    late = F.col("newest") - F.expr("INTERVAL 5 MINUTES")
    return visits.crossJoin(newest).where(F.col("last_seen") >= late).drop("newest")


def newest_end_for_now(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Newest end instead of the newest page view

    Users who were last seen shortly before the newest page view are missing. "Now" is the newest page view. The
    newest end is five minutes later, so five minutes before it is that page view itself. Do you compare page views
    with page views, or ends with ends?
    """
    visits = _visits(_state(spark, checkpoint))
    end = F.max("last_seen") + F.expr("INTERVAL 5 MINUTES")
    late = F.col("now") - F.expr("INTERVAL 5 MINUTES")
    now = visits.agg(end.alias("now"))
    return visits.crossJoin(now).where(F.col("last_seen") >= late).drop("now")


def each_user_has_a_now(spark: SparkSession, checkpoint: str) -> DataFrame:
    """A "now" per user instead of one for the shop

    For a user with two visits in state only the later one was returned. Users who were last seen more than five
    minutes before the newest page view of all were returned, too. "Now" is one moment for the whole shop. Over
    whose page views do you take the maximum?
    """
    own = Window.partitionBy("user")
    visits = _visits(_state(spark, checkpoint)).withColumn("now", F.max("last_seen").over(own))
    late = F.col("now") - F.expr("INTERVAL 5 MINUTES")
    return visits.where(F.col("last_seen") >= late).drop("now")


def five_minutes_left_out(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Exactly five minutes excluded

    A visit is missing whose last page view was exactly five minutes before the newest one. A page view of this
    moment would touch that visit and extend it. Which comparison includes the limit?
    """
    visits = _visits(_state(spark, checkpoint))
    newest = visits.agg(F.max("last_seen").alias("newest"))
    late = F.col("newest") - F.expr("INTERVAL 5 MINUTES")
    return visits.crossJoin(newest).where(F.col("last_seen") > late).drop("newest")


def by_the_clock_on_the_wall(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Wall-clock time instead of event time

    No row was returned. Nothing is newer than the newest page view, and by the clock on the wall all page views of
    this run are long ago. "Now" is event time here. From which time do you count the five minutes?
    """
    since = F.current_timestamp() - F.expr("INTERVAL 5 MINUTES")
    return _visits(_state(spark, checkpoint)).where(F.col("last_seen") > since)


def stays_at_the_first_batch(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Option batchId: always the same state

    After the later steps the table is still that of step 1. The option batchId fixes the reader to one version of
    the state. Which version does the reader take without it?
    """
    reader = spark.read.format("statestore").option("batchId", 0)
    return _going_on(_visits(reader.load(checkpoint)))


def reads_one_partition(spark: SparkSession, checkpoint: str) -> DataFrame:
    """One partition of the state only

    Users are missing who are in the shop. There is one state store per shuffle partition. A hash of the key
    without the session decides where a visit is, and partition_id shows it. Which partitions does your function
    read?
    """
    return _going_on(_visits(_state(spark, checkpoint).where("partition_id = 0")))


def visits_of_a_user_added_up(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Two visits of a user merged

    For a user with two visits in state one row was returned, with the pages of both. A user can have several rows
    in the state of a session window, one per session. What do you group by?
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
    """Rows of the state counted as page views

    Every visit has 1 page. A session has one row in the state, however many events it contains. Which field of
    that row holds their number?
    """
    visits = _going_on(_visits(_state(spark, checkpoint)))
    return visits.groupBy("user", "began", "last_seen").agg(F.count("*").alias("pages"))


def guests_left_out(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Filter on user: guests are missing

    A visit whose user is null was not returned. Spark keeps the sessions of null like those of any other user.
    Which part of your function drops rows with a null?
    """
    return _going_on(_visits(_state(spark, checkpoint))).where(F.col("user").isNotNull())
