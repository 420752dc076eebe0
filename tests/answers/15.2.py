"""Answers to 15.2: other readers of several partitions, and repairs that leave something broken."""

import json
import sys
import uuid
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


class _WholeRun(DataSourceStreamReader):
    """What all of them have, but for the base class of availableNow."""

    def __init__(self, options: Any):
        self.log = _NotingLog(options)
        self.until: dict[str, int] | None = None

    def ends(self) -> dict[str, int]:
        return self.log.ends() if self.until is None else self.until

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxRows(4)

    def prepareForTriggerAvailableNow(self) -> None:
        self.until = self.log.ends()

    def initialOffset(self) -> dict[str, Any]:
        return {}

    def latestOffset(self, start: Any, limit: Any) -> dict[str, Any]:
        end, left = {}, _allowed(limit)
        for partition, last in self.ends().items():
            first = start.get(partition, 0)
            end[partition] = min(last, first + left)
            left -= end[partition] - first
        return end

    def partitions(self, start: Any, end: Any) -> list[Any]:
        return [_Piece(p, start.get(p, 0), last) for p, last in end.items()]

    def read(self, piece: Any) -> Iterator[tuple[str, str]]:
        yield from self.log.read(piece.partition, piece.first, piece.end)


class _Reader(_WholeRun, SupportsTriggerAvailableNow):
    """A right one: an offset for each partition, four orders in all."""


def right_longest_queue_first(spark: SparkSession, kafka: Any) -> DataFrame:
    """The partition with most orders waiting comes first; the offset is put in order again."""

    class Reader(_Reader):
        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            ends, left, taken = self.ends(), _allowed(limit), {}
            waiting = {p: ends[p] - start.get(p, 0) for p in ends}
            for p in sorted(waiting, key=waiting.get, reverse=True):
                taken[p] = min(waiting[p], left)
                left -= taken[p]
            return {p: start.get(p, 0) + taken[p] for p in sorted(ends)}

    return _orders_by(Reader, spark, kafka)


def right_a_list_of_numbers(spark: SparkSession, kafka: Any) -> DataFrame:
    """The offset is a list, one number for each partition, longer when there are more of them."""

    class Reader(_Reader):
        def initialOffset(self) -> dict:
            return {"ends": []}

        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            found, left = [], _allowed(limit)
            for n, last in enumerate(self.ends().values()):
                first = start["ends"][n] if n < len(start["ends"]) else 0
                took = max(0, min(last - first, left))
                found.append(first + took)
                left -= took
            return {"ends": found} if any(found) else start

        def partitions(self, start: dict, end: dict) -> list:
            firsts = start["ends"] + [0] * (len(end["ends"]) - len(start["ends"]))
            return [
                _Piece(str(n), first, last)
                for n, (first, last) in enumerate(zip(firsts, end["ends"]))
                if first < last
            ]

    return _orders_by(Reader, spark, kafka)


def right_the_first_four_places(spark: SparkSession, kafka: Any) -> DataFrame:
    """Lists the place of every order that waits, and takes the first four; a task for each order."""

    class Reader(_Reader):
        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            ends = self.ends()
            places = [(p, n) for p in ends for n in range(start.get(p, 0), ends[p])]
            end = {p: start.get(p, 0) for p in ends}
            for p, n in places[: _allowed(limit)]:
                end[p] = n + 1
            return end

        def partitions(self, start: dict, end: dict) -> list:
            return [InputPartition((p, n)) for p in end for n in range(start.get(p, 0), end[p])]

        def read(self, piece: InputPartition) -> Iterator[tuple]:
            p, n = piece.value
            return self.log.read(p, n, n + 1)

    return _orders_by(Reader, spark, kafka)


def right_places_in_one_text(spark: SparkSession, kafka: Any) -> DataFrame:
    """The offset is one text, such as 0=7 1=1."""

    def ends_in(offset: dict) -> dict[str, int]:
        pairs = [pair.split("=") for pair in offset["done"].split()]
        return {partition: int(end) for partition, end in pairs}

    class Reader(_Reader):
        def initialOffset(self) -> dict:
            return {"done": ""}

        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            done, left = ends_in(start), _allowed(limit)
            for p, last in self.ends().items():
                before = done.get(p, 0)
                done[p] = min(last, before + left)
                left -= done[p] - before
            return {"done": " ".join(f"{p}={done[p]}" for p in sorted(done, key=int))}

        def partitions(self, start: dict, end: dict) -> list:
            before = ends_in(start)
            return [_Piece(p, before.get(p, 0), last) for p, last in ends_in(end).items()]

    return _orders_by(Reader, spark, kafka)


def right_a_share_and_what_is_left(spark: SparkSession, kafka: Any) -> DataFrame:
    """Each partition has a share first; then what the others had no use for goes round."""

    class Reader(_Reader):
        def initialOffset(self) -> dict:
            return dict.fromkeys(self.log.ends(), 0)

        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            ends, most = self.ends(), _allowed(limit)
            waits = {p: last - start.get(p, 0) for p, last in ends.items()}
            takes = {p: min(count, most // len(ends)) for p, count in waits.items()}
            for p in takes:
                takes[p] += min(waits[p] - takes[p], most - sum(takes.values()))
            return {p: start.get(p, 0) + takes[p] for p in ends}

    return _orders_by(Reader, spark, kafka)


def wrong_partitions_without_a_turn_left_out(spark: SparkSession, kafka: Any) -> DataFrame:
    """Ends the loop when the limit is used up: a partition behind it is not in the offset, and begins anew."""

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            end, left = {}, _allowed(limit)
            for p, last in self.ends().items():
                if left == 0:
                    break
                end[p] = min(last, start.get(p, 0) + left)
                left -= end[p] - start.get(p, 0)
            return end

    return _orders_by(Reader, spark, kafka)


def wrong_limit_of_the_first_partition(spark: SparkSession, kafka: Any) -> DataFrame:
    """Keeps the first partition to the limit, and takes all that the others have besides."""

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            end = dict(self.ends())
            first = min(end, key=int)
            end[first] = min(end[first], start.get(first, 0) + _allowed(limit))
            return end

    return _orders_by(Reader, spark, kafka)


def wrong_takes_the_place_off_the_limit(spark: SparkSession, kafka: Any) -> DataFrame:
    """Takes off what is left the place where a partition ends, and not how many orders it gave."""

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            end, left = {}, _allowed(limit)
            for p, last in self.ends().items():
                end[p] = min(last, start.get(p, 0) + max(0, left))
                left -= end[p]
            return end

    return _orders_by(Reader, spark, kafka)


def wrong_places_kept_in_the_reader(spark: SparkSession, kafka: Any) -> DataFrame:
    """Goes on from its own variable, which is empty after a restart."""

    class Reader(_Reader):
        def __init__(self, options: Any):
            super().__init__(options)
            self.done: dict[str, int] = {}

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            self.done = super().latestOffset(self.done, limit)
            return self.done

    return _orders_by(Reader, spark, kafka)


def wrong_begins_where_kafka_noted(spark: SparkSession, kafka: Any) -> DataFrame:
    """Half a repair: the end is in the offset, the beginning is still what Kafka has noted."""

    class Reader(_Reader):
        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return [_Piece(p, self.log.noted(p), last) for p, last in end.items()]

        def read(self, piece: Any) -> Iterator[tuple[str, str]]:
            yield from self.log.read(piece.partition, piece.first, piece.end)
            self.log.note(piece.partition, piece.end)

    return _orders_by(Reader, spark, kafka)


def wrong_pieces_made_beforehand(spark: SparkSession, kafka: Any) -> DataFrame:
    """latestOffset makes the pieces, and `partitions` hands them out: after a kill nobody has made any."""

    class Reader(_Reader):
        def __init__(self, options: Any):
            super().__init__(options)
            self.pieces: list[_Piece] = []

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            end = super().latestOffset(start, limit)
            self.pieces = [_Piece(p, start.get(p, 0), last) for p, last in end.items()]
            return end

        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return self.pieces

    return _orders_by(Reader, spark, kafka)


def wrong_one_partition_a_batch(spark: SparkSession, kafka: Any) -> DataFrame:
    """Each batch is of one partition: three orders and one do not make a batch of four."""

    class Reader(_Reader):
        def initialOffset(self) -> dict[str, int]:
            return dict.fromkeys(self.log.ends(), 0)

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            for p, last in self.ends().items():
                if last > start[p]:
                    return {**start, p: min(last, start[p] + _allowed(limit))}
            return start

    return _orders_by(Reader, spark, kafka)


def wrong_one_more_than_the_limit(spark: SparkSession, kafka: Any) -> DataFrame:
    """Goes round as long as nothing is below zero: five orders a batch."""

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            ends, left = self.ends(), _allowed(limit)
            end = {p: start.get(p, 0) for p in ends}
            while left >= 0 and end != ends:
                for p in ends:
                    if left >= 0 and end[p] < ends[p]:
                        end[p], left = end[p] + 1, left - 1
            return end

    return _orders_by(Reader, spark, kafka)


def wrong_base_class_lost(spark: SparkSession, kafka: Any) -> DataFrame:
    """Right offsets, and SupportsTriggerAvailableNow got lost in the repair: one batch takes all."""

    class Reader(_WholeRun):
        pass

    return _orders_by(Reader, spark, kafka)


def right_even_bites(spark: SparkSession, kafka: Any) -> DataFrame:
    """Cuts what waits into bites of one size: five orders into three and two. It is as few batches."""

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            waiting = sum(self.ends().values()) - sum(start.values())
            bites = max(1, -(-waiting // _allowed(limit)))
            return super().latestOffset(start, ReadMaxRows(-(-waiting // bites)))

    return _orders_by(Reader, spark, kafka)


def right_two_partitions_by_heart(spark: SparkSession, kafka: Any) -> DataFrame:
    """Knows of partitions 0 and 1 alone, as the task does."""

    class Reader(_Reader):
        def initialOffset(self) -> dict[str, int]:
            return {"0": 0, "1": 0}

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            ends, most = self.ends(), _allowed(limit)
            first = min(most, ends["0"] - start["0"])
            second = min(most - first, ends["1"] - start["1"])
            return {"0": start["0"] + first, "1": start["1"] + second}

    return _orders_by(Reader, spark, kafka)
