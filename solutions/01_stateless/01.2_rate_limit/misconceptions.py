from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def _read(spark: SparkSession, kafka, **options: object) -> DataFrame:
    source = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("kafka.fetch.max.wait.ms", 10)
        .option("subscribe", kafka.topic("clicks"))
    )
    for name, value in options.items():
        source = source.option(name.replace("__", "."), value)
    click = F.from_json(F.col("value").cast("string"), "event_id STRING, page STRING")
    return source.load().select(click.alias("click")).select("click.event_id", "click.page")


def no_limit(spark: SparkSession, kafka) -> DataFrame:
    """Micro-batch above the limit

    One micro-batch read {facts.limit} records; 10 are allowed. The limit is an option of Spark's
    Kafka source, and Spark ignores an option that it does not know. Options with the prefix
    "kafka.", such as kafka.max.poll.records, only configure the Kafka client. Which option do you
    set, and is its name spelled exactly?
    """
    return _read(spark, kafka, startingOffsets="earliest", kafka__max__poll__records=10)


def rows_limited(spark: SparkSession, kafka) -> DataFrame:
    """Limit on the result instead of the micro-batch

    Your query emitted 10 rows and then nothing more. On a stream `limit(10)` means 10 rows in
    total. The task limits how much each micro-batch reads, and all records must be emitted. Which
    option belongs to the source?
    """
    return _read(spark, kafka, startingOffsets="earliest").limit(10)


def from_the_end(spark: SparkSession, kafka) -> DataFrame:
    """Start at the end of the topic

    The clicks of step 1 are missing: they were in the topic before the first start. For a stream,
    `startingOffsets` is `latest` by default. Which value reads the topic from its beginning?
    """
    return _read(spark, kafka, maxOffsetsPerTrigger=10)


def limit_shared_out(spark: SparkSession, kafka) -> DataFrame:
    """Limit smaller than required

    No micro-batch read more than {facts.full_bites} records; 10 are allowed. The limit holds for
    the whole micro-batch, and Spark divides it among the partitions. Which number belongs in the
    option?
    """
    return _read(spark, kafka, startingOffsets="earliest", maxOffsetsPerTrigger=5)


def clicks_without_page_lost(spark: SparkSession, kafka) -> DataFrame:
    """Records without a page dropped

    The click e38 is missing: its page is null. The task requires one row for each record. Which operator
    drops rows with nulls?
    """
    return _read(spark, kafka, startingOffsets="earliest", maxOffsetsPerTrigger=10).dropna()
