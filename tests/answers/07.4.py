"""Answers to 07.4: other repairs of the piled-up scans, right and wrong."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def _whole(scans: DataFrame) -> DataFrame:
    return scans.withColumn("scanned_at", F.date_trunc("second", "scanned_at"))


def right_second_beside_the_time(scans: DataFrame) -> DataFrame:
    """Leaves the watermark where it was, puts the second into a column of its own, and forgets within the watermark

    No scan is ten minutes or more behind in whole seconds, so none is late by its full time either; a copy is less than a second from its
    original.
    """
    timed = scans.withWatermark("scanned_at", "10 minutes").withColumn(
        "second", F.date_trunc("second", "scanned_at")
    )
    once = timed.dropDuplicatesWithinWatermark(["parcel_id", "second"])
    return once.select("parcel_id", "gate", F.col("second").alias("scanned_at"))


def right_windows_of_one_second(scans: DataFrame) -> DataFrame:
    """The key is the parcel and a window of one second, which carries the watermark

    The start of the window is the time in whole seconds.
    """
    timed = scans.withWatermark("scanned_at", "10 minutes")
    keyed = timed.select("parcel_id", "gate", F.window("scanned_at", "1 second").alias("w"))
    once = keyed.dropDuplicates(["parcel_id", "w"])
    return once.select("parcel_id", "gate", F.col("w.start").alias("scanned_at"))


def right_cut_by_a_cast(scans: DataFrame) -> DataFrame:
    """Cuts the milliseconds by a cast to whole seconds and back, before the watermark

    All three columns are compared, columns in another order.
    """
    whole = scans.select(
        "gate", F.col("scanned_at").cast("long").cast("timestamp").alias("scanned_at"), "parcel_id"
    )
    return whole.withWatermark("scanned_at", "10 minutes").dropDuplicatesWithinWatermark()


def right_written_and_read_again(scans: DataFrame) -> DataFrame:
    """Writes the time without milliseconds and reads it again, before the watermark

    In the session's zone, which is UTC in the lab.
    """
    text = F.date_format("scanned_at", "yyyy-MM-dd HH:mm:ss")
    whole = scans.withColumn("scanned_at", F.to_timestamp(text, "yyyy-MM-dd HH:mm:ss"))
    timed = whole.withWatermark("scanned_at", "600 seconds")
    return timed.dropDuplicates(["scanned_at", "parcel_id"])


def wrong_second_of_the_minute(scans: DataFrame) -> DataFrame:
    """ "Parcel and second": F.second, the number from 0 to 59, is the key, within the watermark

    A parcel at 12:00:05 and 12:01:05 is scanned twice, and one of them is lost.
    """
    timed = _whole(scans).withWatermark("scanned_at", "10 minutes")
    once = timed.withColumn("second", F.second("scanned_at")).dropDuplicatesWithinWatermark(
        ["parcel_id", "second"]
    )
    return once.drop("second")


def wrong_minute_and_second(scans: DataFrame) -> DataFrame:
    """The key is the parcel and the text mm:ss, without the hour

    An hour later the same text is another scan; it is forgotten by then, unless both come in one step or the stream stands still.
    """
    timed = _whole(scans).withWatermark("scanned_at", "10 minutes")
    once = timed.withColumn("at", F.date_format("scanned_at", "mm:ss"))
    return once.dropDuplicatesWithinWatermark(["parcel_id", "at"]).drop("at")


def wrong_never_set(scans: DataFrame) -> DataFrame:
    """Takes dropDuplicatesWithinWatermark, and no withWatermark at all

    Refused.
    """
    return _whole(scans).dropDuplicatesWithinWatermark(["parcel_id", "scanned_at"])


def wrong_set_behind(scans: DataFrame) -> DataFrame:
    """Sets the watermark behind dropDuplicatesWithinWatermark

    Refused.
    """
    once = _whole(scans).dropDuplicatesWithinWatermark(["parcel_id", "scanned_at"])
    return once.withWatermark("scanned_at", "10 minutes")


def wrong_gate_and_second_of_the_minute(scans: DataFrame) -> DataFrame:
    """Parcel, gate and F.second, within the watermark

    The same gate at 12:40:00 and 12:46:00 is scanned twice.
    """
    timed = _whole(scans).withWatermark("scanned_at", "10 minutes")
    once = timed.withColumn("second", F.second("scanned_at")).dropDuplicatesWithinWatermark(
        ["parcel_id", "gate", "second"]
    )
    return once.drop("second")


def wrong_every_two_seconds(scans: DataFrame) -> DataFrame:
    """Parcel and pieces of two seconds, within the watermark

    "Never two in the same second" allows two in neighbouring ones.
    """
    timed = _whole(scans).withWatermark("scanned_at", "10 minutes")
    once = timed.withColumn("piece", F.floor(F.unix_timestamp("scanned_at") / 2))
    return once.dropDuplicatesWithinWatermark(["parcel_id", "piece"]).drop("piece")


def wrong_window_and_time(scans: DataFrame) -> DataFrame:
    """Parcel and a window of one second are the key, and the time comes along

    Refused: two columns bear the watermark.
    """
    timed = scans.withWatermark("scanned_at", "10 minutes")
    keyed = timed.withColumn("w", F.window("scanned_at", "1 second"))
    once = keyed.dropDuplicates(["parcel_id", "w"])
    return _whole(once).select("parcel_id", "gate", "scanned_at")


def wrong_time_of_day(scans: DataFrame) -> DataFrame:
    """Compares parcel and time of day within the watermark

    A parcel at the same second of two days, both in one step: the second scan is lost.
    """
    timed = _whole(scans).withWatermark("scanned_at", "10 minutes")
    once = timed.withColumn("at", F.date_format("scanned_at", "HH:mm:ss"))
    return once.dropDuplicatesWithinWatermark(["parcel_id", "at"]).drop("at")
