"""Ways in which a booking counts twice, or a memory is lost or never ends."""

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
    """Copies are counted

    What the killed writer wrote twice counts twice. The state of a count goes back with the offsets
    of this query, and it knows nothing of what the writer before it did. Something must ask whether a
    booking was there before.
    """
    return _to_screen(_timed(bookings), kafka)


def nothing_asks_for_copies(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Copies are counted, and the query has no time

    What the killed writer wrote twice counts twice. The state of a count goes back with the offsets
    of this query, and it knows nothing of what the writer before it did. Something must ask whether a
    booking was there before; a watermark alone does not, it only tells for how long to remember.
    """
    return _to_screen(bookings, kafka)


def one_batch_at_a_time(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Each micro-batch is counted by itself

    What came twice in one micro-batch counts once. What the killed writer wrote again in a later one
    counts again, and the screen gets the takings of the last micro-batch, not those so far. What outlasts
    a micro-batch is state: what remembers the bookings that were there, and what keeps the totals?
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
    """Copies that were written again are counted

    Two that are the same to the byte count once; what the writer wrote again, minutes later, counts
    twice. A column that is made anew with every write tells two writes apart and not two bookings.
    """
    return _to_screen(_timed(bookings).dropDuplicatesWithinWatermark(), kafka)


def time_of_writing_in_the_key(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """What was written again is counted again

    Two that are the same to the byte count once; what the writer wrote again, minutes later, counts
    twice. Ids are let go by the time in the key, and something else that is compared is new in each
    copy. Which column is made anew with every write, and tells two writes apart and not two bookings?
    """
    return _to_screen(_timed(bookings).dropDuplicates(), kafka)


def refund_for_its_sale(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """A refund is in no total

    The refund is missing from the takings. It is a booking of its own, although by the order's id
    alone it looks like a copy of its sale. Which columns together say which booking a record is? If you
    compare those, what else in your query leaves refunds out?
    """
    return _to_screen(_timed(bookings).dropDuplicatesWithinWatermark(["order_id"]), kafka)


def refund_in_the_second_of_its_sale(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """A refund in the second of its sale is in no total

    Refunds count, but for those that were booked in the same second as their sale. Order and time do
    not yet say which booking a record is: what else is the same in each of its copies, and another in
    the refund?
    """
    once = _timed(bookings).dropDuplicatesWithinWatermark(["order_id", "booked_at"])
    return _to_screen(once, kafka)


def refund_at_the_time_of_its_sale(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """A refund with the time of its sale is in no total

    Refunds count, but for those that were booked in the same second as their sale. Ids are let go by
    the time in the key, as they should be. Order and time do not yet say which booking a record is: what
    else is the same in each of its copies, and another in the refund?
    """
    return _to_screen(_timed(bookings).dropDuplicates(["order_id", "booked_at"]), kafka)


def refund_of_an_unknown_amount(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """A refund of an unknown amount is in no total

    Refunds count, but for one whose amount the till does not know, as it does not know that of the sale.
    Null equals null in a key. Order and amount do not yet say which booking a record is: what else is
    the same in each of its copies, and another in the refund?
    """
    once = _timed(bookings).dropDuplicatesWithinWatermark(["order_id", "cents"])
    return _to_screen(once, kafka)


def amount_for_identity(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Two bookings of one amount in one second are one

    A sale is missing: another one of the same amount was booked in the same second by the same
    method. That two bookings are alike does not make them one.
    """
    once = _timed(bookings).dropDuplicatesWithinWatermark(["method", "cents", "booked_at"])
    return _to_screen(once, kafka)


def ids_for_ever(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Every booking is remembered for ever

    The takings are right, and after step 6 {steps.6.state} rows are kept; {asked.steps.6.state} are
    enough. The ids have no time that a watermark could pass.
    """
    return _to_screen(_timed(bookings).dropDuplicates(["order_id", "kind"]), kafka)


def by_the_writers_clock(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """The memory follows the clock of the writer

    A booking that was written again much later counts twice. written_at is when a record was
    written, and each copy has a new one: copies may be hours apart in it, and none is ever late. How
    far apart copies are and how late a booking is, booked_at says, which all its copies share.
    """
    timed = bookings.withWatermark("written_at", "10 minutes")
    return _to_screen(timed.dropDuplicatesWithinWatermark(["order_id", "kind"]), kafka)


def remembered_in_python(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Bookings are remembered outside Spark's state

    Without a kill the takings are right, and Spark's state is empty: what remembers the bookings stands
    somewhere else. Does it come back after a kill, and when does it let go of an id? A Python set is empty
    in the next process; a file or a topic keeps every id. What Spark keeps as state goes back together
    with the offsets, and a watermark gives it an end.
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
    """Methods that did not change are told again

    The takings are right, and methods that got no booking were told again. Complete mode writes the
    whole result with every micro-batch. Which mode tells of what changed?
    """
    once = _timed(bookings).dropDuplicatesWithinWatermark(["order_id", "kind"])
    return _to_screen(once, kafka, "complete")


def tells_every_method_with_the_time(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    """Every method is told again and again

    The takings are right, ids are let go, and methods that got no booking were told again. Complete mode
    writes the whole result with every micro-batch. Which mode tells of what changed?
    """
    once = _timed(bookings).dropDuplicates(["order_id", "kind", "booked_at"])
    return _to_screen(once, kafka, "complete")
