"""Other right readers that take three orders a batch."""

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


def a_piece_for_each_order(spark: SparkSession, kafka: Any) -> DataFrame:
    """Keeps to the target with min of three, and cuts a batch into pieces of one order."""

    class Reader(DataSourceStreamReader, SupportsTriggerAvailableNow):
        def __init__(self, options: Any):
            self.log = _Log(options)
            self.target = sys.maxsize

        def initialOffset(self) -> dict[str, int]:
            return {"next": 0}

        def getDefaultReadLimit(self) -> ReadLimit:
            return ReadMaxRows(3)

        def prepareForTriggerAvailableNow(self) -> None:
            self.target = self.log.ends()["0"]

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            most = start["next"] + _allowed(limit)
            return {"next": min(self.target, self.log.ends()["0"], most)}

        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return [_Piece("0", n, n + 1) for n in range(start["next"], end["next"])]

        def read(self, piece: Any) -> Iterator[tuple[str, str]]:
            return self.log.read(piece.partition, piece.first, piece.end)

    return _orders_by(Reader, spark, kafka)


def an_offset_for_each_partition(spark: SparkSession, kafka: Any) -> DataFrame:
    """Offsets as the log tells them, with a limit that the reader keeps to whatever Spark says."""

    class Reader(DataSourceStreamReader, SupportsTriggerAvailableNow):
        def __init__(self, options: Any):
            self.log = _Log(options)

        def initialOffset(self) -> dict[str, int]:
            return {"0": 0}

        def prepareForTriggerAvailableNow(self) -> None:
            self.ends = self.log.ends()

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            ends = getattr(self, "ends", None) or self.log.ends()
            return {p: min(end, start[p] + 3) for p, end in ends.items()}

        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return [_Piece(p, start[p], end[p]) for p in end]

        def read(self, piece: Any) -> Iterator[tuple[str, str]]:
            return self.log.read(piece.partition, piece.first, piece.end)

    return _orders_by(Reader, spark, kafka)
