"""Other right readers of several partitions."""

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


class _Whole(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """What all of them have."""

    def __init__(self, options: Any):
        self.log = _Log(options)
        self.until: dict[str, int] | None = None

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxRows(4)

    def prepareForTriggerAvailableNow(self) -> None:
        self.until = self.log.ends()

    def read(self, piece: Any) -> Iterator[tuple[str, str]]:
        yield from self.log.read(piece.partition, piece.first, piece.end)


def one_from_each_in_turn(spark: SparkSession, kafka: Any) -> DataFrame:
    """Shares the limit out one by one; the offset names every partition from the beginning."""

    class Reader(_Whole):
        def initialOffset(self) -> dict[str, int]:
            return dict.fromkeys(self.log.ends(), 0)

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            ends, end, left = self.until or self.log.ends(), dict(start), _allowed(limit)
            while left and any(end[p] < ends[p] for p in ends):
                for p in ends:
                    if left and end[p] < ends[p]:
                        end[p] += 1
                        left -= 1
            return end

        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return [_Piece(p, start[p], end[p]) for p in end if start[p] < end[p]]

    return _orders_by(Reader, spark, kafka)


def the_last_partition_first(spark: SparkSession, kafka: Any) -> DataFrame:
    """Shares the limit out from the last partition on, with a dictionary within the offset."""

    class Reader(_Whole):
        def initialOffset(self) -> dict[str, Any]:
            return {"done": {}}

        def latestOffset(self, start: Any, limit: Any) -> dict[str, Any]:
            done, left = dict(start["done"]), _allowed(limit)
            for p, last in reversed(list((self.until or self.log.ends()).items())):
                took = min(left, last - done.get(p, 0))
                done[p], left = done.get(p, 0) + took, left - took
            return {"done": done}

        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            before = start["done"]
            return [_Piece(p, before.get(p, 0), last) for p, last in end["done"].items()]

    return _orders_by(Reader, spark, kafka)
