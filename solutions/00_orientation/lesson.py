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
# You have joined a small online shop that sells apples, oranges and mangoes. Every look at a
# page, every order and every advertisement shown is an *event*, and events never stop coming.
# Over these lessons you will write the queries that make sense of them while they come.
#
# Nothing here is pretended. The cell below starts a real Kafka broker and a real Spark on this
# machine, and your queries run on them. In this lesson you
#
# - send events to Kafka and let a query read them,
# - see what a *micro-batch* is, and watch a query while it runs,
# - meet the verbs of the course: `check`, `lens`, `hint`, `predict`, `why`, `progress`,
# - write two filters and repair a query that treats a stream like a table.
#
# Work from top to bottom; Shift-Enter runs a cell. Plan an hour.

# %% tags=["given"]
from IPython.display import Pretty, display
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import grader

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## A topic is a list that grows at its end
#
# Kafka keeps events in *topics*. A topic is a list to whose end anybody may add and that anybody
# may read from any place. Reading takes nothing away. The place of a record in its list is its
# *offset*: 0, 1, 2 and so on. (Old records are deleted, after a week where
# nobody has set it otherwise. And a topic may consist of several such lists: lesson 01.)
#
# Make a topic and send three clicks to it. Each is a Python dictionary; it travels as JSON text.

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
# ## Your first stream
#
# A streaming query has three parts: where rows come from, what happens to them, where they go.
#
# The **source** is our topic. Kafka knows nothing of JSON: what arrives is a row with a binary
# `value`, which is what was sent. Beside it stand things *about* the record, such as its `topic` and
# its `offset` (and `key` and `partition`, of which lesson 01 tells). So we turn the value into text
# and parse it.
#
# *(The last option below only spares you some waiting.)*


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
# `clicks` looks like any DataFrame, and you may filter and select on it as you are used to. It is
# a *plan*, though: no click has been read yet. That begins when we name a **sink** and start.
#
# Our sink is a second topic. A query also needs a *checkpoint*, a folder in which it writes down
# how far it has come. And a *trigger* says when to look for new rows; `availableNow` means: take
# what is there now, then stop.

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
# Three clicks went in, two came out. You have run a stream.
#
# ## What is a micro-batch?
#
# Spark does not take rows one at a time. It takes all that has come since last time, as one small
# table: a **micro-batch**. It runs your plan on that table, writes
# the result to the sink, notes in the checkpoint that this is done, and looks again.
#
# Ask the query what it did:


# %%
def batches(query) -> list[str]:
    """The micro-batches of a query that had something to read."""
    read = [p for p in query.recentProgress if p.numInputRows]
    return [f"batch {p.batchId}, rows in: {p.numInputRows}" for p in read]


batches(query)

# %% [markdown]
# Now two more clicks come in. Before you run the next cell, guess: will the query read five rows,
# or two?

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
# Two. The first run is long over, but its checkpoint knew: offsets 0 to 2 are done. The new batch
# is number 1, not 0, because it goes on where the other left off.
#
# Run it a third time, with nothing new in the topic, and nothing happens, without a word. When a
# query of your own shows nothing, ask why:

# %%
grader.why(run_once(clicks.filter(F.col("ms_on_page") > 1000)))

# %% [markdown]
# ## Watch a stream
#
# With `availableNow` the query stops when it has caught up. In a shop it would rather keep
# running. `processingTime` does that: look again every so often. Run the next cell and watch: a
# query runs in the background, twenty clicks are sent one after the other, and after each of them
# we look at what has come out by then.

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
    """Show how many clicks were sent and how many have come out."""
    view.update(Pretty(f"sent      {'▪' * sent}\ncame out  {'▪' * len(kafka.read(screen))}"))


for number in range(1, 21):
    kafka.send(street, [f"click {number}"])
    redraw(number)
live.processAllAvailable()  # wait until the query has read all that was sent
redraw(20)
live.stop()
batches(live)

# %% [markdown]
# What comes out runs a little behind what goes in, by a batch or so. Look at the sizes of the
# batches (one that found nothing is not listed), then run the cell again: the same twenty clicks,
# but as a rule some cuts fall elsewhere. Where a batch ends depends on when rows come. What comes
# *out* should not depend on it, and with a filter it never does. That is the hard part of streaming, and the reason why checks of this
# course send the same events to your query several times, each time cut into other batches.
#
# Always stop a query that you have started. A forgotten one goes on running behind your back.
#
# ## Steps: how this course plays events
#
# To say exactly what a query must do, every exercise comes with a *scenario*: events grouped in
# **steps**. The check sends the events of step 1, runs your query with `availableNow`, so that
# all of them are read in one micro-batch, then sends step 2, and so on, always on the same checkpoint. To
# go through all steps like that, with new topics and a new checkpoint, is one *play*.
#
# These are the first two steps of a morning in our shop. Each click also says when it happened:
# its *event time*, by the clock of the browser. Clicks need not arrive in the order of their event times.
#
# | step | event_id | user_id | page | ms_on_page | event_time |
# | --- | --- | --- | --- | --- | --- |
# | 1 | c01 | ada | / | 4200 | 12:00:05 |
# | 1 | c02 | ben | /fruit/apple | 31000 | 12:00:40 |
# | 1 | c03 | *(guest)* | / | 900 | 12:01:10 |
# | 1 | c04 | cem | /fruit/mango | 12500 | 12:02:00 |
# | 1 | c05 | ada | /cart | 8000 | 12:02:30 |
# | 1 | c06 | robot-1 | / | 10 | 12:03:00 |
# | 1 | c07 | ada | /checkout | 64000 | 12:03:45 |
# | 1 | c08 | dua | /fruit/orange | 1500 | 12:04:10 |
# | 1 | c09 | ben | /cart | 5200 | 12:04:50 |
# | 2 | c10 | eli | / | 3300 | 12:05:00 |
# | 2 | c11 | ben | /checkout | 42000 | 12:06:05 |
# | 2 | c12 | *(guest)* | /fruit/mango | 7600 | 12:08:10 |
# | 2 | c13 | cem | /cart | 2500 | 12:06:40 |
# | 2 | c08 | dua | /fruit/orange | 1500 | 12:04:10 |
# | 2 | *c14* | | *cut off:* `…"page": "/fru` | | |
# | 2 | c15 | dua | /checkout/help | 20500 | 12:07:30 |
# | 2 | c16 | robot-2 | /checkout | 12 | 12:09:00 |
# | 2 | c17 | robota | /fruit/apple | 9100 | 12:09:50 |
#
# (They live in `datasets/page_clicks.jsonl`; `datasets/README.md` tells what each field means. Your functions get them
# parsed: `ms_on_page` is an integer, `event_time` a timestamp, the others are strings.)
#
# And this is a query on them: it keeps the looks at fruit.


# %% tags=["example"]
def fruit_pages(clicks: DataFrame) -> DataFrame:
    """The clicks on pages below /fruit/."""
    return clicks.filter(F.col("page").startswith("/fruit/")).select("event_id", "page")


# %% [markdown]
# ### Predict
#
# Before you run something, say what it will do. It takes a minute, and it is how one learns: a
# surprise that you have bet against stays in mind. The next cell shows the questions; then answer
# by name, `grader.predict("00.0", first_batch=…, second_batch=…)`.

# %%
grader.predict("00.0")

# %% [markdown]
# ### Look through the lens
#
# `lens` plays a function on the scenario of an exercise and shows what went in and came out, step
# by step. It also speaks of *state*, what a query remembers (lesson 02), and of a *watermark*,
# which says how long it waits (lesson 03). A filter has neither. Were you right?

# %%
grader.lens("00.0", fruit_pages)

# %% [markdown]
# Two things are worth a second look. c08 came twice and went out twice: a filter has no memory.
# And c14, whose JSON is cut off, is not *wrong* to the filter: its page is null, and `startswith` of
# null is null, neither true nor false, as is every comparison with null (but `eqNullSafe`, which is made for it). A filter keeps a row only if its condition is *true*. Rows
# get lost quietly this way. Remember it for the second exercise.
#
# Here is the run as a picture: event time from left to right, a band for each step. Look for the
# dot far to the left in step 4: c26 is fourteen minutes behind the newest, and goes out like any other.
#
# ![The clicks of five steps as dots, placed by the time at which they happened; beside each step the clicks on fruit pages that came out, three, three, three, two and none.](00.0.svg)
#
# ## Exercise 00.1: a first filter
#
# Many people open the checkout page and leave. Those who stay there for a while are about to buy,
# and the shop would like to know them.
#
# Write `checkout_clicks`: of the clicks that come in, keep those on the page `/checkout` that
# lasted **at least thirty seconds**. A click whose time on the page is unknown (null) is not one of
# them. Return `event_id`, `page` and `ms_on_page` (which is in milliseconds), and no other column.
#
# In this course you write *functions*: a streaming DataFrame goes in, a streaming DataFrame comes
# out. You do not start anything; the check does. And where a task names the columns to return, it
# means exactly these and no others: whoever reads your stream has been promised them.


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
# `check` plays your function against several scenarios: the one you may look at, the same events
# cut into other batches, and one you have not seen. If something is wrong it says what is missing
# and what is too much, names the event behind it, and, if it knows the mistake, the idea to
# revisit. You may check as often as you like.
#
# Stuck? Every exercise has a ladder of hints, from a nudge to nearly the answer. Each call goes
# one step further:

# %%
grader.hint("00.1")

# %% [markdown]
# And the lens works on your own stream, too, right or wrong: `grader.lens("00.1",
# checkout_clicks)`.
#
# ## Exercise 00.2: people only
#
# Scripts of the shop's own visit the pages every minute to see whether they are up. Their user
# names begin with `robot-`: `robot-1`, `robot-2`, and whoever joins them. They must not be
# counted as visitors.
#
# Write `people_clicks`: all clicks **except** those of robots. Return just `event_id`, `user_id` and
# `page`. Guests have no account, so their `user_id` is null. They are people.

# %%
grader.predict("00.2")


# %% nbgrader={"grade": false, "grade_id": "people_clicks", "locked": false, "solution": true}
def people_clicks(clicks: DataFrame) -> DataFrame:
    """All clicks but those of users robot-…: event_id, user_id (null for guests), page."""
    ### BEGIN SOLUTION
    guest = F.col("user_id").isNull()
    robot = F.col("user_id").startswith("robot-")
    return clicks.filter(guest | ~robot).select("event_id", "user_id", "page")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-people_clicks", "locked": true, "points": 2, "solution": false}
grader.check("00.2", people_clicks)

# %% [markdown]
# ## Exercise 00.3: repair a query
#
# A colleague wrote this in his first week. It should deliver the *quick looks*: clicks of **less
# than two seconds** (one whose time is unknown, null, is not quick), with exactly `event_id`, `page`,
# and the time on the page in `seconds` as a number with fractions, to the millisecond (1250 ms are 1.25).
#
# ```python
# def quick_looks(clicks):
#     short = clicks.filter(F.col("ms_on_page") < 2000)
#     if short.count() == 0:                                   # nothing to do this time
#         return None
#     short = short.withColumn("seconds", F.floor(F.col("ms_on_page") / 1000))
#     short = short.orderBy("event_time")                      # those that happened first
#     query = short.select("event_id", "page", "seconds").writeStream.format("console").start()
#     query.awaitTermination()
#     return short
# ```
#
# It has never delivered anything. He knew tables well, and treated the stream like one that
# happens to be long. Which of his lines ask for something that only a table with an end can give?
# And which line starts a query, although that is not this function's business?
#
# Repair it: return the rows as a stream, in whatever order they come. It helps to fix one thing at a
# time and to read what `check` says in between.


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
# ## What you can now do
#
# - send events to a Kafka topic, read them with a streaming query, and write the result to another topic;
# - say what a micro-batch is, and why a query that is started again goes on where it left off;
# - tell a plan (a DataFrame) from a running query, and return the one rather than start the other;
# - write a filter that does not lose rows with nulls;
# - say why `count()` and `orderBy` ask for an end, which a stream does not have.
#
# How far are you?

# %%
grader.progress()

# %% [markdown]
# Next: **01 Stateless processing**, where records arrive broken, too many at once, or not as JSON
# at all.
