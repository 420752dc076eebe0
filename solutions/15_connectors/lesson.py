# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 15 · Connectors
#
# The shop has bought another one. Its tills write orders to a log of their own, its web shop to a Google
# **Pub/Sub** bus, its warehouse to **Amazon Kinesis**, and its Kafka talks to nobody without a certificate. All
# of it is to come into your streams, exactly once, as ever.
#
# Spark has connectors for files and for Kafka. Others are packages that somebody wrote, in Scala, for some version
# of Spark. Since Spark 4 you can write one yourself, in Python (with a limit on each batch, as here, since 4.2), and
# that is less work than it sounds: a source is five short answers. It is also the best way to understand what a source *promises*, and so which of
# those packages to trust.
#
# It takes about four hours. A good place to break off is before *Kinesis*: for what follows there run all cells down to the one
# with `run`, and no more.

# %% tags=["given"]
import json
import os
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grader
import grpc
import numpy as np
import pandas as pd
from google.api_core.exceptions import DeadlineExceeded
from google.cloud.pubsub_v1 import PublisherClient, SubscriberClient
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from grader.connectors.client_trial import at_a_server
from grader.connectors.kinesis import (
    Kinesis,
    kinesis_server,
    make_stream,
    register_consumer,
    wait_until_active,
)
from grader.connectors.pubsub import ManualClock, PubSub
from grader.connectors.consumer_race import latencies
from grader.connectors.shard_trial import on_a_shard
from grader.connectors.bus_story import on_the_bus
from grader.connectors.tls_broker import tls_broker

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## A source is five answers
#
# The tills' log first. It is a Kafka topic, and for a while we forget that Spark knows Kafka: what follows is right
# for any log that can be read *from a place on*. This is its client, a thin one around `kafka-python`. There is
# no Spark in it:


# %% tags=["given"]
class Log:
    """The orders in a topic, as a log: each partition can be read from any place on."""

    def __init__(self, options: Any):
        self.servers, self.topic = options["servers"], options["topic"]

    def ends(self) -> dict[str, int]:
        """Where each partition ends now: {"0": 3} says that 0, 1 and 2 are there."""
        with self._client() as client:
            known = [TopicPartition(self.topic, n) for n in client.partitions_for_topic(self.topic)]
            return {str(tp.partition): end for tp, end in sorted(client.end_offsets(known).items())}

    def read(self, partition: str, first: int, end: int) -> Iterator[tuple[str, str]]:
        """Id and product of the orders from `first` up to `end`, without `end` itself.

        Raises ValueError where the log does not go that far.
        """
        tp = TopicPartition(self.topic, int(partition))
        with self._client() as client:
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

    def _client(self) -> KafkaConsumer:
        return KafkaConsumer(
            bootstrap_servers=self.servers,
            group_id="tills",
            enable_auto_commit=False,
            fetch_max_wait_ms=10,
        )


# %% [markdown]
# Now the source. A **reader** gives the five answers:
#
# | Spark asks | when | the answer |
# | --- | --- | --- |
# | `initialOffset()` | until the first batch is committed: when that is planned, when it is run, and again after a kill | where the stream begins. Spark does not write it down, so it has to be the same place each time |
# | `latestOffset(start, limit)` | before each batch | where this batch shall end. It goes to the **offset log**, and from then on it is settled |
# | `partitions(start, end)` | for each batch, *also when it is run again* | pieces of work, one for each task |
# | `read(piece)` | in a task, on any machine | the rows of a piece |
# | `commit(end)` | when the *next* batch is planned, be it after a restart | none: the source is told that it may forget what is before `end` |
#
# An offset is a dictionary of texts, whole numbers, truth values and further such dictionaries: one number, a number for each
# partition, a time as text. Only the reader understands it. Spark does no more than compare: **where `latestOffset` gives what
# `start` is, nothing is new, and there is no batch.** It compares the JSON as text, so put the keys in the same order always.
# For a log of one partition a dictionary with one number will do. (`commit` may be left out: a log forgets nothing.)


# %% tags=["given"]
@dataclass
class Piece(InputPartition):
    """A piece of work: the orders of a partition from `first` up to `end`."""

    partition: str
    first: int
    end: int


def orders_by(reader: type, spark: SparkSession, kafka: Any) -> DataFrame:
    """The stream of the topic "orders" that a reader's class reads."""

    own_name = f"orders_log_{uuid.uuid4().hex}"  # Spark refuses one that it knows from elsewhere

    class OrdersLog(DataSource):
        @classmethod
        def name(cls) -> str:
            return own_name

        def schema(self) -> str:
            return "id STRING, product STRING"

        def streamReader(self, schema: Any) -> DataSourceStreamReader:
            return reader(self.options)

    spark.dataSource.register(OrdersLog)
    options = {"servers": kafka.bootstrap_servers, "topic": kafka.topic("orders")}
    return spark.readStream.format(own_name).options(**options).load()


# %% tags=["example"]
def till_orders(spark: SparkSession, kafka: Any) -> DataFrame:
    class Reader(DataSourceStreamReader):
        def __init__(self, options: Any):
            self.log = Log(options)

        def initialOffset(self) -> dict:
            return {"at": 0}

        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            return {"at": self.log.ends()["0"]}

        def partitions(self, start: dict, end: dict) -> list[Piece]:
            return [Piece("0", start["at"], end["at"])]

        def read(self, piece: Piece) -> Iterator[tuple]:
            yield from self.log.read(piece.partition, piece.first, piece.end)

    return orders_by(Reader, spark, kafka)


# %% [markdown]
# That is a whole source. `schema` says which columns there are, and `register` makes a format of it, to
# be used as `format("kafka")` is.
#
# We run it in three steps, and each is a new start on the same checkpoint. Each start makes a reader of its own, and
# `initialOffset` says 0 each time. So:

# %%
grader.predict("15.0")

# %% [markdown]
# ![Orders as they come in three steps: four of them, then one, then two.](15.0.svg)
#
# And live, in two starts, with a look at what the checkpoint has kept of it:


# %%
def tills(partitions: int) -> Any:
    """A new log; it is to a source what `kafka` is in the exercises."""
    topic = kafka.create_topic("lesson15-orders", partitions)
    return SimpleNamespace(bootstrap_servers=kafka.bootstrap_servers, topic=lambda name: topic)


def sell(log: Any, *products: str, partition: int = 0) -> None:
    """Write orders into a log, with ids such as 0-tea."""
    orders = [{"id": f"{partition}-{product}", "product": product} for product in products]
    kafka.send(log.topic("orders"), orders, partition=partition)


def tell(batch: DataFrame, number: int) -> None:
    print(f"  batch {number}:", sorted(row[0] for row in batch.collect()))


def run(stream: DataFrame, checkpoint: str) -> None:
    """Run a query over what is there now, and print what each batch brings."""
    query = (
        stream.writeStream.foreachBatch(tell)
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()


log, checkpoint = tills(partitions=1), grader.fresh_checkpoint()
sell(log, "tea", "jam", "rice", "salt")
run(till_orders(spark, log), checkpoint)
sell(log, "milk")
run(till_orders(spark, log), checkpoint)
for batch in (0, 1):
    print(Path(checkpoint, f"offsets/{batch}").read_text().splitlines()[-1])

# %% [markdown]
# Several processes take part, and none sees the others' variables. The reader that is asked for offsets lives beside
# the driver, for as long as the query runs. For `read` there is a second one, of which each task gets a *copy*, in a worker, on any
# machine. After a restart all of them are new. What they have in common are the options of the source, the offsets, and
# the pieces. **Whatever is in none of these is gone.** And what cannot be copied, such as an open connection, is made where
# it is used.
#
# ## Exercise 15.1: small bites
#
# Your query was switched off over the weekend. On Monday one batch takes in all of Saturday and Sunday,
# and the memory of a worker is not made for that. For Kafka you would say `maxOffsetsPerTrigger`. In a source of
# your own that is the `limit`: the reader says in `getDefaultReadLimit` what it would like, and Spark hands it
# over with each `latestOffset`. Keeping to it is the reader's own matter.
#
# There is a catch. With `trigger(availableNow=True)` a run ends where the log ended *when the run began*. For a source that
# says nothing of it, Spark falls back to the old `once=True`, for the whole query: it asks `latestOffset` once, without a
# limit, makes one batch of it all, and no empty batch after it, so last windows stay in state. A
# source that can do better says so with a second base class, `SupportsTriggerAvailableNow`, and its one method
# `prepareForTriggerAvailableNow()`. It is called when such a run begins; after that `latestOffset` must
# not go beyond where the log ended then. With other triggers it is not called, and the log's end of now counts. (The
# check sees neither: it knows `availableNow` alone, and its log stands still during a run.)
#
# What comes in `limit` is an object: a `ReadMaxRows`, or a `ReadAllAvailable` where Spark wants no limit (as with the
# old `trigger(once=True)`). This makes a number of both:


# %% tags=["given"]
def allowed(limit: ReadLimit) -> int:
    """How many rows a limit allows; where there is none, more than there can be."""
    return getattr(limit, "max_rows", sys.maxsize)


# %% [markdown]
# Write the reader of `till_orders` once more, such that **no batch takes more than three orders**, and what waits comes in
# as few batches as that allows. (A `ReadAllAvailable` asks for all of it in one batch; the check does not look at
# that.) Answer the question first.

# %%
grader.predict("15.1")


# %% nbgrader={"grade": false, "grade_id": "small_bites", "locked": false, "solution": true}
def small_bites(spark: SparkSession, kafka: Any) -> DataFrame:
    """The orders of the log (one partition, "0"), three a batch at most.

    Write the reader's class inside this function, and return orders_by(Reader, spark, kafka).
    """
    ### BEGIN SOLUTION

    class Reader(DataSourceStreamReader, SupportsTriggerAvailableNow):
        def __init__(self, options: Any):
            self.log, self.until = Log(options), None

        def initialOffset(self) -> dict:
            return {"at": 0}

        def getDefaultReadLimit(self) -> ReadLimit:
            return ReadMaxRows(3)

        def prepareForTriggerAvailableNow(self) -> None:
            self.until = self.log.ends()

        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            ends = self.until or self.log.ends()
            return {"at": min(ends["0"], start["at"] + allowed(limit))}

        def partitions(self, start: dict, end: dict) -> list[Piece]:
            return [Piece("0", start["at"], end["at"])]

        def read(self, piece: Piece) -> Iterator[tuple]:
            yield from self.log.read(piece.partition, piece.first, piece.end)

    return orders_by(Reader, spark, kafka)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-small_bites", "locked": true, "points": 3, "solution": false}
grader.check("15.1", small_bites)

# %% [markdown]
# Now with another trigger, on a log that grows: batches 0 and 1 bring four orders, and the milk, sold while the query runs,
# is batch 2. If it stays away, or the query dies: what does your reader go by when nobody has called
# `prepareForTriggerAvailableNow`?

# %%
log = tills(partitions=1)
sell(log, "tea", "jam", "rice", "salt")
query = (
    small_bites(spark, log)
    .writeStream.foreachBatch(tell)
    .option("checkpointLocation", grader.fresh_checkpoint())
    .trigger(processingTime="1 second")
    .start()
)
query.processAllAvailable()
sell(log, "milk")
query.processAllAvailable()
query.stop()

# %% [markdown]
# ## Exercise 15.2: the same offsets, the same rows
#
# Spark's side of "exactly once" is this: the offsets of a batch are written down *before* it runs. If it is
# killed, it runs again, **with these offsets**. The source's side is that the same offsets give the same rows, whatever has
# happened in between. A source that cannot promise this loses rows or gives them twice. Twice can be mended at
# the sink, if the rows have a key. What is lost stays lost.
#
# A colleague has made your reader fit for logs of several partitions, with at most four orders a batch *in all*. Kafka
# notes for a group of readers how far it has come; he found that practical:


# %% tags=["given"]
class NotingLog(Log):
    """The log, and a note in it of how far its readers have come."""

    def noted(self, partition: str) -> int:
        with self._client() as client:
            return client.committed(TopicPartition(self.topic, int(partition))) or 0

    def note(self, partition: str, offset: int) -> None:
        tp = TopicPartition(self.topic, int(partition))
        with self._client() as client:
            client.assign([tp])
            client.seek(tp, offset)
            client.commit()


# %%
def orders_as_they_are(spark: SparkSession, kafka: Any) -> DataFrame:
    class Reader(DataSourceStreamReader, SupportsTriggerAvailableNow):
        def __init__(self, options: Any):
            self.log, self.until = NotingLog(options), None

        def initialOffset(self) -> dict:
            return {"orders": 0}

        def getDefaultReadLimit(self) -> ReadLimit:
            return ReadMaxRows(4)

        def prepareForTriggerAvailableNow(self) -> None:
            self.until = self.log.ends()

        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            until = sum((self.until or self.log.ends()).values())
            return {"orders": min(until, start["orders"] + allowed(limit))}

        def partitions(self, start: dict, end: dict) -> list[Piece]:
            pieces, left = [], end["orders"] - start["orders"]
            for partition, last in self.log.ends().items():
                first = self.log.noted(partition)
                last = min(last, first + left)
                pieces.append(Piece(partition, first, last))
                left -= last - first
            return pieces

        def read(self, piece: Piece) -> Iterator[tuple]:
            yield from self.log.read(piece.partition, piece.first, piece.end)
            self.log.note(piece.partition, piece.end)

    return orders_by(Reader, spark, kafka)


# %% [markdown]
# It has run for a week. **Before you run the next cell:** what does its offset `{"orders": 4}` say of *which* orders they are? In
# the cell a batch is killed when its rows are in the sink, and run again. What will it bring?


# %%
def undo_commit(checkpoint: str) -> None:
    """Take the last entry of the commit log away, as if the process had died before it."""
    commits = Path(checkpoint, "commits")
    last = max(int(path.name) for path in commits.glob("[0-9]*"))
    for path in (commits / str(last), commits / f".{last}.crc"):
        path.unlink(missing_ok=True)


log, checkpoint = tills(partitions=2), grader.fresh_checkpoint()
sell(log, "tea", "jam", partition=0)
sell(log, "rice", "salt", partition=1)
print("first start:")
run(orders_as_they_are(spark, log), checkpoint)
undo_commit(checkpoint)
print("killed before the commit, and started again:")
run(orders_as_they_are(spark, log), checkpoint)

# %% [markdown]
# Batch 0 came again, empty. A sink that *replaces* by the batch's number now replaces its four orders by nothing: **they are lost.** For
# `{"orders": 4}` says how many, and not which. Which ones, Kafka's note said, and that had moved on.
#
# Repair it, for a log of two partitions: at most four orders a batch, of both together, in as few batches as that allows
# (which partition's come first is all the same), and the same rows for the same offsets. What Kafka has noted is not needed
# any more. The check starts your query many times, and takes about a minute.


# %% nbgrader={"grade": false, "grade_id": "same_rows_again", "locked": false, "solution": true}
def same_rows_again(spark: SparkSession, kafka: Any) -> DataFrame:
    """The orders of the log (two partitions, "0" and "1"), four a batch at most, after a kill as before.

    Write the reader's class inside this function, and return orders_by(Reader, spark, kafka).
    """
    ### BEGIN SOLUTION

    class Reader(DataSourceStreamReader, SupportsTriggerAvailableNow):
        def __init__(self, options: Any):
            self.log, self.until = Log(options), None

        def initialOffset(self) -> dict:
            return {}

        def getDefaultReadLimit(self) -> ReadLimit:
            return ReadMaxRows(4)

        def prepareForTriggerAvailableNow(self) -> None:
            self.until = self.log.ends()

        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            end, left = {}, allowed(limit)
            for partition, last in (self.until or self.log.ends()).items():
                first = start.get(partition, 0)
                end[partition] = min(last, first + left)
                left -= end[partition] - first
            return end

        def partitions(self, start: dict, end: dict) -> list[Piece]:
            return [Piece(p, start.get(p, 0), last) for p, last in end.items()]

        def read(self, piece: Piece) -> Iterator[tuple]:
            yield from self.log.read(piece.partition, piece.first, piece.end)

    return orders_by(Reader, spark, kafka)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-same_rows_again", "locked": true, "points": 4, "solution": false}
grader.check("15.2", same_rows_again)

# %% [markdown]
# `grader.hint("15.2")` if a batch comes back empty, or twice.
#
# ## A bus has no offsets
#
# The web shop's orders come by Google Pub/Sub. A **bus** is no log. It *hands out* messages, and whoever
# got one has to **acknowledge** it. What is acknowledged is gone; what is not, comes again when its **deadline** has
# passed. There is no place to read from on, no way to look a message up by its id, and no order. (Pub/Sub can keep the
# order within a key, and can be set back to a moment as a whole. Neither gives a batch its place.)
#
# Below is a bus on this machine. It speaks Pub/Sub's own protocol, and we read it with Google's own client: with
# an account there and no address, the same code reads the real one. Its clock is ours, so that nobody has to
# wait for a deadline. (Databricks has a source for Pub/Sub in its own runtime; open-source Spark has none.)

# %%
clock = ManualClock()
bus = PubSub(clock, seed=1)
bus.start()
topic, subscription = "projects/shop/topics/orders", "projects/shop/subscriptions/orders"


# %% tags=["given"]
def client_of(bus: str) -> SubscriberClient:
    """Google's client of the bus at an address; of Google's own bus where that is empty."""
    if not bus:
        return SubscriberClient()
    channel = grpc.insecure_channel(bus)
    return SubscriberClient(transport=SubscriberGrpcTransport(channel=channel))


def pulled(client: SubscriberClient, subscription: str) -> list[Any]:
    """Messages that the bus hands out now, each with its `ack_id`; none if none come.

    A message has a `message_id` and its `data`. There may be more than come in one go. Google's
    bus may wait up to a minute for some.
    """
    try:
        reply = client.pull(subscription=subscription, max_messages=100)
    except DeadlineExceeded:
        return []
    return list(reply.received_messages)


# %%
publisher = PublisherClient(
    transport=PublisherGrpcTransport(channel=grpc.insecure_channel(bus.address))
)
subscriber = client_of(bus.address)
publisher.create_topic(name=topic)
subscriber.create_subscription(name=subscription, topic=topic, ack_deadline_seconds=10)


def publish(*orders: str) -> None:
    for order in orders:
        publisher.publish(topic, order.encode()).result()


def look() -> list[Any]:
    """What the bus hands out now, printed."""
    received = pulled(subscriber, subscription)
    for one in received:
        print("  message", one.message.message_id, one.message.data.decode())
    print(f"  {len(received)} messages")
    return received


publish("tea", "jam", "rice")
print("first:")
received = look()
print("at once again:")
_ = look()

# %% [markdown]
# Three orders, in an order of the bus's own, with ids that tell nothing of time. And then none: they have been handed out.
# **Before you run the next cell:** the jam is acknowledged, the others are not, and ten seconds pass. Who comes again? With
# which `message_id`?

# %%
jam = [one.ack_id for one in received if one.message.data == b"jam"]
subscriber.acknowledge(subscription=subscription, ack_ids=jam)
clock.advance(10)
received = look()

# %% [markdown]
# The two, with the `message_id` that they had: by it you know a message again. The `ack_id` is another matter. It belongs to
# *one delivery*: who acknowledges a message that has come again takes the `ack_id` that came with it this time. The jam is done
# with. But the bus promises only to deliver *at least* once. It may bring a message again although it has been acknowledged, as
# when that came too late by a moment. (A subscription can be set to "exactly-once delivery". Even then a batch that has to be
# read again does not come again.)

# %%
subscriber.acknowledge(subscription=subscription, ack_ids=[one.ack_id for one in received])
bus.deliver_again(b"tea")
received = look()
subscriber.acknowledge(subscription=subscription, ack_ids=[one.ack_id for one in received])

# %% [markdown]
# How is a source to keep its promise on such a bus? `latestOffset` must name a place, and `read` must give the same rows for
# it, tomorrow as well, on another machine. The bus has neither. So **the source makes a log of its own**: what comes
# from the bus is written into a **journal** first, and the offsets count what is in the journal.
#
#     bus ──pull──▶ journal ──read──▶ Spark
#                      │
#      ◀─acknowledge───┘   only when it is safe
#
# The order of two steps decides everything. What is acknowledged before it is safe is lost if the process dies in between.
# What is safe and not yet acknowledged comes again, and for that there is the `message_id`.
#
# The journal is a folder in which each pull gets a file. A file appears in one piece or not at all. (On a cluster
# it would be a table, or a topic; it must outlive every machine that reads it.)


# %% tags=["given"]
class Journal:
    """Messages in the order in which they were written down, with their ids, in a folder."""

    def __init__(self, folder: str):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def messages(self) -> list[tuple[str, str]]:
        """Id and text of all messages, the oldest first."""
        files = sorted(self.folder.glob("*.json"))
        return [(id, text) for file in files for id, text in json.loads(file.read_text())]

    def append(self, messages: list[tuple[str, str]]) -> None:
        """Write messages down; when this comes back they outlive this process."""
        new = self.folder / "new"
        with open(new, "w") as file:
            json.dump(messages, file)
            file.flush()
            os.fsync(file.fileno())
        number = len(list(self.folder.glob("*.json")))
        os.replace(new, self.folder / f"{number:08d}.json")


# %% [markdown]
# ## Exercise 15.3: offsets of its own
#
# Write `bus_reader(options)`, which gives a reader of the bus. The options are `bus` (its address, for
# `client_of`), `subscription`, and `journal` (a folder that is still there after a restart). The rows
# have one column, the text of a message; a row is a tuple, `(text,)`. To acknowledge, call
# `client.acknowledge(subscription=…, ack_ids=…)`, as above; it refuses an empty list. Your reader promises:
#
# - every message comes out, and none twice, however often the bus delivers it. Two messages with the same
#   text are two orders;
# - the same offsets give the same rows, after a kill too, wherever it strikes;
# - nothing stays on the bus for good: whatever is safe is acknowledged, also when it comes again.
#
# Write `initialOffset`, `latestOffset`, `partitions` and `read`. Spark takes pieces only that are an `InputPartition`, such as
# `Piece`, and from `read` only an iterator, as `yield` makes one. One pull for each `latestOffset` is enough: what the bus
# keeps back comes with a later batch. Leave the `limit` aside, and remember where `read` runs.
#
# A check cannot kill Spark at a chosen line of a method, so it leads your reader as Spark does, step by step, through
# a story on a new bus: `on_the_bus(bus_reader, story)` gives the `rows` that are in the sink in the
# end, and what is `left` on the bus. You can call it, too; `help(on_the_bus)` lists what may happen in a story.


# %% nbgrader={"grade": false, "grade_id": "bus_reader", "locked": false, "solution": true}
def bus_reader(options: Any) -> DataSourceStreamReader:
    """A reader of the bus with offsets of its own.

    Write its class inside this function, and return an object of it. `Piece` is there to be used.
    """
    ### BEGIN SOLUTION

    class Reader(DataSourceStreamReader):
        def initialOffset(self) -> dict:
            return {"at": 0}

        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            journal = Journal(options["journal"])
            with client_of(options["bus"]) as client:
                received = pulled(client, options["subscription"])
                if received:
                    known = {id for id, _ in journal.messages()}
                    found = {one.message.message_id: one.message.data.decode() for one in received}
                    journal.append([(id, text) for id, text in found.items() if id not in known])
                    client.acknowledge(
                        subscription=options["subscription"],
                        ack_ids=[one.ack_id for one in received],
                    )
            return {"at": len(journal.messages())}

        def partitions(self, start: dict, end: dict) -> list[Piece]:
            return [Piece("journal", start["at"], end["at"])]

        def read(self, piece: Piece) -> Iterator[tuple]:
            for _, text in Journal(options["journal"]).messages()[piece.first : piece.end]:
                yield (text,)

    return Reader()
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-bus_reader", "locked": true, "points": 5, "solution": false}
grader.check("15.3", bus_reader)

# %% [markdown]
# And now the same reader in Spark, on the bus from above, killed before a commit. (It is made here once, and each start gets a
# copy of it as it was then: a client that is opened in `__init__` could not go along.)


# %%
reader = bus_reader(
    {
        "bus": bus.address,
        "subscription": subscription,
        "journal": grader.fresh_checkpoint(),
    }
)


class WebShop(DataSource):
    @classmethod
    def name(cls) -> str:
        return "web_shop"

    def schema(self) -> str:
        return "product STRING"

    def streamReader(self, schema: Any) -> DataSourceStreamReader:
        return reader


spark.dataSource.register(WebShop)
checkpoint = grader.fresh_checkpoint()
web_shop = spark.readStream.format("web_shop")

publish("milk", "salt")
print("first start:")
run(web_shop.load(), checkpoint)

publish("bread")
bus.deliver_again(b"milk")
print("second start, with bread, and the milk once more:")
run(web_shop.load(), checkpoint)

undo_commit(checkpoint)
publish("eggs")
print("third start; batch 1 is not committed, and there are eggs:")
run(web_shop.load(), checkpoint)
print("left on the bus:", bus.left())

# %% [markdown]
# Batch 1 came again as it was, and without the eggs: its offsets were settled before they came. That is the whole
# promise. The eggs are still on the bus. `WebShop` has no `SupportsTriggerAvailableNow`, so such a run is one batch, and this one
# was batch 1; the next start brings them. (You saw the bread twice: printing cannot be taken back. A sink that goes by the
# batch's number, or by a key, makes it once.)
#
# Before you trust a connector from somewhere, ask it the three things that you have just programmed:
#
# | ask | a bad answer |
# | --- | --- |
# | What is in an offset? | A count of what has no fixed order, a time of arrival, or nothing: then a repeated batch has other rows. |
# | When does it acknowledge, or commit to the source? | While it reads. Then a crash loses rows. |
# | What does it do with what comes twice? | "Deduplicate later." You can (lesson 07), if there is an id in the rows, and state to pay for it. |

# %%
publisher.stop()
subscriber.close()
bus.stop()

# %% [markdown]
# ## Kinesis: shards and sequence numbers
#
# The warehouse writes to **Amazon Kinesis Data Streams**, a log much like Kafka:
#
# | Kafka | Kinesis | what is different |
# | --- | --- | --- |
# | topic | stream | |
# | partition | **shard** | takes 1 MB or 1,000 records a second, and is split in two when that is too little |
# | key | partition key | its MD5 hash decides on the shard |
# | offset, 0, 1, 2, … | **sequence number**, mostly 56 digits | it grows, with gaps: nobody can count how many lie between two. It comes as text; compare it as a number |
# | seek to an offset | a **shard iterator** | good for five minutes |
#
# For this lesson there is a server on your own machine, `kinesis-local`, a Node program that speaks Kinesis' language;
# so the client is Amazon's own, `botocore`, on which `boto3` stands. The server comes when you first run
# the cell, 3 MB.

# %%
servers = ExitStack()  # what is in here ends with the notebook, or with servers.close()
warehouse = servers.enter_context(kinesis_server())
kinesis = warehouse.client()
make_stream(kinesis, "parcels", shards=2)
for number in range(6):
    put = kinesis.put_record(
        StreamName="parcels", PartitionKey=f"shelf-{number % 3}", Data=f"parcel {number}".encode()
    )
    print(put["ShardId"], "…" + put["SequenceNumber"][-24:], f"shelf-{number % 3}")

# %% [markdown]
# Of such a shard one can read in two ways.
#
# - **Shared**: a consumer asks, with `GetRecords`, again and again. All consumers of a shard *together* may ask 5
#   times a second, and get 2 MB a second.
# - **Enhanced fan-out**: a consumer is registered, calls `SubscribeToShard` once, and Kinesis sends what comes, for five
#   minutes; then it calls again. Each such consumer has 2 MB a second of its own, and its own bill.
#
# Both are a few lines:


# %%
def ask(server: Kinesis, stream: str, shard: str, every: float) -> Iterator[list[dict]]:
    """Shared: what is new in a shard, asked for `every` so many seconds."""
    kinesis = server.client()
    where = {"StreamName": stream, "ShardId": shard, "ShardIteratorType": "LATEST"}
    iterator = kinesis.get_shard_iterator(**where)["ShardIterator"]
    while True:
        try:
            answer = kinesis.get_records(ShardIterator=iterator)
            iterator = answer["NextShardIterator"]
            yield answer["Records"]
        except kinesis.exceptions.ProvisionedThroughputExceededException:
            pass  # one call too many in this second: ask again later
        time.sleep(every)


def listen(server: Kinesis, consumer: str, shard: str) -> Iterator[list[dict]]:
    """Fan-out: what is new in a shard, as it is sent to a registered consumer."""
    subscription = server.client().subscribe_to_shard(
        ConsumerARN=consumer, ShardId=shard, StartingPosition={"Type": "LATEST"}
    )
    for event in subscription["EventStream"]:
        yield event["SubscribeToShardEvent"]["Records"]


# %% [markdown]
# The warehouse has one consumer now: you. The accountants want to read along, then the web shop, then three more.
# **Before you run the next cell:** all of them together may ask a shard 5 times a second. How old is a record, on average, when a
# consumer gets it, if there is one consumer? If there are six? And with fan-out? (One warning for the last: Amazon sends to such a
# consumer at once, and the server here looks for new records only once a second. So bet for this server.)
#
# Measured on your machine, twenty records a second, five seconds each (it takes a good half minute):


# %%
def race(count: int, way: str) -> dict:
    """Let `count` consumers read one shard in one way: percentiles of latency, and calls."""
    name, shard = f"race-{way}-{count}-{time.time_ns()}", "shardId-000000000000"
    arn = make_stream(kinesis, name)
    if way == "shared":
        consumers = [ask(warehouse, name, shard, every=count / 5) for _ in range(count)]
    else:
        registered = [register_consumer(kinesis, arn, f"consumer-{n}") for n in range(count)]
        consumers = [listen(warehouse, consumer, shard) for consumer in registered]
    before, refused = dict(warehouse.calls), warehouse.refused
    took = latencies(
        lambda data: kinesis.put_record(StreamName=name, PartitionKey="k", Data=data), consumers
    )
    made = {call: n - before.get(call, 0) for call, n in warehouse.calls.items()}
    return {
        "way": way,
        "consumers": count,
        "median ms": round(np.percentile(took, 50)),
        "95 % ms": round(np.percentile(took, 95)),
        "calls": made.get("GetRecords", 0) + made.get("SubscribeToShard", 0),
        "refused": warehouse.refused - refused,
    }


pd.DataFrame([race(count, way) for way in ("shared", "fan-out") for count in (1, 2, 6)])

# %% [markdown]
# Shared, each further consumer makes all of them slower: they divide five calls a second, so each asks every 1/5 s, 2/5 s, 6/5 s,
# and a record waits half of that on average, and somewhat more, as the calls take time, too, and some are refused. With fan-out the number of consumers does not matter, and neither do
# calls: one for each consumer.
#
# The server here is honest about the API, not about speed. What is Amazon's, and what is ours:
#
# | | here | Amazon |
# | --- | --- | --- |
# | 5 calls a second and shard | counted in our client: `kinesis-local` does not | counted by the service |
# | fan-out | the server looks for new records *once a second*, hence your half a second | sent as they come: about 70 ms, with one consumer or five |
# | shared | half of the time between two calls | about 200 ms with one consumer, about 1,000 ms with five |
# | megabytes a second | nobody counts them | 1 in, 2 out, for each shard; for each fan-out consumer 2 more |
#
# Amazon's figures are those of its guide for developers. So, with Amazon's: **one or two consumers that may be a second late read shared.
# More of them, or those in a hurry, pay for fan-out.**
#
# ## A shard comes to its end
#
# When the warehouse grows, a shard is *split*: nothing more is written to it, and two children take over, each with half
# of the hashes. What it holds stays readable until it is too old for the stream (after 24 hours, if nobody set more).

# %%
parent = "shardId-000000000000"
half = kinesis.list_shards(StreamName="parcels")["Shards"][0]["HashKeyRange"]
middle = (int(half["StartingHashKey"]) + int(half["EndingHashKey"])) // 2
kinesis.split_shard(StreamName="parcels", ShardToSplit=parent, NewStartingHashKey=str(middle))
wait_until_active(kinesis, "parcels")
for shard in kinesis.list_shards(StreamName="parcels")["Shards"]:
    print(shard["ShardId"], "child of", shard.get("ParentShardId"))

where = {"StreamName": "parcels", "ShardId": parent, "ShardIteratorType": "TRIM_HORIZON"}
answer = kinesis.get_records(ShardIterator=kinesis.get_shard_iterator(**where)["ShardIterator"])
print([record["Data"].decode() for record in answer["Records"]])
print("goes on with:", answer.get("NextShardIterator"))
print("children:", [child["ShardId"] for child in answer["ChildShards"]])

# %% [markdown]
# No `NextShardIterator`: that is how a shard says that it is over. A consumer reads it to its end, then its children from
# *their* beginning (`TRIM_HORIZON`). Children first, and the parcels of one shelf come in the wrong order.
#
# ## Exercise 15.4: one shard, nothing lost, nothing twice
#
# For a source of your own the offset is the last sequence number by shard: `{"shardId-000000000000": "4968…", …}`. A batch is, for each
# shard, what comes **after** the number of the batch before, **up to and with** the number of this one. Reading
# such a piece sounds like a loop of three lines. In a month of production it meets all of these:
#
# - an answer with more records than the piece has: what is beyond `until` belongs to the next batch;
# - an **empty answer although more is there**. Kinesis looks through a part of the shard for each call;
# - `ProvisionedThroughputExceededException`: others have made the five calls of this second. Wait a little with
#   `time.sleep`, 0.01 seconds at the least, and ask again, as often as it takes;
# - `ExpiredIteratorException`: the iterator is older than five minutes, as the batch was busy elsewhere;
# - `until` that is `None`: the shard is closed, and all that is left of it is meant. (A closed one may come with a number, too);
# - `until` that is `after` itself: nothing is new in this shard.
#
# Write `read_shard`. It is called with a client as above, the names of stream and shard, and two sequence numbers (text, or `None`).
# It **gives the records** (as `get_records` has them) in their order, as a list or with `yield`. `after` is
# `None` for the beginning of the shard.
#
# The check lets it loose on a real server that is not always well. You can do so, too: of six records, those after
# the second up to the fifth; the first answer holds one record, the second call is refused, the third is empty.


# %% nbgrader={"grade": false, "grade_id": "read_shard", "locked": false, "solution": true}
def read_shard(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[dict]:
    """The records of a shard after sequence number `after`, up to and with `until`."""
    ### BEGIN SOLUTION
    last, iterator = after, None
    while until is None or last is None or int(last) < int(until):
        try:
            if iterator is None:
                where = {"ShardIteratorType": "TRIM_HORIZON"}
                if last is not None:
                    where = {
                        "ShardIteratorType": "AFTER_SEQUENCE_NUMBER",
                        "StartingSequenceNumber": last,
                    }
                found = kinesis.get_shard_iterator(StreamName=stream, ShardId=shard, **where)
                iterator = found["ShardIterator"]
            answer = kinesis.get_records(ShardIterator=iterator)
        except kinesis.exceptions.ExpiredIteratorException:
            iterator = None
            continue
        except kinesis.exceptions.ProvisionedThroughputExceededException:
            time.sleep(0.2)
            continue
        for record in answer["Records"]:
            if until is not None and int(record["SequenceNumber"]) > int(until):
                return
            last = record["SequenceNumber"]
            yield record
        iterator = answer.get("NextShardIterator")
        if iterator is None:
            return
    ### END SOLUTION


# %%
on_a_shard(read_shard, records=6, after=2, until=5, answers="1 throttled empty")

# %% nbgrader={"grade": true, "grade_id": "check-read_shard", "locked": true, "points": 4, "solution": false}
grader.check("15.4", read_shard)

# %% [markdown]
# With it the source is quickly written. One answer is hard to get: `latestOffset`. Kinesis does not say what the newest
# number of a shard is. One has to read on until an answer says that it is 0 ms behind, which means to read all
# twice. Connectors that you can buy read ahead into a store of their own and offer Spark what they hold. What stands here
# is short, and for a server without other consumers: on Amazon `newest` has to be as patient as `read_shard`.


# %%
def newest(kinesis: Any, stream: str, shard: str, after: str | None) -> str | None:
    """The number of the last record that a shard holds now."""
    where = {"ShardIteratorType": "TRIM_HORIZON"}
    if after is not None:
        where = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "StartingSequenceNumber": after}
    found = kinesis.get_shard_iterator(StreamName=stream, ShardId=shard, **where)
    iterator = found["ShardIterator"]
    while iterator is not None:
        answer = kinesis.get_records(ShardIterator=iterator)
        if answer["Records"]:
            after = answer["Records"][-1]["SequenceNumber"]
        iterator = answer.get("NextShardIterator") if answer["MillisBehindLatest"] else None
    return after


class ParcelReader(DataSourceStreamReader):
    def __init__(self, options: Any):
        self.endpoint = options["endpoint"]

    def initialOffset(self) -> dict:
        return {}

    def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
        kinesis = Kinesis(self.endpoint).client()
        shards = [shard["ShardId"] for shard in kinesis.list_shards(StreamName="parcels")["Shards"]]
        ends = {shard: newest(kinesis, "parcels", shard, start.get(shard)) for shard in shards}
        return {shard: end for shard, end in ends.items() if end is not None}

    def partitions(self, start: dict, end: dict) -> list[InputPartition]:
        return [InputPartition((shard, start.get(shard), until)) for shard, until in end.items()]

    def read(self, piece: InputPartition) -> Iterator[tuple]:
        kinesis = Kinesis(self.endpoint).client()
        for record in read_shard(kinesis, "parcels", *piece.value):
            yield (record["Data"].decode(),)


class Parcels(DataSource):
    @classmethod
    def name(cls) -> str:
        return "parcels"

    def schema(self) -> str:
        return "parcel STRING"

    def streamReader(self, schema: Any) -> DataSourceStreamReader:
        return ParcelReader(self.options)


spark.dataSource.register(Parcels)
parcels = spark.readStream.format("parcels").option("endpoint", warehouse.endpoint).load()
checkpoint = grader.fresh_checkpoint()
run(parcels, checkpoint)
for number in range(6, 9):
    kinesis.put_record(
        StreamName="parcels", PartitionKey=f"shelf-{number % 3}", Data=f"parcel {number}".encode()
    )
run(parcels, checkpoint)

# %% [markdown]
# What came from the parent in the first batch comes from one of its children in the second. (The stream has a second shard,
# which nobody split.) They were two starts. In one long batch the order
# of a shelf's parcels would need more: children only when `start` is at the end of their parent.
#
# ## Kafka behind a door
#
# The new shop's Kafka speaks **TLS**, and nothing else. TLS does two things: nobody on the way can read along, and
# nobody can pose as the broker. The second rests on certificates. The broker shows one; it says which host it is
# for, and an **authority** has signed it. A client that trusts the authority, and finds the name of
# the host that it asked for, knows whom it talks to.
#
# Here is such a broker, with an authority that was made a moment ago. Nobody but you trusts it:

# %%
door = servers.enter_context(tls_broker())
trusting = {"security_protocol": "SSL", "ssl_cafile": str(door.authority)}
producer = KafkaProducer(bootstrap_servers=door.bootstrap_servers, **trusting)
for product in ("tea", "jam", "rice"):
    producer.send("orders", product.encode())
producer.close()
print(Path(door.authority).read_text())

# %% [markdown]
# That was `kafka-python`, and it knows the authority. Now Spark. First as ever, then with TLS and nobody to trust. Both shall
# not wait longer than three seconds:


# %%
def first_words(**options: str) -> None:
    """Read the orders, or say what Spark said at the very bottom of its error."""
    options = {"kafka.bootstrap.servers": door.bootstrap_servers, **options}
    options |= {"kafka.default.api.timeout.ms": "3000", "kafka.request.timeout.ms": "3000"}
    try:
        read = spark.read.format("kafka").options(**options).option("subscribe", "orders").load()
        print("read:", [bytes(row.value).decode() for row in read.collect()])
    except Exception as error:
        causes = [line for line in str(error).splitlines() if "Exception: " in line]
        print(causes[-1] if causes else str(error).splitlines()[0])


first_words()
first_words(**{"kafka.security.protocol": "SSL"})

# %% [markdown]
# The first error is worth knowing by heart: **"Timed out waiting for a node assignment" says nothing of TLS**. The client
# spoke plain text, the broker hung up without a word, and that again and again until the time was over (a minute, if you say
# nothing). Where a broker's port is open and Kafka's client times out, think of TLS. The second error is Java's
# way to say: I do not know who signed this.
#
# ## Exercise 15.5: only with the right certificate
#
# Write `secured`: **the options of Spark's Kafka reader** for a broker with TLS, all but the topic. Kafka takes a store of
# certificates to be of Java's old type JKS, unless you name another; it also takes text files, type `PEM`, such as the one above.
# (The driver *and each worker* open these files: on a cluster they lie at the same path everywhere.) It is called with
#
# - `servers`: the broker's address;
# - `authority`: the path of a PEM file, with the certificate of the authority to be trusted;
# - `own`: the path of a PEM file with the client's own private key and certificate, or `None`. Some brokers
#   ask who *you* are, and let nobody in who cannot show one. That is called mutual TLS.
#
# Kafka's own names are `security.protocol`, `ssl.truststore.type` and `ssl.truststore.location` (whom I trust), `ssl.keystore.type`
# and `ssl.keystore.location` (who I am), and some that you do not need. Spark hands on what has `kafka.` before it.
#
# The check tries your options with the client in Spark, at four servers: `ours`; `mutual`, which asks for a
# certificate; an `impostor`, signed by another authority; and one with a certificate of our authority for an
# `other name`. With the last two your client must not speak. At the impostor, for one:


# %% nbgrader={"grade": false, "grade_id": "secured", "locked": false, "solution": true}
def secured(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Options of Spark's Kafka reader for a broker with TLS."""
    ### BEGIN SOLUTION
    options = {
        "kafka.bootstrap.servers": servers,
        "kafka.security.protocol": "SSL",
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.location": authority,
    }
    if own is not None:
        options["kafka.ssl.keystore.type"] = "PEM"
        options["kafka.ssl.keystore.location"] = own
    return options
    ### END SOLUTION


# %%
at_a_server(secured, server="impostor", host="127.0.0.1", own=False)

# %% nbgrader={"grade": true, "grade_id": "check-secured", "locked": true, "points": 3, "solution": false}
grader.check("15.5", secured)

# %% [markdown]
# And the stream comes through the door:

# %%
orders = (
    spark.readStream.format("kafka")
    .options(**secured(door.mutual_servers, str(door.authority), str(door.client)))
    .option("subscribe", "orders")
    .option("startingOffsets", "earliest")
    .load()
)
run(orders.selectExpr("CAST(value AS STRING)"), grader.fresh_checkpoint())
servers.close()

# %% [markdown]
# For a whole notebook that is tedious. A properties file with the same settings, named in `GRADER_KAFKA_CONF`, brings them
# into every `.format("kafka")` of this course ([docs/cluster.md](../../docs/cluster.md)).

# %% [markdown]
# ## What you can now do
#
# - write a source in Python: where it begins, how far a batch goes, its pieces, its rows;
# - say which process calls what, and what of a reader outlives a restart;
# - hold each batch to a limit, with `availableNow` too, and end such a run where it should;
# - give offsets that mean the same rows for ever, and find the source that does not;
# - make an exactly-once source of a bus that only hands out: journal, then acknowledge, and know again by
#   id;
# - read a Kinesis shard to its end, by asking or by being sent, and say which is worth its price;
# - give a client the certificates that it needs, and know the errors of one that lacks them.

# %%
grader.progress()

# %% [markdown]
# Next: **16 Capstone**, for which you need all of it.
