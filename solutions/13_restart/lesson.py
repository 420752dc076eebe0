# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 13 · Restart, upgrade, repair
#
# The sales figures have run for eight months without a stop. Tonight a new release goes live: a new
# column, a new filter, nothing much. It does not start. "Delete the checkpoint," says somebody,
# "then it will." It would. And eight months of sums would be gone.
#
# A checkpoint is a folder, and what decides about a start are a few small text files in it. Whoever can read them knows *before* a start
# what it will do: go on, run a batch again, or refuse, and why. That is what this lesson is about:
# **read what is in it, say what will happen, then try it.** Plan three hours.

# %% tags=["given"]
import json
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grader
from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## What lies in a checkpoint
#
# The query of the sales figures:


# %% tags=["example"]
def sums_by_product(orders: DataFrame) -> DataFrame:
    """The sales figures as they have been running."""
    return orders.groupBy("product").agg(
        F.sum("pieces").alias("pieces"), F.sum("cents").alias("cents")
    )


# %% [markdown]
# Here it is in three starts, always on the same checkpoint; the picture calls each start a step. The second
# knew of four apples, though it read none of them:
#
# ![Pieces and cents by product in three steps: apple 4 and saw 1, then apple 6, then apple 7 and pear 3, with two, two and three rows in state.](13.0.svg)
#
# Now two such starts by hand. We need the source, and a helper that runs a query over what is there and
# gives back the rows that came out, each after the number of its micro-batch.


# %%
def read_orders(topic: str, session: SparkSession = spark, **options: str) -> DataFrame:
    """The orders in a topic as a stream, from the first one on if `options` do not say otherwise."""
    schema = "product STRING, pieces BIGINT, cents BIGINT, channel STRING"
    return (
        session.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", topic)
        .options(**{"startingOffsets": "earliest", "kafka.fetch.max.wait.ms": "10", **options})
        .load()
        .select(F.from_json(F.col("value").cast("string"), schema).alias("o"))
        .select("o.*")
    )


def run(frame: DataFrame, checkpoint: str) -> list[tuple]:
    """Run a query over what is there, to its end; the rows that came out, after their batch's number."""
    rows: list[tuple] = []
    query = (
        frame.writeStream.outputMode("update")
        .option("checkpointLocation", checkpoint)
        .foreachBatch(lambda batch, number: rows.extend((number, *row) for row in batch.collect()))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return sorted(rows, key=str)


def order(product: str, pieces: int, cents: int, channel: str = "web") -> dict:
    return {"product": product, "pieces": pieces, "cents": cents, "channel": channel}


orders_topic = kafka.create_topic("lesson13-orders")
checkpoint = grader.fresh_checkpoint()

kafka.send(orders_topic, [order("fruit/apple", 4, 160), order("tools/saw", 1, 2490)])
print(run(sums_by_product(read_orders(orders_topic)), checkpoint))
kafka.send(orders_topic, [order("fruit/apple", 2, 90)])
print(run(sums_by_product(read_orders(orders_topic)), checkpoint))

# %% [markdown]
# Two starts, two micro-batches. Now open the folder. (Files that end in `.crc` are checksums.)


# %%
def files(checkpoint: str) -> list[Path]:
    """The files in a checkpoint, checksums left out."""
    found = sorted(Path(checkpoint).rglob("*"))
    return [path for path in found if path.is_file() and path.suffix != ".crc"]


for path in files(checkpoint):
    print(path.relative_to(checkpoint), f"({path.stat().st_size} bytes)")

# %%
for name in ("metadata", "sources/0/0", "offsets/1", "commits/1"):
    print(f"--- {name}")
    for line in Path(checkpoint, name).read_text().splitlines():
        print(line if len(line) <= 160 else f"{line[:160]} …")

# %% [markdown]
# | file | says | written |
# | --- | --- | --- |
# | `metadata` | the id of the query | once |
# | `sources/0/0` | where source 0 began | once, at its first batch |
# | `offsets/1` | batch 1 was **planned**: its settings, and for each source a line with the offsets at which the batch *ends* | before the batch |
# | `commits/1` | batch 1 is **done** | after the batch |
# | `state/0/…/2.delta` | what batch 1 changed in the state of operator 0, a file for each partition (numbered from 1, so 2 is batch 1) | by the batch |
# | `state/0/_metadata/metadata` | what operator 0 is | at its first batch |
# | `state/0/0/_metadata/schema` | the types of its keys and values | at its first batch |
#
# An offset is the one that comes *next*: `{"0":3}` says that 0, 1 and 2 are read.
#
# ## Planned, not done
#
# A process dies after it has written its rows and before it could note so. What is left is an entry
# in `offsets` without one in `commits`. We can make that by hand: take the last commit away.
#
# **Before you run it:** nothing new is in the topic. Will a batch run? Which number will it have,
# and how many apples will it count: 6, or 8?

# %%
killed = grader.fresh_checkpoint()
shutil.copytree(checkpoint, killed)
for path in Path(killed, "commits").glob("*1*"):
    path.unlink()

print(run(sums_by_product(read_orders(orders_topic)), killed))

# %% [markdown]
# Batch 1 ran again, with the same offsets, on the state that batch *0* had left: 6, once more.
# State never counts twice: a batch that runs again starts from the state of the batch before it. The
# sink got the row twice; whether that hurts is the sink's matter (lesson 02).
#
# And a run with `availableNow` that takes several batches, and fails midway? Six orders, two a batch;
# in batch 1 the sink is away. Two more orders come in before the second start. **Which batches will
# that one run? Will the new orders be among them?**

# %%
several_topic, several = kafka.create_topic("lesson13-several"), grader.fresh_checkpoint()


def run_in_twos(sink_is_away: bool) -> None:
    """Write the orders, two a batch; in batch 1 the sink may be away."""

    def write(batch: DataFrame, number: int) -> None:
        if number == 1 and sink_is_away:
            raise ConnectionError("the sink is away")
        print("batch", number, "with pieces", sorted(row.pieces for row in batch.collect()))

    query = (
        read_orders(several_topic, maxOffsetsPerTrigger="2")
        .writeStream.foreachBatch(write)
        .option("checkpointLocation", several)
        .trigger(availableNow=True)
        .start()
    )
    try:
        query.awaitTermination()
    except Exception:
        print("the sink is away, and the query has ended")


kafka.send(several_topic, [order("fruit/fig", pieces, 50) for pieces in (1, 2, 3, 4, 5, 6)])
run_in_twos(sink_is_away=True)
kafka.send(several_topic, [order("fruit/fig", pieces, 50) for pieces in (7, 8)])
run_in_twos(sink_is_away=False)

# %% [markdown]
# Batch 0 is done, and stays done. Batch 1 was planned, so it runs with the offsets that it had. All
# after it is planned anew, up to where the topic ends *now*. A run that fails midway needs nothing but
# another start.
#
# ## Who knows where the query is?
#
# Two things are looked for in the wrong place. `startingOffsets` is one: a new version says
# "latest", to be on the safe side. **What will it miss?** The other is Kafka: a reader may note there, under the name of its
# *consumer group*, how far it is, and tools show from that how far it is behind the end. **Which of our queries are listed?**

# %%
kafka.send(orders_topic, [order("fruit/apple", 1, 45)])
print(run(sums_by_product(read_orders(orders_topic, startingOffsets="latest")), checkpoint))

admin = kafka.connect(KafkaAdminClient)
print("groups that have noted an offset in Kafka:", admin.list_groups())
admin.close()

# %% [markdown]
# Nothing was missed: `startingOffsets` is for a query (or a source) that has no offset yet.
# Afterwards the checkpoint counts. And it alone: Spark notes no offset in Kafka. Your lag tool
# shows nothing, or nonsense, for every streaming query; look into the checkpoint, or at the query's
# own progress (lesson 14).
#
# ## What may change?
#
# Between two versions of a query the checkpoint stays. So the question of each change is: *does the
# checkpoint hold anything of it?* Seven versions, each on a copy of our checkpoint, with one new
# order of an apple. (Without a new record no batch would run, and Spark compares the state in a batch.)
# **Write down for each: does it go on? And with which figures?**

# %%
kafka.send(orders_topic, [order("fruit/apple", 1, 45)])
pieces, cents = F.sum("pieces").alias("pieces"), F.sum("cents").alias("cents")
orders = read_orders(orders_topic)
department = F.split("product", "/")[0].alias("department")

versions = {
    "as it was": orders.groupBy("product").agg(pieces, cents),
    "a filter, another name": orders.where("pieces > 0")
    .groupBy(F.col("product").alias("p"))
    .agg(pieces, cents),
    "one more key": orders.groupBy(department, "product").agg(pieces, cents),
    "one more aggregate": orders.groupBy("product").agg(pieces, cents, F.count("*")),
    "by department": orders.groupBy(department).agg(pieces, cents),
    "the sums exchanged": orders.groupBy("product").agg(cents, pieces),
    "told in another order": sums_by_product(orders).select("product", "cents", "pieces"),
}


def reason(error: Exception) -> str:
    """What Spark says of a start that it refuses: the lines that name the cause."""
    known = (
        r"\[(?:STATE|STREAMING)_[A-Z_]+\][^\n]*|Existing [^\n]*|There are \[.*?the query"
        r"|Some data may have been lost|Reason: [^\n]*"
    )
    return "\n    ".join(dict.fromkeys(re.findall(known, str(error)))) or str(error)


def attempt(frame: DataFrame, checkpoint: str) -> Any:
    """Run a query on a copy of a checkpoint: its rows, or why it was refused."""
    copy = grader.fresh_checkpoint()
    shutil.copytree(checkpoint, copy)
    try:
        return run(frame, copy)
    except Exception as error:
        return reason(error)


for name, frame in versions.items():
    print(f"{name:24}", attempt(frame, checkpoint))

# %% [markdown]
# The first four are as one may hope. One more key or aggregate is refused, and the line with `Existing` shows what was
# compared: the schema in the checkpoint, and that of this version. **The last three are the dangerous
# ones.** A department is a text, as the product was, so the key fits, and the counts
# begin at nothing. The two sums are whole numbers, so they fit in any order, and the new order's
# cents were added to the old pieces. Spark compares how many fields there are, the type of each,
# and whether it may be null. What they mean it cannot know.
#
# And the last one has the old `agg`, letter by letter! But Spark merges a `select` with the `agg` right before it, and
# then the sum that the select uses first is the first in the state. A sum that no column uses any more is not kept
# at all: after `.drop("cents")` the start is refused. So go on using each sum, in the old order, and hold
# a figure that you know against what comes out.
#
# | a change of | the checkpoint |
# | --- | --- |
# | filters and columns before the operators with state; what is made of their results, each field used, in the old order; names of columns of an aggregation; triggers; the sink, but for files | does not hold it |
# | the number of keys or aggregates, or the type of one; the operators with state, or their order | refuses it: `STATE_STORE_…_SCHEMA_NOT_COMPATIBLE`, `…_NOT_MATCH_IN_STATE_METADATA` |
# | another key, another aggregate (`max` for `sum`), another order (by a `select` after `agg`, too) or meaning, types unchanged | **takes it, and is wrong** |
# | the number of sources (without names) | refuses it |
# | settings that are pinned (lesson 11) | goes on with the old value, and yours is ignored |
# | the delay of a watermark | takes it; the watermark itself goes on from where it stood |
#
# One warning for sinks of files: `_spark_metadata` in their folder knows which batch numbers it has, and skips those. A new
# checkpoint begins at 0 again, so give it a new folder, too. And an old checkpoint with a new folder fails before ten batches
# are over: Spark then puts the lists of the last batches together, and those from before are not there.
#
# ## Exercise 13.1: the release that was refused
#
# `sums_by_product` has been running. The new release shall
#
# - no longer count orders of the test shop (`channel` is `"test"`): a product that only the test shop has ordered is not
#   told of; orders by phone have no channel, and count;
# - tell the `department`, the part of `product` before the `/` (each product has one, unless it is null);
# - tell in place of the cents what one piece came to: `cents_each`, all cents of the product by all
#   its pieces, not rounded (null where the pieces or the cents are, as with a delivery fee; no product comes to 0 pieces).
#
# This is what was written. Spark refuses it, and a quick mend would make it worse:


# %%
def release_as_it_is(orders: DataFrame) -> DataFrame:
    return (
        orders.where("channel <> 'test'")
        .withColumn("department", F.split("product", "/")[0])
        .groupBy("department", "product")
        .agg(F.sum("cents").alias("cents"), F.sum("pieces").alias("pieces"))
        .select(
            "department",
            "product",
            "pieces",
            (F.col("cents") / F.col("pieces")).alias("cents_each"),
        )
    )


print(attempt(release_as_it_is(orders), checkpoint))

# %% [markdown]
# Repair it, so that it goes on from the state of the old version with nothing lost. The check runs
# the old version for two steps, then yours on the same checkpoint. **Out:** exactly `department`,
# `product`, `pieces`, `cents_each`, in update mode. (What the test shop ordered *before* the
# release stays in the sums. The lesson's last section gets rid of it.)

# %%
grader.predict("13.1")


# %% nbgrader={"grade": false, "grade_id": "new_release", "locked": false, "solution": true}
def new_release(orders: DataFrame) -> DataFrame:
    """The sums of the old version, told by department and price; the test shop left out.

    orders: product STRING (such as "fruit/apple"), pieces BIGINT, cents BIGINT, channel STRING.
    Returns department, product, pieces, cents_each.
    """
    ### BEGIN SOLUTION
    sums = (
        orders.where("channel IS DISTINCT FROM 'test'")
        .groupBy("product")
        .agg(F.sum("pieces").alias("pieces"), F.sum("cents").alias("cents"))
    )
    return sums.select(
        F.split("product", "/")[0].alias("department"),
        "product",
        "pieces",
        (F.col("cents") / F.col("pieces")).alias("cents_each"),
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-new_release", "locked": true, "points": 4, "solution": false}
grader.check("13.1", new_release)

# %% [markdown]
# `grader.hint("13.1")` if it does not start. The run of both versions, step by step:

# %%
grader.lens("13.1", new_release)

# %% [markdown]
# ## A topic made anew
#
# Somebody wanted an empty test topic, mistook the cluster, deleted the orders' topic and made it
# anew. The producers are fine with that. And the query, which had read four orders? Two cases: in
# the first, three pears have been ordered since; in the second, six. **What will each start do, and
# what will it miss?**


# %%
def made_anew(pears: int) -> tuple[str, str]:
    """A topic with four orders that a query has read, deleted and made anew with some pears."""
    topic, its_checkpoint = kafka.create_topic("lesson13-anew"), grader.fresh_checkpoint()
    kafka.send(topic, [order("fruit/apple", 1, 40)] * 4)
    run(sums_by_product(read_orders(topic)), its_checkpoint)
    kafka.create_topic(topic)  # deletes the one that is there
    kafka.send(topic, [order("fruit/pear", 1, 70)] * pears)
    return topic, its_checkpoint


for pears in (3, 6):
    topic, its_checkpoint = made_anew(pears)
    print(f"{pears} pears:", attempt(sums_by_product(read_orders(topic)), its_checkpoint))

# %% [markdown]
# With three the topic ends at offset 3, before the query's 4: that can be seen, and Spark stops. With
# six nothing looks wrong. The query goes on at offset 4, as always, and **four pears are never
# read**. Nobody is told.
#
# To the first case people find an answer quickly: `failOnDataLoss` set to `"false"`. Does it bring
# the pears back?

# %%
topic, its_checkpoint = made_anew(3)
go_on = sums_by_product(read_orders(topic, failOnDataLoss="false"))
print("at the start:     ", run(go_on, its_checkpoint))
kafka.send(topic, [order("fruit/pear", 1, 70)] * 2)
print("with two more:    ", run(go_on, its_checkpoint))

# %% [markdown]
# The first start printed no row, but ran batch 1, which did nothing except to note offset 3 in place
# of 4. So the two new pears came in batch 2, and three were never read. That may be what you want, in
# a test. Where every order counts, a topic made anew means: a new checkpoint, from the first record
# on, and the old sums taken over by other means.
#
# ## Exercise 13.2: what will the next start do?
#
# Write down what you have seen, as a function that looks at a checkpoint and a query and says what
# will happen. And one thing that you have not seen: a source that now reads another topic is refused like one whose topic is
# gone. (`failOnDataLoss` is as it is by default.) It is called with
#
# - `offsets`, the offset log: the number of a batch, as text, and its entry, the text of the file:
#   a line with a version, a line of JSON, then a line for each source: its offsets as JSON, such as
#   `{"clicks":{"0":120,"1":80}}`, or `-` if the source has none yet;
# - `commits`, the numbers of the committed batches (both logs may be in any order, and the oldest batches may be deleted
#   from one and not yet from the other);
# - `state`, what the checkpoint knows of its operators with state, a list of dicts: `operator` is
#   its name, `key` and `value` are lists of columns, such as `"page string"`: a name, and after the
#   first space its type;
# - `query`, the query that is to start: `sources`, a list with the topics of each source, also a
#   list; `state` as above;
# - `topics`, what Kafka has: by topic and partition the next offset that it will give, such as
#   `{"clicks": {"0": 200, "1": 90}}`. (A topic that only the query names, and not the newest entry, is there.)
#
# Return `{"start": …, "batch": …}` with **the first word of this list whose rule holds**, and the
# number of the batch that will run first, at once or when something new comes; None if it is refused then:
#
# | start | rule | batch |
# | --- | --- | --- |
# | `"new"` | the offset log is empty | 0 |
# | `"sources"` | the newest entry has not as many sources as the query | None |
# | `"operators"` | the operators are not the same, in the same order | None |
# | `"key"` | the keys of an operator are not of the same types, in the same order | None |
# | `"value"` | the values are not | None |
# | `"topics"` | a topic or partition in the newest entry is not in Kafka, or ends there before the offset, or its topic is not among those of the source at that place | None |
# | `"again"` | the newest batch is not committed | that batch |
# | `"next"` | none of these | the one after |


# %% nbgrader={"grade": false, "grade_id": "next_start", "locked": false, "solution": true}
def next_start(
    offsets: dict[str, str], commits: list[int], state: list, query: dict, topics: dict
) -> dict:
    """What a query will do when it starts on a checkpoint: {"start": …, "batch": …}."""
    ### BEGIN SOLUTION
    if not offsets:
        return {"start": "new", "batch": 0}
    newest = max(offsets, key=int)
    lines = offsets[newest].splitlines()[2:]
    if len(lines) != len(query["sources"]):
        return {"start": "sources", "batch": None}
    if [was["operator"] for was in state] != [now["operator"] for now in query["state"]]:
        return {"start": "operators", "batch": None}
    for part in ("key", "value"):
        types = [
            [[column.split(" ", 1)[1] for column in operator[part]] for operator in side]
            for side in (state, query["state"])
        ]
        if types[0] != types[1]:
            return {"start": part, "batch": None}
    for source, line in enumerate(lines):
        for topic, partitions in ({} if line == "-" else json.loads(line)).items():
            ends = topics.get(topic, {}) if topic in query["sources"][source] else {}
            if any(p not in ends or ends[p] < offset for p, offset in partitions.items()):
                return {"start": "topics", "batch": None}
    if int(newest) not in commits:
        return {"start": "again", "batch": int(newest)}
    return {"start": "next", "batch": int(newest) + 1}
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-next_start", "locked": true, "points": 4, "solution": false}
grader.check("13.2", next_start)

# %% [markdown]
# And of real checkpoints: that of the query from the top, a copy without its last commit, as a kill
# leaves it, and one whose topic was made anew? (The operators we write down by hand here. As in lesson
# 02, `spark.read.format("state-metadata")` lists them.)


# %%
def offsets_of(checkpoint: str) -> dict[str, str]:
    return {path.name: path.read_text() for path in Path(checkpoint, "offsets").glob("[0-9]*")}


def commits_of(checkpoint: str) -> list[int]:
    return sorted(int(path.name) for path in Path(checkpoint, "commits").glob("[0-9]*"))


def ends_of(topic: str) -> dict[str, int]:
    """By partition, the next offset that Kafka will give."""
    return {str(number): end for number, (_, end) in kafka.offsets(topic).items()}


operator = {
    "operator": "stateStoreSave",
    "key": ["product string"],
    "value": ["sum bigint", "sum bigint"],
}
killed = grader.fresh_checkpoint()
shutil.copytree(checkpoint, killed)
Path(killed, "commits", str(max(commits_of(killed)))).unlink()
topic, its_checkpoint = made_anew(3)

for name, place, reads in (
    ("the sales figures", checkpoint, orders_topic),
    ("killed before its commit", killed, orders_topic),
    ("its topic made anew", its_checkpoint, topic),
):
    print(
        f"{name:24}",
        next_start(
            offsets_of(place),
            commits_of(place),
            [operator],
            {"sources": [[reads]], "state": [operator]},
            {reads: ends_of(reads)},
        ),
    )

# %% [markdown]
# ## A second source
#
# The shop's kiosk gets a topic, and its clicks shall be counted with those of the web. A union,
# that is all:

# %%
web_topic, kiosk_topic = kafka.create_topic("lesson13-web"), kafka.create_topic("lesson13-kiosk")
kafka.send(web_topic, [order("fruit/apple", 1, 40)])
kafka.send(kiosk_topic, [order("fruit/pear", 1, 70)])

one_source = grader.fresh_checkpoint()
run(sums_by_product(read_orders(web_topic)), one_source)
both = read_orders(web_topic).unionByName(read_orders(kiosk_topic))
print(attempt(sums_by_product(both), one_source))

# %% [markdown]
# A line for each source, and no name on it: the first of them is the first source that the query reads,
# whatever it may be. So their number is fixed, and so is their order.
#
# Since Spark 4.2 a source can have a **name**, said on the reader: `.name("web")`, before
# `.load()` (letters, digits and underscores). Two settings go with it:
# `spark.sql.streaming.queryEvolution.enableSourceEvolution`, and format 2 of the offset log, which
# has room for names. It has to be there from the first start, as a log keeps its format. With the first of them *every*
# source that the session reads must have a name of its own, and without it no `.name()` is allowed: so set it on a session of
# its own, as below.


# %%
def read_by_name(session: SparkSession, topic: str, name: str) -> DataFrame:
    return (
        session.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .name(name)
        .load()
    )


evolving = spark.newSession()
evolving.conf.set("spark.sql.streaming.queryEvolution.enableSourceEvolution", "true")
evolving.conf.set("spark.sql.streaming.offsetLog.formatVersion", "2")

named = grader.fresh_checkpoint()
run(read_by_name(evolving, web_topic, "web").groupBy("topic").count(), named)
for line in offsets_of(named)["0"].splitlines():
    print(line[:100])

# %% [markdown]
# Now the log says `web:` before the offsets. A source whose name it has goes on at its offset. A
# name that it has not seen is a new source, and begins as its `startingOffsets` say. A name that is
# no longer used drops out of the log with the next batch. Do not use it again: back after one batch it went on where it
# was, but after two it began anew, and its records were counted twice.
#
# Names have a price. Spark's own reader of states, `spark.read.format("statestore")` of lesson 11, fails on such a checkpoint
# in Spark 4.2 (`None.get`).
#
# ## Exercise 13.3: a second source joins
#
# This version counts the clicks of the web by page, and has been running:


# %%
def clicks_of_the_web(spark: SparkSession, kafka) -> DataFrame:
    web = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("web"))
        .option("startingOffsets", "earliest")
        .name("web")
        .load()
    )
    page = F.get_json_object(F.col("value").cast("string"), "$.page").alias("page")
    return web.select(page).groupBy("page").agg(F.count("*").alias("clicks"))


# %% [markdown]
# Write the version after it: the kiosk's touches are counted with the clicks, by page, as a source
# of its own named `kiosk`, **from the first record in its topic on**. The kiosk's JSON has the page
# in a field `screen`: `{"screen": "/home"}`. Clicks and touches without a page stand under null, as
# they did.
#
# Your function gets a session `spark` in which both settings are made, and `kafka`:
# `kafka.topic("web")` and `kafka.topic("kiosk")` are the names of the topics. **Out:** exactly
# `page`, `clicks`, in update mode.

# %%
grader.predict("13.3")


# %% nbgrader={"grade": false, "grade_id": "with_the_kiosk", "locked": false, "solution": true}
def with_the_kiosk(spark: SparkSession, kafka) -> DataFrame:
    """Clicks of the web and touches of the kiosk, counted together by page: page, clicks.

    kafka: `.bootstrap_servers`, `.topic("web")` and `.topic("kiosk")`.
    """
    ### BEGIN SOLUTION

    def read(name: str, field: str) -> DataFrame:
        records = (
            spark.readStream.format("kafka")
            .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
            .option("subscribe", kafka.topic(name))
            .option("startingOffsets", "earliest")
            .name(name)
            .load()
        )
        text = F.col("value").cast("string")
        return records.select(F.get_json_object(text, f"$.{field}").alias("page"))

    both = read("web", "page").unionByName(read("kiosk", "screen"))
    return both.groupBy("page").agg(F.count("*").alias("clicks"))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-with_the_kiosk", "locked": true, "points": 4, "solution": false}
grader.check("13.3", with_the_kiosk)

# %% [markdown]
# ## State that gets a field
#
# An aggregation's state is what it is. The state of `transformWithState` (lesson 10) has a schema
# that *you* write, and sooner or later it lacks something. The loyalty cards count orders:


# %%
class CardAsItIs(StatefulProcessor):
    def init(self, handle: StatefulProcessorHandle) -> None:
        self.card = handle.getValueState("card", "orders INT")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        (orders,) = self.card.get() if self.card.exists() else (0,)
        orders += sum(1 for _ in rows)
        self.card.update((orders,))
        yield Row(customer=key[0], orders=orders)

    def close(self) -> None:
        pass


def cards(orders: DataFrame, processor: StatefulProcessor) -> DataFrame:
    return orders.groupBy("customer").transformWithState(
        processor,
        outputStructType="customer STRING, orders INT",
        outputMode="Update",
        timeMode="None",
    )


# %% [markdown]
# Now the card shall hold stamps, too. **Will a version with one more field start?**


# %%
class CardWithStamps(CardAsItIs):
    """A stamp for each order; tells what stood on the card before."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.card = handle.getValueState("card", "orders INT, stamps INT")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        orders, stamps = self.card.get() if self.card.exists() else (0, 0)
        new = sum(1 for _ in rows)
        self.card.update((orders + new, (stamps or 0) + new))
        yield Row(customer=f"{key[0]}, stamps before: {stamps}", orders=orders + new)


rocks = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def bought_by_ana(**settings: str) -> DataFrame:
    """All orders as ana's, in a session whose state is in RocksDB and has these settings."""
    session = spark.newSession()
    session.conf.set("spark.sql.streaming.stateStore.providerClass", rocks)
    for name, value in settings.items():
        session.conf.set(f"spark.sql.streaming.stateStore.{name}", value)
    return read_orders(orders_topic, session).select(F.lit("ana").alias("customer"), "cents")


ana, by_default = grader.fresh_checkpoint(), bought_by_ana()
print(run(cards(by_default, CardAsItIs()), ana))
kafka.send(orders_topic, [order("fruit/apple", 1, 45)])
print(attempt(cards(by_default, CardWithStamps()), ana))

# %% [markdown]
# No: by default Spark keeps this state as `unsaferow`, rows without names, and refuses a new field. Once more, with
# `spark.sql.streaming.stateStore.encodingFormat` set to `avro` (a format whose rows are read by
# a schema, field by field), **from the first start on**. Then the new version starts twice. **Which stamps will ana have
# had, each time?**

# %%
ana, in_avro = grader.fresh_checkpoint(), bought_by_ana(encodingFormat="avro")
print(run(cards(in_avro, CardAsItIs()), ana))
for _ in range(2):
    kafka.send(orders_topic, [order("fruit/apple", 1, 45)])
    print(run(cards(in_avro, CardWithStamps()), ana))

# %% [markdown]
# Each row is kept with the number of the schema that it was written with. So
#
# - a field may be added, anywhere: in old rows it is None;
# - a field may be left out, and what it held is dropped;
# - a field may become wider: an INT is read as a BIGINT;
# - a field under another name is two of these at once: one left out, and a new one;
# - every field has to be nullable.
#
# Old rows are not rewritten. Each is read by the new schema when its key comes round.
#
# **Keep a copy of the checkpoint until the new version has committed its first batch.** When we took the commit of that
# one batch away, as a kill would, it ran again, and the stamps that it had written were None in the batch after it. Then
# only the copy helps.
#
# ## Exercise 13.4: one more field
#
# `cards(orders, CardAsItIs())` has been running, with Avro. The check has made that setting, for both
# versions; you need not.
#
# The new version also keeps `highest`, the highest amount (`cents`) of a customer's orders since
# the release. An amount may be below zero, when something is sent back, or null: then it is not
# known, and changes nothing about the highest. Until one is known, `highest` is null. Orders of
# before the release stay counted. Guests have no name (null), and share a card.
#
# `orders` has `customer STRING` and `cents BIGINT`. Return the stream that `transformWithState` makes
# (output mode `"Update"`, time mode `"None"`). **Out:** exactly `customer STRING`, `orders INT`, `highest BIGINT`; a row for
# each customer in a batch, as it stands afterwards. It takes a processor of your own and your own call of
# `transformWithState`; `cards` tells two columns.

# %%
grader.predict("13.4")


# %% nbgrader={"grade": false, "grade_id": "with_highest", "locked": false, "solution": true}
def with_highest(orders: DataFrame) -> DataFrame:
    """Orders of each customer, and the highest amount since the release: customer, orders, highest."""
    ### BEGIN SOLUTION

    class Card(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.card = handle.getValueState("card", "orders INT, highest BIGINT")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            orders, highest = self.card.get() if self.card.exists() else (0, None)
            for row in rows:
                orders += 1
                if row.cents is not None:
                    highest = row.cents if highest is None else max(highest, row.cents)
            self.card.update((orders, highest))
            yield Row(customer=key[0], orders=orders, highest=highest)

        def close(self) -> None:
            pass

    return orders.groupBy("customer").transformWithState(
        Card(),
        outputStructType="customer STRING, orders INT, highest BIGINT",
        outputMode="Update",
        timeMode="None",
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-with_highest", "locked": true, "points": 4, "solution": false}
grader.check("13.4", with_highest)

# %% [markdown]
# ## A day once more
#
# Some changes no checkpoint can carry: what came out was *wrong*, and must be made again. Take a
# pipeline without state: it writes one record for each order. Since this morning it has written
# rubbish. The plan:
#
# 1. Stop it. Its rubbish of today is out already, perhaps with rows of a batch that it never committed: what is replayed
#    has to replace it, or go to a new place.
# 2. Start the mended version **on a checkpoint of its own**, with `startingOffsets` where the old
#    one stopped for sure.
# 3. Replay the day up to that very place, with a batch read: `spark.read`, `startingOffsets` and
#    `endingOffsets`.
#
# The border between 2 and 3 is one offset for each partition. Starting offsets are included, ending
# offsets are not; so with the same number on both sides no order is lost and none comes twice.
#
# ## Exercise 13.5: a day once more, and nothing twice
#
# Write the function that makes the plan. It is called with
#
# - `topic`, the topic's name;
# - `offsets` and `commits` of the old query's checkpoint, as in 13.2 (in any order, and old batches may be deleted from
#   one and not yet from the other); it has one source, which may read other topics, too (its line is never `-`: Kafka
#   gives an offset even for an empty topic);
# - `day_starts`, a list with a number for each partition of the topic, from partition 0 on: the
#   offset of the first record since the day began. It is None if there is no such record.
#
# Return a dict of three:
#
# - `end`, a list: for each partition the offset at which the **last committed** batch ended; 0
#   where the old query has read nothing, as then all of it is still to come (Kafka still has it);
# - `start`, a list: for each partition where the replay begins: where the day starts, but at most `end`, and `end` itself
#   where that is None. With `day_starts` `[40, 95, None]` and `end`
#   `[100, 70, 30]` it is `[40, 70, 30]`;
# - `records`, how many offsets the replay covers, over all partitions.


# %% nbgrader={"grade": false, "grade_id": "replay_plan", "locked": false, "solution": true}
def replay_plan(topic: str, offsets: dict[str, str], commits: list[int], day_starts: list) -> dict:
    """What a replay of a day reads: {"start": […], "end": […], "records": …}."""
    ### BEGIN SOLUTION
    done = {}
    if commits:
        done = json.loads(offsets[str(max(commits))].splitlines()[2]).get(topic, {})
    ends = [done.get(str(number), 0) for number in range(len(day_starts))]
    starts = [
        ends[number] if began is None else min(began, ends[number])
        for number, began in enumerate(day_starts)
    ]
    return {"start": starts, "end": ends, "records": sum(ends) - sum(starts)}
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-replay_plan", "locked": true, "points": 4, "solution": false}
grader.check("13.5", replay_plan)

# %% [markdown]
# Now do it. Six orders from yesterday and today in two partitions; the old pipeline has read them;
# two more have come since.

# %%
sales_topic = kafka.create_topic("lesson13-sales", partitions=2)


def send_sales(*names: str) -> None:
    """An order for each name, to partition 0 and 1 in turn."""
    for place, name in enumerate(names):
        kafka.send(sales_topic, [{"product": name, "pieces": 1, "cents": 100}], partition=place % 2)


send_sales("yesterday 1", "yesterday 2", "yesterday 3")
time.sleep(0.1)
day_began = round(1000 * time.time())
send_sales("today 1", "today 2", "today 3")
old_pipeline = grader.fresh_checkpoint()
run(read_orders(sales_topic).select("product", F.lit("rubbish")), old_pipeline)
send_sales("today 4", "today 5")

consumer = kafka.connect(KafkaConsumer)
asked = {TopicPartition(sales_topic, number): day_began for number in (0, 1)}
found = consumer.offsets_for_times(asked)
consumer.close()
day_starts = [found[partition].offset if found[partition] else None for partition in asked]

plan = replay_plan(sales_topic, offsets_of(old_pipeline), commits_of(old_pipeline), day_starts)
plan

# %%


def as_option(offsets: list[int]) -> str:
    """Offsets of the sales topic as Spark's options want them."""
    return json.dumps({sales_topic: {str(number): at for number, at in enumerate(offsets)}})


replayed = (
    spark.read.format("kafka")
    .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    .option("subscribe", sales_topic)
    .option("startingOffsets", as_option(plan["start"]))
    .option("endingOffsets", as_option(plan["end"]))
    .load()
)
product = F.get_json_object(F.col("value").cast("string"), "$.product")
print("replayed:", sorted(row[0] for row in replayed.select(product).collect()))

mended = read_orders(sales_topic, startingOffsets=as_option(plan["end"])).select("product")
mended_checkpoint = grader.fresh_checkpoint()
print("goes on: ", sorted(name for _, name in run(mended, mended_checkpoint)))

# %% [markdown]
# Today's five, each once, and nothing of yesterday.
#
# With **state** there is no border to find, but it costs more: the mended version must read again all that goes into its
# state. For windows of a day that is the day; for running sums, such as ours, everything from the first record on. So see
# first whether the topic still has it: Kafka keeps a week, unless it is told otherwise. (If not, read the old state as a
# table and add it, as in lesson 11; it must have no named sources.) The new version runs beside the old one, on a checkpoint and with an output
# of its own, until it has caught up and its figures have been looked at. Then the readers are moved
# to the new output, and the old version is stopped. That is a *blue/green* start: at no moment is
# there only the untested one.
#
# Blue is our old version, which goes on; green is yours, from the first record on. Customers have ordered 11 apples so far,
# of which blue has counted 7. Now the test shop orders 5. **How many apples will each tell?**

# %%
kafka.send(orders_topic, [order("fruit/apple", 5, 200, channel="test")])
green = grader.fresh_checkpoint()
print("blue: ", run(sums_by_product(read_orders(orders_topic)), checkpoint))
print("green:", run(new_release(read_orders(orders_topic)), green))

# %% [markdown]
# Blue has the test order in its sums, and would keep it under any filter that comes later.
#
# ## What you can now do
#
# - open a checkpoint, and say which batch was planned, which is done, and which will run next;
# - say of a change whether the checkpoint holds anything of it, before Spark does; and find those
#   that it takes and should not;
# - put wishes before and after the state, and leave the state as it is;
# - tell a topic that was made anew from one that has nothing new, and say what `failOnDataLoss`
#   gives up;
# - let sources join and leave by name, and state grow by a field, if you said so at the first
#   start;
# - replay a day up to an offset, and go on from that offset.
#
# How far are you?

# %%
grader.progress()

# %% [markdown]
# Next: **14 Observability and operation**, for the month in which nobody looks.
