"""Repairs after which the join still keeps rows for nothing, or evicts rows that can find a partner."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

_DIFFERENCE = (
    "clicked_by = visitor "
    "AND click_time - search_time BETWEEN INTERVAL 0 MINUTES AND INTERVAL 30 MINUTES"
)
_COMPARED = (
    "clicked_by = visitor AND click_time >= search_time "
    "AND click_time <= search_time + INTERVAL 30 MINUTES"
)


def _joined(searches: DataFrame, clicks: DataFrame, condition: str) -> DataFrame:
    return searches.join(clicks, F.expr(condition)).select("term", "page", "click_time")


def leaks_as_before(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """No watermark on the clicks

    At the end {steps.6.state} rows are in the state; {asked.steps.6.state} are enough. The
    watermark is that of the searches alone. So no click was ever late, and no row left the state,
    on either side. A search may be evicted when no click can follow it within half an hour. How can
    Spark know how far the clicks have advanced? If your condition uses a difference of the two
    times, that is the second mistake: Spark can't solve it.
    """
    return _joined(searches.withWatermark("search_time", "5 minutes"), clicks, _DIFFERENCE)


def watermark_alone(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """A condition that Spark can't solve

    At the end {steps.6.state} rows are in the state; {asked.steps.6.state} are enough. Both streams
    have a watermark now. Spark must calculate how long a row can find a partner. For that it solves
    the comparisons in the condition for one of the two times. It does not solve a difference of two
    timestamps or of their `unix_timestamp`. Is each time on its own side of a comparison, plus or
    minus a fixed interval?
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        _DIFFERENCE,
    )


def searches_stay(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Clicks evicted, and every search kept

    At the end {steps.6.state} rows are in the state; {asked.steps.6.state} are enough. A search may
    be evicted when no click that belongs to it can arrive. For that Spark takes the comparison that
    says *until* when a click belongs to a search, and solves it for the search's time. Is each of
    the two times on its own side there, plus or minus a fixed interval?
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        "clicked_by = visitor AND click_time >= search_time "
        "AND click_time - search_time <= INTERVAL 30 MINUTES",
    )


def clicks_stay(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Searches evicted, and every click kept

    At the end {steps.6.state} rows are in the state; {asked.steps.6.state} are enough. A click may
    be evicted when no search that it belongs to can arrive. For that Spark takes the comparison
    that says *from* when a click belongs to a search, and solves it for the click's time. Is each
    of the two times on its own side there, plus or minus a fixed interval?
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        "clicked_by = visitor AND click_time - search_time >= INTERVAL 0 MINUTES "
        "AND click_time <= search_time + INTERVAL 30 MINUTES",
    )


def whole_minutes(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Difference rounded to full minutes

    Your query emitted a click of 10:35:01 after a search of 10:05, a little more than half an hour
    later. How many *full* minutes are 30 minutes and 1 second? And at the end {steps.6.state} rows
    are in the state; {asked.steps.6.state} are enough. The condition has no comparison that Spark
    can solve for one of the two times.
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        "clicked_by = visitor AND timestampdiff(MINUTE, search_time, click_time) BETWEEN 0 AND 30",
    )


def no_end(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """No upper limit for the click time

    Your query emitted clicks that followed a search by more than half an hour. At the end
    {steps.6.state} rows are in the state; {asked.steps.6.state} are enough. The condition has a
    beginning and no end. Until when does a click belong to a search?
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        "clicked_by = visitor AND click_time >= search_time",
    )


def same_half_hour(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Half hours of the clock in place of an interval

    Pairs are missing. A search of 10:05 and a click of 10:30:01 are 25 minutes apart, but in two
    different half hours of the clock. At the end {steps.6.state} rows are in the state, because the
    condition has no comparison that Spark can solve. When does the half hour of a search begin?
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        "clicked_by = visitor "
        "AND floor(unix_timestamp(click_time) / 1800) = floor(unix_timestamp(search_time) / 1800)",
    )


def delays_swapped(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Delay of 10 minutes on the searches

    After step 1 your watermark was {steps.1.watermark}; expected {asked.steps.1.watermark}.
    Searches may be up to 5 minutes late, and clicks up to 10. Which delay does each of the two have
    in your query?
    """
    return _joined(
        searches.withWatermark("search_time", "10 minutes"),
        clicks.withWatermark("click_time", "5 minutes"),
        _COMPARED,
    )


def one_delay_for_both(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Delay of 5 minutes on the clicks

    After step 1 your watermark was {steps.1.watermark}; expected {asked.steps.1.watermark}. So your
    query drops a click that is almost 10 minutes late. Each stream has its own delay, 5 minutes for
    searches and 10 for clicks. Which delay do your clicks have?
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "5 minutes"),
        _COMPARED,
    )


def any_visitor(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """No equality between columns of the two streams

    Spark rejected the query. A join of two streams needs at least one equality, such as `a = b`,
    between a column of one stream and a column of the other. A comparison of the times is not an
    equality. Which columns say that search and click are of the same visitor?
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        _COMPARED.replace("clicked_by = visitor AND ", ""),
    )


def the_end_left_out(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """A click exactly 30 minutes later not counted

    A click of 10:31:00 after a search of 10:01:00 is missing, and it was made exactly 30 minutes later.
    The interval of the task includes both ends. Which comparison in your condition excludes the end?
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        _COMPARED.replace("click_time <= search_time", "click_time < search_time"),
    )
