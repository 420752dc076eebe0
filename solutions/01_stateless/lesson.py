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
# # 01 · Stateless processing
#
# On Monday the shop's click stream worked. On Tuesday a phone sent half a record and the job
# died. On Wednesday a sale began and one batch took twenty minutes. On Thursday the job was
# restarted and some customers were charged twice.
#
# For none of this Spark needs to remember earlier rows. It is *stateless* work, where each row (or
# each batch) is dealt with by itself: parsing, routing, enriching, writing. Its trouble comes from
# the two ends, the source and the sink. (And where the job has to know what was paid already, it asks the sink.) In
# this lesson you
#
# - see what a record's key is for, and what order a topic keeps,
# - send what cannot be read to a *dead-letter topic* and lose nothing,
# - see what a query writes down, and what happens if it is killed in between,
# - use `foreachBatch`, and make a sink write once although batches may run twice.
#
# Plan an hour and a half for that; there are two exercises. At the end stands *Going further*, with three more
# that no later lesson needs: a spike taken in small bites (20 minutes), a lopsided join that Spark
# replans, and records that are Protobuf and not JSON (half an hour each, or a little more). Come back for them when
# you like.

# %% tags=["given"]
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

import grader

CLICK = "event_id STRING, user_id STRING, page STRING, ms_on_page INT, event_time TIMESTAMP"

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## Keys and partitions
#
# A topic can be cut into **partitions**, lists that grow side by side. And a record may bring a
# **key**, which says whom or what it is about. Here is the morning's click stream in a topic with two
# partitions; the key is the user, and guests have none.

# %%
morning = kafka.create_topic("morning", partitions=2)
morning_clicks = [click for click in grader.events("page_clicks") if click is not None]
kafka.send(morning, morning_clicks, key="user_id")

placed = {(record.key, record.partition) for record in kafka.records(morning) if record.key}
sorted(placed)

# %% [markdown]
# Nobody stands there twice: records with the same key go to the same partition (as long as nobody adds partitions, and
# all who send choose alike). Order is kept
# within a partition and nowhere else, so the key is what keeps the clicks of one user in order.
# Records without a key go to any partition.
#
# To look at a stream in this lesson we need two helpers. (`show` writes a stream into memory and gives
# it back as a table; for lessons that is enough.)


# %%
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


def show(stream: DataFrame, name: str = "looked_at") -> pd.DataFrame:
    """Run a stream over all that is there and give back its rows as a table."""
    query = (
        stream.writeStream.format("memory")
        .queryName(name)
        .option("checkpointLocation", grader.fresh_checkpoint())
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return spark.table(name).toPandas()


# %% [markdown]
# ## What from_json does to a record that it cannot read
#
# Now the values. Some are no JSON, some lack a field, one has "yesterday" for a time. Let us see
# what becomes of them.


# %% tags=["example"]
def broken_clicks(records: DataFrame) -> DataFrame:
    """The records that lack something after from_json: what it made of them, and their text."""
    text = F.col("value").cast("string")
    parsed = records.select(text.alias("text"), F.from_json(text, CLICK).alias("click"))
    broken = "click.event_id IS NULL OR click.page IS NULL OR click.event_time IS NULL"
    is_null = F.col("click").isNull().alias("click_is_null")
    return parsed.filter(broken).select(
        "click.event_id", "click.page", "click.event_time", is_null, "text"
    )


# %%
show(broken_clicks(read(morning)))

# %% [markdown]
# No exception, no lost row: `from_json` fills in nulls for whatever it cannot read. But look at
# `click_is_null`: even for an HTML page the *struct* is not null; only its fields are. A pipeline
# that asks "is the click null?" believes everything.
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
# ## When the process dies
#
# Machines are rebooted in the middle of a batch. What does a query know when it starts again? Only
# what it has written into its checkpoint. For each micro-batch it does three things, in this order:
#
# ```text
#        1. offset log              2. the sink               3. commit log
#
#   ┌────────────────────┐    ┌────────────────────┐       ┌────────────────────┐
#   │ offsets/7          │    │ rows written       │       │ commits/7          │
#   │ "batch 7 reads     ├───▶│ to a topic         ├──╳───▶│ "batch 7 is done"  │
#   │  up to 150"        │    │                    │  ┊    │                    │
#   └────────────────────┘    └────────────────────┘  ┊    └────────────────────┘
#                                                     ┊
#                                            killed here: the rows are
#                                            written, and nobody knows
#
#   started again: offsets/7 is there, commits/7 is not
#                  → batch 7 runs again, with the same offsets and the same number
# ```
#
# Nothing is lost, which is good. But what the sink wrote, it writes again. That is called **at
# least once**, and it is what the Kafka sink gives you. The checks of some exercises kill your
# query at the ╳, *between the write and the commit*, and start it again.
#
# ## Exercise 01.1: parse and route, with nothing lost
#
# Write `route_clicks`. It takes the raw records (`key`, `value` and the rest) and returns a
# **writer** that is not started yet. Every record goes to exactly one topic, with its key and
# value *exactly as they came*:
#
# - to `kafka.topic("valid")` if it is a click: `event_id`, `page` and `event_time` can be read, and the
#   page begins with a `/` (what else it holds, and whether that can be read, does not matter). A time that can be read is
#   a date with a time of day as in ISO 8601, with a fraction of a second or without, with `Z` or an offset such as
#   `+01:00`. (No record has a date alone, a time of day alone, a time without offset or a number for it, nor an empty
#   `event_id`);
# - to `kafka.topic("dead")` otherwise. A record without a value (Kafka calls it a *tombstone*) counts
#   as such a one, too.
#
# `kafka.topic("valid")` gives the real name of a topic that was made for this run; no topic is called
# just `valid`. The Kafka sink looks at the columns `key`, `value` and, if you do not set the option of
# that name, `topic`: a row may say itself where it goes. (At `partition` and `headers`, too.) The records that you get
# have a `topic` and a `partition` already, those that they came from; so name what you pass on. Return what
# `.writeStream.format("kafka").option(…)` gives; the check adds the checkpoint and the trigger.
# It also kills your query once. Records may then arrive twice, as the sink is at least once. (Of a value that is
# JSON it compares the fields, and does not see blanks or the order of the fields.)

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
# ## Triggers, and where a query begins
#
# A **trigger** says when the next micro-batch starts:
#
# | trigger | starts a batch | for |
# | --- | --- | --- |
# | none given | as soon as the last one is done | low latency |
# | `processingTime="10 seconds"` | every 10 seconds, if there is something; at once, if the last one took longer | fewer, larger batches; steady load |
# | `availableNow=True` | one after the other, until what was there at the start is done; then the query stops | a job that runs once an hour; this course |
#
# One option bites everybody once: `startingOffsets` counts only when a query has *no checkpoint yet*, and
# on a stream its default is `latest`. What was in the topic before the first start is skipped without
# a word.
#
# ## foreachBatch: each batch as an ordinary table
#
# Some sinks have no streaming writer, some work needs two writes, some needs a look at what is
# already there. `foreachBatch` calls a function of yours with every micro-batch as an ordinary
# DataFrame, and with the batch's number. Within it you may do all that tables can do: count, sort,
# write twice. (`maxOffsetsPerTrigger` below keeps the batches small, so that there are several.)


# %%
def look(batch: DataFrame, batch_id: int) -> None:
    """Which page is the most popular in this batch?"""
    top = batch.groupBy("page").count().orderBy(F.desc("count"), "page").first()
    print(
        f"batch {batch_id}: {batch.count()} rows, the page most seen is {top.page} ({top['count']})"
    )


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
# 34 records were sent. **How many does the query say that it has read?**

# %%
[batch.numInputRows for batch in query.recentProgress]

# %% [markdown]
# Twice as many. Within `foreachBatch` a batch is a plan, as any table in Spark is, and whatever asks for its rows (`first`,
# `count`, a write) computes it anew, from Kafka on. `look` asks twice. Whoever does that keeps the batch in memory
# meanwhile:


# %%
def look_once(batch: DataFrame, batch_id: int) -> None:
    """The same look, with the batch computed once."""
    batch.persist()
    look(batch, batch_id)
    batch.unpersist()


query = (
    clicks.filter("page IS NOT NULL")
    .writeStream.foreachBatch(look_once)
    .option("checkpointLocation", grader.fresh_checkpoint())
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()
[batch.numInputRows for batch in query.recentProgress]

# %% [markdown]
# ## Exactly once
#
# Back to the kill. With the Kafka sink, let us see what "at least once" costs: we play the process
# that dies by taking the commit away.

# %%
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
# A sink is **exactly once** if a second write of the same batch changes nothing. There are two ways
# to get there:
#
# - **replace**: what is written has a name that is always the same: a file called after the
#   batch's number, a row under its key in a database. Writing it twice leaves one;
# - **ask first**: the sink knows what was written, and the job looks before it writes. (There must be one such job at
#   a time.)
#
# To a topic you can only append: a record that stands in it is not written over, neither by batch
# number nor by key. (Kafka can be told to keep just the newest record of each key, but it tidies up later, and
# whoever was quicker has read both.) So where each record *does* something, such as a payment, and the
# sink is a topic, only the second way is left. (Kafka has transactions, too; Spark's sink for Kafka does not use them.)
#
# ## Exercise 01.5: repair the job that charges twice
#
# (01.2 to 01.4 stand further down, in *Going further*.)
#
# Orders come in, and for each one a payment request goes to the topic `payments`. Tills send an
# order again when they are not sure, so an order may come twice, in one batch or in two: with another
# time perhaps, never with another amount. A colleague took care of that:
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
# comes, and also if the job is killed after a write and started again. In: `orders`, parsed, with `order_id` (a string),
# `amount_cents` and `order_time`. Out: a writer that is not started yet. `send_payments` (below)
# writes the requests as they should be: the key is the order's id.
#
# Which memory survives the process, *and* knows whether the write has happened? A Python variable
# does not survive. A file does, but it may say "paid" when the process died before the write, or
# nothing when it died just after. (The check kills your job when `write` is over, and not between two of its lines;
# machines do. It plays your job several times, each time with empty topics, and a file would still know the ids of
# the time before.) Within `write`,
# `batch.sparkSession.read.format("kafka")` reads a topic as a table: from its beginning to its present end, where nothing
# else is said. The `key` of its records is binary.


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
# - say which records of a topic stay in order, and where a query begins to read;
# - keep what cannot be read, in a dead-letter topic, with its key;
# - choose a trigger, and use `foreachBatch`;
# - say what "at least once" means, down to the order of the two logs, and build a sink that writes once.

# %%
grader.progress()

# %% [markdown]
# Next: **02 Stateful processing**. What if a row cannot be dealt with without knowing the rows
# before it? Go there now, or stay a little: what follows is not needed later. (On another day, first run the cells from the
# top again, as far as the one with `look`: what follows uses `morning`, `read`, `show` and `clicks`.)
#
# ---
#
# # Going further
#
# ## How much a batch takes, and who reads it
#
# Spark reads a topic with **tasks**; a task is the work that one core does at a time. How many are
# there for the morning's topic? Each row can say by which task it was read.


# %%
def read_by(stream: DataFrame) -> pd.DataFrame:
    """Which task of the first micro-batch read how many records of which Kafka partition."""
    rows = show(stream.select(F.spark_partition_id().alias("task"), "partition"))
    return rows.groupby(["task", "partition"]).size().reset_index(name="records")


read_by(read(morning))

# %% [markdown]
# One task for each Kafka partition; with eight cores, six would be idle. `minPartitions` asks Spark
# to cut the reading finer. How many tasks with 8? And with 1? Guess before you run.

# %%
pd.concat(
    {
        "minPartitions=8": read_by(read(morning, minPartitions=8)),
        "minPartitions=1": read_by(read(morning, minPartitions=1)),
    }
)

# %% [markdown]
# Eight asked for gives about eight (the pieces are cut in proportion). One asked for still gives
# two: it is a *minimum*, and one task never reads two Kafka partitions. In Kafka nothing changed.
#
# Three things are called partition, and they are easily mixed up:
#
# | | is | its number is set by |
# | --- | --- | --- |
# | Kafka partition | a part of a topic, on the broker; order holds within it | whoever creates the topic |
# | task, or Spark partition | a part of a batch's rows, for one core | Spark: one or more for each Kafka partition, see `minPartitions` |
# | shuffle partition | where rows meet that belong together, in a `groupBy` or a join | `spark.sql.shuffle.partitions` |
#
# And how *much* does a batch take? No trigger says that. By default it is everything there is. After a
# night in which the job was down, that is the whole night in one batch: the memory may not suffice, and
# if it fails after an hour, the hour begins anew.
#
# `maxOffsetsPerTrigger` on the Kafka source limits it. The rest waits, in Kafka, where it is
# safe for as long as Kafka keeps it. Watch it with the morning's clicks. (The sink `noop` throws every row away: it is there for
# looking at a query itself.)


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
# what waits in each. A share is rounded down, so a batch may be a little smaller; but a share of less
# than one record is made one, so that no partition starves. Where many quiet partitions stand beside a
# busy one, a batch may be a little larger.
#
# ## Exercise 01.2: take a spike in small bites
#
# The sale begins. Write `read_gently`, which builds the source itself: it gets a session (what
# `spark` is here) and `kafka`, reads `kafka.topic("clicks")` **from its beginning**, takes **at most 10 records** a
# micro-batch (and not needlessly few), and returns a streaming DataFrame with just `event_id` and
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
# ## A hot page
#
# When a sale is on, four of five clicks are on `/sale`. Join the clicks with another table by
# page. A small one (up to 10 MB, unless you say otherwise) Spark copies to every machine that works on the join. With a larger one it *shuffles*:
# rows with the same page go to the same shuffle partition, and one task works on it. That task gets four fifths of the work while the others wait. This is *skew*, and no
# number of machines helps, because one page cannot be in two places.
#
# Or can it? **Adaptive execution** looks at the real sizes after the shuffle, before the join. If
# a partition is far larger than the others it is cut into pieces, the other side's matching rows
# go along with each piece, and the join is made piece by piece. It is the setting
# `spark.sql.adaptive.enabled`. You may find advice that it does not go with streams. That was so up to Spark 4.0; since
# 4.1 Spark leaves it out where a query keeps state, in Real-Time Mode (lesson 12) and with the old continuous trigger.
# (A second setting belongs to it, on by default: `spark.sql.adaptive.streaming.stateless.enabled`.)
#
# It can be seen in a plan. Below, a batch of forty clicks is joined twice, in two *sessions* that
# differ in this setting. A session is what `spark` is: a place to start queries from, with settings
# of its own. **A query copies the settings of the session that its stream was read with, at the
# moment it starts.** What another session is told, or the same one later, does not reach it.


# %%
def click_of(number: int) -> dict:
    """A click; four of five are on /sale."""
    return {"event_id": f"h{number}", "page": "/cart" if number % 5 == 0 else "/sale"}


hot = kafka.create_topic("hot", partitions=4)
kafka.send(hot, [click_of(number) for number in range(40)])
small_enough_for_a_lesson = {
    "spark.sql.shuffle.partitions": 8,
    "spark.sql.autoBroadcastJoinThreshold": -1,  # no table counts as small enough to copy
    "spark.sql.adaptive.skewJoin.skewedPartitionFactor": 2,
    "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes": "300b",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "300b",
}


def show_plan(adaptive: bool) -> None:
    """Join a batch of clicks with two owners in a session of its own, and print the plan."""
    session = spark.newSession()
    for name, value in small_enough_for_a_lesson.items():
        session.conf.set(name, value)
    session.conf.set("spark.sql.adaptive.enabled", adaptive)
    owners = session.createDataFrame(
        [("/sale", "ann"), ("/cart", "dua")], "page STRING, owner STRING"
    )

    def join(batch: DataFrame, batch_id: int) -> None:
        joined = batch.join(owners, "page", "left")
        joined.collect()  # the plan is final only when the join has run
        joined.explain()

    records = (
        session.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", hot)
        .option("startingOffsets", "earliest")
        .load()
    )
    value = F.from_json(F.col("value").cast("string"), "event_id STRING, page STRING")
    query = (
        records.select(value.alias("click"))
        .select("click.*")
        .writeStream.foreachBatch(join)
        .option("checkpointLocation", grader.fresh_checkpoint())
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()


show_plan(adaptive=False)
show_plan(adaptive=True)

# %% [markdown]
# A plan is read from the bottom up. The first one is fixed: `Exchange hashpartitioning(page…)` is the
# shuffle, `SortMergeJoin` the join. The second stands under `AdaptiveSparkPlan isFinalPlan=true`:
# adaptive execution was at work, and what was planned before the batch was seen (*Initial Plan*)
# is not what ran (*Final Plan*). There `SortMergeJoin(skew=true)` and the word `skewed` at a shuffle's
# `AQEShuffleRead` say that a partition was cut. As each micro-batch is planned by itself, this is
# found out for each batch anew: on a quiet day nothing is split.
#
# ## Exercise 01.3: a lopsided join that Spark replans
#
# Most pages have somebody who looks after them. Write `add_owners`: a writer that joins the clicks with
# `page_owners(spark)` and delivers every click, with just `event_id`, `page` and `owner`, to the topic
# `owned`. A click on a page without an owner gets `"nobody"`.
#
# You may join each batch in `foreachBatch` (and write it with `deliver` below), or the stream itself,
# with the Kafka sink behind it: as the query keeps no state, Spark replans both, batch by batch.
# `foreachBatch` is the way of the solution because there the batch is a table in your hands. You can
# print its plan, as above, when the check says that nothing was split. If you write with a sink of your
# own, make the records as `deliver` does: no key, and as the value a JSON object that leaves out a
# field that is null.
#
# You are handed a session, `spark`, and it is the one that your query runs in: what another cell sets on the
# notebook's own session does not count. Adaptive execution is switched off in it; long ago somebody
# followed the old advice. Take the owners for a table far too large to be copied to every machine. (What
# counts as a *large* partition is again set to 300 bytes.)
#
# The check wants the right rows, and it reads the plans of all three batches: each planned
# adaptively, and the hot page split in the two batches that have one.

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
# The shop's new app does not send JSON. It sends *Protocol Buffers*: bytes without field names, about a
# quarter of the size, made and read by code that both sides have from one description.
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
    print(
        show(
            read(as_protobuf).select(click.alias("click")).select("click.*"), "from_protobuf"
        ).head(3)
    )
except AnalysisException as error:
    print("This Spark has no protobuf jar:", error.getCondition())

# %% [markdown]
# ## Exercise 01.4: decode Protobuf
#
# Write `decode_clicks`. It takes the raw records (each has a value) and returns **one row a record**
# with exactly `event_id`, `user_id`, `page`, `ms_on_page`, `event_time` (a timestamp) and `broken`.
#
# - An optional field that was not set is null, and one that was set is what it was set to. (A click of
#   0 ms is not the same as one of unknown length, nor an empty name the same as none.)
# - Bytes that are no Click, and a Click without an `event_id`, give a row in which `broken` is true
#   and everything else null. (`event_id` is not optional in the description: one that was not set reads as `""`.)
# - `page` and `event_ms` are handed on as they read, also where they were not set: `""` for the one, and for
#   the other 0, which is the beginning of 1970.
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
    decoded = clicks.mapInPandas(
        decode, f"{texts}, ms_on_page INT, event_ms BIGINT, broken BOOLEAN"
    )
    time = F.timestamp_millis("event_ms").alias("event_time")
    return decoded.select("event_id", "user_id", "page", "ms_on_page", time, "broken")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-decode_clicks", "locked": true, "points": 3, "solution": false}
grader.check("01.4", decode_clicks)

# %% [markdown]
# ## What you can now do, further
#
# - read a topic with as many tasks and in as small bites as you want, and tell Kafka's partitions from
#   Spark's tasks;
# - read in a plan whether adaptive execution was at work and split a hot partition, and switch it on
#   where it counts;
# - decode and encode Protobuf on a stream without stopping at garbage.

# %%
grader.progress()
