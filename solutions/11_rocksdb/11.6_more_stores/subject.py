"""The query that has been running for long: clicks by page, in two stores."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

MOST = 4  # records in a batch: a query that finds more has several batches behind it when it is stopped


def subject(clicks: DataFrame) -> DataFrame:
    return _in_batches(clicks).groupBy("page").agg(F.count("*").alias("clicks"))


def _in_batches(clicks: DataFrame) -> DataFrame:
    """The same clicks, from the same topic, read MOST records at a time."""
    source = clicks._jdf.queryExecution().analyzed().collectLeaves().head()
    options = dict(source.extraOptions().asCaseSensitiveMap())
    stream = clicks.sparkSession.readStream.format("kafka").options(**options)
    records = stream.option("maxOffsetsPerTrigger", MOST).load()
    click = F.from_json(F.col("value").cast("string"), clicks.schema)
    return records.select(click.alias("click")).select("click.*")
