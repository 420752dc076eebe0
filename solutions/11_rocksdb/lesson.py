# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 11 · RocksDB
#
# It is the week before the holidays. The counts by page that ran all year take longer with every
# hour, now and then everything stands still for seconds, and one night the executor is gone: out
# of memory. The query is right. It is just that its state lives on the **Java heap**, where every
# row is an object, and the garbage collector has to look at all of them.
#
# RocksDB is the other place for state: a small database inside the executor, with its memory
# outside the heap and the rest on disk. It holds far more keys. And it has settings, of which this
# lesson takes four. All of them change *how* state is kept, none what comes out, so a mistake does
# not show in the rows. It shows in the checkpoint folder and in the metrics; we look there.

# %% tags=["given"]
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
from collections import Counter
from pathlib import Path

orders_topic = kafka.create_topic("lesson11-orders")
kafka.send(
    orders_topic,
    [
        {"fruit": fruit, "order_time": f"2026-03-01T12:00:{second:02d}Z"}
        for second, fruit in enumerate(["apple", "mango", "plum", "pear", "fig", "kiwi"] * 5)
    ],
)


def run(settings: dict[str, str]) -> None:
    """Run the count under these settings; print its files in the checkpoint, and some metrics."""
    session = spark.newSession()
    for name, value in settings.items():
        session.conf.set(name, value)
    checkpoint = grader.fresh_checkpoint()
    orders = (
        session.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", orders_topic)
        .option("startingOffsets", "earliest")
        .option("kafka.fetch.max.wait.ms", 10)
        .load()
        .select(
            F.from_json(
                F.col("value").cast("string"), "fruit STRING, order_time TIMESTAMP"
            ).alias("o")
        )
        .select("o.*")
    )
    query = (
        orders_by_fruit(orders).writeStream.format("noop")
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    files = [path for path in Path(checkpoint, "state").rglob("*") if path.is_file()]
    print("files: ", dict(Counter(p.suffix for p in files if p.suffix in KINDS)))
    operator = query.recentProgress[-1]["stateOperators"][0]
    print("stores:", operator["numStateStoreInstances"], "· rows:", operator["numRowsTotal"])
    pinned = operator["customMetrics"].get("rocksdbPinnedBlocksMemoryUsage")
    print("memory:", operator["memoryUsedBytes"], "bytes · pinned in the cache:", pinned)


KINDS = {".delta": "heap", ".zip": "snapshot", ".sst": "table", ".changelog": "changes"}

# %% [markdown]
# **On the heap**, the default. Every commit writes a `.delta` file for each store, one store for
# each partition of the shuffle. The lab sets as many partitions as your machine has cores.

# %%
run({})

# %% [markdown]
# **In RocksDB**, which one setting chooses. A commit now writes a `.zip`, a snapshot of the whole
# store, and with it those of its `.sst` files (sorted tables) that the checkpoint lacks. A small
# change to a large state can mean much to write: that is *write amplification*.

# %%
STATE = "spark.sql.streaming.stateStore."
rocksdb = {
    STATE + "providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
}
run(rocksdb)

# %% [markdown]
# **In RocksDB with changelogs.** A commit writes only what the batch changed. Snapshots are still
# made now and then, in the background, so that a restart need not replay the changes of a year.

# %%
changelog = {STATE + "rocksdb.changelogCheckpointing.enabled": "true"}
run({**rocksdb, **changelog})

# %% [markdown]
# This is what such a query does, with a few of these orders and some later ones, in RocksDB with
# changelogs. Look for RocksDB in the picture and you will not find it: rows, watermark and the number of
# rows in state are those of the heap.
#
# ![Orders by fruit in five steps: the minute from 12:00 comes out in step 3 with apple 2, mango 2 and plum 1, the next one in step 5 with apple 2 and plum 1, a mango of 12:00:40 is crossed out in step 4, and 3, 4, 2, 2 and 1 rows are in state.](11.0.svg)
#
# ## One limit for all
#
# By default every store has its own block cache and its own write buffers, and nobody adds them
# up. Two stores are nothing; ten queries with a hundred stores are another matter, and memory
# outside the heap has no garbage collector to complain in time.
#
# With `boundedMemoryUsage` all stores of an executor share **one** cache, the write buffers are
# counted in it, and `maxMemoryUsageMB` (500 unless you say otherwise) is its size. It is a limit
# for the executor, not for a store or a query. That has a consequence worth knowing: the cache is
# made once in the life of the process, by the **first** bounded store. A later query with another
# number is not refused. It joins the cache that is there.
#
# How do you see in the metrics that memory is shared? Write buffers of an unbounded store are its
# own affair. Those of bounded stores are charged to the shared cache as *pinned* blocks. So
# `rocksdbPinnedBlocksMemoryUsage`, next to nothing in the runs above, goes up by orders of magnitude
# the moment the bound is on, even for six rows.
#
# ## Your turn: ten stores under one limit
#
# `clicks` has `page` and `event_time`, and comes 10 seconds late at most. Count the clicks of each
# page by the minute (`window`, `page`, `clicks`), and set the session `spark` up so that
#
# - the state is kept in RocksDB,
# - cut into **ten** stores,
# - which share **64 MB**, all of them together,
# - and write **changelogs** when they commit.
#
# Settings go through `spark.conf.set(name, value)`, before you return the query. The session is
# made for the check alone, so nothing that you set stays behind. The check then looks for the files
# in your checkpoint and reads your metrics. (It judges the limit by your setting, for the reason
# above: in this process, some other query may have made the cache.)
#
# First: step 1 brings twelve clicks within one minute, on ten different pages. How many rows do
# the ten stores hold, taken together?

# %%
grader.predict("11.1", state=100)

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
# Two of the five settings are fixed for good once the query has started: the provider and the
# number of partitions are pinned in the checkpoint, and changing them later does nothing, in
# silence. Changelogs and the memory bound are read anew at every start.
#
# ## What you can now do
#
# - choose where state lives, and say what that costs;
# - tell snapshots from changelogs by looking into the checkpoint folder;
# - put all stores of an executor under one limit, and see in the metrics that they share it;
# - say which settings a checkpoint pins, which a query reads at its start, and which belong to the
#   process.
