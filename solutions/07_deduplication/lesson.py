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
# Two parcels arrived, but the customer had ordered one tea. Their phone had been in a tunnel, the shop's answer was
# lost, and the app sent the order again. The warehouse printed a label for each record that arrived. Every part of
# the system did its job.
#
# An event that arrives a second time is a **duplicate**, and every stream has some. To drop duplicates, a query must
# answer two questions: *what makes two events the same?* and *how long must the query remember them?* Both sound
# easy, and neither is.
#
# **Objectives** · In this lesson you
#
# - produce real duplicates, with a writer that is killed,
# - compare what `dropDuplicates` keeps in state with and without the event time in its key,
# - predict what `dropDuplicatesWithinWatermark` (Spark 3.5+) guarantees, and find events that get past it,
# - choose its delay from measured distances,
# - repair a deduplication whose state grows forever,
# - build a consumer that counts each booking once, although its producer is *at-least-once*.
#
# **Prerequisites** · at-least-once sinks (lesson 01), state and restarts (lesson 02), watermarks (lesson 03).
#
# **Time** · 110 minutes for an engineer, 190 minutes for a student.
#
# **Fast path** · 25 minutes: run the cells up to the end of the worked example. Then do exercise 07.1 and read the
# recap.

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
# ## Where duplicates come from
#
# - **A sender that is not sure.** It got no answer, so it sends the event again. That is a *retry*, and a retry often
#   has a new time.
# - **A writer that dies.** Spark's Kafka sink is *at-least-once* (lesson 01). If a query is killed between the write
#   and the commit, it writes the micro-batch again after its restart.
# - **A replay.** A bug is fixed, and yesterday's data is processed again.
#
# Let us produce duplicates of the second kind. This query writes a label for each order, and gives each label a
# random id.

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
# Now the kill. As in lesson 02 we remove the newest commit: the micro-batch has been written, but the checkpoint does
# not know it. No new order has arrived. Then we start the query again.


# %%
def die_before_the_commit(checkpoint: str) -> None:
    """Remove the newest commit."""
    newest = max(Path(checkpoint, "commits").glob("[0-9]*"), key=lambda path: int(path.name))
    newest.unlink()
    newest.with_name(f".{newest.name}.crc").unlink(missing_ok=True)


die_before_the_commit(labels_checkpoint)
grader.run_once(labels, labels_topic, labels_checkpoint)

for label in kafka.read(labels_topic):
    print(label["order_id"], label["sent_at"][11:19], label["label_id"])

# %% [markdown]
# Six labels for three orders. Look at the columns. Both labels of an order have the same `order_id` and `sent_at`:
# these were made *before* the write, and the second write repeats them. Each label has its own `label_id`, because it
# is drawn *during* the write.
#
# This answers the first question. An event's **identity** is made once, where the event happens, and travels with the
# event. A random id that the writer draws is not an identity, however unique it looks: it distinguishes two writes,
# not two orders. The time at which a cash register or an app *sends* something is not an identity either.
#
# If the source gives no identity, use the record's place in the source: its topic, partition and offset. A repeated
# micro-batch reads the same offsets.

# %% [markdown]
# ## Three ways to drop duplicates: `dropDuplicates` and the watermark
#
# Spark's operator is `dropDuplicates(["…", "…"])`. Of all rows with equal values in these columns, it emits the first
# that arrives. Within one micro-batch it may be any of them. The columns are its **key**. It keeps every key that it
# has seen in state, 1 row per key. Null equals null here: of all rows without an id Spark emits one, and drops the
# others as duplicates.
#
# In lesson 02 this operator kept every order id forever. The clicks that were sent again in 02.4 were unchanged. Now
# the app gives each retry a new time. The next cells send two hours of orders, one every 30 seconds. Every fourth
# order is sent again after 40 seconds:

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
    """Run a query over what is in its topic; return the rows written in all, and the rows in state."""
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
    """Print after each hour of orders how many rows each way has emitted, and how many it keeps."""
    places = {name: (grader.fresh_checkpoint(), kafka.unique_topic("once")) for name in ways}
    for hour in (9, 10):
        kafka.send(busy_topic, hour_of_orders(hour))
        for name, rows in ways.items():
            came, kept = came_and_kept(rows, *places[name])
            print(f"{hour + 1}:00  {name:34} came out {came:4}   kept {kept:4}")


# %% [markdown]
# The first way compares the id, the second way id and time. The third way is borrowed from lesson 02: it compares the
# id, and takes from the watermark how long to remember it.
#
# **Predict before you run:** 240 orders, 60 retries. How many rows does each way emit in all? Which of the three
# still grows in a year?

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
# - **The id alone** emits the right rows and keeps every id. The query has a watermark, but an id has no time that
#   the watermark could reach. In a year the state holds a year of ids. To evict an id, this operator needs the time
#   in its key.
# - **Id and time** evicts: a key that contains the watermark's column is evicted as soon as the watermark reaches
#   that time. But it emitted all 60 retries, because a retry with a new time is a new key. This is the usual mistake,
#   because it is the one that makes the state small.
# - **`dropDuplicatesWithinWatermark`** emits the right rows and evicts. It compares only the id, and stores next to
#   the id how long to keep it. That is the id's *first* time, the time of the row that was emitted, plus one delay.
#
# One detail about the first way. It still drops late rows, by the time in the row. But if nothing downstream reads
# that time, as after a `select` without it, Spark removes the column upstream of the operator. Then no row is late.
#
# ## Worked example: the promise of `dropDuplicatesWithinWatermark`
#
# What does the third way promise? Watch it on a few orders with a delay of two minutes.


# %% tags=["example"]
def once(orders: DataFrame) -> DataFrame:
    return orders.withWatermark("sent_at", "2 minutes").dropDuplicatesWithinWatermark(["order_id"])


# %% [markdown]
# First we use it on the six labels that the killed writer left. It does not look at `label_id`.

# %%
clean_topic = kafka.create_topic("lesson07-clean")
clean_checkpoint = grader.fresh_checkpoint()
grader.run_once(once(grader.read_topic(labels_topic, ORDER)), clean_topic, clean_checkpoint)
kafka.read(clean_topic)

# %% [markdown]
# Three. Now five steps in which event time advances. An id is kept until the watermark reaches its *first* time plus
# the delay. The last column says when that is.
#
# | step | records | watermark after it | ids kept after it, and until when |
# | --- | --- | --- | --- |
# | 1 | a 12:00:00, b 12:01:00 | 11:59:00 | a 12:02:00, b 12:03:00 |
# | 2 | a 12:01:30, c 12:03:00 | 12:01:00 | a 12:02:00, b 12:03:00, c 12:05:00 |
# | 3 | b 12:01:00, d 12:04:30 | 12:02:30 | b 12:03:00, c 12:05:00, d 12:06:30 |
# | 4 | a 12:04:00, b 12:03:30 | 12:02:30 | ? |
# | 5 | e 12:30:00 | 12:28:00 | ? |
#
# Predict three numbers: rows *dropped* by the watermark in step 3, *rows* emitted in step 4, and ids in *state* after
# step 5. The call is `grader.predict("07.0", dropped=…, rows=…, state=…)`.

# %%
grader.predict("07.0")

# %%
grader.lens("07.0", once)

# %% [markdown]
# ![Five steps. Step 1 emits a and b, step 2 emits c, step 3 emits d. In step 3 the second b is on the watermark and is dropped as late. Step 4 emits a again, and step 5 emits e.](07.0.svg)

# %% [markdown]
# Try other delays: the delay is also how long an id is remembered. With 5 minutes one row less is emitted. With 0
# seconds there are as many rows as with 2 minutes, but not the same ones: which, and why? *Ask Spark* runs the same
# events on the broker.

# %%
grader.explore("07.0")

# %% [markdown]
# In the picture a hollow dot is a row that was dropped as a duplicate: `a` in step 2 and `b` in step 4. The cross
# is `b` in step 3. It is on the line of the watermark, so it was dropped as late.
#
# Three things can happen to a second record of an id:
#
# | the record is | when | result |
# | --- | --- | --- |
# | **late** | its own time is the watermark or older | dropped, whatever its id is |
# | **known** | its id is still in state | dropped as a duplicate |
# | **new** | its id was evicted, or was never stored because the first record was late | emitted, and its id is stored from now on |
#

# %% [markdown]
# Put the first two together and you have the promise. Before the id of `a` is evicted, the watermark must reach its
# first time plus the delay. From then on every row up to that time is late. So:
#
# > **Of the records of one id that are all within one delay of the first, at most one is emitted. That is certain.
# > Beyond one delay, nothing is guaranteed: a record may be dropped or emitted.**
#
# In step 4 both duplicates were more than two minutes after their first record. One slipped through, one did not.
# Three things are *not* promised:
#
# - A record beyond the delay is not sure to be emitted.
# - A known duplicate does not extend the memory: the first time counts.
# - A late *first* record is dropped like any other late row.
#
# `dropDuplicatesWithinWatermark` needs a watermark. Alone it accepts append and update mode. Both do the same here,
# because a row is emitted at once and never changes. If an aggregation follows, the aggregation decides on the mode.

# %% [markdown]
# ## Exercise 07.1: Retries that differ only in time
#
# The warehouse wants one label for each order. But the app sends an order again if it gets no answer, for at most five
# minutes after the first attempt. Each attempt has its own `sent_at`. Write `orders_once(orders)`.
#
# **Input** · `orders`: `order_id STRING`, `item STRING`, `sent_at TIMESTAMP`. `item` is null if the shop chooses what
# it sends. No other column is null.
#
# **Output** · one row per order, exactly the columns `order_id` and `item`; append mode.
#
# **Rules**
#
# 1. Emit each order once, however often it is sent. A retry has the `order_id` and the `item` of its order. Its
#    `sent_at` is at most 5 minutes after the first attempt (5 minutes included).
# 2. Two orders of the same item are two orders, even if their `sent_at` is the same.
# 3. Emit an order in the step in which it arrives.
# 4. Drop any record, first attempt or retry, that is 5 minutes or more behind the newest `sent_at` of the previous
#    steps. The nightly report handles it.
# 5. Evict an id as soon as rule 4 drops every retry of it that can still arrive.
# 6. Emit an order without an item like any other order.
#
# **Checked** · rows in state, which count half; also rows, the step of each row, the watermark after each step,
# dropped rows.

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
# ## Exercise 07.2: Let one duplicate slip through
#
# Now the query is given, and *you* write the events. This is the query. Its delay is ten minutes.


# %% nbgrader={"grade": false, "grade_id": "given-ten_minutes_once", "locked": true, "solution": false}
def ten_minutes_once(orders: DataFrame) -> DataFrame:
    return orders.withWatermark("sent_at", "10 minutes").dropDuplicatesWithinWatermark(["order_id"])


# %% [markdown]
# Show what happens beyond the promise: one duplicate of order `a1` gets past this query. Write `one_slips()`.
#
# **Input** · none.
#
# **Output** · a list of steps. A step is a list of events, and an event is `{"order_id": …, "sent_at": …}` with a
# time such as `"12:00:00"` (of 1 March 2026, UTC). These are two steps with one event each:
#
#     [[{"order_id": "a1", "sent_at": "12:00:00"}],
#      [{"order_id": "b1", "sent_at": "12:03:00"}]]
#
# **Rules**
#
# 1. The query emits order `a1` exactly **twice**: one duplicate slips through.
# 2. Exactly **one** record is recognized as a duplicate, because its id is still in state.
# 3. The watermark drops exactly **one** record as late.
# 4. Every emitted row of `a1` has a time, because a row without a time is never late.
# 5. There are at most **five events** in all.
#
# **Checked** · the check sends your events to Kafka and runs the query once per step on real Spark. It counts the rows
# of `a1`, the recognized duplicates, the dropped rows and the events. A step that advances the watermark ends with a
# no-data batch (lesson 03), which evicts ids.
#
# Take paper first: write down the watermark after each step, and until when `a1` is kept. The lens takes your events,
# too: `grader.lens("07.2", one_slips)`.


# %% nbgrader={"grade": false, "grade_id": "one_slips", "locked": false, "solution": true}
def one_slips() -> list:
    """Steps of events: a1 is emitted twice, one duplicate is recognized, one record is late."""
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
# ## Exercise 07.3: Choose a delay by how far duplicates are apart
#
# The delay does two things at once. It limits how far apart duplicates may be, and how late an order may be before it
# is dropped. In lesson 03 you chose a delay by lateness alone. Here are yesterday's records in the order in which they
# arrived. Each has its order and the time that the app gave it.

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
# The column `behind` says how far a record was behind the newest time so far. For a duplicate, `from first` is its
# distance from the first record of its order, and `from last` its distance from the previous one. All three are event
# time.
#
# Choose the smallest delay that is safe for these records. Write `with_measured_delay(orders)`.
#
# **Input** · `orders`: `order_id STRING`, `item STRING`, `sent_at TIMESTAMP`. Only `item` may be null. A retry has
# the item of its order.
#
# **Output** · what `orders_within(orders, delay)` of the next cell returns, with the delay that you choose; append
# mode.
#
# **Rules**
#
# 1. Every duplicate among these eighteen records must *certainly* be dropped: by the promise above, and not because of
#    the order in which they arrived.
# 2. No *first* record of an order may be dropped. A record that is exactly one delay behind counts as dropped, because
#    it is late if the newest record was in an earlier step.
# 3. A duplicate may be dropped in either way, as known or as late.
# 4. Of all delays that satisfy rules 1 and 2, take the smallest, rounded up to a full minute.
#
# **Checked** · the watermark after each step; also rows, the step of each row, dropped rows, rows in state.


# %% tags=["given"]
def orders_within(orders: DataFrame, delay: str) -> DataFrame:
    """Each order once, with columns order_id and item; `delay` such as "3 hours"."""
    timed = orders.withWatermark("sent_at", delay)
    return timed.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")


# %%
grader.predict("07.3")


# %% nbgrader={"grade": false, "grade_id": "with_measured_delay", "locked": false, "solution": true}
def with_measured_delay(orders: DataFrame) -> DataFrame:
    """Each order once, with the delay that the rules give: return orders_within(orders, "…")."""
    ### BEGIN SOLUTION
    return orders_within(orders, "7 minutes")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-with_measured_delay", "locked": true, "points": 2, "solution": false}
grader.check("07.3", with_measured_delay)

# %% [markdown]
# What does a minute of delay cost? An id is kept until the watermark is one delay past its first time, and the
# watermark itself is one delay behind. At 1,000 orders per second, a minute of delay costs 120,000 ids in state; an
# hour costs 7.2 million. So measure, and calculate the price before you write "1 day".

# %% [markdown]
# ## Exercise 07.4: Repair a deduplication whose state grows
#
# In the parcel center every parcel passes gates, and every gate sends a scan. A gate that is not sure sends the scan
# again **with its time**, but without the milliseconds: 12:00:05.250, then 12:00:05. A parcel passes several gates,
# and sometimes the same gate again. Those are separate scans, never two in the same second.
#
# So the id of a parcel does not identify a scan. The parcel *and its time in whole seconds* do. This time the time
# belongs in the key, and the query in production truncates the milliseconds:


# %%
def scans_as_it_is(scans: DataFrame) -> DataFrame:
    timed = scans.withWatermark("scanned_at", "10 minutes")
    whole = timed.withColumn("scanned_at", F.date_trunc("second", "scanned_at"))
    return whole.dropDuplicates(["parcel_id", "scanned_at"])


grader.lens("07.4", scans_as_it_is)

# %% [markdown]
# The rows are right. Yet the query needs more memory every week. It has a watermark, and the watermark's column is in
# the key. Or is it?
#
# `withWatermark` marks a column, and you can see the mark: the metadata of the column holds the delay in milliseconds.

# %%
scans_topic = kafka.create_topic("lesson07-scans")
scans = grader.read_topic(scans_topic, "parcel_id STRING, gate STRING, scanned_at TIMESTAMP")

print(scans.schema["scanned_at"].metadata)
print(scans.withWatermark("scanned_at", "10 minutes").schema["scanned_at"].metadata)

# %% [markdown]
# Now `whole`, the next line of `scans_as_it_is`. Predict the metadata of its `scanned_at` before you run:

# %%
timed = scans.withWatermark("scanned_at", "10 minutes")
whole = timed.withColumn("scanned_at", F.date_trunc("second", "scanned_at"))
print(whole.schema["scanned_at"].metadata)

# %% [markdown]
# Repair the query, so that its state stays small. Write `scans_once(scans)`.
#
# **Input** · `scans`: `parcel_id STRING`, `gate STRING`, `scanned_at TIMESTAMP`. `gate` is null if a gate does not
# know its name. No other column is null.
#
# **Output** · one row per scan, as now: exactly `parcel_id`, `gate` and `scanned_at` in whole seconds; append mode.
#
# **Rules**
#
# 1. Emit each scan once. Parcel and second identify a scan. A scan that is sent again has the same gate.
# 2. Emit a scan in the step in which it arrives.
# 3. Counted in whole seconds, no scan arrives 10 minutes or more behind the newest one. Wait for exactly that long:
#    the delay is 10 minutes.
# 4. The state must shrink as the watermark advances. You may use either deduplication operator.
# 5. Emit a scan without a gate like any other scan.
#
# **You can assume** · the newest scan of each step has no milliseconds.
#
# **Checked** · rows in state, which count half; also rows, the step of each row, the watermark after each step,
# dropped rows.

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
# So when does the time belong in the key? It belongs there when it is a part of the identity, as here, or when every
# duplicate has exactly the time of its original. Then the key with the time even keeps less: a key is evicted one
# delay sooner. If any system upstream may give an event a new time, leave the time out of the key.
#
# ## The deduplication key is fixed by the checkpoint
#
# The shop's first query, which reads the labels, runs in production. It turns out that a big order is sent item by
# item under one id. So the item must be in the key as well. The change is one more word in the code, and a restart:

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
# Spark compares the key in the checkpoint with the key of the query, and refuses. It must: the state holds `a`, `b`
# and `c` without an item, and nothing says which item they had. A change from `dropDuplicates` to
# `dropDuplicatesWithinWatermark` is refused as well, and so is the change back.
#
# Spark compares the number and the types of the columns, as the message says, but *not their names*. Put `item` in
# the place of `order_id`: both are strings, so the query starts silently. An item that happens to be called `a` is
# then a duplicate of order `a`. Only the author can notice that. A new delay is accepted: the checkpoint does not fix
# it.
#
# There is no fix other than a new checkpoint, and that has a price, because the new query knows no id:
#
# - If it starts where the old query stopped, duplicates of recent records slip through.
# - If it starts two delays earlier, which is as far back as the old query's ids reach, it knows these ids again. But
#   it emits those orders again.
#
# Which is better depends on who reads the output. Lesson 13 covers the changes that a checkpoint survives.

# %% [markdown]
# ## Exercise 07.5: Effectively once: count each booking once
#
# Back to the killed writer. The cash system writes every booking to a topic, at-least-once. A screen in the office
# shows the revenue by payment method, and since last night's restart it shows too much.
#
# You cannot make this writer write once. But a consumer can make a second write *have no effect*. That is called
# **effectively once**, and it takes three parts:
#
# - an identity that travels with the record,
# - a memory of it that survives a kill of the *consumer*,
# - an end for that memory.
#
# In lesson 01 the *sink* refused the second write. Here the second write stays in the topic, and the consumer ignores
# it.
#
# | column | type | meaning |
# | --- | --- | --- |
# | `order_id` | `STRING` | the order |
# | `kind` | `STRING` | `sale`, or `refund`: the whole amount of that order is paid back, at most once |
# | `method` | `STRING` | `card`, `wallet`, `invoice` |
# | `cents` | `INT` | the amount; negative for a refund; null if the cash register does not know it |
# | `booked_at` | `TIMESTAMP` | when the cash register made the booking |
# | `written_at` | `TIMESTAMP` | when the cash system wrote the record; null if it did not note that |
#
# Only `cents` and `written_at` are ever null.

# %% [markdown]
# Show the right revenue on the screen. Write `takings(bookings, kafka)`.
#
# **Input** · `bookings`: the columns above; `kafka`, for `kafka.bootstrap_servers` and `kafka.topic("screen")`.
#
# **Output** · a `DataStreamWriter` to the topic `kafka.topic("screen")` that has not been started. A record has the
# method as `key` and the JSON `{"method": …, "bookings": …, "cents": …}` as `value`. The check sets checkpoint and
# trigger.
#
# **Rules**
#
# 1. Count each booking once. A booking may be written several times, at any time later; only its `written_at` is new
#    then.
# 2. The sale and the refund of an order are two bookings. Both count in `bookings`.
# 3. `bookings` counts bookings of an unknown amount, too. `cents` is the sum of the known amounts so far. If none is
#    known, `cents` is 0 or left out, as by `to_json`.
# 4. In each step, write a record for each method whose totals change, and for no other.
# 5. Count every booking whose *first* record is less than 10 minutes behind the newest `booked_at`. No first record
#    is further behind.
# 6. Keep the ids in Spark's state. The totals must stay right after a kill of your query.
# 7. Evict an id at the latest when the newest booking is 20 minutes past its booking.
#
# **You can assume** · either deduplication operator is accepted, with any delay that satisfies rules 5 and 7.
#
# **Checked** · rows, the step of each row, rows in state, and the restart, which counts half. The check kills your query
# after step 3, before the commit. The same record may then arrive twice.

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
# ## Fresh questions: drill deduplication
#
# New small streams, and questions about them: what is kept, and what is emitted twice? A wrong choice is answered with
# the idea behind it. The questions become harder as you improve, and come back after some days.

# %%
grader.drill("deduplication")

# %% [markdown]
# ## Recap: the facts
#
# An event's identity is made once, before the first write. With `dropDuplicates`, a key is evicted only if it contains
# the watermark's column. With `dropDuplicatesWithinWatermark`, the time is not in the key: a key is evicted when the
# watermark reaches its first time plus the delay. Of the records of one id within one delay of the first, at most one
# is emitted; beyond the delay, nothing is guaranteed. A late row is dropped before its id is looked up. A column that
# is computed from the watermark's column has no watermark. The checkpoint fixes the number and the types of the key's
# columns. At-least-once input still gives the right totals if the consumer keeps the identities in its state.
#
# | operator and key | emits | evicts a key | use it if |
# | --- | --- | --- | --- |
# | `dropDuplicates`, id | each id once | never | the ids are few |
# | `dropDuplicates`, id and time | each id and time once | when the watermark reaches its time | every duplicate has the time of its original |
# | `dropDuplicatesWithinWatermark`, id | each id once, within one delay of its first time | when the watermark reaches its first time plus the delay | a duplicate may have a new time |

# %% [markdown]
# ## What you can now do
#
# - name the sources of duplicates, and find an event's identity;
# - choose among three ways to drop duplicates, and say what each keeps in state;
# - state the promise of `dropDuplicatesWithinWatermark`, and show what lies beyond it;
# - choose the delay by how far duplicates are from the *first*, and calculate its price in ids;
# - find a lost watermark in a column's metadata;
# - say what a changed key costs, and turn at-least-once input into totals that count each event once.
#
# ## Read more
#
# - [Streaming deduplication](https://spark.apache.org/docs/latest/streaming/apis-on-dataframes-and-datasets.html#streaming-deduplication)
#   in Spark's Structured Streaming guide
# - [`dropDuplicatesWithinWatermark`](https://spark.apache.org/docs/latest/api/python/reference/pyspark.sql/api/pyspark.sql.DataFrame.dropDuplicatesWithinWatermark.html)
#   in the PySpark reference
# - [SPARK-42931](https://issues.apache.org/jira/browse/SPARK-42931), which introduced it, and why
# - [Delivery semantics](https://kafka.apache.org/documentation/#semantics) in Kafka's documentation

# %%
grader.progress()

# %% [markdown]
# Next: **08 Session windows**. There the events themselves say when a group is complete.
