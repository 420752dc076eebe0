"""Answers to 00.2."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def right_anti_join(clicks: DataFrame) -> DataFrame:
    """A left anti join with a table of forbidden beginnings: a null matches nothing and stays."""
    forbidden = clicks.sparkSession.createDataFrame([("robot-",)], "beginning STRING")
    begins = F.col("user_id").startswith(F.col("beginning"))
    kept = clicks.join(forbidden, begins, "left_anti")
    return kept.select("page", "user_id", "event_id")


def right_union_of_two(clicks: DataFrame) -> DataFrame:
    """Guests and named people filtered apart, then put together by name."""
    guests = clicks.filter("user_id IS NULL").select("event_id", "user_id", "page")
    named = clicks.filter(~F.col("user_id").rlike("^robot-")).select("page", "user_id", "event_id")
    return guests.unionByName(named)


def right_first_six_letters(clicks: DataFrame) -> DataFrame:
    """The first six letters compared null-safely, in a helper column that is dropped again."""
    marked = clicks.withColumn("start", F.substring("user_id", 1, 6))
    kept = marked.where(~F.col("start").eqNullSafe("robot-"))
    return kept.drop("start", "ms_on_page", "event_time")


def right_python_udf(clicks: DataFrame) -> DataFrame:
    """A Python function decides."""

    @F.udf("boolean")
    def person(user: str | None) -> bool:
        return user is None or not user.startswith("robot-")

    return clicks.filter(person("user_id")).selectExpr("event_id", "user_id", "page")


def right_position_zero(clicks: DataFrame) -> DataFrame:
    """A filled copy of the name asked, the name itself left alone; view and SQL."""
    clicks.createOrReplaceTempView("c")
    return clicks.sparkSession.sql(
        "SELECT event_id, user_id, page FROM c WHERE instr(coalesce(user_id, 'guest'), 'robot-') <> 1"
    )


def wrong_robots_have_numbers(clicks: DataFrame) -> DataFrame:
    """Only robot- followed by digits taken for a robot"""
    robot = F.coalesce(F.col("user_id").rlike("^robot-[0-9]+$"), F.lit(False))
    return clicks.filter(~robot).select("event_id", "user_id", "page")


def wrong_robots_have_up_to_two_digits(clicks: DataFrame) -> DataFrame:
    """robot- and one or two letters or digits"""
    robot = F.col("user_id").like("robot-_") | F.col("user_id").like("robot-__")
    return clicks.filter(F.col("user_id").isNull() | ~robot).select("event_id", "user_id", "page")


def wrong_star_of_a_shell(clicks: DataFrame) -> DataFrame:
    """The shell's star in a regular expression: ^robot-* is "robot" and any number of dashes, or none

    robota is lost.
    """
    robot = F.col("user_id").rlike("^robot-*")
    return clicks.filter(F.col("user_id").isNull() | ~robot).select("event_id", "user_id", "page")


def wrong_underscore_of_like(clicks: DataFrame) -> DataFrame:
    """LIKE 'robot_%', where the underscore stands for any letter

    robota is lost.
    """
    return clicks.where("user_id IS NULL OR user_id NOT LIKE 'robot_%'").select(
        "event_id", "user_id", "page"
    )


def wrong_known_customers_only(clicks: DataFrame) -> DataFrame:
    """A list of the customers who are known, and the guests

    robota and ben-robot-7 are lost because they are not on the list.
    """
    known = F.col("user_id").isin("ada", "ben", "cem", "dua", "eli")
    return clicks.filter(F.col("user_id").isNull() | known).select("event_id", "user_id", "page")


def wrong_ten_milliseconds(clicks: DataFrame) -> DataFrame:
    """Robots known by looks of at most ten milliseconds

    robot-2 (12 ms) and robot-10 (11 ms) come through.
    """
    quick = F.coalesce(F.col("ms_on_page") <= 10, F.lit(False))
    return clicks.filter(~quick).select("event_id", "user_id", "page")


def right_by_range(clicks: DataFrame) -> DataFrame:
    """The beginning as a range of texts, as an index would: from robot- up to robot. (the sign after the dash)."""
    return clicks.where("user_id IS NULL OR user_id < 'robot-' OR user_id >= 'robot.'").select(
        "event_id", "user_id", "page"
    )


def right_not_known_and_alike(clicks: DataFrame) -> DataFrame:
    """Not (there is a name, and it is like a robot's): false AND null is false, so guests stay."""
    robot = F.col("user_id").isNotNull() & F.col("user_id").like("robot-%")
    return clicks.select("event_id", "page", "user_id").where(~robot)


def wrong_something_behind_the_dash(clicks: DataFrame) -> DataFrame:
    """A robot needs at least a letter or a digit behind the dash

    A user who is called just "robot-" begins so as well, and comes through; so does "robot--1".
    """
    robot = F.col("user_id").rlike(r"^robot-\w")
    return clicks.filter(F.col("user_id").isNull() | ~robot).select("event_id", "user_id", "page")


def wrong_range_up_to_z(clicks: DataFrame) -> DataFrame:
    """The beginning as a range that ends at robot-z

    robot-zürich is greater than robot-z, and comes through.
    """
    robot = F.col("user_id").between("robot-", "robot-z")
    return clicks.filter(F.col("user_id").isNull() | ~robot).select("event_id", "user_id", "page")
