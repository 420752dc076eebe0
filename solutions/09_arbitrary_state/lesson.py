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
#
# In this lesson you
#
# - keep a moving average, and let go of it when nothing comes any more,
# - notice that a sensor has fallen silent, and a till: by event time, and by the clock on the wall,
# - repair a function that loses what it knew.
#
# Plan two and a half hours for that; there are four exercises (09.2 comes later). At the end stands *Going further*, with three more
# that no later lesson needs: fruit counted piece by piece (12 minutes), a puzzle of seconds (10), and tests
# of such a function without Spark (25). All times are UTC, in the text as in the results.

# %% tags=["given"]
import json
from collections.abc import Iterator
from typing import Any

import grader
import pandas as pd
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout
from pyspark.sql.types import StructType

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
# - `key` is a tuple with the columns that we group by. Here it is one, so `(customer,) = key`.
# - It is called **once for each customer that has rows in a batch**, and once for each whose
#   timeout has passed. In the second case there are no rows, only the state.
# - The rows come as an **iterator of DataFrames**: a big group arrives in pieces. When a timeout has passed, `chunks` is
#   a list of one DataFrame without rows: `for chunk in chunks` goes through either, `next(chunks)` fails with the list.
# - `cart.get` and `cart.update` fetch and keep a **tuple**, with a schema that we declare. Nothing
#   else lasts until the next call. A global variable would live in some worker process, and die
#   with it.
# - A column of the state may be a number, a text, a truth value, a time or a `STRUCT` of these. An `ARRAY` is refused with
#   `KeyError: 'elementType'`, a `MAP` with `KeyError: 'keyType'`. And types must fit: a `3.0` in a `LONG` or a `3` in a
#   `DOUBLE` is kept as `None`, without a word.
# - The timeout is set **on every call**, in milliseconds since 1970. A call that updates the cart and sets none leaves
#   it without one. Ours counts from the newest thing of *this batch*: one that comes out of order in a later batch moves it
#   back. For carts that will do; where it will not, keep the newest time in the state.
# - It `yield`s DataFrames, as many as it likes, also none. Their columns go by name.
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
# Here is the run as a picture, with two steps more. A bar is what is kept of a customer after the step: it begins at her
# newest thing and ends with a flag, at her timeout. When the blue line, the watermark, has passed a flag, the bar is
# gone: noa's in step 3. The cross in step 4 is something of noa's that is older than the watermark: the function
# is never called for it.
#
# ![Things put into carts in five steps, with a watermark a minute behind the newest, and for each cart a bar from its newest thing to its timeout: mia and noa filled; mia filled, her bar moved on; oki filled and noa given up, her bar gone; mia filled, while a late thing of noa's is crossed out; pia filled, mia and oki given up.](09.0.svg)
#
# ## What lasts, and what does not
#
# "Nothing else lasts until the next call." Is that so? Python has dictionaries, and this one counts crates of
# fruit without any state. Two crates of apples and one of mangos come, and after that a third crate of
# apples. (`NoTimeout`: the function is called for rows only.) **Write down what you expect to read from the topic, and what
# `counts` holds in the end.** Then run it.

# %%
counts: dict[str, int] = {}


def count_in_a_dict(
    key: tuple[str], chunks: Iterator[pd.DataFrame], state: GroupState
) -> Iterator[pd.DataFrame]:
    (fruit,) = key
    counts[fruit] = counts.get(fruit, 0) + sum(len(chunk) for chunk in chunks)
    yield pd.DataFrame({"fruit": [fruit], "count": [counts[fruit]]})


def with_function(crates: DataFrame, function: Any, result: str) -> DataFrame:
    """Crates by fruit, handed to a function that keeps no state."""
    return crates.groupBy("fruit").applyInPandasWithState(
        function, result, "unused LONG", "append", GroupStateTimeout.NoTimeout
    )


fruit_topic, dict_topic = kafka.unique_topic("fruit"), kafka.unique_topic("in-a-dict")
fruit = grader.read_topic(fruit_topic, "fruit STRING, pieces INT")
in_a_dict = with_function(fruit, count_in_a_dict, "fruit STRING, count LONG")
dict_checkpoint = grader.fresh_checkpoint()

kafka.send(
    fruit_topic,
    [
        {"fruit": "apple", "pieces": 3},
        {"fruit": "mango", "pieces": 5},
        {"fruit": "apple", "pieces": 4},
    ],
)
grader.run_once(in_a_dict, dict_topic, dict_checkpoint)
kafka.send(fruit_topic, [{"fruit": "apple", "pieces": 1}])
grader.run_once(in_a_dict, dict_topic, dict_checkpoint)
print(kafka.read(dict_topic))
print("counts:", counts)

# %% [markdown]
# Two apples, one mango, and then *one* apple. And the dictionary in front of you is empty. When the query was built,
# Spark packed up your function, with the dictionary as it was then. Each batch unpacks that in a Python process, on a
# cluster in one of many machines, and what the copy learns there is thrown away with it. The same holds for other
# globals of your notebook and for attributes of objects. (Variables of a module that is imported may live on in a process
# that is used again. That is worse: sometimes they are there.)
#
# Within a batch the copy does last, for all groups of the same partition. So in a small test with a single batch a dictionary
# works.
#
# ## Pieces
#
# The rows of a group come as an iterator of DataFrames. How many rows a piece has at most is a setting; 10,000 is the
# default. We make it two, and let a function tell what is in its pieces:


# %%
def tell_pieces(
    key: tuple[str], chunks: Iterator[pd.DataFrame], state: GroupState
) -> Iterator[pd.DataFrame]:
    for chunk in chunks:
        yield pd.DataFrame({"fruit": list(key), "piece": [str(chunk["pieces"].tolist())]})


many_topic, pieces_topic = kafka.unique_topic("many-crates"), kafka.unique_topic("pieces")
many = grader.read_topic(many_topic, "fruit STRING, pieces INT")
kafka.send(
    many_topic,
    [{"fruit": "apple", "pieces": n} for n in (3, 4, 1, None, 2)]
    + [{"fruit": "mango", "pieces": 5}],
)
spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "2")
try:
    told = with_function(many, tell_pieces, "fruit STRING, piece STRING")
    grader.run_once(told, pieces_topic, grader.fresh_checkpoint())
finally:
    spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
kafka.read(pieces_topic)

# %% [markdown]
# Five crates of apples in several pieces, in one call. Look at the missing number, too: it became `nan`, "not a number", and
# the others of its piece became fractions. That is how pandas keeps whole numbers among which one is missing. Their sum
# is a fraction, too: put an `int(…)` around it before it goes into a `LONG`.
#
# Who takes the first piece for the group loses rows, and on a quiet day nobody notices. Rows travel to Python in packets of
# 10,000, with several groups in one: a group is cut where its packet is full, be it as small as it likes. Therefore the
# checks of this lesson make packets of two.
#
# ## Times as numbers
#
# A timeout is a number, milliseconds since 1970, and a state can hold a time in the same way. These are the ways there and back:


# %% tags=["given"]
def milliseconds(time: pd.Timestamp) -> int:
    """Milliseconds since 1970 of a time as pandas has it: without a zone, in the session's, which is UTC."""
    return round(time.timestamp() * 1000)


def moment(ms: int) -> pd.Timestamp:
    """The time that is so many milliseconds after 1970, as pandas has it."""
    return pd.Timestamp(ms, unit="ms")


# %% [markdown]
# (In a session with another time zone, pandas would get the clock of *that* zone, and `.timestamp()` would still take it for UTC. Then
# let Spark do it: `F.unix_millis("time")`, before the `groupBy`.)
#
# ## Exercise 09.1: a moving average
#
# `quotes` has `option` (its name), `price` and `quote_time`, and comes **one minute** late at most.
# For each option keep an exponentially weighted moving average with a weight of **0.25**:
#
# - the first price *is* the average;
# - after that, the new average is 0.25 × the price + 0.75 × the average before.
#
# Every quote gives one row: `option`, `quote_time`, `average` (the average after this quote, a `DOUBLE` here and in
# the state; a `FLOAT` is too coarse). A price may be 0.
# Within a batch, quotes count in the order of their **times**, whatever order they came in; those of an option
# with the same time have the same price.
#
# When the watermark has passed a moment **30 minutes** after the newest quote in the last batch of an option, forget
# that option: its next price starts a new average. It is the last *batch* that counts, even if a batch before
# it had a newer quote; and a watermark that stands just there has not passed it.
#
# On paper: prices of 100, 104, 108 give 100, 101 and 102.75.
#
# These are the quotes, with their prices in brackets:
#
# | step | quotes |
# | --- | --- |
# | 1 | coffee-call 09:00:00 (100), 09:00:20 (108), 09:00:10 (104), 09:00:40 (106.75); cocoa-put 09:00:05 (8), 09:00:30 (12) |
# | 2 | coffee-call 09:02:00 (99.75); cocoa-put 09:02:10 (13); oat-put 09:09:30 (6) |
# | 3 | coffee-call 09:00:50 (500), 09:25:10 (110.75); tea-call 09:25:00 (0); oat-put 09:08:40 (8) |
# | 4 | tea-call 09:40:00 (44.123) |
# | 5 | cocoa-put 09:41:00 (20); coffee-call 09:45:00 (100.755); oat-put 09:42:00 (12) |
# | 6 | tea-call 11:00:00 (41) |
# | 7 | sugar-put 11:08:59.999 (5); salt-put 11:09:00 (5), 11:08:40 (5) |
# | 8 | mint-call 11:40:00 (7), 11:40:00 (7) |
# | 9 | sugar-put 11:40:30 (9); salt-put 11:40:30 (9) |
#
# A question first: how many averages does the query keep when step 4 is over?

# %%
grader.predict("09.1")


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
# `grader.hint("09.1")` has four steps this time. Once your function is written, this shows what its state did:

# %%
grader.lens("09.1", moving_average)

# %% [markdown]
# The check also killed your query between its output and its commit and started it again. With
# everything in the state, the second life begins where the first was saved. That is worth more
# than it looks: it is why state is lent to you, and not simply a dictionary.
#
# ## When exactly is time up?
#
# For the average a timeout was the broom that cleans up. It can also be the point of it all: to notice that something did
# *not* happen. For that you need the rules to the second. They are few.
#
# - `EventTimeTimeout` wants a watermark in front of the `groupBy`. Then rows as old as the watermark of the batch before, or
#   older, are dropped, and the function never sees them. (With another `timeoutConf` nothing is dropped, watermark or not.)
# - A timeout has **passed when the watermark is greater**. Reached is not passed.
# - In a batch the function is called **first for groups with rows, then for those whose time is up**. A group that had rows has
#   a new timeout by then, or none, or still its old one, if the call did not update.
# - `state.hasTimedOut` tells the two apart. On a timeout the group comes with a DataFrame without rows.
# - Who updates the state and **sets no timeout has none**: what an earlier call has set is gone. (So it is in Python. In Scala
#   every call takes the timeout away.)
# - A timeout **removes nothing**. It calls you; `state.remove()` is yours to say. If you neither remove nor update, all stays as it
#   was, the timeout as well, and you are called for it again in every batch.
# - A timeout before the watermark is refused with an error: it would be up already. In a query that runs on this can happen
#   with a row that was not dropped. It is dropped by the watermark of the batch before, and the timeout is held against that
#   of this batch, which `state.getCurrentWatermarkMs()` tells; take the later of the two. (In our steps an empty batch lies
#   between, and both are the same.)
#
# Back to the carts. Mia's cart was filled last at 10:06:00, so its timeout is 10:16:00. Then noa puts things into hers, at 10:16:00, at
# 10:17:00 and at 10:17:01. With which of these is mia's cart given up? Write it down, then run it.

# %%
edge_topic, edge_news = kafka.unique_topic("edge-carts"), kafka.unique_topic("edge-news")
edge = cart_news(grader.read_topic(edge_topic, "customer STRING, price DOUBLE, time TIMESTAMP"))
edge_checkpoint = grader.fresh_checkpoint()
for customer, time in [
    ("mia", "10:06:00"),
    ("noa", "10:16:00"),
    ("noa", "10:17:00"),
    ("noa", "10:17:01"),
]:
    kafka.send(edge_topic, [{"customer": customer, "price": 1.0, "time": f"2026-03-01T{time}Z"}])
    grader.run_once(edge, edge_news, edge_checkpoint)
    print(
        f"after {customer} {time}:",
        [row["customer"] for row in kafka.read(edge_news) if row["what"] == "given up"],
    )

# %% [markdown]
# With the one of 10:17:01. A second earlier the watermark stood at 10:16:00, and that is the timeout itself.
#
# ## Exercise 09.3: the sensor that falls silent
#
# In each cold room hangs a sensor that sends the temperature. A broken cooler is noticed by its warmth, a broken sensor by
# nothing at all. `readings` has `sensor`, `celsius` (null when it could not measure; the sensor lives all the same) and
# `measured_at`, and comes **one minute** late at most.
#
# When the watermark has passed a moment **five minutes** after the newest reading of a sensor so far, tell it, once: `sensor`,
# `last_seen` (the time of that newest reading), `readings` (how many there were since it was first heard of, or since it came back).
# Then forget the sensor. When it comes back, everything begins anew.
#
# A sensor of which a reading comes in before the watermark has passed that moment gives no alert, even if its own time is more
# than five minutes after the last. A row that is out is final: the check runs the query in append mode.
#
# | step | readings |
# | --- | --- |
# | 1 | north 12:00:10, 12:02:10, 12:01:10; south 12:00:30, 12:01:30; cellar 12:01:40 |
# | 2 | north 12:01:11, 12:01:10; south 12:04:00 |
# | 3 | east 12:07:30, 12:07:30 |
# | 4 | east 12:08:10 |
# | 5 | east 12:08:10.001 |
# | 6 | north 12:08:40, 12:08:00; south 12:09:30 |
# | 7 | east 12:20:00 |
# | 8 | west 14:00:00 |

# %%
grader.predict("09.3")


# %% nbgrader={"grade": false, "grade_id": "silent_sensors", "locked": false, "solution": true}
def silent_sensors(readings: DataFrame) -> DataFrame:
    """Sensors that were not heard of for five minutes of event time: sensor, last_seen, readings.

    readings: sensor STRING, celsius DOUBLE, measured_at TIMESTAMP; up to 1 minute late.
    """
    ### BEGIN SOLUTION
    five_minutes = 5 * 60 * 1000

    def watch(
        key: Any, chunks: Iterator[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        newest, count = state.get if state.exists else (0, 0)
        if state.hasTimedOut:
            state.remove()
            yield pd.DataFrame(
                {"sensor": [key[0]], "last_seen": [moment(newest)], "readings": [count]}
            )
            return
        for chunk in chunks:
            newest = max(newest, milliseconds(chunk["measured_at"].max()))
            count += len(chunk)
        state.update((newest, count))
        state.setTimeoutTimestamp(newest + five_minutes)

    return (
        readings.withWatermark("measured_at", "1 minute")
        .groupBy("sensor")
        .applyInPandasWithState(
            watch,
            outputStructType="sensor STRING, last_seen TIMESTAMP, readings LONG",
            stateStructType="newest LONG, readings LONG",
            outputMode="append",
            timeoutConf=GroupStateTimeout.EventTimeTimeout,
        )
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-silent_sensors", "locked": true, "points": 4, "solution": false}
grader.check("09.3", silent_sensors)

# %%
grader.lens("09.3", silent_sensors)

# %% [markdown]
# Who moves time here? East alone does, from step 3 to step 5. Had east been silent too, nobody would have been reported, until
# somebody was heard again.
#
# ## Exercise 09.4: parcels that lose their past
#
# The shop follows its parcels. Every scan on the way is an event with `parcel`, `place` (null where the scanner did not know) and
# `scanned_at`, up to **ten minutes** late. The pipeline should tell each parcel's end, once:
#
# - `"delivered"`, in the batch in which it is scanned at the `"door"`, whatever else that batch brings of it;
# - `"lost"`, when the watermark has passed a moment two hours after its newest scan so far.
#
# Then the parcel is forgotten, and a scan in a later batch begins another way. A row has
#
# - `parcel`, `news`,
# - `scans`: how many scans of this way there were, all those of the last batch included,
# - `first_scan`: the time of the earliest of them.
#
# In the test with three parcels all was well. In the hall it is not.


# %% tags=["given"]
TWO_HOURS = 2 * 60 * 60 * 1000


def parcel_row(parcel: str, news: str, scans: int, first_scan: pd.Timestamp | None) -> pd.DataFrame:
    return pd.DataFrame(
        {"parcel": [parcel], "news": [news], "scans": [scans], "first_scan": [first_scan]}
    )


# %%
def parcel_news_as_it_is(scans: DataFrame) -> DataFrame:
    first_scans = {}

    def follow(
        key: tuple[str], chunks: Iterator[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        (parcel,) = key
        if state.hasTimedOut:
            (count,) = state.get
            yield parcel_row(parcel, "lost", count, first_scans.get(parcel))
            return
        batch = next(chunks)
        (count,) = state.get if state.exists else (0,)
        count += len(batch)
        earliest = batch["scanned_at"].min()
        first_scans[parcel] = min(first_scans.get(parcel, earliest), earliest)
        if (batch["place"] == "door").any():
            state.remove()
            yield parcel_row(parcel, "delivered", count, first_scans[parcel])
        elif not state.exists:
            state.update((count,))
            state.setTimeoutTimestamp(milliseconds(batch["scanned_at"].max()) + TWO_HOURS)

    return (
        scans.withWatermark("scanned_at", "10 minutes")
        .groupBy("parcel")
        .applyInPandasWithState(
            follow,
            outputStructType="parcel STRING, news STRING, scans LONG, first_scan TIMESTAMP",
            stateStructType="scans LONG",
            outputMode="append",
            timeoutConf=GroupStateTimeout.EventTimeTimeout,
        )
    )


grader.lens("09.4", parcel_news_as_it_is)

# %% [markdown]
# These are the scans:
#
# | step | scans |
# | --- | --- |
# | 1 | p1 08:00:00, 08:20:00; p2 08:19:00, 08:05:00, 08:06:00; p3 08:14:00; p4 08:12:00 |
# | 2 | p1 09:00:00; p3 08:11:00; p2 09:05:00 (place unknown), 08:49:00 |
# | 3 | p1 09:10:00, 09:29:00, 09:30:00 (door); p2 08:50:00; p5 09:31:00, 09:40:00 (door) |
# | 4 | p6 10:22:00; p8 10:05:00 (door), 10:06:00 (door), 10:15:00, 10:02:00, in this order |
# | 5 | p6 10:22:00.001 |
# | 6 | p4 10:30:00; p1 10:55:00; p6 11:00:00, 11:00:00 |
# | 7 | p6 11:20:00 (door) |
# | 8 | p7 15:00:00 |
#
# Go through it with p1, from call to call: what does the function remember after step 1, after step 2, after step 3? Then with p3 and with
# p4. There are six faults, and mending one shows the next. Watermark and columns are right as they are.

# %%
grader.predict("09.4")


# %% nbgrader={"grade": false, "grade_id": "parcel_news", "locked": false, "solution": true}
def parcel_news(scans: DataFrame) -> DataFrame:
    """The end of each parcel's way: parcel, news, scans, first_scan.

    scans: parcel STRING, place STRING, scanned_at TIMESTAMP; up to 10 minutes late.
    """
    ### BEGIN SOLUTION

    def follow(
        key: tuple[str], chunks: Iterator[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        (parcel,) = key
        if state.hasTimedOut:
            first, newest, count = state.get
            state.remove()
            yield parcel_row(parcel, "lost", count, moment(first))
            return
        batch = pd.concat(list(chunks))
        first = milliseconds(batch["scanned_at"].min())
        newest = milliseconds(batch["scanned_at"].max())
        count = len(batch)
        if state.exists:
            first_before, newest_before, count_before = state.get
            first, newest = min(first, first_before), max(newest, newest_before)
            count += count_before
        if (batch["place"] == "door").any():
            state.remove()
            yield parcel_row(parcel, "delivered", count, moment(first))
        else:
            state.update((first, newest, count))
            state.setTimeoutTimestamp(newest + TWO_HOURS)

    return (
        scans.withWatermark("scanned_at", "10 minutes")
        .groupBy("parcel")
        .applyInPandasWithState(
            follow,
            outputStructType="parcel STRING, news STRING, scans LONG, first_scan TIMESTAMP",
            stateStructType="first LONG, newest LONG, scans LONG",
            outputMode="append",
            timeoutConf=GroupStateTimeout.EventTimeTimeout,
        )
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-parcel_news", "locked": true, "points": 5, "solution": false}
grader.check("09.4", parcel_news)

# %%
grader.lens("09.4", parcel_news)

# %% [markdown]
# ## By the clock on the wall
#
# Some silences must be noticed while nothing comes at all: a till that does not answer is a till at which nobody can pay, *now*. For
# those there is the other kind of timeout. Here is a till that sends one sign, and then no more. Nobody else sends anything.


# %%
def sign_or_silence(
    key: tuple[str], chunks: Iterator[pd.DataFrame], state: GroupState
) -> Iterator[pd.DataFrame]:
    (till,) = key
    if state.hasTimedOut:
        state.remove()
        yield pd.DataFrame({"till": [till], "what": ["nothing for two seconds"]})
        return
    state.update((sum(len(chunk) for chunk in chunks),))
    state.setTimeoutDuration(2_000)
    yield pd.DataFrame({"till": [till], "what": ["a sign"]})


signs_topic, till_topic = kafka.unique_topic("signs"), kafka.unique_topic("till-news")
tills = grader.read_topic(signs_topic, "till STRING, battery INT")
till_news = tills.groupBy("till").applyInPandasWithState(
    sign_or_silence,
    outputStructType="till STRING, what STRING",
    stateStructType="signs LONG",  # how many came last; nobody reads it here
    outputMode="append",
    timeoutConf=GroupStateTimeout.ProcessingTimeTimeout,
)
kafka.send(signs_topic, [{"till": "A", "battery": 90}])
query = (
    till_news.select(F.to_json(F.struct("*")).alias("value"))
    .writeStream.format("kafka")
    .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    .option("topic", till_topic)
    .option("checkpointLocation", grader.fresh_checkpoint())
    .trigger(processingTime="1 second")
    .start()
)
try:
    while len(kafka.read(till_topic)) < 2:
        query.awaitTermination(1)  # wait a second; tells at once if the query fails
finally:
    query.stop()
for batch in query.recentProgress:
    print(f"{batch['timestamp'][11:23]} batch {batch['batchId']}: rows in {batch['numInputRows']}")
kafka.read(till_topic)

# %% [markdown]
# One batch with a row, and then batches *without* any, second by second, until the two seconds had passed. What differs:
#
# | | event time | the clock |
# | --- | --- | --- |
# | `timeoutConf` | `EventTimeTimeout` | `ProcessingTimeTimeout` |
# | you set | a moment: `setTimeoutTimestamp(…)`, in ms since 1970 | a span: `setTimeoutDuration(…)`, in ms from the clock of this batch |
# | needs | a watermark, and so a time in every event | nothing |
# | passes when | the watermark is greater | a batch begins and its clock is greater |
# | late rows | are dropped before the function | nothing is dropped, even behind a watermark |
# | while nothing comes | nothing happens | batches without rows look at the clock |
# | the same day played again | the same rows, if the batches are cut alike | other rows |
#
# (Cut otherwise, event time may tell something else, too: a sensor whose next reading comes in the same batch was never silent
# to the function.)
#
# The clock is read **once for each batch**, when it is planned; `state.getCurrentProcessingTimeMs()` tells it. A timeout fires in the first batch
# whose clock has passed it. With a trigger of a minute, two seconds may take a minute.
#
# **Such a query does not end under `availableNow`.** That trigger stops when a further batch would change nothing. By event time Spark can
# tell: the watermark has not moved, so no timeout can have passed. The clock *always* has moved. So there is always one more
# batch without rows, and then one more. `grader.run_once` would never have come back here, and that is why you saw a trigger of a second and
# a `stop()`. (`query.processAllAvailable()` waits for the same, and does not come back either.) Who must have `availableNow`, say once an hour, sets `spark.sql.streaming.noDataMicroBatches.enabled` to `false`: then
# there are only batches with rows, and a timeout waits for the next of those. (The checks use `availableNow`, too. Set a timeout by the clock
# in 09.3, say, and the check tells you so at once.)
#
# ## Exercise 09.5: tills by the clock
#
# A clock that nobody holds is hard to test with. The check holds it: each step has its time, and in it there is exactly one
# batch, with rows. So what comes out is the same every time, to the second.
#
# `signs` has `till` and `battery` (may be null; a sign all the same), and no time. Tell
#
# - `"silent"`: when nothing was heard of a till for **more than thirty seconds** by the clock, in the first batch that can know, once
#   for each silence;
# - `"back"`: when a till that was told to be silent sends again, one row, however many signs the batch has.
#
# A till that sends in the very batch in which it would be told silent is not silent: no row. There are few tills: never forget
# one.
#
# **In:** `signs`. **Out:** `till`, `what`, `told_at` (the clock of the batch, a timestamp), in append mode.
#
# | step | clock | signs |
# | --- | --- | --- |
# | 1 | 12:00:00 | A, B, C |
# | 2 | 12:00:10 | A |
# | 3 | 12:00:30 | D |
# | 4 | 12:00:31 | C, D |
# | 5 | 12:00:41 | D |
# | 6 | 12:00:50 | B, B, B |
# | 7 | 12:01:05 | A, E |
# | 8 | 12:01:20 | E |
# | 9 | 12:01:20.001 | E |
# | 10 | 12:03:00 | A |

# %%
grader.predict("09.5")


# %% nbgrader={"grade": false, "grade_id": "silent_tills", "locked": false, "solution": true}
def silent_tills(signs: DataFrame) -> DataFrame:
    """Tills that fall silent for more than thirty seconds, and that come back: till, what, told_at.

    signs: till STRING, battery INT; without a time.
    """
    ### BEGIN SOLUTION

    def listen(
        key: Any, chunks: Iterator[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        now = moment(state.getCurrentProcessingTimeMs())
        if state.hasTimedOut:
            state.update((True,))
            yield pd.DataFrame({"till": [key[0]], "what": ["silent"], "told_at": [now]})
            return
        if state.exists and state.get[0]:
            yield pd.DataFrame({"till": [key[0]], "what": ["back"], "told_at": [now]})
        state.update((False,))
        state.setTimeoutDuration(30_000)

    return signs.groupBy("till").applyInPandasWithState(
        listen,
        outputStructType="till STRING, what STRING, told_at TIMESTAMP",
        stateStructType="silent BOOLEAN",
        outputMode="append",
        timeoutConf=GroupStateTimeout.ProcessingTimeTimeout,
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-silent_tills", "locked": true, "points": 4, "solution": false}
grader.check("09.5", silent_tills)

# %%
grader.lens("09.5", silent_tills)

# %% [markdown]
# Spark has a second, newer way to keep state of your own, `transformWithState`, with several states in a
# group, lists, maps and timers that you name. It is what lesson 10 is about; the duties stay.
#
# ## What you can now do
#
# - keep state of your own for every group, with a schema, in Python;
# - say why a dictionary or a global is no state;
# - handle a group that comes in pieces and out of order;
# - let go of state with a timeout, and say to the second when it fires;
# - notice that something did not happen, by event time or by the clock, and choose between the two;
# - say why a query with timeouts by the clock never ends by itself;
# - read such a function call by call, and find where it forgets.

# %%
grader.progress()

# %% [markdown]
# Next: **10 Arbitrary state in Python II**.
#
# ---
#
# # Going further
#
# ## Exercise 09.2: crates of fruit, counted for ever
#
# For the average you needed all quotes of a batch at once, as their order mattered. Often it does not, and then it is a
# pity to put the pieces together: a group may be bigger than the memory of its process. Taken piece by piece, no group is too big.
#
# Crates of fruit come into the hall. `crates` has `fruit` (null where nobody wrote it down) and `pieces` (null where
# nobody counted; a crate all the same). Keep for each fruit how many crates and how many pieces there were so far, since the first
# batch. Crates without a name are counted together, under null. Nothing is ever forgotten.
#
# In this exercise the mode is *update*: in each batch, one row for each fruit that had crates in it, with the
# numbers after this batch. The mode is named twice, in `applyInPandasWithState` and on the writer (here the check sets that one), and
# Spark refuses a query in which the two differ. To Spark it makes no difference for such a function: it hands on what you yield. It
# tells those who read the result whether a later row takes the place of an earlier one.
#
# **In:** `crates`. **Out:** `fruit`, `crates`, `pieces` (0 where nothing was counted). The check looks at the rows and at what is
# kept, and any query that has these right will pass; the exercise is meant for a function of your own.

# %%
grader.predict("09.2")


# %% nbgrader={"grade": false, "grade_id": "crate_counts", "locked": false, "solution": true}
def crate_counts(crates: DataFrame) -> DataFrame:
    """Crates and pieces of each fruit so far: fruit, crates, pieces; a row a fruit and batch, updated.

    crates: fruit STRING, pieces INT; both may be null.
    """
    ### BEGIN SOLUTION

    def count(
        key: Any, chunks: Iterator[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        number, pieces = state.get if state.exists else (0, 0)
        for chunk in chunks:
            number += len(chunk)
            pieces += int(chunk["pieces"].sum())
        state.update((number, pieces))
        yield pd.DataFrame({"fruit": [key[0]], "crates": [number], "pieces": [pieces]})

    return crates.groupBy("fruit").applyInPandasWithState(
        count,
        outputStructType="fruit STRING, crates LONG, pieces LONG",
        stateStructType="crates LONG, pieces LONG",
        outputMode="update",
        timeoutConf=GroupStateTimeout.NoTimeout,
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-crate_counts", "locked": true, "points": 3, "solution": false}
grader.check("09.2", crate_counts)

# %%
grader.lens("09.2", crate_counts)

# %% [markdown]
# ## Exercise 09.6: given up to the second
#
# Somebody wants to rewrite the carts, and you want a test that sees if the edges move. The query is that of the beginning:


# %% nbgrader={"grade": false, "grade_id": "given-to_the_second", "locked": true, "solution": false}
def query_of_09_6(things: DataFrame) -> DataFrame:
    return (
        things.withWatermark("time", "1 minute")
        .groupBy("customer")
        .applyInPandasWithState(
            fill_cart,  # as above: a timeout ten minutes after the newest thing of a batch
            outputStructType="customer STRING, total DOUBLE, what STRING",
            stateStructType="total DOUBLE",
            outputMode="append",
            timeoutConf=GroupStateTimeout.EventTimeTimeout,
        )
    )


# %% [markdown]
# Write things of one day, by step, with which
#
# - the watermark stands at **12:10:00** after step 2, and nothing is given up in step 2,
# - the watermark stands at **12:10:01** after step 3, and **one** cart is given up in step 3, with a total of **12**,
# - **one** thing is dropped in step 3,
# - there are no more than four things.
#
# A thing is a dict with `customer`, `price` and `time`; a time such as `"12:00:00"` is enough. Return a list of steps, each a list of
# things.


# %% nbgrader={"grade": false, "grade_id": "to_the_second", "locked": false, "solution": true}
def to_the_second() -> list[list[dict]]:
    """Things by step, so that a cart is given up by the second that was lacking."""
    ### BEGIN SOLUTION
    return [
        [{"customer": "mia", "price": 12.0, "time": "12:00:00"}],
        [{"customer": "noa", "price": 1.0, "time": "12:11:00"}],
        [
            {"customer": "noa", "price": 1.0, "time": "12:11:01"},
            {"customer": "kim", "price": 1.0, "time": "12:09:00"},
        ],
    ]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-to_the_second", "locked": true, "points": 3, "solution": false}
grader.check("09.6", to_the_second)

# %%
grader.lens("09.6", to_the_second)

# %% [markdown]
# ## Exercise 09.7: a state of your own
#
# A function such as `fill_cart` is plain Python. Who has a key, some pieces and a state may call it: no Spark, no topic, and the
# answer is there at once. The state is a `GroupState`, the class whose objects Spark hands over. It is long to write, so these save you typing:


# %% tags=["given"] nbgrader={"grade": false, "grade_id": "given-cart_helpers", "locked": true, "solution": false}
def cart_state(total: float | None = None, timed_out: bool = False) -> GroupState:
    """A cart's state as Spark hands it over: none yet, or with a total; for things, or for a timeout."""
    return GroupState(
        optionalValue=Row(total),
        batchProcessingTimeMs=0,
        eventTimeWatermarkMs=GroupState.NO_TIMESTAMP,
        timeoutConf=GroupStateTimeout.EventTimeTimeout,
        hasTimedOut=timed_out,
        watermarkPresent=True,
        defined=total is not None,
        updated=False,
        removed=False,
        timeoutTimestamp=GroupState.NO_TIMESTAMP,
        keyAsUnsafe=b"",
        valueSchema=StructType(),
    )


def piece(*things: tuple[float, str]) -> pd.DataFrame:
    """A piece of mia's group: a price and a time such as "10:06:00" for each thing."""
    return pd.DataFrame(
        {
            "customer": ["mia" for _ in things],
            "price": [price for price, _ in things],
            "time": pd.to_datetime([f"2026-03-01 {time}" for _, time in things]),
        }
    )


def called(fill: Any, cart: GroupState, *pieces: pd.DataFrame) -> list[tuple[float, str]]:
    """Calls the function for mia, once, and gives total and what of each row that it yields."""
    frames = list(fill(("mia",), iter(pieces), cart))
    return [(row.total, row.what) for frame in frames for row in frame.itertuples()]


def timeout_of(cart: GroupState) -> str | None:
    """The timeout that was set, such as "10:16:00"; None if none was. `json()` is what goes back to Spark."""
    ms = json.loads(cart.json())["timeoutTimestamp"]
    return None if ms == GroupState.NO_TIMESTAMP else f"{moment(ms):%H:%M:%S}"


# %% [markdown]
# Two calls: mia has things for 20 and adds one; and her time is up. For a timeout there is a piece without rows, as with Spark.

# %%
cart = cart_state(total=20.0)
print(called(fill_cart, cart, piece((5.0, "10:06:00"))), cart, timeout_of(cart))

cart = cart_state(total=25.0, timed_out=True)
print(called(fill_cart, cart, piece()), cart, timeout_of(cart))

# %% [markdown]
# Now write a test suite for it: a function that takes `fill`, calls it, and raises an `AssertionError` where it does not keep these promises.
# (Whatever else it raises counts as a failed test, too.)
# The promises:
#
# - a call with things yields one row, `"filled"`, with the total of all things so far, keeps that total, and sets a timeout ten minutes
#   after the newest thing of this call;
# - what was there before comes from the state and from nowhere else;
# - a call for a timeout yields one row, `"given up"`, with the total, and removes the state.
#
# The check calls your suite nine times: with the right function, on which it must pass, and with eight that have one bug each. A suite catches a
# bug if it fails on it. To begin with:
#
#     cart = cart_state()
#     assert called(fill, cart, piece((12.5, "10:00:00"), (7.5, "10:01:00"))) == [(20.0, "filled")]
#
# How many of the eight do these two lines catch? Check them, and see.


# %% nbgrader={"grade": false, "grade_id": "cart_tests", "locked": false, "solution": true}
def cart_tests(fill: Any) -> None:
    """Raises an AssertionError where a function does not fill carts as promised."""
    ### BEGIN SOLUTION
    cart = cart_state()
    assert called(fill, cart, piece((12.5, "10:00:00"), (7.5, "10:01:00"))) == [(20.0, "filled")]
    assert cart.get == (20.0,)
    assert timeout_of(cart) == "10:11:00"

    cart = cart_state(total=80.0)
    pieces = piece((1.0, "10:05:00"), (2.0, "10:06:00")), piece((3.0, "10:04:00"))
    assert called(fill, cart, *pieces) == [(86.0, "filled")], "pieces, and a total from the state"
    assert cart.get == (86.0,), "kept at every call"
    assert timeout_of(cart) == "10:16:00", "ten minutes after the newest, set at every call"

    cart = cart_state(total=86.0, timed_out=True)
    assert called(fill, cart, piece()) == [(86.0, "given up")]
    assert not cart.exists, "removed when given up"
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-cart_tests", "locked": true, "points": 4, "solution": false}
grader.check("09.7", cart_tests)

# %% [markdown]
# A suite like this runs in a moment and looks at one call. That Spark calls the function at the right time, with the right rows, it cannot
# see: for that there is the check, and a query of your own.

# %%
grader.progress()
