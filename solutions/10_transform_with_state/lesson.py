# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 10 · Arbitrary state in Python II
#
# The shop sends parcels. Each is scanned in the hall, in the van and at the door. The service desk has two questions. Which
# way did a delivered parcel take? And which parcel has not been scanned for ten minutes? That one is probably lying in a
# corner.
#
# With `applyInPandasWithState` of lesson 09 a group has *one* tuple of state and *one* timeout. A list of places would have to
# fit into the tuple, and every scan would write all of it. `transformWithState` (Spark 4.1+) is newer. A group has as many
# **state variables** as you name, and as many **timers** as you register. The price: you write a class, and nothing is
# evicted unless your class does it.
#
# **Objectives** · In this lesson you
#
# - keep a map for every group, and rank what is in it;
# - register, move and delete a timer, and make it fire once;
# - start a query from an initial state;
# - write unit tests that need no stream, and catch eight planted bugs;
# - repair a processor with three faults.
#
# **Prerequisites** · Lessons 02 (state), 03 (watermarks) and 09 (functions with state).
#
# **Time** · Engineer: 135 minutes. Student: 230 minutes.
#
# **Fast path** · 25 minutes: run all cells, read *A stateful processor* and its picture, and do exercise 10.1.
#
# Two exercises at the end go further: state with a time to live (10.6), and state that is read from outside (10.7).

# %% tags=["given"]
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import grader
import pandas as pd
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# One setting first. Several variables for each key need the RocksDB state store; the default HDFS-backed state store cannot
# keep them apart. Lesson 11 is about RocksDB. Without this setting Spark refuses the query with
# `STORE_BACKEND_NOT_SUPPORTED_FOR_TWS`. In the exercises the check sets it.

# %%
spark.conf.set(
    "spark.sql.streaming.stateStore.providerClass",
    "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
)
spark.conf.set("spark.sql.shuffle.partitions", "2")  # few state stores, because there are few keys

# %% [markdown]
# ## A stateful processor
#
# The class is a `StatefulProcessor`. You pass an object of it. In every batch, Spark sends a copy of the object to a Python
# worker for each partition, and calls its methods:
#
# | method | is called | may emit rows |
# | --- | --- | --- |
# | `init(handle)` | first, in every batch | no |
# | `handleInputRows(key, rows, timerValues)` | for each key with rows in this batch | yes |
# | `handleExpiredTimer(key, timerValues, expiredTimerInfo)` | after all rows of the batch, for each expired timer that was not deleted | yes |
# | `handleInitialState(key, initialState, timerValues)` | only in the first batch, for each row of an initial state | no |
# | `close()` | last, in every batch; optional | no |
#
# - Keep the names of the parameters. Spark passes those of `handleExpiredTimer` by name.
# - When a query starts, Spark also calls `init` and `close` on the driver, before any row arrives. So it learns which
#   variables there are.
# - An *initial state* is a table to start from; exercise 10.3 uses one. A `handleInitialState` that contains a `yield` is not
#   run at all.

# %% [markdown]
# ### State variables: value, list, map
#
# The `handle` gives access to the state store. In `init` you declare variables, each with a name and a schema:
#
# | variable | declared with | read | write |
# | --- | --- | --- | --- |
# | value state | `getValueState(name, schema)` | `get()`, `exists()` | `update(tuple)` |
# | list state | `getListState(name, schema)` | `get()`, an iterator | `appendValue`, `appendList`, `put` (replaces all) |
# | map state | `getMapState(name, key schema, value schema)` | `getValue(key)`, `iterator()` of pairs of key and value | `updateValue(key, value)`, `removeKey(key)` |
#
# All of them have `clear()`, and all of them hold **tuples**, even for a single field. If there is nothing, `get()` of a value
# and `getValue()` of a map return `None`. `get()` of a list then returns an empty iterator.
#
# You declare a state variable once, but Spark scopes it to the current key. In the class below, `self.places` means *this
# parcel's* places. That is the difference from an ordinary attribute. What you put on `self` yourself is shared by all keys
# that the object works on, and is lost at the end of the batch.
#
# Here is the parcel watch, with a list, a value and a timer:

# %% tags=["example"]
TEN_MINUTES = 10 * 60 * 1000  # timers are set in milliseconds


class ParcelWatch(StatefulProcessor):
    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.places = handle.getListState("places", "place STRING")
        self.timer = handle.getValueState("timer", "ms LONG")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        scans = sorted(rows, key=lambda scan: scan.time)
        self.places.appendList([(scan.place,) for scan in scans])
        (old,) = self.timer.get() or (0,)
        if old:
            self.handle.deleteTimer(old)
        if scans[-1].place == "door":
            yield self.last_news(key, "delivered")
        else:
            new = int(scans[-1].time.timestamp() * 1000) + TEN_MINUTES
            self.handle.registerTimer(new)
            self.timer.update((new,))

    def handleExpiredTimer(
        self, key: Any, timerValues: Any, expiredTimerInfo: Any
    ) -> Iterator[Row]:
        yield self.last_news(key, "lost")

    def last_news(self, key: Any, news: str) -> Row:
        route = " > ".join(place for (place,) in self.places.get())
        self.places.clear()
        self.timer.clear()
        return Row(parcel=key[0], news=news, route=route)


# %% [markdown]
# **Rows**
#
# - `key` is a tuple of the grouping columns. `rows` is an iterator of rows, in no promised order.
# - `timerValues` returns the time: `getCurrentWatermarkInMs()`, or by the clock `getCurrentProcessingTimeInMs()`.
# - A row's time is a `datetime` with a time zone; `.timestamp() * 1000` converts it to milliseconds. Keep milliseconds in the
#   state. A `TIMESTAMP` that is read from a variable has no zone, and Python cannot compare it with one that has.
# - The methods return an iterator of `Row`s. A method with a `yield` does so by itself. A method without a `yield` must return
#   one: `return iter([])` if there is nothing to emit. Only `handleInitialState` returns nothing.
# - With event-time timers, Spark drops rows that are not newer than the watermark, as in lesson 09.
#
# **Timers**
#
# - A timer has no name, only a time. You cannot move it: **registering a second timer leaves the first one in place**.
# - So we keep the time of our timer in a value, and delete the old timer first.
# - To get the times of all timers of the current key, call `handle.listTimers()`.
# - A timer fires when the watermark *reaches* its time. A timeout of lesson 09 waits until the watermark is later.
# - Spark then removes the timer and nothing else. We clear the list and the value ourselves, or they stay forever.
# - In `handleExpiredTimer`, `expiredTimerInfo.getExpiryTimeInMs()` returns the time of the timer.

# %% [markdown]
# The watch counts from the newest scan of *this batch*. A scan that arrives out of order in a later batch moves the timer
# back, and is last in the route. To count from the newest scan of all batches, keep its time in the state.
#
# A query uses an object of the class. It names the output schema, the output mode, and which **time mode** its timers use.
# The time modes are `"EventTime"` (by the watermark), `"ProcessingTime"` (by the clock), and `"None"` (no timers).


# %% tags=["example"]
def parcel_news(scans: DataFrame) -> DataFrame:
    return (
        scans.withWatermark("time", "1 minute")
        .groupBy("parcel")
        .transformWithState(
            ParcelWatch(),
            outputStructType="parcel STRING, news STRING, route STRING",
            outputMode="Append",
            timeMode="EventTime",
        )
    )


# %% [markdown]
# Now live, with Kafka. P1 and P2 are scanned in the hall at 12:00 and 12:01. Then P1 is scanned in the van.

# %%
scans_topic = kafka.create_topic("lesson10-scans")
news_topic = kafka.create_topic("lesson10-news")
checkpoint = grader.fresh_checkpoint()
news = parcel_news(grader.read_topic(scans_topic, "parcel STRING, place STRING, time TIMESTAMP"))


def scan(parcel: str, place: str, time: str) -> dict[str, str]:
    return {"parcel": parcel, "place": place, "time": f"2026-03-01T{time}:00Z"}


kafka.send(scans_topic, [scan("P1", "hall", "12:00"), scan("P2", "hall", "12:01")])
grader.run_once(news, news_topic, checkpoint)
kafka.send(scans_topic, [scan("P1", "van", "12:08")])
grader.run_once(news, news_topic, checkpoint)
kafka.read(news_topic)

# %% [markdown]
# No news yet. Look at the state. The `statestore` reader of lesson 02 (Spark 4.0+) needs the name of the variable, because
# each variable has its own columns. Timers have their own option.

# %%
state = spark.read.format("statestore")
state.option("stateVarName", "places").load(checkpoint).show()
state.option("stateVarName", "timer").load(checkpoint).show()
timers = spark.read.format("statestore").option("readRegisteredTimers", "true").load(checkpoint)
timers.withColumn("at", F.timestamp_millis("expiration_timestamp_ms")).show(truncate=False)

# %% [markdown]
# Two lists, two values, two timers. P1's timer of 12:10 is deleted; only the timer of 12:18 is left. The number of state rows
# that Spark reports counts a value or a list as one row per key, however long the list is. A map counts one row per entry.
# Timers do not count.
#
# Now P3 is scanned at 12:13, and with a delay of 1 minute the watermark advances to 12:12. How many parcels are reported?
# Predict first.

# %%
grader.predict("10.0")

# %%
kafka.send(scans_topic, [scan("P3", "hall", "12:13")])
grader.run_once(news, news_topic, checkpoint)
kafka.send(scans_topic, [scan("P1", "door", "12:15")])
grader.run_once(news, news_topic, checkpoint)
kafka.read(news_topic)

# %% [markdown]
# P2's timer fired because the watermark had passed it. P1 reached the door in time. Event-time timers follow the watermark and
# nothing else: when scans stop, timers stop.
#
# Here is such a run as a picture, with two more scans: P3 at 12:11 in step 4, and P4 at 12:40 in step 5. Each step has two
# batches: one with the rows, and a no-data batch in which the new watermark fires timers.
#
# A bar is a parcel in the state after the step. It goes from the newest scan of the parcel to a flag at its timer. P1's flag
# moves from 12:10 to 12:18 in step 2. P2 has no bar in step 3, because the watermark has passed its flag of 12:11. The scan of
# P3 in step 4 is crossed out: it is older than the watermark, so Spark drops it.
#
# ![Scans of parcels in five steps, with a flag for each timer and the watermark moving to the right. Steps 1 and 2 emit nothing. In step 3, P2 is lost. In step 4, P1 is delivered by hall, van and door, and a late scan of P3 is crossed out. In step 5, P3 is lost.](10.0.svg)

# %% [markdown]
# ## Exercise 10.1: Rank the two top pages of every shop
#
# The sales team wants to see at any time which two pages get the most clicks in each shop. Write `top_pages(clicks)`.
#
# **Input** · `clicks`: `shop STRING`, `page STRING`. Neither is null. There is no time, and none is needed.
#
# **Output** · for each shop that has clicks in the batch, one row per place: `shop`, `place INT`, `page`, `clicks BIGINT`. A
# shop with only one page has one row. **Update** mode.
#
# **Rules**
# 1. `clicks` counts all clicks on the page since the first batch, including this batch.
# 2. All pages of the shop compete, whether or not they were clicked in this batch.
# 3. Break ties alphabetically by page.
# 4. Places are 1 and 2.
# 5. Emit the two rows once per shop and batch, after all clicks of the batch are counted, even if they have not changed.
#
# **Checked** · the rows, the step of each row, the number of rows in the state, and a restart after a kill. A list counts as
# one row in the state, however long. The exercise practices a map state; any other way to the same output is right, too. It
# may keep fewer rows, or more for each page.
#
# Use `timeMode="None"`. In this mode there are no timers: Spark refuses `registerTimer`, and a query that calls `listTimers()`
# hangs.
#
# **Sample** · two clicks on `/apple`, one each on `/pear` and `/mango`: place 1 is `/apple` with 2, place 2 is `/mango` with 1.

# %%
grader.predict("10.1")


# %% nbgrader={"grade": false, "grade_id": "top_pages", "locked": false, "solution": true}
def top_pages(clicks: DataFrame) -> DataFrame:
    """After each batch the two top pages of the shops with clicks in it: shop, place, page, clicks.

    clicks: shop STRING, page STRING. Define the processor's class inside this function.
    """
    ### BEGIN SOLUTION

    class TopPages(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.clicks = handle.getMapState("clicks", "page STRING", "clicks LONG")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            for row in rows:
                (before,) = self.clicks.getValue((row.page,)) or (0,)
                self.clicks.updateValue((row.page,), (before + 1,))
            ranked = sorted((-count, page) for (page,), (count,) in self.clicks.iterator())
            for place, (count, page) in enumerate(ranked[:2], start=1):
                yield Row(shop=key[0], place=place, page=page, clicks=-count)

    return clicks.groupBy("shop").transformWithState(
        TopPages(),
        outputStructType="shop STRING, place INT, page STRING, clicks LONG",
        outputMode="Update",
        timeMode="None",
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-top_pages", "locked": true, "points": 4, "solution": false}
grader.check("10.1", top_pages)

# %% [markdown]
# ## The same with pandas: `transformWithStateInPandas`
#
# `transformWithStateInPandas` (Spark 4.0+) uses the same kind of class. There `rows` is an iterator of DataFrames, as in lesson
# 09, because a large group arrives in chunks, and you yield DataFrames. Variables, timers and everything else are the same.
# Rows are convenient for logic, DataFrames for arithmetic on many rows.
#
# The next cell keeps the revenue of each shop. A running total belongs in update mode. `run_once` writes in append mode, and
# Spark does not check what you yield.


# %%
class Turnover(StatefulProcessor):
    def init(self, handle: StatefulProcessorHandle) -> None:
        self.turnover = handle.getValueState("turnover", "euros DOUBLE")

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        (before,) = self.turnover.get() or (0.0,)
        euros = before + sum(float(piece["euros"].sum()) for piece in rows)
        self.turnover.update((euros,))
        yield pd.DataFrame({"shop": [key[0]], "euros": [euros]})


sales_topic = kafka.create_topic("lesson10-sales")
turnover_topic = kafka.create_topic("lesson10-turnover")
turnover = (
    grader.read_topic(sales_topic, "shop STRING, euros DOUBLE")
    .groupBy("shop")
    .transformWithStateInPandas(Turnover(), "shop STRING, euros DOUBLE", "Append", "None")
)
turnover_checkpoint = grader.fresh_checkpoint()
for euros in (12.5, 7.5):
    kafka.send(sales_topic, [{"shop": "harbour", "euros": euros}])
    grader.run_once(turnover, turnover_topic, turnover_checkpoint)
kafka.read(turnover_topic)

# %% [markdown]
# ## Exercise 10.2: Send a reminder once, with a timer
#
# Some customers order and forget to pay. They get one friendly reminder. Write `reminders(orders)`.
#
# **Input** · `orders`: `order_id STRING`, `what STRING` (`ordered`, `changed` or `paid`), `time TIMESTAMP`, at most 1 minute
# late. No column is null.
#
# **Output** · one row per reminder: `order_id`, `due TIMESTAMP` (the end of the half-hour); append mode.
#
# **Rules**
# 1. The half-hour of an order starts at its newest `ordered` or `changed`, by `time`. An older event that arrives later does
#    not move it. An order whose `ordered` was dropped begins with its `changed`.
# 2. Emit a reminder when the watermark reaches `due`, if the order is not paid.
# 3. A payment counts if it reaches the processor before the reminder is emitted, even if its own time is after `due`.
# 4. Within a batch the order of rows does not matter: if one row says `paid`, the order is paid.
# 5. An order gets one reminder.
# 6. After the reminder or the payment, keep nothing of the order in a variable. A payment after the reminder changes nothing.
#
# **You can assume** · In the batches after its payment nothing of an order arrives. After its reminder only a payment arrives.
#
# **Checked** · the rows, the step of each row, the watermark, dropped rows, the number of rows in the state, and a restart
# after a kill.

# %% [markdown]
# A payment that is not newer than the watermark is dropped like any other late row. The processor never sees it, so the
# reminder is emitted.
#
# `datetime.fromtimestamp(ms / 1000)` makes a `datetime` of milliseconds. It has no zone, and Spark takes it for UTC, which is
# Python's zone in the lab. In other places write `datetime.fromtimestamp(ms / 1000, timezone.utc)`.
#
# Predict: how many reminders are emitted in step 4 of the check?

# %%
grader.predict("10.2")


# %% nbgrader={"grade": false, "grade_id": "reminders", "locked": false, "solution": true}
def reminders(orders: DataFrame) -> DataFrame:
    """One row for each order that is not paid within 30 minutes: order_id, due.

    orders: order_id STRING, what STRING, time TIMESTAMP; up to 1 minute late.
    """
    ### BEGIN SOLUTION
    half_an_hour = 30 * 60 * 1000

    class Reminder(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            self.due = handle.getValueState("due", "ms LONG")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            found = list(rows)
            (before,) = self.due.get() or (0,)
            if before:
                self.handle.deleteTimer(before)
            if any(row.what == "paid" for row in found):
                self.due.clear()
                return iter([])
            newest = max(int(row.time.timestamp() * 1000) for row in found)
            due = max(before, newest + half_an_hour)
            self.due.update((due,))
            self.handle.registerTimer(due)
            return iter([])

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            self.due.clear()
            ms = expiredTimerInfo.getExpiryTimeInMs()
            yield Row(order_id=key[0], due=datetime.fromtimestamp(ms / 1000))

    return (
        orders.withWatermark("time", "1 minute")
        .groupBy("order_id")
        .transformWithState(
            Reminder(),
            outputStructType="order_id STRING, due TIMESTAMP",
            outputMode="Append",
            timeMode="EventTime",
        )
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-reminders", "locked": true, "points": 5, "solution": false}
grader.check("10.2", reminders)

# %%
grader.lens("10.2", reminders)

# %% [markdown]
# ## Exercise 10.3: Start from an initial state
#
# The fruit stand gets a running count of pieces sold. It does not open today. Yesterday's counts are there, from its two cash
# registers, and the query continues from them. Write `fruit_sold(spark, sales)`.
#
# **Input** · `spark`, for `yesterday(spark)` below. `sales`: `fruit STRING`, `pieces INT`. No column is null.
#
# **Output** · for each fruit that is sold in a batch, one row after the batch: `fruit`, `sold BIGINT`; **update** mode.
#
# **Rules**
# 1. `sold` includes yesterday's pieces of the fruit, added up over both cash registers.
# 2. Yesterday's pieces count once, not once per batch.
# 3. `sold` includes all pieces of all sales of the fruit in this batch and in earlier batches.
# 4. From the first batch on, all of yesterday's fruits are in the state, sold today or not.
# 5. The state has exactly one row per fruit: one value or one list. A second variable or the entries of a map are rows of
#    their own.
#
# **Checked** · the rows, the step of each row, a restart after a kill, and the number of rows in the state after steps 1 and
# 2. Rules 4 and 5 earn together.


# %% tags=["given"]
def yesterday(spark: SparkSession) -> DataFrame:
    """What the two cash registers had sold when they closed: till, fruit, sold."""
    tills = [("1", "apple", 1), ("1", "mango", 4), ("2", "orange", 2), ("2", "mango", 1)]
    # in one partition, so that they arrive in this order
    return spark.createDataFrame(tills, "till STRING, fruit STRING, sold LONG").coalesce(1)


# %%
yesterday(spark).groupBy("fruit").agg(F.sum("sold")).show()

# %% [markdown]
# One apple, two oranges, five mangoes. The query could read the old sales again, if they had been kept. With a year of sales
# that takes a day. An **initial state** is quicker. It is a batch DataFrame, **grouped** by the same key, that you pass as
# `initialState=`.
#
# In the very first batch, and never again, Spark passes each of its rows to `handleInitialState`, before the rows of the
# stream. A restart begins from the checkpoint, where all of this is in the state already.
#
# With pandas, `initialState` is a DataFrame with rows of one key. A key with many rows arrives in chunks.

# %%
grader.predict("10.3")


# %% nbgrader={"grade": false, "grade_id": "fruit_sold", "locked": false, "solution": true}
def fruit_sold(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Pieces sold of each fruit, starting from yesterday(spark): fruit, sold.

    sales: fruit STRING, pieces INT.
    """
    ### BEGIN SOLUTION

    class Sold(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.sold = handle.getValueState("sold", "sold LONG")

        def handleInitialState(self, key: Any, initialState: Row, timerValues: Any) -> None:
            (before,) = self.sold.get() or (0,)
            self.sold.update((before + initialState.sold,))

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            (before,) = self.sold.get() or (0,)
            sold = before + sum(row.pieces for row in rows)
            self.sold.update((sold,))
            yield Row(fruit=key[0], sold=sold)

    return sales.groupBy("fruit").transformWithState(
        Sold(),
        outputStructType="fruit STRING, sold LONG",
        outputMode="Update",
        timeMode="None",
        initialState=yesterday(spark).groupBy("fruit"),
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-fruit_sold", "locked": true, "points": 3, "solution": false}
grader.check("10.3", fruit_sold)

# %% [markdown]
# ## Unit tests without a stream: `TwsTester`
#
# A processor is a class like any other. You can try it without Spark. `TwsTester` (Spark 4.2+) calls its methods and keeps its
# variables in ordinary dictionaries. *You* set the time. Each test takes milliseconds.
#
# - `tester.test(key, rows)` is one batch with rows of one key, and returns the emitted rows. Write the bare key, as in
#   `tester.test("P1", …)`. The tester makes the tuple that your methods get.
# - `tester.setWatermark(ms)` moves the watermark, fires the expired timers, and returns the rows that they emit. Nothing else
#   moves the watermark, whatever the times of your rows.
# - `tester.peekValueState(name, key)`, `peekListState` and `peekMapState` read a variable. If it is empty, they return `None`,
#   an empty list or an empty dict.
# - A processor with pandas has `testInPandas`; processing-time timers have `setProcessingTime`.
# - In event time the tester needs an `eventTimeExtractor`, a function from a row to its milliseconds.
# - Rows that are not newer than the watermark are dropped. The watermark starts at 0 and only moves forward, so start your
#   tests at minute 1.
# - A timer that is not later than the watermark is an error here. In Spark it fires in the same batch.

# %%
from pyspark.sql.streaming import TwsTester

at_noon = datetime(2026, 3, 1, 12).timestamp() * 1000


def scanned(place: str, minute: int) -> Row:
    return Row(place=place, time=datetime(2026, 3, 1, 12, minute))


tester = TwsTester(
    ParcelWatch(),
    timeMode="EventTime",
    eventTimeExtractor=lambda row: int(row.time.timestamp() * 1000),
)
assert tester.test("P1", [scanned("hall", 0)]) == []
assert tester.test("P1", [scanned("van", 8)]) == []
assert tester.peekListState("places", "P1") == [("hall",), ("van",)]
assert tester.setWatermark(int(at_noon) + 12 * 60_000) == []  # 12:10 was deleted
tester.setWatermark(int(at_noon) + 20 * 60_000)

# %% [markdown]
# What the tester does not know:
#
# - a watermark that moves by itself;
# - a new object for every batch: the tester calls `init` once, so what you put on `self` lasts from test to test;
# - batches with several keys, restarts, and state with a time to live.
#
# For these there are real queries, such as the checks of this course.

# %% [markdown]
# ## Exercise 10.4: Write tests that catch planted bugs
#
# A stranger may be guessing passwords. The class `LoginWatch` below reports a customer who fails to log in three times in a
# row. Write `login_watch_tests(watch)`, a test suite for such a class.
#
# **Input** · `watch`: the class `LoginWatch`, right or with one planted bug. Its rows have `ok` and `ms`, and are in the order
# of their times.
#
# **Output** · nothing. The suite raises an `AssertionError` if the class breaks a promise. Any other exception also counts as a
# failure.
#
# **Rules**
# 1. The suite passes with the right class.
#
# It fails if the class breaks one of these promises:
#
# 2. The watch counts the failures of each customer separately.
# 3. It emits a row at the **third failure in a row**, whether the failures are in one batch or in several.
# 4. It reports **once** per row of failures: the fourth failure in a row and later ones emit nothing.
# 5. A success ends the row of failures, and the next count starts from 0.
# 6. When the watermark reaches **10 minutes after the last failure**, the watch evicts the count, and not earlier.
#
# **You can assume** · every bug shows in the emitted rows, so you need not read the variable.
#
# **Checked** · your suite runs nine times: on the right class, and on eight classes with one bug each. It catches a bug if it
# fails. A suite that fails on the right class earns nothing.


# %% tags=["given"] nbgrader={"grade": false, "grade_id": "given-login_watch", "locked": true, "solution": false}
class LoginWatch(StatefulProcessor):
    """Reports once at three failures in a row; ten minutes after the last one the count is evicted."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.failures = handle.getValueState("failures", "count INT, timer LONG")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        count, timer = self.failures.get() or (0, 0)
        for attempt in rows:
            if timer:
                self.handle.deleteTimer(timer)
                timer = 0
            if attempt.ok:
                count = 0
                continue
            count += 1
            timer = attempt.ms + 10 * 60 * 1000
            self.handle.registerTimer(timer)
            if count == 3:
                yield Row(customer=key[0], ms=attempt.ms)
        if count:
            self.failures.update((count, timer))
        else:
            self.failures.clear()

    def handleExpiredTimer(
        self, key: Any, timerValues: Any, expiredTimerInfo: Any
    ) -> Iterator[Row]:
        self.failures.clear()
        return iter([])


# %% [markdown]
# These four helpers save you typing:

# %% tags=["given"] nbgrader={"grade": false, "grade_id": "given-login_helpers", "locked": true, "solution": false}
MINUTE = 60_000


def tester_of(watch: type[StatefulProcessor]) -> Any:
    """A `TwsTester` of a new object of the class, with the watermark at 0."""
    from pyspark.sql.streaming import TwsTester

    return TwsTester(watch(), timeMode="EventTime", eventTimeExtractor=lambda row: row.ms)


def failed(*minutes: int) -> list[Row]:
    return [Row(ok=False, ms=minute * MINUTE) for minute in minutes]


def passed(*minutes: int) -> list[Row]:
    return [Row(ok=True, ms=minute * MINUTE) for minute in minutes]


# %% [markdown]
# To begin with:
#
#     tester = tester_of(watch)
#     assert tester.test("ana", failed(1, 2)) == []
#     assert len(tester.test("ana", failed(3))) == 1
#
# How many of the eight bugs do these three lines catch? Predict, then check them.
#
# Three bugs earn 1 point each when your suite catches them. In the first, state is lost between batches. In the second, the
# count continues after a success. In the third, the count is never evicted. The other five earn 3 points, only together.


# %% nbgrader={"grade": false, "grade_id": "login_watch_tests", "locked": false, "solution": true}
def login_watch_tests(watch: type[StatefulProcessor]) -> None:
    """Raises an AssertionError if a login watch breaks a promise."""
    ### BEGIN SOLUTION
    tester = tester_of(watch)
    assert tester.test("ana", failed(1, 2)) == []
    assert tester.test("ben", failed(3)) == [], "each customer by himself"
    assert tester.test("ana", failed(4)) == [Row(customer="ana", ms=4 * MINUTE)]
    assert tester.test("ana", failed(5)) == [], "told once"

    assert len(tester_of(watch).test("ana", failed(1, 2, 3))) == 1, "all in one batch"
    assert tester_of(watch).test("ana", failed(1, 2) + passed(3) + failed(4)) == []

    tester = tester_of(watch)
    tester.test("ana", failed(1, 2))
    tester.setWatermark(12 * MINUTE)
    assert tester.test("ana", failed(13)) == [], "forgotten after ten minutes"

    tester = tester_of(watch)
    tester.test("ana", failed(1) + passed(2) + failed(8))
    tester.test("ana", failed(9))
    tester.setWatermark(11 * MINUTE)
    assert len(tester.test("ana", failed(12))) == 1, "a success takes the timer away"

    tester = tester_of(watch)
    tester.test("ana", failed(1, 8))
    tester.setWatermark(12 * MINUTE)
    assert len(tester.test("ana", failed(13))) == 1, "ten minutes from the last failure"
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-login_watch_tests", "locked": true, "points": 6, "solution": false}
grader.check("10.4", login_watch_tests)

# %% [markdown]
# ## Exercise 10.5: Repair a processor with three faults
#
# The fruit buyers want a mean of recent prices. Below is a query that does it wrong. Write `recent_prices(quotes)`, the
# repaired query.
#
# **Input** · `quotes`: `fruit STRING`, `price DOUBLE`, `time TIMESTAMP`, at most 1 minute late. No column is null. No two
# quotes of a fruit have the same time.
#
# **Output** · one row per batch for each fruit that is quoted in it: `fruit`, `mean DOUBLE`, `prices INT`; append mode.
# The column `prices` is the number of prices in the mean.
#
# **Rules**
# 1. The mean is over the **three newest prices** of this fruit, by `time`. If there are fewer, it is over all.
# 2. Prices of earlier batches count, too.
# 3. When the watermark reaches 1 hour after the newest price of a fruit, evict the fruit. Its next price starts from scratch.
# 4. The newest price is the one with the latest `time`. A price that arrives out of order does not move the hour back.
#
# **Checked** · the rows, the step of each row, the watermark, dropped rows, the number of rows in the state, and a restart
# after a kill. A list is one row of the state, so older prices in it do no harm. A second variable does no harm either, if the
# fruit is evicted from it, too.
#
# With one fruit in one batch the broken query was right. Then other fruits arrived.


# %%
def recent_prices_as_it_is(quotes: DataFrame) -> DataFrame:
    hour = 60 * 60 * 1000

    class RecentPrices(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            self.recent = handle.getListState("recent", "price DOUBLE, ms LONG")
            self.batch = []

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.batch += [(row.price, int(row.time.timestamp() * 1000)) for row in rows]
            found = [*self.recent.get(), *self.batch]
            newest = sorted(found, key=lambda price: price[1])[-3:]
            self.recent.put(self.batch)
            self.handle.registerTimer(newest[-1][1] + hour)
            mean = sum(price for price, _ in newest) / len(newest)
            yield Row(fruit=key[0], mean=mean, prices=len(newest))

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            self.recent.clear()
            return iter([])

    return (
        quotes.withWatermark("time", "1 minute")
        .groupBy("fruit")
        .transformWithState(
            RecentPrices(),
            outputStructType="fruit STRING, mean DOUBLE, prices INT",
            outputMode="Append",
            timeMode="EventTime",
        )
    )


grader.lens("10.5", recent_prices_as_it_is)

# %% [markdown]
# In step 1 there are two prices of apples, 1 and 2, and one of mangoes, 10. What is the mean of mangoes, and where does the
# rest of it come from? There are **three** faults in all. Find each by the first row that is wrong because of it. Say why,
# then repair it.
#
# Predict for the repaired query:

# %%
grader.predict("10.5")


# %% nbgrader={"grade": false, "grade_id": "recent_prices", "locked": false, "solution": true}
def recent_prices(quotes: DataFrame) -> DataFrame:
    """After each batch the mean of the three newest prices of its fruits: fruit, mean, prices.

    quotes: fruit STRING, price DOUBLE, time TIMESTAMP; up to 1 minute late.
    """
    ### BEGIN SOLUTION
    hour = 60 * 60 * 1000

    class RecentPrices(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            self.recent = handle.getListState("recent", "price DOUBLE, ms LONG")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            new = [(row.price, int(row.time.timestamp() * 1000)) for row in rows]
            newest = sorted([*self.recent.get(), *new], key=lambda price: price[1])[-3:]
            self.recent.put(newest)
            for timer in list(self.handle.listTimers()):
                self.handle.deleteTimer(timer)
            self.handle.registerTimer(newest[-1][1] + hour)
            mean = sum(price for price, _ in newest) / len(newest)
            yield Row(fruit=key[0], mean=mean, prices=len(newest))

        def handleExpiredTimer(
            self, key: Any, timerValues: Any, expiredTimerInfo: Any
        ) -> Iterator[Row]:
            self.recent.clear()
            return iter([])

    return (
        quotes.withWatermark("time", "1 minute")
        .groupBy("fruit")
        .transformWithState(
            RecentPrices(),
            outputStructType="fruit STRING, mean DOUBLE, prices INT",
            outputMode="Append",
            timeMode="EventTime",
        )
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-recent_prices", "locked": true, "points": 5, "solution": false}
grader.check("10.5", recent_prices)

# %% [markdown]
# Three questions find the three faults. Does this variable belong to the object or to the key? What is lost when one list
# replaces another? How many timers are there now? A test with **two keys, three calls and a watermark that moves** would have
# shown all three.
#
# ## Recap: the facts
#
# - `transformWithState` calls `handleInputRows` for each key with rows, and then `handleExpiredTimer` for each expired timer.
# - State variables are scoped to the current key. Attributes on `self` are shared by keys and lost at the end of the batch.
# - A timer is identified by its time. Registering a second timer does not replace the first.
# - A timer fires when the watermark *reaches* it. Spark removes the timer and nothing else.
# - Nothing is evicted unless you call `clear`, `removeKey` or use a time to live.
# - An initial state is read once, in the first batch. Later starts use the checkpoint.
# - `TwsTester` tests one key at a time. It has no restarts and no time to live, and you move its watermark.
#
# | | `applyInPandasWithState` | `transformWithState` |
# | --- | --- | --- |
# | state | one tuple | values, lists, maps |
# | time | one timeout, fires when *passed* | many timers, fire when *reached* |
# | time to live | no | yes, by the clock |
# | initial state | no | yes |
# | state store | any | RocksDB |

# %% [markdown]
# ## What you can now do
#
# - write a processor with values, lists, maps and timers, with rows or with pandas;
# - rank what is in a map, and say why the state needs more than the ranking shows;
# - register, move and delete a timer, and make sure that it fires once;
# - start a query from an initial state;
# - test a processor without a stream, and say what such a test cannot see;
# - distinguish state that is scoped to a key from attributes on `self`.
#
# ## Read more
#
# - [Structured Streaming guide: transformWithState](https://spark.apache.org/docs/latest/streaming/structured-streaming-transform-with-state.html)
# - [Structured Streaming guide: state data source](https://spark.apache.org/docs/latest/streaming/structured-streaming-state-data-source.html)
# - [API: `transformWithStateInPandas`](https://spark.apache.org/docs/latest/api/python/reference/pyspark.sql/api/pyspark.sql.GroupedData.transformWithStateInPandas.html)
# - [SPARK-51814: `transformWithState` with rows in PySpark](https://issues.apache.org/jira/browse/SPARK-51814)
#
# Next: **11 RocksDB and state tuning**. All this state has to be stored somewhere. Two more exercises follow here, if you like.
# No later lesson needs them.

# %% [markdown]
# # Going further
#
# ## Time to live: state that expires by the clock
#
# Event time is right for what happened. Some things are about *now*: a session token is valid for an hour. A visitor should
# not see the same banner again for ten minutes, even if their phone has the wrong time. For these a variable can have a **time
# to live** (TTL), in milliseconds:
#
#     handle.getValueState("token", "text STRING", 60 * 60 * 1000)
#
# - It uses the clock of the machine on which Spark runs, so the time mode must be `"ProcessingTime"`. Watermark and event time
#   do not matter.
# - It starts at each `update`. Each entry of a list or a map has its own time to live.
# - A value expires when the clock of a batch reaches the end of its time to live. From then on `exists()` returns False and
#   `get()` returns None. Spark calls no method of yours.
#
# Such a query cannot be checked by the real clock. Here the check sets the clock that Spark reads, to another time in each
# step. `timerValues.getCurrentProcessingTimeInMs()` returns that clock. Python's own clock, `time.time()`, is not changed.
#
# In your own notebook, remember that such a query never ends with `trigger(availableNow=True)`. Spark keeps running no-data
# batches, to see what has expired.

# %% [markdown]
# ### Exercise 10.6: Show a banner every ten minutes, with TTL
#
# The shop shows a banner, but not too often. Write `banners(visits)`.
#
# **Input** · `visits`: `visitor STRING`, `visit_time TIMESTAMP`, the time on the visitor's phone. No column is null. Some phones
# have a wrong time, and some visits arrive hours late.
#
# **Output** · one row per banner: `visitor`, `visit_time`; **update** mode.
#
# **Rules**
# 1. A visitor sees the banner if they have not seen it in the last 10 minutes, by Spark's clock. Exactly 10 minutes later they
#    see it again.
# 2. The 10 minutes start when the banner is shown. A visit without a banner does not extend them.
# 3. Several visits of a visitor in one batch give at most one banner, with the earliest `visit_time` of the batch.
# 4. Keep nothing of a visitor whose 10 minutes are over.
#
# **Checked** · the rows, the step of each row, and the number of rows in the state.

# %%
grader.predict("10.6")


# %% nbgrader={"grade": false, "grade_id": "banners", "locked": false, "solution": true}
def banners(visits: DataFrame) -> DataFrame:
    """A banner for a visitor, at most every ten minutes by Spark's clock: visitor, visit_time.

    visits: visitor STRING, visit_time TIMESTAMP.
    """
    ### BEGIN SOLUTION

    class Banner(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.shown = handle.getValueState("shown", "yes BOOLEAN", 10 * 60 * 1000)

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            if not self.shown.exists():
                self.shown.update((True,))
                yield Row(visitor=key[0], visit_time=min(row.visit_time for row in rows))

    return visits.groupBy("visitor").transformWithState(
        Banner(),
        outputStructType="visitor STRING, visit_time TIMESTAMP",
        outputMode="Update",
        timeMode="ProcessingTime",
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-banners", "locked": true, "points": 4, "solution": false}
grader.check("10.6", banners)

# %% [markdown]
# ## Read the state from outside: the state data source
#
# The service desk asks: *which orders are open right now, how often was each changed, and when is its reminder due?* The query
# of the reminders emits nothing about an order until its reminder is due. Its state knows.
#
# That query has grown. For each open order it keeps the value state `customer` with the column `name`. It keeps the list state
# `changes` with the column `ms`, with one entry for the order itself and one for each change. And it has one timer. As in
# 10.2, a payment ends the order, whatever else is in its batch. Here is a checkpoint of it to explore. The reader returns the
# order in `key` and a value in `value`. Each entry of a list is a row of its own, with the entry in `list_element`:


# %%
class Reminder(StatefulProcessor):
    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.changes = handle.getListState("changes", "ms LONG")
        self.customer = handle.getValueState("customer", "name STRING")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        for timer in list(self.handle.listTimers()):
            self.handle.deleteTimer(timer)
        for row in sorted(rows, key=lambda row: row.time):
            self.customer.update((row.customer,))
            self.changes.appendValue((int(row.time.timestamp() * 1000),))
            if row.what == "paid":
                self.changes.clear()
                self.customer.clear()
                return iter([])
        newest = max(ms for (ms,) in self.changes.get())
        self.handle.registerTimer(newest + 30 * 60 * 1000)
        return iter([])

    def handleExpiredTimer(
        self, key: Any, timerValues: Any, expiredTimerInfo: Any
    ) -> Iterator[Row]:
        self.changes.clear()
        self.customer.clear()
        ms = expiredTimerInfo.getExpiryTimeInMs()
        yield Row(order_id=key[0], due=datetime.fromtimestamp(ms / 1000))


def order(order_id: str, customer: str, what: str, time: str) -> dict[str, str]:
    time = f"2026-03-01T{time}:00Z"
    return {"order_id": order_id, "customer": customer, "what": what, "time": time}


orders_topic = kafka.create_topic("lesson10-orders")
orders_checkpoint = grader.fresh_checkpoint()
orders = grader.read_topic(
    orders_topic, "order_id STRING, customer STRING, what STRING, time TIMESTAMP"
)
kafka.send(
    orders_topic,
    [
        order("o1", "ana", "ordered", "12:00"),
        order("o2", "ben", "ordered", "12:01"),
        order("o1", "ana", "changed", "12:08"),
        order("o2", "ben", "paid", "12:09"),
    ],
)
grader.run_once(
    orders.withWatermark("time", "1 minute")
    .groupBy("order_id")
    .transformWithState(Reminder(), "order_id STRING, due TIMESTAMP", "Append", "EventTime"),
    kafka.create_topic("lesson10-reminders"),
    orders_checkpoint,
)
spark.read.format("statestore").option("stateVarName", "changes").load(orders_checkpoint).show()

# %% [markdown]
# ### Exercise 10.7: Find orders that are open
#
# Write `open_orders(spark, checkpoint)`, which answers the desk's question.
#
# **Input** · `spark`, and `checkpoint`, the path of a checkpoint of this query. The check calls your function after each step.
#
# **Output** · a batch DataFrame with one row per open order: `order_id`, `customer`, `changes BIGINT`, `due TIMESTAMP`.
#
# **Rules**
# 1. An order is open if it is still in the state. It has one row.
# 2. `changes` is the number of entries in the list of this order. An order that was never changed has 1.
# 3. `due` is the time of the order's timer, to the millisecond, read or calculated.
# 4. Read the newest state, whichever batch it is from.
#
# **Checked** · the rows after each step.

# %%
grader.predict("10.7")


# %% nbgrader={"grade": false, "grade_id": "open_orders", "locked": false, "solution": true}
def open_orders(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Every open order in the state of the reminders: order_id, customer, changes, due."""
    ### BEGIN SOLUTION

    def read(**options: str) -> DataFrame:
        return spark.read.format("statestore").options(**options).load(checkpoint)

    names = read(stateVarName="customer").select(
        "key.order_id", F.col("value.name").alias("customer")
    )
    changes = (
        read(stateVarName="changes").groupBy("key.order_id").agg(F.count("*").alias("changes"))
    )
    timers = read(readRegisteredTimers="true").select(
        "key.order_id", F.timestamp_millis("expiration_timestamp_ms").alias("due")
    )
    return names.join(changes, "order_id").join(timers, "order_id")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-open_orders", "locked": true, "points": 4, "solution": false}
grader.check("10.7", open_orders)

# %%
grader.progress()
