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
# That is a window on top of a window. Two questions, the second asked of the answers to the first.
# You could answer the first in one query, write its rows to a topic, and read that topic with a
# second query. It works, and you then have two checkpoints, two sets of metrics, a topic nobody
# wanted, and twice the delay. Spark can do both in **one** query. This lesson shows what makes
# that possible, and which rule it costs.

# %% tags=["given"]
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import grader

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## A small chain, live
#
# Orders come in, each with a price. We want the revenue of every minute, and of each five minutes
# the *best* minute.
#
# Two calls save us typing from here on. `grader.read_topic` reads a topic's JSON, as you did by hand in
# lesson 00. `grader.run_once` lets a query take in what its topics hold now, stops it, and prints what
# it keeps; with the same checkpoint the next call goes on from there.

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
    return minutes(orders).groupBy(F.window("window", "5 minutes")).agg(F.max("revenue").alias("best"))


# %% [markdown]
# No second watermark. The one we set travels through the first aggregation to the second.
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
# No row yet, and look where the state is. Operators are listed from the last to the first. The
# watermark has closed the minutes 09:00 and 09:01; those two **left** the first operator, and met
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
# was the best minute. A chain adds no batch of waiting. Each operator has a watermark of its own,
# derived from the one before it, so a finished minute is never taken for a late one.
#
# Here is the run as a picture, with three steps more. Look at the cross in step 4: the five minutes of
# that order are still open, and it is dropped all the same, because its *minute* has moved on.
#
# ![Orders in five steps, and a watermark ten seconds behind the newest: the five minutes from 09:00 come out in step 2 with a best minute of 60.0, those from 09:05 in step 5 with 12.0, and an order of 09:05:30 is crossed out in step 4.](05.0.svg)
#
# ### The rule that comes with it
#
# Chains work in **append** mode only. In update mode the first window would send on its count at
# every change, and the second would add up drafts. Append sends a row once, when it is final, and
# only final rows can be counted safely. Try what Spark says if you insist:

# %%
try:
    query = (
        best_minutes(orders).writeStream.outputMode("update").format("noop")
        .option("checkpointLocation", grader.fresh_checkpoint())
        .trigger(availableNow=True).start()
    )
    query.awaitTermination()
except Exception as error:
    print(str(error).splitlines()[0])

# %% [markdown]
# Long-winded, and it says no: what the one operator sends on could be too old for the next.
#
# A second rule, for later: `applyInPandasWithState` (lesson 09) may stand in such a chain as the last
# link. What comes after it belongs in another query.
#
# ## Your turn: hourly averages
#
# `events` has two columns, `user_id` (a whole number) and `event_time`. On 2 June 2023, from eleven
# o'clock, two users had this many events in each ten minutes:
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
# Before you run anything: in step 4 of the check an event of 12:00:40 comes in. How many rows has
# that step brought out when it is over? Put your number in.

# %%
grader.predict("05.1", rows=12)

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
    return (
        counts.groupBy(F.window("window", "1 hour"), "user_id")
        .agg(F.avg("count").alias("average"))
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
# ## What you can now do
#
# - put a window on top of a window, in one query, with one watermark;
# - say why `F.window("window", …)` works where `window.start` does not;
# - say which rows sit in which operator at any moment, and when they move on;
# - explain why a chain is append only.
