"""Mistakes in a running count."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def counts_members_only(clicks: DataFrame) -> DataFrame:
    """Clicks of guests not counted

    The clicks of guests are missing in the counts. `count(column)` counts rows in which the column
    is not null, and a guest has no visitor. What counts every row?
    """
    return clicks.groupBy("page").agg(
        F.count("visitor").alias("clicks"), F.max("event_time").alias("last_click")
    )


def guests_left_out(clicks: DataFrame) -> DataFrame:
    """Clicks of guests filtered out

    Step 3 brings only clicks of guests, and your query emitted nothing in it. Guests are missing in
    the counts, and they did not advance last_click. Which rows does your filter drop?
    """
    return (
        clicks.where("visitor IS NOT NULL")
        .groupBy("page")
        .agg(F.count("*").alias("clicks"), F.max("event_time").alias("last_click"))
    )


def counts_visitors(clicks: DataFrame) -> DataFrame:
    """Distinct visitors instead of clicks

    A visitor who clicks twice on a page was counted once. A distinct count answers another question
    and needs much more state. What does the task count?
    """
    return clicks.groupBy("page").agg(
        F.approx_count_distinct("visitor").alias("clicks"), F.max("event_time").alias("last_click")
    )


def one_count_a_visitor(clicks: DataFrame) -> DataFrame:
    """Additional column in the grouping key

    Your query emitted several rows for a page in one step, each with a part of its clicks. Every
    column in groupBy splits the counts, even if you do not select it afterward. Which columns
    identify a row of the result?
    """
    return (
        clicks.groupBy("page", "visitor")
        .agg(F.count("*").alias("clicks"), F.max("event_time").alias("last_click"))
        .select("page", "clicks", "last_click")
    )


def starts_again_every_hour(clicks: DataFrame) -> DataFrame:
    """Time in the grouping key

    In step 3, an hour later, the counts start again. A window or an hour in the grouping key makes
    one counter for each of its values. The task requires one counter per page. Which columns are in
    your key?
    """
    return (
        clicks.groupBy("page", F.window("event_time", "1 hour"))
        .agg(F.count("*").alias("clicks"), F.max("event_time").alias("last_click"))
        .select("page", "clicks", "last_click")
    )


def last_to_arrive(clicks: DataFrame) -> DataFrame:
    """Last arrival instead of latest event time

    Events do not always arrive in the order in which they happened: in step 2 one phone had been
    offline. Which function returns the greatest time, not the time of the last row?
    """
    return clicks.groupBy("page").agg(
        F.count("*").alias("clicks"), F.last("event_time").alias("last_click")
    )


def counts_ids(clicks: DataFrame) -> DataFrame:
    """Clicks without an id or a time not counted

    In step 5 an old app sends two clicks on /home without an id and a time. The count of /home
    does not grow by 2. With `count(column)`, a row counts only if the column is not null. What counts every row?
    """
    return clicks.groupBy("page").agg(
        F.count("event_id").alias("clicks"), F.max("event_time").alias("last_click")
    )


def clicks_without_page_lost(clicks: DataFrame) -> DataFrame:
    """Clicks without a page filtered out

    The row whose page is null is missing in step 5. A null is a grouping key like any other: groupBy makes
    one group of all nulls. Which filter or join drops these clicks?
    """
    return (
        clicks.where("page IS NOT NULL")
        .groupBy("page")
        .agg(F.count("*").alias("clicks"), F.max("event_time").alias("last_click"))
    )
