"""Ways in which a booking counts twice or not at all, or a memory is lost or never ends."""

from collections import Counter
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter


def _records(totals: DataFrame) -> DataFrame:
    value = F.to_json(F.struct("method", "bookings", "cents"))
    return totals.select(F.col("method").alias("key"), value.alias("value"))


def _to_screen(once: DataFrame, kafka: Any, mode: str = "update") -> DataStreamWriter:
    totals = once.groupBy("method").agg(
        F.count("*").alias("bookings"), F.sum("cents").alias("cents")
    )
    sink = _records(totals).writeStream.format("kafka").outputMode(mode)
    sink = sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    return sink.option("topic", kafka.topic("screen"))


def _timed(bookings: DataFrame) -> DataFrame:
    return bookings.withWatermark("booked_at", "10 minutes")


def every_delivery_counts(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """No deduplication before the aggregation

    What the killed writer wrote twice counts twice. The state of an aggregation returns with the offsets of this
    query, but it knows nothing of what the producer wrote before. Which operator asks whether a booking was there
    before?
    """
    return _to_screen(_timed(bookings), kafka)


def nothing_asks_for_copies(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """No deduplication, and no watermark

    What the killed writer wrote twice counts twice. The state of an aggregation returns with the offsets of this
    query, but it knows nothing of what the producer wrote before. Which operator asks whether a booking was there
    before? A watermark alone does not: it only decides how long to remember.
    """
    return _to_screen(bookings, kafka)


def one_batch_at_a_time(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Deduplication and totals per micro-batch

    Duplicates within one micro-batch count once. What the killed writer wrote again in a later micro-batch counts
    again. The screen shows the revenue of the last micro-batch, not the revenue so far. State outlasts a
    micro-batch: what remembers your bookings, and what keeps your totals?
    """

    def write(batch: DataFrame, _batch_id: int) -> None:
        once = batch.dropDuplicates(["order_id", "kind"])
        totals = once.groupBy("method").agg(
            F.count("*").alias("bookings"), F.sum("cents").alias("cents")
        )
        sink = _records(totals).write.format("kafka").option("topic", kafka.topic("screen"))
        sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers).save()

    return bookings.writeStream.foreachBatch(write)


def time_of_writing_compared(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Time of writing in the key

    Two equal records count once; what the writer wrote again minutes later counts twice. A column that each write
    makes again distinguishes two writes, not two bookings. Which column is that?
    """
    return _to_screen(_timed(bookings).dropDuplicatesWithinWatermark(), kafka)


def time_of_writing_in_the_key(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Time of writing in the key of dropDuplicates

    Two equal records count once; what the writer wrote again minutes later counts twice. Keys are evicted by the
    time in the key, but something else in the key is new in each duplicate. Which column does each write make
    again?
    """
    return _to_screen(_timed(bookings).dropDuplicates(), kafka)


def refund_for_its_sale(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Order as identity: a refund is in no total

    The refund is missing from the revenue. It is a booking of its own, although it has the id of its order and so
    looks like a duplicate of the sale. Which columns together identify a booking? If your key has them, what else
    in your query leaves refunds out?
    """
    return _to_screen(_timed(bookings).dropDuplicatesWithinWatermark(["order_id"]), kafka)


def refund_in_the_second_of_its_sale(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Order and time as identity

    Refunds count, except those that were booked in the same second as their sale. Order and time do not identify a
    booking. What else is the same in each duplicate, and different in the refund?
    """
    once = _timed(bookings).dropDuplicatesWithinWatermark(["order_id", "booked_at"])
    return _to_screen(once, kafka)


def refund_at_the_time_of_its_sale(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Order and time as identity in dropDuplicates

    Refunds count, except those that were booked in the same second as their sale. Keys are evicted by the time in
    the key, as they should be. But order and time do not identify a booking. What else is the same in each
    duplicate, and different in the refund?
    """
    return _to_screen(_timed(bookings).dropDuplicates(["order_id", "booked_at"]), kafka)


def refund_of_an_unknown_amount(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Order and amount as identity

    Refunds count, except one of an unknown amount: the amount of its sale is unknown, too, and null equals null in
    a key. Order and amount do not identify a booking. What else is the same in each duplicate, and different in
    the refund?
    """
    once = _timed(bookings).dropDuplicatesWithinWatermark(["order_id", "cents"])
    return _to_screen(once, kafka)


def amount_for_identity(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Method, amount and time as identity

    A sale is missing: another sale of the same amount was booked in the same second with the same method. Two
    equal bookings are still two. Which columns were made to distinguish them?
    """
    once = _timed(bookings).dropDuplicatesWithinWatermark(["method", "cents", "booked_at"])
    return _to_screen(once, kafka)


def ids_for_ever(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """No eviction: every booking stays in state

    The revenue is right, but after step 6 {steps.6.state} rows are in state; {asked.steps.6.state} are enough. The
    keys have no time that a watermark could reach. When does the task want an id evicted?
    """
    return _to_screen(_timed(bookings).dropDuplicates(["order_id", "kind"]), kafka)


def by_the_writers_clock(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Watermark on the time of writing

    A booking that was written again much later counts twice. Each duplicate has a new `written_at`: duplicates may
    be hours apart in it, and none is ever late. Which time do all records of a booking share?
    """
    timed = bookings.withWatermark("written_at", "10 minutes")
    return _to_screen(timed.dropDuplicatesWithinWatermark(["order_id", "kind"]), kafka)


def remembered_in_python(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Identities kept outside Spark's state

    Without a kill the revenue is right, but Spark's state is empty: your bookings are remembered somewhere else.
    Does that memory return after a kill, and when does it forget an id? A Python set is empty in the next process;
    a file or a topic keeps every id. Spark's state returns together with the offsets, and a watermark evicts from
    it.
    """
    seen: set[tuple[str, str]] = set()
    bookings_of: Counter[str] = Counter()
    cents_of: Counter[str] = Counter()

    def write(batch: DataFrame, _batch_id: int) -> None:
        told = set()
        for row in batch.collect():
            if (row.order_id, row.kind) not in seen:
                seen.add((row.order_id, row.kind))
                bookings_of[row.method] += 1
                cents_of[row.method] += row.cents or 0
                told.add(row.method)
        totals = [(method, bookings_of[method], cents_of[method]) for method in sorted(told)]
        if totals:
            frame = batch.sparkSession.createDataFrame(
                totals, "method STRING, bookings LONG, cents LONG"
            )
            sink = _records(frame).write.format("kafka").option("topic", kafka.topic("screen"))
            sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers).save()

    return bookings.writeStream.foreachBatch(write)


def tells_every_method(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Complete mode: unchanged methods are written again

    The revenue is right, but methods without a new booking were written again. Complete mode writes the whole
    result in each micro-batch. Which mode writes the rows that changed?
    """
    once = _timed(bookings).dropDuplicatesWithinWatermark(["order_id", "kind"])
    return _to_screen(once, kafka, "complete")


def tells_every_method_with_the_time(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Complete mode, with the time in the key

    The revenue is right and ids are evicted, but methods without a new booking were written again. Complete mode
    writes the whole result in each micro-batch. Which mode writes the rows that changed?
    """
    once = _timed(bookings).dropDuplicates(["order_id", "kind", "booked_at"])
    return _to_screen(once, kafka, "complete")


def refund_is_no_booking(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Number of sales instead of bookings

    The cents are right, but `bookings` counts the sales only. A refund takes its amount from the total and still
    is a booking. What does your `bookings` count?
    """
    once = _timed(bookings).dropDuplicatesWithinWatermark(["order_id", "kind"])
    sales = F.count(F.when(F.col("kind") == "sale", 1)).alias("bookings")
    totals = once.groupBy("method").agg(sales, F.sum("cents").alias("cents"))
    sink = _records(totals).writeStream.format("kafka").outputMode("update")
    sink = sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    return sink.option("topic", kafka.topic("screen"))


def known_amounts_counted(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Count of known amounts instead of bookings

    The cents are right, but a booking of an unknown amount is not counted. A count of a column counts the rows in
    which the column is not null. What should be counted here?
    """
    once = _timed(bookings).dropDuplicatesWithinWatermark(["order_id", "kind"])
    known = F.count("cents").alias("bookings")
    totals = once.groupBy("method").agg(known, F.sum("cents").alias("cents"))
    sink = _records(totals).writeStream.format("kafka").outputMode("update")
    sink = sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    return sink.option("topic", kafka.topic("screen"))


def hurried(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Watermark delay too short

    After step 3 the watermark was {steps.3.delay} behind the newest booking. A first record that was further
    behind was dropped in step 4, and its amount is in no total. How far behind may a first record be?
    """
    timed = bookings.withWatermark("booked_at", "5 minutes")
    return _to_screen(timed.dropDuplicatesWithinWatermark(["order_id", "kind"]), kafka)


def twenty_minutes_within(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Watermark delay of 20 minutes: ids stay for 40

    The revenue is right, but after step 6 {steps.6.state} rows are in state; {asked.steps.6.state} are enough.
    Your operator keeps an id until the watermark is one delay past its booking. The watermark itself is one delay
    behind. How far ahead is the newest booking when an id is evicted?
    """
    timed = bookings.withWatermark("booked_at", "20 minutes")
    return _to_screen(timed.dropDuplicatesWithinWatermark(["order_id", "kind"]), kafka)
