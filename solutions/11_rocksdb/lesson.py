# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 11 · RocksDB and state tuning
#
# It is the week before the holidays. The counts by page that ran all year take longer with every
# hour, now and then everything stands still for seconds, and one night the executor is gone: out
# of memory. The query is right. It is just that its state lives on the **Java heap**, where every
# row is an object, and the garbage collector has to look at all of them.
#
# RocksDB is the other place for state: a small database inside the executor, with its memory
# outside the heap and the rest on disk. It holds far more keys. And it has settings. All of them
# change *how* state is kept, none what comes out, so a mistake does not show in the rows. It shows
# in the checkpoint folder and in the metrics; this lesson teaches you to look there. Plan two hours; what
# is marked *further* stands at the end, and takes another thirty-five minutes.

# %% tags=["given"]
import json
import math
import time
from collections import Counter
from pathlib import Path

import grader
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## One query, kept in three ways
#
# A count of orders by fruit, with three sessions for three ways to keep it. A `newSession()` has
# settings of its own, and a query takes those that its session has when the query starts.


# %% tags=["example"]
def orders_by_fruit(orders: DataFrame) -> DataFrame:
    return (
        orders.withWatermark("order_time", "10 seconds")
        .groupBy(F.window("order_time", "1 minute"), "fruit")
        .count()
    )


# %%
STATE = "spark.sql.streaming.stateStore."
KINDS = {".delta", ".zip", ".sst", ".changelog"}

orders_topic = kafka.create_topic("lesson11-orders")


def send_orders(minute: int) -> None:
    """Thirty orders of six fruits, all in one minute after 12:00."""
    fruits = ["apple", "mango", "plum", "pear", "fig", "kiwi"] * 5
    times = [f"2026-03-01T12:{minute:02d}:{second:02d}Z" for second in range(len(fruits))]
    kafka.send(
        orders_topic,
        [{"fruit": f, "order_time": t} for f, t in zip(fruits, times, strict=True)],
    )


def orders_in(session: SparkSession) -> DataFrame:
    """The orders as a stream of this session."""
    schema = "fruit STRING, order_time TIMESTAMP"
    return (
        session.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", orders_topic)
        .option("startingOffsets", "earliest")
        .option("kafka.fetch.max.wait.ms", 10)
        .load()
        .select(F.from_json(F.col("value").cast("string"), schema).alias("o"))
        .select("o.*")
    )


def session_with(settings: dict[str, str]) -> SparkSession:
    session = spark.newSession()
    for name, value in settings.items():
        session.conf.set(name, value)
    return session


def state_files(checkpoint: str) -> dict[str, int]:
    """How many files of each kind lie in a checkpoint's state folder."""
    files = [path for path in Path(checkpoint, "state").rglob("*") if path.is_file()]
    return dict(Counter(path.suffix for path in files if path.suffix in KINDS))


def run(settings: dict[str, str], checkpoint: str | None = None) -> dict:
    """Run the count under these settings; print its files in the checkpoint, and some metrics."""
    checkpoint = checkpoint or grader.fresh_checkpoint()
    query = (
        orders_by_fruit(orders_in(session_with(settings)))
        .writeStream.format("noop")
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    print("files: ", state_files(checkpoint))
    operator = json.loads(query.recentProgress[-1].json)["stateOperators"][0]
    print("stores:", operator["numStateStoreInstances"], "· rows:", operator["numRowsTotal"])
    pinned = operator["customMetrics"].get("rocksdbPinnedBlocksMemoryUsage")
    print("memory:", operator["memoryUsedBytes"], "bytes · held fast in the cache:", pinned)
    return operator


send_orders(minute=0)

# %% [markdown]
# **On the heap**, the default. Every commit writes a `.delta` file for each store, and this query has one store for
# each partition of the shuffle (a join of two streams has four). Each run below makes two batches, one with the orders and
# one without (lesson 03), so you find two files for each store. The lab sets as many partitions as your machine has cores. (The one
# setting that we make here is for the whole process. We come back to it.)

# %%
MAINTENANCE = STATE + "maintenanceInterval"
on_the_heap = run({MAINTENANCE: "1s"})

# %% [markdown]
# **In RocksDB**, which one setting chooses. A commit now writes a `.zip`, a snapshot of the whole
# store, and with it those of its `.sst` files (sorted tables) that the checkpoint lacks. RocksDB merges such
# tables now and then into new ones (*compaction*), and all that was merged is written once more. So a small
# change to a large state can mean much to write: that is *write amplification*.

# %%
rocksdb = {
    STATE
    + "providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
}
with_snapshots = run(rocksdb)

# %% [markdown]
# **In RocksDB with changelogs.** A commit writes only what the batch changed. Snapshots are still
# made now and then, in the background, so that a restart need not replay the changes of a year. (RocksDB can
# keep a log of its own for the case that it dies, a *write-ahead log*. Spark has it turned off: what
# was not committed is computed again from the offsets.)

# %%
changelog = {STATE + "rocksdb.changelogCheckpointing.enabled": "true"}
with_changelogs = run({**rocksdb, **changelog})

# %% [markdown]
# This is what such a query does, with a few of these orders and some later ones, in RocksDB with
# changelogs. Look for RocksDB in the picture and you will not find it: rows, watermark and the number of
# rows in state are those of the heap.
#
# ![Orders by fruit in five steps: the minute from 12:00 comes out in step 3 with apple 2, mango 2 and plum 1, the next one in step 5 with apple 2 and plum 1, a mango of 12:00:40 is crossed out in step 4, and 3, 4, 2, 2 and 1 rows are in state.](11.0.svg)
#
# ## Where the heap hurts
#
# Thirty orders hurt nobody. Here is a measurement on your own machine: a count whose every batch brings
# 100,000 new keys, first on the heap, then in RocksDB, each in a Java process of its own with a heap of 512
# MB. Your lab is not touched. It takes about a minute.
#
# **Before you run it**, write down: with a million keys, which of the two needs longer for a batch? And on the heap, how
# long does everything stand still, at most, while the garbage collector works: 0.02, 0.2 or 2 seconds?

# %%
growth = grader.measure_state()

# %% [markdown]
# Every store has to find its keys, so batches in RocksDB are no faster at first: a key outside the heap
# costs a call and a copy. What grows is the other line. The heap holds a million keys, in the maps of the last two
# versions and in that of the batch that is being written, and a *full* collection, one that goes through the whole heap,
# lets every thread wait. When we wrote this, on two cores: with 1,200,000 keys a batch
# took 6.8 s on the heap and 1.2 s in RocksDB, and the longest pause was 2.7 s beside 0.01 s. (The end of a line in the
# chart is one batch, and may lie far from the middle one of five. Was your heap the faster one? Look at the pauses.)
#
# Why should you care for one pause of two seconds? Because every record in that batch is late by it, and because pauses
# get longer with each key: until an executor is silent for two minutes and taken for dead, or no memory is left.
#
# ## One limit for all
#
# A store in RocksDB uses memory for three things. Its *write buffers* hold rows that are not yet in a table. Its *block
# cache* holds pieces of tables that were read; a block that must not be thrown out is called *pinned* (the runs above print
# them as held fast). And each table has an index and a filter, which grow with the state. By default every store has all
# three for itself, index and filters beside the cache, and nobody adds them up. Two
# stores are nothing; ten queries with a hundred stores are another matter, and memory outside the heap has
# no garbage collector to complain in time.
#
# With `spark.sql.streaming.stateStore.rocksdb.boundedMemoryUsage` all stores of an executor share **one**
# cache, the write buffers, indexes and filters are counted in it, and `maxMemoryUsageMB`, whose key begins the same (500 unless
# you say otherwise), is its size. It is a limit for the executor, not
# for a store or a query, and a *soft* one: RocksDB may go over it for a while. As there is one for the executor, the cache is made once in the life of the
# process, by the **first** bounded store. A later query with another number is not refused. It joins the
# cache that is there.
#
# How do you see in the metrics that memory is shared? Write buffers of an unbounded store are its own
# affair. Those of bounded stores are charged to the shared cache as *pinned* blocks. So
# `rocksdbPinnedBlocksMemoryUsage`, next to nothing in the runs above, goes up by orders of magnitude the
# moment the bound is on, even for six rows.
#
# ## Exercise 11.1: ten stores under one limit
#
# `clicks` has `page` and `event_time`, and comes 10 seconds late at most. Count the clicks of each page by
# the minute (`window`, `page`, `clicks`), and set the session `spark` up so that
#
# - the state is kept in RocksDB,
# - cut into **ten** stores,
# - which share **64 MB**, all of them together,
# - and write **changelogs** when they commit.
#
# The check runs it in append mode. Settings go through `spark.conf.set(name, value)`, before you return the query. The
# session is made for
# the check alone, so nothing that you set stays behind. The check then looks for the files in your
# checkpoint and reads your metrics. (It judges the limit by your setting, for the reason above: in this
# process, some other query may have made the cache.)
#
# First: step 1 brings twelve clicks within one minute, on ten different pages. How many rows do the ten
# stores hold, taken together?

# %%
grader.predict("11.1")


# %% nbgrader={"grade": false, "grade_id": "clicks_within_bounds", "locked": false, "solution": true}
def clicks_within_bounds(spark: SparkSession, clicks: DataFrame) -> DataFrame:
    """Clicks by page and minute, in ten RocksDB stores that share 64 MB and write changelogs.

    spark: the session whose settings the query will take.
    clicks: page STRING, event_time TIMESTAMP; up to 10 seconds late.
    Returns window STRUCT<start, end>, page, clicks.
    """
    ### BEGIN SOLUTION
    state = "spark.sql.streaming.stateStore."
    spark.conf.set("spark.sql.shuffle.partitions", "10")
    spark.conf.set(
        state + "providerClass",
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    )
    spark.conf.set(state + "rocksdb.changelogCheckpointing.enabled", "true")
    spark.conf.set(state + "rocksdb.boundedMemoryUsage", "true")
    spark.conf.set(state + "rocksdb.maxMemoryUsageMB", "64")
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("*").alias("clicks"))
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-clicks_within_bounds", "locked": true, "points": 4, "solution": false}
grader.check("11.1", clicks_within_bounds)

# %% [markdown]
# `grader.hint("11.1")` if a key will not come to mind. Your query, step by step:

# %%
grader.lens("11.1", clicks_within_bounds)

# %% [markdown]
# ## Changes now, a snapshot now and then
#
# With changelogs a store after batch 500 would be 500 files to replay, if there were no snapshots at all.
# So Spark makes one when `spark.sql.streaming.stateStore.minDeltasForSnapshot` changelogs (10 unless you
# say otherwise) have come since the last. The commit that finds it due writes its buffers to disk and makes a local copy.
# It does not wait for the rest: **maintenance**, in threads of its own, takes the copy to the checkpoint, when it comes round the next
# time. How often it comes round is said by
# `maintenanceInterval`.
#
# Let us watch. This query asks for a snapshot after three changelogs, and for maintenance every *ten
# minutes*. The orders of eight minutes, one after the other:

# %%
session = session_with(
    {**rocksdb, **changelog, STATE + "minDeltasForSnapshot": "3", MAINTENANCE: "600s"}
)
kept_for_later = grader.fresh_checkpoint()
by_fruit = (
    orders_in(session)
    .dropDuplicates(["fruit", "order_time"])
    .writeStream.format("noop")
    .option("checkpointLocation", kept_for_later)
    .start()
)
for minute in range(1, 9):
    send_orders(minute)
    by_fruit.processAllAvailable()


def snapshots(checkpoint: str) -> list[int]:
    """The versions of which the first store has a snapshot."""
    return sorted(int(path.stem) for path in Path(checkpoint, "state/0/0").glob("*.zip"))


began = time.monotonic()
while not snapshots(kept_for_later) and time.monotonic() - began < 120:
    time.sleep(0.2)
print(f"the first snapshot lay there {time.monotonic() - began:.1f} s after the last batch")
print("changelogs and snapshots:", state_files(kept_for_later))

# %% [markdown]
# Nobody waited ten minutes. The clock of maintenance is **one for the whole process**, and the first query
# with state that the process ever ran has decided its interval: the one at the top of this lesson, which
# asked for a second. (If you paused for long before you ran that one, the lab had warmed up meanwhile with a query of its
# own, at the default of a minute.) What this query asked for was not refused. Nobody has read it.
#
# What does a snapshot buy? A restart loads the newest one and replays the changelogs after it. The next cell restarts the
# query, and tells how many files that took, over all stores:

# %%
by_fruit.stop()
send_orders(9)
restarted = (
    orders_in(session)
    .dropDuplicates(["fruit", "order_time"])
    .writeStream.format("noop")
    .option("checkpointLocation", kept_for_later)
    .trigger(availableNow=True)
    .start()
)
restarted.awaitTermination()
metrics = json.loads(restarted.recentProgress[-1].json)["stateOperators"][0]["customMetrics"]
print("snapshots of the first store:", snapshots(kept_for_later))
print("changelogs replayed:", metrics["rocksdbNumReplayChangelogFiles"])

# %% [markdown]
# In each store it is as many as came after its newest snapshot. Divide the changelogs by the stores, as many as your machine has
# cores, and you have the batches
# (a minute may have come in two). With eight of them and a snapshot of version 6 two are replayed, with one of the
# last version none, and without any it would have been every changelog of every store.
#
# ## Exercise 11.2: the bill for the bucket
#
# The checkpoint of the stock query lies in a bucket in the cloud, where each file that is written costs a
# little. "I have turned on changelogs, and set snapshots to one in twenty," says the colleague, "and the
# bill is no lower than before." This is the query:


# %%
def stock_as_it_is(spark: SparkSession, moves: DataFrame) -> DataFrame:
    state = "spark.sql.streaming.stateStore."
    settings = {
        state
        + "providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
        state + "rocksdb.changelogCheckpointing": "true",
        state + "rocksdb.minDeltasForSnapshot": "20",
        "spark.sql.shuffle.partitions": "24",
    }
    for name, value in settings.items():
        spark.conf.set(name, value)
    return moves.groupBy("product").agg(F.sum("quantity").alias("stock"))


# %% [markdown]
# The rows are right, and must stay so. Repair it so that
#
# - the state is kept in RocksDB,
# - cut into **four** stores (the shop has a few hundred products),
# - a commit writes **changelogs**, and no snapshot,
# - and a snapshot is due after **20** of them.
#
# **In:** `spark`, the session of the check, and `moves` with `product` (null where nobody noted it), `quantity` (what came in, or with a
# minus what went out; null where nobody counted). **Out:** exactly `product`, `stock`: the sum of its moves so far, as in the
# colleague's query (null as long as nothing of it was counted). The check runs it
# in update mode, in five batches, and then counts the files in the checkpoint.

# %%
grader.predict("11.2")


# %% nbgrader={"grade": false, "grade_id": "stock", "locked": false, "solution": true}
def stock(spark: SparkSession, moves: DataFrame) -> DataFrame:
    """Stock of each product, in four RocksDB stores with changelogs: product, stock."""
    ### BEGIN SOLUTION
    state = "spark.sql.streaming.stateStore."
    settings = {
        state
        + "providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
        state + "rocksdb.changelogCheckpointing.enabled": "true",
        state + "minDeltasForSnapshot": "20",
        "spark.sql.shuffle.partitions": "4",
    }
    for name, value in settings.items():
        spark.conf.set(name, value)
    return moves.groupBy("product").agg(F.sum("quantity").alias("stock"))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-stock", "locked": true, "points": 4, "solution": false}
grader.check("11.2", stock)

# %% [markdown]
# ## After the restart
#
# The query from the top of this lesson has run on the heap for a year. Now it is to move to RocksDB, with
# eight stores: you set both, stop the query and start it again. **How many stores will its progress tell
# of, and which files will you find?** Say it aloud, then run both cells.

# %%
old = grader.fresh_checkpoint()
first_start = run({"spark.sql.shuffle.partitions": "2"}, old)

# %%
send_orders(10)
restart = run({**rocksdb, "spark.sql.shuffle.partitions": "8"}, old)

# %% [markdown]
# Two stores, `.delta` files, and no error. The only protest is a warning in the driver's log, which few people read:
# *Updating the value of conf …*. A checkpoint **pins** some settings at its first start,
# and from then on the session's are not asked. They stand in its offset log, in the second line of each
# entry:

# %%
entry = max(Path(old, "offsets").glob("[0-9]*"), key=lambda path: int(path.name)).read_text()
for line in entry.splitlines():
    print(line[:400])
print(json.dumps(json.loads(entry.splitlines()[1])["conf"], indent=2))

# %% [markdown]
# Why pin them? A hash of the key and the number of partitions say in which store a key lies, and the
# provider says what the files of a store are. With others the query could not find what it has kept. We
# tried it, and wrote other numbers into an entry by hand. With more stores (8 for 2) the query does not start, as a file
# of a store that has never existed is missing. With fewer (2 for 8) it starts, finds most of its keys nowhere, and counts
# them from nothing, without an error.
#
# It is the same with `…stateStore.rowChecksum.enabled`, which gives every row in state a checksum of its own:
# turned on at a restart it does nothing, but for that warning.
#
# So there are four kinds of settings, and no query fails because you took one for another:
#
# | a setting | is taken | for example |
# | --- | --- | --- |
# | pinned | from the checkpoint, after the first start | `spark.sql.shuffle.partitions`, `…stateStore.providerClass`, `…stateStore.rowChecksum.enabled`, `…stateStore.compression.codec`, `spark.sql.streaming.multipleWatermarkPolicy` |
# | of the query | from its session, at every start | `…stateStore.rocksdb.changelogCheckpointing.enabled`, `…stateStore.minDeltasForSnapshot` |
# | of the process | from the first that asks | the shared cache (`…stateStore.rocksdb.maxMemoryUsageMB`), `…stateStore.maintenanceInterval` |
# | of nobody | never | any key that is misspelt; a right one as an `.option(…)` of the writer |
#
# And to move from the heap to RocksDB? With a **new checkpoint**: the query starts anew, and reads the
# topic from its beginning (`startingOffsets` counts again, as there are no offsets yet), or from where the
# counts should begin. If the topic does not go back far enough, the old state can be read as a table, as in
# lesson 02, and added to what the new query counts.
#
# ## Exercise 11.3: what counts after the restart?
#
# Write the function that you would want to run before every restart. It is called with
#
# - `entry`, the text of the newest entry of the offset log: a line with a version, a line of JSON, and a
#   line of offsets for each source;
# - `session`, the settings of the session that is about to start the query, as a dict of texts.
#
# What is pinned stands in the JSON's `conf`: all that is there, under whatever name, and nothing else. An entry
# of an old Spark may lack the partitions or the provider, or have no `conf` at all; then the session decides about those two, and if it does not name
# them, Spark's defaults: 200 partitions, and the heap. Return a dict:
#
# - `stores`, how many partitions the state will have, a number;
# - `provider`, either `"heap"` or `"RocksDB"` (the classes are `…HDFSBackedStateStoreProvider` and
#   `…RocksDBStateStoreProvider`);
# - `ignored`, a sorted list of the names of those of the session's settings for which the entry pins another text.


# %% nbgrader={"grade": false, "grade_id": "what_counts", "locked": false, "solution": true}
def what_counts(entry: str, session: dict[str, str]) -> dict:
    """What a restart will take: {"stores": …, "provider": …, "ignored": […]}."""
    ### BEGIN SOLUTION
    pinned = json.loads(entry.splitlines()[1]).get("conf", {})
    counts = {**session, **pinned}
    provider = counts.get("spark.sql.streaming.stateStore.providerClass", "")
    ignored = [name for name in session if name in pinned and pinned[name] != session[name]]
    return {
        "stores": int(counts.get("spark.sql.shuffle.partitions", "200")),
        "provider": "RocksDB" if provider.endswith("RocksDBStateStoreProvider") else "heap",
        "ignored": sorted(ignored),
    }
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-what_counts", "locked": true, "points": 3, "solution": false}
grader.check("11.3", what_counts)

# %% [markdown]
# And on the checkpoint from above, with what you had asked for:

# %%
what_counts(entry, {**rocksdb, "spark.sql.shuffle.partitions": "8"})

# %% [markdown]
# ## How many stores?
#
# Spark's default is 200. A number that is pinned deserves a measurement: the same three batches of a few
# hundred keys, with 1, 2, 4, 16 and 64 partitions. **Which will be the fastest on your machine?**

# %%
few_topic = kafka.create_topic("lesson11-few")
times: dict[int, float] = {}
kafka.send(few_topic, [{"n": n} for n in range(500)])
for partitions in (1, 2, 4, 16, 64):
    asked = session_with({**rocksdb, **changelog, "spark.sql.shuffle.partitions": str(partitions)})
    values = (
        asked.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", few_topic)
        .option("startingOffsets", "earliest")
        .option("kafka.fetch.max.wait.ms", 10)
        .load()
    )
    counting = (
        values.groupBy("value")
        .count()
        .writeStream.format("noop")
        .outputMode("update")
        .option("checkpointLocation", grader.fresh_checkpoint())
        .start()
    )
    counting.processAllAvailable()
    for _again in range(3):
        kafka.send(few_topic, [{"n": n} for n in range(500)])
        counting.processAllAvailable()
    counting.stop()
    batches = [json.loads(p.json) for p in counting.recentProgress]
    steady = [p["durationMs"]["addBatch"] for p in batches if p["numInputRows"]][1:]
    times[partitions] = sorted(steady)[len(steady) // 2]
for partitions, milliseconds in times.items():
    print(f"{partitions:3} partitions  {milliseconds:6.0f} ms  {'█' * round(milliseconds / 40)}")

# %% [markdown]
# Each partition is a task and a store: something to plan, open and commit, in every batch, also where
# nothing has changed. Beyond the cores they only stand in line. With so few keys one store may well win; with a real
# load each core wants one. So: **a multiple of the cores**, and a small one.
#
# There is a limit from below, too: the fewer the stores, the larger each. As a rule of thumb none should grow beyond
# **200 MB**, or a restart loads it for long, and one hot store holds up its batch. And what does a row weigh? That, too, is measured:
# `rocksdbSstFileSize`, the bytes of all sorted tables, over `numRowsTotal`, the rows of all stores. Here
# for the three runs at the top:

# %%
for name, operator in (
    ("heap", on_the_heap),
    ("snapshots", with_snapshots),
    ("changelogs", with_changelogs),
):
    size = operator["customMetrics"].get("rocksdbSstFileSize")
    print(f"{name:10} {operator['numRowsTotal']} rows, {size} bytes in sorted tables")

# %% [markdown]
# The third has rows and 0 bytes: they are still in the *write buffers*, in memory. RocksDB writes tables
# when such a buffer is full or when a snapshot is made. A 0 here does not mean small. It means that nothing
# has been measured. And with six rows nearly all the bytes of the second are the frame of a file: the division is good for
# thousands of rows.
#
# ## Exercise 11.4: how many stores?
#
# Write the arithmetic down once and for all. Your function is called with
#
# - `report`, of a stateful operator: `numRowsTotal`, `numStateStoreInstances`, and `customMetrics` with
#   `rocksdbSstFileSize`; bytes and rows are sums over all stores;
# - `cores`, the cores of the cluster on which the query shall run;
# - `rows`, the rows that the state will have at its largest.
#
# Return the smallest number of stores that is a multiple of `cores` (at least `cores` itself), with which
# no store holds more than 200 MB, that is 200 · 1024 · 1024 bytes. The rows share out evenly, fractions included, and the
# bytes of a row are seldom a whole number: round neither. The result may be an `int` or a `float`. Where the rows
# or the bytes of the report are 0, nothing was measured: return `None`.


# %% nbgrader={"grade": false, "grade_id": "how_many_stores", "locked": false, "solution": true}
def how_many_stores(report: dict, cores: int, rows: int) -> int | None:
    """The number of stores for a state of `rows` rows on `cores` cores; None if nothing was measured."""
    ### BEGIN SOLUTION
    size = report["customMetrics"]["rocksdbSstFileSize"]
    measured = report["numRowsTotal"]
    if not size or not measured:
        return None
    needed = math.ceil(rows * size / measured / (200 * 1024**2))
    return max(1, math.ceil(needed / cores)) * cores
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-how_many_stores", "locked": true, "points": 3, "solution": false}
grader.check("11.4", how_many_stores)

# %% [markdown]
# ## Read the report
#
# What a store went through in a batch stands in the progress, below `stateOperators`. All of it, for the last batch of the
# run with snapshots. (That one brought no orders, it only acted on the new watermark: so no row was updated.)

# %%
print(json.dumps(with_snapshots, indent=2))

# %% [markdown]
# The figures of all stores are added up, times too: eight stores that commit side by side for a second each
# make 8,000 ms. So compare shares, and divide by `numStateStoreInstances` where you mean one store.
#
# | figures | tell of |
# | --- | --- |
# | `allUpdatesTimeMs`, `allRemovalsTimeMs`, `commitTimeMs` | where the time of the stores went: reading and writing rows, evicting them, saving |
# | `rocksdbCommit…Latency`: `Flush`, `Compact`, `Checkpoint`, `FileSync…Ms`; `rocksdbChangeLogWriterCommitLatencyMs` | what a commit was busy with: write buffers to disk, merging tables, a local snapshot, copying to the checkpoint; the changelog (where there is one, `FileSync…Ms` holds the time of writing it as well) |
# | `rocksdbReadBlockCacheHitCount`, `…MissCount` | reads that found their block in memory, and that had to go to disk |
# | `rocksdbTotalCompactionLatencyMs`, `rocksdbTotalBytesWrittenByCompaction`, `rocksdbWriterStallLatencyMs` | compaction, also in the background, and writes that had to wait for it, or for write buffers to be emptied |
# | `rocksdbNumReplayChangelogFiles`, `rocksdbLoadLatencyMs`, `rocksdbNumSnapshotsAutoRepaired` | loading after a restart |
# | `rocksdbPinnedBlocksMemoryUsage`, `memoryUsedBytes`, `rocksdbSstFileSize` | memory and disk |
# | `rocksdbFilesCopied`, `rocksdbFilesReused`, `rocksdbBytesCopied` | what a snapshot had to write, and what the checkpoint had already |
#
# ## Exercise 11.5: read the report
#
# The night shift gets a report of one stateful operator and wants *one word*. Your function is called with
# `report`, a dict as Spark prints it (cut down to what is needed). Below, *work* is the sum of
# `allUpdatesTimeMs`, `allRemovalsTimeMs` and `commitTimeMs`, *commit* is `commitTimeMs`, and metrics of
# RocksDB stand in `customMetrics`. On the heap all of these are missing, and count as 0; nothing else is ever missing.
# **Return the first word of this list whose rule holds:**
#
# | word | rule | what helps |
# | --- | --- | --- |
# | `"heap"` | 1,000,000 rows (`numRowsTotal`) or more, and no metric whose name begins with `rocksdb` | RocksDB, with a new checkpoint |
# | `"late rows"` | `numRowsDroppedByWatermark` is above 0 | a longer delay |
# | `"too many stores"` | fewer than 1,000 rows for each of `numStateStoreInstances`, and commit is more than half of work | fewer partitions |
# | `"snapshots"` | `rocksdbCommitFileSyncLatencyMs` is more than half of commit | changelogs |
# | `"compaction"` | `rocksdbCommitCompactLatency` is more than half of commit | `…stateStore.rocksdb.compactOnCommit` back to false |
# | `"cache"` | 1,000 reads (hits and misses together) or more, and a fifth of them or more are misses | a larger cache |
# | `"replay"` | more than 20 files in `rocksdbNumReplayChangelogFiles` for each store | snapshots more often |
# | `"removals"` | `allRemovalsTimeMs` is more than half of work | batches more often, so that less ends at once |
# | `"healthy"` | none of these | |
#
# (The rule for `"snapshots"` is for queries that write no changelogs. With them `rocksdbCommitFileSyncLatencyMs` holds the writing of the
# changelog, too: take `rocksdbChangeLogWriterCommitLatencyMs` off first.)


# %% nbgrader={"grade": false, "grade_id": "diagnose", "locked": false, "solution": true}
def diagnose(report: dict) -> str:
    """One word for what a report of a stateful operator shows."""
    ### BEGIN SOLUTION
    metrics = report["customMetrics"]
    rows, stores = report["numRowsTotal"], report["numStateStoreInstances"]
    commit, removals = report["commitTimeMs"], report["allRemovalsTimeMs"]
    work = report["allUpdatesTimeMs"] + removals + commit
    misses = metrics.get("rocksdbReadBlockCacheMissCount", 0)
    reads = misses + metrics.get("rocksdbReadBlockCacheHitCount", 0)
    if rows >= 1_000_000 and not any(name.startswith("rocksdb") for name in metrics):
        return "heap"
    if report["numRowsDroppedByWatermark"] > 0:
        return "late rows"
    if rows < 1000 * stores and commit > work / 2:
        return "too many stores"
    if metrics.get("rocksdbCommitFileSyncLatencyMs", 0) > commit / 2:
        return "snapshots"
    if metrics.get("rocksdbCommitCompactLatency", 0) > commit / 2:
        return "compaction"
    if reads >= 1000 and misses >= reads / 5:
        return "cache"
    if metrics.get("rocksdbNumReplayChangelogFiles", 0) > 20 * stores:
        return "replay"
    if removals > work / 2:
        return "removals"
    return "healthy"
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-diagnose", "locked": true, "points": 4, "solution": false}
grader.check("11.5", diagnose)

# %% [markdown]
# And of the three runs at the top?

# %%
for name, operator in (
    ("heap", on_the_heap),
    ("snapshots", with_snapshots),
    ("changelogs", with_changelogs),
):
    print(name, "→", diagnose(operator))

# %% [markdown]
# Whatever it says of them: six rows are no load to judge by, and of the third, which has its changelogs, `"snapshots"` would be
# wrong. Of a query like the second, with a day of traffic behind it, `"snapshots"` would be a reason to wake somebody.
#
# ## What you can now do
#
# - choose where state lives, and say what that costs, from a measurement on your own machine;
# - tell snapshots from changelogs by looking into the checkpoint folder, and say when a snapshot is due and
#   who takes it there;
# - put all stores of an executor under one limit, and see in the metrics that they share it;
# - say which settings a checkpoint pins, which a query reads at its start, which belong to the process, and
#   which are read by nobody;
# - choose a number of stores from the cores and the size of a row;
# - read an operator's report, and name what is wrong.
#
# ## Further: what a checkpoint can be rescued from
#
# ### A damaged file
#
# In the lab the file system keeps a checksum beside every file of a checkpoint (`.crc`). HDFS does so in its own way; for
# other storage Spark can (`spark.sql.streaming.stateStore.checkpointFormatVersion` 2). A state file is not read if the two do
# not agree: the query ends with `CANNOT_LOAD_STATE_STORE`. That is better than a wrong count, but it is an end. With a damaged
# *snapshot* Spark can do more: go back to an older one, or to the beginning, and replay the changelogs
# from there, as far as its files go back. (It keeps what the last hundred batches need.) We turn a few bits in the newest snapshots of the query from above, and start it:

# %%
for store in Path(kept_for_later, "state/0").glob("[0-9]*"):
    newest = max(store.glob("*.zip"), key=lambda path: int(path.stem))
    damaged = bytearray(newest.read_bytes())
    middle = len(damaged) // 2
    damaged[middle : middle + 4] = bytes(255 - byte for byte in damaged[middle : middle + 4])
    newest.write_bytes(bytes(damaged))

send_orders(11)
repaired = (
    orders_in(session)
    .dropDuplicates(["fruit", "order_time"])
    .writeStream.format("noop")
    .option("checkpointLocation", kept_for_later)
    .trigger(availableNow=True)
    .start()
)
repaired.awaitTermination()
operator = json.loads(repaired.recentProgress[-1].json)["stateOperators"][0]
print("rows:", operator["numRowsTotal"])
for name in ("rocksdbNumSnapshotsAutoRepaired", "rocksdbNumReplayChangelogFiles"):
    print(name, operator["customMetrics"][name])

# %% [markdown]
# `rocksdbNumSnapshotsAutoRepaired` counts the stores that Spark has repaired so, and the changelogs replayed are
# more than a restart needs otherwise. No row is lost: each of the minutes sent so far brought thirty. That takes the changelogs, though: when we tried the same with
# snapshots alone, and with a damaged changelog, the query ended. Nothing else in the folder held those changes.
#
# ### A wrong number in a sound file
#
# A file's checksum says that the file is what was written. What if it was wrong when it was written, from bad memory
# or a bug? Then checksum and number agree, and nobody notices. Against that there is a checksum for every **row**,
# made when the row is put into the state, and compared when the state is loaded. It is off by default. Two queries count
# the fruits, one without such checksums and one with them. We play the bad memory in both:
# take one off a count in each store's file, and the file's own checksum away. **What will each do at its next start?**

# %%
import zstandard  # a codec that Python can undo, in place of Spark's lz4


def totals(settings: dict[str, str], checkpoint: str) -> dict[str, int]:
    session = session_with(settings)
    query = (
        orders_in(session)
        .groupBy("fruit")
        .count()
        .writeStream.format("memory")
        .queryName("totals")
        .outputMode("complete")
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return {row.fruit: row["count"] for row in session.table("totals").orderBy("fruit").collect()}


def one_less(checkpoint: str, count: int) -> None:
    """Take one off a count in each store, and the checksum from its file."""
    for file in Path(checkpoint, "state/0").glob("[0-9]*/1.delta"):
        rows = zstandard.ZstdDecompressor().decompressobj().decompress(file.read_bytes())
        wrong = rows.replace(count.to_bytes(8, "little"), (count - 1).to_bytes(8, "little"), 1)
        file.write_bytes(zstandard.ZstdCompressor().compress(wrong))
        file.with_name(".1.delta.crc").unlink()


for minute, checksums in ((13, "false"), (14, "true")):
    settings = {STATE + "compression.codec": "zstd", STATE + "rowChecksum.enabled": checksums}
    kept = grader.fresh_checkpoint()
    before = totals(settings, kept)
    one_less(kept, before["apple"])
    send_orders(minute)
    print("checksums of rows:", checksums)
    print("  before:", before)
    try:
        print("  after: ", totals(settings, kept))
    except Exception as error:
        reason = error._stackTrace.partition("[STATE_STORE_ROW_CHECKSUM")
        print("  after: ", "".join(reason[1:]).splitlines()[0])

# %% [markdown]
# Five orders came for each fruit. The first query goes on, and a count in each damaged store is one too small, for ever. The second
# does not start. It costs four bytes a row and the time to compute them, and since the setting is pinned, it has to be chosen
# at the first start. (With `…stateStore.rowChecksum.readVerificationRatio` rows are also compared while the query runs,
# every one or every tenth.) `CANNOT_LOAD_STATE_STORE` is all that the error's first line says; the reason stands further down in
# Java's trace, as here.
#
# ### More stores for an old query
#
# The shuffle's partitions are pinned, and the new cluster has four times the cores. Spark 4.2 brings a tool
# for that: `repartition` takes the checkpoint of a query that **stands still**, deals its keys out anew,
# and writes that into the checkpoint as a batch of its own. In Python it hides behind an underscore, as it
# is not announced yet; it may change. For state in RocksDB:

# %%
wide = grader.fresh_checkpoint()
before = run({**rocksdb, "spark.sql.shuffle.partitions": "2"}, wide)
spark._streamingCheckpointManager.repartition(wide, 8)
send_orders(15)
after = run(rocksdb, wide)

# %% [markdown]
# Asked for the number that is there already, it refuses, with `SHUFFLE_PARTITIONS_ALREADY_MATCH`. And **on
# the heap it does harm**. Look, on a checkpoint of which nobody is fond:

# %%
doomed = grader.fresh_checkpoint()
run({}, doomed)
for attempt in (
    lambda: spark._streamingCheckpointManager.repartition(doomed, 8),
    lambda: run({}, doomed),
):
    try:
        attempt()
    except Exception as error:
        print(
            next(
                line for line in str(error).splitlines() if "[STATE" in line or "[STREAMING" in line
            )[:300]
        )
        print()

# %% [markdown]
# It refused, because the provider is not RocksDB; but it had written its entry into the offset log before,
# and now the query does not start any more. Ask the checkpoint for its provider *first* (you have a
# function for that), and keep a copy.
#
# ## Exercise 11.6: more stores for an old query (further)
#
# A query counts clicks by page, in RocksDB, in **two** stores. It is stopped after each step, and your
# function is called: with `spark`, and `checkpoint`, the path. The query shall go on with **eight** stores,
# from the next step on, with all its counts, and without reading a click twice. Your function is called
# after *every* step: what is done already must not be done again. Whether it is done, only the checkpoint can tell: the next
# call may come in another session, and the query may be hundreds of batches old.
#
# **Out:** what the state knows now, as a table: exactly `page`, `clicks`. (Read with the format `statestore`, as in
# lesson 02, a row of this state has the page in `key.page` and the clicks in `value.count`.)

# %%
grader.predict("11.6")


# %% nbgrader={"grade": false, "grade_id": "widened", "locked": false, "solution": true}
def widened(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Cuts the state into eight stores, if it is not yet; what the state knows: page, clicks."""
    ### BEGIN SOLUTION
    offsets = Path(checkpoint, "offsets").glob("[0-9]*")
    newest = max(offsets, key=lambda path: int(path.name))
    pinned = json.loads(newest.read_text().splitlines()[1])["conf"]
    if pinned["spark.sql.shuffle.partitions"] != "8":
        spark._streamingCheckpointManager.repartition(checkpoint, 8)
    state = spark.read.format("statestore").load(checkpoint)
    return state.select(F.col("key.page").alias("page"), F.col("value.count").alias("clicks"))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-widened", "locked": true, "points": 4, "solution": false}
grader.check("11.6", widened)

# %% [markdown]
# ### Where a store lives, and what becomes of it
#
# A store lives in an executor, and Spark gives the work on it to the executor that had it in the batch before. So the
# state of a query is spread over machines. On which machine is each of four stores? A function that runs where
# the store is can tell: the name of its machine, and `F.spark_partition_id()`, the number of the store.

# %%
import socket

on_machines = grader.fresh_checkpoint()
machines: dict[str, str] = {}


@F.udf("STRING")
def host() -> str:
    """The name of the machine on which this runs."""
    return socket.gethostname()


def tell_places(batch: DataFrame, number: int) -> None:
    """Print on which machine each store is that had something to do in this batch."""
    places = sorted(batch.select("store", "host").distinct().collect())
    for place in places:
        machines.setdefault(place.host, f"machine {len(machines) + 1}")
    print(f"batch {number}:", ", ".join(f"{p.store} on {machines[p.host]}" for p in places))


placed = (
    orders_in(session_with({**rocksdb, "spark.sql.shuffle.partitions": "4"}))
    .groupBy("fruit")
    .count()
    .select("fruit", "count", F.spark_partition_id().alias("store"), host().alias("host"))
    .writeStream.outputMode("update")
    .foreachBatch(tell_places)
    .option("checkpointLocation", on_machines)
    .start()
)
for minute in (16, 17, 18):
    send_orders(minute)
    placed.processAllAvailable()

# %% [markdown]
# In the lab all four are on one machine: its Spark is one process. `make docker-lab` starts one with two workers in
# containers, where the same cell spreads them. We let it run there, and after batch 2 we killed the worker that had
# three of them (`docker kill`). This is what it printed; behind it we put how long each batch took:
#
# ```
# batch 0: 0 on machine 1, 1 on machine 2, 2 on machine 1, 3 on machine 1      15.3 s, Python's start on both included
# batch 1: 0 on machine 1, 1 on machine 2, 2 on machine 1, 3 on machine 1       1.5 s
# batch 2: 0 on machine 1, 1 on machine 2, 2 on machine 1, 3 on machine 1       1.5 s
#                                                            machine 1 is killed
# batch 3: 0 on machine 2, 1 on machine 2, 2 on machine 2, 3 on machine 2      14.1 s
# batch 4: 0 on machine 2, 1 on machine 2, 2 on machine 2, 3 on machine 2       1.3 s
# ```
#
# Two things to take from it. Stores **stay** where they are: batch by batch each is found where it was, and nothing
# is loaded. And what was on the lost machine is not lost, as every batch had left it in the checkpoint: the
# other machine took the three stores from there. For the query that was one slow batch, in which Spark first had to notice the
# loss. Is every order counted? Here, too, the state can tell:

# %%
placed.stop()
state = spark.read.format("statestore").load(on_machines)
topic = spark.read.format("kafka").option("kafka.bootstrap.servers", kafka.bootstrap_servers)
print("orders in the topic:", topic.option("subscribe", orders_topic).load().count())
print("orders counted:     ", state.agg(F.sum("value.count")).first()[0])

# %% [markdown]
# With the worker killed, on a new cluster, both were 210. But look at batch 4 again: machine 2 has all the work now. A new machine would
# not change that. Nothing moves a store for the sake of balance; only a task that waits for its machine longer than
# `spark.locality.wait` (3 seconds) goes to another, and its store with it.
#
# ### What others have
#
# Databricks' own runtime goes further in two places. It is worth knowing them by name, as articles seldom
# say whose they are:
#
# | there | what it does | in open-source Spark |
# | --- | --- | --- |
# | asynchronous state checkpointing | the next batch begins before the state of the last one is saved | changelogs, with snapshots made in the background |
# | state rebalancing | when executors come or go, stores move, until each executor has as many | a task prefers the executor that had its store before; nothing moves stores for balance |
#
# How far are you?

# %%
grader.progress()

# %% [markdown]
# Next: **12 Latency**, where the same settings are held against a clock.
