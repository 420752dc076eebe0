"""Answers to 01.3."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

OWNERS = {
    "/sale": "ann",
    "/fruit/apple": "bob",
    "/fruit/mango": "bob",
    "/fruit/orange": "cem",
    "/cart": "dua",
    "/checkout": "dua",
}
_ADAPTIVE = "spark.sql.adaptive.enabled"


def _page_owners(spark: SparkSession) -> DataFrame:
    """Who looks after which page: page, owner."""
    return spark.createDataFrame(list(OWNERS.items()), "page STRING, owner STRING")


def _deliver(rows: DataFrame, kafka, topic: str) -> None:
    """Write a batch's rows to one of the exercise's topics, each as a JSON object."""
    value = F.to_json(F.struct("*")).alias("value")
    sink = rows.select(value).write.format("kafka").mode("append")
    sink = sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    sink.option("topic", kafka.topic(topic)).save()


def _named(joined: DataFrame) -> DataFrame:
    return joined.select("event_id", "page", F.coalesce("owner", F.lit("nobody")).alias("owner"))


def right_views_and_sql(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """The setting and the join in SQL, over views of the batch's own session."""
    spark.sql("SET spark.sql.adaptive.enabled=true")

    def write(batch: DataFrame, batch_id: int) -> None:
        session = batch.sparkSession
        batch.createOrReplaceTempView("batch_of_clicks")
        _page_owners(session).createOrReplaceTempView("owners_of_pages")
        rows = session.sql(
            "SELECT c.event_id, c.page, ifnull(o.owner, 'nobody') AS owner "
            "FROM batch_of_clicks c LEFT JOIN owners_of_pages o ON c.page = o.page"
        )
        _deliver(rows, kafka, "owned")

    return clicks.writeStream.foreachBatch(write)


def right_hash_join(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """A shuffled hash join asked for by hint: it shuffles both sides, and Spark splits it, too."""
    spark.conf.set(_ADAPTIVE, True)
    owners = _page_owners(spark)

    def write(batch: DataFrame, batch_id: int) -> None:
        _deliver(_named(batch.join(owners.hint("shuffle_hash"), "page", "left")), kafka, "owned")

    return clicks.writeStream.foreachBatch(write)


def right_null_safe_condition(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """A join by a null-safe condition, columns by their tables, nobody by when()."""
    spark.conf.set(_ADAPTIVE, "true")
    owners = _page_owners(spark).alias("o")

    def write(batch: DataFrame, batch_id: int) -> None:
        same_page = F.col("c.page").eqNullSafe(F.col("o.page"))
        joined = batch.alias("c").join(owners, same_page, "left_outer")
        owner = F.when(F.col("o.owner").isNull(), "nobody").otherwise(F.col("o.owner"))
        _deliver(joined.select("c.event_id", "c.page", owner.alias("owner")), kafka, "owned")

    return clicks.writeStream.foreachBatch(write)


def right_batch_in_memory_and_explained(
    clicks: DataFrame, spark: SparkSession, kafka
) -> DataStreamWriter:
    """As in the lesson: the batch kept in memory, the join collected and explained, then written."""
    spark.conf.set(_ADAPTIVE, True)
    owners = _page_owners(spark)

    def write(batch: DataFrame, batch_id: int) -> None:
        batch.persist()
        joined = _named(batch.join(owners, "page", "left"))
        joined.collect()
        joined.explain()
        _deliver(joined, kafka, "owned")
        batch.unpersist()

    return clicks.writeStream.foreachBatch(write)


def right_result_in_memory(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """The joined rows kept in memory, counted for the log, then written"""
    spark.conf.set(_ADAPTIVE, True)
    owners = _page_owners(spark)

    def write(batch: DataFrame, batch_id: int) -> None:
        rows = _named(batch.join(owners, "page", "left")).persist()
        print(f"batch {batch_id}: {rows.count()} clicks")
        _deliver(rows, kafka, "owned")
        rows.unpersist()

    return clicks.writeStream.foreachBatch(write)


def right_spread_evenly_first(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """The batch dealt out evenly (round robin) before the join, which Spark still shuffles itself."""
    spark.conf.set(_ADAPTIVE, True)
    owners = _page_owners(spark)

    def write(batch: DataFrame, batch_id: int) -> None:
        _deliver(_named(batch.repartition(8).join(owners, "page", "left")), kafka, "owned")

    return clicks.writeStream.foreachBatch(write)


def wrong_set_within_write_and_explained(
    clicks: DataFrame, spark: SparkSession, kafka
) -> DataStreamWriter:
    """The handed session set inside of write, where the query has its copy already; the join collected first

    In step 1 nothing is planned adaptively and nothing split; from step 2 on it is, as each step starts the
    query anew.
    """
    owners = _page_owners(spark)

    def write(batch: DataFrame, batch_id: int) -> None:
        spark.conf.set(_ADAPTIVE, True)
        joined = _named(batch.join(owners, "page", "left"))
        joined.collect()
        joined.explain()
        _deliver(joined, kafka, "owned")

    return clicks.writeStream.foreachBatch(write)


def wrong_broadcast_and_not_adaptive(
    clicks: DataFrame, spark: SparkSession, kafka
) -> DataStreamWriter:
    """Two mistakes: the owners sent to every task, and adaptive execution left off"""
    owners = _page_owners(spark)

    def write(batch: DataFrame, batch_id: int) -> None:
        _deliver(_named(batch.join(F.broadcast(owners), "page", "left")), kafka, "owned")

    return clicks.writeStream.foreachBatch(write)


def wrong_looked_up_in_a_map(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """The owners as a literal map in the query, no join

    Half a name: collected_and_looked_up fits ("a look-up of one's own needs all owners in each place"), but its
    hint says that collect() brings every click to one process, and there is no collect().
    """
    spark.conf.set(_ADAPTIVE, True)
    pairs = [F.lit(part) for pair in OWNERS.items() for part in pair]

    def write(batch: DataFrame, batch_id: int) -> None:
        owner = F.try_element_at(F.create_map(*pairs), F.col("page"))
        _deliver(_named(batch.withColumn("owner", owner)), kafka, "owned")

    return clicks.writeStream.foreachBatch(write)


def wrong_one_task_before_the_join(
    clicks: DataFrame, spark: SparkSession, kafka
) -> DataStreamWriter:
    """coalesce(1) before the join: one task writes the shuffle, and Spark cuts a partition only between tasks

    Adaptive in all batches, split in none.
    """
    spark.conf.set(_ADAPTIVE, True)
    owners = _page_owners(spark)

    def write(batch: DataFrame, batch_id: int) -> None:
        _deliver(_named(batch.coalesce(1).join(owners, "page", "left")), kafka, "owned")

    return clicks.writeStream.foreachBatch(write)


def wrong_threshold_of_the_manual(
    clicks: DataFrame, spark: SparkSession, kafka
) -> DataStreamWriter:
    """Adaptive execution on, and with it the thresholds as Spark's manual has them (256 MB)

    Nothing is large enough to be split.
    """
    spark.conf.set(_ADAPTIVE, True)
    spark.conf.set("spark.sql.adaptive.skewJoin.enabled", True)
    spark.conf.set("spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", "256MB")
    owners = _page_owners(spark)

    def write(batch: DataFrame, batch_id: int) -> None:
        _deliver(_named(batch.join(owners, "page", "left")), kafka, "owned")

    return clicks.writeStream.foreachBatch(write)


def wrong_salted_by_hand(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """Salt, as the old advice has it: the hot page spread over eight keys, the owners copied eight times

    The task wants Spark to split the hot partition; with salt there is little to split.
    """
    spark.conf.set(_ADAPTIVE, True)
    salts = spark.range(8).select(F.col("id").cast("int").alias("salt"))
    owners = _page_owners(spark).crossJoin(F.broadcast(salts))

    def write(batch: DataFrame, batch_id: int) -> None:
        salted = batch.withColumn("salt", F.pmod(F.hash("event_id"), F.lit(8)))
        _deliver(_named(salted.join(owners, ["page", "salt"], "left")), kafka, "owned")

    return clicks.writeStream.foreachBatch(write)


def wrong_left_join_then_owner_required(
    clicks: DataFrame, spark: SparkSession, kafka
) -> DataStreamWriter:
    """A left join, and after it only rows with an owner kept

    Clicks on /blog are lost.
    """
    spark.conf.set(_ADAPTIVE, True)
    owners = _page_owners(spark)

    def write(batch: DataFrame, batch_id: int) -> None:
        joined = batch.join(owners, "page", "left").dropna(subset=["owner"])
        _deliver(joined.select("event_id", "page", "owner"), kafka, "owned")

    return clicks.writeStream.foreachBatch(write)


class _Enricher:
    """What a batch is handed to, as a Scala developer would write it."""

    def __init__(self, owners: DataFrame, kafka) -> None:
        self.owners, self.kafka = owners, kafka

    def __call__(self, batch: DataFrame, batch_id: int) -> None:
        joined = batch.join(self.owners, on=["page"], how="leftouter")
        _deliver(_named(joined), self.kafka, "owned")


def right_callable_object(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """An object with __call__ in place of a function; also says what is the default anyway."""
    spark.conf.set(_ADAPTIVE, "TRUE")
    spark.conf.set("spark.sql.adaptive.skewJoin.enabled", "true")
    return clicks.writeStream.foreachBatch(_Enricher(_page_owners(spark), kafka))


def wrong_set_and_put_back(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """The setting made, the writer built, and the setting put back before it is returned

    A query copies the settings when it starts, and that is later: nothing is planned adaptively.
    """
    before = spark.conf.get(_ADAPTIVE)
    spark.conf.set(_ADAPTIVE, True)
    try:
        owners = _page_owners(spark)

        def write(batch: DataFrame, batch_id: int) -> None:
            _deliver(_named(batch.join(owners, "page", "left")), kafka, "owned")

        return clicks.writeStream.foreachBatch(write)
    finally:
        spark.conf.set(_ADAPTIVE, before)
