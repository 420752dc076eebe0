# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 06 · Stream joins
#
# The shop pays for ads. One stream reports when an ad was shown, and another when an ad was clicked. The shop's question needs
# both: *which ads were shown, and how often did that lead to a click?* The two streams must meet, although a click arrives
# minutes after its impression, in another micro-batch, on another topic, and sometimes never.
#
# "Never" is the interesting word. On a table it is easy to say that a row has no partner: you look,
# and there is none. On a stream there is none *yet*. This lesson is about how a query gets from
# "not yet" to "never".

# %% [markdown]
# **Objectives** · In this lesson you
#
# - join two streams, and read from the state which rows wait for a partner,
# - count ads that were never clicked, in the same query as the join,
# - repair a left join that loses the rows it was written for,
# - repair a join that keeps more rows every day,
# - write events such that a click is late, with as few events as possible,
# - find out which changes of a table a running query does *not* see.
#
# **Prerequisites** · Lessons 03 (watermarks) and 05 (chained windows).
#
# **Time** · 115 minutes for an engineer who uses Spark daily, 195 minutes for a student. Good points for a break are after exercise 06.2
# and before *Stream-static join*. *Going further* at the end has one exercise more.
#
# **Fast path** · 25 minutes. Run the first section and *Join state*, read *How long a row stays*, and do exercise 06.1. Then read the recap.

# %% tags=["given"]
import json
import tempfile
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

import grader

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## Orders and payments: a stream-stream join, live
#
# There are two topics: orders, and payments that should follow within 15 minutes. We look for orders that were never paid.
# The helper `grader.read_topic` reads a topic's JSON. The helper `grader.run_once` runs the query on all records that the topics hold now,
# and prints the state.

# %%
orders_topic = kafka.create_topic("lesson06-orders")
payments_topic = kafka.create_topic("lesson06-payments")
report_topic = kafka.create_topic("lesson06-report")
checkpoint = grader.fresh_checkpoint()

orders = grader.read_topic(orders_topic, "order_id STRING, order_time TIMESTAMP")
payments = grader.read_topic(payments_topic, "paid_order_id STRING, paid_time TIMESTAMP")

# %% [markdown]
# A join of two streams needs three things:
#
# - A watermark on each stream: how late may its events be?
# - The columns that make two rows partners, here the id of the order.
# - A **time interval** between the times of the two rows, with both ends.
#
# The watermarks and the interval together tell Spark how long a row can still matter. By the interval, an order of 09:01 can be paid
# until 09:16. The watermark tells when no payment of 09:16 or earlier can arrive any more. Then Spark stops waiting and evicts the order
# from the state.
#
# Below is step 1. Each call of `run_once` is a step, and restarts the query on the same checkpoint.


# %% tags=["example"]
def orders_and_payments(orders: DataFrame, payments: DataFrame) -> DataFrame:
    return orders.withWatermark("order_time", "1 minute").join(
        payments.withWatermark("paid_time", "2 minutes"),
        F.expr(
            """
            paid_order_id = order_id
            AND paid_time >= order_time
            AND paid_time <= order_time + INTERVAL 15 MINUTES
            """
        ),
        "leftOuter",
    )


# %%
report = orders_and_payments(orders, payments)
kafka.send(
    orders_topic,
    [
        {"order_id": "A", "order_time": "2026-03-01T09:00:00Z"},
        {"order_id": "B", "order_time": "2026-03-01T09:01:00Z"},
    ],
)
kafka.send(payments_topic, [{"paid_order_id": "A", "paid_time": "2026-03-01T09:05:00Z"}])
grader.run_once(report, report_topic, checkpoint)
kafka.read(report_topic)

# %% [markdown]
# Order A met its payment, and Spark emitted the pair at once. The order also stays in the state, because a second payment could
# follow. Order B waits.
#
# Half an hour later a new order arrives: C of 09:30, without a payment. Does Spark know now that B was never paid?
# **Predict before you run it:** how many rows does the query emit? Answer by name: `grader.predict("06.0", rows=…)`.

# %%
grader.predict("06.0")

# %%
kafka.send(orders_topic, [{"order_id": "C", "order_time": "2026-03-01T09:30:00Z"}])
grader.run_once(report, report_topic, checkpoint)
kafka.read(report_topic)

# %% [markdown]
# None. The *orders* have advanced, and the payments have not. The newest payment is still of 09:05, so a payment of 09:04 would be in
# time. A query has a single global watermark, and by default it is the watermark of the slower stream.
#
# The watermark did not even reach 09:03, which is 2 minutes before 09:05. That has another reason, and we return to it below. As soon as
# the payments catch up:

# %%
kafka.send(payments_topic, [{"paid_order_id": "C", "paid_time": "2026-03-01T09:31:00Z"}])
kafka.send(orders_topic, [{"order_id": "D", "order_time": "2026-03-01T09:32:00Z"}])
grader.run_once(report, report_topic, checkpoint)
kafka.read(report_topic)

# %% [markdown]
# Spark emitted order B, with nulls in the columns of the payment. It also evicted every row that can't find a partner any more. A join of
# two streams is like a waiting room, and the watermarks and the interval are its closing time. If you leave one of them out, the
# room only fills, if Spark starts the query at all.
#
# Why did we send order D as well? After **a restart** a query reads its watermark from the checkpoint, but not how far each *stream* had
# advanced. Spark learns that from the next event of each stream. So the watermark stayed at 09:00 in step 2, which contained no payment. If a
# stream has few events, a restart can hold the watermark back. Remember this: in the checks and the drill of this lesson, too, each step
# begins with a restart.

# %% [markdown]
# ## Join state: which rows wait for a partner
#
# You can read the state of a join like any state (Spark 4.0+, lesson 02). A join keeps *two* tables, the rows of its left side
# and those of its right side. The option `joinSide` selects the side. `batchId` takes you back in time. Here is the state after the very
# first micro-batch, and the state now.


# %%
def waiting(side: str, **options: int) -> DataFrame:
    """The rows that one side of the join keeps, "left" or "right"."""
    state = spark.read.format("statestore").options(**options).option("joinSide", side)
    return state.load(checkpoint).select("value.*")


for side in ("left", "right"):
    print(side, "after the first micro-batch:")
    waiting(side, batchId=0).show()
    print(side, "now:")
    waiting(side).show()

# %% [markdown]
# After the first micro-batch the orders A and B were waiting for payments, and the payment of 09:05 for an order. Now the watermark is 09:29,
# and orders from before 09:14 are evicted, because they can't be paid any more. Payments from before 09:29 are evicted as well. The payment of
# 09:31 is still there.
#
# So the two sides evict at different times. An order must wait for the 15 minutes that follow it. A payment need not
# wait that long, because its order was made before the payment, or in the same moment. **Spark keeps a row until the watermark has
# passed the last moment at which a partner could be made.** For an order, that is 15 minutes after its own time.
#
# And which rows are late? A windowed count asks whether the *window* has closed. A join has no window. It drops a row whose own time is not
# newer than the watermark, even if the row's interval is still open. The difference matters at the very moment of the watermark:
#
# | a row | whose | is |
# | --- | --- | --- |
# | that arrives | own time equals the watermark | dropped |
# | that waits | last moment equals the watermark | kept until the watermark advances |

# %% [markdown]
# The picture shows this run and one more step. Look at the watermark, which does not move in steps 2 and 3 while it waits for
# the payments. Look at the cross as well: a payment for B arrives long after Spark has emitted B without one.
#
# ![Orders as dots and payments as squares in four steps. The watermark is 09:00 through steps 2 and 3, and then advances to 09:29 and 10:29. Spark emits A, C and E with their payments, B in step 3 and D in step 4 with nulls. It drops a payment for B in step 4.](06.0.svg)

# %% [markdown]
# Try it: how short may the interval (*joined within*) be before an order loses its payment? What does the policy `max` (lesson 03) do to order
# B, and why is that no gift? *Ask Spark* runs the same on the broker.

# %%
grader.explore("06.0")

# %% [markdown]
# ## Exercise 06.1: Count clicks per ad with a left outer join
#
# The shop wants to know how often each ad was clicked. Write `clicks_per_ad(impressions, clicks)`, with the join and the count in one query.
#
# **Input** · `impressions`: `ad_id STRING`, `impression_time TIMESTAMP`. `clicks`: `clicked_ad_id STRING`, `click_time TIMESTAMP`.
#
# **Output** · one row per ad and **hour in which it was shown**: `window` (the hour), `ad_id`, `clicks BIGINT`; append mode. The `clicks` are the
# number of pairs of an impression and a click. Emit a row as soon as the watermark says that no click can belong to its hour any more.
#
# **Rules**
#
# 1. A click belongs to an impression of the same ad if it was made between the impression and **1 hour** later, both inclusive. An impression
#    can have several clicks, and a click can belong to several impressions. Two equal clicks are two clicks.
# 2. The hour of a row is the hour of its impressions, not of its clicks.
# 3. An ad that was shown and not clicked has a row with `clicks` = 0.
# 4. Impressions may be up to **2 hours** late, and clicks up to **3 hours**. These are the watermark delays.
# 5. Drop every event whose time is not later than the query's single, global watermark.
#
# **You can assume** · no column is null. The watermark is never equal to the moment at which a row is due.
#
# **Checked** · rows, the step of each row, the watermark, dropped rows, the size of the state, a restart after a kill.

# %% [markdown]
# The watermark passes through a join as it passes through a window (lesson 05). *How long a row stays*, below, says when Spark evicts a row.
#
# Predict first. After step 2 of the check, the newest impression is of 13:10:00 and the newest
# click of 13:12:00. What is the watermark? `grader.predict("06.1", watermark="…")`.

# %%
grader.predict("06.1")


# %% nbgrader={"grade": false, "grade_id": "clicks_per_ad", "locked": false, "solution": true}
def clicks_per_ad(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    """Clicks by ad and hour of the impression, zeros included.

    impressions: ad_id STRING, impression_time TIMESTAMP; up to 2 hours late.
    clicks: clicked_ad_id STRING, click_time TIMESTAMP; up to 3 hours late.
    Returns window STRUCT<start, end>, ad_id, clicks.
    """
    ### BEGIN SOLUTION
    shown = impressions.withWatermark("impression_time", "2 hours")
    clicked = clicks.withWatermark("click_time", "3 hours")
    joined = shown.join(
        clicked,
        F.expr(
            """
            clicked_ad_id = ad_id
            AND click_time >= impression_time
            AND click_time <= impression_time + INTERVAL 1 HOUR
            """
        ),
        "leftOuter",
    )
    return joined.groupBy(F.window("impression_time", "1 hour"), "ad_id").agg(
        F.count("click_time").alias("clicks")
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-clicks_per_ad", "locked": true, "points": 4, "solution": false}
grader.check("06.1", clicks_per_ad)

# %% [markdown]
# `grader.hint("06.1")` helps in three steps. And here is your own join at work, with the rows that
# wait in its state:

# %%
grader.lens("06.1", clicks_per_ad)

# %% [markdown]
# Ads are one case of many: alarms without an answer, parcels that were sent and never arrived,
# logins without a second factor. Whenever the *missing* row is the news, use an outer join with
# an interval.
#
# ## Kinds of stream-stream join: inner, outer, semi
#
# | kind | emits | a row without a partner is emitted |
# | --- | --- | --- |
# | `inner` | pairs | never |
# | `leftOuter` | pairs, and left rows without a partner | when Spark evicts it from the left side's state |
# | `rightOuter` | pairs, and right rows without a partner | when Spark evicts it from the right side's state |
# | `fullOuter` | pairs, and both | when Spark evicts it from its own side's state |
#
# Spark emits a pair at once, in the micro-batch in which the second of the two rows arrives. Only rows without a partner wait for the
# watermark.
#
# One kind of row without a partner does not wait. A condition can contain a test of the left row alone, such as `quantity > 0`. A left row
# that fails this test can't find a partner, and Spark emits it at once. A null in a column that must be equal is not such a test: that row
# waits.
#
# There are two more kinds. `leftSemi` emits each left row once, as soon as the row has a partner. Spark rejects its opposite, `leftAnti`, for
# two streams: use `leftOuter` and keep the rows with nulls.

# %% [markdown]
# Below, the first three kinds read the same events. Order B (09:01) is never paid. Payment X (09:02)
# is for an unknown order. The watermark is 09:00 after step 1, 09:09 after step 2, and
# 09:29 after step 3. **Predict:** in which step does a left join emit B, and in which does a right join emit X?


# %%
def paid_within(kind: str) -> DataFrame:
    """Orders and payments of the topics below, joined in a way of your choice."""
    return (
        grader.read_topic(some_orders, "order_id STRING, order_time TIMESTAMP")
        .withWatermark("order_time", "1 minute")
        .join(
            grader.read_topic(
                some_payments, "paid_order_id STRING, paid_time TIMESTAMP"
            ).withWatermark("paid_time", "2 minutes"),
            F.expr(
                """
                paid_order_id = order_id
                AND paid_time >= order_time
                AND paid_time <= order_time + INTERVAL 15 MINUTES
                """
            ),
            kind,
        )
        .select("order_id", "order_time", "paid_order_id")
    )


def order(id: str, time: str) -> dict:
    return {"order_id": id, "order_time": f"2026-03-01T{time}:00Z"}


def payment(id: str, time: str) -> dict:
    return {"paid_order_id": id, "paid_time": f"2026-03-01T{time}:00Z"}


some_orders = kafka.unique_topic("some-orders")
some_payments = kafka.unique_topic("some-payments")
kinds = ["inner", "leftOuter", "rightOuter"]
results = {kind: kafka.unique_topic(kind) for kind in kinds}
places = {kind: grader.fresh_checkpoint() for kind in kinds}

for step, (ordered, paid) in enumerate(
    [
        (
            [order("A", "09:00"), order("B", "09:01")],
            [payment("X", "09:02"), payment("A", "09:01")],
        ),
        ([order("C", "09:10")], [payment("C", "09:11")]),
        ([order("D", "09:30")], [payment("D", "09:31")]),
    ],
    start=1,
):
    kafka.send(some_orders, ordered)
    kafka.send(some_payments, paid)
    for kind in kinds:
        told = len(kafka.read(results[kind]))
        print(f"step {step}, {kind}: ", end="")
        grader.run_once(paid_within(kind), results[kind], places[kind])
        for row in kafka.read(results[kind])[told:]:
            print("   →", row["order_id"], "with", row["paid_order_id"])

# %% [markdown]
# Spark emitted X in step 2, as soon as the watermark had passed the time of X. An order for X would have been made at 09:02 at the
# latest. Spark emitted B in step 3: at 09:09 it could still have been paid; at 09:29 it no longer could.

# %% [markdown]
# ## Exercise 06.2: A left join that behaves like an inner join
#
# The shop sends a reminder if an order is not paid after 15 minutes, and no reminder is sent any more. Repair the query below:
# write `unpaid_orders(orders, payments)`.
#
# **Input** · `orders`: `order_id STRING`, `order_time TIMESTAMP`. `payments`: `paid_order_id STRING`, `paid_time TIMESTAMP`, `status STRING`.
# All except the times can be null.
#
# **Output** · `order_id` and `paid_time`, one row per order; append mode. A null in `paid_time` means that the order gets a reminder.
#
# **Rules**
#
# 1. An order is *paid* by a payment with status `ok`. No other status pays, and null does not.
# 2. The payment was made between the order time and 15 minutes later, both inclusive.
# 3. Every order that is not dropped has exactly one row.
# 4. An order without an id is not paid, and a payment without an id pays for no order.
# 5. Emit a paid order as soon as both events have arrived. Emit any other order as soon as the watermark says that it can't be paid.
# 6. Orders may be up to 1 minute late, and payments up to 2 minutes. Drop every event whose time is not later than the
#    query's single, global watermark.
#
# **You can assume** · an order has at most one payment that pays for it. In each step the newest payment and every late one are `ok`.
#
# **Checked** · rows, the step of each row, the watermark, dropped rows, the size of the state. Refused payments may wait there, too.

# %% [markdown]
# The bank now sends refused payments, too. So a payment has a `status`: `ok`, `refused`, `pending`, or null. A new line in the query was
# meant to handle that. Since then there are no reminders, no error and no warning.


# %%
def reminders_as_they_are(orders: DataFrame, payments: DataFrame) -> DataFrame:
    return (
        orders.withWatermark("order_time", "1 minute")
        .join(
            payments.withWatermark("paid_time", "2 minutes"),
            F.expr(
                """
                paid_order_id = order_id
                AND paid_time >= order_time
                AND paid_time <= order_time + INTERVAL 15 MINUTES
                """
            ),
            "leftOuter",
        )
        .where("status = 'ok'")
        .select("order_id", "paid_time")
    )


grader.lens("06.2", reminders_as_they_are)

# %% [markdown]
# The check sends these events:
#
# | step | orders | payments |
# | --- | --- | --- |
# | 1 | A 10:00, B 10:01, C 10:02, D 10:03 | B refused 10:04, A ok 10:05 |
# | 2 | L 10:19:30, E 10:20, F 10:20 | B ok 10:06:30, C refused 10:08, D ok 10:18, E ok 10:20, F pending 10:20:10, L null 10:20:20, Z ok 10:22 |
# | 3 | H 10:40 | F ok 10:35:01, H ok 10:40:30 |
# | 4 | I 10:38 (late), J 10:38:31, one without an id 10:50 | J ok 10:53:31 |
# | 5 | K 12:00 | F ok 10:34 (late), one without an id ok 10:55, K ok 11:59:59, K ok 12:02 |

# %%
grader.predict("06.2")


# %% nbgrader={"grade": false, "grade_id": "unpaid_orders", "locked": false, "solution": true}
def unpaid_orders(orders: DataFrame, payments: DataFrame) -> DataFrame:
    """Every order with the time of its accepted payment, or null: order_id, paid_time."""
    ### BEGIN SOLUTION
    accepted = payments.where("status = 'ok'")
    joined = orders.withWatermark("order_time", "1 minute").join(
        accepted.withWatermark("paid_time", "2 minutes"),
        F.expr(
            """
            paid_order_id = order_id
            AND paid_time >= order_time
            AND paid_time <= order_time + INTERVAL 15 MINUTES
            """
        ),
        "leftOuter",
    )
    return joined.select("order_id", "paid_time")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-unpaid_orders", "locked": true, "points": 3, "solution": false}
grader.check("06.2", unpaid_orders)

# %% [markdown]
# ## How long a row stays in the join state
#
# A join keeps rows, not sums: 1 million impressions per hour are 1 million rows in the state. The interval decides how
# many hours of rows Spark keeps, and Spark has to be able to *calculate* this from the condition. For each side it asks:
# which of my rows can't find a partner any more, if all events to come are newer than the watermark?
#
# To answer, Spark takes the comparisons in the condition one by one, and solves them for the time of that side:
#
# > paid_time <= order_time + 15 minutes, and every payment to come is newer than the watermark.
# > So only orders newer than *watermark − 15 minutes* can still find a payment.
#
# > paid_time >= order_time, and every order to come is newer than the watermark.
# > So only payments newer than *the watermark* can still find an order.
#
# Spark evicts a row only when the watermark is *past* that moment. A row of exactly that time stays until the watermark
# advances, although Spark drops a late row of exactly the watermark.

# %% [markdown]
# In a join by an interval three things must be right. Otherwise a side keeps its rows forever:
#
# - **Both** streams need a watermark. One marks the time of the rows to evict, and the other says how far
#   their partners have advanced.
# - Each side needs a comparison. The first comparison above evicts orders, and the second evicts payments.
# - Spark must be able to solve the comparison. It can add and subtract a fixed interval (`+ INTERVAL …`). Write the two times on
#   different sides of the comparison. Spark can't solve a difference of two timestamps, or of their `unix_timestamp`.
#
# No comparison is needed if the two times, or windows of them, have to be *equal*.

# %% [markdown]
# Spark rejects some of these mistakes, and four mistakes are silent:
#
# | join | mistake | Spark rejects it? | symptom |
# | --- | --- | --- | --- |
# | left | no end of the interval, or no watermark on the *right* stream | yes | an error at the start |
# | right | no end of the interval, or no watermark on the *left* stream | yes | an error at the start |
# | inner | no limit that Spark can solve | no | right rows, and the state grows |
# | left | Spark can solve only the comparison that evicts *left* rows | no | right rows, and the state of the right side grows |
# | left | no watermark on the *left* stream | no | pairs, and never a row without a partner |
# | full | only one side can evict its rows | no | unmatched rows of the other side are never emitted |
#
# The left join without a watermark on its left stream is the second way in which a left join behaves like an inner join.

# %% [markdown]
# ## Exercise 06.3: A join whose state never shrinks
#
# Which pages do visitors find with the shop's search? The query below answers that, but it needs more memory every week. Repair
# it: write `pages_found(searches, clicks)`.
#
# **Input** · `searches`: `visitor STRING`, `term STRING`, `search_time TIMESTAMP`. `clicks`: `clicked_by STRING`, `page STRING`, `click_time
# TIMESTAMP`. `term` and `page` can be null, the other columns can't.
#
# **Output** · one row per pair of a search and a click: `term`, `page`, `click_time`; append mode. A click can follow several searches.
#
# **Rules**
#
# 1. Join a click with a search of the same visitor.
# 2. The click was made between the search and **30 minutes** later, both inclusive.
# 3. Searches may be up to **5 minutes** late, and clicks up to **10 minutes**. Drop every event whose time is not later than the
#    query's single, global watermark.
# 4. Evict each search and each click as soon as it can't find a partner any more.
#
# **Checked** · rows, dropped rows, and above all the size of the state.


# %%
def pages_found_as_it_is(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    return (
        searches.withWatermark("search_time", "5 minutes")
        .join(
            clicks,
            F.expr(
                """
            clicked_by = visitor
            AND click_time - search_time BETWEEN INTERVAL 0 MINUTES AND INTERVAL 30 MINUTES
            """
            ),
        )
        .select("term", "page", "click_time")
    )


grader.lens("06.3", pages_found_as_it_is)

# %% [markdown]
# Follow the rows in the state from step to step. Which rows leave the state? There is more than one mistake.
#
# A no-data batch (lesson 03) applies a new watermark, and Spark runs it for a join only if rows could leave the state. No row can leave this
# join. So the picture shows each watermark one step later.
#
# The rows of this query are right and must stay so. Change how many rows the state keeps.

# %%
grader.predict("06.3")


# %% nbgrader={"grade": false, "grade_id": "pages_found", "locked": false, "solution": true}
def pages_found(searches: DataFrame, clicks: DataFrame) -> DataFrame:
    """Clicks within 30 minutes after a search, with state that shrinks: term, page, click_time."""
    ### BEGIN SOLUTION
    return (
        searches.withWatermark("search_time", "5 minutes")
        .join(
            clicks.withWatermark("click_time", "10 minutes"),
            F.expr(
                """
                clicked_by = visitor
                AND click_time >= search_time
                AND click_time <= search_time + INTERVAL 30 MINUTES
                """
            ),
        )
        .select("term", "page", "click_time")
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-pages_found", "locked": true, "points": 4, "solution": false}
grader.check("06.3", pages_found)

# %% [markdown]
# ## Exercise 06.4: A late click, dropped by the watermark
#
# The ad agency is angry: *people did click on our ad, and your report shows no click!* Is that possible?
# Yes, and now you make it happen. This time the query is given, and **you write the events**. Write `clicked_too_late()`.
#
# **Input** · none. Each of your steps restarts the query below on the same checkpoint.
#
# **Output** · a list of steps. A step is a dict: the name of an input, and the list of events that the input gets in that
# step. A time such as `"12:30:00"` is of 1 March 2026.
#
# **Rules**
#
# 1. The query emits exactly one impression **without a click**.
# 2. It emits two rows in all: that impression, and one pair of an impression and a click.
# 3. Exactly one event is **dropped** because it is late. It can be a click or an impression.
# 4. At the end at most 2 rows are in the state, on both sides together.
# 5. There are at most 5 events in all.
#
# **Checked** · emitted rows, dropped events, the rows in the state at the end, and the number of events.


# %% nbgrader={"grade": false, "grade_id": "query-clicked_too_late", "locked": true, "solution": false}
def shown_and_clicked(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    return impressions.withWatermark("impression_time", "10 minutes").join(
        clicks.withWatermark("click_time", "20 minutes"),
        F.expr(
            """
            clicked_ad_id = ad_id
            AND click_time >= impression_time
            AND click_time <= impression_time + INTERVAL 1 HOUR
            """
        ),
        "leftOuter",
    )


# %% [markdown]
# Two steps look like this. They give one pair, and nothing else:
#
#     [
#         {"impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}]},
#         {"clicks": [{"clicked_ad_id": "shoes", "click_time": "12:30:00"}]},
#     ]
#
# The query restarts for each step. So the watermark advances only in a step that contains an impression *and* a click.
#
# If you want the agency's case, drop a click on the impression without a click. Four events are enough. Begin on paper: what is the watermark after
# each step? `grader.lens("06.4", clicked_too_late)` shows what your events did.


# %% nbgrader={"grade": false, "grade_id": "clicked_too_late", "locked": false, "solution": true}
def clicked_too_late() -> list:
    """Steps of events, by input: one ad is emitted as not clicked, and one event is dropped as late."""
    ### BEGIN SOLUTION
    return [
        {"impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}]},
        {
            "impressions": [{"ad_id": "tea", "impression_time": "14:00:00"}],
            "clicks": [{"clicked_ad_id": "tea", "click_time": "14:00:00"}],
        },
        {"clicks": [{"clicked_ad_id": "shoes", "click_time": "12:30:00"}]},
    ]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-clicked_too_late", "locked": true, "points": 4, "solution": false}
grader.check("06.4", clicked_too_late)

# %% [markdown]
# ## Stream-static join: a table that changes
#
# Not everything is a stream. The shop's prices are in files, one file per day. A stream of orders can be joined with them
# as with any table. There is no state, no waiting and no watermark: Spark joins each micro-batch of orders with the table, and is done.
# This is a **stream-static join**.
#
# And if the table changes? Below, a query runs through midnight. On 1 March it has the prices of that day.
# The next morning there is a new file. Only the last part of the cell matters, from the first `publish`; the rest are helper functions.

# %%
prices_folder = Path(tempfile.mkdtemp(prefix="lesson06-prices-"))
PRICES = "item STRING, price DOUBLE, valid_from TIMESTAMP"
ON_THAT_DAY = """
    item = ordered_item
    AND order_time >= valid_from
    AND order_time < valid_from + INTERVAL 24 HOURS
"""


def publish(day: str, item: str, price: float) -> None:
    """The price list of a day: one more file."""
    line = {"item": item, "price": price, "valid_from": f"{day}T00:00:00Z"}
    (prices_folder / f"{day}.json").write_text(json.dumps(line))


def read_orders(topic: str) -> DataFrame:
    return grader.read_topic(topic, "order_id STRING, ordered_item STRING, order_time TIMESTAMP")


def tea(id: str, time: str) -> dict:
    return {"order_id": id, "ordered_item": "tea", "order_time": f"2026-03-{time}:00Z"}


def as_value(frame: DataFrame) -> DataFrame:
    fields = F.struct("order_id", "price")
    return frame.select(F.to_json(fields, {"ignoreNullFields": "false"}).alias("value"))


def to_topic(writer, topic: str):
    """Any writer, of a stream or of a table, to Kafka."""
    servers = kafka.bootstrap_servers
    return writer.format("kafka").option("kafka.bootstrap.servers", servers).option("topic", topic)


publish("2026-03-01", "tea", 4.0)
prices = spark.read.schema(PRICES).json(str(prices_folder))

tea_orders, priced = kafka.unique_topic("tea-orders"), kafka.unique_topic("priced")
joined = read_orders(tea_orders).join(prices, F.expr(ON_THAT_DAY), "left")
query = (
    to_topic(as_value(joined).writeStream, priced)
    .option("checkpointLocation", grader.fresh_checkpoint())
    .start()
)

kafka.send(tea_orders, [tea("t1", "01T10:00")])
query.processAllAvailable()
publish("2026-03-02", "tea", 5.0)
kafka.send(tea_orders, [tea("t2", "02T10:00")])
query.processAllAvailable()
query.stop()
print("files:", sorted(path.name for path in prices_folder.iterdir()))
kafka.read(priced)

# %% [markdown]
# The file of 2 March is there, the query has been running all the time, and t2 has no price. **Spark lists a folder
# once.** `spark.read…json(folder)` makes a list of the files that exist when that line runs. The query uses
# this list until the line runs again.
#
# What a running query sees depends on the format of the static side. We tried these on Spark 4.2, with a query
# that was never stopped:
#
# | static side | what changes | the running query |
# | --- | --- | --- |
# | `createDataFrame` | the rows that it was made from | keeps the old rows |
# | a folder of JSON or Parquet files | a file is added | does not see it |
# | the same | Spark overwrites the folder | fails: `FAILED_READ_FILE.FILE_NOT_EXIST` |
# | the same | a JSON file is replaced by a longer one | reads about as many bytes as before, and cuts off the rest |
# | a table (`spark.table`) | `INSERT INTO`, from the same Spark | sees the new rows |
# | a topic, read with `spark.read` | new records | sees them in every micro-batch |
# | a topic, read and then `.cache()`d | new records | keeps what its first micro-batch read |

# %% [markdown]
# Spark reads a cached table or folder again once *the same Spark* has written to it.
#
# A Delta table is different: each micro-batch reads its newest version, as exercise 17.9 shows. We did not measure Apache
# Iceberg. Test your own format in the same way.
#
# For a topic it is enough not to cache it. For files there are two real fixes. The first: **read the table again for every micro-batch**, in
# `foreachBatch`, where a micro-batch of the stream is an ordinary DataFrame.

# %%
read_anew = kafka.unique_topic("read-anew")


def price_batch(batch: DataFrame, batch_id: int) -> None:
    today = batch.sparkSession.read.schema(PRICES).json(str(prices_folder))
    to_topic(as_value(batch.join(today, F.expr(ON_THAT_DAY), "left")).write, read_anew).save()


query = (
    read_orders(tea_orders)
    .writeStream.foreachBatch(price_batch)
    .option("checkpointLocation", grader.fresh_checkpoint())
    .start()
)
query.processAllAvailable()
publish("2026-03-03", "tea", 6.0)
kafka.send(tea_orders, [tea("t3", "03T10:00")])
query.processAllAvailable()
query.stop()
kafka.read(read_anew)

# %% [markdown]
# All three have their price. The orders t1 and t2 appear again, because this query has its own checkpoint. This fix
# lists the folder in every micro-batch. And it does not *wait*: an order that arrives before its price list gets
# no price, and that is final.
#
# The second fix: **make the changes a stream as well.** Then it is a join of two streams. It needs a watermark on each stream, and
# an interval, because a price is valid for a day. An order that arrives early waits
# for its price. Here t4 arrives before the price list of 4 March does:

# %%
met = kafka.unique_topic("met")
changes = spark.readStream.schema(PRICES).json(str(prices_folder))
query = (
    to_topic(
        as_value(
            read_orders(tea_orders)
            .withWatermark("order_time", "1 hour")
            .join(changes.withWatermark("valid_from", "1 hour"), F.expr(ON_THAT_DAY))
        ).writeStream,
        met,
    )
    .option("checkpointLocation", grader.fresh_checkpoint())
    .start()
)
kafka.send(tea_orders, [tea("t4", "04T08:00")])
query.processAllAvailable()
print("without the prices of 4 March:", kafka.read(met))
publish("2026-03-04", "tea", 7.0)
query.processAllAvailable()
query.stop()
print("and with them:", kafka.read(met)[-1:])

# %% [markdown]
# Which of the two? Read the table again if a missing price is only a nuisance and the list is small. Make the table a stream
# if every order must get the price of its own time, and pay for that with state.
#
# Two details matter with a stream. The join above is an inner join, so it never emits an order that finds no price. And a price list that
# arrives after a newer one can be late, like any event.
#
# ## Drill: fresh questions about joins
#
# The drill shows small streams that you have not seen before. It asks which rows wait for a partner, and how long. It explains a
# wrong choice with the idea behind it. The questions grow harder with you, and return after some days.

# %%
grader.drill("joins")

# %% [markdown]
# ## Recap: the facts
#
# A stream-stream join keeps the rows of both sides in its state. Spark emits a pair as soon as both rows have arrived. Spark emits a row
# without a partner only when it evicts the row. It evicts a row when the watermark has passed the last moment at which a partner could be made. The
# query has one global watermark, by default that of the slowest stream. A join drops an arriving row whose own time is not newer than the
# watermark. A filter on the right side's columns after a left join turns it into an inner join, so filter the right side before the join. In a stream-static
# join nothing waits, and a folder of files is listed once.
#
# | for this | a join of two streams needs |
# | --- | --- |
# | pairs | an equality of columns |
# | state that shrinks on both sides | a watermark on both streams, and a comparison of the times for each side |
# | comparisons that Spark can solve | one time on each side, plus or minus a fixed `INTERVAL` |
# | left rows without a partner | `leftOuter`, and a watermark on both streams |
# | zeros in a count after the join | the count of a right column, which is null without a partner |

# %% [markdown]
# ## What you can now do
#
# - join two streams with a watermark on each and an interval between their times;
# - say when Spark emits an unmatched row, and why not sooner, for left, right and full joins;
# - find the slower stream that holds back the watermark of a query;
# - count the pairs of a join in the same query, and keep the zeros;
# - keep a left join a left join: filter the right side *before* it;
# - say how long each side of a join keeps a row, and read it from the state with `joinSide`;
# - find out why a side keeps its rows forever;
# - say which changes of a table a running query sees, and choose between two fixes.
#
# ## Read more
#
# - [Structured Streaming guide: join operations](https://spark.apache.org/docs/latest/streaming/apis-on-dataframes-and-datasets.html#join-operations),
#   with the table of supported joins
# - [State data source](https://spark.apache.org/docs/latest/streaming/structured-streaming-state-data-source.html): how to read the state of a join
# - [Structured Streaming and Kafka](https://spark.apache.org/docs/latest/streaming/structured-streaming-kafka-integration.html): topics as streams
#   and as tables
# - [SPARK-45511](https://issues.apache.org/jira/browse/SPARK-45511): the state reader and its option `joinSide`

# %%
grader.progress()

# %% [markdown]
# Next: **07 Deduplication**. Go there now, or stay a little: you won't need the following later.
#
# ---
#
# # Going further
#
# ## Update mode for joins
#
# So far every query ran in append mode. Lesson 02 used a different mode, `update`: Spark emits a row again when
# it changes. A pair of a join never changes. So an **inner** join may run in update mode and emits the same rows (Spark 4.2+, append only
# before). With a count after the join, Spark emits the count in each micro-batch that changes it, and not only when the hour
# closes. Below all rows arrive in one micro-batch, so Spark emits the count once.
#
# An outer join may not run in update mode, although its rows are final as well: Spark allows it in append mode only.
# Here are all three:


# %%
def in_update_mode(frame: DataFrame) -> list:
    """The rows that a query emits in update mode over all records of its topics."""
    topic = kafka.unique_topic("update")
    query = (
        to_topic(frame.select(F.to_json(F.struct("*")).alias("value")).writeStream, topic)
        .outputMode("update")
        .option("checkpointLocation", grader.fresh_checkpoint())
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return kafka.read(topic)


by_hour = paid_within("inner").groupBy(F.window("order_time", "1 hour")).count()
print("inner:             ", in_update_mode(paid_within("inner").select("order_id")))
print("inner and a count: ", in_update_mode(by_hour.select("count")))
try:
    in_update_mode(paid_within("leftOuter"))
except Exception as error:
    print("left outer:        ", str(error).splitlines()[0])

# %% [markdown]
# ## Equal column names in a stream-stream join
#
# Often both streams call the column `order_id`, because both are about orders. Below, the payments get that name, and
# three joins select the id. **Predict:** which of the three does Spark refuse?
#
# <details><summary>The answer</summary>
#
# The first one: the result has two columns `order_id`, and Spark cannot know which one you mean. A join on the *name*
# has only one such column. An alias for each stream keeps both columns apart, and an interval can use the aliases, too.
#
# </details>

# %%
renamed = payments.withColumnRenamed("paid_order_id", "order_id")
joins = {
    "equality": lambda: orders.join(renamed, orders.order_id == renamed.order_id).select(
        "order_id"
    ),
    "by name": lambda: orders.join(renamed, "order_id").select("order_id"),
    "aliases": lambda: (
        orders.alias("o")
        .join(renamed.alias("p"), F.expr("o.order_id = p.order_id"))
        .select("o.order_id", "p.paid_time")
    ),
}
for name, joined in joins.items():
    try:
        print(f"{name}:", in_update_mode(joined()))
    except Exception as error:
        print(f"{name}:", str(error).split(", could")[0])

# %% [markdown]
# ## Exercise 06.5: A stream-static join with prices that change
#
# The shop has moved its prices to a topic, and the bills show old prices. Repair the query below: write `bills(spark, orders, kafka)`.
#
# **Input** · `spark`: the session. `orders`: `order_id STRING`, `item STRING`, `quantity INT`, `order_time TIMESTAMP`; any column can be null.
# `kafka`: `kafka.bootstrap_servers` and `kafka.topic("prices")`. Use `price_list` and `as_bills` as they are.
#
# **Output** · a `DataStreamWriter` that has not been started. The check sets checkpoint and trigger. Write one record per order to
# `kafka.topic("bills")`, in the micro-batch that reads the order. Its `key` is the order's id, and its `value` is the JSON
# `{"order_id": …, "amount": …}`.
#
# **Rules**
#
# 1. Bill each order at the price that was valid at its `order_time`: from `since`, inclusive, until `until`, exclusive.
# 2. A price that reaches the topic while the query runs is used from the next micro-batch on.
# 3. Each order has exactly one bill.
# 4. The amount is null if no price was valid, or if `item`, `quantity` or `order_time` is null.
# 5. An order with a null `order_id` has its own bill, with a null id. There can be several such orders.
#
# **You can assume** · no two orders are equal in all columns. A price is in the topic before the query reads the first order that needs it.
#
# **Checked** · records, the step of each record.

# %% [markdown]
# Each record of the topic `prices` is a price and the time from which it is valid. Some prices are announced ahead. The query below reads the
# topic as a table and joins the orders with it. At first the bills were right. But the query
# read the topic in every micro-batch, and a change made it faster.


# %% tags=["given"]
def price_list(spark: SparkSession, kafka) -> DataFrame:
    """All prices that ever existed: priced_item, price, and since and until when it is valid.

    `until` is null for a price without a successor.
    """
    records = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("prices"))
        .option("kafka.fetch.max.wait.ms", 10)
        .load()
    )
    schema = "priced_item STRING, price DOUBLE, since TIMESTAMP"
    price = F.from_json(F.col("value").cast("string"), schema)
    prices = records.select(price.alias("p")).select("p.*")
    following = Window.partitionBy("priced_item").orderBy("since")
    return prices.withColumn("until", F.lead("since").over(following))


def as_bills(joined: DataFrame) -> DataFrame:
    """Orders with their price as records for Kafka: key and value."""
    amount = (F.col("quantity") * F.col("price")).alias("amount")
    value = F.to_json(F.struct("order_id", amount), {"ignoreNullFields": "false"})
    return joined.select(F.col("order_id").alias("key"), value.alias("value"))


# %%
def bills_as_they_are(spark: SparkSession, orders: DataFrame, kafka) -> DataStreamWriter:
    prices = price_list(spark, kafka).cache()
    at_its_time = F.expr(
        """
        item = priced_item
        AND since <= order_time
        AND (until IS NULL OR order_time < until)
        """
    )
    return (
        as_bills(orders.join(prices, at_its_time, "left"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("bills"))
    )


grader.lens("06.5", bills_as_they_are)

# %% [markdown]
# Tea costs 4.00 until 11:00 and 5.00 from then on. The new price arrives in step 2, together with an order of two teas at
# 11:30 (o3). The bill of o3 says 8.00, the price of step 1.

# %%
grader.predict("06.5")


# %% nbgrader={"grade": false, "grade_id": "bills", "locked": false, "solution": true}
def bills(spark: SparkSession, orders: DataFrame, kafka) -> DataStreamWriter:
    """Every order at the price of its own time, to the topic bills. Not started."""
    ### BEGIN SOLUTION
    at_its_time = F.expr(
        """
        item = priced_item
        AND since <= order_time
        AND (until IS NULL OR order_time < until)
        """
    )

    def write(batch: DataFrame, batch_id: int) -> None:
        prices = price_list(batch.sparkSession, kafka)
        (
            as_bills(batch.join(prices, at_its_time, "left"))
            .write.format("kafka")
            .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
            .option("topic", kafka.topic("bills"))
            .save()
        )

    return orders.writeStream.foreachBatch(write)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-bills", "locked": true, "points": 4, "solution": false}
grader.check("06.5", bills)

# %% [markdown]
# ## What you can now do, further
#
# - say which joins may run in update mode, and what they emit;
# - find the place where a static side was frozen, and make Spark read it again.

# %%
grader.progress()
