"""Answers to 15.1: other readers that take three orders a batch, and some that do not."""

import json
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from kafka import KafkaConsumer, TopicPartition
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxFiles,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)


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
    own_name = f"orders_log_{uuid.uuid4().hex}"

    class OrdersLog(DataSource):
        @classmethod
        def name(cls) -> str:
            return own_name

        def schema(self) -> str:
            return "id STRING, product STRING"

        def streamReader(self, schema: Any) -> DataSourceStreamReader:
            return reader(self.options)  # type: ignore[no-any-return]

    spark.dataSource.register(OrdersLog)
    options = {"servers": kafka.bootstrap_servers, "topic": kafka.topic("orders")}
    return spark.readStream.format(own_name).options(**options).load()


def _allowed(limit: ReadLimit) -> int:
    return getattr(limit, "max_rows", sys.maxsize)


class _Reader(DataSourceStreamReader):
    """The reader of the worked example: all that is there."""

    def __init__(self, options: Any):
        self.log = _Log(options)
        self.until: int | None = None

    def end(self) -> int:
        return self.log.ends()["0"] if self.until is None else self.until

    def initialOffset(self) -> dict[str, int]:
        return {"at": 0}

    def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
        return {"at": self.end()}

    def partitions(self, start: Any, end: Any) -> list[Any]:
        return [_Piece("0", start["at"], end["at"])]

    def read(self, piece: Any) -> Iterator[Any]:
        yield from self.log.read(piece.partition, piece.first, piece.end)


class _ToTheEnd(_Reader, SupportsTriggerAvailableNow):
    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxRows(3)

    def prepareForTriggerAvailableNow(self) -> None:
        self.until = self.log.ends()["0"]


class _Limited(_ToTheEnd):
    """A right one."""

    def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
        return {"at": min(self.end(), start["at"] + _allowed(limit))}


def right_the_last_order_as_offset(spark: SparkSession, kafka: Any) -> DataFrame:
    """The offset names the last order that was read, so it begins at -1."""

    class Reader(SupportsTriggerAvailableNow, DataSourceStreamReader):
        def __init__(self, options: Any):
            self.log, self.last = _Log(options), None

        def initialOffset(self) -> dict:
            return {"last": -1}

        def getDefaultReadLimit(self) -> ReadLimit:
            return ReadMaxRows(max_rows=3)

        def prepareForTriggerAvailableNow(self) -> None:
            self.last = self.log.ends()["0"] - 1

        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            last = self.log.ends()["0"] - 1 if self.last is None else self.last
            return {"last": min(last, start["last"] + _allowed(limit))}

        def partitions(self, start: dict, end: dict) -> list:
            return [InputPartition((start["last"] + 1, end["last"] + 1))]

        def read(self, piece: InputPartition) -> Iterator[tuple]:
            return self.log.read("0", *piece.value)

    return _orders_by(Reader, spark, kafka)


def right_both_ends_in_the_offset(spark: SparkSession, kafka: Any) -> DataFrame:
    """Notes where a batch began, too; where nothing is new it answers with the very start it was given."""

    class Reader(_ToTheEnd):
        def initialOffset(self) -> dict:
            return {"from": 0, "to": 0}

        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            to = min(self.end(), start["to"] + _allowed(limit))
            return start if to == start["to"] else {"from": start["to"], "to": to}

        def partitions(self, start: dict, end: dict) -> list:
            return [_Piece("0", end["from"], end["to"])] if end["to"] else []

    return _orders_by(Reader, spark, kafka)


def right_asks_what_kind_of_limit(spark: SparkSession, kafka: Any) -> DataFrame:
    """Asks for the class of the limit, and counts what waits; rows by name, in another order of columns."""

    class Reader(_ToTheEnd):
        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            waiting = self.end() - start["at"]
            if waiting <= 0:
                return start
            if isinstance(limit, ReadAllAvailable):
                return {"at": start["at"] + waiting}
            return {"at": start["at"] + min(waiting, limit.max_rows)}

        def read(self, piece: Any) -> Iterator[Row]:
            for id, product in self.log.read(piece.partition, piece.first, piece.end):
                yield Row(product=product, id=id)

    return _orders_by(Reader, spark, kafka)


def right_batches_of_arrow(spark: SparkSession, kafka: Any) -> DataFrame:
    """Gives a batch of Arrow's in place of tuples, and keeps its offset as text."""

    class Reader(_ToTheEnd):
        def initialOffset(self) -> dict:
            return {"at": "0"}

        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            return {"at": str(min(self.end(), int(start["at"]) + _allowed(limit)))}

        def partitions(self, start: dict, end: dict) -> list:
            return [_Piece("0", int(start["at"]), int(end["at"]))]

        def read(self, piece: Any) -> Iterator[pa.RecordBatch]:
            orders = list(self.log.read(piece.partition, piece.first, piece.end))
            columns = [pa.array([order[n] for order in orders], pa.string()) for n in (0, 1)]
            yield pa.RecordBatch.from_arrays(columns, names=["id", "product"])

    return _orders_by(Reader, spark, kafka)


def right_a_number_of_its_own(spark: SparkSession, kafka: Any) -> DataFrame:
    """Takes the smallest of three numbers, sorted, and cuts a batch in two where it has more than two orders."""

    class Reader(_ToTheEnd):
        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            return {"at": sorted([self.end(), start["at"] + 3, start["at"] + _allowed(limit)])[0]}

        def partitions(self, start: dict, end: dict) -> list:
            middle = start["at"] + min(2, end["at"] - start["at"])
            pieces = [_Piece("0", start["at"], middle), _Piece("0", middle, end["at"])]
            return [piece for piece in pieces if piece.first < piece.end]

    return _orders_by(Reader, spark, kafka)


def wrong_a_limit_of_files(spark: SparkSession, kafka: Any) -> DataFrame:
    """Asks for three files: that limit has no max_rows, so a batch takes all."""

    class Reader(_Limited):
        def getDefaultReadLimit(self) -> ReadLimit:
            return ReadMaxFiles(3)

    return _orders_by(Reader, spark, kafka)


def wrong_four_where_three_are_meant(spark: SparkSession, kafka: Any) -> DataFrame:
    """Counts up as long as the batch has no more than three, and so to four."""

    class Reader(_ToTheEnd):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            at, taken = start["at"], 0
            while at < self.end() and taken <= _allowed(limit):
                at, taken = at + 1, taken + 1
            return {"at": at}

    return _orders_by(Reader, spark, kafka)


def wrong_waits_for_three(spark: SparkSession, kafka: Any) -> DataFrame:
    """Makes whole bites only: one or two orders wait for a third."""

    class Reader(_ToTheEnd):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            if self.end() - start["at"] < 3:
                return start
            return {"at": start["at"] + 3}

    return _orders_by(Reader, spark, kafka)


def wrong_method_without_its_class(spark: SparkSession, kafka: Any) -> DataFrame:
    """Has the method for availableNow, and forgets the base class: nobody asks for the method."""

    class Reader(DataSourceStreamReader):
        def __init__(self, options: Any):
            self.log, self.until = _Log(options), None

        def initialOffset(self) -> dict:
            return {"at": 0}

        def getDefaultReadLimit(self) -> ReadLimit:
            return ReadMaxRows(3)

        def prepareForTriggerAvailableNow(self) -> None:
            self.until = self.log.ends()

        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            ends = self.until or self.log.ends()
            return {"at": min(ends["0"], start["at"] + _allowed(limit))}

        def partitions(self, start: dict, end: dict) -> list:
            return [_Piece("0", start["at"], end["at"])]

        def read(self, piece: Any) -> Iterator[tuple]:
            yield from self.log.read(piece.partition, piece.first, piece.end)

    return _orders_by(Reader, spark, kafka)


def wrong_place_kept_in_the_reader(spark: SparkSession, kafka: Any) -> DataFrame:
    """Counts from its own variable and not from `start`: after a restart it goes back to the beginning."""

    class Reader(_ToTheEnd):
        def __init__(self, options: Any):
            super().__init__(options)
            self.at = 0

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            self.at = min(self.end(), self.at + _allowed(limit))
            return {"at": self.at}

    return _orders_by(Reader, spark, kafka)


def wrong_counts_from_one(spark: SparkSession, kafka: Any) -> DataFrame:
    """Begins at 1, as people count; the first order has offset 0."""

    class Reader(_Limited):
        def initialOffset(self) -> dict[str, int]:
            return {"at": 1}

    return _orders_by(Reader, spark, kafka)


def wrong_after_start(spark: SparkSession, kafka: Any) -> DataFrame:
    """Takes `start` for the last order of the batch before, and begins behind it."""

    class Reader(_Limited):
        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return [_Piece("0", start["at"] + 1, end["at"])]

    return _orders_by(Reader, spark, kafka)


def wrong_three_for_each_task(spark: SparkSession, kafka: Any) -> DataFrame:
    """Cuts a batch of all into tasks of three: small tasks, and one large batch."""

    class Reader(_ToTheEnd):
        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            firsts = range(start["at"], end["at"], 3)
            return [_Piece("0", first, min(first + 3, end["at"])) for first in firsts]

    return _orders_by(Reader, spark, kafka)


def wrong_rows_in_a_list(spark: SparkSession, kafka: Any) -> DataFrame:
    """`read` returns a list, and Spark takes an iterator only."""

    class Reader(_Limited):
        def read(self, piece: Any) -> Any:
            return list(self.log.read(piece.partition, piece.first, piece.end))

    return _orders_by(Reader, spark, kafka)


def right_even_bites(spark: SparkSession, kafka: Any) -> DataFrame:
    """Cuts what waits into bites of one size: seven orders into three, two, two. It is as few batches."""

    class Reader(_ToTheEnd):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            waiting = self.end() - start["at"]
            bites = -(-waiting // _allowed(limit))
            return {"at": start["at"] + (-(-waiting // bites) if bites else 0)}

    return _orders_by(Reader, spark, kafka)


def wrong_bites_at_fixed_places(spark: SparkSession, kafka: Any) -> DataFrame:
    """A batch ends where the offset is a multiple of three: from 8, with 8, 9, 10 waiting, it takes 8 alone."""

    class Reader(_ToTheEnd):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            return {"at": min(self.end(), (start["at"] // 3 + 1) * 3)}

    return _orders_by(Reader, spark, kafka)
