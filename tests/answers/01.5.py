"""Answers to 01.5."""

import tempfile
from pathlib import Path
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def _requests(orders: DataFrame) -> DataFrame:
    value = F.to_json(F.struct("order_id", "amount_cents"))
    return orders.select(F.col("order_id").alias("key"), value.alias("value"))


def _send(orders: DataFrame, kafka) -> None:
    sink = _requests(orders).write.format("kafka").mode("append")
    sink = sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    sink.option("topic", kafka.topic("payments")).save()


def _topic(session: SparkSession, kafka, name: str = "payments") -> DataFrame:
    source = session.read.format("kafka").option("subscribe", kafka.topic(name))
    return source.option("kafka.bootstrap.servers", kafka.bootstrap_servers).load()


def _ids(session: SparkSession, kafka) -> DataFrame:
    return _topic(session, kafka).select(F.col("key").cast("string").alias("order_id"))


def right_not_exists(orders: DataFrame, kafka) -> DataStreamWriter:
    """SQL in the batch: the first of each order by row_number, NOT EXISTS for what is written."""

    def write(batch: DataFrame, batch_id: int) -> None:
        session = batch.sparkSession
        batch.createOrReplaceTempView("come")
        _topic(session, kafka).createOrReplaceTempView("written")
        new = session.sql(
            "SELECT order_id, amount_cents FROM (SELECT *, row_number() OVER "
            "(PARTITION BY order_id ORDER BY order_time) AS n FROM come) c WHERE n = 1 AND NOT EXISTS "
            "(SELECT 1 FROM written w WHERE get_json_object(string(w.value), '$.order_id') = c.order_id)"
        )
        _send(new, kafka)

    return orders.writeStream.foreachBatch(write)


def right_topic_asked_on_the_stream(orders: DataFrame, kafka) -> DataStreamWriter:
    """No foreachBatch: state for duplicates, and the topic as a static table in an anti join of the stream."""
    written = _ids(orders.sparkSession, kafka)
    new = orders.dropDuplicates(["order_id"]).join(written, "order_id", "left_anti")
    sink = _requests(new).writeStream.format("kafka")
    sink = sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    return sink.option("topic", kafka.topic("payments"))


def right_asked_once_a_process(orders: DataFrame, kafka) -> DataStreamWriter:
    """A set in memory that each process first fills from the topic

    What Python forgets with the process, the topic gives back; within a process the set knows as much.
    """
    known: set[str] | None = None

    def write(batch: DataFrame, batch_id: int) -> None:
        nonlocal known
        if known is None:
            known = {row.order_id for row in _ids(batch.sparkSession, kafka).collect()}
        new = batch.dropDuplicates(["order_id"]).filter(~F.col("order_id").isin(list(known)))
        ids = [row.order_id for row in new.select("order_id").collect()]
        _send(new, kafka)
        known.update(ids)

    return orders.writeStream.foreachBatch(write)


def right_in_plain_python(orders: DataFrame, kafka) -> DataStreamWriter:
    """The batch and the keys collected, compared in Python, the rest sent."""

    def write(batch: DataFrame, batch_id: int) -> None:
        session = orders.sparkSession
        written = {bytes(row.key).decode() for row in _topic(session, kafka).collect()}
        new = {
            row.order_id: row.amount_cents for row in batch.collect() if row.order_id not in written
        }
        rows = session.createDataFrame(list(new.items()), "order_id STRING, amount_cents INT")
        _send(rows, kafka)

    return orders.writeStream.foreachBatch(write)


def right_table_made_once(orders: DataFrame, kafka) -> DataStreamWriter:
    """The table of what is written made once, outside; it is a plan, and read anew in each batch."""
    written = _ids(orders.sparkSession, kafka).withColumn("there", F.lit(True))

    def write(batch: DataFrame, batch_id: int) -> None:
        one_each = batch.groupBy("order_id").agg(F.max("amount_cents").alias("amount_cents"))
        joined = one_each.join(written, "order_id", "left").filter("there IS NULL")
        _send(joined, kafka)

    return orders.writeStream.outputMode("update").foreachBatch(write)


def wrong_remembered_in_a_temporary_view(orders: DataFrame, kafka) -> DataStreamWriter:
    """What was paid kept in a temporary view of the session

    It dies with the process as a Python set does: after a real kill all old orders that come again are paid again.
    """
    session = orders.sparkSession

    def write(batch: DataFrame, batch_id: int) -> None:
        try:
            paid = [row.order_id for row in session.table("paid_orders").collect()]
        except AnalysisException:
            paid = []
        new = batch.dropDuplicates(["order_id"]).filter(~F.col("order_id").isin(paid))
        ids = [row.order_id for row in new.select("order_id").collect()]
        _send(new, kafka)
        rows = [(order_id,) for order_id in [*paid, *ids]]
        session.createDataFrame(rows, "order_id STRING").createOrReplaceTempView("paid_orders")

    return orders.writeStream.foreachBatch(write)


def wrong_file_named_after_the_topic(orders: DataFrame, kafka) -> DataStreamWriter:
    """What was paid kept in a file whose name holds the topic's, written after the payment

    "A file may say paid when the process died before the write, or nothing when it died just after." Here it says
    nothing if the process dies between send and file: paid twice.
    """
    file = Path(tempfile.gettempdir(), f"paid-{kafka.topic('payments')}.txt")

    def write(batch: DataFrame, batch_id: int) -> None:
        paid = file.read_text().split() if file.exists() else []
        new = batch.dropDuplicates(["order_id"]).filter(~F.col("order_id").isin(paid))
        ids = [row.order_id for row in new.select("order_id").collect()]
        _send(new, kafka)
        file.write_text("\n".join([*paid, *ids]))

    return orders.writeStream.foreachBatch(write)


def wrong_only_the_last_hour_asked(orders: DataFrame, kafka) -> DataStreamWriter:
    """The topic asked, to keep the reading short, for the records of the last hour only

    "However often the order comes": one that comes again after two hours is paid again.
    """

    def write(batch: DataFrame, batch_id: int) -> None:
        recent = F.col("timestamp") > F.current_timestamp() - F.expr("INTERVAL 1 HOUR")
        records = _topic(batch.sparkSession, kafka).filter(recent)
        written = records.select(F.col("key").cast("string").alias("order_id"))
        _send(batch.dropDuplicates(["order_id"]).join(written, "order_id", "left_anti"), kafka)

    return orders.writeStream.foreachBatch(write)


def wrong_late_orders_never_paid(orders: DataFrame, kafka) -> DataStreamWriter:
    """A watermark to keep the state of the deduplication small, and the topic asked

    An order that comes for the first time more than half an hour behind the newest is dropped as late and never
    paid: "for every order_id exactly one record".
    """

    def write(batch: DataFrame, batch_id: int) -> None:
        written = _ids(batch.sparkSession, kafka)
        _send(batch.join(written, "order_id", "left_anti"), kafka)

    marked = orders.withWatermark("order_time", "30 minutes")
    return marked.dropDuplicatesWithinWatermark(["order_id"]).writeStream.foreachBatch(write)


def wrong_bytes_compared_with_text(orders: DataFrame, kafka) -> DataStreamWriter:
    """The keys collected as they are, as bytes, and compared with texts in Python: never equal

    o02, o04 and o01 are paid again in later steps.
    """

    def write(batch: DataFrame, batch_id: int) -> None:
        written = [row.key for row in _topic(batch.sparkSession, kafka).select("key").collect()]
        new = {
            row.order_id: row.amount_cents for row in batch.collect() if row.order_id not in written
        }
        schema = "order_id STRING, amount_cents INT"
        _send(batch.sparkSession.createDataFrame(list(new.items()), schema), kafka)

    return orders.writeStream.foreachBatch(write)


def wrong_topic_kept_in_memory(orders: DataFrame, kafka) -> DataStreamWriter:
    """The table of what is written made once and cached

    It stays as it was at the first batch: empty.
    """
    written = _ids(orders.sparkSession, kafka).cache()

    def write(batch: DataFrame, batch_id: int) -> None:
        new = batch.dropDuplicates(["order_id"]).join(written, "order_id", "left_anti")
        _send(new, kafka)

    return orders.writeStream.foreachBatch(write)


def wrong_topic_read_before_the_start(orders: DataFrame, kafka) -> DataStreamWriter:
    """The written ids collected once, while the query is being built

    What this process pays afterwards it does not know.
    """
    paid = [row.order_id for row in _ids(orders.sparkSession, kafka).collect()]

    def write(batch: DataFrame, batch_id: int) -> None:
        _send(batch.dropDuplicates(["order_id"]).filter(~F.col("order_id").isin(paid)), kafka)

    return orders.writeStream.foreachBatch(write)


def wrong_batch_numbers_in_python(orders: DataFrame, kafka) -> DataStreamWriter:
    """State for duplicates, and a Python set of the batches that are done

    The set is gone after the kill, and step 2 is paid twice.
    """
    done: set[int] = set()

    def write(batch: DataFrame, batch_id: int) -> None:
        if batch_id in done:
            return
        _send(batch, kafka)
        done.add(batch_id)

    return orders.dropDuplicates(["order_id"]).writeStream.foreachBatch(write)


def _pay(orders: DataFrame, kafka: Any) -> None:
    value = F.to_json(F.struct("order_id", "amount_cents")).alias("value")
    sink = orders.select(F.col("order_id").alias("key"), value).write.format("kafka")
    sink = sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    sink.option("topic", kafka.topic("payments")).save()


def _unpaid(orders: DataFrame, kafka: Any) -> DataFrame:
    """The orders of a batch that have no record in the topic."""
    source = orders.sparkSession.read.format("kafka").option("subscribe", kafka.topic("payments"))
    written = source.option("kafka.bootstrap.servers", kafka.bootstrap_servers).load()
    keys = written.select(F.col("key").cast("string").alias("order_id")).distinct()
    return orders.join(keys, "order_id", "left_anti")


# what is made in one play and still there in the next
_KEPT = tempfile.TemporaryDirectory(prefix="cand-")
_FOLDER = Path(_KEPT.name)


def wrong_twice_in_one_batch(orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """Twice in one batch."""
    return orders.writeStream.foreachBatch(lambda batch, _id: _pay(_unpaid(batch, kafka), kafka))


def wrong_ids_in_a_file(orders: DataFrame, kafka: Any) -> DataStreamWriter:
    """Ids in a file."""
    path = _FOLDER / "ids"

    def write(batch: DataFrame, _id: int) -> None:
        known = path.read_text().split() if path.exists() else []
        new = batch.dropDuplicates(["order_id"]).filter(~F.col("order_id").isin(known)).collect()
        _pay(batch.sparkSession.createDataFrame(new, batch.schema), kafka)
        path.write_text(" ".join([*known, *[row.order_id for row in new]]))

    return orders.writeStream.foreachBatch(write)


def right_union_with_a_mark(orders: DataFrame, kafka) -> DataStreamWriter:
    """What is written and what has come put together; the ids of which nothing is written are kept."""

    def write(batch: DataFrame, batch_id: int) -> None:
        come = batch.select("order_id", "amount_cents", F.lit(0).alias("paid"))
        written = _ids(batch.sparkSession, kafka).withColumn("paid", F.lit(1))
        both = come.unionByName(written, allowMissingColumns=True)
        known = both.groupBy("order_id").agg(
            F.max("paid").alias("paid"), F.max("amount_cents").alias("amount_cents")
        )
        _send(known.where("paid = 0"), kafka)

    return orders.writeStream.foreachBatch(write)


def right_subtract(orders: DataFrame, kafka) -> DataStreamWriter:
    """The ids less those written (subtract), and the newest delivery of each by a window function."""

    def write(batch: DataFrame, batch_id: int) -> None:
        unpaid = batch.select("order_id").subtract(_ids(batch.sparkSession, kafka))
        newest_first = Window.partitionBy("order_id").orderBy(F.desc("order_time"))
        numbered = batch.withColumn("n", F.row_number().over(newest_first)).where("n = 1")
        _send(numbered.join(unpaid, "order_id", "left_semi").drop("n"), kafka)

    return orders.writeStream.foreachBatch(write)


def wrong_newest_hundred_asked(orders: DataFrame, kafka) -> DataStreamWriter:
    """Only the hundred newest records of the topic are asked, to keep it quick

    An order that comes again after a hundred others is paid again.
    """

    def write(batch: DataFrame, batch_id: int) -> None:
        newest = _topic(batch.sparkSession, kafka).orderBy(F.desc("timestamp")).limit(100)
        written = newest.select(F.col("key").cast("string").alias("order_id"))
        _send(batch.dropDuplicates(["order_id"]).join(written, "order_id", "left_anti"), kafka)

    return orders.writeStream.foreachBatch(write)


def wrong_asked_after_a_restart_only(orders: DataFrame, kafka) -> DataStreamWriter:
    """The topic is asked for the first batch of a process alone; later batches are only freed of copies in them

    The function is called once and its writer started for each step, so o02 is paid again in step 2.
    """
    asked = False

    def write(batch: DataFrame, batch_id: int) -> None:
        nonlocal asked
        new = batch.dropDuplicates(["order_id"])
        if not asked:
            new = new.join(_ids(batch.sparkSession, kafka), "order_id", "left_anti")
            asked = True
        _send(new, kafka)

    return orders.writeStream.foreachBatch(write)
