# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 07 · Deduplication
#
# Two parcels came. The customer had ordered one tea; her phone had been in a tunnel, the shop's answer
# got lost, and the app sent the order again. In the warehouse two labels were printed, one for each
# time it arrived. Nobody did anything wrong.
#
# An event that arrives a second time is a **copy**, and copies are a part of every stream. To take them
# out, a query must answer two questions: *what makes two events the same?* and *how long do I have
# to remember?* Both sound easy and neither is. In this lesson you
#
# - make copies for real, with a writer that is killed,
# - see what `dropDuplicates` keeps, and why the time in its key is mostly wrong and sometimes right,
# - find out what `dropDuplicatesWithinWatermark` promises, and make it let one slip,
# - choose its delay by measuring,
# - repair a query whose ids pile up,
# - build a consumer that counts everything once, although it arrives *at least* once.
#
# You need lesson 02 (state, restart) and lesson 03 (watermarks). Plan two hours.

# %% tags=["given"]
from datetime import datetime, timedelta
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

import grader

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## Where copies come from
#
# - **A sender that is not sure.** It got no answer, so it tries again. That is a *retry*, and often it
#   carries a new time.
# - **A writer that dies.** Lesson 01: Spark's Kafka sink is *at least once*. Killed between the write and
#   the commit, a query writes its batch again.
# - **A person who plays yesterday again**, because something was mended.
#
# Let us make some of the second kind. This query writes a label for each order, and gives each label a
# random id of its own.

# %%
ORDER = "order_id STRING, item STRING, sent_at TIMESTAMP"
orders_topic = kafka.create_topic("lesson07-orders")
labels_topic = kafka.create_topic("lesson07-labels")
labels_checkpoint = grader.fresh_checkpoint()

labels = grader.read_topic(orders_topic, ORDER).withColumn("label_id", F.expr("uuid()"))

kafka.send(
    orders_topic,
    [
        {"order_id": "a", "item": "tea", "sent_at": "2026-03-01T12:00:00Z"},
        {"order_id": "b", "item": "mug", "sent_at": "2026-03-01T12:01:00Z"},
        {"order_id": "c", "item": "tea", "sent_at": "2026-03-01T12:01:00Z"},
    ],
)
grader.run_once(labels, labels_topic, labels_checkpoint)

# %% [markdown]
# Now the kill. As in lesson 02 we take the newest commit away: the batch has been written, and nobody
# knows. No order has come since. Then we start the query again.


# %%
def die_before_the_commit(checkpoint: str) -> None:
    """Take away the newest commit."""
    newest = max(Path(checkpoint, "commits").glob("[0-9]*"), key=lambda path: int(path.name))
    newest.unlink()
    newest.with_name(f".{newest.name}.crc").unlink(missing_ok=True)


die_before_the_commit(labels_checkpoint)
grader.run_once(labels, labels_topic, labels_checkpoint)

for label in kafka.read(labels_topic):
    print(label["order_id"], label["sent_at"][11:19], label["label_id"])

# %% [markdown]
# Six labels for three orders, for real. Look at the columns. `order_id` and `sent_at` are the same in
# both copies: they were made *before* the write, and the second write repeats them. `label_id` was made
# *by* the write, and is another one each time.
#
# So this is the first answer. An event's **identity** is what was made once, at the place where the
# thing happened, and travels along. A random id that is drawn while writing is none, however unique it
# looks: it tells two writes apart, not two orders. The time at which a till or an app sends something is
# none either. If the source gives no identity, the place in the source can serve (topic, partition and
# offset of the record that it was made from): a repeated batch reads the same offsets.
#
# ## Three ways to drop copies
#
# Spark's operator is `dropDuplicates(["…", "…"])`: of all rows with equal values in these columns, the
# first to come stays (within one batch: any of them). The columns are its **key**. What it has seen it keeps in state, one row a key.
# (Null equals null here: of all rows without an id one stays, and the others count as its copies.)
#
# In lesson 02 you saw it keep every order id, for ever. What was sent again there (clicks, in 02.4) came unchanged.
# Now the app stamps every retry anew. Two hours of orders, one each 30 seconds; every fourth is sent again
# after 40 seconds:

# %%
busy_topic = kafka.create_topic("lesson07-busy")
busy = grader.read_topic(busy_topic, ORDER)


def hour_of_orders(hour: int) -> list[dict]:
    """120 orders, and 30 retries that differ from their orders only in time."""
    start = datetime(2026, 3, 2, hour)
    found = []
    for number in range(120):
        times = [start + timedelta(seconds=30 * number)]
        if number % 4 == 0:
            times.append(times[0] + timedelta(seconds=40))
        order = {"order_id": f"{hour}-{number}", "item": "tea"}
        found += [{**order, "sent_at": f"{time.isoformat()}Z"} for time in times]
    return sorted(found, key=lambda order: order["sent_at"])


def came_and_kept(rows: DataFrame, checkpoint: str, to: str) -> tuple[int, int]:
    """Run a query over what is there; how many rows it has written in all, how many it keeps."""
    query = (
        rows.select(F.to_json(F.struct("*")).alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", to)
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    kept = query.recentProgress[-1].stateOperators[0].numRowsTotal
    return len(kafka.read(to)), kept


def two_hours(ways: dict[str, DataFrame]) -> None:
    """After each hour of orders: what came out of each way so far, and what it keeps."""
    places = {name: (grader.fresh_checkpoint(), kafka.unique_topic("once")) for name in ways}
    for hour in (9, 10):
        kafka.send(busy_topic, hour_of_orders(hour))
        for name, rows in ways.items():
            came, kept = came_and_kept(rows, *places[name])
            print(f"{hour + 1}:00  {name:34} came out {came:4}   kept {kept:4}")


# %% [markdown]
# The first way compares the id, the second id and time. The third you borrowed in lesson 02: it compares the id, and
# takes from the watermark how long to remember. **Before you run it:** 240 orders, 60 retries. For each
# way, how many rows come out in all, and which of the three will still grow in a year?

# %%
timed = busy.withWatermark("sent_at", "10 minutes")

two_hours(
    {
        "dropDuplicates, id": timed.dropDuplicates(["order_id"]),
        "dropDuplicates, id and time": timed.dropDuplicates(["order_id", "sent_at"]),
        "dropDuplicatesWithinWatermark, id": timed.dropDuplicatesWithinWatermark(["order_id"]),
    }
)

# %% [markdown]
# - **The id alone** is right and keeps every id. A watermark is there, but an id has no time that it could
#   reach. In a year you have a year of ids. (It still drops late rows, by the time in the row. But where nothing behind it
#   reads that column, as with a `select` without the time, Spark leaves the column out before the operator, and then nothing
#   is too late. To *forget*, it would need the time in the key.)
# - **Id and time** forgets: a key with the watermark's column in it goes as soon as the watermark
#   reaches that time. But all 60 retries came out, since a retry with a new time is a new key. This is the
#   usual mistake, because it is the one that makes the state small.
# - **`dropDuplicatesWithinWatermark`** is right and forgets. It compares the id only, and writes beside
#   it how long to keep it: until the time of the row that came out, the id's *first* time, plus one delay.
#
# ## A worked example
#
# What does the third way promise? Watch it on a few orders with a delay of two minutes.


# %% tags=["example"]
def once(orders: DataFrame) -> DataFrame:
    return orders.withWatermark("sent_at", "2 minutes").dropDuplicatesWithinWatermark(["order_id"])


# %% [markdown]
# First on the six labels that the killed writer left; it does not look at `label_id`.

# %%
clean_topic = kafka.create_topic("lesson07-clean")
clean_checkpoint = grader.fresh_checkpoint()
grader.run_once(once(grader.read_topic(labels_topic, ORDER)), clean_topic, clean_checkpoint)
kafka.read(clean_topic)

# %% [markdown]
# Three. Now five steps in which the time goes on. An id is kept until the watermark reaches its *first* time
# plus the delay; the last column says when that is.
#
# | step | deliveries | watermark after it | ids kept after it, and until when |
# | --- | --- | --- | --- |
# | 1 | a 12:00:00, b 12:01:00 | 11:59:00 | a 12:02:00, b 12:03:00 |
# | 2 | a 12:01:30, c 12:03:00 | 12:01:00 | a 12:02:00, b 12:03:00, c 12:05:00 |
# | 3 | b 12:01:00, d 12:04:30 | 12:02:30 | b 12:03:00, c 12:05:00, d 12:06:30 |
# | 4 | a 12:04:00, b 12:03:30 | 12:02:30 | ? |
# | 5 | e 12:30:00 | 12:28:00 | ? |
#
# Three bets: rows *dropped* by the watermark in step 3, *rows* that come out in step 4, ids in *state* after
# step 5. `grader.predict("07.0", dropped=…, rows=…, state=…)`.

# %%
grader.predict("07.0")

# %%
grader.lens("07.0", once)

# %% [markdown]
# ![Five steps: a and b come out in step 1, c in step 2, d in step 3, where the second b lies on the watermark and is dropped as late; in step 4 a comes out once more, and e in step 5.](07.0.svg)

# %% [markdown]
# Play with it: the delay is also the memory. With 5 minutes one row less comes out. With 0 seconds there are as
# many as with 2 minutes, and not the same: which, and why? *Ask Spark* plays the same on the broker.

# %%
grader.explore("07.0")

# %% [markdown]
# In the picture a hollow dot did not come out, as its id was known: `a` in step 2 and `b` in step 4. The cross is `b` in
# step 3, which lies on the watermark's line: it was dropped as late.
#
# Three things can happen to a second delivery:
#
# | | when | and then |
# | --- | --- | --- |
# | it is **too late** | its own time is the watermark or older | dropped, whoever it is |
# | it is **known** | its id is still kept | dropped as a copy |
# | it is **new** | its id was let go, or never kept (the first was itself too late) | it comes out, and is kept from now on |
#
# Put the first two together and you have the promise. To let go of the id of `a`, the watermark must reach
# its first time plus the delay. From then on everything up to that time is too late. So:
#
# > **Of deliveries of one id that are all within one delay of the first, at most one comes out. That is certain. Further
# > from the first, they may be dropped or not.**
#
# In step 4 both copies were further apart than two minutes. One slipped through, one did not. And three
# things are *not* promised: that a copy further apart comes out, that a known copy prolongs the memory (it
# does not: the first time counts), and that a late *first* delivery is spared (it is dropped, too).
#
# `dropDuplicatesWithinWatermark` needs a watermark and, on its own, append or update as output mode. Both do
# the same here, since a row comes out at once and is never changed.
#
# ## Exercise 07.1: retries that differ only in time
#
# Print each label once. The app sends an order again if it gets no answer, each time with a new `sent_at`,
# for at most five minutes after the first try. A try, the first or another, that is five minutes or more behind the newest
# one of the steps before comes too late for today's van; drop it, the nightly report brings it.
#
# **In:** `orders` with `order_id`, `item` (null if the shop chooses what it sends; nothing else is null), `sent_at`.
# **Out:** exactly `order_id` and `item`, each order once, as soon as it comes, in append mode. No id may be kept for longer than
# it is needed.

# %%
grader.predict("07.1")


# %% nbgrader={"grade": false, "grade_id": "orders_once", "locked": false, "solution": true}
def orders_once(orders: DataFrame) -> DataFrame:
    """Each order once, although its retries have other times: order_id, item."""
    ### BEGIN SOLUTION
    timed = orders.withWatermark("sent_at", "5 minutes")
    return timed.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-orders_once", "locked": true, "points": 3, "solution": false}
grader.check("07.1", orders_once)

# %% [markdown]
# ## Exercise 07.2: let one slip through
#
# Now the other way round: the query is given, and *you* write the events. This is the query; the delay is
# ten minutes.


# %% nbgrader={"grade": false, "grade_id": "given-ten_minutes_once", "locked": true, "solution": false}
def ten_minutes_once(orders: DataFrame) -> DataFrame:
    return orders.withWatermark("sent_at", "10 minutes").dropDuplicatesWithinWatermark(["order_id"])


# %% [markdown]
# Find events on which all of this happens:
#
# - order `a1` comes out exactly **twice**: one of its copies slips through,
# - exactly **one** delivery is recognised as a copy,
# - exactly **one** delivery is dropped by the watermark as too late,
# - with **five events** at most.
#
# Return a list of steps; each step is a list of events, and an event is `{"order_id": …, "sent_at": …}` with
# a time such as `"12:00:00"` (of 1 March 2026, UTC). The check sends your events to Kafka, runs the query once
# a step on real Spark, and looks at what it did. These are two steps with one event each:
#
#     [[{"order_id": "a1", "sent_at": "12:00:00"}],
#      [{"order_id": "b1", "sent_at": "12:03:00"}]]
#
# Paper first: for each step, the watermark after it, and until when `a1` is kept. The lens takes your events,
# too: `grader.lens("07.2", one_slips)`.


# %% nbgrader={"grade": false, "grade_id": "one_slips", "locked": false, "solution": true}
def one_slips() -> list:
    """Steps of events: a1 comes out twice, one copy is recognised, one delivery is late."""
    ### BEGIN SOLUTION
    return [
        [
            {"order_id": "a1", "sent_at": "12:00:00"},
            {"order_id": "a1", "sent_at": "12:05:00"},
        ],
        [{"order_id": "b1", "sent_at": "12:30:00"}],
        [
            {"order_id": "a1", "sent_at": "12:15:00"},
            {"order_id": "a1", "sent_at": "12:25:00"},
        ],
    ]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-one_slips", "locked": true, "points": 3, "solution": false}
grader.check("07.2", one_slips)

# %% [markdown]
# ## Exercise 07.3: choose a delay by how far copies are apart
#
# The delay does two things at once: it says how far apart copies may be, and how far behind an order may be
# before it is thrown away. In lesson 03 you chose a delay by lateness alone. Here are yesterday's deliveries
# in the order in which they came; each has its order and the time that the app gave it.

# %%
YESTERDAY = """
k01 18:00:00 | k02 18:01:10 | k01 18:00:40 | k03 18:02:30 | k04 18:03:20 | k03 18:04:00
k05 18:02:50 | k06 18:06:00 | k07 18:07:30 | k06 18:08:20 | k08 18:05:20 | k09 18:11:00
k06 18:12:40 | k02 18:01:10 | k10 18:14:00 | k09 18:14:10 | k11 18:15:30 | k12 18:13:10
"""


def seconds(clock: str) -> int:
    hours, minutes, rest = map(int, clock.split(":"))
    return 3600 * hours + 60 * minutes + rest


newest, first, last = 0, {}, {}
print("order  sent at     behind   from first   from last")
for delivery in YESTERDAY.replace("\n", "|").strip("|").split("|"):
    order, clock = delivery.split()
    sent = seconds(clock)
    newest = max(newest, sent)
    apart = ("", "")
    if order in first:
        apart = (f"{sent - first[order]} s", f"{sent - last[order]} s")
    print(f"{order}    {clock}  {newest - sent:6} s {apart[0]:>12} {apart[1]:>11}")
    first.setdefault(order, sent)
    last[order] = sent

# %% [markdown]
# `behind` is how far a delivery was behind the newest one by then. `from first` is how far a copy is from the
# first delivery of its order, `from last` how far from the delivery before it. All three are event time.
#
# The shop's rule gives one delay:
#
# 1. every copy of these eighteen deliveries must *certainly* be dropped,
# 2. no *order* may be lost: with a delay of 180 seconds, one that is 180 seconds behind can be late,
# 3. of all delays with which both hold, take the smallest, rounded up to a full minute.


# %% tags=["given"]
def orders_within(orders: DataFrame, delay: str) -> DataFrame:
    """Each order once, with columns order_id and item; `delay` such as "3 hours"."""
    timed = orders.withWatermark("sent_at", delay)
    return timed.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")


# %%
grader.predict("07.3")


# %% nbgrader={"grade": false, "grade_id": "with_measured_delay", "locked": false, "solution": true}
def with_measured_delay(orders: DataFrame) -> DataFrame:
    """Each order once, with the delay that the rule gives: return orders_within(orders, "…")."""
    ### BEGIN SOLUTION
    return orders_within(orders, "7 minutes")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-with_measured_delay", "locked": true, "points": 2, "solution": false}
grader.check("07.3", with_measured_delay)

# %% [markdown]
# What does a minute of delay cost? An id is kept until the watermark is one delay past its first time, and the
# watermark is itself one delay behind. At 1,000 orders a second, a minute of delay is 120,000 ids; an hour is
# 7.2 million. So measure, and look at the price before you write "1 day".
#
# ## Exercise 07.4: ids that pile up
#
# In the parcel centre every parcel passes gates, and every gate sends a scan. A gate that is not sure sends
# the scan again **with its time**, but the second time without the milliseconds: 12:00:05.250, then 12:00:05.
# A parcel passes several gates, and sometimes the same gate again; those are scans of their own, never
# two in the same second.
#
# So a parcel's id does not say which scan it is: the parcel *and its time in whole seconds* do. This time the time
# belongs in the key. A colleague knew that, and cut off the milliseconds:


# %%
def scans_as_it_is(scans: DataFrame) -> DataFrame:
    timed = scans.withWatermark("scanned_at", "10 minutes")
    whole = timed.withColumn("scanned_at", F.date_trunc("second", "scanned_at"))
    return whole.dropDuplicates(["parcel_id", "scanned_at"])


grader.lens("07.4", scans_as_it_is)

# %% [markdown]
# The rows are right. Yet the job has been asking for more memory every week, although it has a watermark, and
# the watermark's column is in the key. Or is it?
#
# `withWatermark` leaves a mark on a column, and one can see it: the metadata of a column holds the delay in
# milliseconds.

# %%
scans_topic = kafka.create_topic("lesson07-scans")
scans = grader.read_topic(scans_topic, "parcel_id STRING, gate STRING, scanned_at TIMESTAMP")

print(scans.schema["scanned_at"].metadata)
print(scans.withWatermark("scanned_at", "10 minutes").schema["scanned_at"].metadata)

# %% [markdown]
# Now `whole`, the line that comes next in `scans_as_it_is`. What metadata does its `scanned_at` have? Say it before you run:

# %%
timed = scans.withWatermark("scanned_at", "10 minutes")
whole = timed.withColumn("scanned_at", F.date_trunc("second", "scanned_at"))
print(whole.schema["scanned_at"].metadata)

# %% [markdown]
# Repair the query.
#
# **In:** `scans` with `parcel_id` and `scanned_at`, which every scan has, and `gate` (null if a gate does not know
# its name). Counted in whole seconds, no scan comes ten minutes or more behind the newest one.
# **Out:** as now, exactly `parcel_id`, `gate` and `scanned_at` in whole seconds; each scan once, at once. What
# must change is how much is kept: no more than that promise needs. Either way of forgetting will do.

# %%
grader.predict("07.4")


# %% nbgrader={"grade": false, "grade_id": "scans_once", "locked": false, "solution": true}
def scans_once(scans: DataFrame) -> DataFrame:
    """Each scan once, with state that shrinks: parcel_id, gate, scanned_at in whole seconds."""
    ### BEGIN SOLUTION
    whole = scans.withColumn("scanned_at", F.date_trunc("second", "scanned_at"))
    timed = whole.withWatermark("scanned_at", "10 minutes")
    return timed.dropDuplicates(["parcel_id", "scanned_at"])
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-scans_once", "locked": true, "points": 4, "solution": false}
grader.check("07.4", scans_once)

# %% [markdown]
# So when does the time belong in the key? When it is a part of the identity, as here, or when every copy
# has the time of its original to the last digit. Then it is even the leaner way: a key goes one delay
# sooner. When anybody on the way may stamp an event anew, it does not.
#
# ## A key cannot be changed
#
# The shop's first query, the one over the labels, runs in production. Somebody finds out that a big order
# is sent item by item, under one id. So the item must be in the key as well. One more word in the code, a
# restart:

# %%
by_id_and_item = (
    grader.read_topic(labels_topic, ORDER)
    .withWatermark("sent_at", "2 minutes")
    .dropDuplicatesWithinWatermark(["order_id", "item"])
)
kafka.send(labels_topic, [{"order_id": "d", "item": "mug", "sent_at": "2026-03-01T12:05:00Z"}])
try:
    grader.run_once(by_id_and_item, clean_topic, clean_checkpoint)
except Exception as error:
    refused = str(error)
    print(*refused[refused.index("[STATE_STORE") :].splitlines()[:3], sep="\n")

# %% [markdown]
# Spark compares the key that the checkpoint was written with and the key of the query, and refuses. It has
# to: the state holds `a`, `b` and `c` without an item, and nobody can say which item they were of. Going from
# `dropDuplicates` to `dropDuplicatesWithinWatermark` is refused as well, and so is the way back.
#
# What it compares is number and type of the columns, as the message says, and *not their names*. Put `item`
# in the place of `order_id`, as both are texts, and the query starts without a word; an item that happens to be
# called `a` is then a copy of order `a`. Nothing but the author can notice. (The delay may be changed: a checkpoint
# takes another one.)
#
# There is no mend, only a new checkpoint, and that has a price: the new query knows no id. Let it begin where
# the old one stopped, and copies of what came shortly before slip through. Let it begin two delays
# earlier (as far back as the ids reach that the old one knew), and it knows them again but gives out those orders once more. Which one is better depends on
# who reads the output. (More on changes that a checkpoint survives in lesson 13.)
#
# ## Exercise 07.5: effectively once
#
# Back to the killed writer. The cash system writes every booking to a topic, at least once. On the wall of the
# office hangs a screen with the takings by payment method, and since last night's restart it shows
# too much.
#
# Nobody can make the writer write once. But a reader can arrange things so that a second write *has no
# effect*. (In lesson 01 the *sink* refused the second write. Here it stands in the topic, and the reader makes it count for
# nothing.) That is called **effectively once**, and it takes three parts: an identity that travels with the
# record, a memory of it that survives a kill of the *reader*, and an end for that memory.
#
# | column | |
# | --- | --- |
# | `order_id` | the order |
# | `kind` | `sale`, or `refund`: money back for that order, whole and once at most |
# | `method` | `card`, `wallet`, `invoice` |
# | `cents` | the amount; negative for a refund, null if the till does not know it |
# | `booked_at` | when the till booked it |
# | `written_at` | when the cash system wrote the record, null if it did not note that; nothing else is ever null |
#
# A booking may be written several times, at any time after; only `written_at` is new then. No *first* writing
# of a booking is ten minutes or more behind the newest `booked_at`.
#
# **In:** `bookings` with these columns, and `kafka`. **Out:** a writer, not started, to the topic
# `kafka.topic("screen")`: in each step, for each method whose figures change, a record with the method as `key` and as
# `value` the JSON `{"method": …, "bookings": …, "cents": …}`: how many bookings so far (a refund is one, too), and the
# sum of the known amounts, each booking once. (Where all of them are unknown `sum` gives null, and `to_json` leaves the
# field out; that is right, and so is 0.) Which output mode does that? The check sets checkpoint and trigger.
#
# It also kills *your* query after step 3, between the write and the commit. The same record may then arrive
# twice, and the totals must be right. Keep the ids in Spark's state, and let the memory end: once the newest booking is
# twenty minutes past a booking, its id must be gone. Either way of forgetting will do, and so will any delay that keeps to this and loses no first writing.

# %%
grader.predict("07.5")


# %% nbgrader={"grade": false, "grade_id": "takings", "locked": false, "solution": true}
def takings(bookings: DataFrame, kafka) -> DataStreamWriter:
    """Bookings and cents so far of each method that changed, to the topic screen. Not started."""
    ### BEGIN SOLUTION
    timed = bookings.withWatermark("booked_at", "10 minutes")
    once = timed.dropDuplicatesWithinWatermark(["order_id", "kind"])
    totals = once.groupBy("method").agg(
        F.count("*").alias("bookings"), F.sum("cents").alias("cents")
    )
    value = F.to_json(F.struct("method", "bookings", "cents"))
    return (
        totals.select(F.col("method").alias("key"), value.alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("screen"))
        .outputMode("update")
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-takings", "locked": true, "points": 4, "solution": false}
grader.check("07.5", takings)

# %% [markdown]
# ## Fresh questions
#
# Small streams that nobody has seen before, and questions about them: what is kept, and what comes out
# twice? A wrong choice is answered with the idea behind it. The questions grow harder with you, and come
# back after some days.

# %%
grader.drill("deduplication")

# %% [markdown]
# ## What you can now do
#
# - say where copies come from, and find an event's identity: what was made once, before the first write;
# - choose among three ways: the id alone (right, and kept for ever), id and time (forgets, and right only
#   if copies keep their time), `dropDuplicatesWithinWatermark` (compares the id, forgets by the watermark);
# - state its promise: within one delay of the first, at most one comes out; further from it, who knows;
# - choose the delay by how far copies are apart from the *first*, and see its price in ids;
# - notice a watermark that was lost on the way, in a column's metadata;
# - say what a changed key costs, and turn at-least-once into effectively once.

# %%
grader.progress()

# %% [markdown]
# Next: **08 Session windows**. There it is the events themselves that say when a group is over.
