"""Answers to 01.2."""

import json

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def _source(spark: SparkSession, kafka, **options: object):
    source = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("kafka.fetch.max.wait.ms", 10)
    )
    for name, value in options.items():
        source = source.option(name.replace("__", "."), value)
    return source


def _parsed(records: DataFrame) -> DataFrame:
    click = F.from_json(F.col("value").cast("string"), "event_id STRING, page STRING")
    return records.select(click.alias("click")).select("click.event_id", "click.page")


def right_offsets_as_json(spark: SparkSession, kafka) -> DataFrame:
    """The beginning given by partition (-2 is the earliest), option names in lower case."""
    topic = kafka.topic("clicks")
    first = json.dumps({topic: {"0": -2, "1": -2}})
    source = _source(
        spark, kafka, subscribe=topic, startingoffsets=first, maxoffsetspertrigger="10"
    )
    return _parsed(source.load())


def right_from_1970(spark: SparkSession, kafka) -> DataFrame:
    """The beginning as a time, and fields by json_tuple."""
    source = _source(
        spark,
        kafka,
        subscribe=kafka.topic("clicks"),
        startingTimestamp=0,
        startingOffsetsByTimestampStrategy="latest",
        maxOffsetsPerTrigger=10,
        includeHeaders=True,
        failOnDataLoss=False,
    )
    text = F.col("value").cast("string")
    return source.load().select(F.json_tuple(text, "event_id", "page").alias("event_id", "page"))


def right_in_sql(spark: SparkSession, kafka) -> DataFrame:
    """Options handed to load(), a view and SQL, a watermark that nothing needs."""
    options = {
        "kafka.bootstrap.servers": kafka.bootstrap_servers,
        "kafka.fetch.max.wait.ms": "10",
        "subscribe": kafka.topic("clicks"),
        "startingOffsets": "earliest",
        "maxOffsetsPerTrigger": "10",
    }
    records = spark.readStream.load(format="kafka", **options)
    records.withWatermark("timestamp", "1 hour").createOrReplaceTempView("records")
    return spark.sql(
        "SELECT c.page, c.event_id FROM (SELECT from_json(string(value), "
        "'event_id STRING, user_id STRING, page STRING') AS c FROM records)"
    )


def wrong_five_for_each_partition(spark: SparkSession, kafka) -> DataFrame:
    """A source for each of the two partitions, five records each, put together

    "At most 10, and not needlessly few": the 12 records of step 4 stand in one partition and come as 5, 5, 2
    where 10 are allowed; and a third partition would not be read.
    """
    topic = kafka.topic("clicks")
    parts = [
        _source(
            spark,
            kafka,
            assign=json.dumps({topic: [number]}),
            startingOffsets="earliest",
            maxOffsetsPerTrigger=5,
        ).load()
        for number in (0, 1)
    ]
    return _parsed(parts[0].union(parts[1]))


def wrong_name_of_the_option_misspelt(spark: SparkSession, kafka) -> DataFrame:
    """maxOffsetPerTrigger, which Spark does not know and says nothing of

    One batch takes 26.
    """
    return _parsed(
        _source(
            spark,
            kafka,
            subscribe=kafka.topic("clicks"),
            startingOffsets="earliest",
            maxOffsetPerTrigger=10,
        ).load()
    )


def right_as_a_variant(spark: SparkSession, kafka) -> DataFrame:
    """The fields out of a variant."""
    options = {"startingOffsets": "earliest", "maxOffsetsPerTrigger": 10}
    records = _source(spark, kafka, subscribe=kafka.topic("clicks"), **options).load()
    parsed = records.selectExpr("try_parse_json(CAST(value AS STRING)) AS v")
    return parsed.selectExpr(
        "try_variant_get(v, '$.event_id', 'string') AS event_id",
        "try_variant_get(v, '$.page', 'string') AS page",
    )


def wrong_records_of_a_task(spark: SparkSession, kafka) -> DataFrame:
    """maxRecordsPerPartition, which limits a task's share and not the batch

    The spike of step 2 is one batch of 26, read by more tasks.
    """
    options = {"startingOffsets": "earliest", "maxRecordsPerPartition": 10}
    return _parsed(_source(spark, kafka, subscribe=kafka.topic("clicks"), **options).load())
