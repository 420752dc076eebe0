"""Windows that slide too little, too much or not at all, and pages that are sorted out too early."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _top(clicks: DataFrame, window: Column, *, at_least: int = 3, delay: str = "10 seconds"):
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(window.alias("window"), "page")
        .agg(F.count("*").alias("clicks"))
        .where(F.col("clicks") >= at_least)
    )


def windows_side_by_side(clicks: DataFrame) -> DataFrame:
    """The windows do not overlap

    The windows stand side by side: 12:00–12:10 came out, and no row covers 12:04–12:14 as a whole.
    Windows overlap when they begin more often than they are long.
    """
    return _top(clicks, F.window("event_time", "10 minutes"))


def offset_for_slide(clicks: DataFrame) -> DataFrame:
    """The windows are moved, and do not overlap

    The windows that came out begin at 11:52 and at 12:02: ten minutes long, one beside the other. An
    offset moves them all. How often a new one begins is up to the slide, the third argument of
    `window`.
    """
    return _top(clicks, F.window("event_time", "10 minutes", startTime="2 minutes"))


def slide_before_length(clicks: DataFrame) -> DataFrame:
    """The slide is longer than the window

    Spark refused the query: a window may not begin less often than it is long. The order of the
    arguments is `window(column, length, slide)`.
    """
    return _top(clicks, F.window("event_time", "2 minutes", "10 minutes"))


def every_minute(clicks: DataFrame) -> DataFrame:
    """More windows than the budget allows

    Windows came out that begin every minute, and after step 1 there were {steps.1.state} rows in
    state; there should be {asked.steps.1.state}. Look at what you measured: what does a slide of one
    minute cost with eight pages?
    """
    return _top(clicks, F.window("event_time", "10 minutes", "1 minute"))


def every_five_minutes(clicks: DataFrame) -> DataFrame:
    """Windows begin less often than they could

    Windows came out that begin every five minutes. That is within the budget, but the rule asks for
    the smallest slide that is. Look once more at what you measured.
    """
    return _top(clicks, F.window("event_time", "10 minutes", "5 minutes"))


def two_minutes_long(clicks: DataFrame) -> DataFrame:
    """The windows are two minutes long

    The windows that came out are two minutes long and stand side by side. The length says how far a
    window looks back, the slide how often a new one begins: they are two arguments.
    """
    return _top(clicks, F.window("event_time", "2 minutes"))


def more_than_three(clicks: DataFrame) -> DataFrame:
    """More than three clicks

    The pages with exactly three clicks are missing. The rule says three clicks or more.
    """
    return _top(clicks, F.window("event_time", "10 minutes", "2 minutes"), at_least=4)


def all_pages(clicks: DataFrame) -> DataFrame:
    """Pages with fewer clicks came out, too

    Rows with one click or two came out. They have to be counted first; when it is known that they
    are too few, they can be left out. Filters may stand behind an aggregation.
    """
    return _top(clicks, F.window("event_time", "10 minutes", "2 minutes"), at_least=1)


def slide_as_delay(clicks: DataFrame) -> DataFrame:
    """The delay is as long as the slide

    After step 1 the watermark stood {steps.1.delay} behind the newest click;
    {asked.steps.1.delay} are asked for. How often windows begin and how late a click may be are two
    questions.
    """
    return _top(clicks, F.window("event_time", "10 minutes", "2 minutes"), delay="2 minutes")


def length_as_delay(clicks: DataFrame) -> DataFrame:
    """The delay is as long as the window

    After step 1 the watermark stood {steps.1.delay} behind the newest click;
    {asked.steps.1.delay} are asked for. How far a window looks back and how late a click may be are
    two questions.
    """
    return _top(clicks, F.window("event_time", "10 minutes", "2 minutes"), delay="10 minutes")


def no_patience(clicks: DataFrame) -> DataFrame:
    """A delay of zero

    After step 1 the watermark stood at {steps.1.watermark}, which is the newest click itself;
    {asked.steps.1.delay} of patience are asked for. None of these clicks needs them, so the rows are
    right. The next one may, and would find a window closed that should be open.
    """
    return _top(clicks, F.window("event_time", "10 minutes", "2 minutes"), delay="0 seconds")


def no_watermark(clicks: DataFrame) -> DataFrame:
    """Spark cannot tell when a row is final

    Spark refused the query. In append mode a row comes out once, when its time is over. For that
    a window has to be among the keys, as a whole and not its start alone, and a watermark has to be
    set before the grouping, on the column that the window is made of. `clicks.event_time`, the column
    of the DataFrame from before withWatermark, is another one.
    """
    return (
        clicks.groupBy(F.window("event_time", "10 minutes", "2 minutes"), "page")
        .agg(F.count("*").alias("clicks"))
        .where("clicks >= 3")
    )
