"""Ways in which a running count goes wrong."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def counts_members_only(clicks: DataFrame) -> DataFrame:
    """Clicks by guests are not counted

    The clicks in which nobody is logged in are missing from the counts. If you count a column:
    that counts the rows in which it has a value, and guests have no visitor. If you add up a
    number for each click: a guest's adds nothing. What do you count when you want every row,
    whatever is in it?
    """
    return clicks.groupBy("page").agg(
        F.count("visitor").alias("clicks"), F.max("event_time").alias("last_click")
    )


def guests_left_out(clicks: DataFrame) -> DataFrame:
    """Clicks by guests are left out altogether

    Step 3 brings clicks by guests alone, and nothing came out of it: neither were they counted nor
    did they move last_click. A guest has no visitor and has clicked all the same. Which rows does
    your query never see?
    """
    return (
        clicks.where("visitor IS NOT NULL")
        .groupBy("page")
        .agg(F.count("*").alias("clicks"), F.max("event_time").alias("last_click"))
    )


def counts_visitors(clicks: DataFrame) -> DataFrame:
    """Counts visitors, not clicks

    A visitor who clicks on a page twice has clicked twice, and was counted once. A distinct count
    answers another question, and it needs far more state to do so.
    """
    return clicks.groupBy("page").agg(
        F.approx_count_distinct("visitor").alias("clicks"), F.max("event_time").alias("last_click")
    )


def one_count_a_visitor(clicks: DataFrame) -> DataFrame:
    """One column too many in the key

    Pages came out more than once in a step, each with a part of its clicks. Every column in
    groupBy splits the counts further, and the state with them, even if you leave that column out
    of the result afterwards. What is one row of the answer about?
    """
    return (
        clicks.groupBy("page", "visitor")
        .agg(F.count("*").alias("clicks"), F.max("event_time").alias("last_click"))
        .select("page", "clicks", "last_click")
    )


def starts_again_every_hour(clicks: DataFrame) -> DataFrame:
    """The count starts again as time goes on

    In step 3, an hour later, the counts begin anew. A time in the key, such as a window or the
    hour of the click, makes a counter for each of its values. The task wants one counter a page
    that never starts again: remembering across micro-batches is what state does by itself.
    """
    return (
        clicks.groupBy("page", F.window("event_time", "1 hour"))
        .agg(F.count("*").alias("clicks"), F.max("event_time").alias("last_click"))
        .select("page", "clicks", "last_click")
    )


def last_to_arrive(clicks: DataFrame) -> DataFrame:
    """Takes the click that arrived last for the latest

    Events do not always arrive in the order in which they happened: one phone in step 2 was
    offline for a while. Which function gives the greatest time instead of the newest arrival?
    """
    return clicks.groupBy("page").agg(
        F.count("*").alias("clicks"), F.last("event_time").alias("last_click")
    )
