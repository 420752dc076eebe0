from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _chosen(clicks: DataFrame, condition: Column) -> DataFrame:
    return clicks.filter(condition).select("event_id", "page", "ms_on_page")


def seconds_for_milliseconds(clicks: DataFrame) -> DataFrame:
    """A limit far below thirty seconds

    A click of 900 ms came through, and one of 29 ms did not. Which unit does the column
    ms_on_page have, how many of it make thirty seconds, and is that the number in your condition?
    """
    long_enough = F.col("ms_on_page") >= 30
    return _chosen(clicks, (F.col("page") == "/checkout") & long_enough)


def prefix_for_page(clicks: DataFrame) -> DataFrame:
    """A page that begins alike taken for the same page

    A click on /checkout/help came through. It begins with /checkout, and is another page: does
    the task ask for a family of pages or for one?
    """
    return _chosen(clicks, F.col("page").startswith("/checkout") & (F.col("ms_on_page") >= 30000))


def ending_for_page(clicks: DataFrame) -> DataFrame:
    """A page that ends alike taken for the same page

    A click on /fruit/checkout came through. It ends with /checkout, and is another page: does the task
    ask for a family of pages or for one?
    """
    return _chosen(clicks, F.col("page").endswith("/checkout") & (F.col("ms_on_page") >= 30000))


def checkout_anywhere(clicks: DataFrame) -> DataFrame:
    """Every page with "checkout" in its name let in

    Clicks on /checkout/help and on /fruit/checkout came through. Both are other pages: does the task ask
    for a family of pages or for one?
    """
    return _chosen(clicks, F.col("page").contains("checkout") & (F.col("ms_on_page") >= 30000))


def boundary_left_out(clicks: DataFrame) -> DataFrame:
    """The boundary left out

    The click that lasted thirty seconds to the millisecond is missing. The task says "at least":
    which of "greater" and "greater or equal" is that?
    """
    return _chosen(clicks, (F.col("page") == "/checkout") & (F.col("ms_on_page") > 30000))


def either_is_enough(clicks: DataFrame) -> DataFrame:
    """One condition of two taken as enough

    Clicks came through for which only one of the two conditions holds. In PySpark, which sign
    joins two conditions so that both must hold? If you wrote down what is not wanted and negated
    it: a click is not wanted as soon as one of the two fails.
    """
    return _chosen(clicks, (F.col("page") == "/checkout") | (F.col("ms_on_page") >= 30000))


def unknown_taken_for_long(clicks: DataFrame) -> DataFrame:
    """A time that nobody knows taken for a long one

    The click e15, whose time on the page is null, came through. Nobody knows how long it lasted, and the
    task says that such a click is not one of them. What does your condition make of a null?
    """
    long_enough = F.col("ms_on_page").isNull() | (F.col("ms_on_page") >= 30000)
    return _chosen(clicks, (F.col("page") == "/checkout") & long_enough)


def python_and(clicks: DataFrame) -> DataFrame:
    """A column was asked for true or false

    `and`, `or`, `not`, `in` and `if` want to know now whether it is true, and a column is neither
    before rows arrive; so does `&` where the comparisons beside it have no brackets. Spark has signs
    and methods of its own that build a new column instead; beside a sign each part needs brackets.
    """
    return _chosen(clicks, F.col("page") == "/checkout" and F.col("ms_on_page") >= 30000)
