"""Other right repairs."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def within_the_watermark(scans: DataFrame) -> DataFrame:
    """Parcel and second within the watermark: right as well, every key is kept for one delay more."""
    whole = scans.withColumn("scanned_at", F.date_trunc("second", "scanned_at"))
    timed = whole.withWatermark("scanned_at", "10 minutes")
    return timed.dropDuplicatesWithinWatermark(["parcel_id", "scanned_at"])


def every_column(scans: DataFrame) -> DataFrame:
    """Cuts in SQL, and compares all the columns, because a duplicate has the gate of its scan."""
    whole = scans.selectExpr("parcel_id", "gate", "date_trunc('SECOND', scanned_at) AS scanned_at")
    return whole.withWatermark("scanned_at", "600 seconds").dropDuplicates()
