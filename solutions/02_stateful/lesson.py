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
# With the queries of lesson 01 you cannot. Each of them looks at one event, deals with it, and
# forgets it. "How many so far" is a question about events that are long gone. A query that answers it
# must **remember**, and what it remembers is called its **state**.
#
# In this lesson you will see where state lives, open it and read it, kill a query and watch it
# recover, and find out why a query that ran well for three weeks suddenly needs all the memory there
# is. Plan 55 minutes.

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
# | What is this price in dollars, at today's rate? | yes | stateless |
# | Is this order worth more than 100? | yes | stateless |
# | Is this the tenth order of this customer? | no, nine others count | stateful |
# | Have I seen this order before? | no | stateful |
# | What did we sell between 12 and 1? | no | stateful |
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


def stream_of(topic: str, schema: str) -> DataFrame:
    """The JSON records of a topic, from its beginning, as a streaming DataFrame."""
    return (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("kafka.fetch.max.wait.ms", 10)
        .load()
        .select(F.from_json(F.col("value").cast("string"), schema).alias("parsed"))
        .select("parsed.*")
    )


orders = stream_of(orders_topic, "order_id STRING, method STRING, amount DOUBLE")

# %% [markdown]
# To follow it step by step we let it take in what is in the topic now and stop. Its results go to a
# second topic; the function below gives back what arrived there during this run, and says how
# many rows of state the query holds afterwards.


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
    state = [
        operator.numRowsTotal for p in query.recentProgress[-1:] for operator in p.stateOperators
    ]
    print(f"rows in state: {sum(state) if state else 'none, this query keeps no state'}")
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
# **Before you run it:** what will come out, and how much will be remembered? The next cell shows the
# questions. Answer them in it by name: `grader.predict("02.0", rows=…, state=…)`.

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
# Card went from 2 to 4, although this run read none of the first orders again. The 2 was waiting in
# the checkpoint folder.
#
# So this is state: **one row for each key** (here: each payment method) with as much as is needed to
# go on. For a count that is one number. The orders themselves are not kept.
#
# The lens plays the same function on the same orders, and one step further:

# %%
grader.lens("02.0", orders_by_method)

# %% [markdown]
# The same run as a picture. These orders carry no time, so there is nothing to place from left to
# right; look at step 3, which touched one key and tells of one, while the state keeps all three.
#
# ![The rows that came out of three steps: card 2 and invoice 1, then card 4 and wallet 1, then invoice 2, with two, three and three rows in state.](02.0.svg)

# %% [markdown]
# ## What to tell: output modes
#
# A count is never finished. So when does the query say something, and what? That is the *output
# mode*, and it changes nothing about the state:
#
# | mode | a micro-batch writes | good for |
# | --- | --- | --- |
# | `update` | the rows that changed | a sink that keeps the newest row of a key |
# | `complete` | every row of the result, changed or not | a small result that replaces the old one |
# | `append` | only rows that will never change again | a sink to which one can only add |
#
# One more order, by invoice. Look at what the same query tells in `complete` mode:

# %%
everything = kafka.create_topic("lesson02-everything")
complete_checkpoint = grader.fresh_checkpoint()
run_once(orders_by_method(orders), everything, complete_checkpoint, mode="complete")

# %%
kafka.send(orders_topic, [{"order_id": "o7", "method": "invoice", "amount": 110.0}])
print(
    "complete:",
    run_once(orders_by_method(orders), everything, complete_checkpoint, mode="complete"),
)
print("update:  ", run_once(orders_by_method(orders), screen, checkpoint))

# %% [markdown]
# And `append`? When will the number of orders by card never change again? Never, as far as Spark can
# tell. So it says no before it starts:

# %%
try:
    run_once(orders_by_method(orders), screen, grader.fresh_checkpoint(), mode="append")
except Exception as error:
    print(str(error).splitlines()[0])

# %% [markdown]
# The message names what is missing: a *watermark*, which tells Spark when a time is over. You will
# borrow one at the end of this lesson, and lesson 03 takes it apart.
#
# ## Exercise 02.1: running counts
#
# The web team wants the same for pages: a counter for every page that never starts again.
#
# **In:** `clicks` with `event_id`, `page`, `visitor` (null for guests), `event_time`.
# **Out:** `page`, `clicks` (all clicks so far, guests too), `last_click` (the latest event time so far).
# The check runs it in update mode.
#
# Clicks from phones can arrive late: the one that comes last need not be the one that happened last.
#
# Predict first: `grader.predict("02.1", rows=…, state=…)`.

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
# Stuck? `grader.hint("02.1")`, and again for more.
#
# ## Open the store
#
# State is no secret. It lies in the checkpoint folder, and Spark reads it as a table: format
# `statestore`, and the path is the checkpoint. No streaming query has to run for that.

# %%
state = spark.read.format("statestore").load(checkpoint)
state.printSchema()
state.show(truncate=False)

# %% [markdown]
# Three columns. `key` is a struct of what you grouped by. `value` is a struct of what is kept for
# it. And `partition_id` says in which of the stores the row lies: rows are spread by a hash of their
# key, one store for each shuffle partition, so that several cores (or machines) can share the work.
#
# The store keeps versions, one for each micro-batch. You can look back:

# %%
spark.read.format("statestore").option("batchId", 0).load(checkpoint).select(
    "key.*", "value.*"
).show()

# %% [markdown]
# A query may have several stateful operators, each with a store of its own. `state-metadata` lists
# them. The screen's query has one; its name is Spark's word for an aggregation:

# %%
spark.read.format("state-metadata").load(checkpoint).select(
    "operatorId", "operatorName", "numPartitions", "minBatchId", "maxBatchId"
).show(truncate=False)

# %% [markdown]
# ## Exercise 02.2: read the state yourself
#
# A query of the content team has been running for months. The app sometimes sends a click twice, so it
# first drops copies. Then it tells which pages people read for 20 seconds or more on average:


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
clicks = stream_of(clicks_topic, "event_id STRING, page STRING, seconds INT")
run_once(long_read_pages(clicks), long_reads, pages_checkpoint)

# %% [markdown]
# Now they ask: *and all the other pages?* The query never told of `/help`. To change the query and let
# it read months of clicks again would take a day. You know a quicker way: the figures are in its
# state.
#
# Write a function that reads them from a checkpoint of this query. `pages_checkpoint` is one for you to
# look around in; the check brings another, and calls your function after each step.
#
# **In:** `spark`, and `checkpoint`, the path of the checkpoint.
# **Out:** for *every* page that the state knows: `page`, `clicks` (copies not counted), `avg_seconds`.
# An ordinary DataFrame this time, not a stream.
#
# Two questions to take along: what does one have to remember to carry on an *average*? And which of
# the two operators do you want?

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
# Processes die: a deployment, a full disk, a pulled plug. What is left is the checkpoint folder. This is
# what it holds for the screen on the wall:


# %%
def files(checkpoint: str) -> list[str]:
    """What lies in a checkpoint, without the checksums."""
    found = [path for path in Path(checkpoint).rglob("*") if path.is_file()]
    return sorted(str(p.relative_to(checkpoint)) for p in found if p.suffix != ".crc")


files(checkpoint)

# %% [markdown]
# | folder | says | written |
# | --- | --- | --- |
# | `offsets/N` | micro-batch N reads from here to there | *before* it runs |
# | `state/…/N+1.delta` | what it changed in the state | while it runs |
# | `commits/N` | micro-batch N is done | *after* the sink has it |
#
# The worst moment to die is between the last two: the sink has the rows, and nobody wrote down that it
# has. Let us arrange that. One order comes in, the query runs, and then we take away the last commit,
# so that the folder looks as if the process had died at that moment.


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
# No new order comes in. When the query starts again it finds offsets without a commit and runs that
# micro-batch a second time. It wrote wallet 2 before. Will it be 2 or 3 now?

# %%
print("after: ", run_once(orders_by_method(orders), screen, checkpoint))

# %% [markdown]
# Still 2. Spark took the state of the micro-batch *before* and applied the same orders to it: offsets
# and state go back **together**, so every order counts once.
#
# The topic has the record twice now. That is what *at least once* means. It does no harm here, since a
# record says how many orders there are and not how many to add: whoever reads it twice knows the
# same as before.
#
# What a checkpoint cannot survive is a change of what is remembered. Grouped by one more column, the old
# rows of state do not fit:


# %%
def orders_by_method_and_size(orders: DataFrame) -> DataFrame:
    return orders.groupBy("method", F.col("amount") > 50).agg(F.count("*").alias("orders"))


kafka.send(orders_topic, [{"order_id": "o9", "method": "card", "amount": 99.0}])
try:
    run_once(orders_by_method_and_size(orders), screen, checkpoint)
except Exception as error:
    message = str(error)
    print("\n".join(message[message.index("[STATE_STORE") :].splitlines()[:3]))

# %% [markdown]
# A new question needs a new checkpoint, and the events from the start.
#
# ## Exercise 02.3: survive a kill
#
# Every tenth order is free. The shop calls it the stamp card, and this is how it counts. It ran for a year
# without trouble. Since the last power cut customers complain that their stamps are gone.

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
# Nothing wrong to be seen, and that is the trouble: the lens does not kill. The check does, in step 2,
# between sink and commit. Where do the stamps live? What comes back after the kill, and what does not?
#
# Repair it.
#
# **In:** `spark`, and `kafka` with `kafka.bootstrap_servers` and `kafka.topic("orders")`. Values are JSON
# of the schema above. Read the topic from its beginning.
# **Out:** a writer, not started; the check sets checkpoint and trigger. To the topic
# `kafka.topic("cards")` it writes, for each customer whose number of orders changed, a record with the
# customer as `key` and as `value` the JSON `{"customer": …, "orders": …}`, with the number of orders so far.
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
# ## State that grows for ever
#
# How large does state get? One row a key: so the question is how many keys there will ever be. There are
# four ways to pay, and there will not be a thousand. But order ids never end.
#
# Below, three queries read the same orders in three runs of 100, each run an hour after the one before.
# The first counts by payment method, the second drops copies by order id, the third counts
# by hour of the order. Guess the three curves before you run it.

# %%
busy_topic = kafka.create_topic("lesson02-busy")
busy = stream_of(busy_topic, "order_id STRING, method STRING, order_time TIMESTAMP")
by_hour = busy.groupBy(F.window("order_time", "1 hour"), "method").count()

METHODS = ["card", "invoice", "wallet", "gift"]


def hour_of_orders(hour: int) -> list[dict]:
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
            print(f"{hour}:00  {name:28} {'█' * -(-rows // 8)} {rows}")


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
# `withWatermark("order_time", "10 minutes")` does: it says that no event comes more than ten minutes
# behind the newest one so far. Newest minus ten minutes is the *watermark*, and what lies wholly before
# it can go. How it moves and what it drops is the whole of lesson 03.
#
# It is only a promise, though. An operator can make use of it where **its key has an end**:
#
# - a `window(order_time, …)` in `groupBy` has an end; when the watermark passes it, the row goes;
# - `dropDuplicatesWithinWatermark(["order_id"])` remembers an id until the watermark is one delay past
#   its time, and then forgets it;
# - `groupBy("method")` and `dropDuplicates(["order_id"])` have no time in their key: with or
#   without a watermark, they keep every row.

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
# Flat. What is left belongs to the last minutes and to the hour that is still open. (These two read the
# orders from 9 o'clock on, too.)
#
# ## Exercise 02.4: find the leak
#
# This is the query from the beginning of the lesson, the one that ran well for three weeks. It counts
# clicks by page and hour, after dropping the clicks that the app sent twice. "It cannot be the state," says
# the colleague who wrote it, "it has a watermark."


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
# **In:** `clicks` with `event_id`, `page`, `event_time`. The app sends some clicks again, within ten
# minutes and with the same id and time. No click comes more than ten minutes late.
# **Out:** as now: `hour` (the start of the hour, a timestamp), `page`, `clicks`. The check runs it in update
# mode; a copy of a click changes no number and brings no row.
#
# The numbers are right and must stay so. What must change is how much is kept.

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
# - choose an output mode, and say why `append` refuses a count without an end;
# - open a query's state with `format("statestore")`, of now or of an earlier micro-batch, and find its
#   operators with `format("state-metadata")`;
# - explain from `offsets`, `state` and `commits` why a killed query neither loses nor doubles a count,
#   and why a Python variable does both;
# - spot state that grows for ever, and name the two things that stop it: keys that are few, or keys that
#   end.
#
# How far are you?

# %%
grader.progress()

# %% [markdown]
# Next: **03 Watermarks**. You have borrowed one here; there you will see it move, and see what it costs.
