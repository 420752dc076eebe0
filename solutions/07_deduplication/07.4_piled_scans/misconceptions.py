"""Repairs that leave the ids where they are, or cost scans."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def _whole_seconds(scans: DataFrame, unit: str = "second") -> DataFrame:
    return scans.withColumn("scanned_at", F.date_trunc(unit, "scanned_at"))


def still_piled(scans: DataFrame) -> DataFrame:
    """Every scan is still kept

    The rows are right, and after step 6 {steps.6.state} of them are kept; {asked.steps.6.state} is
    enough. The watermark moves, and no row of the state can be held against it: the time in the key
    is not the column that the watermark was set on. Print its metadata.
    """
    timed = _whole_seconds(scans.withWatermark("scanned_at", "10 minutes"))
    return timed.dropDuplicates(["parcel_id", "scanned_at"])


def parcel_for_its_scan(scans: DataFrame) -> DataFrame:
    """A parcel's next scan is taken for a copy

    Scans are missing: those of parcels that were seen again within minutes. Which scan it is, a
    parcel's id does not say. Here the time belongs to what is compared.
    """
    timed = _whole_seconds(scans).withWatermark("scanned_at", "10 minutes")
    return timed.dropDuplicatesWithinWatermark(["parcel_id"])


def gate_for_its_second(scans: DataFrame) -> DataFrame:
    """A scan at the same gate minutes later is taken for a copy

    A scan is missing: that of a parcel which was at the same gate again minutes later. A parcel passing
    the next gate came out. Parcel and gate do not yet say which scan it is: what is the same in a copy,
    once the milliseconds are gone, and another in a scan of its own?
    """
    timed = _whole_seconds(scans).withWatermark("scanned_at", "10 minutes")
    return timed.dropDuplicatesWithinWatermark(["parcel_id", "gate"])


def each_parcel_once_for_ever(scans: DataFrame) -> DataFrame:
    """Each parcel comes out once and never again

    Scans are missing: of every parcel only one came out, also of those that were back much later,
    and after step 6 {steps.6.state} ids are kept. A parcel's id says neither which scan it is nor
    when it may be forgotten.
    """
    timed = _whole_seconds(scans).withWatermark("scanned_at", "10 minutes")
    return timed.dropDuplicates(["parcel_id"])


def seconds_cut_too_late(scans: DataFrame) -> DataFrame:
    """Copies without milliseconds are no longer recognised

    State shrinks, and scans came out twice: once with their milliseconds and once without, which are
    two different times when they are compared. The milliseconds must be gone before that.
    """
    timed = scans.withWatermark("scanned_at", "10 minutes")
    return _whole_seconds(timed.dropDuplicates(["parcel_id", "scanned_at"]))


def whole_minutes(scans: DataFrame) -> DataFrame:
    """Cut to the minute

    The scans came out with the minute in which they were made, and two of one minute are one. What
    copies lack is the milliseconds; the seconds are right in all of them.
    """
    timed = _whole_seconds(scans, "minute").withWatermark("scanned_at", "10 minutes")
    return timed.dropDuplicates(["parcel_id", "scanned_at"])


def second_of_the_minute(scans: DataFrame) -> DataFrame:
    """The same second of another minute is taken for a copy

    A scan is missing: its parcel had been scanned minutes before, with the same number of seconds on the
    clock. Two scans of one minute came out, even a second apart. Does what you compare say to which
    minute a second belongs, and to which hour and day?
    """
    timed = _whole_seconds(scans).withWatermark("scanned_at", "10 minutes")
    numbered = timed.withColumn("second", F.second("scanned_at"))
    return numbered.dropDuplicatesWithinWatermark(["parcel_id", "second"]).drop("second")


def hurried(scans: DataFrame) -> DataFrame:
    """Small state by losing scans

    After step 2 the watermark stood {steps.2.delay} behind the newest scan; {asked.steps.2.delay}
    are asked for. State is small, and a scan that came in time was thrown away. How late scans
    may be is not what had to be repaired.
    """
    timed = _whole_seconds(scans).withWatermark("scanned_at", "1 minute")
    return timed.dropDuplicates(["parcel_id", "scanned_at"])


def within_a_lost_watermark(scans: DataFrame) -> DataFrame:
    """Within a watermark that the stream does not have

    Spark refuses dropDuplicatesWithinWatermark where no column carries a watermark. If one was set
    before, it was lost on the way: a column that is computed anew carries none. That is also why the
    query as it was kept everything. If none was set, or only behind that call: Spark needs it there.
    """
    timed = _whole_seconds(scans.withWatermark("scanned_at", "10 minutes"))
    return timed.dropDuplicatesWithinWatermark(["parcel_id", "scanned_at"])


def window_beside_the_time(scans: DataFrame) -> DataFrame:
    """Two columns with a watermark in front of one operator

    Spark refuses: a window bears the watermark of the time that it is made of, and the time itself still
    comes along, as something at or behind your operator reads it. A window of one second says all that is
    needed of the time. Which of the two can go before the operator?
    """
    timed = scans.withWatermark("scanned_at", "10 minutes")
    keyed = timed.withColumn("second", F.window("scanned_at", "1 second"))
    once = keyed.dropDuplicatesWithinWatermark(["parcel_id", "second"])
    return _whole_seconds(once).drop("second")


def two_watermarks(scans: DataFrame) -> DataFrame:
    """Two watermarks on one way

    Spark refuses a second withWatermark behind a first one as soon as the time has moved. Which of
    the two stands on the column that the key compares? A column that is computed anew carries no
    mark: if the first watermark was set before that, it is lost with the old column. Take it away,
    and keep the one on the new column.
    """
    timed = _whole_seconds(scans.withWatermark("scanned_at", "10 minutes"))
    again = timed.withWatermark("scanned_at", "10 minutes")
    return again.dropDuplicates(["parcel_id", "scanned_at"])
