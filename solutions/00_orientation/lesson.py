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
# # 00 · Orientation
#
# You have joined a small online shop that sells apples, oranges and mangoes. Each page view, each order and each
# advertisement shown is an *event*, and events never stop arriving. In this course you write the queries that
# process them while they arrive. The lab starts a real Kafka server, a *broker*, and a real Spark on this machine.
#
# **Objectives** · In this lesson you
#
# - send events to Kafka and read them with a streaming query,
# - explain what a *micro-batch* and a *checkpoint* are,
# - use the verbs of the course: `check`, `lens`, `hint`, `predict`, `why`, `progress`,
# - write two filters,
# - repair a query that treats a stream like a table.
#
# **Prerequisites** · Python functions, and DataFrames in Spark: `select`, `filter`, `groupBy`. You need no Kafka and
# no streaming.
#
# **Time** · engineer 55 minutes, student 90 minutes.
#
# **Fast path** · 25 minutes, if you know Kafka and `readStream`: run the cells as far as the lens of 00.0, read from
# *Steps* on, and do exercises 00.2 and 00.3.

# %% [markdown]
# ## How this course works
#
# There are 18 lessons, and they build on each other. All of them take an engineer who knows Spark about 31 hours, and
# a student about 54. A lesson has a core and sometimes a part called *Going further*, which no later lesson needs.
#
# Work from top to bottom; Shift-Enter runs a cell. Each lesson has graded exercises. You write a function, and a check
# runs it on Kafka and Spark and gives points. You can check as often as you like.

# %% tags=["given"]
from IPython.display import Pretty, display
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import grader

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## Topics and offsets
#
# Kafka keeps records in *topics*. A topic is an append-only list: anyone can append to it, and anyone can read it from
# any position. Reading removes nothing. The position of a record in the list is its *offset*: 0, 1, 2 and so on.
#
# Kafka deletes old records after a week, unless configured otherwise. A topic can also consist of several such lists,
# its *partitions*; lesson 01 explains them.
#
# Create a topic and send three clicks to it. Each click is a Python dictionary, and it is sent as JSON.

# %%
first_clicks = kafka.create_topic("first_clicks")
kafka.send(
    first_clicks,
    [
        {"event_id": "c1", "page": "/", "ms_on_page": 4200},
        {"event_id": "c2", "page": "/fruit/apple", "ms_on_page": 31000},
        {"event_id": "c3", "page": "/cart", "ms_on_page": 900},
    ],
)
kafka.read(first_clicks)

# %% [markdown]
# ## Your first stream: source, plan, sink
#
# A streaming query has three parts: a source of rows, a plan of what happens to them, and a sink for the result.
#
# The **source** is our topic. Kafka does not know JSON: each record arrives as a row whose `value` is binary, an array
# of bytes. Other columns describe the record, such as its `topic` and its `offset`. So we cast the value to a string
# and parse it.
# The last option below only makes the lesson faster.


# %%
def records_of(topic: str) -> DataFrame:
    """The records of a topic as a stream, from its beginning."""
    return (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("kafka.fetch.max.wait.ms", 10)
        .load()
    )


click = F.from_json(F.col("value").cast("string"), "event_id STRING, page STRING, ms_on_page INT")
clicks = records_of(first_clicks).select(click.alias("click")).select("click.*")
clicks.isStreaming, clicks.columns

# %% [markdown]
# `clicks` looks like any DataFrame, and you can filter and select as usual. But it is only a *plan*: no click has been
# read yet. Reading begins when we name a **sink** and start the query.
#
# Our sink is a second topic. A query also needs a *checkpoint*, a folder in which it records its progress. A *trigger*
# says when to look for new rows. `availableNow` (Spark 3.3+) means: process what is there now, then stop.

# %%
long_looks = kafka.create_topic("long_looks")
checkpoint = grader.fresh_checkpoint()


def run_once(rows: DataFrame):
    """Run the query over what is in the topic now, and wait until it has stopped."""
    query = (
        rows.select(F.to_json(F.struct("*")).alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", long_looks)
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return query


query = run_once(clicks.filter(F.col("ms_on_page") > 1000))
kafka.read(long_looks)

# %% [markdown]
# Three clicks in, two rows out. You have run a stream.
#
# ## What is a micro-batch?
#
# Spark does not process rows one by one. It takes all rows that have arrived since the last time, as one small table: a
# **micro-batch**. It runs your plan on that table, writes the result to the sink, and notes in the checkpoint that this
# micro-batch is done. Then it looks for new rows again.
#
# Ask the query what it did:


# %%
def batches(query) -> list[str]:
    """The micro-batches of a query that had something to read."""
    read = [p for p in query.recentProgress if p.numInputRows]
    return [f"batch {p.batchId}, rows in: {p.numInputRows}" for p in read]


batches(query)

# %% [markdown]
# Now two more clicks arrive. Predict before you run the next cell: does the query read five rows, or two?

# %%
kafka.send(
    first_clicks,
    [
        {"event_id": "c4", "page": "/checkout", "ms_on_page": 64000},
        {"event_id": "c5", "page": "/", "ms_on_page": 300},
    ],
)
query = run_once(clicks.filter(F.col("ms_on_page") > 1000))
batches(query), kafka.read(long_looks)

# %% [markdown]
# Two. The first query has stopped, but its checkpoint knows that offsets 0 to 2 are done. The new micro-batch has
# number 1, not 0, because the query continues where the last one stopped.
#
# Run the query a third time, with nothing new in the topic, and nothing happens. There is no message either. When a
# query of your own shows nothing, ask why:

# %%
grader.why(run_once(clicks.filter(F.col("ms_on_page") > 1000)))

# %% [markdown]
# ## The processingTime trigger: watch a running stream
#
# With `availableNow` a query stops when it has processed everything. In production a query usually keeps running.
# `processingTime` does that: it looks for new rows at a fixed interval. Run the next cell and watch. A query runs in the
# background, and we send twenty clicks one after the other. After each click we count what the query has written.

# %%
# unique_topic: a topic of a new name, so that you may run this cell again
street, screen = kafka.unique_topic("street"), kafka.unique_topic("screen")
live = (
    records_of(street)
    .writeStream.format("kafka")
    .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    .option("topic", screen)
    .option("checkpointLocation", grader.fresh_checkpoint())
    .trigger(processingTime="500 milliseconds")
    .start()
)
view = display(Pretty("nothing sent yet"), display_id=True)


def redraw(sent: int) -> None:
    """Show how many clicks were sent and how many the query has written."""
    view.update(Pretty(f"sent      {'▪' * sent}\ncame out  {'▪' * len(kafka.read(screen))}"))


for number in range(1, 21):
    kafka.send(street, [f"click {number}"])
    redraw(number)
live.processAllAvailable()  # wait until the query has read all that was sent
redraw(20)
live.stop()
batches(live)

# %% [markdown]
# The output is a little behind the input, by about one micro-batch. The list shows the sizes of the micro-batches; one
# that found no rows is not listed. Run the cell again: the same twenty clicks, but they are usually split into other
# micro-batches.
#
# Where a micro-batch ends depends on when rows arrive. What the query *outputs* should not depend on it. For a filter
# that looks only at columns of the row, it never does. For other queries this is the hard part of streaming. So a check
# sends the same events to your query several times, each time split into other micro-batches.
#
# Always stop a query that you have started. Otherwise it keeps running in the background.

# %% [markdown]
# ## Steps: how this course replays events
#
# To say exactly what a query must do, every exercise has a *scenario*: events grouped in **steps**.
#
# - The check sends the events of step 1 and runs your query with `availableNow`, so that one micro-batch reads all of
#   them.
# - Then it sends step 2, and so on, always with the same checkpoint.
#
# These are the first two steps of a morning in our shop. Each click also says when it happened: its *event time*, by
# the clock of the browser. Clicks do not always arrive in the order of their event times.

# %% [markdown]
# | step | event_id | page | event_time |
# | --- | --- | --- | --- |
# | 1 | c01 | / | 12:00:05 |
# | 1 | c02 | /fruit/apple | 12:00:40 |
# | 1 | c03 | / | 12:01:10 |
# | 1 | c04 | /fruit/mango | 12:02:00 |
# | 1 | c05 | /cart | 12:02:30 |
# | 1 | c06 | / | 12:03:00 |
# | 1 | c07 | /checkout | 12:03:45 |
# | 1 | c08 | /fruit/orange | 12:04:10 |
# | 1 | c09 | /cart | 12:04:50 |
# | 2 | c10 | / | 12:05:00 |
# | 2 | c11 | /checkout | 12:06:05 |
# | 2 | c12 | /fruit/mango | 12:08:10 |
# | 2 | c13 | /cart | 12:06:40 |
# | 2 | c08 | /fruit/orange | 12:04:10 |
# | 2 | *c14* | *truncated:* `…"page": "/fru` | |
# | 2 | c15 | /checkout/help | 12:07:30 |
# | 2 | c16 | /checkout | 12:09:00 |
# | 2 | c17 | /fruit/apple | 12:09:50 |
#
# Each click also has a `user_id`, which is null for guests, and `ms_on_page`, the time on the page in milliseconds,
# never negative.
#
# Your functions get the clicks parsed: `ms_on_page` is an integer, `event_time` a timestamp, the others are strings.
# The file is `datasets/page_clicks.jsonl`, and `datasets/README.md` describes its fields.
#
# This query keeps the clicks on fruit pages.


# %% tags=["example"]
def fruit_pages(clicks: DataFrame) -> DataFrame:
    """The clicks on pages below /fruit/."""
    return clicks.filter(F.col("page").startswith("/fruit/")).select("event_id", "page")


# %% [markdown]
# ### Predict
#
# Before you run something, predict the result. It takes a minute, and it is how people learn: you remember a result
# that contradicts your prediction. The next cell shows the questions. Then answer by name:
# `grader.predict("00.0", first_batch=…, second_batch=…)`.

# %%
grader.predict("00.0")

# %% [markdown]
# ### The lens: what a query does in each step
#
# `lens` runs a function on the scenario of an exercise and shows input and output, step by step. It also shows
# *state*, what a query remembers (lesson 02), and the *watermark*, which says how long a query waits (lesson 03). A
# filter has neither. Were you right?

# %%
grader.lens("00.0", fruit_pages)

# %% [markdown]
# Two things deserve a second look.
#
# - c08 arrived twice and was emitted twice: a filter has no memory.
# - c14 has truncated JSON, so all its columns are null. `startswith` of null is null, neither true nor false. So is
#   every comparison with null except `eqNullSafe`, which is made for nulls.
#
# A filter keeps a row only if its condition is *true*. This is how rows disappear silently. Remember it for the second
# exercise.
#
# Here is the same run as a picture: event time from left to right, one band for each step. Look for the dot far to the
# left in step 4. It is c26, fourteen minutes behind the newest event, and it is emitted like any other.
#
# ![The clicks of five steps as dots, placed by event time. Next to each step are the emitted clicks on fruit pages: three, three, three, two and none.](00.0.svg)

# %% [markdown]
# ## Write your first exercise
#
# In this course you write *functions*: a streaming DataFrame goes in, a streaming DataFrame is returned. You start no
# query; the check does. If a task names the columns to return, return exactly these columns. Their order does not
# matter.

# %% [markdown]
# ## Exercise 00.1: Filter long visits to the checkout
#
# Many people open the checkout page and leave. People who stay for a while are about to buy, and the shop wants to know
# them. Write `checkout_clicks(clicks)`.
#
# **Input** · `clicks`, a stream: `event_id STRING`, `user_id STRING`, `page STRING`, `ms_on_page INT` (milliseconds),
# `event_time TIMESTAMP`. Any column can be null.
#
# **Output** · a stream with exactly `event_id`, `page`, `ms_on_page`, and one row for each click that you keep. A
# duplicate of such a click is one more row.
#
# **Rules**
#
# 1. Keep only clicks whose page is exactly `/checkout`.
# 2. Keep only clicks that lasted at least 30 seconds.
# 3. Drop clicks whose `ms_on_page` is null.
#
# **You can assume** · no page contains a line break.
#
# **Checked** · the rows; the same rows if the events are split into other micro-batches.


# %% nbgrader={"grade": false, "grade_id": "checkout_clicks", "locked": false, "solution": true}
def checkout_clicks(clicks: DataFrame) -> DataFrame:
    """Clicks on /checkout of at least 30 s: event_id, page, ms_on_page."""
    ### BEGIN SOLUTION
    return clicks.filter((F.col("page") == "/checkout") & (F.col("ms_on_page") >= 30_000)).select(
        "event_id", "page", "ms_on_page"
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-checkout_clicks", "locked": true, "points": 2, "solution": false}
grader.check("00.1", checkout_clicks)

# %% [markdown]
# `check` runs your function on several scenarios: the public one, the same events split into other micro-batches, and
# one that you have not seen. If something is wrong, it says which rows are missing or unexpected and names the event
# that caused it. If it knows the mistake, it also names the idea to revisit.
#
# Are you stuck? Every exercise has several hints, from a nudge to nearly the answer. Each call shows the next one:

# %%
grader.hint("00.1")

# %% [markdown]
# The lens works on your own function, too, right or wrong: `grader.lens("00.1", checkout_clicks)`.

# %% [markdown]
# ## Exercise 00.2: Filter out robots, keep nulls
#
# Scripts of the shop visit the pages every minute to see whether they are up. They must not be counted as visitors.
# Write `people_clicks(clicks)`.
#
# **Input** · `clicks`, as in 00.1. A guest has no account, so their `user_id` is null. Other columns can be null, too.
#
# **Output** · a stream with exactly `event_id`, `user_id`, `page`, and one row for each click that you keep. A duplicate
# of such a click is one more row.
#
# **Rules**
#
# 1. Drop every click of a robot. The user name of a robot begins with `robot-`, whatever follows, such as `robot-1`.
# 2. Keep the clicks of all other users. A name such as `robota` does not begin with `robot-`.
# 3. Keep the clicks of guests, and leave their `user_id` null.
#
# **You can assume** · no record is truncated like c14, and no click has only nulls.
#
# **Checked** · the rows; the same rows if the events are split into other micro-batches.

# %%
grader.predict("00.2")


# %% nbgrader={"grade": false, "grade_id": "people_clicks", "locked": false, "solution": true}
def people_clicks(clicks: DataFrame) -> DataFrame:
    """All clicks except those of robots: event_id, user_id (null for guests), page."""
    ### BEGIN SOLUTION
    guest = F.col("user_id").isNull()
    robot = F.col("user_id").startswith("robot-")
    return clicks.filter(guest | ~robot).select("event_id", "user_id", "page")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-people_clicks", "locked": true, "points": 2, "solution": false}
grader.check("00.2", people_clicks)

# %% [markdown]
# ## Exercise 00.3: Repair a query that treats a stream like a table
#
# This function should return the *quick looks*, clicks that lasted less than two seconds:
#
# ```python
# def quick_looks(clicks):
#     short = clicks.filter(F.col("ms_on_page") < 2000)
#     if short.count() == 0:                                   # nothing to do this time
#         return None
#     short = short.withColumn("seconds", F.floor(F.col("ms_on_page") / 1000))
#     short = short.orderBy("event_time")                      # the oldest first
#     query = short.select("event_id", "page", "seconds").writeStream.format("console").start()
#     query.awaitTermination()
#     return short
# ```
#
# It has never delivered anything. Which lines need a table that ends? Which lines start a query and wait for it,
# although the caller does that? Repair one thing at a time, and read what `check` says in between. Write
# `quick_looks(clicks)`.
#
# **Input** · `clicks`, as in 00.1. Any column can be null.
#
# **Output** · a stream with exactly `event_id`, `page`, `seconds`. A duplicate of a quick look is one more row.
#
# **Rules**
#
# 1. Keep clicks that lasted less than 2 seconds; 2 seconds are not quick.
# 2. Drop clicks whose `ms_on_page` is null.
# 3. `seconds` is the time on the page as a `DOUBLE` or a `DECIMAL`, exact to the millisecond: 1250 ms are 1.25.
# 4. Return the rows as a stream, in any order. Do not count, sort or start anything.
#
# **Checked** · the rows; the step in which each row is emitted; the same rows if the events are split into other
# micro-batches.


# %% nbgrader={"grade": false, "grade_id": "quick_looks", "locked": false, "solution": true}
def quick_looks(clicks: DataFrame) -> DataFrame:
    """Clicks of less than 2 s: event_id, page, seconds (with fractions)."""
    ### BEGIN SOLUTION
    short = clicks.filter(F.col("ms_on_page") < 2000)
    return short.select("event_id", "page", (F.col("ms_on_page") / 1000).alias("seconds"))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-quick_looks", "locked": true, "points": 3, "solution": false}
grader.check("00.3", quick_looks)

# %% [markdown]
# ## Recap: the facts
#
# A Kafka topic is an append-only list, and an offset is a position in it. A streaming DataFrame is a plan; nothing is
# read before a query starts. Spark processes new rows in micro-batches, and the checkpoint says which offsets are done.
# A restarted query continues from its checkpoint. The output should not depend on where one micro-batch ends and the
# next begins. A filter keeps a row only if its condition is true. Null is not true. `count()` and `orderBy` need a
# table that ends, and a stream does not end.
#
# | part of a query | here | says |
# | --- | --- | --- |
# | source | Kafka topic | what to read |
# | plan | `filter`, `select` | what happens to each row |
# | sink | Kafka topic | where the result is written |
# | checkpoint | a folder | which offsets are done |
# | trigger | `availableNow`, `processingTime` | when a micro-batch starts |
#
# ## What you can now do
#
# - send events to a Kafka topic, read them with a streaming query, and write the result to another topic;
# - say what a micro-batch is, and why a restarted query continues where it stopped;
# - distinguish a plan (a DataFrame) from a running query, and return the plan;
# - write a filter that does not lose rows with nulls;
# - say why `count()` and `orderBy` do not work on a stream of rows.

# %% [markdown]
# ## Read more
#
# - [Structured Streaming: overview and programming model](https://spark.apache.org/docs/latest/streaming/getting-started.html)
# - [Structured Streaming and Kafka: integration guide](https://spark.apache.org/docs/latest/streaming/structured-streaming-kafka-integration.html)
# - [Spark SQL: null semantics](https://spark.apache.org/docs/latest/sql-ref-null-semantics.html)
# - [Kafka: introduction](https://kafka.apache.org/intro)
#
# How far are you?

# %%
grader.progress()

# %% [markdown]
# Next: **01 Stateless processing**, where records arrive malformed, too many at once, or not as JSON at all.
#
# # Going further
#
# ## A cell run twice: the same query name, the same checkpoint
#
# You run a cell that starts a query, change it, and run it again. The first query is still active. **Predict:** what
# happens to the second start if both have the same *name*? And if both have the same *checkpoint*?
#
# <details><summary>The answer</summary>
#
# Spark refuses a name that is in use. With the same checkpoint the second query starts, and Spark stops the first one
# without an error. So stop what runs before you start again: `spark.streams.active` lists the active queries of the
# session.
#
# </details>


# %%
def start(name: str, checkpoint: str):
    sink = records_of(street).writeStream.format("noop").queryName(name)
    return sink.option("checkpointLocation", checkpoint).start()


shared = grader.fresh_checkpoint()
first = start("wall", shared)
try:
    start("wall", grader.fresh_checkpoint())
except Exception as error:
    print(str(error).splitlines()[0])
second = start("door", shared)
print("wall is active:", first.isActive, "| door is active:", second.isActive)
for query in spark.streams.active:
    query.stop()
