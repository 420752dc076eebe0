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
# Three people in the shop want the same stream in three ways. The bookkeeper wants the revenue of
# each half hour, from one emptying of the cash register to the next. Marketing wants the pages that are hot *now*:
# the last ten minutes, updated all the time. The market hall wants a sum for each day, and its days
# begin at midnight in Berlin.
#
# Each of these is a **time window**, an interval of event time with a beginning and an end. Lesson 03 was about
# *when* a window closes. This one is about *where* it begins and ends, and what that costs.
#
# **Objectives** · In this lesson you
#
# - say of any event which windows it belongs to, to the second,
# - define tumbling and sliding windows, and shift them by an offset,
# - predict when each output mode emits a window,
# - calculate the cost of sliding windows,
# - find out why a query has no usable watermark, and repair it,
# - make days for people whose clock changes twice a year.
#
# **Prerequisites** · Lesson 03: the watermark, what it drops and what it evicts.
#
# **Time** · about 95 minutes for a practiced Spark engineer, 165 minutes for a student. The last part takes
# another half hour.
#
# **Fast path** · 25 minutes. Run the first two cells on windows, answer the predictions of 04.0, and solve 04.1. Read *How a
# query loses sight of its watermark*, solve 04.4, and read the recap.

# %% tags=["given"]
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import grader

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## Tumbling windows: where they begin and end
#
# `F.window(column, length)` assigns a time to its window. It needs no stream for that; a table of a few
# times is enough. The helper prints, for each time, the windows that contain it.


# %%
def windows_of(*times: str, **cut: str) -> None:
    """Print the windows of each time (1 March 2026, UTC); `cut` is passed to F.window."""
    table = spark.createDataFrame([(f"2026-03-01T{time}Z",) for time in times], "text STRING")
    timed = table.select("text", F.col("text").cast("timestamp").alias("time"))
    windows = timed.select("text", F.window("time", **cut).alias("window"))
    clock = [F.date_format(f"window.{edge}", "HH:mm").alias(edge) for edge in ("start", "end")]
    for row in windows.select("text", *clock).orderBy("text", "start").collect():
        print(f"{row.text[11:19]} lies in {row.start}–{row.end}")


windows_of("12:00:00", "12:04:59", "12:05:00", windowDuration="5 minutes")

# %% [markdown]
# Windows of one length that do not overlap are called **tumbling**. Every time is in exactly one of them. The
# **start belongs to a window, the end does not**: 12:05:00 is the first moment of the next one. So
# no event is counted twice, and none falls between two windows.
#
# You never said where the windows begin. Spark lets the first window begin at midnight UTC of 1 January 1970, and all
# others follow. So windows of five minutes begin at :00, :05, :10. It doesn't matter when your query started or
# which event came first.
#
# What if you need another beginning? The **offset**, `startTime`, moves all windows to a later time, or with a minus to an
# earlier one. It must be shorter than the distance from the beginning of one window to the next.
#
# Predict what the first of these two calls prints before you run them. Then guess from its name what `slideDuration` does.

# %%
windows_of("12:00:00", "12:20:00", windowDuration="1 hour", startTime="15 minutes")
print()
windows_of("12:00:00", "12:20:00", windowDuration="1 hour", slideDuration="15 minutes")

# %% [markdown]
# The first call moved the hours: they begin at :15 past. The second does something else: its hours
# begin every 15 minutes and overlap. The order of the arguments is `window(column, length, slide,
# offset)`, so `F.window("time", "1 hour", "15 minutes")` means the second. Always write `startTime=` by its name.

# %% [markdown]
# ## Exercise 04.1: Revenue by half hour
#
# The cash register is emptied at :10 and :40 of every hour. The bookkeeper wants to know the revenue of each half
# hour between two emptyings. Write `half_hour_revenue(orders)`.
#
# **Input** · `orders`: `cents BIGINT`, `order_time TIMESTAMP`. A return has negative `cents`, an order
# that was paid by voucher has null.
#
# **Output** · one row per half hour with an order: `window`, `orders` (how many), `revenue` (the sum of `cents`); append mode.
#
# **Rules**
# 1. Windows are 30 minutes long and begin at :10 and :40 of every hour: 11:40–12:10, 12:10–12:40 and so on.
# 2. An order that is at most 5 minutes behind the newest order must count.
# 3. Wait no longer than rule 2 requires: an order further behind counts only while its window is open.
# 4. Returns and vouchers are orders: they count in `orders`, and a return reduces `revenue`, even below 0.
# 5. `revenue` is null if all orders of the window are vouchers.
# 6. Set the watermark on `order_time` itself.
#
# **Checked** · rows (weight 6), step (1), watermark (2), dropped rows (1), state (1).

# %% [markdown]
# **Sample** · the check sends these orders:
#
# | step | orders |
# | --- | --- |
# | 1 | 12:09:59 300, 12:10:00 500, 12:20:00 1250 |
# | 2 | 12:39:59 200, 12:40:00 700, 12:31:00 −1250 |
# | 3 | 12:36:00 450, 12:44:59 100 |
# | 4 | 12:12:00 900, 12:10:00 500, 12:45:00 150 |
# | 5 | 12:39:59 999, 12:50:00 350, 12:48:00 −1500, 12:41:00 by voucher |
# | 6 | 13:15:00 by voucher, 14:00:00 800 |

# %%
grader.predict("04.1")


# %% nbgrader={"grade": false, "grade_id": "half_hour_revenue", "locked": false, "solution": true}
def half_hour_revenue(orders: DataFrame) -> DataFrame:
    """Orders and revenue by half hour from :10 and :40, with a delay of 5 minutes: window, orders, revenue."""
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
# ## When a window is emitted: output modes
#
# A window exists from its first event on. A window without events has no row, not even a 0. When is a window emitted? That
# depends on the output mode, which you know from lesson 02. Here are all three modes with one stream of clicks, windows of five
# minutes and a delay of one minute.
#
# The helpers are for this lesson only. The helper `send` sends clicks of given times. The helper `run` counts the records
# that are in its topic now. For each micro-batch it prints the number of clicks, the watermark, the windows in state and the
# emitted rows.


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
    """Run a count over the records in its topic now; print what each micro-batch did."""
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
# There are three rounds: two clicks of the first window, then a click that advances the watermark to 12:05:30, then two more.
# Of these two, 12:02:00 is late. **Predict first:** when does each mode emit the first window? And which of the three counts
# the late click?

# %%
told_topic = kafka.unique_topic("told")
checkpoints = {mode: grader.fresh_checkpoint() for mode in ("append", "update", "complete")}

for times in (["12:01:00", "12:03:00"], ["12:06:30"], ["12:02:00", "12:07:00"]):
    print("clicks of", ", ".join(times))
    send(told_topic, *times)
    for mode, checkpoint in checkpoints.items():
        run(five_minutes(read_clicks(told_topic)), mode, checkpoint)

# %% [markdown]
# | | emits a window | after its end | late clicks of closed windows | good for |
# | --- | --- | --- | --- | --- |
# | **append** | once, when it has closed | evicts it | dropped | a sink that can only append |
# | **update** | after each batch that brought it clicks | evicts it | dropped | a sink that replaces rows by key |
# | **complete** | in every batch with data, with all the others | keeps it forever | **counted** | a small result, few windows |
#
# Complete mode must write the whole result each time, so Spark cannot evict any window. A click for such a window still
# counts, because complete mode ignores the watermark. With windows this is rarely what you want, because
# there are more of them every day.
#
# ## Why the first window comes a batch late
#
# Look at append in the second round. The click of 12:06:30 was read in one batch, and the window was emitted in the
# *next* one, which read nothing. The next cell shows it more plainly: five clicks, one per batch. The third and the
# fourth are late.

# %%
slow_topic = kafka.unique_topic("slow")
send(slow_topic, "12:01:00", "12:07:00", "12:02:00", "12:03:00", "12:08:00")
one_a_batch = read_clicks(slow_topic, maxOffsetsPerTrigger=1)
run(five_minutes(one_a_batch), "append", grader.fresh_checkpoint())

# %% [markdown]
# Batch 1 reads 12:07:00, a click that proves that the window can close: 12:07 minus a minute is 12:06. But batch 1
# *began* with the watermark 12:00:00, which batch 0 had computed. The new watermark is known only when Spark has read all of
# the batch's clicks. So **Spark emits a window in the batch after the one that proves it closed**.
#
# If no more clicks arrive, Spark runs a no-data batch. You saw one at the end of each round above, except in complete mode,
# where the watermark changes nothing. A no-data batch waits for the trigger like any other: with
# `processingTime="1 minute"` the row is emitted a minute later than you might expect. The old trigger `once=True` ran a single
# batch, so its users waited for their last windows until the next day. The trigger `availableNow=True` runs the no-data
# batch, too.
#
# So there are two watermarks, as in lesson 03. A batch *evicts* by the watermark with which it began, and *drops* by the
# watermark with which the previous batch began.
#
# | batch | reads | drops by | evicts by | so |
# | --- | --- | --- | --- | --- |
# | 2 | 12:02:00 | 12:00:00 | 12:06:00 | it is counted, and 12:00–12:05 is emitted with 2 |
# | 3 | 12:03:00 | 12:06:00 | 12:06:00 | it is dropped |
#
# Lesson 05 explains why Spark needs two.

# %% [markdown]
# ## Exercise 04.2: Events at the edge of a window
#
# Events at the edge of a window show whether a query is right to the second. Here the query is given, and you cannot change it.
# You write the *clicks*.


# %% nbgrader={"grade": false, "grade_id": "edge_subject", "locked": true, "solution": false}
def the_query(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "5 minutes"))
        .agg(F.count("*").alias("clicks"))
    )


# %% [markdown]
# Write `at_the_edge()`, which returns clicks that show the edge of a window.
#
# **Input** · no arguments. The check sends the clicks of a step to Kafka, runs `the_query` over them, and goes to the next
# step.
#
# **Output** · a list of at least four steps. A step is a list of clicks, and a click is a dict such as
# `{"event_time": "12:00:05"}`.
#
# **Rules**
# 1. Send at most **five** clicks in all.
# 2. After step 2 the watermark is exactly 12:05:00.
# 3. Step 2 emits the window 12:00–12:05 with **one** click.
# 4. In step 3 Spark drops exactly **one** row as late.
# 5. After step 4 the watermark is exactly 12:10:00.
# 6. Step 4 emits the window 12:05–12:10 with **two** clicks.
#
# **You can assume** · the watermark of a step is the one after its no-data batch. A dropped row is a group, as in
# lesson 03: two late clicks of one window in one step are one row.
#
# **Checked** · rules 4, 5 and 6 earn points only together (weight 5), and so do rules 2 and 3 (4). Rule 1 has weight 1.
#
# Two clicks that are one second apart show the edge best: Spark drops the first and counts the second. The check does not
# require such a pair.


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
# ## Sliding windows
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
# A new window begins every five minutes, so each click is in *two* windows. Five steps:
#
# | step | clicks | newest so far |
# | --- | --- | --- |
# | 1 | 12:02:00, 12:07:00 | 12:07:00 |
# | 2 | 12:05:00, 12:10:00 | 12:10:00 |
# | 3 | 12:11:00 | 12:11:00 |
# | 4 | 12:09:00, 12:13:00 | 12:13:00 |
# | 5 | 12:40:00 | 12:40:00 |
#
# Write the windows of each click next to it, then predict: `grader.predict("04.0", state=…, rows=…, dropped=…)`.

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
# - **The first window begins before the first click.** 11:55–12:05 contains 12:02:00, too.
# - **One click can be both dropped and counted.** 12:09:00 arrived when the watermark was 12:10:00. The window 12:00–12:10
#   had closed, and Spark dropped the click from it; 12:05–12:15 was open and counted it.
# - **The same clicks are in several rows.** You cannot add up the rows of a sliding window.
#
# The picture shows the same steps. In step 4, draw the two windows of 12:09:00 with your finger: only one of them is
# still there to be drawn.
#
# ![Clicks in five steps and a watermark one minute behind the newest. The window 11:55–12:05 is emitted in step 1 with one click, 12:00–12:10 in step 3 with three. In step 5, 12:05–12:15 and 12:10–12:20 are emitted with six and three. The click of 12:09:00 in step 4 is in a closed window and in an open one.](04.0.svg)

# %% [markdown]
# Now change the query. Remove the slide, and see which click is now dropped altogether. Then put the slide back, set the output
# mode to update, and count the rows of 12:00–12:10. *Ask Spark* runs the same events on the broker.

# %%
grader.explore("04.0")

# %% [markdown]
# ## The cost of sliding windows
#
# A slide of a second would give a fresh answer every second. Why not? Measure it. There are ten minutes of clicks on
# eight pages, one click per page every twenty seconds. The windows are ten minutes long, with four different slides. How many
# rows does each slide keep in state?

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
    """Count the clicks by page in windows of ten minutes; print the rows in state."""
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
# Each click is in **length / slide** windows: 1, 2, 5 and 10 of them, times eight pages. Spark multiplies a
# click before it counts anything. So a batch has more work by the same factor, and Spark emits more rows by the same factor. A slide
# of one second would keep 600 windows of each page.
#
# A long delay adds to that. Windows that have ended stay in state until the watermark reaches their end: delay / slide windows
# more per page.

# %% [markdown]
# ## Exercise 04.3: Top pages of the last ten minutes
#
# Marketing wants to know which pages are popular, as often as the state budget allows. Write `top_pages(clicks)`.
#
# **Input** · `clicks`: `page STRING`, `event_time TIMESTAMP`. `page` may be null.
#
# **Output** · one row per window and popular page: `window`, `page`, `clicks BIGINT`; append mode.
#
# **Rules**
# 1. Windows are 10 minutes long.
# 2. Of the four slides that you measured, take the smallest one that kept at most 50 rows in state.
# 3. Emit a page only if it has **three or more** clicks in the window.
# 4. A click that is at most 10 seconds behind the newest click must count in all its windows.
# 5. Wait no longer than rule 4 requires: an older click counts only in those of its windows that are open.
# 6. Clicks without a page count together, as one more page, whose `page` is null.
#
# **Checked** · rows and watermark, which earn points only together (weight 7), step (1), dropped rows (1), state (2).

# %%
grader.predict("04.3")


# %% nbgrader={"grade": false, "grade_id": "top_pages", "locked": false, "solution": true}
def top_pages(clicks: DataFrame) -> DataFrame:
    """Pages with 3 clicks or more in 10 minutes, with the slide of rule 2: window, page, clicks."""
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
# `withWatermark` marks a *column* as event time. Spark knows the end of a window that is made of this column.
# Three queries, each in append and in update mode:

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
# In append mode Spark refuses rows that can never become final. Update mode is more dangerous, because Spark reports nothing. The
# first two queries run and emit right numbers, but they **never evict a window** and never drop a late click. Compare
# their windows in state with those of the third. You would notice when the memory is full.
#
# The second query *has* a watermark, and it advances. But `clicks.event_time` is the column of the DataFrame from
# *before* `withWatermark`: the same name, the same values, and no mark. A computed column has no mark either: a cast, a
# `date_trunc`, a time minus an hour. A window of the marked column keeps the mark, and so does a new name. Three rules keep
# the mark:
#
# - **Compute first, then set the watermark** on the computed column.
# - **Use the column name as a string** in `window`, or a column of the DataFrame that `withWatermark` returned.
# - **Set one watermark per stream.** If a second `withWatermark` follows the first one, even on another column, Spark ends the
#   query when the watermark advances (*Redefining watermark is disallowed*).
#
# But be careful *what* you compute, because Spark then measures the delay in the new column. The watermark cannot see what the
# computation has removed.
#
# You can also group by the marked column itself, without a window. Then each moment is a
# group of its own, and the group has no end except that moment. It closes as soon as the watermark *reaches* the moment.

# %% [markdown]
# ## Exercise 04.4: Repair a query that loses sales
#
# The market hall prints the revenue of each cash register in each minute. In the evening the slips add up to less than
# the money in the drawers. The query was praised because its rows are so early:


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
# | 3 | B 12:00:35 120, A 12:01:19 80 |
# | 4 | A 12:00:59 60, A 12:01:20 90, A 12:01:20 90 |
# | 5 | A 12:00:59 999, B 12:02:00 40, (no name) 12:02:10 30 |
# | 6 | A 12:10:00 10 |
#
# In step 2 Spark drops the sale of 12:00:40, although no sale before it was newer. Which time does it have in the
# query? What is the watermark after step 1? And what does a delay of zero mean for sales with the same timestamp?

# %% [markdown]
# Now repair the query. Write `till_minutes(sales)`.
#
# **Input** · `sales`: `till STRING` (the cash register), `cents BIGINT`, `sold_at TIMESTAMP`. `till` may be null.
#
# **Output** · one row per minute and cash register: `minute TIMESTAMP`, `till`, `cents` (the sum); append mode.
#
# **Rules**
# 1. `minute` is the first moment of the minute.
# 2. A row contains all sales of one cash register in one minute.
# 3. A sale that is at most 20 seconds behind the newest sale must count.
# 4. A sale further behind counts if its minute is open, and only then.
# 5. Emit a minute as early as rule 3 allows.
# 6. Sales without a name of the cash register have a row of their own, whose `till` is null.
#
# **You can assume** · `cents` is never null, and always above 0.
#
# **Checked** · rows (weight 5), step (1), watermark (3), dropped rows (1), state (1).

# %%
grader.predict("04.4")


# %% nbgrader={"grade": false, "grade_id": "till_minutes", "locked": false, "solution": true}
def till_minutes(sales: DataFrame) -> DataFrame:
    """Revenue of each cash register in each minute, with a delay of 20 seconds: minute, till, cents."""
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
# ## Fresh questions: drill windows and output modes
#
# The next cells make up small streams and ask questions about them: which windows contain an event, and
# when is each row emitted? A wrong choice is answered with the idea behind it, a wrong output mode with the rows that it
# would emit. The questions become harder as you improve, and they return after some days.

# %%
grader.drill("windows")

# %%
grader.drill("output modes")

# %% [markdown]
# ## Recap: the facts
#
# A window includes its start and excludes its end. Windows begin at 1970-01-01 00:00:00 UTC plus the offset, and never depend
# on your data. Tumbling windows do not overlap; a sliding window puts each event into length / slide windows and rows. Spark
# emits a window in the batch after the one that proves it closed, if necessary in a no-data batch. Complete mode ignores the watermark
# and never evicts. A watermark marks a column: a window of this column has an end that Spark knows, a computed column has none.
# Without that mark, append mode is refused and update mode never evicts. The delay is measured in the marked column, so
# set the watermark on the full time.
#
# | output mode | emits a window | evicts it | drops late rows |
# | --- | --- | --- | --- |
# | append | once, when it has closed | yes | yes |
# | update | after each batch that brought it events | yes | yes |
# | complete | in every batch with data | never | never |

# %% [markdown]
# ## What you can now do
#
# - say which windows contain an event: the start belongs to a window, the end does not;
# - shift windows with an offset, and tell an offset from a slide;
# - say when append, update and complete emit a window, and which of them evict and drop;
# - explain why a window is emitted a batch after the one that proves it closed;
# - send the events that show an edge, and keep them as a test;
# - calculate the cost of sliding windows: length / slide times the keys;
# - see which column a watermark is set on, and keep its mark.
#
# ## Read more
#
# - [Structured Streaming guide: window operations, late data, output modes](https://spark.apache.org/docs/latest/streaming/apis-on-dataframes-and-datasets.html)
# - [`pyspark.sql.functions.window`](https://spark.apache.org/docs/latest/api/python/reference/pyspark.sql/api/pyspark.sql.functions.window.html)
# - [`pyspark.sql.functions.from_utc_timestamp`](https://spark.apache.org/docs/latest/api/python/reference/pyspark.sql/api/pyspark.sql.functions.from_utc_timestamp.html)
# - [SPARK-40925: two watermarks, one to drop and one to evict](https://issues.apache.org/jira/browse/SPARK-40925)
#
# Here the core ends. What follows goes further, and no later lesson needs it. You will need it when a report must have a row
# per day. If you stop here, the next lesson is **05 Chained windows**.
#
# ## Going further: windows of local days and time zones
#
# `window("sold_at", "1 day")` is not a day of the shop. It is 24 hours from midnight UTC to midnight UTC. At that moment the
# clock in Berlin shows 01:00, in summer 02:00. Does the session's time zone help? Here are two windows in two time zones:


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
# Both times the windows begin and end at the same moments; Spark only displays them differently. The session's time zone,
# `spark.sql.session.timeZone`, decides three things. It decides how Spark displays a moment, how it reads a string without a
# zone, and what `to_date` and `date_trunc` consider a day. **It does not move a window.**
#
# An offset does move it: with `startTime="-1 hour"` the windows begin at 23:00 UTC, which is midnight in Berlin. But only until
# 29 March 2026. In that night the clock goes from 02:00 to 03:00, and from then on midnight in Berlin is 22:00 UTC. In the next
# cell, `to_utc_timestamp` takes the time on the clock in Berlin and returns the moment.

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
# A day of 23 hours fits no window of UTC, whatever its offset. In October there is a day of 25 hours. But on
# the clock in Berlin even these days begin at 00:00 and end at 24:00. The function `from_utc_timestamp` shifts a time by the
# offset of that clock *at that moment*. If the session's time zone is UTC, the result reads like the clock in Berlin, and it is no
# longer a true moment:

# %%
moments = spark.createDataFrame(
    [("2026-03-29T00:59:59Z",), ("2026-03-29T01:00:00Z",), ("2026-03-29T21:59:59Z",)],
    "text STRING",
)
local = F.from_utc_timestamp(F.col("text").cast("timestamp"), "Europe/Berlin")
moments.select("text", local.alias("clock in Berlin")).show(truncate=False)

# %% [markdown]
# ## Exercise 04.5: A report by local day
#
# The market hall in Berlin wants the revenue of each of *its* days, in winter, in summer and
# on the days when the clock changes. Write `local_days(sales)`.
#
# **Input** · `sales`: `cents BIGINT`, `sold_at TIMESTAMP`. A sale that was paid by voucher has null `cents`.
#
# **Output** · one row per day with a sale: `day DATE`, `sales` (how many), `cents` (their sum); append mode.
#
# **Rules**
# 1. A day runs from midnight to midnight on the clock in Berlin (`Europe/Berlin`), all year.
# 2. `day` is the date in Berlin, and each day has one row.
# 3. A sale that is at most 10 minutes behind the newest sale must count.
# 4. Wait no longer than rule 3 requires: a sale further behind counts only while its day is open.
# 5. A sale by voucher counts in `sales`.
# 6. `cents` is null if all sales of the day were paid by voucher.
#
# **You can assume** · the session's time zone is UTC.
#
# **Checked** · rows (weight 7), step (2), dropped rows (1), state (1).
#
# Remember the three rules for columns and their mark. The local clock is good for counting days, and for the delay at their
# end, because it changes far from midnight. It is not good for hours: in October two different hours would be in one window.

# %%
grader.predict("04.5")


# %% nbgrader={"grade": false, "grade_id": "local_days", "locked": false, "solution": true}
def local_days(sales: DataFrame) -> DataFrame:
    """Sales by day in Berlin, with a delay of 10 minutes: day, sales, cents."""
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
