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
    """Adaptive query execution switched off

    The rows are right, but every plan was fixed before Spark saw the data. Adaptive query execution
    works for stateless streaming queries. A query copies the settings of its session when it
    starts. On which session do you set it, and when?
    """
    owners = _owners(spark)

    def write(batch: DataFrame, _batch_id: int) -> None:
        _deliver(batch.join(owners, "page", "left"), kafka)

    return clicks.writeStream.foreachBatch(write)


def clicks_without_owner_lost(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """Inner join instead of left join

    Clicks on pages without an owner are missing. An inner join, which is the default of `join`, has
    no row for them. A filter on the owner after a left join drops them, too. Which join keeps every
    click?
    """
    spark.conf.set("spark.sql.adaptive.enabled", True)
    owners = _owners(spark)

    def write(batch: DataFrame, _batch_id: int) -> None:
        _deliver(batch.join(owners, "page"), kafka)

    return clicks.writeStream.foreachBatch(write)


def repartitioned_by_the_key(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """Hot partition that Spark did not split

    Every join was planned adaptively, and none was split. Spark splits only a shuffle that it
    planned itself, not one from `repartition(n, "page")`. It splits only a partition above the
    threshold, so a changed threshold or a salted key prevents it. And `coalesce(1)` leaves nothing
    to split. What happens to the rows before your join?
    """
    spark.conf.set("spark.sql.adaptive.enabled", True)
    owners = _owners(spark)

    def write(batch: DataFrame, _batch_id: int) -> None:
        spread = batch.repartition(16, "page")
        _deliver(spread.join(owners.repartition(16, "page"), "page", "left"), kafka)

    return clicks.writeStream.foreachBatch(write)


def copied_to_every_task(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """Broadcast of a large table

    No plan shuffles both sides of the join. A broadcast join has no shuffle, so it has no hot
    partition. It is best while one side is small, and in this task the owners are too large for it.
    What makes Spark broadcast them?
    """
    spark.conf.set("spark.sql.adaptive.enabled", True)
    owners = _owners(spark)

    def write(batch: DataFrame, _batch_id: int) -> None:
        _deliver(batch.join(F.broadcast(owners), "page", "left"), kafka)

    return clicks.writeStream.foreachBatch(write)


def collected_and_looked_up(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """No adaptive join with a shuffle

    No join with a shuffle was planned adaptively. If you look up the owners by hand, each place
    needs all of them, and `collect()` moves every click to the driver. If Spark broadcasts them,
    each executor needs all of them. The owners are too large for that. Can Spark join with a
    shuffle of both sides, and is the setting on?
    """
    spark.conf.set("spark.sql.adaptive.enabled", True)

    def write(batch: DataFrame, _batch_id: int) -> None:
        rows = [(row.event_id, row.page, OWNERS.get(row.page)) for row in batch.collect()]
        schema = "event_id STRING, page STRING, owner STRING"
        _deliver(batch.sparkSession.createDataFrame(rows, schema), kafka)

    return clicks.writeStream.foreachBatch(write)
