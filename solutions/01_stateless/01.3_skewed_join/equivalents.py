from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

OWNERS = [
    ("/sale", "ann"),
    ("/fruit/apple", "bob"),
    ("/fruit/mango", "bob"),
    ("/fruit/orange", "cem"),
    ("/cart", "dua"),
    ("/checkout", "dua"),
]


def set_for_the_batch(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """The setting made in the batch's own session, and the join written the other way round."""
    servers, topic = kafka.bootstrap_servers, kafka.topic("owned")

    def write(batch: DataFrame, _batch_id: int) -> None:
        session = batch.sparkSession
        session.conf.set("spark.sql.adaptive.enabled", "true")
        owners = session.createDataFrame(OWNERS, "page STRING, owner STRING")
        joined = owners.join(batch, "page", "right").na.fill("nobody", ["owner"])
        value = F.to_json(F.struct("event_id", "page", "owner")).alias("value")
        sink = joined.select(value).write.format("kafka").mode("append")
        sink.option("kafka.bootstrap.servers", servers).option("topic", topic).save()

    return clicks.writeStream.foreachBatch(write)


def joined_on_the_stream(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """The join made on the stream: Spark 4.2 replans a stateless one batch by batch, too."""
    spark.conf.set("spark.sql.adaptive.enabled", "true")
    servers, topic = kafka.bootstrap_servers, kafka.topic("owned")
    owners = spark.createDataFrame(OWNERS, "page STRING, owner STRING")
    joined = clicks.join(owners, "page", "left").na.fill("nobody", ["owner"])
    value = F.to_json(F.struct("event_id", "page", "owner")).alias("value")
    sink = joined.select(value).writeStream.format("kafka")
    return sink.option("kafka.bootstrap.servers", servers).option("topic", topic)
