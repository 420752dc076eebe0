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
    """A micro-batch that takes the whole spike

    One micro-batch took {facts.limit} records; 10 are allowed. How much a batch takes is an
    option of Spark's source. If you have set one, look at its number and at its name, letter by
    letter: Spark says nothing of an option that it does not know. Options that begin with "kafka."
    (such as kafka.max.poll.records) only set up the client that fetches.
    """
    return _read(spark, kafka, startingOffsets="earliest", kafka__max__poll__records=10)


def rows_limited(spark: SparkSession, kafka) -> DataFrame:
    """A limit on the rows of the result taken for a limit on the batch

    Ten clicks came out and then nothing ever again. `limit(10)` on a stream means ten rows in
    all, not ten at a time. You want to take less at once, and everything in the end.
    """
    return _read(spark, kafka, startingOffsets="earliest").limit(10)


def from_the_end(spark: SparkSession, kafka) -> DataFrame:
    """What was in the topic before the first start skipped

    The clicks of step 1 are missing: they were there before the query started for the first time.
    On a stream the source begins at the end of the topic unless it is told otherwise.
    """
    return _read(spark, kafka, maxOffsetsPerTrigger=10)


def limit_shared_out(spark: SparkSession, kafka) -> DataFrame:
    """Smaller bites than asked for

    No batch took more than {facts.full_bites} records; 10 are allowed. The limit is for the whole
    micro-batch, over all partitions together: Spark itself shares it out among them.
    """
    return _read(spark, kafka, startingOffsets="earliest", maxOffsetsPerTrigger=5)
