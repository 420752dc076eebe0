from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def guests_lost(clicks: DataFrame) -> DataFrame:
    """Filter condition that is null for guests

    No click of a guest was emitted, and guests are people. A comparison with null, such as
    `startswith`, is null, and so is its negation. A filter keeps a row only if its condition is
    true. What is your condition when user_id is null?
    """
    return clicks.filter(~F.col("user_id").startswith("robot-")).select(
        "event_id", "user_id", "page"
    )


def only_the_robot_i_saw(clicks: DataFrame) -> DataFrame:
    """Condition for a single robot name

    Your query dropped the clicks of robot-1 and kept those of other robots. The task gives a rule
    for all robot names, and a stream brings names that you have not seen yet. Does your condition
    follow the rule, or one example of it?
    """
    return clicks.filter(F.col("user_id").isNull() | (F.col("user_id") != "robot-1")).select(
        "event_id", "user_id", "page"
    )


def robots_are_numbered(clicks: DataFrame) -> DataFrame:
    """Digits required in a robot's name

    Your query kept a click of robot-eu. The rule says how a robot's name begins, not how it
    continues. Does your condition require digits after the dash?
    """
    numbered = F.col("user_id").rlike("^robot-[0-9]+$")
    return clicks.filter(F.col("user_id").isNull() | ~numbered).select(
        "event_id", "user_id", "page"
    )


def robot_anywhere(clicks: DataFrame) -> DataFrame:
    """Customers with "robot" in their name dropped

    Your query dropped the clicks of robota and ben-robot-7, who are people. The rule is about the
    beginning of a name. If you keep only names from a list, these two are missing in it. Where in
    the name does your condition look?
    """
    return clicks.filter(F.col("user_id").isNull() | ~F.col("user_id").contains("robot")).select(
        "event_id", "user_id", "page"
    )


def dash_forgotten(clicks: DataFrame) -> DataFrame:
    """Dash not required in the prefix

    Your query dropped the clicks of robota, who is a customer. A robot's name begins with robot and
    a dash. In a regular expression `-*` is any number of dashes, even none; in LIKE `_` is any
    character. Does your condition require the dash?
    """
    return clicks.filter(F.col("user_id").isNull() | ~F.col("user_id").startswith("robot")).select(
        "event_id", "user_id", "page"
    )


def guests_renamed(clicks: DataFrame) -> DataFrame:
    """Null user_id replaced by a value

    The right clicks were emitted, but guests now have a user_id. A query downstream that counts
    users would count a user who does not exist. Can you change the condition instead of the data?
    """
    named = clicks.na.fill("guest", subset=["user_id"])
    return named.filter(~F.col("user_id").startswith("robot-")).select(
        "event_id", "user_id", "page"
    )
