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
# 12:05 and it is wrong. Wait for every train and it never hangs, while the query keeps
# every unfinished count in memory.
#
# Somebody has to decide how long to wait. In Spark that decision is the **watermark**. In this lesson
# you
#
# - see when a watermark moves, what it lets out, and what it throws away,
# - choose a delay by measuring, not by feeling,
# - count late clicks as the shop wants them counted,
# - let two sources agree on one time,
# - free a watermark that has been stuck since 1970.
#
# Plan two hours.

# %% tags=["given"]
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import grader

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## Two clocks
#
# Every click has two times. **Event time** is when it happened; it is written in the click.
# **Processing time** is when your query gets to see it, by the clock on the wall. Between them lies a
# train tunnel, a full queue, a query that was down for the weekend.
#
# Count by processing time and a replay of yesterday puts all of yesterday into this minute. Count by
# event time and every click falls into the minute it fell into yesterday. So we count by event time, and the wall clock does
# not matter: *a watermark never looks at it.* It looks at the newest event time so far, and takes away
# a fixed **delay**, the patience that you grant:
#
# > watermark = newest event time so far − delay
#
# It reads: *"I no longer expect anything older than this."* It only ever goes forward.
#
# ## A worked example
#
# Three lines say all of it. `window` puts each click into the five minutes that it belongs to. A
# window includes its first moment and not its last: 12:05:00 opens the next one.


# %% tags=["example"]
def five_minute_clicks(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "2 minutes")
        .groupBy(F.window("event_time", "5 minutes"))
        .agg(F.count("*").alias("clicks"))
    )


# %% [markdown]
# We send clicks in five goes and run the query once after each, always on the same checkpoint, as in
# lesson 02. The mode is **append**: a row comes out once and is final.
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
# **Bet before you run.** The next cell asks three questions. Answer in the same cell,
# `grader.predict("03.0", watermark="…", dropped=…, rows=…)`, all at once or one by one.

# %%
grader.predict("03.0")

# %% [markdown]
# Now the real thing. The helpers are for this lesson only: `read_clicks` reads a topic, `run` runs a
# count over what is there and tells what each micro-batch did, `send` sends clicks of given times.


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
    """Run a count over what is in its topics now; say what each batch did and what came out."""
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
# Read it slowly; most of this lesson is in these few lines.
#
# - **Each run here has two micro-batches,** and a line shows the watermark with which a batch began. The first brings the
#   clicks, and still has the watermark of the run before. *At its end* Spark works out the new one. If it has moved, a
#   second batch without any clicks acts on it. (In the very first batch there is none yet; Spark writes 1970.)
# - **Order inside a batch does not matter,** as the watermark moves only when it is over. In run 2,
#   12:04:20 came after 12:06:00; both are counted.
# - **Older than the watermark is not yet too late.** In run 3, 12:03:00 was a minute behind the
#   watermark and was counted, because its window ran until 12:05:00. A windowed count drops a click when
#   its *window* is over, and in run 4 that is what happened to 12:04:50.
# - **In append mode a row comes out when its state goes.** When the watermark reaches the end of a window, its count
#   comes out and is *evicted* from state. So a watermark makes rows final and keeps memory bounded.
# - **When events stop, time stops.** The window of 12:30 is still in state, and stays there till a click
#   of 12:37 or later comes, be it next year. "My last window never comes out" is the commonest question
#   about streams, and this is its answer.
#
# The same run as a picture:

# %%
grader.lens("03.0", five_minute_clicks)

# %% [markdown]
# And all five at a glance. Compare 12:03:00 in step 3 with 12:04:50 in step 4: both lie left of the
# staircase, but only the first still falls into a bar, a window that is held open.
#
# ![The watermark goes down and to the right like a staircase, to 12:01:30, 12:04:00, 12:06:00, 12:07:00 and 12:28:00; the window from 12:00 comes out in step 3 with 5 clicks, the one from 12:05 in step 5 with 3, and the click of 12:04:50 is crossed out in step 4.](03.0.svg)

# %% [markdown]
# Now play with it. The knobs below change the query of the picture, and you can move its clicks about; the
# line above the picture says what your change did. With which delays does the click of 12:04:50 count, and
# what do they cost? *Ask Spark* plays the same on the broker. (The model that redraws so fast is described in
# `docs/model.md`; it needs no Spark.)
#
# <details><summary>The answer</summary>
#
# With more than three minutes. The row of 12:00 then comes out a step later, with more than four two
# steps later.
#
# </details>

# %%
grader.explore("03.0")

# %% [markdown]
# ## Exercise 03.1: choose a delay from the data
#
# How long should one wait? Yesterday's clicks know. Here are thirty of them in the order in which they
# reached Kafka, with the time of arrival and the event time.

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
# `travelled` is how long a click was on its way: the app's collector holds every click back for some
# three minutes. `behind` is how far a click was behind the newest one that had come by then. One phone
# had been offline for most of an hour.
#
# The shop counts these clicks by the minute, with the function below. A click counts as lost if it is
# further behind than the delay. (Some of those would still find their minute open; the rule is on the safe side.) The
# shop's rule gives **one** delay:
#
# 1. of these thirty clicks, no more than 1 in 20 may be lost;
# 2. of all delays with which that holds, find the smallest: rows are to come out as early as possible;
# 3. round it up to a full ten seconds (a smallest delay of 41 seconds would make `"50 seconds"`).


# %% tags=["given"]
def clicks_per_minute(clicks: DataFrame, delay: str) -> DataFrame:
    """Clicks by minute, with columns window and clicks; `delay` such as "3 hours"."""
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "1 minute"))
        .agg(F.count("*").alias("clicks"))
    )


# %% nbgrader={"grade": false, "grade_id": "with_chosen_delay", "locked": false, "solution": true}
def with_chosen_delay(clicks: DataFrame) -> DataFrame:
    """Clicks by minute, with the delay that the rule asks for: return clicks_per_minute(clicks, "…")."""
    ### BEGIN SOLUTION
    return clicks_per_minute(clicks, "10 seconds")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-with_chosen_delay", "locked": true, "points": 2, "solution": false}
grader.check("03.1", with_chosen_delay)

# %% [markdown]
# Bet on what your query did in step 4 of the check, before you look at it.

# %%
grader.predict("03.1")

# %%
grader.lens("03.1", with_chosen_delay)

# %% [markdown]
# More delay loses fewer clicks, brings every row later and keeps more windows in state. There is no
# right delay as such, only one that fits your data *and* your rule.
#
# ## Which watermark drops, which evicts?
#
# A puzzle. Three clicks, in this order: **12:00:10**, **12:20:00**, **12:00:20**. Windows of five minutes, a delay
# of ten seconds. The third click is almost twenty minutes behind the second. Is it counted if each
# click has a run of its own? And if a single run takes all three, one click a batch
# (`maxOffsetsPerTrigger=1`)? Bet twice, then run both.
#
# <details><summary>The answer, after your bets</summary>
#
# In runs of their own it is dropped: the window 12:00–12:05 comes out with 1 click. In a single run it
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
# The same clicks, and the window 12:00–12:05 has 1 click one way and 2 the other! The reason: a batch
# **drops** late rows by the watermark that the batch *before* it had, and **evicts** by its *own*. In
# the single run the third click was met like this:
#
# | batch | click | drops by | evicts by |
# | --- | --- | --- | --- |
# | 0 | 12:00:10 | none yet | none yet |
# | 1 | 12:20:00 | none yet | 12:00:00 |
# | 2 | 12:00:20 | **12:00:00** | **12:19:50** |
#
# Batch 2 lets the click in by the old watermark, counts it, and then closes the window by the new one.
# In separate runs an empty batch comes in between. It is the batch *before* the third click, and it has
# the new watermark already.
#
# So a watermark promises to *keep* what is within the delay; it does not promise to drop all the rest.
# And how events fall into batches can change what is late, so tests of streams must fix the batches. The
# checks here do: one step is one batch with data, and one without if the watermark has moved.
#
# ## Exercise 03.2: late clicks
#
# Your turn. The marketing people want clicks by page in five-minute windows. They say: *a click may be up
# to ten seconds behind the newest one and must then count. We would rather have the row early than wait
# for more.*
#
# In: `page` (null where a click has none: it is counted under null), `event_time`. Out: just `window`, `page`, `clicks`.
# The check runs it in append mode, as all checks of this lesson do, and asks for right rows at the right step, a watermark
# exactly as patient as they say, of the late clicks just those dropped whose window is over, no more rows kept in state
# than the task needs, and the same answer when your query is killed half-way and started again. Take all this as asked of
# every query that you write from here on, unless its task says otherwise. The check sends these clicks:
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
# Three bets first. The last one surprises nearly everybody.

# %%
grader.predict("03.2")


# %% nbgrader={"grade": false, "grade_id": "late_clicks", "locked": false, "solution": true}
def late_clicks(clicks: DataFrame) -> DataFrame:
    """Clicks by 5-minute window and page, up to 10 seconds late: window, page, clicks."""
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
# In step 4 two clicks were too late, and Spark reports *1* row dropped. It adds up a batch by window and page
# first and drops afterwards, so the figure counts groups. It tells you *that* you lose something, not
# how many clicks.
#
# ## Several watermarks
#
# A query may read several streams, each with a watermark of its own. But a window can close only once,
# so the whole query needs *one* time. By default Spark takes the **minimum** of these watermarks: the slowest stream
# decides, and no stream loses a click because another one was faster.
#
# And when a stream goes quiet? There are two kinds of quiet, easily mixed up. First: one topic with
# **two partitions**, one of which falls silent.

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
# the newest of all partitions. (A partition that is merely slow is not waited for, either.)
#
# Second: **two streams**, each with its own watermark, put together by a union. One of them is silent.

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
# The kiosk's last word was 12:02:00, so the whole query lives at 12:01:00 for as long as the kiosk is
# silent. No row comes out, and the windows in state pile up. With a stream that has *never* spoken there
# is no watermark at all. (And each of our runs is a restart. The checkpoint keeps the one watermark of the query, not that
# of each stream: after a restart it moves only when both have spoken again.)
#
# The other policy is the **maximum**: the stream whose watermark is furthest ahead decides, and nobody waits for a
# silent stream, nor for a slow one. It is a setting of the session,
# `spark.sql.streaming.multipleWatermarkPolicy`, `min` or `max`. Spark writes it into the checkpoint at the
# first start; changing it later, on an old checkpoint, changes nothing.
#
# ## Exercise 03.3: two sources, one watermark
#
# The shop has put a kiosk into the market hall, whose clicks are a stream of their own. Whenever the
# cleaning staff needs the socket, the kiosk says nothing for hours. The number on the wall must go on all
# the same, and the shop accepts that clicks which the kiosk brings too late are lost.
#
# - web clicks may be **10 seconds** behind the newest web click,
# - kiosk clicks **1 minute** behind the newest kiosk click,
# - whichever source has the later watermark moves the time.
#
# Count the clicks of both together in five-minute windows. In: `spark` (the session that runs the check; set
# on it what you need), and the streams `web` and `kiosk`, both with `page` and `event_time`. Out: just `window`
# and `clicks`.

# %%
grader.predict("03.3")


# %% nbgrader={"grade": false, "grade_id": "all_clicks", "locked": false, "solution": true}
def all_clicks(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Clicks of web and kiosk by 5-minute window; the source that is ahead moves the time."""
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
# ## Exercise 03.4: the watermark that never moves
#
# Over the weekend somebody connected a second kiosk to the clicks of the app, and since then the number on
# the wall has not changed. No error, no warning; the query runs, reads, and is silent. This is it:


# %%
def stuck(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    clicks = app.withColumn("event_time", F.timestamp_millis("sent"))
    taps = kiosk.withColumn("event_time", F.timestamp_millis("sent"))
    both = clicks.withWatermark("event_time", "10 seconds").unionByName(
        taps.withWatermark("event_time", "1 minute")
    )
    return both.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


# %% [markdown]
# Both streams have `page`, `sent` (when the click happened, as a number) and `received` (when it came in).
# These clicks are from the first minutes:
#
# | stream | sent | received |
# | --- | --- | --- |
# | app | 1772366410000 | 12:00:12 |
# | kiosk | 1772366460 | 12:01:30 |
# | app | 1772366520000 | 12:02:01 |
# | kiosk | 1772366580 | 12:03:25 |
#
# Look before you cut. Three questions, in this order, find most stuck watermarks:
#
# 1. *Where does it stand?* Not only the time: the date, too.
# 2. *Who says so?* With several streams it is one of them; find out which.
# 3. *Why does that one say so?* Silent, or wrong?
#
# The lens answers the first one. For the second work out by hand what time the query makes of each stream's newest `sent`,
# and what is left of it after the delay.

# %%
grader.lens("03.4", stuck)

# %% [markdown]
# Repair it so that the clicks of **both** streams are counted when they *happened*: app clicks up to 10 seconds
# behind the newest app click, kiosk clicks up to 1 minute behind the newest kiosk click, and the slower stream is waited
# for, as it was before. Out: just `window`
# and `clicks`. (Several quick fixes get this watermark moving and give a wrong number.)

# %%
grader.predict("03.4")


# %% nbgrader={"grade": false, "grade_id": "repaired", "locked": false, "solution": true}
def repaired(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    """Clicks of app and kiosk by 5-minute window, by the time at which they happened."""
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
# When a watermark of your own stands still one day, this is the list to go through:
#
# | it stands | look for |
# | --- | --- |
# | at 1970-01-01, "none yet" | no event has a time: a format that does not parse (null), or a stream of a union that has never spoken |
# | in January 1970 | seconds taken for milliseconds |
# | in the year 58134 | milliseconds taken for seconds; any true time is too late from then on |
# | a day or a year ahead | one device with a wrong clock: one event is enough |
# | where it stood an hour ago | under the `min` policy a silent stream, or one that has not spoken since a restart; no newer events at all |
# | fine, but no rows | the window of the newest rows is simply not over |
#
# A watermark never goes back. Where it stood too far ahead, begin with a new checkpoint after the repair: the old one keeps it.

# %% [markdown]
# ## Fresh questions
#
# Small streams that nobody has seen before, and questions about them: where does the watermark stand, and
# which events are dropped? A wrong choice is answered with the idea behind it. The questions grow harder
# with you, and come back after some days.

# %%
grader.drill("watermarks")

# %% [markdown]
# ## What you can now do
#
# - tell event time from processing time, and say why only by one of them a click falls into the same window when it is replayed;
# - say where a watermark stands: newest event time less the delay, worked out at the end of a micro-batch;
# - say what it drops (rows whose window was over by the watermark of the batch before) and what it evicts
#   (windows that are over by its own), and why "dropped" counts groups, not clicks;
# - choose a delay from measured lateness and a rule about loss;
# - put two streams under one time, with `min` or `max`, and know who is waited for;
# - find out why a watermark does not move, and mend the cause instead of the symptom.

# %%
grader.progress()

# %% [markdown]
# Next: **04 Time windows**, where the five minutes begin to slide.
#
# # Going further
#
# ## Exercise 03.5: just too late
#
# Now the other way round: the query is given, and you make the clicks. It is the one of 03.2, five-minute
# windows by page, ten seconds of patience:


# %% nbgrader={"grade": false, "grade_id": "given-late-clicks", "locked": true, "solution": false}
def given(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "5 minutes"), "page")
        .agg(F.count("*").alias("clicks"))
    )


# %% [markdown]
# Send it at most **four** clicks, such that exactly **one row** comes out, that row counts **two** clicks, and Spark
# drops exactly **one row** as too late.
#
# Return a list of steps; each is the list of the clicks that come before one run of the query. A click is a dict
# with a page and a time; a time such as `"12:00:05"` is enough. This, say, are two steps with a click each:
#
#     [[{"page": "/home", "event_time": "12:00:05"}],
#      [{"page": "/home", "event_time": "12:00:40"}]]
#
# Paper and pencil first: where does the watermark stand after each step? The lens takes your clicks, too:
# `grader.lens("03.5", just_too_late)`.


# %% nbgrader={"grade": false, "grade_id": "just_too_late", "locked": false, "solution": true}
def just_too_late() -> list[list[dict]]:
    """Clicks by step: one row comes out and counts two, one is dropped."""
    ### BEGIN SOLUTION
    return [
        [{"page": "/home", "event_time": "12:01:00"}, {"page": "/home", "event_time": "12:02:00"}],
        [{"page": "/home", "event_time": "12:05:10"}],
        [{"page": "/home", "event_time": "12:03:00"}],
    ]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-just_too_late", "locked": true, "points": 3, "solution": false}
grader.check("03.5", just_too_late)

# %%
grader.progress()
