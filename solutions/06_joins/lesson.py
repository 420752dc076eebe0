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
# "not yet" to "never".

# %% tags=["given"]
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

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
# The last two together tell Spark how long a row can still matter. An order of 09:01 can be paid
# until 09:16. Once no payment of 09:16 or earlier can come any more, waiting is over, and the row
# leaves the state.


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
# Half an hour later a new order comes in. Is it settled now that B was never paid?

# %%
kafka.send(orders_topic, [{"order_id": "C", "order_time": "2026-03-01T09:30:00Z"}])
grader.run_once(report, report_topic, checkpoint)
kafka.read(report_topic)

# %% [markdown]
# Nothing. The *orders* have moved on, and the payments have not: the newest of them is still of
# 09:05, so a payment of 09:04 would be in time. The query has a single clock, and it goes by the
# slower stream. As soon as the payments catch up:

# %%
kafka.send(payments_topic, [{"paid_order_id": "C", "paid_time": "2026-03-01T09:31:00Z"}])
kafka.send(orders_topic, [{"order_id": "D", "order_time": "2026-03-01T09:32:00Z"}])
grader.run_once(report, report_topic, checkpoint)
kafka.read(report_topic)

# %% [markdown]
# Order B is out, with nulls where a payment should be, and the state has let go of all that is
# settled. A join of two streams is a waiting room; the watermarks and the interval are its closing
# time. Leave one of them out and the room only fills.
#
# (Why did we send order D along? Our query starts anew at every step. It then knows its watermark
# from the checkpoint, and no longer how far each *stream* had come; it learns that again from the
# next event of each. Where a stream brings few events, a restart can hold the watermark back.)
#
# Here is the run as a picture, with one step more. Look at the watermark, which goes straight down
# through steps 2 and 3 while it waits for the payments, and at the cross: a payment for B, which comes
# when B has long been reported.
#
# ![Orders as dots and payments as squares in four steps: the watermark stands at 09:00 through steps 2 and 3, then moves to 09:29 and 10:29; A, C and E come out with their payments, B in step 3 and D in step 4 with nulls, and a payment for B is crossed out in step 4.](06.0.svg)
#
# ## Your turn: clicks per ad
#
# `impressions` has `ad_id` and `impression_time`, and comes **two hours late at most**. `clicks`
# has `clicked_ad_id` and `click_time`, and comes **three hours late at most**. A click belongs to
# an impression of the same ad if it was made **within one hour after it**, neither earlier nor
# later (exactly an hour counts). One impression may get several clicks.
#
# For every ad and every **hour in which it was shown**, say how many clicks these impressions got.
# An ad that was shown and not clicked must be in the report, with 0. Join and count in one query:
# as you know from lesson 05, the watermark finds its way through a join as well.
#
# Columns: `window` (the hour of the impression), `ad_id`, `clicks`.
#
# First a question. After step 2 of the check, the newest impression is of 13:10:00 and the newest
# click of 13:12:00. Where does the watermark stand?

# %%
grader.predict("06.1", watermark="13:10:00")

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
# ## What you can now do
#
# - join two streams with a watermark each and an interval between their times;
# - say when an unmatched row comes out, and why not sooner;
# - find the slower stream that holds a query's clock back;
# - count what a join gives in the same query, and keep the zeros.
