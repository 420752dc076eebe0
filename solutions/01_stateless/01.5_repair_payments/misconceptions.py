from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

_seen: set[str] = set()


def _requests(orders: DataFrame) -> DataFrame:
    value = F.to_json(F.struct("order_id", "amount_cents"))
    return orders.select(F.col("order_id").alias("key"), value.alias("value"))


def _send(orders: DataFrame, kafka) -> None:
    sink = _requests(orders).write.format("kafka").mode("append")
    sink = sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    sink.option("topic", kafka.topic("payments")).save()


def remembered_in_python(orders: DataFrame, kafka) -> DataStreamWriter:
    """What was done remembered in the process that dies

    All is well until the process is killed; then orders that had been paid long before are paid
    again. What remembered them did not outlive the process: a Python set, for one, is empty again
    in the next. What must survive has to lie outside of it.
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        known = list(_seen)
        new = batch.dropDuplicates(["order_id"]).filter(~F.col("order_id").isin(known))
        _seen.update(row.order_id for row in new.select("order_id").collect())
        _send(new.filter(~F.col("order_id").isin(known)), kafka)

    return orders.writeStream.foreachBatch(write)


def sink_expected_to_do_it(orders: DataFrame, kafka) -> DataStreamWriter:
    """Each delivery paid, not each order

    Every order that was delivered twice was paid twice. The Kafka sink writes what it is given
    and looks at nothing that is in the topic already.
    """
    sink = _requests(orders).writeStream.format("kafka")
    sink = sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    return sink.option("topic", kafka.topic("payments"))


def within_the_batch_only(orders: DataFrame, kafka) -> DataStreamWriter:
    """Paid once in each batch, not once for all

    An order that came twice in one batch was paid once, and one that came again in a later batch
    was paid again. In foreachBatch you see the rows of one batch. What earlier batches have paid
    has to be looked up by the order's id, and left out. If you do look: anew in each batch, and does
    an id ever equal what you find? The keys of a topic are bytes.
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        _send(batch.dropDuplicates(["order_id"]), kafka)

    return orders.writeStream.foreachBatch(write)


def state_for_the_sink(orders: DataFrame, kafka) -> DataStreamWriter:
    """The batch that ran again paid twice

    Only that batch was. A memory that goes back together with the checkpoint, as Spark's state does,
    forgets it: after the kill the same rows come out again, as they must. Which part of your job that
    outlives the process looks whether they had been written? A Python variable does not.
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        _send(batch, kafka)

    return orders.dropDuplicates(["order_id"]).writeStream.foreachBatch(write)


def deliveries_added_up(orders: DataFrame, kafka) -> DataStreamWriter:
    """Two deliveries of one order added up

    The amounts of an order that was delivered twice were added up. Two deliveries of one order are
    one order, and its amount is what it was.
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        servers, topic = kafka.bootstrap_servers, kafka.topic("payments")
        source = batch.sparkSession.read.format("kafka").option("subscribe", topic)
        written = source.option("kafka.bootstrap.servers", servers).load()
        keys = written.select(F.col("key").cast("string").alias("order_id")).distinct()
        sums = batch.groupBy("order_id").agg(F.sum("amount_cents").alias("amount_cents"))
        _send(sums.join(keys, "order_id", "left_anti"), kafka)

    return orders.writeStream.foreachBatch(write)


def asks_the_topic_alone(orders: DataFrame, kafka) -> DataStreamWriter:
    """Two copies in one batch both paid

    An order that came twice in one batch was paid twice; one that came again later was not.
    Whatever you ask for what is paid, the topic or another memory, is asked before the batch is
    written, so neither of two copies in the same batch is in it yet. What has to happen to the
    batch itself?
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        servers, topic = kafka.bootstrap_servers, kafka.topic("payments")
        source = batch.sparkSession.read.format("kafka").option("subscribe", topic)
        written = source.option("kafka.bootstrap.servers", servers).load()
        keys = written.select(F.col("key").cast("string").alias("order_id")).distinct()
        _send(batch.join(keys, "order_id", "left_anti"), kafka)

    return orders.writeStream.foreachBatch(write)
