"""Readers that read too much, or lose what the limit excluded."""

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
    """No limit in an `availableNow` run

    All orders of step 1 came in one micro-batch. A limit needs three things: `getDefaultReadLimit` returns it,
    `SupportsTriggerAvailableNow` makes Spark pass it in an `availableNow` run too, and `latestOffset(start,
    limit)` goes no further. Which of them is missing?
    """

    class Reader(_Reader):
        def getDefaultReadLimit(self) -> ReadLimit:
            return ReadMaxRows(3)

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            return {"at": min(self.log.ends()["0"], start["at"] + _allowed(limit))}

    return _orders_by(Reader, spark, kafka)


def three_at_each_start(spark: SparkSession, kafka: Any) -> DataFrame:
    """Only one micro-batch at each start

    Each start emitted three orders and ended, although more were waiting. A run with `availableNow` makes a
    single micro-batch if the reader does not extend `SupportsTriggerAvailableNow`. It also ends when
    `latestOffset` returns `start`. Which of the two happened?
    """

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            return {"at": min(self.log.ends()["0"], start["at"] + 3)}

    return _orders_by(Reader, spark, kafka)


def place_kept_in_the_reader(spark: SparkSession, kafka: Any) -> DataFrame:
    """Position kept in the reader

    Step 1 was right. After the next start, orders came again that the first start had emitted. Each start
    creates a new reader, and the variables in `self` are lost. Which argument of `latestOffset` says where the
    last micro-batch ended?
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
    """Limit applied in `read`

    Only the first three orders of a step were emitted. The offset went to the end of the log, so for Spark the
    other orders are done. Everything that an offset covers must be read. Which method decides how far a
    micro-batch goes?
    """

    class Reader(_ToTheEnd):
        def read(self, piece: Any) -> Iterator[tuple[str, str]]:
            yield from self.log.read(piece.partition, piece.first, min(piece.end, piece.first + 3))

    return _orders_by(Reader, spark, kafka)


def three_in_all(spark: SparkSession, kafka: Any) -> DataFrame:
    """Limit used as a position

    Three orders were emitted, and then none for the rest of the run. An offset is a position in the log, not
    the size of a micro-batch. Where does a micro-batch end that begins at `start`?
    """

    class Reader(_ToTheEnd):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            ends = self.until or self.log.ends()
            return {"at": min(ends["0"], _allowed(limit))}

    return _orders_by(Reader, spark, kafka)


def read_to_the_end(spark: SparkSession, kafka: Any) -> DataFrame:
    """Input partition that ignores `end`

    The first micro-batch emitted all seven orders. The second emitted four of them again, and the third the
    last one. `latestOffset` respected the limit, but more was read. Up to which offset should an input
    partition go?
    """

    class Reader(_Limited):
        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return [_Piece("0", start["at"], self.log.ends()["0"])]

    return _orders_by(Reader, spark, kafka)


def with_the_end(spark: SparkSession, kafka: Any) -> DataFrame:
    """Order at the end offset read too

    The last micro-batch of step 1 tried to read an order that the log does not have yet. An end offset is the
    position of the order that comes *next*, so it belongs to the next micro-batch. Does an input partition go
    beyond its `end`, or does `latestOffset` go beyond `ends()`?
    """

    class Reader(_Limited):
        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return [_Piece("0", start["at"], end["at"] + 1)]

    return _orders_by(Reader, spark, kafka)


def beyond_the_end(spark: SparkSession, kafka: Any) -> DataFrame:
    """Offset beyond the end of the log

    The last micro-batch of step 1 should end where the log has nothing yet. The method `latestOffset` must
    return the smaller of two positions. One is the end of the log, the other is the end that the limit allows.
    If only the limit counted, Spark would see something new forever. Where does your reader use `ends()`?
    """

    class Reader(_ToTheEnd):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            return {"at": start["at"] + _allowed(limit)}

    return _orders_by(Reader, spark, kafka)


def two_a_batch(spark: SparkSession, kafka: Any) -> DataFrame:
    """Limit smaller than three orders

    The largest micro-batch had {facts.limit} orders, and there were {facts.batches} micro-batches. The task
    allows 3 orders. A smaller limit is safe for the memory, but the backlog needs more micro-batches. Which
    number does `getDefaultReadLimit` return?
    """

    class Reader(_Limited):
        def getDefaultReadLimit(self) -> ReadLimit:
            return ReadMaxRows(2)

    return _orders_by(Reader, spark, kafka)
