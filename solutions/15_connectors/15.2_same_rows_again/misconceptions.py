"""Readers of several partitions that repeat orders, lose them, or ignore the limit."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kafka import KafkaConsumer, TopicPartition
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow


class _Log:
    """The orders in a topic, as the lesson gives them."""

    def __init__(self, options: Any):
        self.servers, self.topic = options["servers"], options["topic"]

    def ends(self) -> dict[str, int]:
        with self.client() as client:
            known = [TopicPartition(self.topic, n) for n in client.partitions_for_topic(self.topic)]
            return {str(tp.partition): end for tp, end in sorted(client.end_offsets(known).items())}

    def read(self, partition: str, first: int, end: int) -> Iterator[tuple[str, str]]:
        tp = TopicPartition(self.topic, int(partition))
        with self.client() as client:
            there = client.end_offsets([tp])[tp]
            if end > there:
                raise ValueError(f"the log ends at {there}: nothing can be read up to {end}")
            client.assign([tp])
            client.seek(tp, first)
            while first < end:
                for record in client.poll(timeout_ms=1000).get(tp, []):
                    first = record.offset + 1
                    if record.offset < end:
                        order = json.loads(record.value)
                        yield order["id"], order["product"]

    def client(self) -> KafkaConsumer:
        return KafkaConsumer(
            bootstrap_servers=self.servers,
            group_id="tills",
            enable_auto_commit=False,
            fetch_max_wait_ms=10,
        )


@dataclass
class _Piece(InputPartition):
    partition: str
    first: int
    end: int


def _orders_by(reader: type, spark: SparkSession, kafka: Any) -> DataFrame:
    class OrdersLog(DataSource):
        @classmethod
        def name(cls) -> str:
            return "orders_log"

        def schema(self) -> str:
            return "id STRING, product STRING"

        def streamReader(self, schema: Any) -> DataSourceStreamReader:
            return reader(self.options)  # type: ignore[no-any-return]

    spark.dataSource.register(OrdersLog)
    options = {"servers": kafka.bootstrap_servers, "topic": kafka.topic("orders")}
    return spark.readStream.format("orders_log").options(**options).load()


def _allowed(limit: ReadLimit) -> int:
    return getattr(limit, "max_rows", sys.maxsize)


class _NotingLog(_Log):
    def noted(self, partition: str) -> int:
        with self.client() as client:
            return client.committed(TopicPartition(self.topic, int(partition))) or 0

    def note(self, partition: str, offset: int) -> None:
        tp = TopicPartition(self.topic, int(partition))
        with self.client() as client:
            client.assign([tp])
            client.seek(tp, offset)
            client.commit()


class _Reader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A right one: an offset for each partition, four orders in all."""

    def __init__(self, options: Any):
        self.log = _NotingLog(options)
        self.until: dict[str, int] | None = None

    def initialOffset(self) -> dict[str, int]:
        return {}

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxRows(4)

    def prepareForTriggerAvailableNow(self) -> None:
        self.until = self.log.ends()

    def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
        end, left = {}, _allowed(limit)
        for partition, last in (self.until or self.log.ends()).items():
            first = start.get(partition, 0)
            end[partition] = min(last, first + left)
            left -= end[partition] - first
        return end

    def partitions(self, start: Any, end: Any) -> list[_Piece]:
        return [_Piece(p, start.get(p, 0), last) for p, last in end.items()]

    def read(self, piece: Any) -> Iterator[tuple[str, str]]:
        yield from self.log.read(piece.partition, piece.first, piece.end)


class _Counting(_Reader):
    """Its offset is a count of all orders, and says nothing of which they are."""

    def initialOffset(self) -> dict[str, int]:
        return {"orders": 0}

    def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
        until = sum((self.until or self.log.ends()).values())
        return {"orders": min(until, start["orders"] + _allowed(limit))}


class _Noting(_Counting):
    """Which orders they are is what Kafka has noted."""

    def partitions(self, start: Any, end: Any) -> list[_Piece]:
        pieces, left = [], end["orders"] - start["orders"]
        for partition, last in self.log.ends().items():
            first = self.log.noted(partition)
            last = min(last, first + left)
            pieces.append(_Piece(partition, first, last))
            left -= last - first
        return pieces


def noted_while_reading(spark: SparkSession, kafka: Any) -> DataFrame:
    """Offset that needs a second source of truth

    After the kill, the micro-batch ran again with the same offsets, but without its orders. Which orders they
    are was stored elsewhere, for example as a position in Kafka, and the first run had moved that position. Can
    your offset alone say which orders are meant?
    """

    class Reader(_Noting):
        def read(self, piece: Any) -> Iterator[tuple[str, str]]:
            yield from self.log.read(piece.partition, piece.first, piece.end)
            self.log.note(piece.partition, piece.end)

    return _orders_by(Reader, spark, kafka)


def noted_in_commit(spark: SparkSession, kafka: Any) -> DataFrame:
    """Position stored in `commit`

    Orders of the previous micro-batch came again. `commit` is called when the *next* micro-batch is planned.
    For the last one of a run, that is after a restart, on a new reader that knows nothing about it. Can `start`
    and `end` alone say where to read?
    """

    class Reader(_Noting):
        def __init__(self, options: Any):
            super().__init__(options)
            self.pieces: list[_Piece] = []

        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            self.pieces = super().partitions(start, end)
            return self.pieces

        def commit(self, end: Any) -> None:
            for piece in self.pieces:
                self.log.note(piece.partition, piece.end)

    return _orders_by(Reader, spark, kafka)


def one_line_of_orders(spark: SparkSession, kafka: Any) -> DataFrame:
    """One position for all partitions

    In step 2 old orders came again, and new ones were missing. The partitions are counted one after another, as
    if they were one log. When the first partition grows, all later positions move. Which offset does not move
    when another partition grows?
    """

    class Reader(_Counting):
        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            pieces, before = [], 0
            for partition, last in self.log.ends().items():
                first = max(start["orders"] - before, 0)
                pieces.append(_Piece(partition, first, min(end["orders"] - before, last)))
                before += last
            return pieces

    return _orders_by(Reader, spark, kafka)


def four_of_each_partition(spark: SparkSession, kafka: Any) -> DataFrame:
    """Limit applied to each partition

    A micro-batch had {facts.limit} orders. The limit of 4 is for all partitions together. How much of it is
    left after the first partition?
    """

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            ends = self.until or self.log.ends()
            return {p: min(last, start.get(p, 0) + _allowed(limit)) for p, last in ends.items()}

    return _orders_by(Reader, spark, kafka)


def two_of_each_partition(spark: SparkSession, kafka: Any) -> DataFrame:
    """Limit divided between the partitions

    No micro-batch had more than {facts.limit} orders, although more than 4 were waiting. Nearly all of them
    were in one partition. If each partition has a fixed share, who uses what the other partition does not need?
    If not, which limit does `getDefaultReadLimit` return?
    """

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            ends = self.until or self.log.ends()
            each = _allowed(limit) // len(ends)
            return {p: min(last, start.get(p, 0) + each) for p, last in ends.items()}

    return _orders_by(Reader, spark, kafka)


def pieces_to_the_end_of_the_log(spark: SparkSession, kafka: Any) -> DataFrame:
    """Input partition that ignores `end`

    Orders came in one micro-batch and again in the next one. The method `partitions` gets `end`. The end of the
    log is a different position, and it changes. Up to where should an input partition go?
    """

    class Reader(_Reader):
        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return [_Piece(p, start.get(p, 0), last) for p, last in self.log.ends().items()]

    return _orders_by(Reader, spark, kafka)


def the_first_partition(spark: SparkSession, kafka: Any) -> DataFrame:
    """Only one partition read

    The orders of partition 1 are missing. The log has several partitions, and `ends()` returns all of them.
    Does your reader use each of them?
    """

    class Reader(_Reader):
        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return super().partitions(start, end)[:1]

    return _orders_by(Reader, spark, kafka)


def begins_at_the_end(spark: SparkSession, kafka: Any) -> DataFrame:
    """Stream that begins at the end of the log

    The orders that waited at the first start are missing. A partition without an offset must be read from 0.
    What does `initialOffset` return, and what is the default for a partition that `start` does not name?
    """

    class Reader(_Reader):
        def initialOffset(self) -> dict[str, int]:
            return self.log.ends()

    return _orders_by(Reader, spark, kafka)
