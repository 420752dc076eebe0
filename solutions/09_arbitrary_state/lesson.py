# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 09 · Arbitrary state in Python I
#
# Counts, sums, windows, sessions: for those Spark knows what to keep and when to let go. Sooner or
# later somebody asks for something else. The shop buys coffee and cocoa with options, their prices
# jump about, and the buyers want a *smoothed* price in which every new quote counts a little and
# old ones fade. No built-in aggregation does that; it needs the result before to make the next.
#
# For such cases you write a function of your own, in Python, and Spark lends you a place to keep
# things, one for each group. You have all the freedom, and all the duties: what to remember, in
# which order to calculate, and when to forget.

# %% tags=["given"]
from collections.abc import Iterator
from typing import Any

import grader
import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## Shopping carts, live
#
# Customers put things into carts. For each customer we keep the total, and when a cart was not
# touched for ten minutes we say so and forget it. This is the whole function:


# %% tags=["example"]
def fill_cart(
    key: tuple[str], chunks: Iterator[pd.DataFrame], cart: GroupState
) -> Iterator[pd.DataFrame]:
    (customer,) = key
    if cart.hasTimedOut:
        (total,) = cart.get
        cart.remove()
        yield pd.DataFrame({"customer": [customer], "total": [total], "what": ["given up"]})
        return
    added = pd.concat(list(chunks))
    (before,) = cart.get if cart.exists else (0.0,)
    total = before + float(added["price"].sum())
    cart.update((total,))
    give_up = added["time"].max() + pd.Timedelta(minutes=10)
    cart.setTimeoutTimestamp(int(give_up.timestamp() * 1000))
    yield pd.DataFrame({"customer": [customer], "total": [total], "what": ["filled"]})


# %% [markdown]
# Read it slowly, for everything of this lesson is in it.
#
# - It is called **once for each customer that has rows in a batch**, and once for each whose
#   timeout has passed. In the second case there are no rows, only the state.
# - The rows come as an **iterator of DataFrames**: a big group arrives in pieces.
# - `cart.get` and `cart.update` fetch and keep a **tuple**, with a schema that we declare. Nothing
#   else lasts until the next call. A global variable would live in some worker process, and die
#   with it.
# - The timeout is set **on every call**, in milliseconds since 1970. A call that sets none leaves
#   the cart without one. A time comes into pandas without its zone, in the session's; `.timestamp()`
#   takes it for UTC, and that is the zone of the lab's sessions.
# - It `yield`s DataFrames, as many as it likes, also none.
#
# A query hands the function to Spark, with a schema of the rows that come out and one of the state:


# %% tags=["example"]
def cart_news(things: DataFrame) -> DataFrame:
    return (
        things.withWatermark("time", "1 minute")
        .groupBy("customer")
        .applyInPandasWithState(
            fill_cart,
            outputStructType="customer STRING, total DOUBLE, what STRING",
            stateStructType="total DOUBLE",
            outputMode="append",
            timeoutConf=GroupStateTimeout.EventTimeTimeout,
        )
    )


# %% [markdown]
# Three things go into two carts. (`grader.read_topic` and `grader.run_once` read a topic and run a query
# for a moment, as in lesson 05.)

# %%
carts_topic = kafka.create_topic("lesson09-carts")
news_topic = kafka.create_topic("lesson09-news")
checkpoint = grader.fresh_checkpoint()

things = grader.read_topic(carts_topic, "customer STRING, price DOUBLE, time TIMESTAMP")
news = cart_news(things)

kafka.send(
    carts_topic,
    [
        {"customer": "mia", "price": 12.5, "time": "2026-03-01T10:00:00Z"},
        {"customer": "noa", "price": 80.0, "time": "2026-03-01T10:00:30Z"},
        {"customer": "mia", "price": 7.5, "time": "2026-03-01T10:01:00Z"},
    ],
)
grader.run_once(news, news_topic, checkpoint)
kafka.read(news_topic)

# %% [markdown]
# Two calls, two rows. Mia adds something five minutes later; noa does nothing. Then somebody else
# comes, and time moves on.

# %%
kafka.send(carts_topic, [{"customer": "mia", "price": 5.0, "time": "2026-03-01T10:06:00Z"}])
grader.run_once(news, news_topic, checkpoint)
kafka.send(carts_topic, [{"customer": "oki", "price": 3.0, "time": "2026-03-01T10:12:00Z"}])
grader.run_once(news, news_topic, checkpoint)
kafka.read(news_topic)

# %% [markdown]
# Noa's cart was given up: the watermark of 10:11:00 passed her 10:10:30. Mia's was not, as her
# second visit had set a new timeout. Event-time timeouts go by the watermark, so nothing is given
# up while there is no newer event at all. (`ProcessingTimeTimeout` goes by the clock on the wall.)
#
# Here is the run as a picture, with two steps more. There are no bars, as these rows name no stretch of
# time; look at the cross in step 4, something of noa's that is older than the watermark: the function is
# never called for it.
#
# ![Things put into carts in five steps, with a watermark a minute behind the newest: mia and noa filled; mia filled; oki filled and noa given up; mia filled, while a late thing of noa's is crossed out; pia filled, mia and oki given up.](09.0.svg)
#
# ## Your turn: a moving average
#
# `quotes` has `option` (its name), `price` and `quote_time`, and comes **one minute** late at most.
# For each option keep an exponentially weighted moving average with a weight of **0.25**:
#
# - the first price *is* the average;
# - after that, the new average is 0.25 × the price + 0.75 × the average before.
#
# Every quote gives one row: `option`, `quote_time`, `average` (the average after this quote).
# Within a batch, quotes count in the order of their **times**, whatever order they came in. When
# an option had no quote for **30 minutes** (counted from the newest quote of its last batch, and passed
# when the watermark has passed them), forget it: the next price starts a new average.
#
# On paper: prices of 100, 104, 108 give 100, 101 and 102.75.
#
# A question first. After step 2 of the check the query keeps averages for coffee-call and
# cocoa-put; cocoa-put's last quote was of 09:02:10. Step 3 brings coffee-call of 09:25:10 and a new
# option, tea-call. Step 4 has a single quote of tea-call, of 09:40:00. How many averages does the
# query keep when step 4 is over?

# %%
grader.predict("09.1", state=3)

# %% nbgrader={"grade": false, "grade_id": "moving_average", "locked": false, "solution": true}
def moving_average(quotes: DataFrame) -> DataFrame:
    """The moving average of every option after each of its quotes.

    quotes: option STRING, price DOUBLE, quote_time TIMESTAMP; up to 1 minute late.
    Returns option, quote_time, average; appended, one row a quote.
    """
    ### BEGIN SOLUTION
    alpha = 0.25
    half_an_hour = pd.Timedelta(minutes=30)

    def update(
        key: Any, chunks: Iterator[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        if state.hasTimedOut:
            state.remove()
            return
        batch = pd.concat(list(chunks)).sort_values("quote_time")
        average = state.get[0] if state.exists else None
        averages = []
        for price in batch["price"]:
            average = price if average is None else alpha * price + (1 - alpha) * average
            averages.append(average)
        state.update((average,))
        give_up = batch["quote_time"].max() + half_an_hour
        state.setTimeoutTimestamp(int(give_up.timestamp() * 1000))
        yield pd.DataFrame(
            {"option": key[0], "quote_time": batch["quote_time"], "average": averages}
        )

    return (
        quotes.withWatermark("quote_time", "1 minute")
        .groupBy("option")
        .applyInPandasWithState(
            update,
            outputStructType="option STRING, quote_time TIMESTAMP, average DOUBLE",
            stateStructType="average DOUBLE",
            outputMode="append",
            timeoutConf=GroupStateTimeout.EventTimeTimeout,
        )
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-moving_average", "locked": true, "points": 4, "solution": false}
grader.check("09.1", moving_average)

# %% [markdown]
# `grader.hint("09.1")` has four steps this time. And this is what your state did:

# %%
grader.lens("09.1", moving_average)

# %% [markdown]
# The check also killed your query between its output and its commit and started it again. With
# everything in the state, the second life begins where the first was saved. That is worth more
# than it looks: it is why state is lent to you, and not simply a dictionary.
#
# Spark has a second, newer way to do such things, `transformWithState`, with several states in a
# group, lists, maps and timers that you name. It is what lesson 10 is about; the duties stay.
#
# ## What you can now do
#
# - keep state of your own for every group, with a schema, in Python;
# - handle a group that comes in pieces and out of order;
# - let go of state with an event-time timeout, and say when exactly it fires;
# - say why a global variable is no state.
