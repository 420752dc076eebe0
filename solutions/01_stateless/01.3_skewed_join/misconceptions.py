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


def _owners(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(list(OWNERS.items()), "page STRING, owner STRING")


def _deliver(rows: DataFrame, kafka) -> None:
    owner = F.coalesce("owner", F.lit("nobody"))
    value = F.to_json(F.struct("event_id", "page", owner.alias("owner"))).alias("value")
    servers, topic = kafka.bootstrap_servers, kafka.topic("owned")
    sink = rows.select(value).write.format("kafka").mode("append")
    sink.option("kafka.bootstrap.servers", servers).option("topic", topic).save()


def adaptive_left_off(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """No join planned adaptively

    The rows are right, but every plan was made before anybody had seen the batch. The old advice to
    keep adaptive execution away from streams does not hold for a query that keeps no state.
    Switch it on in the session that the function is given, before the query starts, which copies
    the settings.
    """
    owners = _owners(spark)

    def write(batch: DataFrame, _batch_id: int) -> None:
        _deliver(batch.join(owners, "page", "left"), kafka)

    return clicks.writeStream.foreachBatch(write)


def clicks_without_owner_lost(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """A join that keeps only what matches

    Clicks on pages that nobody owns are gone. An inner join, which `join` makes where it is told
    nothing else, has no row for them, and a filter on the owner behind a left join drops them
    again. Enriching must not lose rows.
    """
    spark.conf.set("spark.sql.adaptive.enabled", True)
    owners = _owners(spark)

    def write(batch: DataFrame, _batch_id: int) -> None:
        _deliver(batch.join(owners, "page"), kafka)

    return clicks.writeStream.foreachBatch(write)


def repartitioned_by_the_key(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """A hot partition that Spark did not split

    Every join was planned adaptively, and none was split. Spark splits only shuffles that it put
    in itself: one that was ordered by hand, such as `repartition(n, "page")`, it does not touch.
    Nor does it split what does not count as large (did you set a threshold, or spread the page over
    several keys?) or was written by one task, as after `coalesce(1)`. Join the batch as it comes.
    """
    spark.conf.set("spark.sql.adaptive.enabled", True)
    owners = _owners(spark)

    def write(batch: DataFrame, _batch_id: int) -> None:
        spread = batch.repartition(16, "page")
        _deliver(spread.join(owners.repartition(16, "page"), "page", "left"), kafka)

    return clicks.writeStream.foreachBatch(write)


def copied_to_every_task(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """A large table copied to every machine

    No plan shuffles both sides of the join. A broadcast join has no shuffle and so no hot
    partition. It is the best answer while one side is small; the owners of this task are said to
    be too large for it.
    """
    spark.conf.set("spark.sql.adaptive.enabled", True)
    owners = _owners(spark)

    def write(batch: DataFrame, _batch_id: int) -> None:
        _deliver(batch.join(F.broadcast(owners), "page", "left"), kafka)

    return clicks.writeStream.foreachBatch(write)


def collected_and_looked_up(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """No join with a shuffle, and none planned adaptively

    Either the owners are looked up by hand: that needs all of them in each place, and where
    `collect()` is called, every click in one process as well. It goes well with forty rows. Or
    Spark joins, with all owners copied to every machine, and adaptive execution is off. The owners
    are said to be too many for that. Let Spark join, with a shuffle of both sides, and look at the
    setting.
    """
    spark.conf.set("spark.sql.adaptive.enabled", True)

    def write(batch: DataFrame, _batch_id: int) -> None:
        rows = [(row.event_id, row.page, OWNERS.get(row.page)) for row in batch.collect()]
        schema = "event_id STRING, page STRING, owner STRING"
        _deliver(batch.sparkSession.createDataFrame(rows, schema), kafka)

    return clicks.writeStream.foreachBatch(write)
