# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 01 Stateless processing
#
# On Monday the shop's click stream worked. On Tuesday a phone sent half a record and the job
# died. On Wednesday a sale began and one batch took twenty minutes. On Thursday the job was
# restarted and some customers were charged twice.
#
# Nothing of this needs memory of earlier rows. All of it is *stateless* work, the kind where each
# row (or each batch) is dealt with by itself: parsing, routing, enriching, writing. It is most of
# what streams do all day, and its trouble comes from the two ends, the source and the sink.
#
# In this lesson you
#
# - read from and write to Kafka with care: keys, offsets, partitions, how much at a time,
# - send what cannot be read to a *dead-letter topic* and lose nothing,
# - use `foreachBatch`, and let *adaptive execution* replan a lopsided join in it,
# - decode records that are Protobuf and not JSON,
# - make a sink write once, although batches may run twice.
#
# Plan 60 minutes. There are five exercises; each stands for itself, so take a break when you
# like.

# %% tags=["given"]
from collections.abc import Iterable, Iterator

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

import grader

CLICK = "event_id STRING, user_id STRING, page STRING, ms_on_page INT, event_time TIMESTAMP"

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## The source, looked at closely
#
# Here is the morning's click stream, broken records and all, in a topic with two partitions.

# %%
morning = kafka.create_topic("morning", partitions=2)
kafka.send(morning, [click for click in grader.events("page_clicks") if click is not None])


def read(topic: str, **options) -> DataFrame:
    """The records of a topic as a stream, from its beginning."""
    source = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("kafka.fetch.max.wait.ms", 10)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
    )
    return source.options(**options).load()


read(morning).printSchema()

# %% [markdown]
# A record has a binary `key` and `value`, and coordinates: `topic`, `partition`, `offset`. Order
# is kept within a partition only. Records with the same key go to the same partition, and that is
# how the clicks of one user stay in order.
#
# Two partitions give two tasks: Spark reads each partition with a task of its own. If you have
# eight cores, six are idle. `minPartitions` asks Spark to cut the offset ranges finer, so that
# more tasks share the reading. It changes nothing in Kafka.
#
# How many tasks will each of these three batches have? Guess before you run.

# %%
def tasks_of_a_batch(stream: DataFrame) -> int:
    """Into how many tasks the first micro-batch of a stream is cut."""
    seen = []
    query = (
        stream.writeStream.foreachBatch(lambda batch, _: seen.append(batch.rdd.getNumPartitions()))
        .option("checkpointLocation", grader.fresh_checkpoint())
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return seen[0]


{
    "as it is": tasks_of_a_batch(read(morning)),
    "minPartitions=8": tasks_of_a_batch(read(morning, minPartitions=8)),
    "minPartitions=1": tasks_of_a_batch(read(morning, minPartitions=1)),
}

# %% [markdown]
# Eight asked for gives about eight (ranges are cut in proportion to their length), and one asked
# for still gives two: it is a *minimum*, and one task never reads two Kafka partitions.
#
# ## What from_json does to a record that it cannot read
#
# Now the values. Some are no JSON, some lack a field, one has "yesterday" for a time. Let us see
# what becomes of them. (Our little sink in memory is called `looked_at`.)

# %%
def show(stream: DataFrame, name: str = "looked_at"):
    """Run a stream over all that is there and show its rows as a table."""
    query = stream.writeStream.format("memory").queryName(name).trigger(availableNow=True).start()
    query.awaitTermination()
    return spark.table(name).toPandas()


# %% tags=["example"]
def broken_clicks(records: DataFrame) -> DataFrame:
    """The records that lack something after from_json: what it made of them, and their text."""
    text = F.col("value").cast("string")
    parsed = records.select(text.alias("text"), F.from_json(text, CLICK).alias("click"))
    broken = "click.event_id IS NULL OR click.page IS NULL OR click.event_time IS NULL"
    is_null = F.col("click").isNull().alias("click_is_null")
    return parsed.filter(broken).select(
        "click.event_id", "click.page", "click.event_time", "text", is_null
    )


# %%
show(broken_clicks(read(morning)))

# %% [markdown]
# No exception, no lost row: `from_json` fills in nulls for whatever it cannot read. Look at the
# last column, though. Even for an HTML page the *struct* is not null; only its fields are. A
# pipeline that asks "is the click null?" believes everything.
#
# Twelve of these records again, in three steps: a dot is a record whose time could be read, a row on
# the right one that lacks something. Look for rows without a dot: on a time axis such records do not
# exist, and yet none of them was lost.
#
# ![Twelve records in three steps: nine are dots on the axis of event time, three have no time that could be read, and on the right come out four rows with nulls, one in step 1, two in step 2 and one in step 3.](01.0.svg)
#
# What should become of such records? To stop is bad: the record stays in the topic, and every
# restart stops at it again. To drop them is worse, because nobody notices. The usual answer is a
# **dead-letter topic**: what cannot be read goes there unchanged, somebody is told, and after the
# bug is mended it can be sent once more.
#
# ## Exercise 01.1: parse and route, with nothing lost
#
# Write `route_clicks`. It takes the raw records (`key`, `value` and the rest) and returns a
# **writer** that is not started yet. Every record goes to exactly one topic, with its key and
# value *exactly as they came*:
#
# - to `kafka.topic("valid")` if it is a click: `event_id`, `page` and `event_time` can be read, and the
#   page begins with a `/`;
# - to `kafka.topic("dead")` otherwise. A record without a value counts as such a one, too.
#
# The Kafka sink takes columns named `key`, `value` and, if you do not set the option of that
# name, `topic`: a row may say itself where it goes. Return what
# `.writeStream.format("kafka").option(…)` gives; the check adds the checkpoint and the trigger.
# It will also kill your query between the write and the commit, and start it again.

# %%
grader.predict("01.1")

# %% nbgrader={"grade": false, "grade_id": "route_clicks", "locked": false, "solution": true}
def route_clicks(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Every record of `clicks` to the topic valid or dead, key and value as they came."""
    ### BEGIN SOLUTION
    click = F.from_json(F.col("value").cast("string"), CLICK)
    good = (
        click["event_id"].isNotNull()
        & click["event_time"].isNotNull()
        & click["page"].startswith("/")
    )
    # where `good` is null (no page), when() takes the otherwise branch: nothing falls through
    topic = F.when(good, kafka.topic("valid")).otherwise(kafka.topic("dead"))
    return (
        clicks.select("key", "value", topic.alias("topic"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-route_clicks", "locked": true, "points": 3, "solution": false}
grader.check("01.1", route_clicks)

# %% [markdown]
# ## Triggers, and how much a batch may take
#
# A **trigger** says when the next micro-batch starts:
#
# | trigger | starts a batch | for |
# | --- | --- | --- |
# | none given | as soon as the last one is done | low latency |
# | `processingTime="10 seconds"` | every 10 seconds, if there is something | fewer, larger batches; steady load |
# | `availableNow=True` | until what was there at the start is done, then stops | a job that runs once an hour; this course |
#
# None of them says how *much* a batch takes. By default it is everything there is. On a quiet day
# that is a handful. After a night in which the job was down, it is the whole night in one batch:
# the memory may not suffice, and if it fails after an hour, the hour begins anew.
#
# `maxOffsetsPerTrigger` on the Kafka source limits it. The rest waits, in Kafka, where it is
# safe. Watch it with the morning's clicks:

# %%
def sizes(stream: DataFrame) -> list[int]:
    """How many records each micro-batch takes."""
    query = (
        stream.writeStream.format("noop")
        .option("checkpointLocation", grader.fresh_checkpoint())
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return [p.numInputRows for p in query.recentProgress if p.numInputRows]


sizes(read(morning)), sizes(read(morning, maxOffsetsPerTrigger=15))

# %% [markdown]
# The limit is for the whole batch, and Spark shares it out among the partitions in proportion to
# what waits in each (rounded down, therefore a batch may be a little smaller).
#
# One more thing about the source, and it bites everybody once: `startingOffsets` counts only when
# a query has *no checkpoint yet*, and on a stream its default is `latest`. What was in the topic
# before the first start is skipped without a word.
#
# ## Exercise 01.2: take a spike in small bites
#
# The sale begins. Write `read_gently`, which builds the source itself: it gets a session and
# `kafka`, reads `kafka.topic("clicks")` **from its beginning**, takes **at most 10 records** a
# micro-batch (and not needlessly few), and returns a streaming DataFrame with `event_id` and
# `page`.

# %%
grader.predict("01.2")

# %% nbgrader={"grade": false, "grade_id": "read_gently", "locked": false, "solution": true}
def read_gently(spark: SparkSession, kafka) -> DataFrame:
    """The clicks from their beginning, at most 10 records a micro-batch: event_id, page."""
    ### BEGIN SOLUTION
    records = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("clicks"))
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", 10)
        .option("kafka.fetch.max.wait.ms", 10)
        .load()
    )
    click = F.from_json(F.col("value").cast("string"), CLICK)
    return records.select(click.alias("click")).select("click.event_id", "click.page")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-read_gently", "locked": true, "points": 3, "solution": false}
grader.check("01.2", read_gently)

# %% [markdown]
# ## foreachBatch: each batch as an ordinary table
#
# Some sinks have no streaming writer, some work needs two writes, some joins are heavy.
# `foreachBatch` calls a function of yours with every micro-batch as an ordinary DataFrame, and
# with the batch's number. Within it you may do all that tables can do: count, sort, write twice.

# %%
def look(batch: DataFrame, batch_id: int) -> None:
    """Which page is the most popular in this batch?"""
    top = batch.groupBy("page").count().orderBy(F.desc("count"), "page").first()
    print(f"batch {batch_id}: {batch.count()} rows, the page most seen is {top.page} ({top['count']})")


value = F.from_json(F.col("value").cast("string"), CLICK).alias("value")
clicks = read(morning, maxOffsetsPerTrigger=15).select(value).select("value.*")
query = (
    clicks.filter("page IS NOT NULL")
    .writeStream.foreachBatch(look)
    .option("checkpointLocation", grader.fresh_checkpoint())
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()

# %% [markdown]
# ### A hot page
#
# When a sale is on, four of five clicks are on `/sale`. Join the clicks with another table by
# page, and Spark *shuffles*: rows with the same page go to the same task. One task gets four
# fifths of the work while the others wait for it. That is *skew*, and no number of machines
# helps, because one page cannot be in two places.
#
# Or can it? **Adaptive execution** looks at the real sizes after the shuffle, before the join. If
# a partition is far larger than the others it is cut into pieces, the other side's matching rows
# go along with each piece, and the join is made piece by piece. In the plan this reads
# `SortMergeJoin(skew=true)`. And since each micro-batch of `foreachBatch` is planned by itself,
# it is found out for each batch anew: on a quiet day nothing is split.
#
# You may find advice that adaptive execution and streams do not go together. It is out of date:
# Spark switches it off only where a query keeps state.
#
# ## Exercise 01.3: a lopsided join that Spark replans
#
# Each page has somebody who looks after it. Write `add_owners`: a writer with `foreachBatch` that
# joins each batch with `page_owners(spark)` and delivers every click, with just `event_id`, `page` and
# `owner`, to the topic `owned` (use `deliver` below). A click on a page without an owner gets
# `"nobody"`.
#
# Adaptive execution is switched off in the session that you get; long ago somebody followed the
# old advice. Take the owners for a table far too large to be sent to every task. (What counts as
# a *large* partition is set to 300 bytes here, otherwise it would take more clicks than you would
# want to wait for.)
#
# The check wants the right rows, and it reads the plans.

# %% tags=["given"]
OWNERS = {
    "/sale": "ann",
    "/fruit/apple": "bob",
    "/fruit/mango": "bob",
    "/fruit/orange": "cem",
    "/cart": "dua",
    "/checkout": "dua",
}


def page_owners(spark: SparkSession) -> DataFrame:
    """Who looks after which page: page, owner."""
    return spark.createDataFrame(list(OWNERS.items()), "page STRING, owner STRING")


def deliver(rows: DataFrame, kafka, topic: str) -> None:
    """Write a batch's rows to one of the exercise's topics, each as a JSON object."""
    value = F.to_json(F.struct("*")).alias("value")
    sink = rows.select(value).write.format("kafka").mode("append")
    sink = sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    sink.option("topic", kafka.topic(topic)).save()


# %%
grader.predict("01.3")

# %% nbgrader={"grade": false, "grade_id": "add_owners", "locked": false, "solution": true}
def add_owners(clicks: DataFrame, spark: SparkSession, kafka) -> DataStreamWriter:
    """Each click with its page's owner (or "nobody") to the topic owned: event_id, page, owner."""
    ### BEGIN SOLUTION
    spark.conf.set("spark.sql.adaptive.enabled", True)
    owners = page_owners(spark)

    def write(batch: DataFrame, batch_id: int) -> None:
        joined = batch.join(owners, "page", "left")
        owner = F.coalesce("owner", F.lit("nobody")).alias("owner")
        deliver(joined.select("event_id", "page", owner), kafka, "owned")

    return clicks.writeStream.foreachBatch(write)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-add_owners", "locked": true, "points": 4, "solution": false}
grader.check("01.3", add_owners)

# %% [markdown]
# ## When it is not JSON: Protobuf
#
# The shop's new app does not send JSON. It sends *Protocol Buffers*: bytes without field names, a
# third of the size, made and read by code that both sides have from one description.
#
# ```proto
# syntax = "proto3";
# package shop;
#
# message Click {
#   string          event_id   = 1;
#   optional string user_id    = 2;   // not set: a guest
#   string          page       = 3;
#   optional int32  ms_on_page = 4;   // not set: unknown
#   int64           event_ms   = 5;   // milliseconds since 1970
# }
# ```
#
# In a project, `protoc` makes a Python class of this file. To keep this notebook free of tools,
# `click_message()` makes the same class in place.

# %% tags=["given"]
def click_message():
    """The class of the message shop.Click. A project has it from protoc; here it is made in place."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    kind = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="click.proto", package="shop", syntax="proto3")
    click = file.message_type.add(name="Click")
    for number, (name, type_, optional) in enumerate(
        [
            ("event_id", kind.TYPE_STRING, False),
            ("user_id", kind.TYPE_STRING, True),
            ("page", kind.TYPE_STRING, False),
            ("ms_on_page", kind.TYPE_INT32, True),
            ("event_ms", kind.TYPE_INT64, False),
        ],
        start=1,
    ):
        field = click.field.add(name=name, number=number, type=type_, label=kind.LABEL_OPTIONAL)
        if optional:
            field.proto3_optional = True
            field.oneof_index = len(click.oneof_decl)
            click.oneof_decl.add(name=f"_{name}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Click"))


# %% [markdown]
# **Out** first: a click as bytes, and what the bytes give when they are read again. Look at the
# two last lines with care. What does an unset field read as, and what do no bytes at all decode
# to?

# %%
Click = click_message()
sent = Click(event_id="c1", page="/cart", event_ms=1_772_366_400_000).SerializeToString()
back = Click.FromString(sent)
print(len(sent), "bytes:", sent)
print("event_id", repr(back.event_id), "· page", repr(back.page))
print("ms_on_page", repr(back.ms_on_page), "· was it set?", back.HasField("ms_on_page"))
print("no bytes:", repr(Click.FromString(b"").event_id))

# %% [markdown]
# On a stream, Python code that works on whole tables is run by `mapInPandas`: Spark hands your
# function an iterator of pandas tables in a Python worker, and takes the tables that you yield.
# Make the class *inside* the function; it cannot travel from here to the worker. This query turns
# the JSON clicks of the morning into Protobuf:

# %%
def encode(tables: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """event_id, page → value (a Click as bytes)."""
    message = click_message()
    for table in tables:
        rows = zip(table["event_id"], table["page"], strict=True)
        values = [message(event_id=i, page=p).SerializeToString() for i, p in rows]
        yield pd.DataFrame({"value": values})


as_protobuf = kafka.create_topic("as_protobuf")
query = (
    clicks.filter("event_id IS NOT NULL AND page IS NOT NULL")
    .select("event_id", "page")
    .mapInPandas(encode, "value BINARY")
    .writeStream.format("kafka")
    .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    .option("topic", as_protobuf)
    .option("checkpointLocation", grader.fresh_checkpoint())
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()
[record.value for record in kafka.records(as_protobuf)[:2]]

# %% [markdown]
# Spark has two functions of its own for this, `from_protobuf` and `to_protobuf`. They are faster,
# as nothing leaves Java, and come in a jar of their own (`org.apache.spark:spark-protobuf_2.13`),
# which this lab does not have by default. They take the description as bytes, in the form that
# `protoc --descriptor_set_out` writes:

# %%
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from pyspark.errors import AnalysisException
from pyspark.sql.protobuf.functions import from_protobuf

description = FileDescriptorProto()
Click.DESCRIPTOR.file.CopyToProto(description)
described = FileDescriptorSet(file=[description]).SerializeToString()
try:
    click = from_protobuf("value", "shop.Click", binaryDescriptorSet=described)
    print(show(read(as_protobuf).select(click.alias("click")).select("click.*"), "from_protobuf").head(3))
except AnalysisException as error:
    print("This Spark has no protobuf jar:", error.getCondition())

# %% [markdown]
# ## Exercise 01.4: decode Protobuf
#
# Write `decode_clicks`. It takes the raw records, and returns **one row a record** with
# `event_id`, `user_id`, `page`, `ms_on_page`, `event_time` (a timestamp) and `broken`.
#
# - An optional field that was not set is null. (A click of 0 ms is not the same as one of unknown length.)
# - Bytes that are no Click, and a Click without an `event_id`, give a row in which `broken` is true
#   and everything else null.
# - For all others `broken` is false.
#
# `F.timestamp_millis("event_ms")` makes a timestamp of milliseconds. If pandas turns your
# integers with gaps into floats, build the table with `dtype=object`.

# %%
grader.predict("01.4")

# %% nbgrader={"grade": false, "grade_id": "decode_clicks", "locked": false, "solution": true}
def decode_clicks(clicks: DataFrame) -> DataFrame:
    """One row a record: event_id, user_id, page, ms_on_page, event_time, broken."""

    ### BEGIN SOLUTION
    def row(message, value: bytes) -> tuple:
        from google.protobuf.message import DecodeError

        try:
            click = message.FromString(value)
        except DecodeError:
            click = message()
        if not click.event_id:
            return (None, None, None, None, None, True)
        user = click.user_id if click.HasField("user_id") else None
        ms = click.ms_on_page if click.HasField("ms_on_page") else None
        return (click.event_id, user, click.page, ms, click.event_ms, False)

    def decode(tables: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        message = click_message()
        names = ["event_id", "user_id", "page", "ms_on_page", "event_ms", "broken"]
        for table in tables:
            rows = [row(message, value) for value in table["value"]]
            yield pd.DataFrame(rows, columns=names, dtype=object)

    texts = "event_id STRING, user_id STRING, page STRING"
    decoded = clicks.mapInPandas(decode, f"{texts}, ms_on_page INT, event_ms BIGINT, broken BOOLEAN")
    time = F.timestamp_millis("event_ms").alias("event_time")
    return decoded.select("event_id", "user_id", "page", "ms_on_page", time, "broken")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-decode_clicks", "locked": true, "points": 3, "solution": false}
grader.check("01.4", decode_clicks)

# %% [markdown]
# ## At least once, exactly once
#
# What happens if the process dies? Spark does three things for each micro-batch, in this order:
#
# 1. it writes into the checkpoint which offsets the batch will read (the *offset log*),
# 2. it runs the batch, and the sink writes,
# 3. it writes into the checkpoint that the batch is done (the *commit log*).
#
# If it dies between 2 and 3, the rows are written and nobody knows. The next process finds an
# offset entry without a commit, and runs **the same batch again, with the same offsets and the
# same number**. Nothing is lost, which is good. What the sink wrote, it writes again. That is
# called *at least once*, and it is what the Kafka sink gives you.
#
# A sink is *exactly once* if a second write of the same batch changes nothing. There are two ways
# to get there:
#
# - **replace**: the write has a name that is always the same (a file or a table partition called after the `batch_id`, a row under
#   its key in a database). Writing it twice leaves one.
# - **ask first**: the sink knows what was written, and the job looks before it writes.
#
# A Kafka topic only grows, so nothing can be replaced there. Let us see it happen: we play the
# process that dies by taking the commit away.

# %%
from pathlib import Path

till, charges = kafka.create_topic("till"), kafka.create_topic("charges")
kafka.send(till, ["order 1", "order 2", "order 3"])
folder = grader.fresh_checkpoint()


def charge() -> list[str]:
    """Run the job over what is there, and read what stands in its topic."""
    query = (
        read(till)
        .selectExpr("CONCAT('charge ', CAST(value AS STRING)) AS value")
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", charges)
        .option("checkpointLocation", folder)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return kafka.read(charges)


before = charge()
for commit in Path(folder, "commits").iterdir():
    commit.unlink()  # the process died before it could commit
before, charge()

# %% [markdown]
# Everything was charged twice, and Spark did nothing wrong.
#
# ## Exercise 01.5: repair the job that charges twice
#
# Orders come in, and for each one a payment request goes to the topic `payments`. Tills send an
# order again when they are not sure, so an order may come twice, in one batch or in two. A
# colleague took care of that:
#
# ```python
# paid = set()
#
# def request_payments(orders, kafka):
#     def write(batch, batch_id):
#         new = batch.dropDuplicates(["order_id"]).filter(~F.col("order_id").isin(list(paid)))
#         send_payments(new, kafka)
#         paid.update(row.order_id for row in new.collect())
#     return orders.writeStream.foreachBatch(write)
# ```
#
# It ran for weeks. Then the machine was rebooted in the middle of a batch, and 312 customers paid
# twice.
#
# Repair it: **for every `order_id` exactly one record in `payments`**, however often the order
# comes, and also if the job is killed after a write and started again. `send_payments` (below)
# writes them as they should be: the key is the order's id.
#
# Which memory survives the process, *and* knows whether the write has happened? Within `write`,
# `batch.sparkSession.read.format("kafka")` reads a topic as a table.

# %% tags=["given"]
def send_payments(orders: DataFrame, kafka) -> None:
    """Write a payment request for each row: the key is order_id, the value JSON."""
    value = F.to_json(F.struct("order_id", "amount_cents")).alias("value")
    sink = orders.select(F.col("order_id").alias("key"), value).write.format("kafka").mode("append")
    sink = sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    sink.option("topic", kafka.topic("payments")).save()


# %%
grader.predict("01.5")

# %% nbgrader={"grade": false, "grade_id": "request_payments", "locked": false, "solution": true}
def request_payments(orders: DataFrame, kafka) -> DataStreamWriter:
    """One payment request an order_id, once and only once, over restarts too."""

    ### BEGIN SOLUTION
    def write(batch: DataFrame, batch_id: int) -> None:
        written = (
            batch.sparkSession.read.format("kafka")
            .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
            .option("subscribe", kafka.topic("payments"))
            .load()
            .select(F.col("key").cast("string").alias("order_id"))
        )
        new = batch.dropDuplicates(["order_id"]).join(written, "order_id", "left_anti")
        send_payments(new, kafka)

    return orders.writeStream.foreachBatch(write)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-request_payments", "locked": true, "points": 4, "solution": false}
grader.check("01.5", request_payments)

# %% [markdown]
# To read the whole topic for every batch is fine for a lesson. A real job would ask a database
# that has the order's id as its key, or keep the reading short with `startingOffsets`. The idea
# is the same: *the sink is the only one who knows*.
#
# ## What you can now do
#
# - read a Kafka topic from where you want, with as many tasks and in as small bites as you want;
# - keep what cannot be read, in a dead-letter topic, with its key;
# - choose a trigger;
# - use `foreachBatch`, and read in a plan whether adaptive execution split a hot partition;
# - decode and encode Protobuf on a stream without stopping at garbage;
# - say what "at least once" means, to the order of the two logs, and build a sink that writes once.

# %%
grader.progress()

# %% [markdown]
# Next: **02 Stateful processing**. What if a row cannot be dealt with without knowing the rows
# before it?
