"""Repairs that evict nothing, or that cost scans."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def _whole_seconds(scans: DataFrame, unit: str = "second") -> DataFrame:
    return scans.withColumn("scanned_at", F.date_trunc(unit, "scanned_at"))


def still_piled(scans: DataFrame) -> DataFrame:
    """Watermark lost: every scan is still in state

    The rows are right, but after step 6 {steps.6.state} of them are in state; {asked.steps.6.state} is enough. The
    watermark advances but evicts no key. The time in the key is not the column on which the watermark was set.
    What does the metadata of that column say?
    """
    timed = _whole_seconds(scans.withWatermark("scanned_at", "10 minutes"))
    return timed.dropDuplicates(["parcel_id", "scanned_at"])


def parcel_for_its_scan(scans: DataFrame) -> DataFrame:
    """Parcel as identity: the next scan is dropped as a duplicate

    Scans are missing: those of parcels that were scanned again within minutes. The id of a parcel does not
    identify a scan. What else belongs in the key here?
    """
    timed = _whole_seconds(scans).withWatermark("scanned_at", "10 minutes")
    return timed.dropDuplicatesWithinWatermark(["parcel_id"])


def gate_for_its_second(scans: DataFrame) -> DataFrame:
    """Parcel and gate as identity

    A scan is missing: the parcel was at the same gate again minutes later. At another gate the parcel's scan was
    emitted. Parcel and gate do not identify a scan. What is the same in a repeated scan, once the milliseconds are
    gone, and different in a scan of its own?
    """
    timed = _whole_seconds(scans).withWatermark("scanned_at", "10 minutes")
    return timed.dropDuplicatesWithinWatermark(["parcel_id", "gate"])


def each_parcel_once_for_ever(scans: DataFrame) -> DataFrame:
    """Parcel as identity, and no eviction

    Scans are missing: each parcel was emitted once, even if it returned much later. After step 6 {steps.6.state}
    ids are in state. The id of a parcel says neither which scan it is nor when it can be evicted. Which column
    says both?
    """
    timed = _whole_seconds(scans).withWatermark("scanned_at", "10 minutes")
    return timed.dropDuplicates(["parcel_id"])


def seconds_cut_too_late(scans: DataFrame) -> DataFrame:
    """Milliseconds truncated after the deduplication

    State shrinks, but scans were emitted twice: once with their milliseconds and once without. To the
    deduplication these are two different times. Where must the milliseconds be removed?
    """
    timed = scans.withWatermark("scanned_at", "10 minutes")
    return _whole_seconds(timed.dropDuplicates(["parcel_id", "scanned_at"]))


def whole_minutes(scans: DataFrame) -> DataFrame:
    """Time truncated to the minute

    The scans were emitted with their minute, and two scans of one minute became one. A repeated scan lacks only
    the milliseconds. Which unit do you truncate to?
    """
    timed = _whole_seconds(scans, "minute").withWatermark("scanned_at", "10 minutes")
    return timed.dropDuplicates(["parcel_id", "scanned_at"])


def second_of_the_minute(scans: DataFrame) -> DataFrame:
    """Second of the minute in the key

    A scan is missing: its parcel had been scanned minutes before, at the same second of another minute. Two scans
    of one minute were emitted, even one second apart. Does your key say which minute, hour and day a second
    belongs to?
    """
    timed = _whole_seconds(scans).withWatermark("scanned_at", "10 minutes")
    numbered = timed.withColumn("second", F.second("scanned_at"))
    return numbered.dropDuplicatesWithinWatermark(["parcel_id", "second"]).drop("second")


def hurried(scans: DataFrame) -> DataFrame:
    """Watermark delay too short

    After step 2 the watermark was {steps.2.delay} behind the newest scan; {asked.steps.2.delay} are required.
    State is small, but a scan that was not late by the task was dropped. Is the delay what had to be repaired?
    """
    timed = _whole_seconds(scans).withWatermark("scanned_at", "1 minute")
    return timed.dropDuplicates(["parcel_id", "scanned_at"])


def within_a_lost_watermark(scans: DataFrame) -> DataFrame:
    """No watermark before dropDuplicatesWithinWatermark

    Spark rejected the query: no input column of dropDuplicatesWithinWatermark has a watermark. If your query sets
    one before: a column that is computed again has none, which is also why the old query kept everything. If your
    query sets none, or sets it after that call: Spark needs it before. On which line is yours?
    """
    timed = _whole_seconds(scans.withWatermark("scanned_at", "10 minutes"))
    return timed.dropDuplicatesWithinWatermark(["parcel_id", "scanned_at"])


def window_beside_the_time(scans: DataFrame) -> DataFrame:
    """Two columns with a watermark in one operator

    Spark rejected the query: two of its columns have a watermark. A window has the watermark of its time, and the
    time itself is still there, because something at or downstream of your operator reads it. A window of one
    second says all that is needed of the time. Which of the two can you drop before the operator?
    """
    timed = scans.withWatermark("scanned_at", "10 minutes")
    keyed = timed.withColumn("second", F.window("scanned_at", "1 second"))
    once = keyed.dropDuplicatesWithinWatermark(["parcel_id", "second"])
    return _whole_seconds(once).drop("second")


def two_watermarks(scans: DataFrame) -> DataFrame:
    """Second watermark after the first

    Spark rejects a second withWatermark after the first one as soon as time has advanced. Which of the two is on
    the column that the key compares? A column that is computed again has no watermark, so the first one is lost
    with the old column. Which of the two can you remove?
    """
    timed = _whole_seconds(scans.withWatermark("scanned_at", "10 minutes"))
    again = timed.withWatermark("scanned_at", "10 minutes")
    return again.dropDuplicates(["parcel_id", "scanned_at"])


def waits_twice_as_long(scans: DataFrame) -> DataFrame:
    """Watermark delay too long

    After step 2 the watermark was {steps.2.delay} behind the newest scan; {asked.steps.2.delay} are required. The
    rows are right, but keys stay in state longer than needed. How far behind can a scan be by the rules?
    """
    timed = _whole_seconds(scans).withWatermark("scanned_at", "20 minutes")
    return timed.dropDuplicates(["parcel_id", "scanned_at"])


def waits_twice_as_long_within(scans: DataFrame) -> DataFrame:
    """Watermark delay too long within the watermark

    After step 2 the watermark was {steps.2.delay} behind the newest scan; {asked.steps.2.delay} are required. The
    rows are right, but this operator keeps a key for one delay more, so the state is larger still. How far behind
    can a scan be by the rules?
    """
    timed = _whole_seconds(scans).withWatermark("scanned_at", "20 minutes")
    return timed.dropDuplicatesWithinWatermark(["parcel_id", "scanned_at"])


def grouped_by_the_second(scans: DataFrame) -> DataFrame:
    """Time windows instead of a deduplication

    Scans were emitted when their second had closed, not at once, and the newest scan is missing. An aggregation in
    append mode waits for the watermark. Which operator emits a row when it arrives?
    """
    timed = scans.withWatermark("scanned_at", "10 minutes")
    grouped = timed.groupBy("parcel_id", F.window("scanned_at", "1 second"))
    once = grouped.agg(F.first("gate").alias("gate"))
    return once.select("parcel_id", "gate", F.col("window.start").alias("scanned_at"))


def scans_without_a_gate(scans: DataFrame) -> DataFrame:
    """Filter on gate: scans without a gate are missing

    A scan whose gate is null was not emitted. A null in a column that is not the identity says nothing about the
    scan. Which part of your query drops rows with a null?
    """
    known = scans.where(F.col("gate").isNotNull())
    timed = _whole_seconds(known).withWatermark("scanned_at", "10 minutes")
    return timed.dropDuplicates(["parcel_id", "scanned_at"])
