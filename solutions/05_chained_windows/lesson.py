# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 05 · Chained windows
#
# The shop wants to know how busy its users are. The number of events per hour won't do, because one noisy
# minute can spoil it. So the shop counts events every 10 minutes, and then averages those counts over the hour.
#
# That is a window on top of a window. The second aggregation reads the result of the first. In Spark both fit
# into **one** query.
#
# **Objectives** · In this lesson you
#
# - put windowed aggregations on top of each other, two levels and three,
# - measure what one query saves compared with two queries and a topic in between,
# - find out how a chain drops a row whose hour is still open,
# - repair a chain that runs in the wrong output mode,
# - end a chain with a Python function of your own.
#
# **Prerequisites** · Lessons 03 (watermarks) and 04 (time windows). Chained windows need Spark 3.4+. A window after a join needs Spark 3.5+.
#
# **Time** · 130 minutes for an engineer who uses Spark daily, 220 minutes for a student.
#
# **Fast path** · 25 minutes. Run the first section up to the picture, and read *Append mode only*. Then do exercise 05.1 and read
# the recap.

# %% tags=["given"]
import contextlib
import io
import re
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import grader
import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## Chained windows: an aggregation on top of another, live
#
# Each order has a price. We want the revenue of every minute, and for every 5 minutes the revenue of the *best* minute.
#
# `grader.read_topic` reads a topic's JSON, as in lesson 02. From here on we also use `grader.run_once`. It starts a query
# on all records that its topics hold now, stops the query, and prints the state. With the same checkpoint the next call
# continues where the last one stopped. It uses **append** mode: Spark emits a row once, when the row is final.

# %%
orders_topic = kafka.create_topic("lesson05-orders")
best_topic = kafka.create_topic("lesson05-best-minutes")
checkpoint = grader.fresh_checkpoint()

orders = grader.read_topic(orders_topic, "price DOUBLE, order_time TIMESTAMP")

# %% [markdown]
# First the revenue of each minute. Nothing is new here: a watermark, a window, a sum.


# %% tags=["example"]
def minutes(orders: DataFrame) -> DataFrame:
    return (
        orders.withWatermark("order_time", "10 seconds")
        .groupBy(F.window("order_time", "1 minute"))
        .agg(F.sum("price").alias("revenue"))
    )


# %%
minutes(orders).printSchema()

# %% [markdown]
# Look at the column `window`. It is a struct with a start and an end, and Spark remembers that it *is* event time.
# So `F.window` accepts this column wherever it accepts a timestamp (Spark 3.4+):


# %% tags=["example"]
def best_minutes(orders: DataFrame) -> DataFrame:
    return (
        minutes(orders).groupBy(F.window("window", "5 minutes")).agg(F.max("revenue").alias("best"))
    )


# %% [markdown]
# There is no second watermark. The one that we set passes through the first aggregation to the second.
#
# Now we send some orders, all from the first three minutes after 09:00.

# %%
kafka.send(
    orders_topic,
    [
        {"price": 20.0, "order_time": "2026-03-01T09:00:10Z"},
        {"price": 15.0, "order_time": "2026-03-01T09:00:40Z"},
        {"price": 60.0, "order_time": "2026-03-01T09:01:30Z"},
        {"price": 5.0, "order_time": "2026-03-01T09:02:30Z"},
    ],
)
grader.run_once(best_minutes(orders), best_topic, checkpoint)
kafka.read(best_topic)

# %% [markdown]
# No row yet. Look where the state is: each operator keeps one row. The list reads [second, first], because Spark names the
# last operator first.
#
# The watermark has closed the minutes 09:00 and 09:01. Those two rows **left** the first operator and met in the second,
# which keeps a single row for 09:00–09:05. The minute 09:02 is still open, so its row is in the first operator.
#
# Now one more order, just over 10 seconds past the end of the 5 minutes:

# %%
kafka.send(orders_topic, [{"price": 9.0, "order_time": "2026-03-01T09:05:11Z"}])
grader.run_once(best_minutes(orders), best_topic, checkpoint)
kafka.read(best_topic)

# %% [markdown]
# The last minute closed and moved to the second operator. The 5-minute window closed in the same micro-batch, and 60.0
# was its best minute. A chain adds no micro-batch of waiting.
#
# The picture shows this run and three more steps. In each step the upper bars are the 1-minute windows, and the lower bars are
# the 5-minute windows. On the right is the number of rows in the state of each operator.
#
# Look at the cross in step 4. The 5-minute window of that order is still open. Spark drops the order anyway, because its *minute*
# has closed and moved on. In a chain the first window decides which rows are dropped.
#
# ![Orders in five steps, and a watermark ten seconds behind the newest: Spark emits the five minutes from 09:00 in step 2 with a best minute of 60.0. It emits those from 09:05 in step 5 with 12.0. It drops an order of 09:05:30 in step 4.](05.0.svg)

# %% [markdown]
# Try it: set the delay to 1 minute, and look at the order of 09:05:30. Then choose update mode, and read the answer. *Ask Spark*
# runs on the broker what you see.

# %%
grader.explore("05.0")

# %% [markdown]
# ### Each stateful operator has its own watermarks
#
# One detail may surprise you. The minute 09:02 reached the second operator when the watermark was 09:05:01. The 5-minute window of
# that minute ends at 09:05:00, so it had already closed. Why did Spark not drop the row as late?
#
# You know the answer from lesson 03. A micro-batch *drops* rows by the watermark of the previous micro-batch, and *evicts* state by
# its own. In a chain every stateful operator has these two watermarks for itself (Spark 3.5+).
#
# Spark emits a minute in the same micro-batch in which the watermark passes the end of that minute. By the watermark of the previous
# micro-batch, the 5-minute window was still open. So Spark never treats a finished minute as late.
#
# The physical plan of a query, the operators that really run, shows these watermarks in milliseconds. The helper below only
# extracts them from the plan's text:


# %%
def own_watermarks(rows: DataFrame, checkpoint: str) -> None:
    """Run a query on new records; print the watermarks by which its last micro-batch dropped and evicted."""
    writer = rows.writeStream.format("noop").trigger(availableNow=True)
    query = writer.option("checkpointLocation", checkpoint).start()
    query.awaitTermination()
    with contextlib.redirect_stdout(io.StringIO()) as plan:
        query.explain()
    figures = re.findall(r"StateStoreSave .*Append, (\d+), (\d+)", plan.getvalue())
    for number, (drops, evicts) in enumerate(reversed(figures), start=1):
        print(f"  window {number}: drops by {at_time(drops)}, evicts by {at_time(evicts)}")


def at_time(milliseconds: str) -> str:
    time = datetime.fromtimestamp(int(milliseconds) / 1000, timezone.utc)
    return time.strftime("%H:%M:%S") if int(milliseconds) else "none yet"


again_topic = kafka.create_topic("lesson05-orders-again")
again = grader.read_topic(again_topic, "price DOUBLE, order_time TIMESTAMP")
again_checkpoint = grader.fresh_checkpoint()
for time in ["09:02:30", "09:05:11"]:
    print(f"an order of {time}")
    kafka.send(again_topic, [{"price": 20.0, "order_time": f"2026-03-01T{time}Z"}])
    own_watermarks(best_minutes(again), again_checkpoint)

# %% [markdown]
# The values are those of the last micro-batch of each run, the no-data batch. After the second order the chain drops by
# 09:02:20 and evicts by 09:05:01. In this micro-batch the minute 09:02 reaches the second window, which ends at 09:05:00.
# That end is later than 09:02:20, so the row is not late. It is not later than 09:05:01, so Spark emits the window at once.
#
# Both windows have the same values, because a window emits a row as soon as the watermark reaches its end. A *join* (lesson 06) may
# emit a row much later. For example, an order can wait 10 minutes for its payment. A window after such a join uses an *earlier*
# watermark, and so emits its rows later.

# %% [markdown]
# ### From a window to a timestamp: `window_time`
#
# `F.window("window", …)` takes a window as it is. Sometimes you need a plain timestamp instead, for example as a join key.
# There are three candidates, and Spark treats only one of them as event time (Spark 3.4+):
#
# | for the minute 09:00 | value | event time for Spark? |
# | --- | --- | --- |
# | `F.window_time("window")` | 09:00:59.999999 | yes: the last microsecond of the window |
# | `window.start` | 09:00:00 | no: a timestamp like any other |
# | `window.end` | 09:01:00 | no, and it is the first moment of the *next* minute |
#
# If you take a field out of the struct, Spark no longer knows that it is event time. A grouping by such a field never becomes
# final, so Spark rejects it in append mode:


# %%
def try_out(rows: DataFrame, mode: str = "append") -> None:
    """Start a query in a mode and print the first line of Spark's error."""
    try:
        writer = rows.writeStream.format("noop").outputMode(mode).trigger(availableNow=True)
        writer.option("checkpointLocation", grader.fresh_checkpoint()).start().awaitTermination()
        print("it runs")
    except Exception as error:
        print(str(error).splitlines()[0])


revenue = minutes(orders)
print("by window_time:")
try_out(revenue.groupBy(F.window(F.window_time("window"), "5 minutes")).agg(F.max("revenue")))
print("by window.start:")
try_out(revenue.groupBy(F.window("window.start", "5 minutes")).agg(F.max("revenue")))

# %% [markdown]
# ### Append mode only after a windowed aggregation
#
# **After** a windowed aggregation, another stateful operator is allowed in **append** mode only.
#
# In update mode the first window would emit its count again with new events, and the second would add up these drafts. In append mode
# Spark emits a row once, when it is final. Only final rows can be counted safely.
#
# A deduplication emits each row once in any mode. So a count after a deduplication, as in lesson 02, may run in update mode.
#
# Here is Spark's answer if you use update mode in our chain:

# %%
try_out(best_minutes(orders), "update")

# %% [markdown]
# Spark rejects the query. Its message names the other danger: the first operator may emit rows that are late for the second.
# It does not mention the drafts. In exercise 05.4 you will repair a query in which this check was switched off.
#
# ## Exercise 05.1: Average of 10-minute window counts per hour
#
# The shop wants a robust measure of how busy each user is. Write `hourly_averages(events)`.
#
# **Input** · `events`: `user_id INT`, `event_time TIMESTAMP`. No `user_id` is null.
#
# **Output** · one row per user and hour: `window` (the hour, a struct of start and end), `user_id`, `average DOUBLE`; append mode. Emit an
# hour when the watermark reaches its end.
#
# **Rules**
#
# 1. Count the events of each user in windows of 10 minutes. `average` is the average of these counts over the hour.
# 2. A 10-minute window without events is not a zero: it does not take part in the average.
# 3. Events may be up to **1 minute** late. This is the watermark delay.
# 4. Drop a late event whose 10-minute window has closed, even if its hour is still open.
#
# **Checked** · rows, the step of each row, the watermark, dropped rows, the size of the state.

# %% [markdown]
# **Sample** · On 2 June 2023, from 11:00, two users had this many events per 10 minutes:
#
# | from | 11:00 | 11:10 | 11:20 | 11:30 | 11:40 | 11:50 |
# | --- | --- | --- | --- | --- | --- | --- |
# | user 1 | 12 | 8 | 5 | 15 | 9 | 11 |
# | user 2 | 7 | 16 | 10 | 6 | 19 | 17 |
#
# Their averages over the hour are 10 and 12.5. Check them on paper. The real stream is less tidy: one event is half an hour late.
# The hour from 12:00 is so quiet that some of its 10-minute windows have no event.
#
# Before you run anything, predict. Step 4 of the check contains the newest events so far, of 12:00:20 and 12:00:40.
# How many rows has the query emitted when that step ends?

# %%
grader.predict("05.1")


# %% nbgrader={"grade": false, "grade_id": "hourly_averages", "locked": false, "solution": true}
def hourly_averages(events: DataFrame) -> DataFrame:
    """The average of each user's ten-minute counts, by hour.

    events: user_id INT, event_time TIMESTAMP; up to 1 minute late.
    Returns window STRUCT<start, end> (the hour), user_id, average.
    """
    ### BEGIN SOLUTION
    counts = (
        events.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "10 minutes"), "user_id")
        .count()
    )
    return counts.groupBy(F.window("window", "1 hour"), "user_id").agg(
        F.avg("count").alias("average")
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-hourly_averages", "locked": true, "points": 3, "solution": false}
grader.check("05.1", hourly_averages)

# %% [markdown]
# Are you stuck? `grader.hint("05.1")` gives you a hint, and a stronger one at each further call. This cell shows your
# stream, micro-batch by micro-batch:

# %%
grader.lens("05.1", hourly_averages)

# %% [markdown]
# ## One query or two: the cost of a topic in between
#
# Before Spark could chain windows, there was one way. One query wrote the minutes to a topic, and a second query read that topic.
# That design still works, and sometimes it is right. What does it cost? We measure it: the same orders go through the chain and
# through two queries.
#
# The second query needs its own event time, read from the JSON: the start of the minute, with no delay. No delay is right here: each run
# of the second query reads all output of a run of the first query, in one micro-batch.

# %%
MINUTE = "window STRUCT<start: TIMESTAMP, end: TIMESTAMP>, revenue DOUBLE"
till, one_out, between, two_out = (
    kafka.unique_topic(name) for name in ("till", "one-out", "between", "two-out")
)
one_checkpoint, first_checkpoint, second_checkpoint = (grader.fresh_checkpoint() for _ in range(3))

till_orders = grader.read_topic(till, "price DOUBLE, order_time TIMESTAMP")
finished_minutes = grader.read_topic(between, MINUTE).withColumn("start", F.col("window.start"))
best_of_minutes = (
    finished_minutes.withWatermark("start", "0 seconds")
    .groupBy(F.window("start", "5 minutes"))
    .agg(F.max("revenue").alias("best"))
)

# %% [markdown]
# The orders are from 09:00:10, 09:05:11, 09:06:09 and 09:06:11. After each order we run all three queries. You have seen that the
# chain emits the 5-minute window from 09:00 at the order of 09:05:11. **Predict:** after which order does the second query emit it?

# %%
for time in ["09:00:10", "09:05:11", "09:06:09", "09:06:11"]:
    print(f"an order of {time}")
    kafka.send(till, [{"price": 20.0, "order_time": f"2026-03-01T{time}Z"}])
    grader.run_once(best_minutes(till_orders), one_out, one_checkpoint)
    grader.run_once(minutes(till_orders), between, first_checkpoint)
    grader.run_once(best_of_minutes, two_out, second_checkpoint)
    print(
        f"  → out of the chain: {len(kafka.read(one_out))}, of two queries: {len(kafka.read(two_out))}"
    )

# %% [markdown]
# After the order of 09:06:11: the second query is at least one minute of event time behind the chain. It sees only finished
# minutes. It closes the 5-minute window when it reads a minute that begins at 09:05 *or later*. That minute has to be finished
# first. With hours on top of 10 minutes, the two queries would lag at least 10 minutes behind the chain.
#
# A second query without a delay is the best case. Within a micro-batch the first query writes its minutes in any order. A
# second query that reads only a part of them per micro-batch (`maxOffsetsPerTrigger`, lesson 01) would drop some as late. Then
# it needs a delay, and lags by that much more.
#
# The other costs:
#
# - You operate, monitor and upgrade two queries with two checkpoints, and a third topic.
# - The most expensive cost: the topic in between receives its minutes *at least once* (lesson 01). After a kill it can contain a
#   minute twice. A maximum does not change, but a sum or an average is wrong.
#
# Two queries are right in three cases:
#
# - Other readers *do* want the minutes.
# - You must change the second query without touching the first.
# - The question needs something that a chain cannot do.

# %% [markdown]
# ## Exercise 05.2: Three levels of windows
#
# The operations team asks: how many clicks does a page get in its busiest minutes? A single wild minute must not decide.
# Write `typical_peaks(clicks)`.
#
# **Input** · `clicks`: `page STRING`, `event_time TIMESTAMP`. `page` can be null.
#
# **Output** · one row per page and hour: `window` (the hour), `page`, `average_peak DOUBLE`, `highest_peak BIGINT`; append mode. Emit an
# hour when the watermark reaches its end.
#
# **Rules**
#
# 1. Count the clicks of each page in windows of 1 **minute**.
# 2. The *peak* of a page in **10 minutes** is the greatest of its 1-minute counts there.
# 3. For each **hour**, `average_peak` is the average of the page's peaks, and `highest_peak` is the greatest.
# 4. A window without clicks is not a zero: it has no count and no peak.
# 5. Clicks may be up to **30 seconds** late. This is the watermark delay.
# 6. Drop a late click whose minute has closed, even if its 10 minutes and its hour are still open.
# 7. Clicks with a null page count together, as a page of their own. Its `page` is null.
#
# **Checked** · rows, the step of each row, the watermark, dropped rows, the size of the state, a restart after a kill.

# %% [markdown]
# The check sends these clicks:
#
# | step | clicks |
# | --- | --- |
# | 1 | /home 12:00:05, 12:00:20, 12:00:50, 12:04:10; /sale 12:03:59, 12:04:00 |
# | 2 | /home 12:11:00, 12:11:30; /sale 12:03:45, 12:09:59, 12:10:00 |
# | 3 | /home 12:11:59, 12:24:50, 12:25:00; /sale 12:10:59, 12:31:05, 12:31:50 |
# | 4 | /home 12:45:10 (twice), 13:00:29; /sale 12:31:40; (no page) 12:46:00 |
# | 5 | /sale 13:00:30 |
# | 6 | /home 13:05:10, 13:05:20, 15:00:00 |
#
# Predict first. There are two questions. In `state=…`, count the rows that all three operators keep together after step 2.

# %%
grader.predict("05.2")


# %% nbgrader={"grade": false, "grade_id": "typical_peaks", "locked": false, "solution": true}
def typical_peaks(clicks: DataFrame) -> DataFrame:
    """The average and the highest of each page's ten-minute peaks, by hour.

    clicks: page STRING, event_time TIMESTAMP; up to 30 seconds late.
    Returns window STRUCT<start, end> (the hour), page, average_peak, highest_peak.
    """
    ### BEGIN SOLUTION
    minutes = (
        clicks.withWatermark("event_time", "30 seconds")
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("*").alias("clicks"))
    )
    tens = minutes.groupBy(F.window("window", "10 minutes"), "page").agg(
        F.max("clicks").alias("peak")
    )
    return tens.groupBy(F.window("window", "1 hour"), "page").agg(
        F.avg("peak").alias("average_peak"), F.max("peak").alias("highest_peak")
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-typical_peaks", "locked": true, "points": 3, "solution": false}
grader.check("05.2", typical_peaks)

# %%
grader.lens("05.2", typical_peaks)

# %% [markdown]
# ## Exercise 05.3: A row dropped while its hour window is open
#
# "Chained windows drop rows", people write. They do. You have seen rows that were dropped although the larger window was open.
# This time you don't write the query. The query is given, and you write the **clicks**. They have one column, `event_time`. The query
# counts the clicks of one lunch hour:


# %% nbgrader={"grade": false, "grade_id": "lunch_hour", "locked": true, "solution": false}
def lunch_hour(clicks: DataFrame) -> DataFrame:
    at = F.col("event_time")
    tens = (
        clicks.withWatermark("event_time", "1 minute")
        .where((at >= "2026-03-01 12:00:00") & (at < "2026-03-01 13:00:00"))
        .groupBy(F.window("event_time", "10 minutes"))
        .agg(F.count("*").alias("clicks"))
    )
    return tens.groupBy(F.window("window", "1 hour")).agg(F.avg("clicks").alias("average"))


# %% [markdown]
# The filter comes after `withWatermark`: the click at 13:05:00 is not counted, but it still advances the watermark. This holds for a
# filter on the event time. Spark moves a filter on another column *before* the watermark, wherever you wrote it. The rows that such a filter
# removes do not advance the watermark.
#
# Write `lunch_clicks()`.
#
# **Input** · none. `lunch_hour` runs once for each of your steps, on the same checkpoint. Its session's time zone is UTC.
#
# **Output** · a list of steps. A step is a list of clicks, and a click is a dict such as `{"event_time": "12:05:00"}`. A time without a
# date is of 1 March 2026.
#
# **Rules**
#
# 1. Exactly **one** row is dropped in all steps together.
# 2. That row is dropped in a step before the last one, while its hour is still open.
# 3. The hour from 12:00 is emitted in the **last** step.
# 4. Its average is **2**.
# 5. There are **at most 5** clicks in all.
#
# **Checked** · dropped rows, emitted rows, the average, and the number of clicks.

# %% [markdown]
# Spark first aggregates a micro-batch and then drops (lesson 03): late clicks of one window in one micro-batch count as one row.


# %% nbgrader={"grade": false, "grade_id": "lunch_clicks", "locked": false, "solution": true}
def lunch_clicks() -> list[list[dict[str, str]]]:
    """Clicks by step, such as [[{"event_time": "12:05:00"}], [{"event_time": "12:30:00"}]]."""
    ### BEGIN SOLUTION
    return [
        [{"event_time": "12:15:00"}, {"event_time": "12:15:30"}],
        [{"event_time": "12:05:00"}],
        [{"event_time": "13:01:00"}],
    ]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-lunch_clicks", "locked": true, "points": 3, "solution": false}
grader.check("05.3", lunch_clicks)

# %%
grader.lens("05.3", lunch_clicks)

# %% [markdown]
# ## One global watermark: the legacy setting allowMultiple
#
# That was a chain that works as designed. But "chained windows drop rows" has a darker meaning, too. In older versions
# of Spark (before 3.4) a query had a single watermark for all its operators. Spark rejected chains for that reason.
#
# A setting restores the old behavior, and today's Spark does not reject a chain of windows under that setting. In these orders the
# minute 09:04 and its 5-minute window close in the same micro-batch:

# %%
OLD_WAY = "spark.sql.streaming.statefulOperator.allowMultiple"


def best_of(*times_and_prices: tuple[str, float]) -> None:
    """Send orders one by one, run the chain after each, print what it emitted."""
    topic, out, checkpoint = (
        kafka.unique_topic("o"),
        kafka.unique_topic("b"),
        grader.fresh_checkpoint(),
    )
    rows = best_minutes(grader.read_topic(topic, "price DOUBLE, order_time TIMESTAMP"))
    for time, price in times_and_prices:
        kafka.send(topic, [{"price": price, "order_time": f"2026-03-01T{time}Z"}])
        grader.run_once(rows, out, checkpoint)
    print("  →", kafka.read(out))


day = [("09:00:10", 20.0), ("09:04:30", 60.0), ("09:05:11", 9.0)]
print("each operator has its own watermark")
best_of(*day)

print("one watermark for all")
try:
    spark.conf.set(OLD_WAY, "false")
    best_of(*day)
finally:
    spark.conf.unset(OLD_WAY)

# %% [markdown]
# It is the same query, there is no error, and the best minute is missing: 20.0 where it should be 60.0. The second operator dropped the
# minute 09:04, whose 5-minute window ends at the same moment. It dropped the row by the very watermark that had just made it final.
# This is why each operator has its own watermarks. Don't change this setting.

# %% [markdown]
# ## Exercise 05.4: Hourly totals that count drafts
#
# A screen shows the revenue of each hour, and since Monday the hours have been too good to be true. Repair the query below: write
# `final_hours(spark, kafka, orders)`.
#
# **Input** · `spark`: the session in which your query runs. `kafka`: `kafka.topic("hours")` is the output topic. `orders`: `amount
# DOUBLE` and `order_time TIMESTAMP`. `amount` can be null.
#
# **Output** · a `DataStreamWriter` that has not been started. It writes one record per hour to the topic `hours`, as `to_hours` does. A
# record has no key, and its JSON value has `window`, `minutes`, `revenue` and `best`.
#
# **Rules**
#
# 1. Emit each hour **once**, when the watermark reaches its end.
# 2. `minutes` is the number of minutes that had an order. The `revenue` is the sum of all amounts, refunds included. The `best` is the revenue
#    of the best minute.
# 3. Orders may be up to 1 minute late. Drop a late order whose minute has closed, even if its hour is open.
# 4. An order with a null amount is an order. Its minute counts in `minutes`, and the order adds nothing to `revenue`.
# 5. Keep all of Spark's checks of streaming queries on.
#
# **You can assume** · every hour has a minute with a revenue above 0.
#
# **Checked** · records, the step of each record, the two settings of Spark's checks, dropped rows, the size of the state, a restart after a
# kill.

# %% [markdown]
# Two things are wrong on the screen. A refund, which is a negative `amount`, does not lower the revenue. And the same hour appears again and
# again. This is the query, with a helper that is correct. The helper writes rows to the topic `hours` as JSON.


# %% tags=["given"]
def to_hours(rows: DataFrame, kafka: Any) -> DataStreamWriter:
    """A writer of rows to the topic `hours`, all columns as JSON; not started."""
    return (
        rows.select(F.to_json(F.struct("*")).alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("hours"))
    )


# %%
def too_big(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    # Spark rejects the query without this line
    spark.conf.set("spark.sql.streaming.statefulOperator.checkCorrectness.enabled", "false")
    minutes = (
        orders.withWatermark("order_time", "1 minute")
        .groupBy(F.window("order_time", "1 minute"))
        .agg(F.sum("amount").alias("revenue"))
    )
    hours = minutes.groupBy(F.window("window.start", "1 hour")).agg(
        F.count("*").alias("minutes"),
        F.sum("revenue").alias("revenue"),
        F.max("revenue").alias("best"),
    )
    return to_hours(hours, kafka).outputMode("update")


# %% [markdown]
# The author of this query wanted a chain. Spark rejected it twice, with the messages that you saw above for
# `window.start` and for update mode. Each time the author made the message disappear. Look at
# what the query emits, step by step, and compare it with the first orders of the morning:
#
# | step | orders |
# | --- | --- |
# | 1 | 09:00:10 20.25, 09:00:40 15.50, 09:01:30 60.00 |
# | 2 | 09:00:59 5.00, 09:01:45 −50.50, 09:30:00 10.00 |

# %%
grader.lens("05.4", too_big)

# %% [markdown]
# Three questions find the cause:
#
# - *Which orders are counted twice?* Add up step 2 on paper.
# - *What did Spark say first?* Remove the line with the setting, then the mode, and read.
# - *What is the cause, and what only hides it?*
#
# Each run of the lens and of `grader.check` has a fresh session. So it is enough to remove the line with the setting. You don't need to
# set it back.

# %%
grader.predict("05.4")


# %% nbgrader={"grade": false, "grade_id": "final_hours", "locked": false, "solution": true}
def final_hours(spark: SparkSession, kafka: Any, orders: DataFrame) -> DataStreamWriter:
    """Each hour once: window, minutes, revenue, best, as JSON in the topic `hours`.

    orders: amount DOUBLE, order_time TIMESTAMP; up to 1 minute late.
    """
    ### BEGIN SOLUTION
    minutes = (
        orders.withWatermark("order_time", "1 minute")
        .groupBy(F.window("order_time", "1 minute"))
        .agg(F.sum("amount").alias("revenue"))
    )
    hours = minutes.groupBy(F.window("window", "1 hour")).agg(
        F.count("*").alias("minutes"),
        F.sum("revenue").alias("revenue"),
        F.max("revenue").alias("best"),
    )
    return to_hours(hours, kafka).outputMode("append")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-final_hours", "locked": true, "points": 5, "solution": false}
grader.check("05.4", final_hours)

# %% [markdown]
# ## applyInPandasWithState as the last operator of a chain
#
# Windows are not the only stateful operators, and others can be chained as well. Some questions no window can
# answer: *is this the third order of this customer?* The answer needs state from all earlier orders. With
# `applyInPandasWithState` Spark gives such state to a Python function. Lesson 09 teaches how to write these functions. This one is
# finished:


# %% tags=["given"]
def every_third(
    key: tuple[str], chunks: Iterator[pd.DataFrame], card: GroupState
) -> Iterator[pd.DataFrame]:
    """The third, sixth, ninth, … order of a customer, if it is a new one: customer, order_id."""
    (customer,) = key
    (orders,) = card.get if card.exists else (0,)
    found = []
    for order_id in pd.concat(list(chunks)).sort_values("order_time")["order_id"]:
        orders += 1
        if orders % 3 == 0:
            found.append((customer, order_id))
    card.update((orders,))
    yield pd.DataFrame(found, columns=["customer", "order_id"])


# %% [markdown]
# What you need to know about this function:
#
# - In each micro-batch Spark calls it **once for each key** that has rows, with all rows of that key in pandas
#   DataFrames. They arrive in any order, so the function sorts those of the micro-batch by time. An order with an earlier time that
#   arrives in a later micro-batch counts after them.
# - `card` gives access to the state of that key, a tuple: `card.exists`, `card.get`, `card.update(…)`. Spark keeps it in the state
#   store across micro-batches and restarts.
# - The function yields rows, none or many.
#
# A query calls it like this. The arguments are the output schema, the state schema, the output mode, and the kind of timeout:
#
#     rows.groupBy("customer").applyInPandasWithState(
#         every_third,
#         "customer STRING, order_id STRING",
#         "orders LONG",
#         "append",
#         GroupStateTimeout.NoTimeout,
#     )

# %% [markdown]
# Use this function as the **last** operator of a chain. For Spark the rows that it emits are new, and none of their columns is event
# time. A count after the function would never be final, and a deduplication after it could never evict its state.
# Duplicates have to be removed
# before the function, because it has already counted what it reads.
#
# See what Spark says about an aggregation after the function. Spark also rejects an aggregation *before* this function:


# %%
def third_orders(rows: DataFrame) -> DataFrame:
    return rows.groupBy("customer").applyInPandasWithState(
        every_third,
        "customer STRING, order_id STRING",
        "orders LONG",
        "append",
        GroupStateTimeout.NoTimeout,
    )


numbered_topic = kafka.create_topic("lesson05-numbered-orders")
numbered = grader.read_topic(
    numbered_topic, "order_id STRING, customer STRING, order_time TIMESTAMP"
).withWatermark("order_time", "1 minute")

print("an aggregation behind the function:")
try_out(third_orders(numbered).groupBy("customer").count())
print("an aggregation in front of it:")
try_out(third_orders(numbered.groupBy(F.window("order_time", "1 minute"), "customer").count()))
print("a deduplication in front of it:")
try_out(third_orders(numbered.dropDuplicatesWithinWatermark(["order_id"])))

# %% [markdown]
# The function may follow a deduplication or a join. After a windowed aggregation use the newer `transformWithState` (lesson 10, Spark
# 4.1+ with rows in Python), or a second query with a topic in between.
#
# ## Exercise 05.5: Deduplication, then `every_third`
#
# Every third order of a customer earns a gift. If the network is poor, the shop's app sends an order again. Such a retry must not earn a
# gift. Write `presents(orders)`.
#
# **Input** · `orders`: `order_id STRING`, `customer STRING`, `order_time TIMESTAMP`. No column is null.
#
# **Output** · one row per gift: `customer`, `order_id`; append mode. Emit it in the micro-batch that
# reads the order.
#
# **Rules**
#
# 1. Rows with the same `order_id` are duplicates, even if their times differ. An order counts once.
# 2. Count the orders of each customer, and emit the 3rd, 6th, 9th, … of them. Within a micro-batch count by `order_time`, as `every_third` does.
# 3. The watermark delay is **1 minute**. Drop an order whose time is not later than the watermark.
# 4. Evict an `order_id` from the state as soon as no duplicate of it can arrive.
#
# **You can assume** · the time of a duplicate is less than 1 minute after the time of its order. A late order has no duplicate. An
# `order_id` belongs to one customer. Of two orders of a customer with the same time, neither earns a gift.
#
# **Checked** · rows, the step of each row, the watermark, dropped rows, the size of the state, a restart after a kill.

# %% [markdown]
# `dropDuplicatesWithinWatermark([columns])` (Spark 3.5+, more in lesson 07) emits one row for each set of values in these columns. It evicts
# the values once the watermark reaches the time of that row plus the delay. Without a window, a row is late as soon as the watermark
# *reaches* its time. The first steps of the check:
#
# | step | orders |
# | --- | --- |
# | 1 | o1 ana 10:00:05, o2 ben 10:00:10, o1 ana 10:00:15 (a duplicate), o3 ana 10:00:40 |
# | 2 | o3 ana 10:01:20 (a duplicate), o4 ana 10:01:10, o5 ben 10:01:30 |
# | 3 | o6 ben 10:00:30, o7 cleo 10:02:00, o7 cleo 10:02:05 (a duplicate), o8 dora 10:00:31 |

# %%
grader.predict("05.5")


# %% nbgrader={"grade": false, "grade_id": "presents", "locked": false, "solution": true}
def presents(orders: DataFrame) -> DataFrame:
    """Every third order of a customer, duplicates dropped: customer, order_id.

    orders: order_id STRING, customer STRING, order_time TIMESTAMP; up to 1 minute late.
    """
    ### BEGIN SOLUTION
    unique = orders.withWatermark("order_time", "1 minute").dropDuplicatesWithinWatermark(
        ["order_id"]
    )
    return unique.groupBy("customer").applyInPandasWithState(
        every_third,
        "customer STRING, order_id STRING",
        "orders LONG",
        "append",
        GroupStateTimeout.NoTimeout,
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-presents", "locked": true, "points": 4, "solution": false}
grader.check("05.5", presents)

# %%
grader.lens("05.5", presents)

# %% [markdown]
# ## Drill: fresh questions about chained windows
#
# The drill shows small streams that you have not seen before. It asks what reaches the second operator, and when. It explains a wrong
# choice with the idea behind it. The questions grow harder with you, and return after some days.

# %%
grader.drill("chained windows")

# %% [markdown]
# ## Recap: the facts
#
# A windowed aggregation can read the result of another one in the same query (Spark 3.4+). One watermark, set before the first
# aggregation, serves all levels. In append mode a row leaves an operator when the watermark reaches the end of its window. The next
# operator reads it in the same micro-batch. Each stateful operator has its own watermark for dropping and for evicting, so a finished row is
# never late for the next operator. The first window decides which rows are dropped, even if the larger window is open. A window
# without events emits no row, so it is not a zero in an average. After a windowed aggregation Spark allows other stateful operators in
# append mode only, because drafts of update mode would be counted twice.
#
# | you need | use | because |
# | --- | --- | --- |
# | windows of windows | `F.window("window", "1 hour")` | the struct is event time |
# | a timestamp of a window | `F.window_time("window")` | `window.start` and `window.end` are not event time |
# | the total of final rows | append mode | update mode emits drafts |
# | later rows to count in the larger window | a longer delay | the first window drops them |
# | readers of the first level | a second query and a topic | at-least-once, and later by one small window |

# %% [markdown]
# ## What you can now do
#
# - put windows on top of windows in one query, with one watermark;
# - say which rows are in which operator at any moment, when they leave it, and why none of them is late for the next;
# - make a timestamp of a window with `window_time`, and say what `window.start` and `window.end` cost you;
# - explain why windows on windows need append mode, and what goes wrong when Spark's check is switched off;
# - find the window that decides what a chain drops: the first;
# - say what two queries cost in event time, checkpoints and topics, and when they are right anyway;
# - end a chain with your own function, and say which operators may come before it.
#
# ## Read more
#
# - [Structured Streaming guide: operations on streaming DataFrames](https://spark.apache.org/docs/latest/streaming/apis-on-dataframes-and-datasets.html):
#   window operations, watermarks, output modes and supported operators
# - [`window_time` in the PySpark reference](https://spark.apache.org/docs/latest/api/python/reference/pyspark.sql/api/pyspark.sql.functions.window_time.html)
# - [SPARK-40925](https://issues.apache.org/jira/browse/SPARK-40925): several stateful operators in one query
# - [SPARK-42376](https://issues.apache.org/jira/browse/SPARK-42376): the watermark of each operator

# %%
grader.progress()

# %% [markdown]
# Next: **06 Stream joins**, where two streams meet, and one of them waits.
