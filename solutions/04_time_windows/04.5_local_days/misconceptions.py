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
    """Days from midnight to midnight UTC

    Spark counted the sale of 27 March 23:00:00 UTC for 27 March. In Berlin it was midnight by
    then, and 28 March. Windows follow UTC, whatever the session's time zone is. Which column
    follows the clock in Berlin?
    """
    days = _days(sales, F.col("sold_at"))
    return days.withColumn("day", F.date_sub("day", 1))


def winter_all_year(sales: DataFrame) -> DataFrame:
    """Winter time all year

    Up to 29 March the days are right. In summer they also begin at 23:00 UTC, which is 01:00 in
    Berlin. An offset is the same all year, and a window of a day is 24 hours. Which function
    follows the change of the clock?
    """
    return _days(sales, F.col("sold_at"), start="23 hours")


def winter_and_a_day_early(sales: DataFrame) -> DataFrame:
    """Winter time all year, and the date of UTC

    The days begin at 23:00 UTC and have the date of that moment. In Berlin it is midnight by
    then, and the next date, but only in winter; in summer it is 01:00. An offset is the same
    all year. On which clock does every day begin at midnight, with its own date?
    """
    return _named(_windows(sales, F.col("sold_at"), start="-1 hour"), "window.start")


def an_hour_ahead_all_year(sales: DataFrame) -> DataFrame:
    """One hour ahead of UTC all year

    Up to 29 March the days are right. In summer they also begin at 23:00 UTC, which is 01:00 in
    Berlin. The clock there is one hour ahead in winter and two in summer. Which function
    follows the change of the clock?
    """
    ahead = F.col("sold_at") + F.expr("INTERVAL 1 HOUR")
    return _named(_windows(sales, ahead), "window.start")


def offset_of_an_hour(sales: DataFrame) -> DataFrame:
    """Days from 01:00 to 01:00 UTC

    Spark counted the sale of 29 March 00:59:59 UTC for 28 March. A positive offset moves
    windows to a later time. Midnight in Berlin is earlier than midnight UTC: by an hour in
    winter, by two in summer. Can one offset be right all year?
    """
    return _named(_windows(sales, F.col("sold_at"), start="1 hour"), "window.start")


def summer_all_year(sales: DataFrame) -> DataFrame:
    """Summer time all year

    The days begin at 22:00 UTC. That is right in summer; in winter it is 23:00 in Berlin. An
    offset is the same all year, and a window of a day is 24 hours. Which function follows the
    change of the clock?
    """
    return _days(sales, F.col("sold_at"), start="22 hours")


def the_wrong_way_round(sales: DataFrame) -> DataFrame:
    """Conversion in the wrong direction

    The days begin at 01:00 or 02:00 UTC: the hours of Berlin were subtracted instead of added.
    One of `from_utc_timestamp` and `to_utc_timestamp` turns a moment into the time on a local
    clock. Which one?
    """
    days = _days(sales, F.to_utc_timestamp("sold_at", "Europe/Berlin"))
    return days.withColumn("day", F.date_sub("day", 1))


def over_with_the_first_sale(sales: DataFrame) -> DataFrame:
    """Days that are emitted with the first sale of the next

    Spark emitted 28 March in step 2, with the first sale of 29 March, and dropped what was
    within ten minutes. A time that is truncated to the day has no hours, so the watermark
    cannot tell midnight from noon. Which call can make days of the full time?
    """
    stamped = sales.withColumn("day", F.date_trunc("day", _local(F.col("sold_at"))))
    days = (
        stamped.withWatermark("day", "10 minutes")
        .groupBy("day")
        .agg(F.count("*").alias("sales"), F.sum("cents").alias("cents"))
    )
    return days.select(F.to_date("day").alias("day"), "sales", "cents")


def no_patience(sales: DataFrame) -> DataFrame:
    """Delay of zero

    Spark emitted 28 March in step 2, and dropped a sale of that day in step 3. After step 2 the
    watermark was {steps.2.watermark} on the clock in Berlin, the newest sale itself. How far
    behind may a sale be?
    """
    return _named(_windows(sales, _local(F.col("sold_at")), delay="0 minutes"), "window.start")


def an_hour_of_patience(sales: DataFrame) -> DataFrame:
    """Delay longer than required

    Spark emitted 28 March in step 4, with a sale that arrived after its day should have closed;
    expected in step 3. After step 3 the watermark was {steps.3.watermark} on the clock in
    Berlin, and the newest sale was of 00:10:00. How far behind may a sale be?
    """
    return _named(_windows(sales, _local(F.col("sold_at")), delay="1 hour"), "window.start")


def watermark_on_a_date(sales: DataFrame) -> DataFrame:
    """Watermark on a column that is no timestamp

    Spark refused the query. A watermark needs a timestamp; a date has no time of day, and a
    string is no time at all. Which column has the local time with its minutes, and which call
    can make days of it?
    """
    dated = sales.withColumn("day", F.to_date(_local(F.col("sold_at"))))
    counted = dated.withWatermark("day", "10 minutes").groupBy("day")
    return counted.agg(F.count("*").alias("sales"), F.sum("cents").alias("cents"))


def unseen_watermark(sales: DataFrame) -> DataFrame:
    """No watermark that Spark can use for the day

    Spark refused the query. The watermark must be set on the column that the window is made of,
    and the whole window must be a grouping key. A column that is computed from either is
    another column, such as the local time, its date or the window's date. Which of your columns
    has a watermark, and by what do you group?
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
    """Days in two rows

    Spark emitted the sale of 27 March 23:00:00 UTC in step 1 as a row of its own. In Berlin it
    belongs to 28 March, like the sale of noon. But midnight UTC is between them, and there a
    window of UTC ends. Which column has windows that begin at midnight in Berlin?
    """
    return _by_window_and_date(sales, "0 seconds")


def window_of_winter_and_local_date(sales: DataFrame) -> DataFrame:
    """Summer days in two rows

    In Berlin 25 October began at 22:00 UTC. Spark emitted its first sale in step 5 as a row of
    its own, the others in step 7. At 23:00 UTC, where a day begins in winter, the window ended.
    Which column has windows that begin at midnight in Berlin all year?
    """
    return _by_window_and_date(sales, "-1 hour")


def named_by_its_end(sales: DataFrame) -> DataFrame:
    """Days named by their end

    The sums are right, but each date is a day later than expected. A local day ends at
    midnight, which is the first moment of the next day. Which field of the window has the date
    of the day?
    """
    return _days(sales, _local(F.col("sold_at")))


def named_by_the_evening_before(sales: DataFrame) -> DataFrame:
    """Days named by the day before

    The sums are right, but each date is a day earlier than expected. On the clock in Berlin a
    window of the local time starts at midnight, and its date is the day's. A conversion back to
    UTC subtracts hours and leads to the day before. What is applied to the window's start in
    your query?
    """
    days = _windows(sales, _local(F.col("sold_at")))
    return _named(days, F.to_utc_timestamp("window.start", "Europe/Berlin"))


def vouchers_are_no_sales(sales: DataFrame) -> DataFrame:
    """Count of a column that may be null

    The sale that was paid by voucher is missing in `sales`. The call `count` of a column skips
    rows in which the column is null, and so does a condition on that column. Which call counts
    rows?
    """
    days = (
        sales.withColumn("local", _local(F.col("sold_at")))
        .withWatermark("local", "10 minutes")
        .groupBy(F.window("local", "1 day"))
        .agg(F.count("cents").alias("sales"), F.sum("cents").alias("cents"))
    )
    return days.select(F.to_date("window.start").alias("day"), "sales", "cents")


def vouchers_left_out(sales: DataFrame) -> DataFrame:
    """Sales without an amount left out

    27 October has no row: its only sale was paid by voucher. The voucher of 25 October is
    missing in `sales`, too. Vouchers are sales, and `sum` skips a null by itself. Which line of
    your query removes them?
    """
    paid = sales.where(F.col("cents").isNotNull())
    return _named(_windows(paid, _local(F.col("sold_at"))), "window.start")


def vouchers_bring_zero(sales: DataFrame) -> DataFrame:
    """Sum of 0 for a day of vouchers

    The only sale of 27 October was paid by voucher. Its sum is 0; expected null. If all values
    are null, `sum` returns null by itself. What makes it 0 in your query?
    """
    paid = sales.fillna(0, ["cents"])
    return _named(_windows(paid, _local(F.col("sold_at"))), "window.start")
