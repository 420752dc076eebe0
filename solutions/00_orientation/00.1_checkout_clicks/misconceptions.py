from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _chosen(clicks: DataFrame, condition: Column) -> DataFrame:
    return clicks.filter(condition).select("event_id", "page", "ms_on_page")


def seconds_for_milliseconds(clicks: DataFrame) -> DataFrame:
    """Limit far below 30 seconds

    Your query kept a click of 900 ms and dropped one of 29 ms. The column ms_on_page is in
    milliseconds. How many milliseconds are 30 seconds, and is that the number in your condition?
    """
    long_enough = F.col("ms_on_page") >= 30
    return _chosen(clicks, (F.col("page") == "/checkout") & long_enough)


def prefix_for_page(clicks: DataFrame) -> DataFrame:
    """Prefix match instead of equality

    Your query kept a click on /checkout/help. Its page begins with /checkout, and it is a different
    page. Which comparison is true for one page only?
    """
    return _chosen(clicks, F.col("page").startswith("/checkout") & (F.col("ms_on_page") >= 30000))


def ending_for_page(clicks: DataFrame) -> DataFrame:
    """Suffix match instead of equality

    Your query kept a click on /fruit/checkout. Its page ends with /checkout, and it is a different
    page. Which comparison is true for one page only?
    """
    return _chosen(clicks, F.col("page").endswith("/checkout") & (F.col("ms_on_page") >= 30000))


def checkout_anywhere(clicks: DataFrame) -> DataFrame:
    """Substring match instead of equality

    Your query kept clicks on /checkout/help and on /fruit/checkout. Both are different pages. Which
    comparison is true for one page only?
    """
    return _chosen(clicks, F.col("page").contains("checkout") & (F.col("ms_on_page") >= 30000))


def boundary_left_out(clicks: DataFrame) -> DataFrame:
    """Strict comparison at the limit

    The click that lasted exactly 30,000 ms is missing. The task says "at least". Which comparison
    includes the limit?
    """
    return _chosen(clicks, (F.col("page") == "/checkout") & (F.col("ms_on_page") > 30000))


def either_is_enough(clicks: DataFrame) -> DataFrame:
    """One true condition instead of two

    Your query kept clicks for which only one of the two conditions is true. In PySpark, `&` means
    that both must be true. If you negated the opposite condition, `~(a & b)` is true as soon as one
    of them is false. Which operator joins your conditions?
    """
    return _chosen(clicks, (F.col("page") == "/checkout") | (F.col("ms_on_page") >= 30000))


def unknown_taken_for_long(clicks: DataFrame) -> DataFrame:
    """Null kept as a long visit

    Your query kept the click e15, whose ms_on_page is null. The task says to drop it. What is the
    value of your condition for a null?
    """
    long_enough = F.col("ms_on_page").isNull() | (F.col("ms_on_page") >= 30000)
    return _chosen(clicks, (F.col("page") == "/checkout") & long_enough)


def python_and(clicks: DataFrame) -> DataFrame:
    """Python operator on a column

    Spark cannot convert a column to True or False, because a column has no value before rows
    arrive. The Python keywords `and`, `or`, `not`, `in` and `if` need such a value. So does `&` if
    the comparisons around it have no parentheses. Use `&`, `|`, `~` and `isin`, and put each
    comparison in parentheses. Which of these does your condition use?
    """
    return _chosen(clicks, F.col("page") == "/checkout" and F.col("ms_on_page") >= 30000)
