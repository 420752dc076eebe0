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
    """Paid orders kept in process memory

    After the kill, orders that had been paid long before were paid again. What held their ids did
    not survive the kill: a Python set, for example, is empty after a restart. Which memory survives
    the process?
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        known = list(_seen)
        new = batch.dropDuplicates(["order_id"]).filter(~F.col("order_id").isin(known))
        _seen.update(row.order_id for row in new.select("order_id").collect())
        _send(new.filter(~F.col("order_id").isin(known)), kafka)

    return orders.writeStream.foreachBatch(write)


def sink_expected_to_do_it(orders: DataFrame, kafka) -> DataStreamWriter:
    """Duplicates written by the sink

    Every order that arrived twice was paid twice. The Kafka sink writes each row that it gets, and
    does not look at the records of the topic. Where in your job are duplicates dropped?
    """
    sink = _requests(orders).writeStream.format("kafka")
    sink = sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    return sink.option("topic", kafka.topic("payments"))


def within_the_batch_only(orders: DataFrame, kafka) -> DataStreamWriter:
    """Orders of earlier micro-batches paid again

    An order that arrived twice in one micro-batch was paid once. One that arrived again in a later
    micro-batch was paid again. In foreachBatch you see the rows of one micro-batch. If you look up
    earlier payments: do you read them for each micro-batch, and do you compare strings with
    strings? The keys of a topic are bytes.
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        _send(batch.dropDuplicates(["order_id"]), kafka)

    return orders.writeStream.foreachBatch(write)


def state_for_the_sink(orders: DataFrame, kafka) -> DataStreamWriter:
    """Restarted micro-batch paid twice

    Only the micro-batch that ran again was paid twice. Spark's state goes back together with the
    checkpoint, so after the kill the same rows are emitted again. That is right: the state does not
    know whether they were written. Which part of your job looks at what the sink has?
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        _send(batch, kafka)

    return orders.dropDuplicates(["order_id"]).writeStream.foreachBatch(write)


def deliveries_added_up(orders: DataFrame, kafka) -> DataStreamWriter:
    """Amounts of duplicates added up

    The amounts of an order that arrived twice were added up. A duplicate is the same order, so its
    amount does not change. What does your aggregation do with two equal rows?
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
    """Duplicates within a micro-batch

    An order that arrived twice in one micro-batch was paid twice; one that arrived again later was
    not. Your job reads what is paid before it writes the micro-batch, so neither of the two rows is
    there yet. What must happen to the micro-batch itself?
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        servers, topic = kafka.bootstrap_servers, kafka.topic("payments")
        source = batch.sparkSession.read.format("kafka").option("subscribe", topic)
        written = source.option("kafka.bootstrap.servers", servers).load()
        keys = written.select(F.col("key").cast("string").alias("order_id")).distinct()
        _send(batch.join(keys, "order_id", "left_anti"), kafka)

    return orders.writeStream.foreachBatch(write)


def amount_in_the_join_key(orders: DataFrame, kafka) -> DataStreamWriter:
    """Null amount in the join key

    The order o04 has no amount, and it was paid again in step 3. A null is not equal to a null, so a
    join on the amount does not find the record that was written before. Which column identifies an
    order?
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        servers, topic = kafka.bootstrap_servers, kafka.topic("payments")
        source = batch.sparkSession.read.format("kafka").option("subscribe", topic)
        records = source.option("kafka.bootstrap.servers", servers).load()
        request = F.from_json(F.col("value").cast("string"), "order_id STRING, amount_cents INT")
        written = records.select(request.alias("request")).select("request.*").distinct()
        new = batch.dropDuplicates(["order_id"])
        _send(new.join(written, ["order_id", "amount_cents"], "left_anti"), kafka)

    return orders.writeStream.foreachBatch(write)
