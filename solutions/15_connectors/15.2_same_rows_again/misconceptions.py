"""Readers whose offsets mean other rows when they are asked again."""

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
    """The batch that was run again had other orders in it

    Killed before its commit, the batch was run again with the same offsets, and its orders did not come. Which ones
    they are stood elsewhere, as in a note in Kafka, and that had gone on with the first run. An offset has to say
    all by itself which orders are meant.
    """

    class Reader(_Noting):
        def read(self, piece: Any) -> Iterator[tuple[str, str]]:
            yield from self.log.read(piece.partition, piece.first, piece.end)
            self.log.note(piece.partition, piece.end)

    return _orders_by(Reader, spark, kafka)


def noted_in_commit(spark: SparkSession, kafka: Any) -> DataFrame:
    """Orders of the batch before came again

    `commit` is called when the *next* batch is planned. For the last batch of a run that is after the next start, on
    a new reader, which knows nothing of what that batch has read; so nothing was noted of it, and it was read again.
    Let start and end alone say where to read.
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
    """New orders moved the others to other places

    The orders of the partitions are counted one after another, as if they were one line. When the first partition grows,
    all that come behind it have another number: in step 2 old orders came again, and new ones did not. A number for each
    partition does not move.
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
    """More than four orders in a batch

    A batch took in {facts.limit} orders. The limit is for all partitions together: four of each are more than four.
    """

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            ends = self.until or self.log.ends()
            return {p: min(last, start.get(p, 0) + _allowed(limit)) for p, last in ends.items()}

    return _orders_by(Reader, spark, kafka)


def two_of_each_partition(spark: SparkSession, kafka: Any) -> DataFrame:
    """Never four orders in a batch

    No batch took in more than {facts.limit} orders, though more than four were waiting. If each partition has a
    share of its own: nearly all of them waited in one, and what the other has no use for is there for it. If not:
    which limit does getDefaultReadLimit ask for?
    """

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            ends = self.until or self.log.ends()
            each = _allowed(limit) // len(ends)
            return {p: min(last, start.get(p, 0) + each) for p, last in ends.items()}

    return _orders_by(Reader, spark, kafka)


def pieces_to_the_end_of_the_log(spark: SparkSession, kafka: Any) -> DataFrame:
    """A piece went beyond the end of its batch

    Orders came in one batch and in the next one again. `partitions` has `end`; where the log ends by now is another
    matter, and another one each time that it is asked.
    """

    class Reader(_Reader):
        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return [_Piece(p, start.get(p, 0), last) for p, last in self.log.ends().items()]

    return _orders_by(Reader, spark, kafka)


def the_first_partition(spark: SparkSession, kafka: Any) -> DataFrame:
    """Only one partition was read

    The orders of partition 1 did not come. The log has more than one: `ends()` names them all.
    """

    class Reader(_Reader):
        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return super().partitions(start, end)[:1]

    return _orders_by(Reader, spark, kafka)


def begins_at_the_end(spark: SparkSession, kafka: Any) -> DataFrame:
    """The stream began where the log ended

    The orders that waited at the first start did not come. The very first batch begins at 0, or the weekend's
    orders are never read. Either initialOffset says where the log ends, or a partition that `start` does not name
    is read from its end on.
    """

    class Reader(_Reader):
        def initialOffset(self) -> dict[str, int]:
            return self.log.ends()

    return _orders_by(Reader, spark, kafka)
