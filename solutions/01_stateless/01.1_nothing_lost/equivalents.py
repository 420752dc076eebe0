from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

SCHEMA = "event_id STRING, page STRING, event_time TIMESTAMP"


def two_filters(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Two filters that together are always true, and a union."""
    click = F.from_json(F.col("value").cast("string"), SCHEMA)
    parsed = clicks.withColumn("click", click)
    readable = F.expr("click.event_id IS NOT NULL AND click.event_time IS NOT NULL")
    good = readable & F.coalesce(F.col("click.page").startswith("/"), F.lit(False))
    valid = parsed.filter(good).withColumn("topic", F.lit(kafka.topic("valid")))
    dead = parsed.filter(~good).withColumn("topic", F.lit(kafka.topic("dead")))
    rows = valid.select("topic", "key", "value").union(dead.select("topic", "key", "value"))
    servers = kafka.bootstrap_servers
    return rows.writeStream.format("kafka").option("kafka.bootstrap.servers", servers)


def batch_by_batch(clicks: DataFrame, kafka) -> DataStreamWriter:
    """foreachBatch, with one write a topic and the batch kept in memory for both."""
    servers = kafka.bootstrap_servers
    topics = {True: kafka.topic("valid"), False: kafka.topic("dead")}

    def write(batch: DataFrame, _batch_id: int) -> None:
        click = F.from_json(F.col("value").cast("string"), SCHEMA)
        page = F.regexp_extract(click["page"], "^/.*", 0)
        known = [click["event_id"], F.nullif(page, F.lit("")), click["event_time"].cast("string")]
        good = F.size(F.array_compact(F.array(*known))) == 3
        rows = batch.select("key", "value", good.alias("good")).persist()
        for good, topic in topics.items():
            part = rows.filter(F.col("good") == F.lit(good)).select("key", "value")
            part.write.format("kafka").option("kafka.bootstrap.servers", servers).option(
                "topic", topic
            ).save()
        rows.unpersist()

    return clicks.writeStream.foreachBatch(write)
