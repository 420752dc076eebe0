"""Days that are not Berlin's, or not for the whole year."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _windows(
    sales: DataFrame, time: Column, *, start: str = "0 seconds", delay: str = "10 minutes"
) -> DataFrame:
    return (
        sales.withColumn("local", time)
        .withWatermark("local", delay)
        .groupBy(F.window("local", "1 day", startTime=start))
        .agg(F.count("*").alias("sales"), F.sum("cents").alias("cents"))
    )


def _named(days: DataFrame, midnight: str | Column) -> DataFrame:
    return days.select(F.to_date(midnight).alias("day"), "sales", "cents")


def _days(sales: DataFrame, time: Column, *, start: str = "0 seconds") -> DataFrame:
    return _named(_windows(sales, time, start=start), "window.end")


def _local(time: Column) -> Column:
    return F.from_utc_timestamp(time, "Europe/Berlin")


def days_of_utc(sales: DataFrame) -> DataFrame:
    """The days run from midnight to midnight UTC

    The sale of 27 March 23:00:00 UTC came out with 27 March. In Berlin it was midnight by then, and
    28 March. A window knows no time zone: it is cut from UTC, whatever the session's time zone says.
    """
    days = _days(sales, F.col("sold_at"))
    return days.withColumn("day", F.date_sub("day", 1))


def winter_all_year(sales: DataFrame) -> DataFrame:
    """Winter time, all the year

    Up to 29 March the days are right; in summer they begin at 23:00 UTC, too, which is one in the
    morning in Berlin. An offset is the same all the year, and a window of a day is 24 hours. The
    clock in Berlin changes twice.
    """
    return _days(sales, F.col("sold_at"), start="23 hours")


def winter_and_a_day_early(sales: DataFrame) -> DataFrame:
    """Winter time, all the year, and each day a day early

    The days begin at 23:00 UTC and bear the date of that moment. In Berlin it is midnight by then,
    and the next date; but only in winter, in summer it is one in the morning. An offset is the same
    all the year, and a window of a day is 24 hours. On which clock does a day begin at midnight, all
    the year, and bear its own date?
    """
    return _named(_windows(sales, F.col("sold_at"), start="-1 hour"), "window.start")


def an_hour_ahead_all_year(sales: DataFrame) -> DataFrame:
    """An hour ahead of UTC, all the year

    Up to 29 March the days are right; in summer they begin at 23:00 UTC, too, which is one in the
    morning in Berlin. The clock there is one hour ahead in winter and two in summer. Which function
    knows when it changes?
    """
    ahead = F.col("sold_at") + F.expr("INTERVAL 1 HOUR")
    return _named(_windows(sales, ahead), "window.start")


def offset_of_an_hour(sales: DataFrame) -> DataFrame:
    """The days begin at one in the morning UTC

    The sale of 29 March 00:59:59 UTC came out with 28 March. An offset moves the cuts to a later
    time, and midnight in Berlin comes before that of UTC: by an hour in winter, by two in summer. An
    offset is the same all the year.
    """
    return _named(_windows(sales, F.col("sold_at"), start="1 hour"), "window.start")


def summer_all_year(sales: DataFrame) -> DataFrame:
    """Summer time, all the year

    The days begin at 22:00 UTC. That is right in summer and wrong in winter, when it is eleven at
    night in Berlin. An offset is the same all the year, and a window of a day is 24 hours.
    """
    return _days(sales, F.col("sold_at"), start="22 hours")


def the_wrong_way_round(sales: DataFrame) -> DataFrame:
    """The clock is turned the wrong way

    The days begin at one or two o'clock in the morning UTC: the hours of Berlin were taken off
    where they have to be added. `from_utc_timestamp` goes from UTC to a clock on a wall,
    `to_utc_timestamp` comes back.
    """
    days = _days(sales, F.to_utc_timestamp("sold_at", "Europe/Berlin"))
    return days.withColumn("day", F.date_sub("day", 1))


def over_with_the_first_sale(sales: DataFrame) -> DataFrame:
    """A day comes out with the first sale of the next

    28 March came out in step 2, with the first sale of the 29th, and what was ten minutes late was
    dropped. Times that are cut down to their day have lost their hours; the watermark cannot tell
    any more whether it is midnight or noon. Let the window do the cutting.
    """
    stamped = sales.withColumn("day", F.date_trunc("day", _local(F.col("sold_at"))))
    days = (
        stamped.withWatermark("day", "10 minutes")
        .groupBy("day")
        .agg(F.count("*").alias("sales"), F.sum("cents").alias("cents"))
    )
    return days.select(F.to_date("day").alias("day"), "sales", "cents")


def no_patience(sales: DataFrame) -> DataFrame:
    """A delay of zero

    28 March came out in step 2, and a sale of that day was dropped in step 3. After step 2 the
    watermark stood at {steps.2.watermark} on the clock in Berlin, which is the newest sale itself;
    ten minutes of patience are asked for.
    """
    return _named(_windows(sales, _local(F.col("sold_at")), delay="0 minutes"), "window.start")


def an_hour_of_patience(sales: DataFrame) -> DataFrame:
    """A day stays open an hour longer

    28 March came out in step 4, with a sale that should have found it over; it was due in step 3.
    After step 3 the watermark stood at {steps.3.watermark} on the clock in Berlin, where the newest
    sale was of 00:10:00. How late may a sale be?
    """
    return _named(_windows(sales, _local(F.col("sold_at")), delay="1 hour"), "window.start")


def watermark_on_a_date(sales: DataFrame) -> DataFrame:
    """The watermark is set on a column that is no timestamp

    Spark refused the query. A watermark takes a timestamp. A date has no time of day, so nothing can
    be ten minutes behind it, and to Spark a text is no time at all. Which column has both, the clock
    in Berlin and the minutes, and what could cut it into days?
    """
    dated = sales.withColumn("day", F.to_date(_local(F.col("sold_at"))))
    counted = dated.withWatermark("day", "10 minutes").groupBy("day")
    return counted.agg(F.count("*").alias("sales"), F.sum("cents").alias("cents"))


def unseen_watermark(sales: DataFrame) -> DataFrame:
    """Spark cannot see when a day is over

    Spark refused the query. The watermark has to be set on the very column that the days are cut
    from, and the window that cuts them has to be a key of the grouping, as a whole. A column that is
    computed from either, such as the local time, its date or the window's, is another one. Which
    column of yours bears a watermark, if any does, and by what do you group?
    """
    timed = sales.withWatermark("sold_at", "10 minutes")
    days = timed.groupBy(F.to_date(_local(F.col("sold_at"))).alias("day"))
    return days.agg(F.count("*").alias("sales"), F.sum("cents").alias("cents"))


def _by_window_and_date(sales: DataFrame, start: str) -> DataFrame:
    days = (
        sales.withWatermark("sold_at", "10 minutes")
        .withColumn("day", F.to_date(_local(F.col("sold_at"))))
        .groupBy(F.window("sold_at", "1 day", startTime=start), "day")
        .agg(F.count("*").alias("sales"), F.sum("cents").alias("cents"))
    )
    return days.drop("window")


def window_of_utc_and_local_date(sales: DataFrame) -> DataFrame:
    """A day comes out in two pieces

    The sale of 27 March 23:00:00 UTC came out in step 1 as a row of its own. In Berlin it is of
    28 March, as that of noon is; but midnight UTC lies between them, and there the day was cut in
    two. Which column, put into a window, begins at midnight in Berlin?
    """
    return _by_window_and_date(sales, "0 seconds")


def window_of_winter_and_local_date(sales: DataFrame) -> DataFrame:
    """In summer a day comes out in two pieces

    25 October began at 22:00 UTC. Its first sale came out in step 5 as a row of its own, the others
    in step 7: at 23:00 UTC the day was cut in two, where in winter it begins. Which column, put into
    a window, begins at midnight in Berlin all the year?
    """
    return _by_window_and_date(sales, "-1 hour")


def named_by_its_end(sales: DataFrame) -> DataFrame:
    """The days bear the name of the next one

    The sums are right, each a day too late: a local day ends at midnight, and that is the first
    moment of the day after. Take the date of the window's start.
    """
    return _days(sales, _local(F.col("sold_at")))


def named_by_the_evening_before(sales: DataFrame) -> DataFrame:
    """The days bear the name of the one before

    The sums are right, each a day too early. On the clock in Berlin a window of the local time starts
    at midnight, and its date is the day's. Whatever takes hours off it, such as going back to UTC,
    leads into the evening before.
    """
    days = _windows(sales, _local(F.col("sold_at")))
    return _named(days, F.to_utc_timestamp("window.start", "Europe/Berlin"))


def vouchers_are_no_sales(sales: DataFrame) -> DataFrame:
    """A sale without an amount is not counted

    The sale that was paid by voucher is missing in `sales`. `count` of a column leaves out the rows
    in which it is null, and so does a condition on it; `count("*")` counts rows.
    """
    days = (
        sales.withColumn("local", _local(F.col("sold_at")))
        .withWatermark("local", "10 minutes")
        .groupBy(F.window("local", "1 day"))
        .agg(F.count("cents").alias("sales"), F.sum("cents").alias("cents"))
    )
    return days.select(F.to_date("window.start").alias("day"), "sales", "cents")


def vouchers_left_out(sales: DataFrame) -> DataFrame:
    """Sales without an amount are left out

    27 October has no row: its only sale was paid by voucher, and the one of 25 October is missing in
    `sales`, too. They are sales. `sum` passes over a null by itself.
    """
    paid = sales.where(F.col("cents").isNotNull())
    return _named(_windows(paid, _local(F.col("sold_at"))), "window.start")


def vouchers_bring_zero(sales: DataFrame) -> DataFrame:
    """A day of vouchers has a sum of 0

    The only sale of 27 October was paid by voucher; its sum came out as 0, and the task asks for
    null. `sum` gives that by itself where all it is given is null. What makes it 0 in yours?
    """
    paid = sales.fillna(0, ["cents"])
    return _named(_windows(paid, _local(F.col("sold_at"))), "window.start")
