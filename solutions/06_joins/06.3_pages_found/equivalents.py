"""Other conditions from which Spark can read the half hour."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def between(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """BETWEEN stands for the two comparisons."""
    return (
        searches.withWatermark("search_time", "5 minutes")
        .join(
            clicks.withWatermark("click_time", "10 minutes"),
            F.expr(
                "clicked_by = visitor AND "
                "click_time BETWEEN search_time AND search_time + INTERVAL 30 MINUTES"
            ),
        )
        .select("term", "page", "click_time")
    )


def seen_from_the_click(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """The click joins the search, with columns: the half hour lies before the click."""
    found = clicks.withWatermark("click_time", "10 minutes").alias("c")
    asked = searches.withWatermark("search_time", "5 minutes").alias("s")
    near = (
        (F.col("s.visitor") == F.col("c.clicked_by"))
        & (F.col("s.search_time") <= F.col("c.click_time"))
        & (F.col("s.search_time") >= F.col("c.click_time") - F.expr("INTERVAL 30 MINUTES"))
    )
    return found.join(asked, near, "inner").select("s.term", "c.page", "c.click_time")
