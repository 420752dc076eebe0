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
# The shop pays for ads. One stream tells when an ad was shown, another when one was clicked. What
# the shop wants to know sits in neither of them: *which ads were shown, and how often did that
# lead to a click?* For the answer the two must meet, although a click comes minutes after its
# impression, in another batch, on another topic, and sometimes never.
#
# "Never" is the interesting word. On a table it is easy to say that a row has no partner: you look,
# and there is none. On a stream there is none *yet*. This lesson is about how a query gets from
# "not yet" to "never". In it you
#
# - join two streams, and read from the state who is waiting for whom,
# - count ads that nobody clicked, in the same query as the join,
# - mend a left join that loses the rows it was written for,
# - mend a join that keeps more rows every day,
# - make a click come too late, with as few events as you can,
# - see what a query does *not* see when a table beside the stream changes.
#
# Plan three hours; after exercise 06.2, and before *A table beside the stream*, are good places to break. At the
# end stands *Going further*, with one exercise more.

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
# ## Orders and payments, live
#
# Two topics: orders, and payments that should follow within 15 minutes. We look for orders that
# nobody paid. (`grader.read_topic` reads a topic's JSON; below, `grader.run_once` takes in what the
# topics hold now and prints what is left waiting.)

# %%
orders_topic = kafka.create_topic("lesson06-orders")
payments_topic = kafka.create_topic("lesson06-payments")
report_topic = kafka.create_topic("lesson06-report")
checkpoint = grader.fresh_checkpoint()

orders = grader.read_topic(orders_topic, "order_id STRING, order_time TIMESTAMP")
payments = grader.read_topic(payments_topic, "paid_order_id STRING, paid_time TIMESTAMP")

# %% [markdown]
# Three things go into the join:
#
# - each stream's own watermark: how late may its events be?
# - what makes two rows partners, here the order's id;
# - a **time interval**, from the one row's time to the other's, with both ends.
#
# The first and the last together tell Spark how long a row can still matter. An order of 09:01 can be paid
# until 09:16: so says the interval. Once no payment of 09:16 or earlier can come any more (the watermark tells), waiting
# is over, and the row leaves the state.
#
# Below comes step 1. Each `run_once` is a step, and starts the query anew on the same checkpoint.


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
# Order A met its payment and came out at once. It also stays in the state: a second payment could
# follow. Order B waits in silence.
#
# Half an hour later a new order, C of 09:30, comes in. No payment comes with it. Is it settled now
# that B was never paid? **Bet before you run it:** how many rows will come out?
# Answer by name: `grader.predict("06.0", rows=…)`.

# %%
grader.predict("06.0")

# %%
kafka.send(orders_topic, [{"order_id": "C", "order_time": "2026-03-01T09:30:00Z"}])
grader.run_once(report, report_topic, checkpoint)
kafka.read(report_topic)

# %% [markdown]
# Nothing. The *orders* have moved on, and the payments have not: the newest of them is still of
# 09:05, so a payment of 09:04 would be in time. The query has a single clock, and it goes by the
# slower stream. (That it did not even get to 09:03, two minutes before 09:05, has another reason; we come
# to it in a moment.) As soon as the payments catch up:

# %%
kafka.send(payments_topic, [{"paid_order_id": "C", "paid_time": "2026-03-01T09:31:00Z"}])
kafka.send(orders_topic, [{"order_id": "D", "order_time": "2026-03-01T09:32:00Z"}])
grader.run_once(report, report_topic, checkpoint)
kafka.read(report_topic)

# %% [markdown]
# Order B is out, with nulls where a payment should be, and the state has let go of every row for which no partner
# can come any more. A join of two streams is a waiting room; the watermarks and the interval are its closing
# time. Leave one of them out and the room only fills, if Spark opens it at all.
#
# Why did we send order D along? **A query that starts anew** knows its watermark from the checkpoint, and no longer how
# far each *stream* had come; it learns that again from the next event of each. So the watermark stayed at 09:00 in step 2,
# in which no payment came. Where a stream brings few events, a restart can hold the watermark back. Keep this in mind: the
# checks and the drill of this lesson start the query anew for each step, too.
#
# ## Who waits for whom
#
# What a join keeps can be read like any state (lesson 02). A join keeps *two* tables, the rows of
# its left side and those of its right side, and the option `joinSide` says which one you want to
# see. `batchId` takes you back: here is what was kept after the very first micro-batch, and what is
# kept now.


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
# After the first micro-batch the orders A and B were waiting for payments, and the payment of 09:05
# for an order. Now that the watermark stands at 09:29, orders from before 09:14 are gone: nobody can
# pay for them any more. Payments go as soon as they are older than 09:29; that of 09:31 is still there.
#
# So the two sides forget at different times. An order must wait for the 15 minutes that follow it. A
# payment need not: its order was made before it, or in the same moment. **A row is kept until
# the watermark has passed the last moment at which a partner could be made**, and for an order that
# is 15 minutes after its own time.
#
# And what is too late? A count asks whether the *window* is over. A join has none: it drops a row whose own time is not
# newer than the watermark, even if its interval would be open for a long time yet. At the very moment of the watermark:
#
# | a row | whose | is |
# | --- | --- | --- |
# | that comes | own time is the watermark's | dropped |
# | that waits | last moment is the watermark's | kept until the watermark moves on |
#
# Here is the run as a picture, with one step more. Look at the watermark, which goes straight down
# through steps 2 and 3 while it waits for the payments, and at the cross: a payment for B, which comes
# when B has long been reported.
#
# ![Orders as dots and payments as squares in four steps: the watermark stands at 09:00 through steps 2 and 3, then moves to 09:29 and 10:29; A, C and E come out with their payments, B in step 3 and D in step 4 with nulls, and a payment for B is crossed out in step 4.](06.0.svg)

# %% [markdown]
# Play with it: how short may the interval (*joined within*) be before an order loses its payment? What does
# the policy `max` do to order B, and why is that no gift? *Ask Spark* plays the same on the broker.

# %%
grader.explore("06.0")

# %% [markdown]
# ## Exercise 06.1: clicks per ad
#
# `impressions` has `ad_id` and `impression_time`, and comes **two hours late at most**. `clicks`
# has `clicked_ad_id` and `click_time`, and comes **three hours late at most**. A click belongs to
# an impression of the same ad if it was made **within one hour after it**, neither earlier nor
# later (the moment of the impression counts, and exactly an hour). One impression may get several clicks; a click that
# follows two impressions of its ad counts for each of them.
#
# For every ad and every **hour in which it was shown**, say how many clicks these impressions got.
# An ad that was shown and not clicked must be in the report, with 0. A row is due as soon as the
# watermark says that no click can belong to its hour any more. What is not newer than the query's one watermark comes
# too late, and must not count.
#
# Join and count in one query; the watermark finds its way through a join as well (lesson 05). The check runs it in
# append mode.
#
# **In:** `impressions` and `clicks`. **Out:** exactly `window` (the hour of the impression), `ad_id`,
# `clicks`.
#
# First a question. After step 2 of the check, the newest impression is of 13:10:00 and the newest
# click of 13:12:00. Where does the watermark stand? `grader.predict("06.1", watermark="…")`.

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
# wait in it:

# %%
grader.lens("06.1", clicks_per_ad)

# %% [markdown]
# Ads are one case of many: alarms that nobody answered, parcels that were sent and never arrived,
# logins without a second factor. Whenever the *missing* row is the news, it is an outer join with
# an interval.
#
# ## Kinds of join
#
# | kind | gives out | a row without a partner comes out |
# | --- | --- | --- |
# | `inner` | pairs | never |
# | `leftOuter` | pairs, and left rows without a partner | when it leaves the left side's state |
# | `rightOuter` | pairs, and right rows without a partner | when it leaves the right side's state |
# | `fullOuter` | pairs, and both | each when it leaves its own |
#
# A pair comes out at once, in the micro-batch in which the second of the two arrives. Only the rows
# without a partner have to wait, and they wait for the watermark. (But a left row that fails a part of the condition which
# asks about that row alone, such as `quantity > 0`, can meet nobody, and comes out at once. A null in a column that must
# be equal is no such part: that row waits.)
#
# There are two more. `leftSemi` gives out each left row once, as soon as it has a partner. Its opposite, `leftAnti`, Spark
# refuses for two streams: take `leftOuter` and keep the rows with nulls.
#
# Below, the first three get the same events. Order B (09:01) is never paid. Payment X (09:02)
# is for an order that nobody knows. The watermark goes to 09:00 in step 1, to 09:09 in step 2, to
# 09:29 in step 3. **In which step does B come out of a left join, in which X out of a right join?** Say it
# aloud before you run the cell.


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
# X came out in step 2, as soon as the watermark had passed its own time: an order for it would have
# had to be made at 09:02 at the latest. B came out in step 3. At 09:09 it might still have been paid, at 09:29 no
# more.
#
# ## Exercise 06.2: the left join that behaves like an inner one
#
# After 15 minutes without a payment the shop sends a reminder. The bank now sends its refusals, too, so
# a payment has a `status`: `ok`, `refused`, `pending`, or null. Somebody added a line for that, and since
# then no reminder has been sent. No error, no warning.


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
# | 4 | I 10:38 (too late), J 10:38:31, one without an id 10:50 | J ok 10:53:31 |
# | 5 | K 12:00 | F ok 10:34 (too late), K ok 11:59:59, K ok 12:02 |
#
# Repair it. **In:** `orders` with `order_id`, `order_time`, up to a minute late; `payments` with
# `paid_order_id`, `paid_time`, `status`, up to two minutes late. Every event has a time.
# **Out:** exactly `order_id` and `paid_time`, for *every* order that does not come too late, the paid ones as well: a null
# in `paid_time` says who gets a reminder.
#
# - *Paid* is an order by a payment with status `ok` that was made from the moment of the order until 15 minutes after it
#   (both included; of those there is one at most). An order without an id is one that nobody can pay for, and a payment without
#   an id pays for none.
# - *When:* a paid order comes out when both are there, any other, also one without an id, as soon as the watermark says
#   that it cannot be paid in time any more.
# - *Too late* is an order or a payment that is not newer than the query's one watermark.

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
# ## How long a row stays
#
# A join remembers rows, not sums: a million impressions an hour are a million rows. What decides how
# many hours are kept is the interval, and Spark has to be able to *work it out*. For each side it asks:
# which of my rows can find no partner any more, if all that comes is newer than the watermark? For
# that it takes the comparisons in the condition one by one and solves them for that side's time:
#
# > paid_time <= order_time + 15 minutes, and every payment to come is newer than the watermark.
# > So only orders newer than *watermark − 15 minutes* can still find one.
#
# > paid_time >= order_time, and every order to come is newer than the watermark.
# > So only payments newer than *the watermark* can still find one.
#
# Spark lets a row go only when the watermark is *past* that moment. A row of exactly that time stays until the watermark
# moves on, although a late row of exactly the watermark is dropped.
#
# In a join by an interval three things must be right, or a side keeps its rows for ever:
#
# - **both** streams need a watermark. The one marks the time of the rows that are to go, the other says how far
#   their partners have come;
# - there must be a comparison for each side: the first one above lets orders go, the second one payments;
# - Spark must be able to solve it. It can add and subtract a fixed interval (`+ INTERVAL …`); write the two times one on
#   each side of the comparison. A difference of two timestamps, or `unix_timestamp` of them, it does not solve.
#
# (Where windows of the two times, or the times themselves, have to be *equal*, no comparison is needed.)
#
# Some of this Spark refuses: a left join whose condition has no end, or whose *right* stream has no watermark (and a right
# join the other way round). Four things it does not refuse, and all are silent:
#
# - an **inner** join without a limit. It gives the right rows, and grows;
# - a **left** join of which Spark can solve only the comparison by which *left* rows can go. It gives the rows that the
#   condition asks for, and keeps the right side's for ever;
# - a **left** join whose *left* stream has no watermark. It gives pairs, and never a row without a partner. That
#   is the second way in which a left join behaves like an inner one;
# - a **full** join of which only one side can let go of its rows. Spark is content with one. Rows of the other side that
#   meet no partner never come out.
#
# ## Exercise 06.3: the join whose state never shrinks
#
# Which pages do people find with the shop's search? This query joins every search with the clicks of the
# same visitor in the half hour after it. Its rows are right, and every week it needs a bigger machine.


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
# Follow the rows in its state from step to step, and see who leaves. There is more than one fault. (For a join Spark runs the
# batch without data, which takes over a new watermark, only where rows might leave. Nothing can leave this join, so the picture
# shows each watermark a step later.)
#
# **In:** `searches` with `visitor`, `term`, `search_time`, up to 5 minutes late; `clicks` with `clicked_by`,
# `page`, `click_time`, up to 10 minutes late; each has its visitor and its time. A row that is too late for
# the repaired query's watermark must not count.
# **Out:** exactly `term`, `page`, `click_time`, for each click of a visitor that follows a search of his or hers
# within 30 minutes. The same moment counts and so do exactly 30 minutes; a click may follow several searches.
#
# The rows are right and must stay so. What must change is how much is kept.

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
# ## Exercise 06.4: the click that came too late
#
# The ad agency is angry: *people did click on our ad, and your report says that nobody did!* Can that be?
# Yes, and now you bring it about. This time the query is given and **you write the events**.


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
# Return a list of steps. A step is a dict: the name of an input, and the list of events that it gets in that
# step. The query is started anew for each step, as always, so the watermark moves only in a step that brings an impression
# *and* a click. A time such as `"12:30:00"` is of 1 March 2026.
#
#     [
#         {"impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}]},
#         {"clicks": [{"clicked_ad_id": "shoes", "click_time": "12:30:00"}]},
#     ]
#
# These two steps give one pair, and nothing else. Write events with which
#
# - exactly one impression comes out **without a click**,
# - two rows come out in all: that one, and a pair,
# - exactly one event is **dropped** because it is too late (a click on the lonely impression, if you want to see the
#   agency's; the check does not mind which),
# - at the end at most two rows wait in the state.
#
# Five events are enough. (Fewer, too.) Paper and pencil first: where does the watermark stand after each step?
# `grader.lens("06.4", clicked_too_late)` shows what your events did.


# %% nbgrader={"grade": false, "grade_id": "clicked_too_late", "locked": false, "solution": true}
def clicked_too_late() -> list:
    """Steps of events, by input: one ad comes out as not clicked, and one event comes too late."""
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
# ## A table beside the stream
#
# Not everything is a stream. The shop's prices stand in files, one for each day, and a stream of orders can
# simply be joined with them, as with any table. Nothing waits, nothing is kept, no watermark is needed: each
# micro-batch of orders meets the table and is done. This is a **stream-static join**.
#
# And when the table changes? Below a query runs on through midnight. On 1 March it has the prices of that day.
# The next morning there is a new file. Of the cell only the end matters, from the first `publish` on; what stands
# before it are helpers.

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
# The file of 2 March is there, the query has been running all the time, and t2 has no price. **A folder is listed
# once:** `spark.read…json(folder)` makes a list of the files that there are when that line runs, and the query goes on
# with that list until that line runs again.
#
# What a running query sees depends on what stands beside the stream. We tried these on Spark 4.2, with a query
# that was never stopped:
#
# | beside the stream | what changes | the running query |
# | --- | --- | --- |
# | `createDataFrame` | the rows that it was made from | goes on with the old rows |
# | a folder of JSON or Parquet files | a file is added | does not see it |
# | the same | Spark overwrites the folder | fails: `FAILED_READ_FILE.FILE_NOT_EXIST` |
# | the same | a JSON file gets a new and longer text | reads about as many bytes as before: what is longer is cut off |
# | a table (`spark.table`) | `INSERT INTO`, from the same Spark | sees the new rows |
# | a topic, read with `spark.read` | new records | sees them, with every micro-batch |
# | a topic, read and then `.cache()`d | new records | goes on with what its first micro-batch saw |
#
# (A table or folder that was `.cache()`d is read anew once *this same Spark* has written to it.)
#
# Two honest cures. The first: **read it anew for every micro-batch**, in `foreachBatch`, where a batch of the
# stream is an ordinary table.


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
# All three have their price. (t1 and t2 came once more, as this query has a checkpoint of its own.) A cure of this kind
# costs a look at the folder for every micro-batch. And it does not *wait*: an order that comes before its price list gets
# no price, and that is final.
#
# The second cure: **let the changes be a stream as well.** Then it is a join of two streams, and all that you
# have learnt holds: a watermark on each, an interval (a price holds for a day), and an order that is early waits
# for its price. Here t4 comes before the price list of 4 March does:

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
# Which of the two? If a missing price is no worse than a nuisance and the list is small, read it anew. If every order
# must get the price of its own time, make it a stream, and pay with state. Two things to watch there: the join above is an
# inner one, so an order that never finds a price never comes out; and a list that comes after a newer one may be too late,
# like any event.
#
# ## Fresh questions
#
# Small streams that nobody has seen before, and questions about them: who waits for whom, and how long? A
# wrong choice is answered with the idea behind it. The questions grow harder with you, and come back
# after some days.

# %%
grader.drill("joins")

# %% [markdown]
# ## What you can now do
#
# - join two streams with a watermark each and an interval between their times;
# - say when an unmatched row comes out, and why not sooner, for left, right and full joins;
# - find the slower stream that holds a query's clock back;
# - count what a join gives in the same query, and keep the zeros;
# - keep a left join a left join: filter the right side *before* it;
# - say how long each side of a join keeps a row, read it from the state with `joinSide`, and find out why one
#   keeps it for ever;
# - say what a running query sees of a table that changes, and choose between two cures.

# %%
grader.progress()

# %% [markdown]
# Next: **07 Deduplication**. Go there now, or stay a little: what follows is not needed later.
#
# ---
#
# # Going further
#
# ## Update mode
#
# All of this ran in append mode. In lesson 02 you had another one, `update`: a row may come out again when
# it changes. A pair of a join never changes, so an **inner** join may run in update mode, and gives out the
# same rows. With a count behind it the count comes out in each batch in which it has changed, and not only when its hour is
# over (below all rows come in one batch, so it comes out once).
# An outer join may not, although its rows, too, are final when they come: Spark allows it in append mode only.
# Here are all three:


# %%
def in_update_mode(frame: DataFrame) -> list:
    """The rows that a query gives out in update mode over all that its topics hold."""
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
# ## Exercise 06.5: prices that change while the query runs
#
# The shop has moved its prices to a topic: each record is a price and the time since when it holds. A
# colleague reads the topic as a table and joins the orders with it. At first that went well. Then somebody
# noticed that the topic is read with every micro-batch, and made it faster.


# %% tags=["given"]
def price_list(spark: SparkSession, kafka) -> DataFrame:
    """All prices that there ever were: priced_item, price, and since and until when it holds.

    `until` is null for a price that nothing has followed yet.
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
# Tea costs 4.00 until 11:00 and 5.00 from then on; the new price comes in step 2, with an order of two teas at
# 11:30 (o3). Its bill says 8.00, the price of step 1.
#
# Repair it, so that every order is billed at the price that held *when it was made*. A price is always in the
# topic before the first order that it holds for is worked on, and some are announced ahead.
#
# **In:** `spark`; `orders` with `order_id`, `item`, `quantity`, `order_time`; `kafka` with
# `kafka.bootstrap_servers` and `kafka.topic("prices")`. Use `price_list` and `as_bills` as they are.
# **Out:** a writer, not started; the check sets checkpoint and trigger. To the topic `kafka.topic("bills")` it
# writes one record for each order: `key` the order's id, `value` the JSON `{"order_id": …, "amount": …}`. Each order
# comes once. Where no price holds, or the order lacks its item, quantity or time, the amount is null. An order that
# lacks its id gets its own bill like any other, with null for the id; there may be several of them.

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
# - say which joins may run in update mode, and what comes out of them;
# - find the place where a table beside a stream was frozen, and let it be read again.

# %%
grader.progress()
