# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 15 · Connectors

# %% tags=["given"]
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grader
import numpy as np
import pandas as pd
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit

from grader.connectors.client_trial import at_a_server
from grader.connectors.kinesis import (
    Kinesis,
    kinesis_server,
    make_stream,
    register_consumer,
    wait_until_active,
)
from grader.connectors.race import latencies
from grader.connectors.shard_trial import on_a_shard
from grader.connectors.tls import tls_broker

# %% tags=["start"]
spark, kafka = grader.start()


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
        """Id and product of the orders from `first` up to `end`, without `end` itself."""
        tp = TopicPartition(self.topic, int(partition))
        with self._client() as client:
            end = min(end, client.end_offsets([tp])[tp])
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


# %% tags=["given"]
@dataclass
class Piece(InputPartition):
    """A piece of work: the orders of a partition from `first` up to `end`."""

    partition: str
    first: int
    end: int


def orders_by(reader: type, spark: SparkSession, kafka: Any) -> DataFrame:
    """The stream of the topic "orders" that a reader's class reads."""

    class OrdersLog(DataSource):
        @classmethod
        def name(cls) -> str:
            return "orders_log"

        def schema(self) -> str:
            return "id STRING, product STRING"

        def streamReader(self, schema: Any) -> DataSourceStreamReader:
            return reader(self.options)

    spark.dataSource.register(OrdersLog)
    options = {"servers": kafka.bootstrap_servers, "topic": kafka.topic("orders")}
    return spark.readStream.format("orders_log").options(**options).load()


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
# ![Orders](15.0.svg)


# %%
def run(stream: DataFrame, checkpoint: str) -> None:
    """Run a query over what is there now, and print what each batch brings."""

    def tell(batch: DataFrame, number: int) -> None:
        print(f"  batch {number}:", sorted(row[0] for row in batch.collect()))

    query = (
        stream.writeStream.foreachBatch(tell)
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()


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
# | offset, 0, 1, 2, … | **sequence number**, 56 digits | it grows, with gaps: nobody can count how many lie between two |
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
# **A question first:** five may ask a shard 5 times a second in all. How old is a record, on average, when a
# consumer gets it, if there is one consumer? If there are six? And with fan-out?
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
# and a record waits half of that on average, longer where a call is refused. With fan-out the number of consumers does not matter, and neither do
# calls: one for each consumer.
#
# The server here is honest about the API, not about speed. What is Amazon's, and what is ours:
#
# | | here | Amazon |
# | --- | --- | --- |
# | 5 calls a second and shard | counted in our client: `kinesis-local` does not | counted by the service |
# | fan-out | the server looks for new records *once a second*, hence your half a second | sent as they come: about 70 ms, with one consumer or five |
# | shared | a call takes a few ms | about 200 ms with one consumer, about 1,000 ms with five |
# | megabytes a second | nobody counts them | 1 in, 2 out, for each shard; for each fan-out consumer 2 more |
#
# Amazon's figures are those of its guide for developers. So, with Amazon's: **one or two consumers that may be a second late read shared.
# More of them, or those in a hurry, pay for fan-out.**
#
# ## A shard comes to its end
#
# When the warehouse grows, a shard is *split*: nothing more is written to it, and two children take over, each with half
# of the hashes. What it holds stays readable.

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
# - `ProvisionedThroughputExceededException`: others have made the five calls of this second. Wait a little;
# - `ExpiredIteratorException`: the iterator is older than five minutes, as the batch was busy elsewhere;
# - a shard that is closed. Then `until` is `None`, and all that is left of it is meant;
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
# The second batch comes from the children, the first from their parent. They were two starts. In one long batch the order
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
# Write `secured`: **the options of Spark's Kafka reader** for a broker with TLS, all but the topic. Java's stores of certificates
# have the type JKS; Kafka also takes text files, type `PEM`, such as the one above. It is called with
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
# into every reader and writer of this course ([docs/cluster.md](../../docs/cluster.md)).
