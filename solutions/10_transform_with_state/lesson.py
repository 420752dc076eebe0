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
# The shop sends parcels. Each is scanned in the hall, in the van, at the door. The people at the
# desk want to know two things: which way a delivered parcel took, and which parcel has not been
# scanned for ten minutes, because that one is probably lying in a corner.
#
# With `applyInPandasWithState` of lesson 09 a group has *one* tuple of state and *one* timeout. A
# list of places would have to be squeezed into the tuple, and written anew with every scan.
# `transformWithState` is Spark's newer way. A group has as many **variables** as you name, values,
# lists and maps, and as many **timers** as you register. The price is that you write a class and not
# a function, and that nothing is forgotten unless your class does it.
#
# In this lesson you
#
# - keep a map for every group, and rank what is in it,
# - set a timer, move it, take it away, and make it fire once,
# - start a query from figures that are there already,
# - write tests that run without any stream, and catch eight planted bugs,
# - repair a processor with three faults.
#
# Plan two and a half hours. Two exercises at the end go further: state that ends by the clock, and
# state read from outside.

# %% tags=["given"]
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import grader
import pandas as pd
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle, TwsTester

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# One setting first. Several variables for each key need a store that can keep them apart, and of
# Spark's two only RocksDB can (lesson 11 is about it). Without this line the query is refused with
# `STORE_BACKEND_NOT_SUPPORTED_FOR_TWS`. In the exercises the check sets it.

# %%
spark.conf.set(
    "spark.sql.streaming.stateStore.providerClass",
    "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
)
spark.conf.set("spark.sql.shuffle.partitions", "2")  # few stores, as our keys are few

# %% [markdown]
# ## A processor
#
# The class is a `StatefulProcessor`. You hand over an object of it; in every batch Spark puts a copy of that into a Python
# process beside each partition's store, and calls its methods:
#
# | method | is called | may give out rows |
# | --- | --- | --- |
# | `init(handle)` | first, in every batch anew | no |
# | `handleInputRows(key, rows, timerValues)` | for each key with rows in this batch | yes |
# | `handleExpiredTimer(key, timerValues, expiredTimerInfo)` | after all rows of the batch, for each timer that is due (and was not deleted) | yes |
# | `handleInitialState(key, initialState, timerValues)` | in the first batch only, for each row of an *initial state*: figures to begin with (10.3) | no: with a `yield` in it, it is not run at all |
# | `close()` | last, in every batch; write it if there is something to close | no |
#
# Keep the names of the parameters: those of `handleExpiredTimer` are handed over by name. And when a query starts, Spark
# calls `init` and `close` on the driver, too, before any row comes, to learn which variables there are.
#
# The `handle` is your way to the store. In `init` you ask it for variables, each with a name and a
# schema:
#
# | variable | asked for with | read | written |
# | --- | --- | --- | --- |
# | value state | `getValueState(name, schema)` | `get()`, `exists()` | `update(tuple)` |
# | list state | `getListState(name, schema)` | `get()`, an iterator | `appendValue`, `appendList`, `put` (replaces all) |
# | map state | `getMapState(name, key schema, value schema)` | `getValue(key)`, `iterator()` of pairs of key and value | `updateValue(key, value)`, `removeKey(key)` |
#
# All of them have `clear()`, and all of them hold **tuples**, also where there is a single field.
# For what is not there, `get()` of a value and `getValue()` of a map give `None`, `get()` of a list an iterator without
# entries.
#
# You ask for a variable once, and yet it is another one for every key: before each call Spark tells
# the store which key is at hand, and `self.places` below then means *this parcel's* places. That is
# the difference to an ordinary attribute. What you put on `self` yourself is shared by all keys that
# the object works on, and gone with the batch.
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
# - `key` is a tuple of what you grouped by, `rows` an iterator of rows, in no promised order.
#   `timerValues` says what time it is: `getCurrentWatermarkInMs()`, or by the clock `getCurrentProcessingTimeInMs()`.
# - A row's time is a `datetime` with a time zone; `.timestamp() * 1000` makes milliseconds of it. Keep milliseconds in the
#   state: a `TIMESTAMP` that is read from a variable has no zone, and Python does not compare it with one that has.
# - What comes out are `Row`s, handed over by an iterator. A method with a `yield` in it makes one by
#   itself; a method without any must return one: `return iter([])`, if there is nothing to tell.
# - A timer has no name but its time. There is no "set it anew": **registering a second one leaves
#   the first where it is**. So we keep the time of ours in a value, and delete the old one first.
#   (`handle.listTimers()` gives the times of all timers of the key at hand.)
# - In event time (below) late rows are dropped, as in lesson 09: those that are not newer than the watermark.
# - The watch counts from the newest scan of *this batch*: one that comes out of order in a later batch moves its timer back,
#   and stands at the end of the route. To count from the newest of all, keep that in the state.
# - A timer fires when the watermark has reached its time; a timeout of lesson 09 waits until the
#   watermark is past it. Spark then removes that timer, and nothing else. The list and the value we
#   clear ourselves, or they stay for ever. In `handleExpiredTimer`,
#   `expiredTimerInfo.getExpiryTimeInMs()` says for when the timer was set.
#
# A query uses an object of the class, and says what comes out, in which mode, and by which **time
# mode** its timers go: `"EventTime"` (by the watermark), `"ProcessingTime"` (by the clock on the
# wall), or `"None"` where there are no timers.


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
# Live, against Kafka. P1 and P2 are scanned in the hall at 12:00 and 12:01; then P1 is in the van.

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
# No news yet. Let us look at what is kept. The `statestore` reader of lesson 02 wants to know which
# variable you mean, as each has columns of its own; timers have an option of theirs.

# %%
state = spark.read.format("statestore")
state.option("stateVarName", "places").load(checkpoint).show()
state.option("stateVarName", "timer").load(checkpoint).show()
timers = spark.read.format("statestore").option("readRegisteredTimers", "true").load(checkpoint)
timers.withColumn("at", F.timestamp_millis("expiration_timestamp_ms")).show(truncate=False)

# %% [markdown]
# Two lists, two values, two timers. P1's timer of 12:10 is gone, there is only that of 12:18. The "rows in
# state" of a run count a value or a list as one row for each key, however long the list is, a map as one for
# each of its entries, and timers not at all.
#
# Now P3 is scanned at 12:13, and with a delay of a minute the watermark goes to 12:12. How many parcels
# are reported? Bet first.

# %%
grader.predict("10.0")

# %%
kafka.send(scans_topic, [scan("P3", "hall", "12:13")])
grader.run_once(news, news_topic, checkpoint)
kafka.send(scans_topic, [scan("P1", "door", "12:15")])
grader.run_once(news, news_topic, checkpoint)
kafka.read(news_topic)

# %% [markdown]
# P2's timer fired, as the watermark passed it. P1 came to the door in time. Event-time timers go by
# the watermark and by nothing else: when scans stop, timers stop.
#
# Here is such a run as a picture, with two more scans: one of P3 in step 4, of 12:11, and one of P4 in step 5,
# of 12:40. Each step is two batches: one with the rows, and one without, in which the new watermark fires timers.
#
# A bar is a parcel that is kept after the step. It goes from the parcel's newest scan to a flag where its timer
# stands: P1's flag goes from 12:10 to 12:18 in step 2, and P2 has no bar in step 3, as the watermark has passed its
# flag of 12:11. The scan of P3 in step 4 is crossed out: it is older than the watermark, so the processor never
# sees it.
#
# ![Scans of parcels in five steps, with a flag for each timer and the watermark going to the right: nothing comes out in the first two, P2 is lost in step 3, P1 is delivered in step 4 by hall, van and door while a late scan of P3 is crossed out, and P3 is lost in step 5.](10.0.svg)
#
# ## Exercise 10.1: the two top pages of every shop
#
# The sales people want to see at any time which two pages are clicked most in each shop.
#
# **In:** `clicks` with `shop` and `page`. There is no time in it, and none is needed: `timeMode="None"`.
# (A processor in that mode has no timers: `registerTimer` is refused, and after `listTimers()` the query hangs.)
# **Out:** for each shop that has clicks in a batch, the two pages that have the most clicks so far, this batch
# included: a row each (one row if it has only one page), with `shop`, `place` (1 or 2), `page`, `clicks`. Of two
# pages with equally many clicks the first in the alphabet leads. The check runs the query in update mode. It looks
# at the rows, at the number of rows in the state (a list counts as one, however long) and at a restart. What is
# practised here is a processor with a map state; any other way to the same rows is right, too.
#
# On paper: `/apple` twice, `/pear` and `/mango` once each give `/apple` 2 and `/mango` 1.

# %%
grader.predict("10.1")


# %% nbgrader={"grade": false, "grade_id": "top_pages", "locked": false, "solution": true}
def top_pages(clicks: DataFrame) -> DataFrame:
    """After each batch the two top pages of the shops with clicks in it: shop, place, page, clicks.

    clicks: shop STRING, page STRING. A processor's class stands inside this function.
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
# ## The same with pandas
#
# `transformWithStateInPandas` takes the same kind of class. There `rows` is an iterator of DataFrames,
# as in lesson 09, for a big group comes in pieces, and you yield DataFrames. Variables, timers and all
# the rest are the same. Rows are handy for logic, DataFrames for arithmetic on many rows. The turnover
# of each shop (a running total, which belongs in update mode; `run_once` writes in append, and Spark does not look at what
# you yield):


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
# ## Exercise 10.2: a reminder that comes once
#
# Some customers order and forget to pay. They are to get one friendly reminder.
#
# **In:** `orders` with `order_id`, `what` (`ordered`, `changed` or `paid`), `time`; one minute late at
# most.
# **Out:** one row for each order of which the query has seen no payment when the watermark reaches the end of its half-hour:
# `order_id`, `due` (a timestamp).
# A reminder that is out is final, so the check runs the query in append mode.
#
# - The half-hour begins with the newest `ordered` or `changed` that was seen of the order, by their
#   *times*; `due` is when it ends.
# - A payment counts if it reaches the processor before the reminder is out, even if its own time is after `due`. (One that
#   is too late for the watermark is dropped, like any late row: nobody sees it, and the reminder comes.) Rows of one batch
#   may come in any order: if one of them says `paid`, the order is paid. After a payment no later batch brings a row of that
#   order.
# - One reminder for each order. After it, and after a payment, nothing of the order is kept. A payment may
#   still come after the reminder; it changes nothing. (No `changed` comes then: that would need a new order.)
#
# `datetime.fromtimestamp(ms / 1000)` makes a time of milliseconds. It has no zone, and Spark takes such a one for UTC, which
# is Python's zone in the lab; elsewhere write `datetime.fromtimestamp(ms / 1000, timezone.utc)`.
#
# How many reminders come out in step 4 of the check?

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
# ## Exercise 10.3: go on from yesterday's figures
#
# The fruit stand gets a running count of pieces sold. It does not open today: yesterday's figures
# are there, from its two tills, and the count is to go on from them.


# %% tags=["given"]
def yesterday(spark: SparkSession) -> DataFrame:
    """What the two tills had sold when they closed: till, fruit, sold."""
    tills = [("1", "apple", 1), ("1", "mango", 4), ("2", "orange", 2), ("2", "mango", 1)]
    # in one partition, so that they come in this order
    return spark.createDataFrame(tills, "till STRING, fruit STRING, sold LONG").coalesce(1)


# %%
yesterday(spark).groupBy("fruit").agg(F.sum("sold")).show()

# %% [markdown]
# One apple, two oranges, five mangoes. To feed old sales through the query again would give the same,
# if somebody had kept them, and with a year of sales it takes a day. An **initial state** is quicker:
# a batch DataFrame, **grouped** by the same key, that you pass as `initialState=`. In the very first batch,
# and never again, Spark gives each of its rows to `handleInitialState`, before the rows of the stream. (With pandas
# `initialState` is a DataFrame with rows of a key, and a key with many is handed over in pieces.) A restart begins from the checkpoint, where all of this is
# in the state already.
#
# **In:** `spark`, for `yesterday(spark)`; `sales` with `fruit` and `pieces`.
# **Out:** for each fruit that is sold in a batch, after the batch: `fruit`, `sold` (all pieces so far,
# yesterday's included). The check runs it in update mode, and looks whether yesterday's fruits are in
# the state from the first batch on, sold today or not. It counts the rows of the state, so keep **one variable**, a value or a
# list, for each fruit: a second variable or the entries of a map would be rows of their own.

# %%
grader.predict("10.3")


# %% nbgrader={"grade": false, "grade_id": "fruit_sold", "locked": false, "solution": true}
def fruit_sold(spark: SparkSession, sales: DataFrame) -> DataFrame:
    """Pieces sold of each fruit, going on from yesterday(spark): fruit, sold.

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
# ## Tests without a stream
#
# A processor is a class like any other, so why start Spark to try it? `TwsTester` calls its methods,
# keeps its variables in ordinary dictionaries, and lets *you* say what time it is. Each test takes
# milliseconds.
#
# - `tester.test(key, rows)` is one batch with rows of one key; it returns what comes out. Write the key bare, as in
#   `tester.test("P1", …)`: the tester makes the tuple that your methods get.
# - `tester.setWatermark(ms)` moves the watermark and fires the timers that are due; it returns what they
#   give out. Nothing else moves it, whatever the times of your rows.
# - `tester.peekValueState(name, key)`, `peekListState`, `peekMapState` look into a variable.
# - For a processor with pandas there is `testInPandas`, for timers by the clock `setProcessingTime`.
# - In event time it wants an `eventTimeExtractor`, a function from a row to its milliseconds. Rows
#   that are not newer than the watermark are left out. It begins at 0 and only goes forward, so begin your tests with
#   minute 1. A timer that is not later than the watermark is an error here; in Spark it fires in the same batch.

# %%
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
# What it does not know: a watermark that moves by itself; a new object for every batch (it calls `init` once, so what you put
# on `self` lasts from test to test, and in Spark it does not); batches with several keys, restarts, and state that ends by the
# clock. For those there are real queries, such as the checks of this course.
#
# ## Exercise 10.4: tests that catch planted bugs
#
# Somebody may be guessing passwords. The login watch tells **once** when a customer has failed to log in
# **three times in a row**. A success ends the row. **Ten minutes after the last failure** all is
# forgotten, too. Rows come in the order of their times, with `ok` and `ms`.


# %% tags=["given"] nbgrader={"grade": false, "grade_id": "given-login_watch", "locked": true, "solution": false}
class LoginWatch(StatefulProcessor):
    """Tells once of three failures in a row; ten minutes after the last one all is forgotten."""

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
# These four save you typing:

# %% tags=["given"] nbgrader={"grade": false, "grade_id": "given-login_helpers", "locked": true, "solution": false}
MINUTE = 60_000


def tester_of(watch: type[StatefulProcessor]) -> TwsTester:
    """A tester of a new object of the class, at the beginning of time."""
    return TwsTester(watch(), timeMode="EventTime", eventTimeExtractor=lambda row: row.ms)


def failed(*minutes: int) -> list[Row]:
    return [Row(ok=False, ms=minute * MINUTE) for minute in minutes]


def passed(*minutes: int) -> list[Row]:
    return [Row(ok=True, ms=minute * MINUTE) for minute in minutes]


# %% [markdown]
# Write a test suite: a function that takes the class and raises an `AssertionError` where it does not
# keep its promises. (Whatever else it raises counts as a failed test, too.) The check calls it nine times:
# with the right class, on which it must pass, and with eight of the same name that have one bug each. A suite
# catches a bug if it fails on it. To begin with:
#
#     tester = tester_of(watch)
#     assert tester.test("ana", failed(1, 2)) == []
#     assert len(tester.test("ana", failed(3))) == 1
#
# How many of the eight do these three lines catch? Check them, and see. Forgetting between batches,
# going on after a success, never forgetting: each of these bugs is worth a point when it is caught. The
# other five bring three points, and only together.


# %% nbgrader={"grade": false, "grade_id": "login_watch_tests", "locked": false, "solution": true}
def login_watch_tests(watch: type[StatefulProcessor]) -> None:
    """Raises an AssertionError where a login watch does not keep its promises."""
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
# ## Exercise 10.5: three prices of somebody else
#
# A colleague wrote this for the fruit buyers: after each batch, for each fruit that was quoted, the mean
# of its **three newest prices** (fewer, if there are no three), newest by their time. A fruit without
# a price for an hour, counted from its newest one, is forgotten when the watermark reaches the end of that hour, and starts
# anew. Quotes are one minute late at most. No two of a fruit have the same time. What is older than the three need not be
# kept; the check does not see it, as a list is one row of the state, however long.
#
# With one fruit in one batch it was right. Then came the others.


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
# In step 1 there are two prices of apples, 1 and 2, and one of mangoes, 10. What is the mean of mangoes,
# and where does the rest of it come from? There are **three** faults in all. Find each by the first
# row that is wrong because of it, say why, then repair it. `fruit`, `mean` and `prices` (how many went
# into the mean) stay as they are.
#
# A question about the repaired one:

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
# What had to be asked of the broken query? Whose is this variable, mine or the key's? What is lost when
# a list is put in the place of another? How many timers are there now? A test with **two keys, three
# calls and a watermark that moves** would have shown all three.
#
# ## What you can now do
#
# - write a processor with values, lists, maps and timers, with rows or with pandas;
# - rank what is in a map, and say why the state needs more than the ranking shows;
# - set a timer, move it and take it away, and make sure that it fires once;
# - start a query from figures that are there already;
# - test a processor without a stream, and say what such a test cannot see;
# - tell state that is by key from what lives on `self`.
#
# Two exercises more, if you like. Nothing later needs them.
#
# ## Further: state that ends by the clock
#
# Event time is right for what happened. Some things are about *now*: a session token is good for
# an hour, and a visitor should not see the same banner again for ten minutes, even if his phone has
# the wrong time. For those a variable can have a **time to live**, in milliseconds:
#
#     handle.getValueState("token", "text STRING", 60 * 60 * 1000)
#
# - It goes by the clock of the machine on which Spark runs, so the time mode must be `"ProcessingTime"`.
#   Watermark and event time play no part.
# - It begins with each `update`. Entries of a list or a map have a time to live each.
# - It is over when the clock of a batch has reached its end. Then `exists()` says False and `get()` gives None, at once.
#   Nothing of yours is called.
#
# Such a query cannot be checked by the clock on the wall. Here the check sets the clock that Spark reads,
# to another time in each step. `timerValues.getCurrentProcessingTimeInMs()` shows that clock; Python's own (`time.time()`)
# goes on as ever. In your own notebook mind that with `trigger(availableNow=True)` such a
# query never ends: Spark goes on with empty batches, to see what is over by now.
#
# ### Exercise 10.6: a banner every ten minutes
#
# **In:** `visits` with `visitor` and `visit_time`, the time in the visitor's phone. Some of those clocks are
# wrong, and some visits come hours late.
# **Out:** one row for each banner: `visitor`, `visit_time`. A visitor who comes sees the banner if he has
# not seen it in the last ten minutes, by Spark's clock (exactly ten minutes later he sees it again).
# Several visits of one visitor in a batch bring one banner, with the earliest of their times. Of a visitor
# whose ten minutes are over nothing is kept. The check runs the query in update mode.

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
# ## Further: ask the state
#
# The desk calls: *which orders are open right now, how often was each changed, and when is its reminder
# due?* The query of the reminders says nothing of an order until its reminder is due. Its state knows.
#
# That query has grown: of each open order it keeps the value state `customer` (`name`), the list state
# `changes` (`ms`, an entry for the order itself and for each change), and one timer. Here is a checkpoint of
# it to look around in:


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
# ### Exercise 10.7: who has neither paid nor been reminded?
#
# **In:** `spark`, and `checkpoint`, the path of a checkpoint of this query. The check calls your function
# after each step.
# **Out:** a batch DataFrame of Spark with one row for each order that is open, that is, still in the state: `order_id`, `customer`,
# `changes` (how many entries its list has; 1 for an order that was never changed), `due` (when its timer stands, as a
# timestamp, to the millisecond). Read the newest state, whichever batch that is of.

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

# %% [markdown]
# Next: **11 RocksDB and state tuning**. All that you keep has to lie somewhere.
