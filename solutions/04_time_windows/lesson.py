# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 04 · Time windows
#
# Three people in the shop want the same stream cut in three ways. The bookkeeper wants the revenue of
# each half hour, from one emptying of the till to the next. Marketing wants the pages that are hot *now*:
# the last ten minutes, renewed all the time. The market hall wants a sum for each day, and by a day it
# means one that begins at midnight in Berlin.
#
# Each of these is a **time window**, a piece of event time with a beginning and an end. Lesson 03 was about
# *when* a window is over. This one is about *where* it is cut, and what a cut costs. In it you
#
# - say of any event in which windows it lies, to the second,
# - move windows, and let them slide,
# - see what each output mode tells of one and the same window,
# - find out how a query loses sight of its watermark, and a till its money,
# - make days for people who live by a clock that changes.
#
# Plan an hour and fifty minutes for the core. The last part, about days, goes further and takes another half hour.

# %% tags=["given"]
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import grader

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## Where time is cut
#
# `F.window(column, length)` puts a time into its window. It needs no stream for that; a table of a few
# times will do. The helper prints, for each time, the windows that it lies in.


# %%
def windows_of(*times: str, **cut: str) -> None:
    """Print the windows of each time (of 1 March 2026, UTC); `cut` goes to F.window."""
    table = spark.createDataFrame([(f"2026-03-01T{time}Z",) for time in times], "text STRING")
    timed = table.select("text", F.col("text").cast("timestamp").alias("time"))
    windows = timed.select("text", F.window("time", **cut).alias("window"))
    clock = [F.date_format(f"window.{edge}", "HH:mm").alias(edge) for edge in ("start", "end")]
    for row in windows.select("text", *clock).orderBy("text", "start").collect():
        print(f"{row.text[11:19]} lies in {row.start}–{row.end}")


windows_of("12:00:00", "12:04:59", "12:05:00", windowDuration="5 minutes")

# %% [markdown]
# Windows of one length, side by side, are called **tumbling**. Every time lies in exactly one of them. The
# **start belongs to a window, the end does not**: 12:05:00 is the first moment of the next one. So
# no event is counted twice, and none falls between two.
#
# You never said where the windows begin. Spark lays the first one at midnight UTC of 1 January 1970 and all
# others from there, so five minutes begin at :00, :05, :10. Nothing depends on when your query started or
# which event came first. What if you need another beginning? That is the **offset**, `startTime`. It moves
# all the cuts to a later time by so much; with a minus, to an earlier one. It has to be shorter than the step from one
# window to the next.
#
# Say what the first of these two prints before you run them; then guess from its name what `slideDuration` does.

# %%
windows_of("12:00:00", "12:20:00", windowDuration="1 hour", startTime="15 minutes")
print()
windows_of("12:00:00", "12:20:00", windowDuration="1 hour", slideDuration="15 minutes")

# %% [markdown]
# The first has moved the hours to quarter past. The second is something else altogether: hours that
# begin every quarter of an hour and overlap. The order of the arguments is `window(column, length, slide,
# offset)`, and whoever writes `F.window("time", "1 hour", "15 minutes")` gets the second. Write `startTime=` by
# its name.
#
# ## Exercise 04.1: revenue by half hour
#
# The till is emptied at **ten past** and at **twenty to** each hour. The bookkeeper wants a row for each half
# hour between two emptyings in which there was an order: 11:40–12:10, 12:10–12:40 and so on. An order may be up to **five
# minutes** behind the newest one and must then count. (Older ones come, too. Whether they count is a matter of their
# window, as in lesson 03.)
#
# **In:** `orders` with `cents` and `order_time`. A return is an order, too, with negative cents. One that was paid by
# voucher has none (null): it is an order and brings no money.
# **Out:** exactly `window`, `orders` (how many), `revenue` (the sum of cents; null where all were vouchers). The check
# runs it in append mode and wants the watermark on `order_time` itself.
#
# | step | orders |
# | --- | --- |
# | 1 | 12:09:59 300, 12:10:00 500, 12:20:00 1250 |
# | 2 | 12:39:59 200, 12:40:00 700, 12:31:00 −1250 |
# | 3 | 12:36:00 450, 12:44:59 100 |
# | 4 | 12:12:00 900, 12:10:00 500, 12:45:00 150 |
# | 5 | 12:39:59 999, 12:50:00 350, 12:41:00 by voucher |
# | 6 | 13:15:00 by voucher, 14:00:00 800 |

# %%
grader.predict("04.1")


# %% nbgrader={"grade": false, "grade_id": "half_hour_revenue", "locked": false, "solution": true}
def half_hour_revenue(orders: DataFrame) -> DataFrame:
    """Orders and revenue between two emptyings of the till, 5 minutes late at most: window, orders, revenue."""
    ### BEGIN SOLUTION
    return (
        orders.withWatermark("order_time", "5 minutes")
        .groupBy(F.window("order_time", "30 minutes", startTime="10 minutes"))
        .agg(F.count("*").alias("orders"), F.sum("cents").alias("revenue"))
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-half_hour_revenue", "locked": true, "points": 2, "solution": false}
grader.check("04.1", half_hour_revenue)

# %% [markdown]
# ## When it is told
#
# A window comes into being with its first event; one without any gives no row, not even a 0. When do you hear of a window? That depends on the output mode, which
# you know from lesson 02. Here are all three at work on one stream of clicks, windows of five minutes and a
# delay of one. The helpers send clicks of given times, and run a count over what is in its topic, saying of
# each micro-batch what it read, which watermark it worked with, what it wrote and what it still keeps.


# %%
def five_minutes(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "5 minutes"))
        .agg(F.count("*").alias("clicks"))
    )


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
    click = F.from_json(F.col("value").cast("string"), "page STRING, event_time TIMESTAMP")
    return records.select(click.alias("click")).select("click.*")


def send(topic: str, *times: str) -> None:
    """Send one click for each time of the day, HH:MM:SS."""
    kafka.send(topic, [{"page": "/home", "event_time": f"2026-03-01T{time}Z"} for time in times])


def run(counts: DataFrame, mode: str, checkpoint: str) -> None:
    """Run a count over what is in its topic now, and say of each micro-batch what it did."""
    start, end = (F.date_format(f"window.{edge}", "HH:mm") for edge in ("start", "end"))
    told = counts.select(F.format_string("%s–%s: %s", start, end, "clicks").alias("row"))
    written: dict[int, list[str]] = {}

    def keep(batch: DataFrame, number: int) -> None:
        written[number] = sorted(row.row for row in batch.collect())

    query = (
        told.writeStream.foreachBatch(keep)
        .option("checkpointLocation", checkpoint)
        .outputMode(mode)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    for batch in query.recentProgress:
        if batch["batchId"] in written:
            watermark = batch["eventTime"].get("watermark", "1970")  # 1970: none yet
            print(
                f"  {mode:8} batch {batch['batchId']}: clicks {batch['numInputRows']}, "
                f"watermark {'none' if watermark.startswith('1970') else watermark[11:19]}, "
                f"windows in state {batch['stateOperators'][0]['numRowsTotal']}"
                f" → {', '.join(written[batch['batchId']]) or '–'}"
            )


# %% [markdown]
# Three runs: two clicks of the first window, then one that moves the watermark to 12:05:30, then a latecomer
# of 12:02:00 together with a click of 12:07:00. **Bet first:** which mode tells of the first window when? And which of the three counts the
# latecomer?

# %%
told_topic = kafka.unique_topic("told")
checkpoints = {mode: grader.fresh_checkpoint() for mode in ("append", "update", "complete")}

for times in (["12:01:00", "12:03:00"], ["12:06:30"], ["12:02:00", "12:07:00"]):
    print("clicks of", ", ".join(times))
    send(told_topic, *times)
    for mode, checkpoint in checkpoints.items():
        run(five_minutes(read_clicks(told_topic)), mode, checkpoint)

# %% [markdown]
# | | tells of a window | after its end | clicks that are too late | good for |
# | --- | --- | --- | --- | --- |
# | **append** | once, when it is over | forgets it | dropped | a sink to which one can only add |
# | **update** | after each batch that brought it something | forgets it | dropped | a sink that replaces by key |
# | **complete** | always, with all the others | keeps it for ever | **counted** | a small result, few windows |
#
# Complete has to write the whole result each time, so it may forget nothing, and what is not forgotten can
# still be counted: it pays no heed to the watermark at all. With windows that is seldom what you want, as there
# are more of them every day.
#
# ## Why the first window comes a batch late
#
# Look at append in the second run. The click of 12:06:30 was read in one batch, and the window came out in the
# *next* one, which read nothing. Here it is more plainly: five clicks, one a batch. The third and the fourth are
# latecomers.

# %%
slow_topic = kafka.unique_topic("slow")
send(slow_topic, "12:01:00", "12:07:00", "12:02:00", "12:03:00", "12:08:00")
one_a_batch = read_clicks(slow_topic, maxOffsetsPerTrigger=1)
run(five_minutes(one_a_batch), "append", grader.fresh_checkpoint())

# %% [markdown]
# Batch 1 reads 12:07:00, a click that proves the window over (12:07 less a minute is 12:06). But batch 1
# *began* with the watermark that batch 0 had left behind, 12:00:00. The new one is known only when all of
# the batch's clicks have been read. So **a window comes out in the batch after the one that proves it over**.
#
# If no more clicks come, Spark runs a batch without data for it. You saw one at the end of each run above,
# but for those in complete mode, which has nothing to wait for. It is a batch
# like any other and waits for the trigger: with `processingTime="1 minute"` the row comes a minute later than
# you might expect. The old trigger `once=True` ran one batch and no other, and its users waited for their last
# windows until the next day. `availableNow=True` runs it.
#
# So there are two watermarks, as in lesson 03: a batch *evicts* by the one with which it began itself, and *drops* by the one
# with which the batch before it began. Look at the latecomers. Batch 2 began with 12:06:00, and still counted 12:02:00
# (12:00–12:05: 2), as batch 1 had begun with 12:00:00. Batch 3 read 12:03:00 and dropped it: batch 2 had begun with
# 12:06:00. (The reason comes in lesson 05.)
#
# ## Exercise 04.2: the row at the edge
#
# A colleague does not believe that a second can matter. Show him, on this query: windows of five minutes, and ten
# seconds of patience. You cannot change it. What you write is the *clicks*.


# %% nbgrader={"grade": false, "grade_id": "edge_subject", "locked": true, "solution": false}
def the_query(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "5 minutes"))
        .agg(F.count("*").alias("clicks"))
    )


# %% [markdown]
# Write a function that returns a list of **steps** (four are enough); a step is a list of clicks, a click is a dict
# such as `{"event_time": "12:00:05"}`. The check sends the clicks of a step to Kafka, runs the query over them, then
# goes to the next step. This must come of it, with **at most five clicks** in all:
#
# | step | what happens |
# | --- | --- |
# | 1 | (as you like) |
# | 2 | the watermark stands at exactly 12:05:00, and the window 12:00–12:05 comes out with one click |
# | 3 | exactly one row is dropped as too late |
# | 4 | the watermark stands at exactly 12:10:00, and the window 12:05–12:10 comes out with two clicks |
#
# The watermark is the one at the end of the step, after the batch without data. And a row that is dropped is a group, as in
# lesson 03: two clicks of one window that come too late in one step are one. The most telling pair of clicks, which the
# check does not insist on, lies a second apart: one is lost, the other counts.


# %% nbgrader={"grade": false, "grade_id": "at_the_edge", "locked": false, "solution": true}
def at_the_edge():
    """Four steps of clicks that show the edge of a window: [[{"event_time": "12:00:05"}, …], …]."""
    ### BEGIN SOLUTION
    return [
        [{"event_time": "12:04:59"}],
        [{"event_time": "12:05:10"}],
        [{"event_time": "12:04:59"}, {"event_time": "12:05:00"}],
        [{"event_time": "12:10:10"}],
    ]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-at_the_edge", "locked": true, "points": 4, "solution": false}
grader.check("04.2", at_the_edge)

# %% [markdown]
# ## Windows that slide
#
# "How many clicks in the last ten minutes?" A tumbling window answers that once in ten minutes; at 12:09 its
# newest answer is nine minutes old. A **sliding window** is as long as the question and begins more often.
# Here, ten minutes, every five:


# %% tags=["example"]
def sliding_clicks(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "10 minutes", "5 minutes"))
        .agg(F.count("*").alias("clicks"))
    )


# %% [markdown]
# A new window begins every five minutes, so each click lies in *two*. Five runs, as usual one step each:
#
# | run | clicks | newest so far |
# | --- | --- | --- |
# | 1 | 12:02:00, 12:07:00 | 12:07:00 |
# | 2 | 12:05:00, 12:10:00 | 12:10:00 |
# | 3 | 12:11:00 | 12:11:00 |
# | 4 | 12:09:00, 12:13:00 | 12:13:00 |
# | 5 | 12:40:00 | 12:40:00 |
#
# Write the windows of each click beside it, then bet: `grader.predict("04.0", state=…, rows=…, dropped=…)`.

# %%
grader.predict("04.0")

# %%
sliding_topic = kafka.unique_topic("sliding")
checkpoint = grader.fresh_checkpoint()
for times in (
    ["12:02:00", "12:07:00"],
    ["12:05:00", "12:10:00"],
    ["12:11:00"],
    ["12:09:00", "12:13:00"],
    ["12:40:00"],
):
    print("clicks of", ", ".join(times))
    send(sliding_topic, *times)
    run(sliding_clicks(read_clicks(sliding_topic)), "append", checkpoint)

# %% [markdown]
# - **The first window begins before the first click.** 11:55–12:05 holds 12:02:00, too.
# - **One click can be late and in time.** 12:09:00 came when the watermark stood at 12:10:00. The window 12:00–12:10
#   was over, and dropped it; 12:05–12:15 was open, and counted it.
# - **The same clicks come out more than once.** The rows of a sliding window cannot be added up.
#
# The same run as a picture. In step 4, draw the two windows of 12:09:00 with your finger: only one of them is
# still there to be drawn.
#
# ![Clicks in five steps and a watermark one minute behind the newest: the window 11:55–12:05 comes out in step 1 with one click, 12:00–12:10 in step 3 with three, and 12:05–12:15 and 12:10–12:20 in step 5 with six and three; the click of 12:09:00 in step 4 lies in a window that is over and in one that is open.](04.0.svg)

# %% [markdown]
# Play with it: take the slide away, and see which click is now lost altogether; then put it back, set the output
# mode to update, and count the rows of 12:00–12:10. *Ask Spark* plays the same on the broker.

# %%
grader.explore("04.0")

# %% [markdown]
# ## What sliding costs
#
# A slide of a second would give a fresh answer every second. Why not? Measure it. Ten minutes of clicks, on
# eight pages, one click of each page every twenty seconds; windows of ten minutes with four slides. How many
# rows will each keep in state?

# %%
busy_topic = kafka.unique_topic("busy")
PAGES = ["/home", "/sale", "/fruit", "/cart", "/help", "/blog", "/jobs", "/map"]
kafka.send(
    busy_topic,
    [
        {"page": page, "event_time": f"2026-03-01T12:{second // 60:02}:{second % 60:02}Z"}
        for second in range(0, 600, 20)
        for page in PAGES
    ],
)


def measure(slide: str) -> None:
    """Count the clicks by page in windows of ten minutes; print what is in state afterwards."""
    counts = (
        read_clicks(busy_topic)
        .withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "10 minutes", slide), "page")
        .agg(F.count("*").alias("clicks"))
    )
    query = (
        counts.writeStream.format("noop")
        .option("checkpointLocation", grader.fresh_checkpoint())
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    rows = query.recentProgress[-1]["stateOperators"][0]["numRowsTotal"]
    print(f"every {slide:10} {'█' * (rows // 4)} {rows} rows in state")


for slide in ("10 minutes", "5 minutes", "2 minutes", "1 minute"):
    measure(slide)

# %% [markdown]
# Each click lies in **length / slide** windows: 1, 2, 5 and 10 of them, times eight pages. Spark multiplies a
# click before it counts anything, so that is also how much more work a batch has, and how many more rows come
# out. A slide of one second would hold 600 windows of each page. (A long delay adds to
# that: windows that have ended wait in state for the watermark, delay / slide of them.)
#
# ## Exercise 04.3: top pages of the last ten minutes
#
# Marketing wants the pages with **three clicks or more in ten minutes**, renewed as often as the state budget
# allows. The rule:
#
# 1. of the four slides that you measured, those are allowed that kept **at most 50 rows** in state;
# 2. of the allowed ones take the smallest.
#
# A click may be up to **ten seconds** behind the newest one and must then count. An older one counts in those of its
# windows that are still open, and in no other. Clicks without a page count together, as one more page: its `page` is null.
#
# **In:** `clicks` with `page`, `event_time`. **Out:** exactly `window`, `page`, `clicks`, in append mode.

# %%
grader.predict("04.3")


# %% nbgrader={"grade": false, "grade_id": "top_pages", "locked": false, "solution": true}
def top_pages(clicks: DataFrame) -> DataFrame:
    """Pages with 3 clicks or more in 10 minutes, sliding as the rule asks for: window, page, clicks."""
    ### BEGIN SOLUTION
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "10 minutes", "2 minutes"), "page")
        .agg(F.count("*").alias("clicks"))
        .where("clicks >= 3")
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-top_pages", "locked": true, "points": 3, "solution": false}
grader.check("04.3", top_pages)

# %% [markdown]
# ## How a query loses sight of its watermark
#
# `withWatermark` leaves a mark on a *column*. A window that is made of that column has an end that Spark can
# see. Three queries, each in append and in update mode:

# %%
lost_topic = kafka.unique_topic("lost")
send(lost_topic, "12:01:00", "12:06:30")
clicks = read_clicks(lost_topic)
timed = clicks.withWatermark("event_time", "1 minute")


def count_by(*groups, of: DataFrame = timed) -> DataFrame:
    return of.groupBy(*groups).agg(F.count("*").alias("clicks"))


queries = {
    "no watermark": count_by(F.window("event_time", "5 minutes"), of=clicks),
    "the column of the DataFrame before": count_by(F.window(clicks.event_time, "5 minutes")),
    "the column by its name": count_by(F.window("event_time", "5 minutes")),
}
for name, counts in queries.items():
    print(name)
    for mode in ("append", "update"):
        try:
            run(counts, mode, grader.fresh_checkpoint())
        except Exception as error:
            print(f"  {mode:8} {str(error).splitlines()[0][:140]}…")

# %% [markdown]
# Append refuses what it cannot call final. Update is more dangerous, because it says nothing: the first two
# queries run and give right numbers, but they **never forget a window** and never find a click late. Compare
# the windows in state with those of the third. You would notice when the memory is full.
#
# The second query *has* a watermark, and it moves. But `clicks.event_time` is the column of the DataFrame from
# *before* `withWatermark`: the same name, the same values, and no mark. A computation makes a
# column without a mark, too: a cast, a `date_trunc`, a time less an hour. (A window, and another name, keep it.) Three rules keep the mark:
#
# - **compute first, then set the watermark** on what you have computed,
# - **name the column by a text** in `window`, or take it from the DataFrame that `withWatermark` gave you,
# - **set only one watermark on the way**: with a second one behind it, even on another column, Spark ends the query as soon
#   as the watermark moves (*Redefining watermark is disallowed*).
#
# But mind *what* you compute: the delay is then measured in the new column. What the computation has cut off, the
# watermark cannot see.
#
# One more thing may stand in `groupBy`: the marked column itself, without a window. Then each moment is a
# group of its own, and it has no end but itself: it is over as soon as the watermark *reaches* it.
#
# ## Exercise 04.4: money that is missing in the evening
#
# The market hall prints what each till has taken in each minute. In the evening the slips add up to less than
# what is in the drawers. The query is somebody's pride, as its rows come so early:


# %%
def till_minutes_as_it_is(sales: DataFrame) -> DataFrame:
    stamped = sales.withColumn("minute", F.date_trunc("minute", "sold_at"))
    return (
        stamped.withWatermark("minute", "0 seconds")
        .groupBy("minute", "till")
        .agg(F.sum("cents").alias("cents"))
    )


grader.lens("04.4", till_minutes_as_it_is)

# %% [markdown]
# These are the sales:
#
# | step | sales |
# | --- | --- |
# | 1 | A 12:00:00 250, A 12:00:10 100, B 12:00:30 700 |
# | 2 | A 12:00:40 300, A 12:01:05 50 |
# | 3 | B 12:00:50 120, A 12:01:19 80 |
# | 4 | A 12:00:59 60, A 12:01:20 90, A 12:01:20 90 |
# | 5 | A 12:00:59 999, B 12:02:00 40, (no name) 12:02:10 30 |
# | 6 | A 12:10:00 10 |
#
# In step 2 the sale of 12:00:40 is dropped, although no sale before it was newer. How old does the query think
# it is? Where does the watermark stand after step 1, and what does a delay of zero mean for sales that bear the
# same time?
#
# Repair it. A sale may be up to **twenty seconds** behind the newest one and must then count; an older one counts
# only where its minute is still open. A minute is to come out as early as that allows.
#
# **In:** `sales` with `till` (null for a till that does not say its name), `cents`, `sold_at`.
# **Out:** as now, exactly `minute` (the minute's first moment, a timestamp), `till`, `cents`, in append mode.

# %%
grader.predict("04.4")


# %% nbgrader={"grade": false, "grade_id": "till_minutes", "locked": false, "solution": true}
def till_minutes(sales: DataFrame) -> DataFrame:
    """What each till took in each minute, sales up to 20 seconds late: minute, till, cents."""
    ### BEGIN SOLUTION
    counted = (
        sales.withWatermark("sold_at", "20 seconds")
        .groupBy(F.window("sold_at", "1 minute"), "till")
        .agg(F.sum("cents").alias("cents"))
    )
    return counted.select(F.col("window.start").alias("minute"), "till", "cents")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-till_minutes", "locked": true, "points": 4, "solution": false}
grader.check("04.4", till_minutes)

# %% [markdown]
# ## Fresh questions
#
# Small streams that nobody has seen before, and questions about them: which windows hold an event, and
# when do their rows come out? A wrong choice is answered with the idea behind it, a wrong output mode with what it
# would give out. The questions grow harder with you, and come back after some days.

# %%
grader.drill("windows")

# %%
grader.drill("output modes")

# %% [markdown]
# ## What you can now do
#
# - say in which windows an event lies: the start belongs to a window, the end does not;
# - move windows with an offset, and tell it from a slide;
# - say when append, update and complete tell of a window, and which of them forgets and which drops;
# - explain why a window comes out a batch after the one that proves it over;
# - send the very events that show an edge, and keep them as a test;
# - reckon what sliding windows cost: length / slide times the keys;
# - see which column a watermark is set on, and keep it in sight.
#
# Here the core ends. What follows goes further: nothing later needs it, until somebody asks you for
# a figure by day.
#
# ## Going further: what is a day?
#
# `window("sold_at", "1 day")` is no day. It is 24 hours from midnight UTC to midnight UTC. At that moment the clock in Berlin
# shows one in the morning, in summer two. Does the session's time zone help? Here are two windows in two time zones:


# %%
def show_days(zone: str) -> None:
    """Print the one-day windows of two moments, as a session in this time zone shows them."""
    spark.conf.set("spark.sql.session.timeZone", zone)
    moments = spark.createDataFrame(
        [("2026-03-28T12:00:00Z",), ("2026-03-29T12:00:00Z",)], "sold_at STRING"
    )
    days = moments.select(F.window(F.col("sold_at").cast("timestamp"), "1 day").alias("window"))
    print(zone)
    days.select("window.start", "window.end").show()


try:
    show_days("Europe/Berlin")
finally:
    show_days("UTC")  # as it was

# %% [markdown]
# The cuts are the same moments both times, and only written differently. The session's time zone,
# `spark.sql.session.timeZone`, decides how a moment is shown, how a text without a zone is read, and what
# `to_date` and `date_trunc` call a day. **It does not move a window.**
#
# An offset does: `startTime="-1 hour"` cuts at 23:00 UTC, midnight in Berlin. Until 29 March 2026. That
# night the clock goes from 02:00 to 03:00, and from then on midnight in Berlin is 22:00 UTC. (`to_utc_timestamp` takes a
# time as the clock in Berlin shows it, and gives the moment.)

# %%
days = spark.createDataFrame([("2026-03-28",), ("2026-03-29",), ("2026-03-30",)], "day STRING")
begins = F.to_utc_timestamp(F.col("day").cast("timestamp"), "Europe/Berlin")
ends = F.to_utc_timestamp(
    F.date_add(F.col("day").cast("date"), 1).cast("timestamp"), "Europe/Berlin"
)
hours = (ends.cast("long") - begins.cast("long")) / 3600
days.select(
    "day", begins.alias("begins, UTC"), ends.alias("ends, UTC"), hours.alias("hours")
).show()

# %% [markdown]
# A day of 23 hours fits no window of UTC, whatever its offset. (In October there is one of 25.) But on the clock
# on the wall in Berlin it does begin at 00:00 and end at 24:00. `from_utc_timestamp` moves a time by what the
# clock was ahead *at that moment*. Where the session's time zone is UTC, its result reads like that clock (and is no true
# moment any more):

# %%
moments = spark.createDataFrame(
    [("2026-03-29T00:59:59Z",), ("2026-03-29T01:00:00Z",), ("2026-03-29T21:59:59Z",)],
    "text STRING",
)
local = F.from_utc_timestamp(F.col("text").cast("timestamp"), "Europe/Berlin")
moments.select("text", local.alias("clock in Berlin")).show(truncate=False)

# %% [markdown]
# ## Exercise 04.5: a report by local day
#
# The market hall in Berlin wants a row for each of *its* days on which anything was sold, right in winter and in summer and
# on the days in between. A sale may be up to **ten minutes** behind the newest one and must then count; an older one counts
# only where its day is still open. (By the clock in Berlin one can count days, as the clock changes far from midnight. Not
# hours: in October two of them fall into one window.)
#
# **In:** `sales` with `cents` (null if it was paid by voucher: a sale without money) and `sold_at`.
# **Out:** exactly `day` (a date), `sales` (how many), `cents` (their sum; null for a day that had only vouchers), in
# append mode. The session's time zone is UTC.
#
# Remember what you found out about columns and their mark.

# %%
grader.predict("04.5")


# %% nbgrader={"grade": false, "grade_id": "local_days", "locked": false, "solution": true}
def local_days(sales: DataFrame) -> DataFrame:
    """Sales by day in Berlin, up to 10 minutes late: day, sales, cents."""
    ### BEGIN SOLUTION
    days = (
        sales.withColumn("local", F.from_utc_timestamp("sold_at", "Europe/Berlin"))
        .withWatermark("local", "10 minutes")
        .groupBy(F.window("local", "1 day"))
        .agg(F.count("*").alias("sales"), F.sum("cents").alias("cents"))
    )
    return days.select(F.to_date("window.start").alias("day"), "sales", "cents")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-local_days", "locked": true, "points": 4, "solution": false}
grader.check("04.5", local_days)

# %%
grader.progress()

# %% [markdown]
# Next: **05 Chained windows**, a window on top of a window.
