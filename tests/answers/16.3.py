"""Answers to 16.3: other ways to turn the levers, and levers that turn nothing or too far."""

import itertools
import math
from decimal import Decimal
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

STATE = "spark.sql.streaming.stateStore."
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def _counts(records: DataFrame) -> DataFrame:
    return (
        records.select(F.col("key").cast("string").alias("page"), "timestamp")
        .withWatermark("timestamp", "5 seconds")
        .groupBy("page", F.window("timestamp", "5 seconds"))
        .agg(F.count("*").alias("clicks"))
        .select("page", F.col("window.start").alias("start"), "clicks")
    )


def right_set_in_sql(spark: SparkSession, kafka: Any) -> DataFrame:
    """SET in SQL; the stores by a division that rounds up without fractions."""
    cores, megabytes = (int(spark.conf.get(f"shop.{n}")) for n in ("cores", "stateMegabytes"))
    most = math.floor(5 * cores * Decimal(spark.conf.get("shop.clicksPerCore")))
    spark.sql(f"SET spark.sql.shuffle.partitions = {-(-megabytes // (200 * cores)) * cores}")
    spark.sql(f"SET {STATE}providerClass = {ROCKSDB}")
    spark.sql(f"SET {STATE}rocksdb.changelogCheckpointing.enabled = true")
    records = (
        spark.readStream.format("kafka")
        .options(subscribe=kafka.topic("clicks"), startingOffsets="earliest")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("maxOffsetsPerTrigger", str(most))
    )
    return _counts(records.load())


def right_levers_turned_last(spark: SparkSession, kafka: Any) -> DataFrame:
    """Builds the stream first and turns the levers then: they count when the query starts."""
    cores = int(spark.conf.get("shop.cores"))
    rate = float(spark.conf.get("shop.clicksPerCore"))
    most = math.floor(cores * 5 * rate)
    reader = spark.readStream.format("kafka").option("maxoffsetspertrigger", most)
    reader = reader.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    reader = reader.option("subscribe", kafka.topic("clicks")).option("startingoffsets", "earliest")
    found = _counts(reader.load())
    pieces = math.ceil(float(spark.conf.get("shop.stateMegabytes")) / 200)
    spark.conf.set("spark.sql.shuffle.partitions", pieces + -pieces % cores)
    spark.conf.set(STATE + "providerClass", ROCKSDB)
    spark.conf.set(STATE + "rocksdb.changelogCheckpointing.enabled", True)
    return found


def right_with_few_entries_of_the_log(spark: SparkSession, kafka: Any) -> DataFrame:
    """One lever more, that nobody asked for: the checkpoint forgets batches sooner."""
    spark.conf.set("spark.sql.streaming.minBatchesToRetain", 10)
    return right_levers_turned_last(spark, kafka)


def right_first_multiple_that_will_do(spark: SparkSession, kafka: Any) -> DataFrame:
    """Goes through the multiples of the cores; the topic by a pattern; some settings more."""
    cores = int(spark.conf.get("shop.cores"))
    megabytes = float(spark.conf.get("shop.stateMegabytes"))
    stores = next(n for n in itertools.count(cores, cores) if megabytes <= 200 * n)
    for name, value in {
        "spark.sql.shuffle.partitions": str(stores),
        f"{STATE}providerClass": ROCKSDB,
        f"{STATE}rocksdb.changelogCheckpointing.enabled": "true",
        f"{STATE}rocksdb.compactOnCommit": "false",
        "spark.sql.streaming.minBatchesToRetain": "100",
    }.items():
        spark.conf.set(name, value)
    options = {
        "kafka.bootstrap.servers": kafka.bootstrap_servers,
        "subscribePattern": "\\Q" + kafka.topic("clicks") + "\\E",
        "startingOffsets": "earliest",
        "maxOffsetsPerTrigger": int(cores * float(spark.conf.get("shop.clicksPerCore")) * 5),
    }
    return _counts(spark.readStream.format("kafka").options(**options).load())


def right_with_helpers(spark: SparkSession, kafka: Any) -> DataFrame:
    """A function for each lever; columns that nobody needs are left out on the way."""

    def figure(name: str) -> Decimal:
        return Decimal(spark.conf.get("shop." + name))

    def size_the_stores() -> None:
        rounds = (figure("stateMegabytes") / (200 * figure("cores"))).to_integral_value("ROUND_UP")
        spark.conf.set("spark.sql.shuffle.partitions", str(int(figure("cores") * rounds)))

    def keep_them_in_rocksdb() -> None:
        spark.conf.set(f"{STATE}providerClass", ROCKSDB)
        spark.conf.set(f"{STATE}rocksdb.changelogCheckpointing.enabled", "TRUE")

    def read() -> DataFrame:
        seconds = 5
        reader = spark.readStream.format("kafka").option("startingOffsets", "earliest")
        reader.option(
            "maxOffsetsPerTrigger", int(figure("cores") * figure("clicksPerCore") * seconds)
        )
        reader.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        return reader.option("subscribe", kafka.topic("clicks")).load()

    size_the_stores()
    keep_them_in_rocksdb()
    return _counts(read().drop("topic", "partition", "offset", "timestampType"))


def _read(spark: SparkSession, kafka: Any, **options: Any) -> DataFrame:
    reader = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("clicks"))
    )
    return reader.options(**{"startingOffsets": "earliest", **options}).load()


def _most(spark: SparkSession) -> int:
    cores = int(spark.conf.get("shop.cores"))
    return int(cores * float(spark.conf.get("shop.clicksPerCore")) * 5)


def _turn(spark: SparkSession, stores: int | None = 8, state: str = STATE) -> None:
    if stores is not None:
        spark.conf.set("spark.sql.shuffle.partitions", str(stores))
    spark.conf.set(STATE + "providerClass", ROCKSDB)
    spark.conf.set(state + "changelogCheckpointing.enabled", "true")


def _rounds(spark: SparkSession) -> float:
    """How many rounds the stores take; to be rounded up."""
    megabytes = float(spark.conf.get("shop.stateMegabytes"))
    return megabytes / 200 / int(spark.conf.get("shop.cores"))


def wrong_partitions_of_the_reader(spark: SparkSession, kafka: Any) -> DataFrame:
    """Gives the number of stores to the reader, as minPartitions: the shuffle keeps its own."""
    _turn(spark, None, STATE + "rocksdb.")
    options = {"minPartitions": 8, "maxOffsetsPerTrigger": _most(spark)}
    return _counts(_read(spark, kafka, **options))


def wrong_dealt_out_before(spark: SparkSession, kafka: Any) -> DataFrame:
    """repartition in place of the setting: the count shuffles once more, and by the setting."""
    _turn(spark, None, STATE + "rocksdb.")
    return _counts(_read(spark, kafka, maxOffsetsPerTrigger=_most(spark)).repartition(8))


def wrong_a_letter_short(spark: SparkSession, kafka: Any) -> DataFrame:
    """maxOffsetPerTrigger, with an s too few: an option that nobody reads."""
    _turn(spark, 8, STATE + "rocksdb.")
    return _counts(_read(spark, kafka, maxOffsetPerTrigger=_most(spark)))


def wrong_what_all_stores_can(spark: SparkSession, kafka: Any) -> DataFrame:
    """Reckons with the stores where the cores are meant: a batch of twice the size."""
    _turn(spark, 8, STATE + "rocksdb.")
    most = int(8 * float(spark.conf.get("shop.clicksPerCore")) * 5)
    return _counts(_read(spark, kafka, maxOffsetsPerTrigger=most))


def wrong_rounded_to_the_nearest(spark: SparkSession, kafka: Any) -> DataFrame:
    """Rounds rounds to the nearest: with 900 MB on four cores the stores would have 225 MB each."""
    cores = int(spark.conf.get("shop.cores"))
    _turn(spark, cores * max(1, round(_rounds(spark))), STATE + "rocksdb.")
    return _counts(_read(spark, kafka, maxOffsetsPerTrigger=_most(spark)))


def wrong_always_one_round_more(spark: SparkSession, kafka: Any) -> DataFrame:
    """Rounds down and adds one: with 1,600 MB on four cores twelve stores, where eight are enough."""
    cores = int(spark.conf.get("shop.cores"))
    _turn(spark, cores * (int(_rounds(spark)) + 1), STATE + "rocksdb.")
    return _counts(_read(spark, kafka, maxOffsetsPerTrigger=_most(spark)))


def wrong_changelogs_of_no_store(spark: SparkSession, kafka: Any) -> DataFrame:
    """The key for changelogs without `rocksdb`: Spark takes it, and nobody reads it."""
    _turn(spark, 8, STATE)
    return _counts(_read(spark, kafka, maxOffsetsPerTrigger=_most(spark)))


def wrong_provider_without_class(spark: SparkSession, kafka: Any) -> DataFrame:
    """`provider` for `providerClass`: the state stays on the heap."""
    spark.conf.set("spark.sql.shuffle.partitions", "8")
    spark.conf.set(STATE + "provider", ROCKSDB)
    spark.conf.set(STATE + "rocksdb.changelogCheckpointing.enabled", "true")
    return _counts(_read(spark, kafka, maxOffsetsPerTrigger=_most(spark)))


def wrong_in_a_session_of_its_own(spark: SparkSession, kafka: Any) -> DataFrame:
    """Turns the levers in a new session; the query runs in the one that was given."""
    _turn(spark.newSession(), 8, STATE + "rocksdb.")
    return _counts(_read(spark, kafka, maxOffsetsPerTrigger=_most(spark)))


def wrong_as_it_is_read_by_default(spark: SparkSession, kafka: Any) -> DataFrame:
    """Says nothing of where to begin: a stream begins at the end."""
    _turn(spark, 8, STATE + "rocksdb.")
    reader = spark.readStream.format("kafka").option("subscribe", kafka.topic("clicks"))
    reader = reader.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    return _counts(reader.option("maxOffsetsPerTrigger", _most(spark)).load())
