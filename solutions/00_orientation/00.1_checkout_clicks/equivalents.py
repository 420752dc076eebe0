from pyspark.sql import DataFrame


def one_after_the_other(clicks: DataFrame) -> DataFrame:
    """Two filters in a row instead of one condition with &."""
    wanted = clicks.where(clicks.page == "/checkout").where(clicks.ms_on_page >= 30_000)
    return wanted.select("event_id", "page", "ms_on_page")


def as_sql_text(clicks: DataFrame) -> DataFrame:
    """The condition as SQL text, and what is not wanted dropped."""
    wanted = clicks.filter("page = '/checkout' AND ms_on_page / 1000 >= 30")
    return wanted.drop("user_id", "event_time")
