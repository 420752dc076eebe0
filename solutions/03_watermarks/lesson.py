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
# # 03 · Watermarks
#
# The shop wants a number on the wall: clicks in each five minutes. Easy, until you ask *when* to hang
# it up. A click of 12:04 may sit in a phone on a train and arrive at 12:11. Hang the number up at
# 12:05 and it is wrong. Wait for every train and it never hangs, and the query keeps every unfinished
# count in memory. So a query needs a rule that says how long to wait. In Spark this rule is the
# **watermark**.
#
# **Objectives** · In this lesson you
#
# - predict when a watermark advances, which rows it emits and which rows it drops,
# - choose a delay that is based on measurements, not on intuition,
# - count late clicks as the shop wants them counted,
# - give two sources one watermark,
# - find out why a watermark does not move, and repair the cause.
#
# **Prerequisites** · Lesson 02: state, output modes and checkpoints.
#
# **Time** · about 110 minutes for a practiced Spark engineer, 185 minutes for a student.
#
# **Fast path** · 25 minutes. Run the cells up to the first picture and answer the predictions of 03.0.
# Then solve exercise 03.2 and read the recap at the end.

# %% tags=["given"]
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import grader

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## Event time, processing time and the delay
#
# Every click has two times. **Event time** is when it happened; it is written in the click.
# **Processing time** is when your query reads it, by the clock on the wall. Between the two there may be a
# train tunnel, a full queue, or a query that was down for the weekend.
#
# If you count by processing time, a replay of yesterday puts all of yesterday into this minute. If you
# count by event time, every click is in the same minute as it was yesterday. So we count by event
# time, and the wall clock does not matter: *a watermark never looks at it.* It looks at the newest event
# time so far and subtracts a fixed **delay** (Spark calls it the *delay threshold*):
#
# > watermark = newest event time so far − delay
#
# It reads: *"I no longer expect anything older than this."* It only ever advances. An event that is
# older than the watermark is **late**.
#
# ## A worked example: a windowed count with a watermark
#
# Three lines say all of it. `window` assigns each click to the five minutes that it belongs to. A
# window includes its first moment and not its last: 12:05:00 opens the next one.


# %% tags=["example"]
def five_minute_clicks(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "2 minutes")
        .groupBy(F.window("event_time", "5 minutes"))
        .agg(F.count("*").alias("clicks"))
    )


# %% [markdown]
# We send the clicks in five rounds and run the query once after each, always on the same
# checkpoint, as in lesson 02. The mode is **append**: a row is emitted once and is final.
#
# | run | clicks (event time) | newest so far |
# | --- | --- | --- |
# | 1 | 12:01:00, 12:03:30, 12:02:10 | 12:03:30 |
# | 2 | 12:06:00, 12:04:20 | 12:06:00 |
# | 3 | 12:08:00, 12:03:00 | 12:08:00 |
# | 4 | 12:04:50, 12:09:00 | 12:09:00 |
# | 5 | 12:30:00 | 12:30:00 |
#
# After run 1 the watermark is 12:03:30 − 2 minutes = 12:01:30.
#
# **Predict before you run.** The next cell asks three questions. Answer in the same cell, with
# `grader.predict("03.0", watermark="…", dropped=…, rows=…)`, all at once or one by one.

# %%
grader.predict("03.0")

# %% [markdown]
# Now the real thing. The helpers are for this lesson only: `read_clicks` reads a topic, and `send` sends clicks of given
# times. The third one, `run`, counts the records that are in its topics now and prints what each micro-batch did.


# %%
def read_clicks(topic: str, **options: int) -> DataFrame:
    """The clicks in a topic as a stream; `options` go to the Kafka source."""
    records = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("kafka.fetch.max.wait.ms", 10)
        .options(**options)
        .load()
    )
    click = F.from_json(F.col("value").cast("string"), "event_time TIMESTAMP")
    return records.select(click.alias("click")).select("click.*")


def run(counts: DataFrame, checkpoint: str) -> None:
    """Run a count over the records in its topics now; print what each batch did and emitted."""
    out = kafka.unique_topic("counts")
    query = (
        counts.select(F.to_json(F.struct("*")).alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", out)
        .option("checkpointLocation", checkpoint)
        .outputMode("append")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    for batch in query.recentProgress:
        state = batch["stateOperators"][0]
        print(
            f"  batch {batch['batchId']}: in {batch['numInputRows']}, "
            f"watermark {batch['eventTime']['watermark'][:19].replace('T', ' ')}, "
            f"dropped {state['numRowsDroppedByWatermark']}, windows in state {state['numRowsTotal']}"
        )
    for row in kafka.read(out):
        start, end = row["window"]["start"][11:16], row["window"]["end"][11:16]
        print(f"  → {start}–{end}: clicks {row['clicks']}")


def send(topic: str, *times: str, **options: int) -> None:
    """Send one click for each time of the day, HH:MM:SS."""
    kafka.send(topic, [{"event_time": f"2026-03-01T{time}Z"} for time in times], **options)


# %%
shop_clicks = kafka.unique_topic("shop-clicks")
counts = five_minute_clicks(read_clicks(shop_clicks))
checkpoint = grader.fresh_checkpoint()

for number, times in enumerate(
    [
        ["12:01:00", "12:03:30", "12:02:10"],
        ["12:06:00", "12:04:20"],
        ["12:08:00", "12:03:00"],
        ["12:04:50", "12:09:00"],
        ["12:30:00"],
    ],
    start=1,
):
    print(f"run {number}: {', '.join(times)}")
    send(shop_clicks, *times)
    run(counts, checkpoint)

# %% [markdown]
# Read the output slowly; most of this lesson is in these few lines.
#
# - **Each run has two micro-batches here.** A line shows the watermark with which a micro-batch began. The first one reads the
#   clicks and still uses the previous watermark. *At its end* Spark computes the new one. If the watermark has advanced, Spark
#   runs a second, *no-data* batch that applies it. In the very first batch there is no watermark yet, and Spark reports 1970.
# - **Order inside a micro-batch does not matter,** because the watermark advances only at the end. In run 2,
#   12:04:20 came after 12:06:00; both are counted.
# - **A late click is not necessarily dropped.** In run 3 the click of 12:03:00 was late
#   but counted, because its window was open until 12:05:00. A windowed aggregation drops a row only when its
#   *window* has closed, as happened to 12:04:50 in run 4.
# - **In append mode a row is emitted when its state is evicted.** When the watermark reaches the end of a window, Spark
#   emits the count and evicts it from state. So the watermark makes rows final *and* bounds the state.
# - **When events stop, time stops.** The 12:30 window stays open until a click of 12:37 or later arrives, even if that
#   takes a year. "Why is my last window never emitted?" is one of the most common questions; this is the answer.
#
# The picture shows the same runs. It calls a run a *step*, as the tasks do:

# %%
grader.lens("03.0", five_minute_clicks)

# %% [markdown]
# Here are all five steps at a glance. Compare 12:03:00 in step 3 with 12:04:50 in step 4. Both are to the left of the
# watermark's staircase. Only the first one is still inside a bar, that is, a window that is open.
#
# ![The watermark goes down and to the right like a staircase. After the five steps it is 12:01:30, 12:04:00, 12:06:00, 12:07:00 and 12:28:00. The window from 12:00 is emitted in step 3 with 5 clicks, the one from 12:05 in step 5 with 3. The click of 12:04:50 is crossed out in step 4.](03.0.svg)

# %% [markdown]
# Now change the query and its events yourself. The controls below set the delay and the window, and you can
# move the clicks. The line above the picture says what your change did. With which delays is the click of 12:04:50 counted,
# and what do these delays cost? *Ask Spark* runs the same events on the broker. Between two such runs a model redraws the
# picture; `docs/model.md` describes it.
#
# <details><summary>The answer</summary>
#
# With a delay of more than three minutes. The row of 12:00 is then emitted a step later, with more than four minutes two
# steps later.
#
# </details>

# %%
grader.explore("03.0")

# %% [markdown]
# ## Exercise 03.1: Choose a delay from the data
#
# How long must a query wait? Yesterday's clicks contain the answer. Here are thirty of them in the order in which they
# reached Kafka, each with its time of arrival and its event time.

# %%
YESTERDAY = """
18:03:06 18:00:04 | 18:03:14 18:00:11 | 18:03:15 18:00:09 | 18:03:21 18:00:19 | 18:03:30 18:00:28
18:03:31 18:00:21 | 18:03:34 18:00:33 | 18:03:50 18:00:47 | 18:03:51 18:00:41 | 18:03:54 18:00:52
18:04:07 18:01:06 | 18:04:08 18:01:01 | 18:04:15 18:01:13 | 18:04:16 18:01:06 | 18:04:30 18:01:28
18:04:39 18:01:37 | 18:04:40 18:01:30 | 18:04:51 18:01:49 | 18:05:03 18:02:01 | 18:05:04 17:22:01
18:05:06 18:02:04 | 18:05:07 18:01:57 | 18:05:21 18:02:19 | 18:05:33 18:02:31 | 18:05:34 18:02:23
18:05:42 18:02:40 | 18:05:54 18:02:52 | 18:05:55 18:02:43 | 18:06:08 18:03:05 | 18:06:21 18:03:19
"""


def seconds(clock: str) -> int:
    hours, minutes, rest = map(int, clock.split(":"))
    return 3600 * hours + 60 * minutes + rest


newest = 0
print("arrived    happened    travelled    behind")
for click in YESTERDAY.replace("\n", "|").strip("|").split("|"):
    arrived, happened = click.split()
    newest = max(newest, seconds(happened))
    travelled = seconds(arrived) - seconds(happened)
    behind = newest - seconds(happened)
    print(f"{arrived}   {happened}   {travelled:7} s   {behind:5} s")

# %% [markdown]
# The column `travelled` is the time between the click and its arrival. It is about three minutes for most clicks, because the
# app's collector holds every click back that long. The column `behind` is the distance to the newest click that had arrived by
# then. One phone had been offline for most of an hour.
#
# The shop wants clicks per minute, and each row as early as the data allows. Write `with_chosen_delay(clicks)`.
#
# **Input** · `clicks`: `page STRING`, `event_time TIMESTAMP`. `page` may be null; a click without a page counts.
#
# **Output** · what `clicks_per_minute(clicks, delay)` below returns: `window`, `clicks BIGINT`; append mode.
#
# **Rules**
# 1. A click is lost if its `behind` is greater than the delay.
# 2. At most 1 in 20 of the thirty clicks above may be lost.
# 3. Of all delays that satisfy rule 2, take the smallest.
# 4. Round this delay up to an even number of seconds: 41 seconds becomes `"42 seconds"`.
#
# **You can assume** · rule 1 decides, although some of those clicks would find their minute still open.
#
# **Checked** · rows (weight 2), the step of each row (1), the watermark (5), dropped rows (1), and the size of state (1). A
# weight is a share of the points, and wrong rows earn none. The check sends other clicks than yesterday's.


# %% tags=["given"]
def clicks_per_minute(clicks: DataFrame, delay: str) -> DataFrame:
    """Clicks per minute: window, clicks; `delay` is a string such as "3 hours"."""
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "1 minute"))
        .agg(F.count("*").alias("clicks"))
    )


# %% nbgrader={"grade": false, "grade_id": "with_chosen_delay", "locked": false, "solution": true}
def with_chosen_delay(clicks: DataFrame) -> DataFrame:
    """Clicks per minute, with the delay that the rules require: return clicks_per_minute(clicks, "…")."""
    ### BEGIN SOLUTION
    return clicks_per_minute(clicks, "10 seconds")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-with_chosen_delay", "locked": true, "points": 2, "solution": false}
grader.check("03.1", with_chosen_delay)

# %% [markdown]
# Predict what your query did in step 4 of the check, before you look at it. The questions name the clicks that you need.

# %%
grader.predict("03.1")

# %%
grader.lens("03.1", with_chosen_delay)

# %% [markdown]
# A longer delay loses fewer clicks, emits every row later and keeps more windows in state. There is no
# right delay as such, only one that fits your data *and* your rule.
#
# ## Which watermark drops, which evicts?
#
# A puzzle. Three clicks, in this order: **12:00:10**, **12:20:00**, **12:00:20**. The windows are five minutes long, the delay
# is ten seconds. The third click is almost twenty minutes behind the second. Is it counted if the query is started once for each
# click? And if it is started once for all three, with one click per micro-batch (`maxOffsetsPerTrigger=1`)? Predict both
# results, then run both.
#
# <details><summary>The answer, after your predictions</summary>
#
# With three starts it is dropped: the window 12:00–12:05 is emitted with 1 click. With a single start it
# is counted: 2 clicks.
#
# </details>


# %%
def ten_seconds(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "5 minutes"))
        .agg(F.count("*").alias("clicks"))
    )


three_clicks = ["12:00:10", "12:20:00", "12:00:20"]

apart, checkpoint = kafka.unique_topic("apart"), grader.fresh_checkpoint()
for time in three_clicks:
    print(f"a run for {time}")
    send(apart, time)
    run(ten_seconds(read_clicks(apart)), checkpoint)

print("one run for all three")
in_a_row = kafka.unique_topic("in-a-row")
send(in_a_row, *three_clicks)
run(ten_seconds(read_clicks(in_a_row, maxOffsetsPerTrigger=1)), grader.fresh_checkpoint())

# %% [markdown]
# The same clicks, and the window 12:00–12:05 has 1 click one way and 2 the other! The reason (Spark 3.4+): a micro-batch
# **drops** late rows by the watermark of the batch *before* it, and **evicts** by its *own*. With a single start the third click
# met these watermarks:
#
# | batch | click | drops by | evicts by |
# | --- | --- | --- | --- |
# | 0 | 12:00:10 | none yet | none yet |
# | 1 | 12:20:00 | none yet | 12:00:00 |
# | 2 | 12:00:20 | **12:00:00** | **12:19:50** |
#
# Batch 2 compares the click with the old watermark, counts it, and then closes the window by the new one.
# With three starts a no-data batch comes in between. It is the batch *before* the third click, and it already has the new
# watermark.
#
# So a watermark guarantees that Spark *keeps* every row within the delay. It does not guarantee that Spark drops all the
# others. The division of events into batches can change what is dropped, so tests of streams must fix the batches. The
# checks here do: a step is one batch with data, and a no-data batch if the watermark has advanced.

# %% [markdown]
# ## What every check tests from here on
#
# Unless a task says otherwise, a check starts your query in append mode and tests these points:
#
# | checked | what must be right |
# | --- | --- |
# | rows | all rows of the whole run; wrong rows earn no points |
# | step | each row is emitted in the right step: not earlier, not later |
# | watermark | the watermark after each step, to the second: the delay is exactly the one in the task |
# | dropped rows | only clicks whose window has closed are dropped |
# | state | the state is no larger than the task needs |
# | restart | the same rows if the query is killed before a commit and restarted |
#
# A task names the points that its check tests and their weights. Its output must have the columns of the task and no others.

# %% [markdown]
# ## Exercise 03.2: Count late clicks
#
# The marketing team wants to compare pages every five minutes, and they prefer early rows to complete ones.
# Write `late_clicks(clicks)`.
#
# **Input** · `clicks`: `page STRING`, `event_time TIMESTAMP`. `page` may be null.
#
# **Output** · one row per window and page: `window`, `page`, `clicks BIGINT`; append mode.
#
# **Rules**
# 1. Windows are 5 minutes long and do not overlap.
# 2. Clicks without a page count together, in a row whose `page` is null.
# 3. A click that is at most 10 seconds behind the newest click must count.
# 4. Wait no longer than rule 3 requires: a click further behind counts only while its window is open.
# 5. Lateness is measured in event time; the wall clock has no influence.
#
# **Checked** · rows (weight 3), step (1), watermark (5), dropped rows (1), state (1), restart (1).
#
# **Sample** · the check sends these clicks:
#
# | step | clicks |
# | --- | --- |
# | 1 | /home 12:00:05, /home 12:01:10, /sale 12:02:00, /home 12:04:30 |
# | 2 | /sale 12:05:00, /home 12:04:41 |
# | 3 | /home 12:03:10, /sale 12:04:55, /home 12:06:00 |
# | 4 | /home 12:04:59, /home 12:03:40, /sale 12:07:00, /home 12:10:08 |
# | 5 | /sale 12:09:30, /home 12:12:00, /home 12:12:00, (no page) 12:11:30 |
# | 6 | /home 14:00:00 |
#
# Predict three results first. The last one surprises nearly everyone.

# %%
grader.predict("03.2")


# %% nbgrader={"grade": false, "grade_id": "late_clicks", "locked": false, "solution": true}
def late_clicks(clicks: DataFrame) -> DataFrame:
    """Clicks by 5-minute window and page, late ones by the rules: window, page, clicks."""
    ### BEGIN SOLUTION
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "5 minutes"), "page")
        .agg(F.count("*").alias("clicks"))
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-late_clicks", "locked": true, "points": 3, "solution": false}
grader.check("03.2", late_clicks)

# %%
grader.lens("03.2", late_clicks)

# %% [markdown]
# In step 4 two clicks were dropped, and Spark reports *1* row dropped. Spark aggregates a batch by window and page
# first and drops afterward, so the metric counts groups. It tells you *that* you lose something, not
# how many clicks.
#
# ## Several watermarks
#
# A query may read several streams, each with a watermark of its own. But a window can close only once,
# so the whole query needs *one* watermark. By default Spark takes the **minimum**: the slowest stream
# decides, and no stream loses a click because another one was faster.
#
# What happens when a stream has no new events? There are two cases, and they are easily confused. First: one topic with
# **two partitions**, and no new events in one of them.

# %%
two_partitions = kafka.unique_topic("two-partitions", partitions=2)
checkpoint = grader.fresh_checkpoint()

print("both partitions speak")
send(two_partitions, "12:00:10", partition=0)
send(two_partitions, "12:00:20", partition=1)
run(ten_seconds(read_clicks(two_partitions)), checkpoint)

print("partition 1 is silent")
send(two_partitions, "12:10:10", partition=0)
run(ten_seconds(read_clicks(two_partitions)), checkpoint)

# %% [markdown]
# The silent partition holds nothing back. To Spark the topic is *one* stream, and its newest event time is
# the newest of all partitions. For the same reason Spark doesn't wait for a partition that is merely slow.
#
# Second: **two streams**, each with its own watermark, combined by a union. One of them is silent.

# %%
web_topic, kiosk_topic = kafka.unique_topic("web"), kafka.unique_topic("kiosk")
checkpoint = grader.fresh_checkpoint()


def both_streams() -> DataFrame:
    web = read_clicks(web_topic).withWatermark("event_time", "10 seconds")
    kiosk = read_clicks(kiosk_topic).withWatermark("event_time", "1 minute")
    both = web.unionByName(kiosk)
    return both.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


print("web and kiosk speak")
send(web_topic, "12:03:00")
send(kiosk_topic, "12:02:00")
run(both_streams(), checkpoint)

for time in ["12:10:00", "12:20:00"]:
    print(f"only the web speaks: {time}")
    send(web_topic, time)
    run(both_streams(), checkpoint)

# %% [markdown]
# The kiosk's last click was at 12:02:00, so the query's watermark stays at 12:01:00 while the kiosk is
# silent. No row is emitted, and the number of windows in state grows. If a stream has *never* sent an event, there
# is no watermark at all.
#
# Each of our runs was also a restart, and that matters. The checkpoint keeps the one watermark of the query, not the watermark
# of each stream. After a restart it advances only when both streams have sent events again.
#
# The other policy is the **maximum**: the stream whose watermark is furthest ahead decides. The query waits neither for a
# silent stream nor for a slow one, and a restart holds nothing back. The policy is a setting of the session,
# `spark.sql.streaming.multipleWatermarkPolicy`, with the values `min` and `max`. Spark writes it into the checkpoint at the
# first start. Changing it later, on an old checkpoint, changes nothing.

# %% [markdown]
# ## Exercise 03.3: Two sources, one watermark
#
# The shop has put a kiosk into the market hall. Its clicks are a stream of their own. When the
# cleaning staff need the socket, the kiosk is silent for hours, and the number on the wall must still change.
# The shop accepts that late kiosk clicks are lost. Write `all_clicks(spark, web, kiosk)`.
#
# **Input** · `spark`: the session that runs the check; set on it what you need. `web` and `kiosk`: streams with
# `page STRING`, `event_time TIMESTAMP`. `page` may be null.
#
# **Output** · one row per window, for both sources together: `window`, `clicks BIGINT`; append mode.
#
# **Rules**
# 1. The web's watermark is 10 seconds behind the newest web click.
# 2. The kiosk's watermark is 1 minute behind the newest kiosk click.
# 3. The later of the two watermarks is the watermark of the query.
# 4. Windows are 5 minutes long, and a row counts the clicks of both sources.
# 5. Each click whose window is open counts, even if it has no page or if the other source has an identical click.
#
# **Checked** · rows (weight 2), step (1), watermark (5), dropped rows (1), state (1).
#
# Predict two watermarks first.

# %%
grader.predict("03.3")


# %% nbgrader={"grade": false, "grade_id": "all_clicks", "locked": false, "solution": true}
def all_clicks(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Clicks of web and kiosk by 5-minute window, under the later watermark: window, clicks."""
    ### BEGIN SOLUTION
    spark.conf.set("spark.sql.streaming.multipleWatermarkPolicy", "max")
    both = web.withWatermark("event_time", "10 seconds").unionByName(
        kiosk.withWatermark("event_time", "1 minute")
    )
    return both.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-all_clicks", "locked": true, "points": 4, "solution": false}
grader.check("03.3", all_clicks)

# %%
grader.lens("03.3", all_clicks)

# %% [markdown]
# ## Exercise 03.4: The watermark that never moves
#
# Over the weekend a second kiosk was connected to the clicks of the app. Since then the number on
# the wall has not changed. There is no error and no warning; the query runs, reads, and emits nothing. This is it:


# %%
def stuck(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    clicks = app.withColumn("event_time", F.timestamp_millis("sent"))
    taps = kiosk.withColumn("event_time", F.timestamp_millis("sent"))
    both = clicks.withWatermark("event_time", "10 seconds").unionByName(
        taps.withWatermark("event_time", "1 minute")
    )
    return both.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


# %% [markdown]
# These clicks are from the first minutes:
#
# | stream | sent | received |
# | --- | --- | --- |
# | app | 1772366410000 | 12:00:12 |
# | kiosk | 1772366460 | 12:01:30 |
# | app | 1772366520000 | 12:02:01 |
# | kiosk | 1772366580 | 12:03:25 |
#
# Diagnose before you repair. Three questions, in this order, find most stuck watermarks:
#
# 1. *What is the watermark?* Look at the date, not only at the time.
# 2. *Which stream holds it there?* With several streams it is one of them.
# 3. *Why that stream?* Is it silent, or are its times wrong?
#
# The lens answers the first question. For the second, calculate the time that the query makes of each stream's newest `sent`.
# Then subtract the delay of that stream.

# %%
grader.lens("03.4", stuck)

# %% [markdown]
# The number on the wall must change again, and it must be right. Several quick fixes get this watermark moving
# and give a wrong number. Write `repaired(spark, app, kiosk)`.
#
# **Input** · `spark`: the session. `app` and `kiosk`: streams with `page STRING`, `sent BIGINT` and `received TIMESTAMP`. The
# number `sent` says when the click happened, `received` when it arrived. Only `page` and `received` may be null.
#
# **Output** · one row per window, for both streams together: `window`, `clicks BIGINT`; append mode.
#
# **Rules**
# 1. A click belongs to the 5-minute window in which it *happened*. Do not round its time up: 12:04:59.6 is before 12:05.
#    You may cut off the milliseconds.
# 2. A row counts the clicks of **both** streams.
# 3. An app click may be 10 seconds behind the newest app click, a kiosk click 1 minute behind the newest kiosk click.
# 4. The query waits for the slower stream, as it did before.
# 5. Each click whose window is open counts, even if it has no page or if another click is identical.
#
# **You can assume** · each step starts the query again, so only a step with clicks of both streams advances the watermark.
#
# **Checked** · rows (weight 5), step (1), watermark (2), dropped rows (1), state (1).
#
# Predict two results first.

# %%
grader.predict("03.4")


# %% nbgrader={"grade": false, "grade_id": "repaired", "locked": false, "solution": true}
def repaired(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Clicks of app and kiosk by the 5-minute window in which they happened: window, clicks."""
    ### BEGIN SOLUTION
    clicks = app.withColumn("event_time", F.timestamp_millis("sent"))
    taps = kiosk.withColumn("event_time", F.timestamp_seconds("sent"))
    both = clicks.withWatermark("event_time", "10 seconds").unionByName(
        taps.withWatermark("event_time", "1 minute")
    )
    return both.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-repaired", "locked": true, "points": 5, "solution": false}
grader.check("03.4", repaired)

# %% [markdown]
# ## Checklist: why a watermark does not move
#
# If a watermark of your own does not move, go through this list:
#
# | the watermark is | look for |
# | --- | --- |
# | 1970-01-01, or "none yet" | no event has a time: a format that does not parse (null), or a stream of a union that has never sent an event |
# | in January 1970 | seconds that are read as milliseconds |
# | in the year 58134 | milliseconds that are read as seconds; every true time is late from then on |
# | a day or a year ahead | one device with a wrong clock: one event is enough |
# | the same as an hour ago | under the `min` policy: a stream that is silent, or silent since a restart; otherwise: no newer events |
# | right, but no rows are emitted | the window of the newest rows has not closed yet |
#
# A watermark never goes back. If it was too far ahead, start with a new checkpoint after the repair, because the old one keeps
# the watermark.

# %% [markdown]
# ## Fresh questions: drill watermarks
#
# The next cell makes up small streams and asks questions about them: what is the watermark, and
# which events are dropped? A wrong choice is answered with the idea behind it. The questions become harder
# as you improve, and they return after some days.

# %%
grader.drill("watermarks")

# %% [markdown]
# ## Recap: the facts
#
# A watermark is the newest event time so far minus the delay. It uses event time only, and it never goes back. Spark
# computes it at the end of a micro-batch, over all partitions of a stream. A micro-batch drops late rows by the watermark of the
# batch before it, and evicts state by its own. A windowed aggregation drops a row only if its window has closed. In append mode
# Spark emits a window when the watermark reaches its end, and then evicts it. The metric `numRowsDroppedByWatermark` counts
# groups, not events. With several streams the minimum decides by default; the checkpoint pins the policy at the first start.
#
# | a longer delay | a shorter delay |
# | --- | --- |
# | fewer events are dropped | more events are dropped |
# | rows are emitted later | rows are emitted earlier |
# | more windows in state | fewer windows in state |

# %% [markdown]
# ## What you can now do
#
# - tell event time from processing time, and explain why a replay needs event time;
# - calculate a watermark from the newest event time and the delay;
# - say which rows it drops and which windows it evicts, and why "dropped" counts groups, not clicks;
# - choose a delay from measured lateness and a rule about loss;
# - put two streams under one watermark, with `min` or `max`, and say which stream the query waits for;
# - find out why a watermark does not move, and repair the cause instead of the symptom.
#
# ## Read more
#
# - [Structured Streaming guide: operations, with event time, watermarks and their policy](https://spark.apache.org/docs/latest/streaming/apis-on-dataframes-and-datasets.html)
# - [`DataFrame.withWatermark`](https://spark.apache.org/docs/latest/api/python/reference/pyspark.sql/api/pyspark.sql.DataFrame.withWatermark.html)
# - [Spark configuration: `spark.sql.streaming.*`](https://spark.apache.org/docs/latest/configuration.html)
# - [SPARK-40925: two watermarks, one to drop and one to evict](https://issues.apache.org/jira/browse/SPARK-40925)

# %%
grader.progress()

# %% [markdown]
# Next: **04 Time windows**, where the five minutes begin to slide.
#
# # Going further
#
# ## Exercise 03.5: Make Spark drop one late row
#
# Now the other way round: the query is given, and you write the clicks. It is the query of 03.2, with five-minute
# windows by page and a delay of ten seconds:


# %% nbgrader={"grade": false, "grade_id": "given-late-clicks", "locked": true, "solution": false}
def given(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "5 minutes"), "page")
        .agg(F.count("*").alias("clicks"))
    )


# %% [markdown]
# A test of a streaming query consists of a few events at its limits. Write `just_too_late()`, which returns such events.
#
# **Input** · no arguments. The check sends your clicks to the query `given`.
#
# **Output** · a list of steps. A step is the list of the clicks that arrive before one run of the query. A click is a dict with
# `page` and `event_time`; a time such as `"12:00:05"` is enough. These are two steps with a click each:
#
#     [[{"page": "/home", "event_time": "12:00:05"}],
#      [{"page": "/home", "event_time": "12:00:40"}]]
#
# **Rules**
# 1. Send at most **four** clicks.
# 2. Exactly **one row** is emitted.
# 3. This row counts **two** clicks.
# 4. Spark drops exactly **one row** as late.
#
# **Checked** · rules 2 to 4, which earn points only together (weight 5), and rule 1 (1).
#
# Paper and pencil first: what is the watermark after each step? The lens takes your clicks, too:
# `grader.lens("03.5", just_too_late)`.


# %% nbgrader={"grade": false, "grade_id": "just_too_late", "locked": false, "solution": true}
def just_too_late() -> list[list[dict]]:
    """Clicks by step: one row is emitted and counts two, one row is dropped."""
    ### BEGIN SOLUTION
    return [
        [{"page": "/home", "event_time": "12:01:00"}, {"page": "/home", "event_time": "12:02:00"}],
        [{"page": "/home", "event_time": "12:05:10"}],
        [{"page": "/home", "event_time": "12:03:00"}],
    ]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-just_too_late", "locked": true, "points": 3, "solution": false}
grader.check("03.5", just_too_late)

# %% [markdown]
# ## A partition that lags: late rows while a backlog is read
#
# A backlog waits: partition 0 has the clicks of 09:00 to 09:19, partition 1 those of 10:00 to 10:19. **Predict:** how
# many of the 20 clicks of partition 0 are counted with 40 records per micro-batch, and how many with 8?
#
# In the picture a line is a micro-batch, and a character is two minutes. An `o` is its oldest or newest click, `|` is
# its watermark.
#
# <details><summary>The answer</summary>
#
# 20, and 8. After batch 0 the watermark jumps to 10:01, but batch 1 still drops by the watermark before it. From batch 2
# on, Spark drops all clicks of the partition that lags, without an error.
#
# </details>

# %%
backlog = kafka.unique_topic("backlog", partitions=2)
for partition, hour in enumerate(["09", "10"]):
    send(backlog, *[f"{hour}:{minute:02}:00" for minute in range(20)], partition=partition)
for limit in (40, 8):
    counts = five_minute_clicks(read_clicks(backlog, maxOffsetsPerTrigger=limit))
    writer = counts.writeStream.format("memory").queryName(f"limit_{limit}")
    writer = writer.option("checkpointLocation", grader.fresh_checkpoint())
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    for batch in query.recentProgress:
        at = {int(t[11:13]) * 30 + int(t[14:16]) // 2 - 270: k for k, t in batch.eventTime.items()}
        signs = {"min": "o", "max": "o", "watermark": "|", "avg": "·", None: "·"}
        print(f"batch {batch.batchId} ", "".join(signs[at.get(column)] for column in range(40)))
    counted = spark.table(f"limit_{limit}").where("hour(window.start) = 9").agg(F.sum("clicks"))
    print(f"{limit} per micro-batch: {counted.first()[0]} of 20 clicks of partition 0 are counted")

# %%
grader.progress()
