"""Repairs after which the join still keeps what nobody can need, or gives up what somebody does."""

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
    """Every row is still kept

    At the end {steps.6.state} rows are kept; {asked.steps.6.state} are enough. The watermark goes by
    the searches alone: no click was ever too late, and no row left, on either side. A search may go
    when no click can come that follows it within half an hour. How should Spark learn how far the
    clicks have come? Then it takes the comparisons in the condition and solves them; if yours is a
    difference of the two times, that is the other fault.
    """
    return _joined(searches.withWatermark("search_time", "5 minutes"), clicks, _DIFFERENCE)


def watermark_alone(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Both streams have a watermark, and nothing leaves

    At the end {steps.6.state} rows are kept; {asked.steps.6.state} are enough. The watermark now
    waits for the slower stream, as it should. But from it Spark must work out how long a row can
    find a partner, and it does so by solving the comparisons in the condition for one of the two
    times. For that each time must stand on a side of its own, at most with a fixed interval added: a
    difference of two timestamps it does not solve, nor `unix_timestamp` of each.
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        _DIFFERENCE,
    )


def searches_stay(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Clicks leave, and every search is kept

    At the end {steps.6.state} rows are kept; {asked.steps.6.state} are enough. A search may go when no
    click can come any more that belongs to it. For that Spark takes the comparison that says *until*
    when a click belongs to a search, and solves it for the search's time. Does each of the two times
    stand on a side of its own there, at most with a fixed interval added?
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        "clicked_by = visitor AND click_time >= search_time "
        "AND click_time - search_time <= INTERVAL 30 MINUTES",
    )


def clicks_stay(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Searches leave, and every click is kept

    At the end {steps.6.state} rows are kept; {asked.steps.6.state} are enough. A click may go when no
    search can come any more that it belongs to. For that Spark takes the comparison that says *from*
    when on a click belongs to a search, and solves it for the click's time. Does each of the two times
    stand on a side of its own there, at most with a fixed interval added?
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        "clicked_by = visitor AND click_time - search_time >= INTERVAL 0 MINUTES "
        "AND click_time <= search_time + INTERVAL 30 MINUTES",
    )


def whole_minutes(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Half an hour and a second is still taken for half an hour

    A click came out that was made a little more than half an hour after the search: the one of
    10:35:01, after a search of 10:05. How many *whole* minutes are 30 minutes and a second? And at the
    end {steps.6.state} rows are kept; {asked.steps.6.state} are enough. The condition has no comparison
    that Spark can solve for one of the two times.
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        "clicked_by = visitor AND timestampdiff(MINUTE, search_time, click_time) BETWEEN 0 AND 30",
    )


def no_end(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Clicks from long after a search came out

    Clicks came out that followed a search by more than half an hour, and at the end
    {steps.6.state} rows are kept; {asked.steps.6.state} are enough. The condition needs the right
    end as well as a beginning: until when does a click belong to a search?
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        "clicked_by = visitor AND click_time >= search_time",
    )


def same_half_hour(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Pairs across the half hours of the clock are missing

    Pairs are missing: a search of 10:05 and a click of 10:30:01 are 25 minutes apart and lie in two
    half hours of the clock. And {steps.6.state} rows are kept at the end, as the condition has no
    comparison that Spark can solve for one of the two times.
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "10 minutes"),
        "clicked_by = visitor "
        "AND floor(unix_timestamp(click_time) / 1800) = floor(unix_timestamp(search_time) / 1800)",
    )


def delays_swapped(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """The watermark stands ten minutes behind the searches

    After step 1 the watermark stood at {steps.1.watermark}; it should stand at
    {asked.steps.1.watermark}. Searches come five minutes late at most, clicks ten. What delay has
    each of the two in your query?
    """
    return _joined(
        searches.withWatermark("search_time", "10 minutes"),
        clicks.withWatermark("click_time", "5 minutes"),
        _COMPARED,
    )


def one_delay_for_both(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """A click that is almost ten minutes late is turned away

    After step 1 the watermark stood at {steps.1.watermark}; it should stand at
    {asked.steps.1.watermark}. Each stream has a delay of its own: five minutes
    for searches, ten for clicks.
    """
    return _joined(
        searches.withWatermark("search_time", "5 minutes"),
        clicks.withWatermark("click_time", "5 minutes"),
        _COMPARED,
    )
