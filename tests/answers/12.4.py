"""Answers to 12.4: alarms that come at once, and repairs that miss something."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

STATE = "spark.sql.streaming.stateStore."
PARTITIONS = "spark.sql.shuffle.partitions"
CHANGELOG = STATE + "rocksdb.changelogCheckpointing"
PROVIDER = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
RIGHT = {
    PARTITIONS: "4",
    STATE + "providerClass": PROVIDER,
    CHANGELOG + ".enabled": "true",
}


def _say(spark: SparkSession, settings: dict[str, str]) -> None:
    for name, value in settings.items():
        spark.conf.set(name, value)


def _counts(clicks: DataFrame, delay: str = "2 minutes") -> DataFrame:
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def _runs(clicks: DataFrame) -> DataFrame:
    return _counts(clicks).where("clicks >= 4")


def _to_alarms(runs: DataFrame, kafka: Any) -> DataStreamWriter:
    """As the notebook gives it."""
    value = F.to_json(F.struct(F.col("window.start").alias("minute"), "page", "clicks"))
    return (
        runs.select(F.col("page").alias("key"), value.alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("alarms"))
    )


def right_colleague_first_then_mended(
    spark: SparkSession, clicks: DataFrame, kafka: Any
) -> DataStreamWriter:
    """Takes the query as it is, sets what was wrong anew, and the mode a second time."""
    _say(spark, {PARTITIONS: "24", STATE + "providerClass": PROVIDER, CHANGELOG: "true"})
    writer = _to_alarms(_runs(clicks), kafka).outputMode("append")
    spark.conf.set(PARTITIONS, 4)
    spark.conf.unset(CHANGELOG)
    spark.conf.set(CHANGELOG + ".enabled", True)
    return writer.outputMode("Update")


def right_window_as_a_column_first(
    spark: SparkSession, clicks: DataFrame, kafka: Any
) -> DataStreamWriter:
    """Makes the window a column before it groups, sums ones, and filters by the opposite."""
    _say(spark, RIGHT)
    minutes = clicks.withWatermark("event_time", "120 seconds").select(
        "page", F.window(F.col("event_time"), "60 seconds").alias("window"), F.lit(1).alias("one")
    )
    counts = minutes.groupBy("window", "page").agg(F.sum("one").alias("clicks"))
    return _to_alarms(counts.filter(~(F.col("clicks") < 4)), kafka).outputMode("update")


def right_count_in_sql(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """The count in a subquery of SQL, the condition around it."""
    _say(spark, RIGHT)
    clicks.withWatermark("event_time", "2 minutes").createOrReplaceTempView("timed")
    runs = spark.sql(
        """
        SELECT * FROM (
            SELECT window(event_time, '1 minute') AS window, page, count(*) AS clicks
            FROM timed GROUP BY window(event_time, '1 minute'), page
        ) WHERE clicks > 3
        """
    )
    return _to_alarms(runs, kafka).outputMode("update")


def right_with_a_name_and_a_trigger(
    spark: SparkSession, clicks: DataFrame, kafka: Any
) -> DataStreamWriter:
    """Also gives the query a name and a trigger, and says more of the state than is asked for."""
    _say(spark, RIGHT | {STATE + "rocksdb.compactOnCommit": "false"})
    writer = _to_alarms(_runs(clicks), kafka).outputMode("update").queryName("night_shift")
    return writer.trigger(processingTime="0 seconds")


def right_settings_at_the_end(
    spark: SparkSession, clicks: DataFrame, kafka: Any
) -> DataStreamWriter:
    """Sets the session up after the query is built; RocksDB's names in lower case.

    A query takes its settings when it starts.
    """
    extra = _counts(clicks).withColumn("enough", F.col("clicks") >= F.lit(4))
    writer = _to_alarms(extra.where("enough").drop("enough"), kafka).outputMode("update")
    _say(spark, {PARTITIONS: "4", STATE + "providerClass": PROVIDER})
    spark.conf.set(STATE + "rocksdb.changelogcheckpointing.enabled", "TRUE")
    return writer


def wrong_minute_cut_off(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """date_trunc in place of the window: alarms are in time, and no minute is ever forgotten.

    The watermark ends what is grouped by its own column or a window of it, and by nothing else.
    """
    _say(spark, RIGHT)
    minute = F.struct(F.date_trunc("minute", "event_time").alias("start")).alias("window")
    counts = clicks.withWatermark("event_time", "2 minutes").groupBy(minute, "page")
    runs = counts.agg(F.count("*").alias("clicks")).where("clicks >= 4")
    return _to_alarms(runs, kafka).outputMode("update")


def wrong_two_seconds_late(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Update mode, and a delay of two seconds on top: "clicks may still be two minutes late"."""
    _say(spark, RIGHT)
    runs = _counts(clicks, "2 seconds").where("clicks >= 4")
    return _to_alarms(runs, kafka).outputMode("update")


def wrong_any_sixty_seconds(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Windows of a minute that begin every ten seconds, so that no run is cut in two."""
    _say(spark, RIGHT)
    counts = (
        clicks.withWatermark("event_time", "2 minutes")
        .groupBy(F.window("event_time", "1 minute", "10 seconds"), "page")
        .agg(F.count("*").alias("clicks"))
    )
    return _to_alarms(counts.where("clicks >= 4"), kafka).outputMode("update")


def wrong_told_only_once(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Drops alarms of the same page and minute: "again in each batch that changes that count"."""
    _say(spark, RIGHT)
    once = _runs(clicks).dropDuplicates(["window", "page"])
    return _to_alarms(once, kafka).outputMode("update")


def wrong_times_that_differ(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Counts different times, against clicks that are sent twice; two in a second are two."""
    _say(spark, RIGHT)
    counts = (
        clicks.withWatermark("event_time", "2 minutes")
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.size(F.collect_set("event_time")).alias("clicks"))
    )
    return _to_alarms(counts.where("clicks >= 4"), kafka).outputMode("update")


def wrong_settings_of_the_writer(
    spark: SparkSession, clicks: DataFrame, kafka: Any
) -> DataStreamWriter:
    """Settings as options of the writer, which nobody reads there."""
    return _to_alarms(_runs(clicks), kafka).options(**RIGHT).outputMode("update")


def wrong_two_stores_a_core(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Eight stores, "a multiple of the cores, and a small one"; the task says four."""
    _say(spark, RIGHT | {PARTITIONS: "8"})
    return _to_alarms(_runs(clicks), kafka).outputMode("update")


def wrong_provider_unsaid(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Does not name the provider: the state lies on the heap, in .delta files."""
    _say(spark, {n: v for n, v in RIGHT.items() if not n.endswith("providerClass")})
    return _to_alarms(_runs(clicks), kafka).outputMode("update")


def wrong_started(spark: SparkSession, clicks: DataFrame, kafka: Any) -> Any:
    """Starts the query: "not started"."""
    _say(spark, RIGHT)
    return _to_alarms(_runs(clicks), kafka).outputMode("update").start()


def wrong_changelogs_of_a_new_session(
    spark: SparkSession, clicks: DataFrame, kafka: Any
) -> DataStreamWriter:
    """Mends the mode here and the settings in a newSession(), which this query does not belong to."""
    _say(spark.newSession(), RIGHT)
    return _to_alarms(_runs(clicks), kafka).outputMode("update")


def right_snapshots_more_often(
    spark: SparkSession, clicks: DataFrame, kafka: Any
) -> DataStreamWriter:
    """A snapshot after five changelogs, made beside the batch, for short restarts: the task leaves that open."""
    _say(spark, RIGHT | {STATE + "minDeltasForSnapshot": "5"})
    return _to_alarms(_runs(clicks), kafka).outputMode("update")


def right_written_batch_by_batch(
    spark: SparkSession, clicks: DataFrame, kafka: Any
) -> DataStreamWriter:
    """Counts in the stream, and hands what has changed to foreachBatch, which filters and writes it."""
    _say(spark, RIGHT)
    counts = (
        clicks.withWatermark("event_time", "2 minutes")
        .groupBy("page", F.window("event_time", "1 minute"))
        .count()
    )
    servers, topic = kafka.bootstrap_servers, kafka.topic("alarms")

    def write(batch: DataFrame, _number: int) -> None:
        value = F.to_json(
            F.struct(
                F.col("window.start").alias("minute"),
                F.col("page"),
                F.col("count").alias("clicks"),
            )
        )
        alarms = batch.filter(F.col("count") >= 4)
        (
            alarms.select(F.col("page").alias("key"), value.alias("value"))
            .write.format("kafka")
            .option("kafka.bootstrap.servers", servers)
            .option("topic", topic)
            .save()
        )

    return counts.writeStream.outputMode("update").foreachBatch(write)


def _sent(records: DataFrame, kafka: Any) -> DataStreamWriter:
    """Records of one's own to the topic alarms."""
    return (
        records.writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("alarms"))
        .outputMode("update")
    )


def right_by_the_builder(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Settings by SparkSession.builder…getOrCreate(); the value by named_struct in selectExpr."""
    builder = SparkSession.builder
    for name, value in RIGHT.items():
        builder = builder.config(name, value)
    builder.getOrCreate()
    records = _runs(clicks).selectExpr(
        "page AS key",
        "to_json(named_struct('minute', window.start, 'page', page, 'clicks', clicks)) AS value",
    )
    return _sent(records, kafka)


def right_having_over_the_frame(
    spark: SparkSession, clicks: DataFrame, kafka: Any
) -> DataStreamWriter:
    """SQL over the DataFrame as an argument, with HAVING by the alias; the result goes to to_alarms."""
    _say(spark, RIGHT | {STATE + "minDeltasForSnapshot": "20"})
    runs = spark.sql(
        """
        SELECT window, page, count(*) AS clicks
        FROM (SELECT window(event_time, '1 minute') AS window, page FROM {timed})
        GROUP BY window, page HAVING clicks >= 4
        """,
        timed=clicks.withWatermark("event_time", "2 minutes"),
    )
    return _to_alarms(runs, kafka).outputMode("update")


def wrong_one_alarm_a_batch(spark: SparkSession, clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Batch by batch, and of each batch only the page with the most clicks

    Two pages that reach four in one step: one of them is not told.
    """
    _say(spark, RIGHT)

    def send(found: DataFrame, batch_id: int) -> None:
        value = F.to_json(F.struct(F.col("window.start").alias("minute"), "page", "clicks"))
        (
            found.orderBy(F.desc("clicks"))
            .limit(1)
            .select(F.col("page").alias("key"), value.alias("value"))
            .write.format("kafka")
            .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
            .option("topic", kafka.topic("alarms"))
            .save()
        )

    return _runs(clicks).writeStream.foreachBatch(send).outputMode("update")
