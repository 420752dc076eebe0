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
# The shop wants to know how busy its users are. Not "how many events an hour", which one noisy
# minute can spoil, but a calmer figure: count every ten minutes, then average those counts over
# the hour.
#
# That is a window on top of a window: two questions, the second asked of the answers to the first.
# In Spark both fit into **one** query. In this lesson you
#
# - put windows on top of windows, two levels and three,
# - measure what one query saves against two with a topic in between,
# - find out how a chain can lose a row whose hour is still open,
# - repair a chain that runs in the wrong mode,
# - end a chain in a Python function of your own.
#
# Plan two and a half hours.

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
# ## A small chain, live
#
# Orders come in, each with a price. We want the revenue of every minute, and of each five minutes
# the *best* minute.
#
# `grader.read_topic` reads a topic's JSON, as in lesson 02. A second call saves us typing from here on:
# `grader.run_once` lets a query take in what its topics hold now, stops it, and prints what
# it keeps; with the same checkpoint the next call goes on from there. It runs the query in **append**
# mode: a row comes out once, when it is final.

# %%
orders_topic = kafka.create_topic("lesson05-orders")
best_topic = kafka.create_topic("lesson05-best-minutes")
checkpoint = grader.fresh_checkpoint()

orders = grader.read_topic(orders_topic, "price DOUBLE, order_time TIMESTAMP")

# %% [markdown]
# First the revenue of each minute. Nothing new here: a watermark, a window, a sum.


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
# Look at the column `window`. It is a struct with a start and an end, and Spark remembers that it
# *is* event time. So `F.window` accepts it where it would accept a timestamp:


# %% tags=["example"]
def best_minutes(orders: DataFrame) -> DataFrame:
    return (
        minutes(orders).groupBy(F.window("window", "5 minutes")).agg(F.max("revenue").alias("best"))
    )


# %% [markdown]
# No second watermark. The one that we set goes through the first aggregation to the second.
#
# Now some orders, all within the first three minutes after nine o'clock.

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
# No row yet, and look where the state is: one row in each operator. (The list reads [second, first], the last operator in front.)
# The watermark has closed the minutes 09:00 and 09:01; those two **left** the first operator, and met
# in the second, which keeps a single row for 09:00–09:05. The minute 09:02 is still open, at home
# in the first.
#
# One more order, just over ten seconds past the five minutes:

# %%
kafka.send(orders_topic, [{"price": 9.0, "order_time": "2026-03-01T09:05:11Z"}])
grader.run_once(best_minutes(orders), best_topic, checkpoint)
kafka.read(best_topic)

# %% [markdown]
# The last minute closed, moved into the five minutes, and these closed in the same breath: 60.0
# was the best minute. A chain adds no batch of waiting.
#
# Here is the run as a picture, with three steps more. The upper line of bars in a
# step holds the minutes, the lower one the five minutes; on the right stands how many rows each of the two
# operators keeps. Look at the cross in step 4: the five minutes of that order are still open,
# and it is dropped all the same, because its *minute* has moved on. In a chain the first window decides what is too late.
#
# ![Orders in five steps, and a watermark ten seconds behind the newest: the five minutes from 09:00 come out in step 2 with a best minute of 60.0, those from 09:05 in step 5 with 12.0, and an order of 09:05:30 is crossed out in step 4.](05.0.svg)

# %% [markdown]
# Play with it: make the delay a minute, and look at the order of 09:05:30; then ask for update mode, and read
# the answer. *Ask Spark* plays on the broker what you see.

# %%
grader.explore("05.0")

# %% [markdown]
# ### To each operator its own watermark
#
# There is one thing to wonder about. The minute 09:02 reached the second operator when the watermark stood
# at 09:05:01. The five minutes that it belongs to end at 09:05:00: they were over! Why was it not dropped as late?
#
# You know the answer from lesson 03: a batch *drops* by the watermark of the batch before, and *evicts*
# by its own. Every stateful operator of a chain has those two figures for itself. A minute is handed on
# in the very batch in which the watermark passes it; by the figure of the batch before, the window that it goes
# into was still open. So a finished minute is never taken for a late one.
#
# The plan of a query that has run holds the figures, in milliseconds. We dig them out for our chain:


# %%
def own_watermarks(rows: DataFrame, checkpoint: str) -> None:
    """Run a query on what is new in its topics; print by what its last batch dropped and evicted."""
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
# The figures are those of the last batch of each run, the one without data. After the second order the chain drops by
# 09:02:20 and evicts by 09:05:01. The minute 09:02 reaches the second window in this batch, and its five minutes end at
# 09:05:00: later than the first figure, so it is in time; not later than the second, so they come out at once.
#
# Both windows have the same figures, as a window hands a row on as soon as the time has passed it. A *join* (lesson 06) may
# hand one on much later: an order can wait ten minutes for its payment, say. A window behind such a join goes by a time that
# is those ten minutes (and a moment) *earlier*, and waits accordingly.
#
# ### From a window to a timestamp
#
# `F.window("window", …)` takes a window as it is. Now and then you need a plain timestamp of it, for
# instance to join by, and there are three candidates. Only one of them is still event time to Spark:
#
# | of the minute 09:00 | is | and is it event time? |
# | --- | --- | --- |
# | `F.window_time("window")` | 09:00:59.999999 | yes: its last moment |
# | `window.start` | 09:00:00 | no: a timestamp like any other |
# | `window.end` | 09:01:00 | no, and it is the first moment of the *next* minute |
#
# Take a field out of the struct, and Spark loses track. A grouping in append mode then has no
# end that it could see, and it refuses:


# %%
def try_out(rows: DataFrame, mode: str = "append") -> None:
    """Start a query in a mode and print the first line of what Spark says to it."""
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
# ### The rule that comes with it
#
# **Behind a window** another operator with state may stand in **append** mode only. In update mode the first window would send
# on its count at every change, and the second would add up drafts. Append sends a row once, when it is final, and only final
# rows can be counted safely. (A deduplication sends each row once in any mode, so a count behind one, as in lesson 02, may run
# in update mode.) See what Spark says if you insist:

# %%
try_out(best_minutes(orders), "update")

# %% [markdown]
# Long-winded, and it says no. It names the other danger, that what the one operator sends on could be too old for the
# next; the drafts it does not mention. (In exercise 05.4 you will meet somebody who did insist.)
#
# ## Exercise 05.1: hourly averages
#
# `events` has two columns, `user_id` (a whole number, and every event has one) and `event_time`. On
# 2 June 2023, from eleven o'clock, two users had this many events in each ten minutes:
#
# | from | 11:00 | 11:10 | 11:20 | 11:30 | 11:40 | 11:50 |
# | --- | --- | --- | --- | --- | --- | --- |
# | user 1 | 12 | 8 | 5 | 15 | 9 | 11 |
# | user 2 | 7 | 16 | 10 | 6 | 19 | 17 |
#
# Their averages over the hour are 10 and 12.5; check it on paper. The real stream behind the table
# is less tidy: one event is half an hour behind and must not count, and the hour after noon is so
# quiet that some ten minutes have no event at all. A window without events is no zero. It is not
# there.
#
# Events may be up to **one minute** late. Write `hourly_averages`, in one query, with the columns
# `window` (the hour), `user_id` and `average`.
#
# Before you run anything: step 4 of the check brings, among others, events of 12:00:20 and 12:00:40, the newest so far.
# How many rows have come out when that step is over?

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
# Stuck? `grader.hint("05.1")` gives you a nudge, and a stronger one each time you ask. To see your
# stream, batch by batch:

# %%
grader.lens("05.1", hourly_averages)

# %% [markdown]
# ## One query or two?
#
# Before Spark could chain, there was one way: a query for the minutes, which writes them to a topic, and a second
# query that reads that topic. It still works, and is sometimes right. What does it cost? We measure:
# the same orders through the chain and through two queries.
#
# The second query needs event time of its own, out of the JSON: the minute's start, with no delay. That is right here, as
# each of its runs reads all that the first has written in a run, in one batch.

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
# Orders come at 09:00:10, 09:05:11, 09:06:09 and 09:06:11, and after each we run all three queries.
# The chain gave out the five minutes from 09:00 at 09:05:11, as you have seen. **Bet:** after which order do
# they come out of the second query?

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
# A whole minute of event time later, at least. The second query learns the time from finished minutes only: it needs one that
# begins at 09:05 *or later* to know that the five minutes are over, and that one has to be finished first. With hours on top
# of ten minutes the two queries would lag at least ten minutes behind the chain.
#
# And no delay is the best case. Within a batch the first query writes its minutes in any order. A second query that reads
# only a part of them in a batch (`maxOffsetsPerTrigger`, lesson 01) would drop some as late; then it needs a delay, and lags
# by that much more.
#
# The rest of the bill: two checkpoints and two queries that can break, must be watched and be upgraded, and a third
# topic, which nobody asked for. And the dearest: that topic gets its minutes *at least once* (lesson 01). After a kill a
# minute may stand in it twice. A maximum does not mind, a sum or an average is wrong. Two queries are right where somebody else *does* want the minutes, where the second query
# is to be changed without touching the first, or where the chain would need what a chain cannot do.
#
# ## Exercise 05.2: three levels
#
# The people who run the servers ask: how many clicks does a page get in its busiest minutes?
# A single wild minute should not decide. So, page by page:
#
# 1. count the clicks of every **minute**;
# 2. of each **ten minutes** take the greatest of those counts: the *peak*;
# 3. of each **hour** take the average of its peaks, and the highest of them.
#
# Clicks may be up to **30 seconds** late; one that is too late for its minute must not count. In: `page`, `event_time`.
# Out: `window` (the hour), `page`, `average_peak`, `highest_peak`, and nothing else. The check sends:
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
# Clicks without a page (null) count together, as one more page, and its `page` stays null. A minute without clicks is no
# zero: it is not there.
#
# Two questions first. `state=…` is what all three operators keep together.

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
# ## Exercise 05.3: dropped while its hour is open
#
# "Chained windows drop rows", people write. They do, and you have seen some that were dropped though the
# great window was open. This time nothing is to be programmed: the query is here, and you write the **clicks**.
# Its clicks have an `event_time` and nothing else, and it counts those of one lunch hour:


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
# (The filter stands behind the watermark: a click of 13:05:00 is counted nowhere, and moves the time. So it is with a filter on
# the event time. One on another column Spark puts *before* the watermark, wherever you wrote it, and what it takes out moves
# nothing.)
#
# Send clicks such that
#
# - exactly **one** row is dropped, in a step before the last, while its hour is still open (Spark counts rows as they
#   reach the state: several clicks of a batch and a window are one by then);
# - the hour from 12:00 comes out in the **last** step;
# - with an average of **2**;
# - with **at most five** clicks in all.
#
# Return a list of steps; a step is a list of clicks, a click a dict. The query runs once for each step, on the same
# checkpoint. A time such as `"12:05:00"` is one of 1 March 2026.


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
# ## What it was like with one watermark for all
#
# That was a chain at work as it should be. But "chained windows drop rows" has a darker meaning, too. In older versions
# of Spark a query had a single watermark for all its operators, and chains were refused, for a reason. A
# switch brings the old way back, and today's Spark does not refuse a chain of windows under it. In these orders the minute 09:04 and its five
# minutes are over in the same batch:

# %%
OLD_WAY = "spark.sql.streaming.statefulOperator.allowMultiple"


def best_of(*times_and_prices: tuple[str, float]) -> None:
    """Send orders one by one, run the chain after each, print what came out."""
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
# The same query, no error, and the best minute is gone: 20.0 where it should be 60.0. The second operator dropped the
# minute 09:04, whose five minutes end with it, by the very watermark that had just made it final. That is what each operator's own watermark is for.
# Leave the switch alone.

# %% [markdown]
# ## Exercise 05.4: the hours that grow too big
#
# On the wall hangs the revenue of each hour, beside it the number of minutes that had an order and the
# revenue of the best minute. Since Monday the hours have been too good to be true. Money that went back to
# a customer (a negative `amount`) does not lower the revenue, and the same hour is told again and again.
#
# This is the query, with a helper that is fine: it sends rows to the topic `hours` as JSON.


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
    # refused without this line
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
# Someone had wished for a chain and was refused twice, and each time did what made the message go
# away. Look at what comes out, step by step, and at the first orders of the morning beside it:
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
# 1. *Which orders are counted twice?* Add up step 2 by hand.
# 2. *What did Spark say first?* Take out the line with the setting, then the mode, and read.
# 3. *What is the cause, and what are only its bandages?*
#
# Repair it. Each hour is to be told **once**, when it is final, with the right figures, with orders up to a minute
# late (one that is too late for its minute must not count), and without switching off what Spark checks. `spark` is the
# session that your query runs in; each run of the lens and of `grader.check` has a fresh one, so it is enough to leave the
# line out, and nothing has to be set back. The records have the columns `window`, `minutes`, `revenue` and `best`, as now,
# and the form that `to_hours` gives them: no key, and times as it writes them. An order without an amount (null) is an
# order, too: its minute counts in `minutes`, and it brings no money. (Every hour has a minute with a revenue above 0.)
# Return the writer unstarted.

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
# ## A function of your own, but last
#
# Windows are not the only operators with state, and other ones can be chained as well. Some questions
# no window answers: *is this the third order of this customer?* It takes a memory of all orders before. Spark
# lends such a memory to a Python function, with `applyInPandasWithState`. Lesson 09 is about writing
# such functions; here is one that is finished:


# %% tags=["given"]
def every_third(
    key: tuple[str], chunks: Iterator[pd.DataFrame], card: GroupState
) -> Iterator[pd.DataFrame]:
    """Of a customer's new orders those that are his third, sixth, ninth, …: customer, order_id."""
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
# What to know of it:
#
# - In each batch it is called **once for each key** that has rows, with all of that key's rows, in pandas
#   DataFrames. They come in any order, so it sorts those of the batch. (An order of an earlier time that comes in a later batch
#   counts after them.)
# - `card` leads to what is kept for that key, a tuple: `card.exists`, `card.get`, `card.update(…)`. It stands in the state store, from batch to batch and over a restart.
# - It gives back rows, none or many.
#
# A query calls it like this, with the columns of the rows that come out, those of the state, the output mode,
# and whether a state may expire:
#
#     rows.groupBy("customer").applyInPandasWithState(
#         every_third,
#         "customer STRING, order_id STRING",
#         "orders LONG",
#         "append",
#         GroupStateTimeout.NoTimeout,
#     )
#
# In a chain take it for the **last** link. To Spark the rows that it gives out are new, and no column of them is event
# time: in append mode a count behind it would never be final, and a deduplication has no time to forget by. (In complete
# mode, which forgets nothing, a count may stand behind it. And what the function has counted, it has counted: copies have to
# be out before.) See what Spark says of an aggregation behind it. And of an aggregation in *front* of it, which this function does not bear either:


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
# Behind a deduplication or a join it may stand. Behind a window count the newer
# `transformWithState` (lesson 10) may, which can even tell Spark which of its columns is event time. Where neither
# will do, there is always a second query with a topic in between, and you know its price.
#
# ## Exercise 05.5: every third order
#
# Each third order of a customer brings a present. The shop's app sends an order again when the net is
# bad: a copy has the **number of its order**, and a time of its own, less than a minute after it. A copy is no order.
#
# Build the chain: take the copies out, with orders up to **1 minute** late (a later one must not count), and let
# `every_third` count what is left. `dropDuplicatesWithinWatermark([columns])` (lesson 07 has more of it) hands on one row of
# those with the same values in these columns, and forgets the values once the watermark reaches that row's time plus the
# delay. In: `order_id`, `customer`, `order_time`, and every order has all three. Out: what the function gives,
# `customer` and `order_id`. The check wants state that shrinks (a number need not be remembered for longer than
# a copy can come), and it also kills the query half-way and starts it again. The first steps of the check:
#
# | step | orders |
# | --- | --- |
# | 1 | o1 ana 10:00:05, o2 ben 10:00:10, o1 ana 10:00:15 (a copy), o3 ana 10:00:40 |
# | 2 | o3 ana 10:01:20 (a copy), o4 ana 10:01:10, o5 ben 10:01:30 |
# | 3 | o6 ben 10:00:29, o7 cleo 10:02:00, o7 cleo 10:02:05 (a copy), o8 dora 10:00:31 |

# %%
grader.predict("05.5")


# %% nbgrader={"grade": false, "grade_id": "presents", "locked": false, "solution": true}
def presents(orders: DataFrame) -> DataFrame:
    """Each third order of a customer, copies left out: customer, order_id.

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
# ## Fresh questions
#
# Small streams that nobody has seen before, and questions about them: what reaches the second operator,
# and when? A wrong choice is answered with the idea behind it. The questions grow harder with you, and
# come back after some days.

# %%
grader.drill("chained windows")

# %% [markdown]
# ## What you can now do
#
# - put windows on top of windows in one query, with one watermark;
# - say which rows sit in which operator at any moment, when they move on, and why none of them is late there;
# - make a timestamp of a window with `window_time`, and say what `window.start` and `window.end` cost you;
# - explain why windows on windows are append only, and what goes wrong when somebody switches the check off;
# - find the window that decides what a chain drops: the first;
# - say what two queries cost in event time, checkpoints and topics, and when they are right all the same;
# - end a chain in a function of your own, and say what may stand in front of it.

# %%
grader.progress()

# %% [markdown]
# Next: **06 Stream joins**, where two streams meet, and one of them waits.
