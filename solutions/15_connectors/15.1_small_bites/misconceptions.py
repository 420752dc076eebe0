"""Readers that take too much, or leave out what they cut off."""

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


class _Reader(DataSourceStreamReader):
    """The reader of the worked example."""

    def __init__(self, options: Any):
        self.log = _Log(options)
        self.until: dict[str, int] | None = None

    def initialOffset(self) -> dict[str, int]:
        return {"at": 0}

    def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
        return {"at": (self.until or self.log.ends())["0"]}

    def partitions(self, start: Any, end: Any) -> list[_Piece]:
        return [_Piece("0", start["at"], end["at"])]

    def read(self, piece: Any) -> Iterator[tuple[str, str]]:
        yield from self.log.read(piece.partition, piece.first, piece.end)


class _ToTheEnd(_Reader, SupportsTriggerAvailableNow):
    """It knows where an availableNow run ends, and wants three orders a batch."""

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxRows(3)

    def prepareForTriggerAvailableNow(self) -> None:
        self.until = self.log.ends()


class _Limited(_ToTheEnd):
    def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
        ends = self.until or self.log.ends()
        return {"at": min(ends["0"], start["at"] + _allowed(limit))}


def nothing_of_available_now(spark: SparkSession, kafka: Any) -> DataFrame:
    """One batch took all that was there

    All orders of step 1 came in one batch. A limit needs three things. getDefaultReadLimit asks for it;
    `SupportsTriggerAvailableNow` has Spark hand it over in a run with availableNow, too, where latestOffset takes `start`
    and `limit`; and latestOffset goes no further than it allows.
    """

    class Reader(_Reader):
        def getDefaultReadLimit(self) -> ReadLimit:
            return ReadMaxRows(3)

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            return {"at": min(self.log.ends()["0"], start["at"] + _allowed(limit))}

    return _orders_by(Reader, spark, kafka)


def three_at_each_start(spark: SparkSession, kafka: Any) -> DataFrame:
    """One batch of three at each start

    Each start brought three orders and ended, though more were waiting. A run with availableNow makes one batch alone where
    the source does not say `SupportsTriggerAvailableNow`, and where latestOffset answers with `start` after the first.
    """

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            return {"at": min(self.log.ends()["0"], start["at"] + 3)}

    return _orders_by(Reader, spark, kafka)


def place_kept_in_the_reader(spark: SparkSession, kafka: Any) -> DataFrame:
    """A new start went back to the beginning

    Step 1 was right. At the next start orders came once more that the first had brought. Each start makes a new reader,
    and what the one before had in `self` is gone; where its last batch ended Spark tells the new one, as `start`.
    """

    class Reader(_ToTheEnd):
        def __init__(self, options: Any):
            super().__init__(options)
            self.at = 0

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            ends = self.until or self.log.ends()
            self.at = min(ends["0"], self.at + _allowed(limit))
            return {"at": self.at}

    return _orders_by(Reader, spark, kafka)


def cut_in_read(spark: SparkSession, kafka: Any) -> DataFrame:
    """What the limit cut off never came

    Only the first three orders of a step came out. The offset went to the end of the log, so to Spark the others are
    done. A limit belongs in latestOffset: what an offset covers has to be read.
    """

    class Reader(_ToTheEnd):
        def read(self, piece: Any) -> Iterator[tuple[str, str]]:
            yield from self.log.read(piece.partition, piece.first, min(piece.end, piece.first + 3))

    return _orders_by(Reader, spark, kafka)


def three_in_all(spark: SparkSession, kafka: Any) -> DataFrame:
    """After three orders the stream stood still

    Three orders came out, and no more for the rest of the run. An offset is a place in the log, not a count of one
    batch: the next batch ends three orders after `start`.
    """

    class Reader(_ToTheEnd):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            ends = self.until or self.log.ends()
            return {"at": min(ends["0"], _allowed(limit))}

    return _orders_by(Reader, spark, kafka)


def read_to_the_end(spark: SparkSession, kafka: Any) -> DataFrame:
    """Orders came in more than one batch

    The first batch gave all seven orders, the second four of them again, the third the last one once more.
    latestOffset kept to the limit, and what was read went beyond it.
    """

    class Reader(_Limited):
        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return [_Piece("0", start["at"], self.log.ends()["0"])]

    return _orders_by(Reader, spark, kafka)


def with_the_end(spark: SparkSession, kafka: Any) -> DataFrame:
    """One order beyond the end

    The last batch of step 1 was to read an order that the log does not have yet. An end offset is the place of the
    order that comes *next*: it belongs to the next batch. Either a piece goes beyond its `end`, and the first order
    of a batch had come already in the one before, or latestOffset goes beyond `ends()`.
    """

    class Reader(_Limited):
        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return [_Piece("0", start["at"], end["at"] + 1)]

    return _orders_by(Reader, spark, kafka)


def beyond_the_end(spark: SparkSession, kafka: Any) -> DataFrame:
    """An offset beyond the log's end

    The last batch of step 1 was to go further than the log does. And were that allowed, each answer would be another
    one: Spark would see something new for ever. latestOffset gives the smaller of two: where the log ends, and where
    the limit does.
    """

    class Reader(_ToTheEnd):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            return {"at": start["at"] + _allowed(limit)}

    return _orders_by(Reader, spark, kafka)
