"""Answers to 06.3: other repairs of the join that keeps too much, right and wrong."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

_KEY = "clicked_by = visitor"
_COMPARED = (
    "clicked_by = visitor AND click_time >= search_time "
    "AND click_time <= search_time + INTERVAL 30 MINUTES"
)


def _joined(searches: DataFrame, clicks: DataFrame, condition: str) -> DataFrame:
    return searches.join(clicks, F.expr(condition)).select("term", "page", "click_time")


def right_where_behind_the_join(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Joins on the visitor, and compares the times in a filter behind the join

    Of an inner join Spark takes the filter into the condition, so that state shrinks as it should.
    """
    return (
        searches.withWatermark("search_time", "5 minutes")
        .join(
            clicks.withWatermark("click_time", "10 minutes"),
            F.col("visitor") == F.col("clicked_by"),
        )
        .where("click_time >= search_time")
        .where("click_time <= search_time + INTERVAL 30 MINUTES")
        .select("term", "page", "click_time")
    )


def right_not_before_and_not_after(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Says what must not be: not before the search, and not more than half an hour after it

    Spark turns NOT (a < b OR …) into the two comparisons.
    """
    return _joined(
        searches.withWatermark("search_time", "300 seconds"),
        clicks.withWatermark("click_time", "600 seconds"),
        "clicked_by = visitor AND NOT (click_time < search_time "
        "OR click_time > search_time + INTERVAL 30 MINUTES)",
    )


def right_in_sql(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """In SQL, from the click's side, with a comma join

    The half hour lies before the click; columns in another order.
    """
    searches.withWatermark("search_time", "5 minutes").createOrReplaceTempView("s")
    clicks.withWatermark("click_time", "10 minutes").createOrReplaceTempView("c")
    return searches.sparkSession.sql(
        """
        SELECT c.click_time, c.page, s.term FROM c, s
        WHERE s.visitor = c.clicked_by
          AND s.search_time BETWEEN c.click_time - INTERVAL '30' MINUTE AND c.click_time
        """
    )


def wrong_clicks_still_without_a_watermark(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """The condition is mended, and the clicks have no watermark yet

    The run is that of the untouched query: nothing leaves.
    """
    return _joined(searches.withWatermark("search_time", "5 minutes"), clicks, _COMPARED)


def wrong_whole_seconds(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """A difference of the times as whole seconds (CAST AS LONG), from 0 to 1800

    A click 0.9 s too late counts, and so may one from half a second before the search.
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        "clicked_by = visitor AND CAST(click_time AS LONG) - CAST(search_time AS LONG) >= 0 "
        "AND CAST(click_time AS LONG) - CAST(search_time AS LONG) <= 1800",
    )


def wrong_unix_seconds(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Two comparisons, each time on a side of its own, of unix_timestamp

    Nothing leaves the state.
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        "clicked_by = visitor AND unix_timestamp(click_time) >= unix_timestamp(search_time) "
        "AND unix_timestamp(click_time) <= unix_timestamp(search_time) + 1800",
    )


def wrong_hurried_with_a_where_behind(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """The half hour in a filter behind the join, and a delay of one minute for searches

    The search of 11:21:01 (hal, step 4) is dropped.
    """
    return (
        searches.withWatermark("search_time", "1 minute")
        .join(clicks.withWatermark("click_time", "10 minutes"), F.expr(_KEY))
        .where("click_time BETWEEN search_time AND search_time + INTERVAL 30 MINUTES")
        .select("term", "page", "click_time")
    )


def wrong_ten_and_one(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Ten minutes for searches and one minute for clicks"""
    return _joined(
        searches.withWatermark("search_time", "10 minutes"),
        clicks.withWatermark("click_time", "1 minute"),
        _COMPARED,
    )
