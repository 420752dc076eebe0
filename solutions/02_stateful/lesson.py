# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 02 · Stateful processing
#
# There is a screen on the wall of the shop's office. It says how many orders were paid by card, by
# invoice and by wallet. Somebody asks for it every week, and until now somebody else ran a report.
# You are asked to make it move by itself.
#
# With the queries of lesson 01 you cannot: each deals with one event and forgets it. "How many so
# far" is a question about events that are long gone. A query that answers it must **remember**, and
# what it remembers is called its **state**.
#
# In this lesson you see where state lives, read it, kill a query and watch it recover, and find out
# why a query that ran well for three weeks suddenly needs all the memory there is. Plan an hour and three quarters.

# %% tags=["given"]
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

import grader

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## Which questions need a memory?
#
# Take one event in your hand and cover up all others. Can you still answer?
#
# | question | one event is enough? | |
# | --- | --- | --- |
# | Is this click by a robot? | yes | stateless |
# | Is this order worth more than 100? | yes | stateless |
# | Is this the tenth order of this customer? | no, nine others count | stateful |
# | Have I seen this order before? | no | stateful |
#
# `select`, `where` and `from_json` never need a memory. Aggregations (`groupBy`), deduplication
# (`dropDuplicates`) and joins of two streams do.
#
# ## The screen on the wall, live
#
# Here is the query, and below it a topic with orders. Nothing in it says "remember": you group and
# count as you would on a table.


# %% tags=["example"]
def orders_by_method(orders: DataFrame) -> DataFrame:
    """How often each payment method was used so far."""
    return orders.groupBy("method").agg(F.count("*").alias("orders"))


# %%
orders_topic = kafka.create_topic("lesson02-orders")

# the Kafka source and from_json of lesson 01, in one word
orders = grader.read_topic(orders_topic, "order_id STRING, method STRING, amount DOUBLE")

# %% [markdown]
# To follow it step by step we let it take in what is in the topic now and stop. Its results go to a
# second topic. The function below gives back what arrived there during this run, and says how many
# rows of state the query holds afterwards. It writes *the rows whose key got something*, which is called
# **update mode**; there are other modes, and we come to them soon.


# %%
def run_once(frame: DataFrame, to: str, checkpoint: str, mode: str = "update") -> list:
    """Run a query over what is there, to its end; returns the records that it wrote."""
    before = len(kafka.read(to))
    query = (
        frame.select(F.to_json(F.struct("*")).alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", to)
        .option("checkpointLocation", checkpoint)
        .outputMode(mode)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    ran = [p for p in query.recentProgress if p.stateOperators]
    if ran:
        print("rows in state:", sum(operator.numRowsTotal for operator in ran[-1].stateOperators))
    else:
        print("no micro-batch ran: nothing new came in, and the state is as it was")
    return kafka.read(to)[before:]


screen = kafka.create_topic("lesson02-screen")
checkpoint = grader.fresh_checkpoint()

kafka.send(
    orders_topic,
    [
        {"order_id": "o1", "method": "card", "amount": 12.5},
        {"order_id": "o2", "method": "invoice", "amount": 80.0},
        {"order_id": "o3", "method": "card", "amount": 7.9},
    ],
)
run_once(orders_by_method(orders), screen, checkpoint)

# %% [markdown]
# Three orders in, two rows out, two rows remembered. Now the query has stopped; its Python object is
# gone. Three more orders come in: two by card, one by wallet.
#
# **Before you run it:** what will come out, and how much will be remembered?
# Answer by name: `grader.predict("02.0", rows=…, state=…)`.

# %%
grader.predict("02.0")

# %%
kafka.send(
    orders_topic,
    [
        {"order_id": "o4", "method": "card", "amount": 31.0},
        {"order_id": "o5", "method": "wallet", "amount": 19.9},
        {"order_id": "o6", "method": "card", "amount": 4.5},
    ],
)
run_once(orders_by_method(orders), screen, checkpoint)

# %% [markdown]
# Card went from 2 to 4, although this run read none of the first orders again: the 2 was waiting in
# the checkpoint folder. So this is state: **one row for each key** (here: each payment method) with as
# much as is needed to go on. For a count that is one number. The orders themselves are not kept.
#
# The lens plays the same function on the same orders, and one step further:

# %%
grader.lens("02.0", orders_by_method)

# %% [markdown]
# The same run as a picture. Step 3 touched one key and tells of one, while the state keeps all three.
#
# ![The rows that came out of three steps: card 2 and invoice 1, then card 4 and wallet 1, then invoice 2, with two, three and three rows in state.](02.0.svg)

# %% [markdown]
# ## What to tell: output modes
#
# A count is never finished. So when does the query say something, and what? That is the *output
# mode*. You set it on the writer, with `.outputMode("update")`. **If you set none, it is `append`.**
#
# | mode | a micro-batch writes | good for |
# | --- | --- | --- |
# | `update` | the rows whose key got something, even if the result is as it was | a sink that keeps the newest row of a key, or a topic whose readers do |
# | `complete` | every row of the result, changed or not | a small result that replaces the old one |
# | `append` (the default) | only rows that will never change again | readers who take each row as final |
#
# For this query the state is the same in `update` and in `complete`. Look at what the same query tells in `complete` mode when one
# more order comes, by invoice:

# %%
everything, its_checkpoint = kafka.create_topic("lesson02-everything"), grader.fresh_checkpoint()
run_once(orders_by_method(orders), everything, its_checkpoint, mode="complete")  # the six so far

kafka.send(orders_topic, [{"order_id": "o7", "method": "invoice", "amount": 110.0}])
print("complete:", run_once(orders_by_method(orders), everything, its_checkpoint, mode="complete"))
print("update:  ", run_once(orders_by_method(orders), screen, checkpoint))

# %% [markdown]
# And `append`? From when on is the number of orders by card final? It never is, as far as Spark can
# tell. So it says no before it starts, also to whoever forgot to set a mode:

# %%
try:
    run_once(orders_by_method(orders), screen, grader.fresh_checkpoint(), mode="append")
except Exception as error:
    print(str(error).splitlines()[0])

# %% [markdown]
# There are two cures. If a row belongs to a time, such as an hour, and that time can end, a *watermark* tells Spark when it has:
# you will borrow one at the end of this lesson, and lesson 03 takes it apart. If, as here, a row can
# always change again, the cure is another mode: `update`.
#
# ## Exercise 02.1: running counts
#
# The web team wants the same for pages: for every page a counter that is never set back to zero.
#
# **In:** `clicks` with `event_id`, `page`, `visitor` (null for guests), `event_time` (an old app leaves out the
# id and the time).
# **Out:** exactly `page`, `clicks` (all clicks so far, guests too), `last_click` (the latest event time
# so far). Each record is a click, and none comes twice; those without a page are counted together, as one more page, whose
# `page` stays null. The check runs it in update mode.
#
# Clicks from phones can arrive late: the one that comes last need not be the one that happened last.

# %%
grader.predict("02.1")


# %% nbgrader={"grade": false, "grade_id": "page_counts", "locked": false, "solution": true}
def page_counts(clicks: DataFrame) -> DataFrame:
    """Of each page: page, clicks so far, last_click (the latest event_time so far)."""
    ### BEGIN SOLUTION
    return clicks.groupBy("page").agg(
        F.count("*").alias("clicks"), F.max("event_time").alias("last_click")
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-page_counts", "locked": true, "points": 2, "solution": false}
grader.check("02.1", page_counts)

# %% [markdown]
# ## Open the store
#
# State lies in the checkpoint folder, and Spark reads it as a table: format `statestore`, and the path
# is the checkpoint. No streaming query has to run for that.

# %%
state = spark.read.format("statestore").load(checkpoint)
state.printSchema()
state.show(truncate=False)

# %% [markdown]
# `key` is a struct of what you grouped by, `value` a struct of what is kept for it. `partition_id` says
# in which store the row lies. There is one for each *shuffle partition* (`spark.sql.shuffle.partitions`),
# so that several cores can share the work; a hash of the key decides which one. Kafka's partitions
# play no part in this.
#
# The store keeps versions, one for each micro-batch (the last hundred, unless `spark.sql.streaming.minBatchesToRetain`
# says otherwise). You can look back:

# %%
spark.read.format("statestore").option("batchId", 0).load(checkpoint).select(
    "key.*", "value.*"
).show()

# %% [markdown]
# ## Exercise 02.2: read the state yourself
#
# A query of the content team has been running for months. It first drops copies, as the app sometimes
# sends a click twice. Then it tells which pages people read for 20 seconds or more on average:


# %%
def long_read_pages(clicks: DataFrame) -> DataFrame:
    return (
        clicks.dropDuplicates(["event_id"])
        .groupBy("page")
        .agg(F.avg("seconds").alias("avg_seconds"))
        .where("avg_seconds >= 20")
    )


clicks_topic = kafka.create_topic("lesson02-clicks")
long_reads = kafka.create_topic("lesson02-long-reads")
pages_checkpoint = grader.fresh_checkpoint()
kafka.send(
    clicks_topic,
    [
        {"event_id": "c1", "page": "/blog", "seconds": 60},
        {"event_id": "c2", "page": "/blog", "seconds": 40},
        {"event_id": "c3", "page": "/help", "seconds": 3},
        {"event_id": "c3", "page": "/help", "seconds": 3},
    ],
)
clicks = grader.read_topic(clicks_topic, "event_id STRING, page STRING, seconds INT")
run_once(long_read_pages(clicks), long_reads, pages_checkpoint)

# %% [markdown]
# Now they ask: *and all the other pages?* The query never told of `/help`. Without its `where` it could go on with this
# checkpoint, and would tell of `/help` when the next click comes there. But the figures are in its state now.
#
# This query has two stateful operators, each with stores of its own. `state-metadata` lists them by
# Spark's names: `dedupe` drops copies, `stateStoreSave` keeps an aggregation. The reader opens number
# 0 unless you ask for another one:

# %%
spark.read.format("state-metadata").load(pages_checkpoint).select(
    "operatorId", "operatorName", "numPartitions"
).show(truncate=False)
spark.read.format("statestore").option("operatorId", 1).load(pages_checkpoint).select(
    "key.*"
).show()

# %% [markdown]
# Write a function that reads all pages from a checkpoint of this query. `pages_checkpoint` is one for
# you to look around in. The check brings others: it calls your function after each step,
# each time with the path in `checkpoint`.
#
# **In:** `spark`, and `checkpoint`, the path.
# **Out:** for *every* page that the state knows, in however many stores, exactly `page`, `clicks` (copies not counted),
# `avg_seconds` (a double, not rounded). Every click has `seconds`; those without a page are one page more, whose `page` is
# null. A batch DataFrame of Spark this time, not a stream.
#
# What does one have to remember to carry on an *average*?

# %%
grader.predict("02.2")


# %% nbgrader={"grade": false, "grade_id": "all_pages", "locked": false, "solution": true}
def all_pages(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Every page in the state of long_read_pages: page, clicks, avg_seconds."""
    ### BEGIN SOLUTION
    state = spark.read.format("statestore").load(checkpoint)
    return state.select(
        F.col("key.page").alias("page"),
        F.col("value.count").alias("clicks"),
        (F.col("value.sum") / F.col("value.count")).alias("avg_seconds"),
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-all_pages", "locked": true, "points": 3, "solution": false}
grader.check("02.2", all_pages)

# %% [markdown]
# ## Kill it
#
# Processes die, and what is left is the checkpoint folder. You know its two logs from lesson 01. This
# is all that it holds for the screen on the wall:


# %%
def files(checkpoint: str) -> list[str]:
    """What lies in a checkpoint, without the checksums."""
    found = [path for path in Path(checkpoint).rglob("*") if path.is_file()]
    return sorted(str(p.relative_to(checkpoint)) for p in found if p.suffix != ".crc")


files(checkpoint)

# %% [markdown]
# | folder | says | written |
# | --- | --- | --- |
# | `offsets/N` | how far micro-batch N reads (it begins where N − 1 ended) | *before* it runs |
# | `state/…/N+1.delta` | what it changed in the state (these files are numbered from 1) | while it runs |
# | `commits/N` | micro-batch N is done | *after* the sink has it |
#
# (The others say which query it is, `metadata`; where it first began to read, `sources`; how its state is laid out,
# `_metadata`.)
#
# The worst moment to die is before the last one: the sink has the rows, and nobody wrote down that it
# has. Let us arrange that again: one order comes in, the query runs, and we take away the last commit.


# %%
def die_before_the_commit(checkpoint: str) -> str:
    """Take away the newest commit; returns its number."""
    newest = max(Path(checkpoint, "commits").glob("[0-9]*"), key=lambda path: int(path.name))
    newest.unlink()
    newest.with_name(f".{newest.name}.crc").unlink(missing_ok=True)
    return newest.name


kafka.send(orders_topic, [{"order_id": "o8", "method": "wallet", "amount": 6.0}])
print("before:", run_once(orders_by_method(orders), screen, checkpoint))
print("killed before commit", die_before_the_commit(checkpoint))

# %% [markdown]
# No new order comes in. The query finds offsets without a commit and runs that micro-batch a second
# time. It wrote wallet 2 before. Will it be 2 or 3 now?

# %%
print("after: ", run_once(orders_by_method(orders), screen, checkpoint))

# %% [markdown]
# Still 2. Spark took the state of the micro-batch *before* and applied the same orders to it: offsets
# and state go back **together**, so every order counts once.
#
# The topic has the record twice now: *at least once*. It does no harm here, since a record says how
# many orders there are and not how many to add.
#
# What a checkpoint does not survive is a change of what is remembered. Group by one more column, and
# the old rows of state do not fit: Spark refuses. Another key, or other figures kept for it, need a new checkpoint. What
# stands behind the aggregation, a `where` or a `select`, may change.
#
# ## Exercise 02.3: survive a kill
#
# Every tenth order is free. This is how the shop counts the stamps on each customer's card. Since the
# last power cut customers complain that their stamps are gone.

# %%
ORDER = "order_id STRING, customer STRING, amount DOUBLE"


def stamp_cards_as_it_is(spark: SparkSession, kafka) -> DataStreamWriter:
    stamps = {}

    def write(batch: DataFrame, batch_id: int) -> None:
        told = {}
        for order in batch.collect():
            stamps[order.customer] = stamps.get(order.customer, 0) + 1
            told[order.customer] = stamps[order.customer]
        if told:
            cards = batch.sparkSession.createDataFrame(
                list(told.items()), "customer STRING, orders LONG"
            )
            (
                cards.select(
                    F.col("customer").alias("key"),
                    F.to_json(F.struct("customer", "orders")).alias("value"),
                )
                .write.format("kafka")
                .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
                .option("topic", kafka.topic("cards"))
                .save()
            )

    return (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("orders"))
        .option("startingOffsets", "earliest")
        .load()
        .select(F.from_json(F.col("value").cast("string"), ORDER).alias("o"))
        .select("o.*")
        .writeStream.foreachBatch(write)
    )


grader.lens("02.3", stamp_cards_as_it_is)

# %% [markdown]
# Nothing wrong to be seen, as the lens does not kill. The check does, in step 2, between sink and
# commit. Where do the stamps live? What comes back after the kill, and what does not? Repair it.
#
# **In:** `spark`, and `kafka` with `kafka.bootstrap_servers` and `kafka.topic("orders")`. Values are JSON
# of the schema above; every order has a customer. Read the topic from its beginning.
# **Out:** a writer, not started; you choose its output mode, the check sets checkpoint and trigger. To the
# topic `kafka.topic("cards")` it writes, in each step, for each customer whose number of orders changed, one record with
# the customer as `key` and as `value` the JSON `{"customer": …, "orders": …}`, with the number of orders so far
# and nothing else. (A step is one micro-batch: do not cut it smaller, as `maxOffsetsPerTrigger` would.)
#
# After a kill nothing may be lost and nothing counted twice. The same record may arrive twice.

# %%
grader.predict("02.3")


# %% nbgrader={"grade": false, "grade_id": "stamp_cards", "locked": false, "solution": true}
def stamp_cards(spark: SparkSession, kafka) -> DataStreamWriter:
    """Orders so far of each customer whose number changed, to the topic cards. Not started."""
    ### BEGIN SOLUTION
    schema = "order_id STRING, customer STRING, amount DOUBLE"
    orders = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("orders"))
        .option("startingOffsets", "earliest")
        .option("kafka.fetch.max.wait.ms", 10)
        .load()
        .select(F.from_json(F.col("value").cast("string"), schema).alias("o"))
        .select("o.*")
    )
    cards = orders.groupBy("customer").agg(F.count("*").alias("orders"))
    value = F.to_json(F.struct("customer", "orders"))
    return (
        cards.select(F.col("customer").alias("key"), value.alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("cards"))
        .outputMode("update")
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-stamp_cards", "locked": true, "points": 4, "solution": false}
grader.check("02.3", stamp_cards)

# %% [markdown]
# ## A look that breaks the state
#
# `foreachBatch` holds one more trap, where there is state in front of it. Somebody just wants to see the first row of
# each batch. Here on the screen's orders, with a new checkpoint and two stores. **Which of the stores will have
# written what it counted?**

# %%
import re

peeked, as_before = grader.fresh_checkpoint(), spark.conf.get("spark.sql.shuffle.partitions")
spark.conf.set("spark.sql.shuffle.partitions", "2")
query = (
    orders_by_method(orders)
    .writeStream.foreachBatch(lambda batch, number: batch.show(1))
    .outputMode("update")
    .option("checkpointLocation", peeked)
    .trigger(availableNow=True)
    .start()
)
try:
    query.awaitTermination()
except Exception as error:
    # the message says no more than that a result was waited for; the reason stands in Java's trace
    print(re.findall(r"\[STATE_STORE.*", error._stackTrace)[0])
finally:
    spark.conf.set("spark.sql.shuffle.partitions", as_before)
files(peeked)

# %% [markdown]
# `show(1)` takes two rows, one to show and one to know that there are more, and ends when it has them. The first store
# had enough, so nobody asked the second, and it wrote nothing:
# there is no file below `state/0/1`. Spark notices, and too late. `commits/0` says that the batch is done, and the
# next start would look in vain for that file. `first()` and `limit(…).collect()` end early, too.
#
# So where a query has state, go through the **whole** batch: `batch.persist()`, then a write or a `count()`, then look
# at it as you like, then `batch.unpersist()`.
#
# ## State that grows for ever
#
# How large does state get? One row a key: so the question is how many keys there will ever be.
#
# Below, three queries read the same orders: 100 at 9 o'clock, 100 at 10, 100 at 11, paid in four ways.
# The first counts by payment method, the second drops copies by order id, the third counts by hour
# and method. **How many rows does each keep after 9, 10 and 11 o'clock?** Write your nine numbers down
# before you unfold or run anything. (Their sink is `noop`, which throws every row away: only the state
# matters here.)
#
# <details><summary>What each of them keeps</summary>
#
# By method: 4, 4, 4, one row for each way to pay. By order id: 100, 200, 300, as no id ever comes back.
# By hour and method: 4, 8, 12, four more each hour.
#
# </details>

# %%
busy_topic = kafka.create_topic("lesson02-busy")
busy = grader.read_topic(busy_topic, "order_id STRING, method STRING, order_time TIMESTAMP")
by_hour = busy.groupBy(F.window("order_time", "1 hour"), "method").count()

METHODS = ["card", "invoice", "wallet", "gift"]


def hour_of_orders(hour: int) -> list[dict]:
    """100 orders, two a minute, from the full hour to 49 minutes past."""
    return [
        {
            "order_id": f"o{hour}-{n}",
            "method": METHODS[n % 4],
            "order_time": f"2026-03-02T{hour:02d}:{n // 2:02d}:00Z",
        }
        for n in range(100)
    ]


def watch_state(queries: dict[str, DataFrame], first_hour: int) -> None:
    """Run each query after each of three hours of orders, and draw the rows in its state."""
    places = {name: grader.fresh_checkpoint() for name in queries}
    for hour in range(first_hour, first_hour + 3):
        kafka.send(busy_topic, hour_of_orders(hour))
        for name, frame in queries.items():
            query = (
                frame.writeStream.format("noop")
                .outputMode("update")
                .option("checkpointLocation", places[name])
                .trigger(availableNow=True)
                .start()
            )
            query.awaitTermination()
            rows = sum(
                operator.numRowsTotal for operator in query.recentProgress[-1].stateOperators
            )
            print(f"{hour:02}:00  {name:24} {'█' * (rows // 8)}{'▌' * (rows % 8 // 4)} {rows}")


watch_state(
    {
        "by method": busy.groupBy("method").count(),
        "copies by order id": busy.dropDuplicates(["order_id"]),
        "by hour and method": by_hour,
    },
    first_hour=9,
)

# %% [markdown]
# The first one is settled. The second grows by a row an order, for ever. The third grows more slowly, which
# is worse in a way: it will take months before anybody notices. Nobody will ever ask for 9 o'clock again, but
# Spark does not know that.
#
# To forget, Spark needs to be told **when a time is over**. That is what
# `withWatermark("order_time", "10 minutes")` does: it says that no event comes more than ten minutes (the
# *delay*) behind the newest one so far. Newest minus delay is the *watermark*. How it moves and what it
# drops is the whole of lesson 03.
#
# An operator can make use of it only where **a row of its state has an end**, in its key or noted beside it:
#
# - a `window(order_time, "1 hour")` in `groupBy` cuts time into hours; when the watermark reaches the end
#   of one, its rows go (not in complete mode). (It makes a column `window`, a struct with `start` and `end`.)
# - `dropDuplicatesWithinWatermark(["order_id"])` notes beside each id when it ends: when the watermark is one delay
#   past its time;
# - `groupBy("method")` and `dropDuplicates(["order_id"])` have no time in their key: with or without
#   a watermark, they keep every row.

# %%
timed = busy.withWatermark("order_time", "10 minutes")
watch_state(
    {
        "copies within 10 minutes": timed.dropDuplicatesWithinWatermark(["order_id"]),
        "by hour and method": timed.groupBy(F.window("order_time", "1 hour"), "method").count(),
    },
    first_hour=12,
)

# %% [markdown]
# Flat. Four counts are left, those of the hour that is still open. And why 40 ids? The newest order is
# of 49 minutes past the hour, so the watermark stands at 39. An id goes when the watermark is ten
# minutes past its time: those up to 29 are gone, the last twenty minutes are left, two orders a minute.
# An id stays for *two* delays: one until the watermark reaches it, one more until it is let go.
#
# ## Exercise 02.4: find the leak
#
# This is the query that ran well for three weeks. It counts clicks by page and hour, after dropping
# copies. "It cannot be the state," says the colleague who wrote it, "it has a watermark."


# %%
def hourly_clicks_as_it_is(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "10 minutes")
        .dropDuplicates(["event_id"])
        .groupBy(F.date_trunc("hour", "event_time").alias("hour"), "page")
        .agg(F.count("*").alias("clicks"))
    )


grader.lens("02.4", hourly_clicks_as_it_is)

# %% [markdown]
# Look at the rows that it keeps. Which of its operators forgets nothing?
#
# **In:** `clicks` with `event_id` (every click has one), `page`, `event_time`. The app sends some clicks
# again, unchanged and within ten minutes. Every click is less than ten minutes behind the newest of the steps before.
# **Out:** as now, exactly `hour` (the start of the hour, a timestamp), `page`, `clicks`. The check runs it in
# update mode; a copy of a click changes no number and brings no row.
#
# The numbers are right and must stay so, and so must the delay of ten minutes. What must change is how much is kept: an id
# no longer than until the watermark is ten minutes past its click, a count no longer than until the watermark is past the hour's end.

# %%
grader.predict("02.4")


# %% nbgrader={"grade": false, "grade_id": "hourly_clicks", "locked": false, "solution": true}
def hourly_clicks(clicks: DataFrame) -> DataFrame:
    """Clicks by hour and page, copies not counted, with state that shrinks: hour, page, clicks."""
    ### BEGIN SOLUTION
    counted = (
        clicks.withWatermark("event_time", "10 minutes")
        .dropDuplicatesWithinWatermark(["event_id"])
        .groupBy(F.window("event_time", "1 hour"), "page")
        .agg(F.count("*").alias("clicks"))
    )
    return counted.select(F.col("window.start").alias("hour"), "page", "clicks")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-hourly_clicks", "locked": true, "points": 4, "solution": false}
grader.check("02.4", hourly_clicks)

# %% [markdown]
# ## What you can now do
#
# - say of a question whether it needs state, and how many rows of it there will be: one for each key;
# - choose an output mode, and say why `append`, the default, refuses a count without an end;
# - open a query's state with `format("statestore")`, of now or of an earlier micro-batch, and find and
#   choose among its operators;
# - explain from `offsets`, `state` and `commits` why a killed query neither loses nor doubles a count,
#   and why a Python variable does not survive that;
# - spot state that grows for ever, and name the two things that stop it: keys that are few, or rows that
#   end.
#
# How far are you?

# %%
grader.progress()

# %% [markdown]
# Next: **03 Watermarks**. You have borrowed one here; there you will see it move, and see what it costs.
