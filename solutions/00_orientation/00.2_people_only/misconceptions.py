from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def guests_lost(clicks: DataFrame) -> DataFrame:
    """The guests are gone

    No click without a user_id came out, and guests are people. A comparison with null, such as
    `startswith`, is not true but null, as is its negation, and a filter keeps only what is true.
    Which of your conditions does a guest not meet?
    """
    return clicks.filter(~F.col("user_id").startswith("robot-")).select(
        "event_id", "user_id", "page"
    )


def only_the_robot_i_saw(clicks: DataFrame) -> DataFrame:
    """One robot left out, the others let in

    Clicks of other robots came through, and those of robot-1 did not. The task names the rule by
    which robots are called. Does your condition ask for that, or for something that only one of
    them has? A stream brings values that you have not seen yet.
    """
    return clicks.filter(F.col("user_id").isNull() | (F.col("user_id") != "robot-1")).select(
        "event_id", "user_id", "page"
    )


def robots_are_numbered(clicks: DataFrame) -> DataFrame:
    """Only robots with a number taken for robots

    A click of robot-eu came through. The task says how a robot's name begins, and not how it goes on. Does
    your condition ask for digits, or for something else behind the dash?
    """
    numbered = F.col("user_id").rlike("^robot-[0-9]+$")
    return clicks.filter(F.col("user_id").isNull() | ~numbered).select(
        "event_id", "user_id", "page"
    )


def robot_anywhere(clicks: DataFrame) -> DataFrame:
    """Customers with "robot" in their names are gone

    The users robota and ben-robot-7 are people. Where in the name does the task's rule look, and
    for which characters exactly? If you let in only names from a list: these two are not on it, and
    a stream brings names that you have not seen yet.
    """
    return clicks.filter(F.col("user_id").isNull() | ~F.col("user_id").contains("robot")).select(
        "event_id", "user_id", "page"
    )


def dash_forgotten(clicks: DataFrame) -> DataFrame:
    """A name that begins nearly like a robot's taken for one

    The clicks of robota are gone, and she is a customer. What distinguishes her name from robot-1
    at its beginning, and does your condition ask for just that? In a regular expression `-*` is
    any number of dashes, even none; in LIKE `_` is any one character.
    """
    return clicks.filter(F.col("user_id").isNull() | ~F.col("user_id").startswith("robot")).select(
        "event_id", "user_id", "page"
    )


def guests_renamed(clicks: DataFrame) -> DataFrame:
    """Guests given a name

    The right clicks come out, and the guests among them now have a name that nobody gave them.
    Change the condition, not the data: what comes after you may count users.
    """
    named = clicks.na.fill("guest", subset=["user_id"])
    return named.filter(~F.col("user_id").startswith("robot-")).select(
        "event_id", "user_id", "page"
    )
