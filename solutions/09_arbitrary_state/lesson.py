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
# Counts, sums, windows, sessions: for these Spark knows which state to keep and when to evict it. Sooner or later a query
# needs something else. The shop buys coffee and cocoa with options, and their prices jump. The buyers want a *smoothed*
# price: every new quote counts a little, and old quotes fade. No built-in aggregation computes it, because each result
# needs the previous result.
#
# For such cases you write a Python function, and Spark keeps a state for each group. You have all the freedom and all the
# duties: what to keep, in which order to calculate, and when to evict.
#
# **Objectives** · In this lesson you
#
# - keep state for each group with `applyInPandasWithState` (Spark 3.4+);
# - evict state with a timeout;
# - say to the second when an event-time timeout fires;
# - detect that a sensor or a cash register has fallen silent, by event time and by processing time;
# - repair a function that loses its state.
#
# **Prerequisites** · Lessons 02 (state), 03 (watermarks) and 05 (`grader.run_once`); a little pandas.
#
# **Time** · Engineer: 120 minutes. Student: 205 minutes. All times in the lesson are UTC.
#
# **Fast path** · 25 minutes: run all cells, read *Shopping carts* and *When does an event-time timeout fire?*, and do
# exercise 09.3.
#
# The core exercises are 09.1, 09.3, 09.4 and 09.5, in this order. *Going further* has three more: 09.2 (12 minutes), 09.6
# (10) and 09.7 (25). No later lesson needs them.

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
# ## Shopping carts: a first `applyInPandasWithState`
#
# Customers put items into carts. For each customer we keep the total. When a customer adds nothing for ten minutes, we
# report the cart as given up and evict it. This is the whole function:


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
# Read it slowly, because everything in this lesson is in it.
#
# - **`key`** is a tuple of the columns that we group by. Here it has one column, so `(customer,) = key`.
# - **Calls.** Spark calls the function once for each customer that has rows in a batch, and once for each customer whose
#   timeout has passed. In the second case there are no rows, only the state.
# - **`chunks`** is an iterator of DataFrames, because a large group arrives in several chunks. For a timeout, `chunks` is a
#   list with one DataFrame without rows. `for chunk in chunks` works in both cases; `next(chunks)` fails with the list.
# - **State.** `cart.get` reads a tuple and `cart.update` writes it, with a schema that we declare. Nothing else lasts until
#   the next call. A global variable would live in one worker process and disappear with it.
# - **Timeout.** We set it on *every* call that keeps the state, in milliseconds since 1970. A call that updates the state
#   without setting a timeout clears the earlier one.
# - **Output.** The function yields as many DataFrames as it likes, or none. Spark matches their columns by name.
#
# Our timeout counts from the newest item of *this batch*. An item that arrives out of order in a later batch moves the
# timeout back. That is fine for carts. If it is not fine for you, keep the newest time in the state.

# %% [markdown]
# Two limits of the state schema:
#
# - A column of the state can be a number, string, boolean, timestamp or a `STRUCT` of these. Spark refuses an `ARRAY` with
#   `KeyError: 'elementType'` and a `MAP` with `KeyError: 'keyType'`.
# - Types must match. A `3.0` in a `LONG` column or a `3` in a `DOUBLE` column is silently stored as `None`.
#
# A query passes the function to Spark, with a schema for the output rows and a schema for the state:


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
# Put three items into two carts. As in lesson 05, `grader.read_topic` reads a topic and `grader.run_once` runs a query on
# what is there.

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
# Two calls, two rows. Five minutes later mia adds an item and noa does nothing. Then oki adds an item, and time moves on.

# %%
kafka.send(carts_topic, [{"customer": "mia", "price": 5.0, "time": "2026-03-01T10:06:00Z"}])
grader.run_once(news, news_topic, checkpoint)
kafka.send(carts_topic, [{"customer": "oki", "price": 3.0, "time": "2026-03-01T10:12:00Z"}])
grader.run_once(news, news_topic, checkpoint)
kafka.read(news_topic)

# %% [markdown]
# Noa's cart was given up: the watermark of 10:11:00 had passed her timeout of 10:10:30. Mia's cart was not, because her
# second visit had set a new timeout. Event-time timeouts follow the watermark. As long as no newer event arrives, no
# timeout fires. The other kind, `ProcessingTimeTimeout`, follows the clock.
#
# Here is the run as a picture, with two more steps. A bar is the state of a customer after the step. It begins at the
# newest item of the customer and ends with a flag at the timeout. When the watermark, the thick vertical line, has passed a
# flag, the bar disappears: noa's bar in step 3. The cross in step 4 is an item of noa's that is older than the watermark.
# Spark drops the item and does not call the function.
#
# ![Items put into carts in five steps. The watermark is a minute behind the newest item. Each cart has a bar from its newest item to its timeout. Step 1: mia and noa filled. Step 2: mia filled, her bar moved to the right. Step 3: oki filled, noa given up, her bar gone. Step 4: mia filled, a late item of noa's crossed out. Step 5: pia filled, mia and oki given up.](09.0.svg)

# %% [markdown]
# ## State lasts, a dictionary does not
#
# "Nothing else lasts until the next call." Is that so? Python has dictionaries, and the next function counts crates of fruit
# without any state. First, two crates of apples and one of mangos arrive. Then a third crate of apples arrives. The query
# uses `NoTimeout`, so Spark calls the function for rows only.
#
# **Predict which rows the topic holds at the end, and what `counts` holds.** Then run the cell.

# %%
counts: dict[str, int] = {}


def count_in_a_dict(
    key: tuple[str], chunks: Iterator[pd.DataFrame], state: GroupState
) -> Iterator[pd.DataFrame]:
    (fruit,) = key
    counts[fruit] = counts.get(fruit, 0) + sum(len(chunk) for chunk in chunks)
    yield pd.DataFrame({"fruit": [fruit], "count": [counts[fruit]]})


def with_function(crates: DataFrame, function: Any, result: str) -> DataFrame:
    """Crates by fruit, with a function that keeps no state."""
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
# Two apples, one mango, and then *one* apple. And the dictionary in your notebook is empty. When the query was built, Spark
# serialized the function, with the dictionary as it was then. Each batch deserializes it in a Python worker. On a cluster
# that worker runs on any executor. What the worker writes to its own dictionary is discarded with it.
#
# The same holds for other globals of your notebook and for attributes of objects. Variables of an imported module can
# survive in a worker that Spark reuses. That is worse: sometimes they are there.
#
# Within a batch, the worker's dictionary does last, for all groups of the same partition. So in a small test with one batch,
# a dictionary works.
#
# ## The rows of a micro-batch arrive in chunks
#
# The rows of a group come as an iterator of DataFrames. A setting limits how many rows a chunk has; the default is 10,000.
# We set it to 2, and let a function show what is in its chunks:


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
# Five crates of apples in several chunks, in one call. Look at the missing number, too. It became `nan`, "not a
# number", and the other numbers of its chunk became floats.
#
# If an integer is missing, pandas stores the whole column as floats. The sum is a float as well. Convert it with `int(…)`
# before you write it to a `LONG`.
#
# A function that takes the first chunk for the whole group loses rows, and on a quiet day you do not notice. Spark sends rows
# to Python in the format of Apache Arrow. An *Arrow batch* has at most 10,000 rows, and several groups share it. A group is
# split whenever an Arrow batch is full, however small the group is. Therefore the checks of this lesson use Arrow batches of
# two rows.
#
# ## Timeouts and timestamps in milliseconds
#
# A timeout is a number, milliseconds since 1970, and a state can hold a timestamp in the same form. Two functions convert:


# %% tags=["given"]
def milliseconds(time: pd.Timestamp) -> int:
    """Milliseconds since 1970. The time has no zone, as in pandas; it is UTC, the zone of the session."""
    return round(time.timestamp() * 1000)


def moment(ms: int) -> pd.Timestamp:
    """The time, without a zone as in pandas, of these milliseconds since 1970."""
    return pd.Timestamp(ms, unit="ms")


# %% [markdown]
# No time in this lesson has more digits than milliseconds, so nothing is lost. These functions need a session whose time zone
# is UTC. With another time zone, pandas would get the local clock time, and `.timestamp()` would still take it for UTC. In
# that case let Spark convert, with `F.unix_millis("time")` before the `groupBy`.

# %% [markdown]
# ## Exercise 09.1: Keep a moving average
#
# The buyers want a smoothed price for each option. Write `moving_average(quotes)`.
#
# **Input** · `quotes`: `option STRING`, `price DOUBLE`, `quote_time TIMESTAMP`, at most 1 minute late. No column is null.
#
# **Output** · one row per quote: `option`, `quote_time`, `average DOUBLE`, the average after this quote; append mode.
#
# **Rules**
# 1. The first price of an option is its average. After that, the new average is 0.25 × the price + 0.75 × the previous
#    average.
# 2. Within a batch, quotes count in the order of `quote_time`, not in the order of arrival.
# 3. A price of 0 is a price, and an average of 0 is an average.
# 4. Keep the average as a `DOUBLE` in the state, too; a `FLOAT` is too coarse.
# 5. The *last batch* of an option is the most recent one with a quote of it. Evict the option when the watermark is **more
#    than 30 minutes** after the newest quote of its last batch. Exactly 30 minutes is not enough. Its next price starts a new
#    average.
# 6. A quote of an earlier batch does not count for rule 5, even if it is newer. So the state needs only the average.
# 7. Drop a quote that is not newer than the watermark; the delay is 1 minute.

# %% [markdown]
# **You can assume** · Quotes of one option with the same time in the same batch have the same price. Each of them counts and
# has its own row.
#
# **Checked** · the rows, the step of each row, the watermark, dropped rows, the number of options in the state, and a restart
# after a kill.

# %% [markdown]
# On paper: prices of 100, 104 and 108 give 100, 101 and 102.75.
#
# **Sample** · the quotes of the check, with prices in parentheses:
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
# Predict first: how many averages does the query keep at the end of step 4?

# %%
grader.predict("09.1")


# %% nbgrader={"grade": false, "grade_id": "moving_average", "locked": false, "solution": true}
def moving_average(quotes: DataFrame) -> DataFrame:
    """The moving average of every option after each of its quotes.

    quotes: option STRING, price DOUBLE, quote_time TIMESTAMP; up to 1 minute late.
    Returns option, quote_time, average; append mode, 1 row per quote.
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
# If you are stuck, `grader.hint("09.1")` has four levels this time. The lens, `grader.lens`, shows step by step what the
# state of your function did:

# %%
grader.lens("09.1", moving_average)

# %% [markdown]
# The check also kills your query between its output and its commit, and restarts it. If everything is in the state, the
# restarted query continues from the last commit. That is worth more than it looks: it is why Spark manages the state, and
# why a dictionary is not enough.

# %% [markdown]
# ## When does an event-time timeout fire?
#
# For the average, the timeout only cleaned up. It can also be the whole point: to detect that something did *not* happen.
# For that you need the rules to the second.
#
# **Which calls you get**
#
# - `EventTimeTimeout` needs a watermark before the `groupBy`. Spark then drops rows that are not newer than the watermark of
#   the previous batch, and the function never sees them. With another `timeoutConf` Spark drops nothing, watermark or not.
# - In a batch, Spark calls the function **first for groups with rows, then for groups whose timeout has passed**. By then, a
#   group that had rows has the timeout that its call left: a new one or none. If the call neither updated nor removed the
#   state nor set a timeout, the old one is left.
# - `state.hasTimedOut` tells the two kinds of call apart. A timeout call gets one DataFrame without rows.
#
# **When it fires**
#
# - A timeout has **passed when the watermark is greater**. Reached is not passed.
# - If a call updates the state without setting a timeout, **any earlier timeout is cleared**. This is the rule in Python; in
#   Scala every call clears the timeout.
# - A timeout **removes nothing**. It calls you, and you call `state.remove()`. If you neither remove nor update, the state
#   and the timeout stay. Spark then calls you for the same timeout in every batch.

# %% [markdown]
# **In a query that runs continuously**
#
# Spark refuses a timeout that is earlier than the watermark, with an error, because it would fire at once. This can happen
# with a row that was not dropped. Spark drops rows by the watermark of the *previous* batch. But it compares a timeout with
# the watermark of *this* batch, which `state.getCurrentWatermarkMs()` returns. Set the timeout to that watermark if the time
# that you want is earlier. In our steps Spark runs a no-data batch in between, so both watermarks are equal.
#
# Back to the carts. Mia's cart was last filled at 10:06:00, so its timeout is 10:16:00. Then noa adds items at 10:16:00, at
# 10:17:00 and at 10:17:01. **Predict which of the three makes Spark give up mia's cart.** Then run the cell.

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
# The item of 10:17:01. One second earlier the watermark was 10:16:00, which is the timeout itself.

# %% [markdown]
# ## Exercise 09.3: Detect a silent sensor
#
# Each cold room has a sensor that sends the temperature. A broken cooler is noticed by its warmth, a broken sensor by nothing
# at all. Write `silent_sensors(readings)`.
#
# **Input** · `readings`: `sensor STRING`, `celsius DOUBLE`, `measured_at TIMESTAMP`, at most 1 minute late. Only `celsius` can
# be null.
#
# **Output** · one alert per silence: `sensor`, `last_seen TIMESTAMP` (the time of the newest reading), `readings BIGINT`;
# append mode.
#
# **Rules**
# 1. Emit an alert when the watermark is **more than 5 minutes** after the newest reading of a sensor; exactly 5 minutes is not
#    enough.
# 2. The newest reading is the one with the latest `measured_at` of all batches so far. A reading that arrives out of order
#    does not move the time back.
# 3. A silence gives one alert. After it, evict the sensor; its next reading starts from scratch.
# 4. A reading that arrives before the alert prevents it, even if the reading's own time is more than 5 minutes after the
#    previous reading.
# 5. `readings` counts every reading since the sensor was first seen or came back. This includes readings of the same time
#    and readings whose `celsius` is null.
# 6. Drop a reading that is not newer than the watermark; the delay is 1 minute.
#
# **Checked** · the rows, the step of each row, the watermark, dropped rows, the number of sensors in the state, and a restart
# after a kill.

# %% [markdown]
# **Sample** · the readings of the check:
#
# | step | readings |
# | --- | --- |
# | 1 | north 12:00:10, 12:02:10, 12:01:10 (null); south 12:00:30, 12:01:30; cellar 12:01:40 |
# | 2 | north 12:01:11, 12:01:10; south 12:04:00 |
# | 3 | east 12:07:30, 12:07:30 |
# | 4 | east 12:08:10 |
# | 5 | east 12:08:10.001 |
# | 6 | north 12:08:40, 12:08:00; south 12:09:30 (null) |
# | 7 | east 12:20:00 |
# | 8 | west 14:00:00 |

# %%
grader.predict("09.3")


# %% nbgrader={"grade": false, "grade_id": "silent_sensors", "locked": false, "solution": true}
def silent_sensors(readings: DataFrame) -> DataFrame:
    """Sensors without a reading for five minutes of event time: sensor, last_seen, readings.

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
# Which sensor advances the watermark here? Only east, from step 3 to step 5. If east had been silent as well, Spark would
# have emitted no alert until some sensor sent again.

# %% [markdown]
# ## Exercise 09.4: Repair a function that loses its state
#
# The shop tracks its parcels and wants to know how each delivery ends. Below is a query that does it wrong. Write
# `parcel_news(scans)`, the repaired query.
#
# **Input** · `scans`: `parcel STRING`, `place STRING`, `scanned_at TIMESTAMP`, at most 10 minutes late. Only `place` can be
# null.
#
# **Output** · one row per delivery: `parcel`, `news STRING`, `scans BIGINT`, `first_scan TIMESTAMP`; append mode.
#
# **Rules**
# 1. `news` is `"delivered"` in the batch that contains a scan of the parcel at exactly `"door"`, whatever else the batch
#    contains of the parcel.
# 2. `news` is `"lost"` when the watermark is **more than 2 hours** after the newest scan of all batches so far. Exactly 2 hours
#    is not enough.
# 3. Each delivery ends once. Evict the parcel then. A scan in a later batch starts a new delivery, whatever its place. At
#    `"door"` rule 1 ends the new one, too.
# 4. `scans` is the number of scans in this delivery, including every scan in the final batch. A scan without a place counts,
#    and two scans of the same time are two.
# 5. `first_scan` is the earliest time of all scans in this delivery.
#
# **You can assume** · The watermark and the output columns of the broken query are right.
#
# **Checked** · the rows, the step of each row, the watermark, dropped rows, the number of parcels in the state, and a restart
# after a kill.
#
# In a test with three parcels everything was right. In the warehouse it is not.

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
# **Sample** · the scans of the check:
#
# | step | scans |
# | --- | --- |
# | 1 | p1 08:00:00, 08:20:00; p2 08:19:00, 08:05:00, 08:06:00; p3 08:14:00; p4 08:12:00 |
# | 2 | p1 09:00:00; p3 08:11:00; p2 09:05:00 (place null), 08:49:00 |
# | 3 | p1 09:10:00, 09:29:00 (place null), 09:30:00 (door); p2 08:50:00; p5 09:31:00, 09:40:00 (door) |
# | 4 | p6 10:22:00; p8 10:05:00 (door), 10:06:00 (door), 10:15:00, 10:02:00, in this order |
# | 5 | p6 10:22:00.001 (doorway) |
# | 6 | p4 10:30:00; p1 10:55:00; p6 11:00:00, 11:00:00 |
# | 7 | p6 11:20:00 (door) |
# | 8 | p7 15:00:00 |
#
# Follow p1 from call to call: what does the function remember after step 1, after step 2, after step 3? Then follow p3 and
# p4. There are six faults, and a repair of one fault uncovers the next.

# %%
grader.predict("09.4")


# %% nbgrader={"grade": false, "grade_id": "parcel_news", "locked": false, "solution": true}
def parcel_news(scans: DataFrame) -> DataFrame:
    """The end of each delivery: parcel, news, scans, first_scan.

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
# ## Processing-time timeouts: silence by the clock
#
# Some silences must be noticed while no event arrives at all. At a cash register that does not answer, no customer can pay,
# *now*. For this there is the other kind of timeout. Here is a register that sends one sign and then no more. No other
# register sends anything.


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
    stateStructType="signs LONG",  # how many arrived last; not used here
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
    while sum(batch.sink.numOutputRows for batch in query.recentProgress) < 2:
        query.awaitTermination(1)  # wait a second; raises at once if the query fails
finally:
    query.stop()
for batch in query.recentProgress:
    print(f"{batch['timestamp'][11:23]} batch {batch['batchId']}: rows in {batch['numInputRows']}")
kafka.read(till_topic)

# %% [markdown]
# One batch with a row, and then no-data batches, one per second, until the two seconds had passed. The two kinds of timeout
# differ:
#
# | | event time | processing time |
# | --- | --- | --- |
# | `timeoutConf` | `EventTimeTimeout` | `ProcessingTimeTimeout` |
# | you set | a time: `setTimeoutTimestamp(…)`, ms since 1970 | a duration: `setTimeoutDuration(…)`, ms from the clock of this batch |
# | needs | a watermark, so a time in every event | nothing |
# | has passed when | the watermark is greater | a batch starts and its clock is greater |
# | late rows | dropped before the function | not dropped, even after a watermark |
# | while no event arrives | nothing happens | no-data batches look at the clock |
# | replay of the same day | same rows, if the batches are the same | other rows |
#
# If a replay splits the batches differently, event time can emit other rows, too. A sensor whose next reading arrives in the
# same batch was never silent for the function.
#
# Spark reads the clock **once per batch**, when it plans the batch. `state.getCurrentProcessingTimeMs()` returns it. A timeout
# fires in the first batch whose clock has passed it, so with a trigger of 1 minute, two seconds can take a minute.

# %% [markdown]
# **Such a query does not end under `availableNow`.** That trigger stops when another batch would change nothing. By event
# time Spark can decide that: the watermark has not advanced, so no timeout can have passed. The clock *always* advances, so
# there is always one more no-data batch.
#
# `grader.run_once` would never have returned here. That is why the cell used a trigger of one second and `stop()`.
# `query.processAllAvailable()` does not return either. If you need `availableNow`, for example once an hour, set
# `spark.sql.streaming.noDataMicroBatches.enabled` to `false`. Then Spark runs only batches with rows, and a timeout waits for
# the next of them.
#
# The checks use `availableNow`, too. If you set a processing-time timeout in 09.3, for example, the check says so at once.

# %% [markdown]
# ## Exercise 09.5: Detect silent cash registers by the clock
#
# A query that depends on the clock is hard to test. Here the check sets the clock: each step has a time, and in it exactly
# one batch, with rows. So the output is the same in every run, to the second. Write `silent_tills(signs)`.
#
# **Input** · `signs`: `till STRING`, `battery INT`, and no time. `till` names the cash register. Only `battery` can be null.
#
# **Output** · one row per change: `till`, `what STRING`, `told_at TIMESTAMP` (the clock of the batch); append mode.
#
# **Rules**
# 1. `what` is `"silent"` when a register has sent nothing for **more than 30 seconds** by the clock. Emit it in the first
#    batch whose clock is that late.
# 2. A silence gives one `"silent"` row.
# 3. Emit nothing if the register sends in that very batch. Then it is not silent, however long it sent nothing before.
# 4. `what` is `"back"` when a register that was reported silent sends again. Emit one row, however many signs the batch
#    contains.
# 5. A sign whose `battery` is null is a sign.
# 6. Never evict a register; there are few.
#
# **Checked** · the rows, the step of each row, and the number of registers in the state.

# %% [markdown]
# **Sample** · the signs of the check:
#
# | step | clock | signs |
# | --- | --- | --- |
# | 1 | 12:00:00 | A, B, C |
# | 2 | 12:00:10 | A (battery null) |
# | 3 | 12:00:30 | D |
# | 4 | 12:00:31 | C, D |
# | 5 | 12:00:41 | D |
# | 6 | 12:00:50 | B, B, B |
# | 7 | 12:01:05 | A (battery null), E |
# | 8 | 12:01:20 | E |
# | 9 | 12:01:20.001 | E |
# | 10 | 12:03:00 | A |
# | 11 | 13:30:00 | A |
# | 12 | 13:30:10 | C |

# %%
grader.predict("09.5")


# %% nbgrader={"grade": false, "grade_id": "silent_tills", "locked": false, "solution": true}
def silent_tills(signs: DataFrame) -> DataFrame:
    """Registers that are silent for more than 30 seconds, and that come back: till, what, told_at.

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
# ## Recap: the facts
#
# - `applyInPandasWithState` calls your function once for each group with rows in a batch, then once for each group whose
#   timeout has passed.
# - Only the state survives until the next call. Dictionaries, globals and attributes do not.
# - The rows of a group come in several DataFrames and in no promised order.
# - A timeout has passed when the watermark or the clock is *greater*. Reached is not passed.
# - If a call updates the state without setting a timeout, any earlier timeout is cleared. A timeout removes nothing.
# - Event-time timeouts follow the watermark: when events stop, time stops, and no timeout fires.
# - Processing-time timeouts fire without events. Their results differ in a replay, and the query never ends under
#   `availableNow`.
#
# | the call has | `hasTimedOut` | your duties |
# | --- | --- | --- |
# | rows | `False` | read all chunks, sort if order matters, `update`, set a timeout |
# | no rows | `True` | emit what is due, then `remove()` or `update()` |

# %% [markdown]
# ## What you can now do
#
# - keep state for each group, with a schema, in Python;
# - say why a dictionary or a global is no state;
# - handle a group that arrives in chunks and out of order;
# - evict state with a timeout, and say to the second when the timeout fires;
# - detect that something did not happen, by event time or by processing time, and choose between the two;
# - say why a query with processing-time timeouts never ends by itself;
# - read such a function call by call, and find where it loses its state.
#
# ## Read more
#
# - [Structured Streaming guide: arbitrary stateful operations](https://spark.apache.org/docs/latest/streaming/apis-on-dataframes-and-datasets.html#arbitrary-stateful-operations)
# - [API: `applyInPandasWithState`](https://spark.apache.org/docs/latest/api/python/reference/pyspark.sql/api/pyspark.sql.GroupedData.applyInPandasWithState.html)
# - [Arrow in PySpark: batch size and types](https://spark.apache.org/docs/latest/api/python/tutorial/sql/arrow_pandas.html)
# - [SPARK-40434: `applyInPandasWithState` in PySpark](https://issues.apache.org/jira/browse/SPARK-40434)
#
# Spark has a second, newer way to keep your own state: `transformWithState` (Spark 4.1+). It has several states in a group,
# lists, maps and timers. Lesson 10 is about it. The duties stay.

# %%
grader.progress()

# %% [markdown]
# Next: **10 Arbitrary state in Python II**.
#
# ---
#
# # Going further

# %% [markdown]
# ## Exercise 09.2: Count crates chunk by chunk
#
# For the average you needed all quotes of a batch at once, because their order mattered. Often the order does not matter, and
# you can process one chunk after the other. Then a group can be larger than the memory of its Python worker. Crates of fruit
# arrive in the warehouse. Write `crate_counts(crates)`.
#
# **Input** · `crates`: `fruit STRING`, `pieces INT`. Both can be null.
#
# **Output** · in each batch, one row for each fruit that has crates in the batch: `fruit`, `crates BIGINT`, `pieces BIGINT`,
# the totals after the batch; **update** mode.
#
# **Rules**
# 1. The totals count all crates since the first batch. Never evict a fruit.
# 2. Every crate of a batch counts, whichever chunk it is in.
# 3. A fruit has one row per batch, not one per chunk.
# 4. A crate whose `pieces` is null is a crate with 0 pieces.
# 5. Crates whose `fruit` is null are counted together, under null.
#
# **Checked** · the rows, the step of each row, the number of fruits in the state, and a restart after a kill. Any query with
# these results passes, but write a function of your own.
#
# You name the output mode twice: in `applyInPandasWithState` and on the writer, which the check sets here. Spark refuses a
# query in which the two differ. For such a function the mode changes nothing: Spark emits what you yield. The mode tells
# readers of the result whether a later row replaces an earlier one.

# %%
grader.predict("09.2")


# %% nbgrader={"grade": false, "grade_id": "crate_counts", "locked": false, "solution": true}
def crate_counts(crates: DataFrame) -> DataFrame:
    """Totals of each fruit so far: fruit, crates, pieces; update mode, 1 row per fruit and batch.

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
# ## Exercise 09.6: Test a timeout to the second
#
# A colleague wants to rewrite the carts, and you need a test that notices when a limit moves by a second. Write
# `to_the_second()`.
#
# **Input** · none. The events that you return are sent to the query below, which is the one from the beginning.
#
# **Output** · a list of three steps. Each step is a list of items, and an item is a dict with `customer`, `price` and `time`.
# A time such as `"12:00:00"` is enough.
#
# **Rules**
# 1. The watermark is **12:10:00** after step 2.
# 2. No cart is given up in step 2.
# 3. The watermark is **12:10:01** after step 3.
# 4. Exactly one cart is given up in step 3.
# 5. The cart that is given up in step 3 has a total of **12**.
# 6. Exactly one item is dropped in step 3.
# 7. There are at most four items.
#
# **Checked** · each rule, on a run of the query with your items. Rules 1 to 5 earn together, and so do rules 6 and 7.


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


# %% nbgrader={"grade": false, "grade_id": "to_the_second", "locked": false, "solution": true}
def to_the_second() -> list[list[dict]]:
    """Items by step: a timeout that is reached in step 2 and passed in step 3."""
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
# ## Exercise 09.7: Test a stateful function without Spark
#
# A function such as `fill_cart` is plain Python. You can call it without Spark. Write `cart_tests(fill)`, a test suite for such a function.
#
# **Input** · `fill`: a function like `fill_cart`, right or with one planted bug.
#
# **Output** · nothing. The suite raises an `AssertionError` if `fill` breaks a promise. Other exceptions count as well.
#
# **Rules**
# 1. The suite passes with the right function.
#
# It fails if `fill` breaks one of these promises:
#
# 2. A call with items yields one row, `"filled"`, with the total of all items so far, whichever chunk they are in.
# 3. The previous total comes from the state and from nowhere else.
# 4. A call with items writes the new total to the state.
# 5. A call with items sets a timeout 10 minutes after the newest item of this call.
# 6. A timeout call yields one row, `"given up"`, with the total.
# 7. A timeout call removes the state.
#
# **Checked** · your suite runs ten times: on the right function, and on nine functions with one bug each. It catches a bug if
# it fails. Points: half for all bugs against rules 2 to 4, half for all bugs against rules 5 to 7. A
# suite that fails with the right function earns nothing.

# %% [markdown]
# The state is a `GroupState`, the class that Spark itself passes to your function. It takes many arguments, so these helpers
# save you typing:


# %% tags=["given"] nbgrader={"grade": false, "grade_id": "given-cart_helpers", "locked": true, "solution": false}
def cart_state(total: float | None = None, timed_out: bool = False) -> GroupState:
    """A cart's state as Spark passes it: empty, or with a total; for a call with items, or for a timeout."""
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
    """A chunk of mia's group: a price and a time such as "10:06:00" for each item."""
    return pd.DataFrame(
        {
            "customer": ["mia" for _ in things],
            "price": [price for price, _ in things],
            "time": pd.to_datetime([f"2026-03-01 {time}" for _, time in things]),
        }
    )


def called(fill: Any, cart: GroupState, *pieces: pd.DataFrame) -> list[tuple[float, str]]:
    """Calls the function once, for mia, and returns total and what of each row that it yields."""
    frames = list(fill(("mia",), iter(pieces), cart))
    return [(row.total, row.what) for frame in frames for row in frame.itertuples()]


def timeout_of(cart: GroupState) -> str | None:
    """The timeout that was set, such as "10:16:00", or None. `json()` is what Spark gets back."""
    ms = json.loads(cart.json())["timeoutTimestamp"]
    return None if ms == GroupState.NO_TIMESTAMP else f"{moment(ms):%H:%M:%S}"


# %% [markdown]
# Two calls: mia has items for 20 and adds one; and mia's timeout has passed. For a timeout there is a chunk without rows, as
# in Spark.

# %%
cart = cart_state(total=20.0)
print(called(fill_cart, cart, piece((5.0, "10:06:00"))), cart, timeout_of(cart))

cart = cart_state(total=25.0, timed_out=True)
print(called(fill_cart, cart, piece()), cart, timeout_of(cart))

# %% [markdown]
# To begin with:
#
#     cart = cart_state()
#     assert called(fill, cart, piece((12.5, "10:00:00"), (7.5, "10:01:00"))) == [(20.0, "filled")]
#
# How many of the nine bugs do these two lines catch? Predict, then check them.


# %% nbgrader={"grade": false, "grade_id": "cart_tests", "locked": false, "solution": true}
def cart_tests(fill: Any) -> None:
    """Raises an AssertionError if a function breaks a promise about carts."""
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
# Such a suite runs in milliseconds and looks at one call. It cannot see whether Spark calls the function at the right time,
# with the right rows. For that there is the check, and a query of your own.

# %%
grader.progress()
