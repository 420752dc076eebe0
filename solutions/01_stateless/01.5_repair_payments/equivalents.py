from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def ids_as_a_list(orders: DataFrame, kafka) -> DataStreamWriter:
    """The written ids brought to the driver and kept out with a filter; state for duplicates."""
    servers, topic = kafka.bootstrap_servers, kafka.topic("payments")

    def write(batch: DataFrame, _batch_id: int) -> None:
        source = batch.sparkSession.read.format("kafka").option("subscribe", topic)
        records = source.option("kafka.bootstrap.servers", servers).load()
        written = [row[0] for row in records.selectExpr("CAST(key AS STRING)").collect()]
        new = batch.filter(~F.col("order_id").isin(written))
        value = F.to_json(F.struct("order_id", "amount_cents")).alias("value")
        sink = new.select(F.col("order_id").alias("key"), value).write.format("kafka")
        sink.option("kafka.bootstrap.servers", servers).option("topic", topic).save()

    return orders.dropDuplicates(["order_id"]).writeStream.foreachBatch(write)
