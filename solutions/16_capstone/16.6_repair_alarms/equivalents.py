"""Other right repairs."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def said_in_sql(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """The whole query in SQL, with the topic as a column."""
    options = {
        "kafka.bootstrap.servers": kafka.bootstrap_servers,
        "subscribe": kafka.topic("clicks"),
        "startingOffsets": "earliest",
    }
    spark.readStream.format("kafka").options(**options).load().createOrReplaceTempView("records")
    spark.sql(
        "SELECT from_json(string(value), 'pageId STRING, eventTime TIMESTAMP') AS c FROM records"
    ).select("c.*").withWatermark("eventTime", "5 seconds").createOrReplaceTempView("clicks")
    hot = spark.sql(
        f"""
        SELECT '{kafka.topic("alarms")}' AS topic, pageId AS key,
               to_json(struct(pageId AS page, window.start AS start, count(*) AS clicks)) AS value
        FROM clicks WHERE pageId IS NOT NULL
        GROUP BY pageId, window(eventTime, '5 seconds')
        HAVING count(*) > {spark.conf.get("shop.limit")}
        """
    )
    sink = hot.writeStream.format("kafka").outputMode("update")
    return sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)


def written_in_foreach_batch(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    """Counts in Spark's state; foreachBatch leaves out what is not over the limit, and writes the rest."""
    limit = int(spark.conf.get("shop.limit") or 0)
    topic, servers = kafka.topic("alarms"), kafka.bootstrap_servers
    records: DataFrame = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", servers)
        .option("subscribe", kafka.topic("clicks"))
        .option("startingOffsets", "earliest")
        .load()
    )
    click = F.from_json(F.col("value").cast("string"), "pageId STRING, eventTime TIMESTAMP")
    counts = (
        records.select(click.alias("c"))
        .select("c.*")
        .where("pageId IS NOT NULL")
        .withWatermark("eventTime", "5 seconds")
        .groupBy("pageId", F.window("eventTime", "5 seconds"))
        .count()
        .selectExpr("pageId AS page", "window.start AS start", "count AS clicks")
    )

    def write(batch: DataFrame, _batch_id: int) -> None:
        hot = batch.where(F.col("clicks") > limit)
        value = F.to_json(F.struct("page", "start", "clicks")).alias("value")
        sink = hot.select(F.col("page").alias("key"), value).write.format("kafka")
        sink.option("kafka.bootstrap.servers", servers).option("topic", topic).save()

    return counts.writeStream.outputMode("update").foreachBatch(write)
