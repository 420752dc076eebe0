"""Answers to 07.5: other ways to an effectively-once screen, right and wrong."""

import json
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def _records(totals: DataFrame) -> DataFrame:
    value = F.to_json(F.struct("method", "bookings", "cents"))
    return totals.select(F.col("method").alias("key"), value.alias("value"))


def _to_screen(once: DataFrame, kafka: Any) -> DataStreamWriter:
    totals = once.groupBy("method").agg(
        F.count("*").alias("bookings"), F.sum("cents").alias("cents")
    )
    sink = _records(totals).writeStream.format("kafka").outputMode("update")
    sink = sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    return sink.option("topic", kafka.topic("screen"))


def _send(frame: DataFrame, kafka: Any) -> None:
    sink = _records(frame).write.format("kafka").option("topic", kafka.topic("screen"))
    sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers).save()


def _timed(bookings: DataFrame) -> DataFrame:
    return bookings.withWatermark("booked_at", "10 minutes")


def right_all_but_the_writing(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Drops written_at, and then compares all that is left, the time of booking among it

    "Only written_at is new then."
    """
    kept = bookings.drop("written_at").withWatermark("booked_at", "10 minutes")
    return _to_screen(kept.dropDuplicates(), kafka)


def right_one_column_for_identity(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Order and kind in one text as the key; sums as double, key and value as binary, topic as a column

    The numbers are the same, and Kafka carries bytes.
    """
    keyed = _timed(bookings).withColumn("booking", F.concat_ws("/", "order_id", "kind"))
    totals = (
        keyed.dropDuplicatesWithinWatermark(["booking"])
        .groupBy(F.col("method"))
        .agg(F.sum(F.lit(1)).alias("bookings"), F.sum(F.col("cents").cast("double")).alias("cents"))
    )
    value = F.to_json(F.struct("cents", "method", "bookings"))
    records = totals.select(
        F.lit(kafka.topic("screen")).alias("topic"),
        F.col("method").cast("binary").alias("key"),
        value.cast("binary").alias("value"),
    )
    sink = records.writeStream.format("kafka").outputMode("update")
    return sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)


def right_looks_before_it_writes(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Marks a refund by a flag, and asks in foreachBatch whether there is anything before it writes

    kind has two values, so the flag says the same.
    """
    timed = _timed(
        bookings.selectExpr("order_id", "kind = 'refund' AS back", "method", "cents", "booked_at")
    )
    totals = (
        timed.dropDuplicatesWithinWatermark(["back", "order_id"])
        .groupBy("method")
        .agg(F.count("order_id").alias("bookings"), F.sum("cents").alias("cents"))
    )

    def write(batch: DataFrame, batch_id: int) -> None:
        if not batch.isEmpty():
            _send(batch, kafka)

    return totals.writeStream.outputMode("update").foreachBatch(write)


def right_counts_before_it_writes(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Counts the rows of the micro-batch, prints the number, and writes"""
    once = _timed(bookings).dropDuplicatesWithinWatermark(["order_id", "kind"])
    totals = once.groupBy("method").agg(
        F.count("*").alias("bookings"), F.sum("cents").alias("cents")
    )

    def write(batch: DataFrame, batch_id: int) -> None:
        print(batch_id, batch.count())
        _send(batch, kafka)

    return totals.writeStream.outputMode("update").foreachBatch(write)


def wrong_amount_for_kind(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Order and amount are the key, since a refund's amount is negative

    A sale and a refund whose amounts the till does not know are both null, and count as one ("cents … null if the till does not know it"); so are two of
    0.
    """
    return _to_screen(_timed(bookings).dropDuplicatesWithinWatermark(["order_id", "cents"]), kafka)


def right_twice_as_patient(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Twenty minutes, with the time of booking in the key

    An id is gone once the newest booking is twenty minutes past it, and no first writing is lost.
    """
    timed = bookings.withWatermark("booked_at", "20 minutes")
    return _to_screen(timed.dropDuplicates(["order_id", "kind", "booked_at"]), kafka)


def wrong_seen_in_a_file(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Remembers ids and totals in a file of its own

    It survives the kill, and what runs again finds itself known, so the totals are right. But the memory is not Spark's state, and has no end.
    """
    place = Path(gettempdir()) / f"seen-{kafka.topic('screen')}.json"

    def write(batch: DataFrame, batch_id: int) -> None:
        kept = json.loads(place.read_text()) if place.exists() else {"seen": [], "totals": {}}
        seen = {tuple(id) for id in kept["seen"]}
        told = set()
        for row in batch.collect():
            if (row.order_id, row.kind) not in seen:
                seen.add((row.order_id, row.kind))
                count, cents = kept["totals"].get(row.method, (0, None))
                if row.cents is not None:
                    cents = (cents or 0) + row.cents
                kept["totals"][row.method] = (count + 1, cents)
                told.add(row.method)
        if told:
            totals = [(method, *kept["totals"][method]) for method in sorted(told)]
            schema = "method STRING, bookings LONG, cents LONG"
            _send(batch.sparkSession.createDataFrame(totals, schema), kafka)
        kept["seen"] = sorted(seen)
        place.write_text(json.dumps(kept))

    return bookings.writeStream.foreachBatch(write)


def wrong_counts_the_whole_topic_anew(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Reads the whole topic of bookings in every micro-batch, without copies, and tells the methods of the batch's new bookings

    The memory is the topic, without an end, and a running query would count what has come since its batch began.
    """

    def write(batch: DataFrame, batch_id: int) -> None:
        records = (
            batch.sparkSession.read.format("kafka")
            .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
            .option("subscribe", kafka.topic("bookings"))
            .load()
        )
        schema = "order_id STRING, kind STRING, method STRING, cents INT, written_at TIMESTAMP"
        all_of_them = records.select(
            "offset", F.from_json(F.col("value").cast("string"), schema).alias("b")
        ).select("offset", "b.*")
        firsts = all_of_them.groupBy("order_id", "kind").agg(
            F.min_by(F.struct("method", "cents"), "offset").alias("b"),
            F.count("*").alias("times"),
        )
        here = batch.groupBy("order_id", "kind").agg(F.count("*").alias("times_here"))
        new = firsts.join(here, ["order_id", "kind"]).where("times = times_here")
        changed = new.select("b.method").distinct()
        totals = (
            firsts.select("b.*")
            .groupBy("method")
            .agg(F.count("*").alias("bookings"), F.sum("cents").alias("cents"))
            .join(changed, "method", "left_semi")
        )
        _send(totals, kafka)

    return bookings.writeStream.foreachBatch(write)


def wrong_sales_only(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Leaves refunds out of the takings

    "A refund is one, too."
    """
    sales = _timed(bookings).where("kind = 'sale'")
    return _to_screen(sales.dropDuplicatesWithinWatermark(["order_id", "kind"]), kafka)


def wrong_one_batch_at_a_time(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Drops copies and counts within each micro-batch only

    Totals begin anew with every batch (step 2: card 1, wallet 2 once more, and not what came so far).
    """

    def write(batch: DataFrame, batch_id: int) -> None:
        once = batch.dropDuplicates(["order_id", "kind"])
        _send(
            once.groupBy("method").agg(
                F.count("*").alias("bookings"), F.sum("cents").alias("cents")
            ),
            kafka,
        )

    return bookings.writeStream.foreachBatch(write)


def _sent(rows: DataFrame, kafka: Any, topic: str, key: str | None = None) -> DataStreamWriter:
    value = F.to_json(F.struct("*"), {"ignoreNullFields": "false"}).alias("value")
    columns = [F.col(key).alias("key"), value] if key else [value]
    writer = rows.select(*columns).writeStream.format("kafka")
    writer = writer.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    return writer.option("topic", kafka.topic(topic))


def _on_the_screen(counts: DataFrame, kafka: Any, mode: str) -> DataStreamWriter:
    return _sent(counts, kafka, "screen", key="method").outputMode(mode)


def _totals(bookings: DataFrame, count: str) -> DataFrame:
    once = bookings.withWatermark("booked_at", "10 minutes").dropDuplicatesWithinWatermark(
        ["order_id", "kind"]
    )
    counts = once.groupBy("method").agg(
        F.expr(count).alias("bookings"), F.sum("cents").alias("cents")
    )
    return counts.select("method", "bookings", "cents")


def wrong_amounts_that_are_known(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Amounts that are known."""
    return _on_the_screen(_totals(bookings, "COUNT(cents)"), kafka, "update")


def wrong_in_append_mode(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """In append mode."""
    return _on_the_screen(_totals(bookings, "COUNT(*)"), kafka, "append")


def wrong_sales_alone(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Sales alone."""
    return _on_the_screen(_totals(bookings.where("kind = 'sale'"), "COUNT(*)"), kafka, "update")


def wrong_order_amount_and_time(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Order, amount and time of booking are the key

    A sale and a refund of one second whose amounts are both unknown count as one.
    """
    return _to_screen(_timed(bookings).dropDuplicates(["order_id", "cents", "booked_at"]), kafka)


def wrong_takings_of_the_day(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Totals by method and day

    "So far": after midnight the screen begins at 1 again.
    """
    once = _timed(bookings).dropDuplicatesWithinWatermark(["order_id", "kind"])
    totals = once.groupBy(F.to_date("booked_at").alias("day"), "method").agg(
        F.count("*").alias("bookings"), F.sum("cents").alias("cents")
    )
    return _sent(totals.drop("day"), kafka, "screen", key="method").outputMode("update")
