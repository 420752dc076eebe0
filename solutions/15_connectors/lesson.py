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
# The shop has bought another shop. Its cash registers write orders to a log of their own, its web shop to Google
# **Pub/Sub**, and its warehouse to **Amazon Kinesis**. Its Kafka accepts only clients that speak TLS. You need all of
# these orders in your streams, exactly once as always.
#
# Spark has built-in connectors for files and for Kafka. Others are packages, mostly in Scala and for one version of
# Spark. You can also write a source in Python (Spark 4.0+) and limit its micro-batches (Spark 4.2+). That is less
# work than it sounds: a source is five short methods, and a limit is two more. It is also the best way to learn what
# a source *promises*, and so which packages to trust.
#
# The lesson has two parts, each for one sitting:
#
# - **Part A, write a source** (15.1, 15.2, 15.3): a Python data source for a log, and one for a message queue.
# - **Part B, Kinesis and TLS** (15.4, 15.5): shards that end, and a broker that proves who it is.
#
# **Prerequisites** · lesson 01 (Kafka, offsets, checkpoints) and lesson 13 (restart). You can write a Python class
# and a generator.
#
# **Time** · engineer 2 hours, student 3 hours 35 minutes, for both parts together.

# %% [markdown]
# # Part A · Write a source: offsets, limits, replay
#
# **Objectives** · After part A you can
#
# - write a streaming source with the Python data source API;
# - limit its micro-batches, with the `availableNow` trigger too;
# - choose offsets that always mean the same rows;
# - make a replayable source of a message queue that has no offsets.
#
# **Time** · engineer 70 minutes, student 125 minutes.
#
# **Fast path** · 25 minutes: run all cells up to exercise 15.1 and do it. Then run the experiment before exercise
# 15.2, and read the checklist before the recap of part A.

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
# ## A source is five methods
#
# We begin with the log of the cash registers. It is a Kafka topic, but for a while we ignore that Spark knows Kafka.
# What follows is right for every log that can be read *from a given position*. This is its client, a thin layer over
# `kafka-python`. It contains no Spark:


# %% tags=["given"]
class Log:
    """The orders in a topic, as a log: each partition can be read from any position."""

    def __init__(self, options: Any):
        self.servers, self.topic = options["servers"], options["topic"]

    def ends(self) -> dict[str, int]:
        """The current end of each partition: {"0": 3} means that offsets 0, 1 and 2 exist."""
        with self._client() as client:
            known = [TopicPartition(self.topic, n) for n in client.partitions_for_topic(self.topic)]
            return {str(tp.partition): end for tp, end in sorted(client.end_offsets(known).items())}

    def read(self, partition: str, first: int, end: int) -> Iterator[tuple[str, str]]:
        """Id and product of the orders from `first` up to, but not including, `end`.

        Raises ValueError if the log ends before that.
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
# Now the source. Its **reader** has five methods:
#
# | Spark calls | when | the answer |
# | --- | --- | --- |
# | `initialOffset()` | until the first micro-batch is committed: when it is planned, when it runs, and again after a kill | where the stream begins. Spark does not store it, so it must be the same each time |
# | `latestOffset(start, limit)` | before each micro-batch | where this micro-batch ends. Spark writes it to the **offset log**, and from then on it is fixed |
# | `partitions(start, end)` | for each micro-batch, *also when it runs again* | the input partitions, one for each task |
# | `read(partition)` | in a task, on any machine | the rows of an input partition |
# | `commit(end)` | when the *next* micro-batch is planned, even if that is after a restart | nothing: the source may now delete what is before `end` |
#
# %% [markdown]
# An offset is a dictionary of strings, integers, booleans and nested dictionaries. It can hold one number, a number
# for each partition, or a time as a string. Only the reader understands it. Spark only compares: **if `latestOffset`
# returns the value of `start`, nothing is new, and there is no micro-batch.** Spark compares the JSON strings, so
# always write the keys in the same order.
#
# For a log with one partition, a dictionary with one number is enough. A log deletes nothing on commit, so `commit`
# can be left out. The input partition is a class of ours, `Piece`:


# %% tags=["given"]
@dataclass
class Piece(InputPartition):
    """An input partition: the orders of a partition from `first` up to, but not including, `end`."""

    partition: str
    first: int
    end: int


def orders_by(reader: type, spark: SparkSession, kafka: Any) -> DataFrame:
    """The stream of the topic "orders", read with this class of reader."""

    own_name = f"orders_log_{uuid.uuid4().hex}"  # Spark refuses a name that is in use

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
# This is a whole source. `schema` returns the columns. `register` makes the class available as a format, used like
# `format("kafka")`.
#
# We run the query in three steps. Each step is a new start on the same checkpoint. Each start creates a new reader,
# and its `initialOffset` returns 0 each time. So:

# %%
grader.predict("15.0")

# %% [markdown]
# ![Orders as they come in three steps: four of them, then one, then two.](15.0.svg)
#
# And live: two starts, and then the offsets that the checkpoint has stored:


# %%
def tills(partitions: int) -> Any:
    """A new log, to be used like `kafka` in the exercises."""
    topic = kafka.create_topic("lesson15-orders", partitions)
    return SimpleNamespace(bootstrap_servers=kafka.bootstrap_servers, topic=lambda name: topic)


def sell(log: Any, *products: str, partition: int = 0) -> None:
    """Write orders into a log, with ids such as 0-tea."""
    orders = [{"id": f"{partition}-{product}", "product": product} for product in products]
    kafka.send(log.topic("orders"), orders, partition=partition)


def tell(batch: DataFrame, number: int) -> None:
    print(f"  batch {number}:", sorted(row[0] for row in batch.collect()))


def run(stream: DataFrame, checkpoint: str) -> None:
    """Run a query over the data that is there now, and print the rows of each micro-batch."""
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
# Several processes take part, and none of them sees the variables of the others. One reader, next to the driver,
# answers the questions about offsets for as long as the query runs. A second reader is there for `read`: each task
# gets a *copy* of it in a worker, on any machine. After a restart all readers are new.
#
# They share only the options of the source, the offsets and the input partitions. **Everything else is lost.** An
# object that cannot be copied, such as an open connection, must be created where it is used.

# %% [markdown]
# ## Limit a micro-batch: `ReadLimit` and `availableNow`
#
# Your query was off over the weekend. On Monday one micro-batch reads all orders of Saturday and Sunday, and a worker
# does not have the memory for that. With Kafka you would set `maxOffsetsPerTrigger`. In your own source this is the
# `limit` (Spark 4.2+). The method `getDefaultReadLimit` returns the limit that you want, and Spark passes it to each
# call of `latestOffset`. The reader itself must respect it.
#
# There is a catch. With `trigger(availableNow=True)` a run ends where the log ended *when the run began*. If a source
# does not support this trigger, Spark falls back to the old `once=True` for the whole query. It calls `latestOffset`
# once, without a limit, and makes one micro-batch of everything. No no-data batch follows, so the last windows stay
# in state.
#
# A source supports the trigger if its reader also extends `SupportsTriggerAvailableNow`. That class has one method,
# `prepareForTriggerAvailableNow()`. Spark calls it when such a run begins. After that, `latestOffset` must not go
# beyond the end that the log had then. With other triggers Spark does not call the method, and the current end of the
# log counts.
#
# The argument `limit` is an object: a `ReadMaxRows`, or a `ReadAllAvailable` if Spark wants no limit. This function
# makes a number of both:


# %% tags=["given"]
def allowed(limit: ReadLimit) -> int:
    """How many rows a limit allows; without a limit, a huge number."""
    return getattr(limit, "max_rows", sys.maxsize)


# %% [markdown]
# ## Exercise 15.1: Limit the batch size
#
# After a weekend without the query, a worker must not read all waiting orders at once. Write
# `small_bites(spark, kafka)`.
#
# **Input** · the log of `kafka.topic("orders")` with one partition, `"0"`. Begin with the reader of `till_orders`.
#
# **Output** · the stream that `orders_by(Reader, spark, kafka)` returns: `id STRING`, `product STRING`; append mode.
#
# **Rules**
# 1. Each order of the log is emitted once, from offset 0 on. A restart continues after the last committed
#    micro-batch.
# 2. A micro-batch has at most 3 orders, with `availableNow` too.
# 3. A run has as few micro-batches as rule 2 allows.
# 4. A run with `availableNow` reads everything that was in the log when the run began.
#
# **You can assume** · the check uses `availableNow` only, and the log does not grow during a run. The cell after the
# check tries another trigger on a growing log. The check does not test `ReadAllAvailable`, which allows all waiting
# orders in one micro-batch.
#
# **Checked** · rows, the step of each row, the same rows if the orders are split into other micro-batches. Half of the
# points are for the limit: the largest micro-batch and the number of micro-batches must both be right.
#
# Predict first:

# %%
grader.predict("15.1")


# %% nbgrader={"grade": false, "grade_id": "small_bites", "locked": false, "solution": true}
def small_bites(spark: SparkSession, kafka: Any) -> DataFrame:
    """The orders of the log (one partition, "0"), at most 3 in a micro-batch.

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
# Now another trigger, on a log that grows. Batches 0 and 1 read four orders. The milk is sold while the query runs,
# and is batch 2. If the milk is missing, or the query fails: which end does your reader use when nothing has called
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
# ## Replay: the same offsets must give the same rows
#
# Spark's part of end-to-end exactly-once is this: it writes the offsets of a micro-batch down *before* the
# micro-batch runs. After a kill the micro-batch runs again **with these offsets**. The part of the source: the same
# offsets give the same rows, whatever has happened in between. A source that cannot promise this loses rows or
# repeats them. An idempotent sink can repair duplicates if the rows have a key. Lost rows stay lost.
#
# Suppose that your reader was extended to logs of several partitions, with at most four orders in a micro-batch *in
# total*. Kafka stores how far a consumer group has read, and the new version relies on that:


# %% tags=["given"]
class NotingLog(Log):
    """The log, and the position that Kafka stores for its readers."""

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
# It has run for a week. **Predict before you run the next cell:** does its offset `{"orders": 4}` say *which* orders
# are meant? The cell kills a micro-batch when its rows are in the sink, and runs it again. Which rows does the second
# run emit?


# %%
def undo_commit(checkpoint: str) -> None:
    """Delete the last entry of the commit log, as if the process had been killed before it."""
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
# Batch 0 ran again, and was empty. A sink that *replaces* its output by batch id now replaces four orders by nothing:
# **they are lost.** The offset `{"orders": 4}` says how many orders, but not which ones. The position in Kafka said
# which ones, and it had moved on.

# %% [markdown]
# ## Exercise 15.2: Same offsets, same rows
#
# Repair the reader, so that a kill loses no order. Write `same_rows_again(spark, kafka)`.
#
# **Input** · the log of `kafka.topic("orders")` with two partitions, `"0"` and `"1"`.
#
# **Output** · the stream that `orders_by(Reader, spark, kafka)` returns: `id STRING`, `product STRING`; append mode.
#
# **Rules**
# 1. Each order of both partitions is emitted, from the first one on.
# 2. After a kill, a micro-batch that runs again has the rows that it had before.
# 3. No order is in two micro-batches, also when either partition grows later.
# 4. A micro-batch has at most 4 orders of both partitions together.
# 5. A run has as few micro-batches as rule 4 allows, and none is empty. So write the keys of an offset in the same
#    order each time.
#
# **You can assume** · `availableNow` only, and a log that has orders at the first start. It grows neither during a run
# nor between a kill and the next run. The position that Kafka has stored is not needed any more. The order in which
# partitions are drained does not matter.
#
# **Checked** · rows, the step of each row, the same rows if the orders are split into other micro-batches. Half of the
# points are for three things, which must all be right. They are the rows after a kill between sink and commit, the
# largest micro-batch, and the number of micro-batches. The check takes about a minute.


# %% nbgrader={"grade": false, "grade_id": "same_rows_again", "locked": false, "solution": true}
def same_rows_again(spark: SparkSession, kafka: Any) -> DataFrame:
    """The orders of the log (two partitions, "0" and "1"), at most 4 in a micro-batch, also after a kill.

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
# `grader.hint("15.2")` helps if a micro-batch comes back empty, or twice.
#
# ## Pub/Sub: a message queue has no offsets
#
# The orders of the web shop come by Google Pub/Sub. A **message queue** is not a log. It *delivers* messages, and the
# receiver must **acknowledge** each of them. An acknowledged message is gone. Any other message is delivered again
# after its **deadline**. There is no position to read from, no way to look a message up by its id, and no order.
# Pub/Sub can keep the order within an *ordering key*, and can *seek* a whole subscription to a point in time. Neither
# gives a micro-batch a position.
#
# Below is a queue on your own machine; the code calls it `bus`. It speaks the protocol of Pub/Sub, and we read it
# with Google's own client. With a Google Cloud account and an empty address, the same code reads the real service. We
# set the clock of the local queue, so that you do not wait for a deadline. Databricks has a source for Pub/Sub in its
# own runtime; open-source Spark has none.

# %%
clock = ManualClock()
bus = PubSub(clock, seed=1)
bus.start()
topic, subscription = "projects/shop/topics/orders", "projects/shop/subscriptions/orders"


# %% tags=["given"]
def client_of(bus: str) -> SubscriberClient:
    """Google's client for the queue at this address; for the real Pub/Sub if it is empty."""
    if not bus:
        return SubscriberClient()
    channel = grpc.insecure_channel(bus)
    return SubscriberClient(transport=SubscriberGrpcTransport(channel=channel))


def pulled(client: SubscriberClient, subscription: str) -> list[Any]:
    """Messages that the queue delivers now, each with its `ack_id`; an empty list if there are none.

    A message has a `message_id` and its `data`. One pull may not return all messages. Google's
    service may wait for messages up to a minute.
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
    """Print what the queue delivers now."""
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
# We see three orders, in an order that the queue chose, with ids that say nothing about time. The second pull gets
# none: all of them have been delivered.
#
# **Predict before you run the next cell:** the jam is acknowledged, the others are not, and 10 seconds pass. Which
# messages are delivered again? With which `message_id`?

# %%
jam = [one.ack_id for one in received if one.message.data == b"jam"]
subscriber.acknowledge(subscription=subscription, ack_ids=jam)
clock.advance(10)
received = look()

# %% [markdown]
# Two messages, with the `message_id` that they had: it identifies a message. The `ack_id` is different. It belongs to
# *one delivery*. To acknowledge a redelivered message, use the `ack_id` that came with the latest delivery.
#
# The jam is done. But the queue promises only *at-least-once* delivery. It may deliver a message again although it
# was acknowledged, for example if the acknowledgment was a moment late. A Pub/Sub subscription can have
# "exactly-once delivery". Even then, if a micro-batch runs again, its acknowledged messages are not delivered again.

# %%
subscriber.acknowledge(subscription=subscription, ack_ids=[one.ack_id for one in received])
bus.deliver_again(b"tea")
received = look()
subscriber.acknowledge(subscription=subscription, ack_ids=[one.ack_id for one in received])

# %% [markdown]
# How can a source keep its promise with such a queue? The method `latestOffset` must return a position. The method
# `read` must return the same rows for it, also tomorrow and on another machine. The queue offers neither. So **the
# source writes a log of its own**. Each message goes into a **journal** first, and the offsets count the messages in
# the journal.
#
#     queue ──pull──▶ journal ──read──▶ Spark
#                        │
#       ◀──acknowledge───┘   only when the message is in the journal
#
# The order of two operations decides everything. If a message is acknowledged before it is in the journal, a kill in
# between loses it. If it is in the journal and not yet acknowledged, it is delivered again, and its `message_id`
# shows that it is a duplicate.
#
# Our journal is a folder, with one file for each pull. A file appears as a whole or not at all. On a cluster the
# journal would be a table or a topic: it must outlive every machine that reads it.


# %% tags=["given"]
class Journal:
    """Messages with their ids, in the order in which they were written, in a folder."""

    def __init__(self, folder: str):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def messages(self) -> list[tuple[str, str]]:
        """Id and data of all messages, the oldest first."""
        files = sorted(self.folder.glob("*.json"))
        return [(id, text) for file in files for id, text in json.loads(file.read_text())]

    def append(self, messages: list[tuple[str, str]]) -> None:
        """Write messages; when this returns, they survive the end of this process."""
        new = self.folder / "new"
        with open(new, "w") as file:
            json.dump(messages, file)
            file.flush()
            os.fsync(file.fileno())
        number = len(list(self.folder.glob("*.json")))
        os.replace(new, self.folder / f"{number:08d}.json")


# %% [markdown]
# ## Exercise 15.3: A Pub/Sub source with its own offsets
#
# The orders of the web shop must reach Spark exactly once. Write `bus_reader(options)`.
#
# **Input** · `options`, a dict of strings: `bus` (the address, for `client_of`), `subscription`, and `journal` (a
# folder that survives a restart).
#
# **Output**
# - A `DataSourceStreamReader` object with `initialOffset`, `latestOffset`, `partitions` and `read`.
# - `partitions` returns a list of `InputPartition` objects, such as `Piece`.
# - `read` returns an iterator, for example with `yield`. A row is a tuple with one column, `(text,)`: the data of a
#   message as a string.
#
# **Rules**
# 1. Each message becomes a row, also a late one with a smaller id than others.
# 2. A message becomes one row, however often the queue delivers it, also twice in one pull.
# 3. Two messages with the same data are two rows.
# 4. The same offsets give the same rows after a kill, wherever it strikes.
# 5. A message is acknowledged only after it is in the journal.
# 6. Each message in the journal is acknowledged. Acknowledge a redelivered message before `latestOffset` returns, and
#    a new message in `latestOffset` or in `commit`.
#
# **You can assume** · one pull in each `latestOffset` is enough, because the rest comes with a later micro-batch.
# Ignore the `limit`. To acknowledge, call `client.acknowledge(subscription=…, ack_ids=…)`, which refuses an empty
# list.
#
# **Checked** · the rows in the sink, and the messages left in the queue, after each of 13 stories with kills and
# redeliveries.

# %% [markdown]
# A check cannot kill Spark at a chosen line of a method. So it drives your reader as Spark does, step by step,
# through a story on a new queue. The function `on_the_bus(bus_reader, story)` returns the `rows` that are in the sink
# in the end, and what is `left` in the queue. You can call it too, and `help(on_the_bus)` lists the events of a
# story. Remember in which process `read` runs.


# %% nbgrader={"grade": false, "grade_id": "bus_reader", "locked": false, "solution": true}
def bus_reader(options: Any) -> DataSourceStreamReader:
    """A reader of the queue with offsets of its own.

    Write its class inside this function, and return an object of it. You can use `Piece`.
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
# Now the same reader in Spark, on the queue from above, killed before a commit. It is created here once, and each
# start gets a copy of it as it is now. A client that was opened in `__init__` could not be copied.


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
# Batch 1 ran again with its old rows, and without the eggs: its offsets were fixed before the eggs came. That is the
# whole promise. The eggs are still in the queue. The reader does not extend `SupportsTriggerAvailableNow`, so each
# start runs one micro-batch, here batch 1. The next start reads the eggs. The bread was printed twice,
# because printing cannot be undone. A sink that is idempotent by batch id or by key keeps it once.
#
# Before you trust a connector, ask the three questions that you have just answered in code:
#
# | question | a bad answer |
# | --- | --- |
# | What is in an offset? | A count without a fixed order, an arrival time, or nothing: a micro-batch that runs again has different rows. |
# | When does it acknowledge, or commit to the source? | While it reads. Then a crash loses rows. |
# | What does it do with duplicates? | "Deduplicate later." You can (lesson 07), if the rows have an id and you pay for the state. |

# %%
publisher.stop()
subscriber.close()
bus.stop()

# %% [markdown]
# ## Recap of part A: the facts
#
# - A streaming source answers five calls. Spark stores the result of `latestOffset` before the micro-batch runs.
# - The same offsets must give the same rows, after a kill too. So an offset must say *which* rows, not how many.
# - Readers share only options, offsets and input partitions. Variables in `self` do not survive a restart and do not
#   reach the workers.
# - A limit belongs in `latestOffset`. With `availableNow` it works only if the reader extends
#   `SupportsTriggerAvailableNow`.
# - A message queue has no offsets. Write to a journal, then acknowledge, and detect duplicates by `message_id`.
#
# | source | position | replay | when it may delete |
# | --- | --- | --- | --- |
# | Kafka | offset per partition | yes, within the retention | by retention |
# | Pub/Sub | none: use a journal | from the journal only | after the acknowledgment |

# %% [markdown]
# ## What you can now do after part A
#
# - write a source in Python: its beginning, the end of each micro-batch, its input partitions, its rows;
# - say which process calls which method, and which parts of a reader survive a restart;
# - limit each micro-batch, with `availableNow` too, and end such a run at the right position;
# - choose offsets that always mean the same rows, and find the source that does not;
# - make a replayable source of a message queue: journal first, then acknowledge.
#
# Next: part B, where a log has parts that end, and a broker accepts only TLS.

# %% [markdown]
# # Part B · Kinesis and TLS: shards and certificates
#
# The warehouse writes to Amazon Kinesis, where a shard can end and an empty answer does not mean the end. The Kafka
# of the new shop accepts only TLS, and a client that speaks plain text waits for a timeout. Both fail silently if you
# read them like your own Kafka.
#
# **Objectives** · After part B you can
#
# - choose between polling and enhanced fan-out, from a measurement;
# - read a Kinesis shard to its end, without loss and without duplicates;
# - follow a shard that was split to its children;
# - configure a Kafka client for TLS;
# - recognize the errors of a wrong TLS configuration.
#
# **Prerequisites** · part A. After a break, run all cells down to the one that defines `run`, and continue from here.
#
# **Time** · engineer 50 minutes, student 90 minutes.
#
# **Fast path** · 25 minutes: run the cells of *Kinesis* up to the measurement. Then run *Kafka over TLS*, and do
# exercise 15.5.

# %% [markdown]
# ## Kinesis: shards and sequence numbers
#
# The warehouse writes to **Amazon Kinesis Data Streams**, a log much like Kafka:
#
# | Kafka | Kinesis | the difference |
# | --- | --- | --- |
# | topic | stream | |
# | partition | **shard** | takes at most 1 MB and 1,000 records per second; it is split in two when that is not enough |
# | key | partition key | its MD5 hash selects the shard |
# | offset, 0, 1, 2, … | **sequence number**, mostly 56 digits | grows with gaps, so you cannot count the records between two of them. It is a string of digits; compare it as an integer |
# | seek to an offset | a **shard iterator** | valid for five minutes |
#
# For this lesson a server runs on your own machine: `kinesis-local`, a Node program with the API of Kinesis. So the
# client is Amazon's own, `botocore`, on which `boto3` is built. The first run of the cell downloads the server, 3 MB.

# %%
servers = ExitStack()  # they stop with the notebook, or with servers.close()
warehouse = servers.enter_context(kinesis_server())
kinesis = warehouse.client()
make_stream(kinesis, "parcels", shards=2)
for number in range(6):
    put = kinesis.put_record(
        StreamName="parcels", PartitionKey=f"shelf-{number % 3}", Data=f"parcel {number}".encode()
    )
    print(put["ShardId"], "…" + put["SequenceNumber"][-24:], f"shelf-{number % 3}")

# %% [markdown]
# There are two ways to read a shard.
#
# - **Shared throughput (polling)**: a consumer calls `GetRecords` again and again. All consumers of a shard
#   *together* may call it 5 times per second, and get 2 MB per second.
# - **Enhanced fan-out (push)**: a registered consumer calls `SubscribeToShard` once, and Kinesis sends new records
#   for five minutes. Then the consumer calls again. Each consumer has 2 MB per second of its own, and its own bill.
#
# Both are a few lines:


# %%
def ask(server: Kinesis, stream: str, shard: str, every: float) -> Iterator[list[dict]]:
    """Polling: the new records of a shard, one call `every` so many seconds."""
    kinesis = server.client()
    where = {"StreamName": stream, "ShardId": shard, "ShardIteratorType": "LATEST"}
    iterator = kinesis.get_shard_iterator(**where)["ShardIterator"]
    while True:
        try:
            answer = kinesis.get_records(ShardIterator=iterator)
            iterator = answer["NextShardIterator"]
            yield answer["Records"]
        except kinesis.exceptions.ProvisionedThroughputExceededException:
            pass  # one call too many in this second: call again later
        time.sleep(every)


def listen(server: Kinesis, consumer: str, shard: str) -> Iterator[list[dict]]:
    """Fan-out: the new records of a shard, as Kinesis sends them to a registered consumer."""
    subscription = server.client().subscribe_to_shard(
        ConsumerARN=consumer, ShardId=shard, StartingPosition={"Type": "LATEST"}
    )
    for event in subscription["EventStream"]:
        yield event["SubscribeToShardEvent"]["Records"]


# %% [markdown]
# So far the warehouse has one consumer: you. The accountants want to read as well, then the web shop, then three
# more.
#
# **Predict before you run the next cell:** all of them together may call a shard 5 times per second. How old is a
# record, on average, when a consumer gets it, with one consumer? With six? And with fan-out? One warning for the
# last: Amazon sends records at once, but the server here looks for new records only once per second. So predict for
# this server.
#
# We measure on your machine: 20 records per second, 5 seconds for each row. It takes about half a minute.


# %%
def race(count: int, way: str) -> dict:
    """Let `count` consumers read one shard in one way: latency percentiles and numbers of calls."""
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
# With polling, each further consumer makes all of them slower. They share five calls per second, so each consumer
# calls every 1/5 s, 2/5 s or 6/5 s. A record waits half of that on average. The measured value is a little higher,
# because the calls take time and some are refused. With fan-out the number of consumers does not matter, and each
# consumer needs one call.
#
# The server here is true to the API, not to the speed. What is Amazon's, and what is ours:
#
# | | here | Amazon |
# | --- | --- | --- |
# | 5 calls per second and shard | counted in our client, because `kinesis-local` does not | counted by the service |
# | fan-out | the server looks for new records *once per second*, hence your half second | sent at once: about 70 ms, with one consumer or five |
# | polling | half of the time between two calls | about 200 ms with one consumer, about 1,000 ms with five |
# | MB per second | not limited | 1 in and 2 out for each shard; 2 more for each fan-out consumer |
#
# Amazon's numbers are from its
# [developer guide](https://docs.aws.amazon.com/streams/latest/dev/enhanced-consumers.html). By these numbers, **one
# or two consumers that accept a second of latency use polling. More consumers, or urgent ones, pay for fan-out.**

# %% [markdown]
# ## Resharding: a shard comes to its end
#
# When the warehouse grows, a shard is *split*. Kinesis writes nothing more to it, and two child shards continue, each
# with half of the hashes. The records in the old shard stay readable until their retention ends: 24 hours, unless you
# set more.

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
# There is no `NextShardIterator`: that is how Kinesis marks the end of a closed shard. A consumer reads the shard to
# its end, and then its children from *their* beginning (`TRIM_HORIZON`). If it reads the children first, the parcels
# of one shelf come in the wrong order.
#
# In a source of your own, the offset is the last sequence number of each shard:
# `{"shardId-000000000000": "4968…", …}`. A micro-batch has, for each shard, the records **after** the number of the
# previous micro-batch, **up to and including** the number of this one. Reading such a range sounds like a loop of
# three lines. In a month of production it meets all of these:
#
# - an answer with more records than the range has;
# - an **empty answer although more records follow**, because Kinesis searches only a part of the shard for each call;
# - `ProvisionedThroughputExceededException`: other consumers have made the five calls of this second;
# - `ExpiredIteratorException`: the iterator is older than five minutes, because the micro-batch was busy elsewhere;
# - a closed shard, which has an end;
# - a shard without new records.

# %% [markdown]
# ## Exercise 15.4: Read a Kinesis shard, nothing lost, nothing twice
#
# A micro-batch must contain exactly the records between two sequence numbers. Write
# `read_shard(kinesis, stream, shard, after, until)`.
#
# **Input**
# - `kinesis`: a client as above; `stream` and `shard`: names.
# - `after`: a sequence number as a string, or None for the beginning of the shard.
# - `until`: a sequence number as a string, or None.
#
# **Output** · the records as `get_records` returns them, in their order, as a list or with `yield`.
#
# **Rules**
# 1. Return the records after `after` up to and including `until`. Later records belong to the next micro-batch.
# 2. A closed shard ends where an answer has no `NextShardIterator`. If `until` is None, the shard is closed: return
#    all its remaining records. If `until` is a number, the shard may be closed, too.
# 3. If `until` equals `after`, return nothing, whether or not later records exist.
# 4. Compare sequence numbers as integers: their number of digits may differ.
# 5. After an empty answer, continue.
# 6. After `ProvisionedThroughputExceededException`, wait with `time.sleep` for at least 0.01 seconds and call again,
#    as often as needed.
# 7. After `ExpiredIteratorException`, get a new iterator and continue after the last record that you returned.
#
# **You can assume** · `until` is not below `after`. Only `get_records` is refused here; Amazon can also refuse
# `get_shard_iterator`.
#
# **Checked** · the records, and an end without an error, for each of 15 readings of a real server.

# %% [markdown]
# The check makes a real server return few records, refuse calls and expire iterators. You can do that too, in the cell
# after your function. Its shard has six records, and the cell requests those after the second up to the fifth. The
# first answer holds one record, the second call is refused, and the third answer is empty.


# %% nbgrader={"grade": false, "grade_id": "read_shard", "locked": false, "solution": true}
def read_shard(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[dict]:
    """The records of a shard after sequence number `after`, up to and including `until`."""
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
# With `read_shard` the source is quickly written. One method is hard: `latestOffset`. Kinesis does not return the
# newest sequence number of a shard. You have to read on until an answer is 0 ms behind the latest record, so you read
# everything twice. Commercial connectors read ahead into storage of their own, and offer Spark what they have stored.
# The code below is short, and right for a server without other consumers. On Amazon, `newest` needs the retries of
# `read_shard`.


# %%
def newest(kinesis: Any, stream: str, shard: str, after: str | None) -> str | None:
    """The sequence number of the last record that a shard has now."""
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
# If the parent held a shelf's parcels in the first micro-batch, one of its children holds them in the second. The
# stream's other shard was not split. These were two starts. In one long micro-batch, this source could
# mix the order of a shelf's parcels. To prevent that, read the children only if `start` is at the end of their
# parent.

# %% [markdown]
# ## Kafka over TLS
#
# The Kafka of the new shop speaks **TLS** and nothing else. TLS does two things: it encrypts the connection, and it
# proves who the broker is. The proof is a certificate. It names the host that it is for, and it is signed by a
# **certificate authority**. The client must trust this authority, and the certificate must name the host that the
# client called. Then the client knows the broker.
#
# Here is such a broker, with an authority that was created a moment ago. No client but yours trusts it:

# %%
door = servers.enter_context(tls_broker())
trusting = {"security_protocol": "SSL", "ssl_cafile": str(door.authority)}
producer = KafkaProducer(bootstrap_servers=door.bootstrap_servers, **trusting)
for product in ("tea", "jam", "rice"):
    producer.send("orders", product.encode())
producer.close()
print(Path(door.authority).read_text())

# %% [markdown]
# That was `kafka-python`, which was given the authority. Now Spark: first without TLS, then with TLS but without an
# authority to trust. Both have a timeout of three seconds:


# %%
def first_words(**options: str) -> None:
    """Read the orders, or print the innermost cause of Spark's error."""
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
# Remember the first error: **"Timed out waiting for a node assignment" says nothing about TLS**. The client spoke
# plain text, and the broker closed the connection silently. That repeated until the timeout, by default one minute.
# If the port of a broker is open and the Kafka client times out, check TLS. The second error means: Java does not
# know the authority that signed this certificate.
#
# Kafka's names for the settings are these. Spark passes options to the Kafka client if they begin with `kafka.`:
#
# | setting | meaning |
# | --- | --- |
# | `security.protocol` | how to speak to the broker; in these settings TLS has its old name, `SSL` |
# | `ssl.truststore.type`, `ssl.truststore.location` | the *trust store*: whom the client trusts |
# | `ssl.keystore.type`, `ssl.keystore.location` | the *key store*: who the client is |
# | `ssl.endpoint.identification.algorithm` | the check of the host name: `https` by default, and an empty string switches it off |
#
# The default type of a store is JKS, an old format of Java. `PEM` is a readable file with certificates, such as the
# one above; as a key store it has the private key, too. The driver *and each worker* open these files, so on a cluster
# every machine needs them at the same path.

# %% [markdown]
# ## Exercise 15.5: Connect Spark to Kafka over TLS
#
# A client must reach the right brokers, and speak to no other server. Write `secured(servers, authority, own)`.
#
# **Input**
# - `servers`: the address of the broker.
# - `authority`: the path of a PEM file with the certificate of the trusted authority.
# - `own`: the path of a PEM file with the client's own private key and certificate, or None.
#
# **Output** · a dict: the options of Spark's Kafka reader, all except the topic.
#
# **Rules**
# 1. The client calls the broker at `servers`.
# 2. The client speaks TLS, and never plain text.
# 3. The client trusts servers whose certificate `authority` has signed, and no others.
# 4. The client checks the host name: it does not speak to a server with a certificate for another host.
# 5. If `own` is a path, the client shows this certificate to a broker that requires one (mutual TLS).
# 6. If `own` is None, the options work without a certificate of the client.
#
# **Checked** · what Spark's Kafka client does at four servers:
# - `ours`, and `mutual`, which requires a certificate of the client;
# - `impostor`, signed by another authority, and `other name`, signed by ours for another host. With these two the
#   client must not speak.

# %% [markdown]
# You can call the check yourself. The cell after your function does that, for the impostor: `host` is the host in
# `servers`, and with `own=False` your function gets None for `own`.


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
# And now a stream over TLS:

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
# For a whole notebook, these options are tedious. A properties file with the same settings, named in
# `GRADER_KAFKA_CONF`, adds them to every `.format("kafka")` of this course
# ([docs/cluster.md](../../docs/cluster.md)).
#
# ## Recap of part B: the facts
#
# - With polling, all consumers of a shard share five calls per second. With enhanced fan-out each has its own 2 MB
#   per second, and its own bill.
# - A Kinesis shard ends where `NextShardIterator` is missing, not at an empty answer.
# - A split ends a shard. Read a parent before its children, or the records of a key come in the wrong order.
# - Sequence numbers grow with gaps. Compare them as integers.
# - A TLS client needs a trust store, and must check the host name. With mutual TLS it needs a key store, too.
# - Plain text to a TLS broker ends in a timeout that says nothing about TLS.
#
# | source | position | replay | when it may delete |
# | --- | --- | --- | --- |
# | Kafka | offset per partition | yes, within the retention | by retention |
# | Kinesis | sequence number per shard | yes, within the retention | by retention |
# | Pub/Sub | none: use a journal | from the journal only | after the acknowledgment |

# %% [markdown]
# ## What you can now do after part B
#
# - read a Kinesis shard to its end, by polling or by enhanced fan-out, and say which one is worth its price;
# - continue with the children of a shard that was split;
# - give a Kafka client the certificates that it needs, and recognize the errors if they are missing.
#
# ## Read more
#
# - [Python data source API](https://spark.apache.org/docs/latest/api/python/tutorial/sql/python_data_source.html) (Spark)
# - [Kafka integration guide](https://spark.apache.org/docs/latest/streaming/structured-streaming-kafka-integration.html) (Spark)
# - [Security: encryption and authentication using SSL](https://kafka.apache.org/documentation/#security_ssl) (Kafka)
# - [Enhanced fan-out consumers](https://docs.aws.amazon.com/streams/latest/dev/enhanced-consumers.html) (Amazon Kinesis)
# - [Exactly-once delivery](https://cloud.google.com/pubsub/docs/exactly-once-delivery) (Google Pub/Sub)

# %%
grader.progress()

# %% [markdown]
# Next: **16 Capstone**, where you use all of it.
