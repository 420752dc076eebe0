# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 17 · Tables and change data
#
# The shop keeps its orders in a PostgreSQL table. Your team needs this table as a stream, and the database team says:
# "You cannot query our server every second. Read our change events." The events are in Kafka, one for each change. By
# Monday, your copy of the table has orders that were deleted, and it shows a shipped order as `paid`.
#
# No message was lost. The copy is wrong because it took the messages in the order in which they arrived.
#
# **Objectives** · After this lesson you can
#
# - read a change event of Debezium: `before`, `after`, `op`, and the position in the log;
# - explain which field orders the changes of a row, and why two timestamps do not;
# - rebuild the current state of a table from a snapshot and changes in one stream;
# - handle deletes, tombstones, duplicates and messages out of order;
# - read records with the five-byte prefix of a schema registry, and apply the defaults of a schema;
# - say which new schemas a registry rejects.
#
# **Prerequisites** · lessons 01 (malformed records, restarts) and 02 (state, update mode, `max_by`).
#
# **Time** · engineer 45 minutes, student 80 minutes.
#
# **Fast path** · 25 minutes: run all cells up to exercise 17.1, and solve it.

# %% tags=["given"]
import json
from typing import Any

import grader
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## Change data capture: the messages of Debezium
#
# A database writes each change to its *write-ahead log* before it touches the table. **Change data capture** (CDC) reads
# this log. Debezium is a connector that does so: it writes a Kafka record for each changed row.
#
# The 32 messages below are real. PostgreSQL 15 and Debezium 3.6.1 wrote them, and the connector was killed and
# restarted meanwhile. `datasets/README.md` names the command that records such messages. Here is one of them:

# %%
messages = grader.events("order_changes")
print(json.dumps(messages[4], indent=1))

# %% [markdown]
# | field | contains |
# | --- | --- |
# | `before`, `after` | the row before and after the change; an insert has no `before`, a delete has no `after` |
# | `op` | `c` create, `u` update, `d` delete, and `r` for a row that the *snapshot* has read |
# | `source.lsn` | the position of the change in the log: the **log sequence number** (LSN) |
# | `source.ts_ms` | the time of the change in the database; here, the time of its commit |
# | `ts_ms` | the time at which the connector processed the change |
#
# The key of the record is the primary key of the row, `{"order_id":1}`. Now all messages, a line for each.
# `commit` is `source.ts_ms` and `ts` is `ts_ms`, each with its last six digits:


# %%
def line(message: dict | None) -> str:
    """A message in short: operation, times and position, order, status and cents."""
    if message is None:
        return "tombstone"
    row, source = message["after"] or message["before"], message["source"]
    now = message["after"] or {"status": "deleted", "cents": None}
    times = f"commit {source['ts_ms'] % 1_000_000}  ts {message['ts_ms'] % 1_000_000}"
    where = f"{message['op']}  lsn {source['lsn']}  {times}  order {row['order_id']:<3}"
    return f"{where} {now['status']} {now['cents']}"


for message in messages:
    print(line(message))

# %% [markdown]
# Four things are in this one stream:
#
# - **A snapshot.** The first four lines have `op` r. These rows were in the table when the connector started. The connector
#   reads the log only from its own start on, so it first reads the table once.
# - **Deletes and tombstones.** A delete has no `after`. Debezium then writes a second record with the same key and a null
#   value, a *tombstone*. It is for Kafka: in a compacted topic, the broker may then remove all records of the key.
# - **A changed primary key.** Order 5 became order 50. Debezium writes a delete of 5 and a create of 50, with the same
#   LSN.
# - **Duplicates.** The connector stores from time to time how far it has read. After a kill it continues from there, and
#   sends some changes a second time. This is at-least-once.
#
# The topic also got two more partitions while the connector was down. So the records of some orders are in two
# partitions, and Spark may read a newer one first.

# %% [markdown]
# ## Worked example: change events and an aggregation
#
# `before` makes an aggregation possible without a copy of the table. Each change takes the old row out of its group, and
# puts the new row into its group:


# %% tags=["example"]
def orders_by_status(changes: DataFrame) -> DataFrame:
    """How many orders have each status, from change events."""
    out = F.struct(F.col("before.status").alias("status"), F.lit(-1).alias("orders"))
    into = F.struct(F.col("after.status").alias("status"), F.lit(1).alias("orders"))
    moves = changes.select(F.inline(F.array(out, into))).where("status IS NOT NULL")
    return moves.groupBy("status").agg(F.sum("orders").alias("orders"))


# %% [markdown]
# In step 1 two orders are placed. In step 2 the first one is paid. **Predict** how many rows step 2 emits:

# %%
grader.predict("17.0")

# %% [markdown]
# **Predict before you look at the picture:** step 4 has one message. The connector was restarted, and sends the delete
# of order 2 a second time. Which counts are emitted?
#
# ![Counts by status in four steps: placed 2; then paid 1 and placed 1; then placed 0; then placed minus 1, after a duplicate.](17.0.svg)
#
# There are minus one placed orders. A sum over changes is right only if each change arrives exactly once. So remove the
# duplicates first (lesson 07), for example by order and LSN.
#
# ## The order of changes: two timestamps and a log position
#
# The newest change of an order wins. But which field says what is newest? **Predict:** below are all changes of order 3
# and of order 6, as they arrived. Which columns are in the same order as the changes in the database?

# %%
for message in messages:
    if message and (message["after"] or message["before"])["order_id"] in (3, 6):
        print(line(message))

# %% [markdown]
# - **Arrival** is wrong: an update of order 3 arrived after its delete.
# - **`ts_ms`** is wrong: the repeated insert of order 6 has a newer `ts_ms` than the delete that follows it in the log.
# - **`source.ts_ms`** is not enough: both updates of order 3 were in one transaction, so the time is the same.
# - **`source.lsn`** is right. A duplicate has the same LSN, and a later change of the row has a higher one.

# %% [markdown]
# ## Exercise 17.1: The current state of a table
#
# The support team wants to see each order as it is in the database. Write `order_table(changes)`.
#
# **Input** · `changes`: Kafka's columns, such as `key BINARY` and `value BINARY`. The value is a change event of
# Debezium in JSON, as above, with only the fields in the table above. The key is `{"order_id":…}`.
#
# **Output** · `order_id INT`, `customer STRING`, `status STRING`, `cents INT`, `deleted BOOLEAN`; update mode.
#
# **Rules**
# 1. Each micro-batch emits one row for each order that has a change in it, even if the change is an old one.
# 2. The row shows the order after its newest change so far. The newest change is the one with the highest `source.lsn`.
# 3. `deleted` is true if the newest change is a delete. Then `customer`, `status` and `cents` are null.
# 4. The rows of the snapshot are changes, too.
# 5. A tombstone is no change.
#
# **You can assume** · values are valid JSON or null. All messages are about one table of one database. `customer` and
# `cents` can be null in the table.
#
# **Checked** · the rows of each step.

# %% [markdown]
# **Sample** · the first two steps:
#
# | step | order_id | customer | status | cents | deleted |
# | --- | --- | --- | --- | --- | --- |
# | 1 | 1 | ana | paid | 1200 | false |
# | 1 | 2 | ben | placed | 450 | false |
# | 1 | 3 | null | paid | 3000 | false |
# | 1 | 4 | dora | placed | 99 | false |
# | 2 | 4 | null | null | null | true |
# | 2 | 5 | eli | placed | 700 | false |

# %%
grader.predict("17.1")


# %% nbgrader={"grade": false, "grade_id": "order_table", "locked": false, "solution": true}
def order_table(changes: DataFrame) -> DataFrame:
    """Each order after its newest change: order_id, customer, status, cents, deleted."""
    ### BEGIN SOLUTION
    row = "STRUCT<order_id INT, customer STRING, status STRING, cents INT>"
    schema = f"before {row}, after {row}, source STRUCT<lsn BIGINT>, op STRING"
    parsed = changes.where(F.col("value").isNotNull()).select(
        F.from_json(F.col("value").cast("string"), schema).alias("c")
    )
    order = F.coalesce("c.after.order_id", "c.before.order_id").alias("order_id")
    newest = parsed.groupBy(order).agg(F.max_by("c", "c.source.lsn").alias("c"))
    deleted = (F.col("c.op") == "d").alias("deleted")
    return newest.select("order_id", "c.after.customer", "c.after.status", "c.after.cents", deleted)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-order_table", "locked": true, "points": 4, "solution": false}
grader.check("17.1", order_table)

# %% [markdown]
# Your function also runs on a DataFrame that is not a stream. Below it gets the recorded messages in three orders: as they
# arrived, in reverse order, and each one twice. **Predict: how many different tables are printed?**


# %%
def as_records(messages: list[Any]) -> DataFrame:
    """Messages as records with the key and the value of Kafka; a tombstone has the key of the delete before it."""
    records, key = [], b""
    for message in messages:
        if message:
            number = (message["after"] or message["before"])["order_id"]
            key = json.dumps({"order_id": number}).encode()
        records.append((key, json.dumps(message).encode() if message else None))
    return spark.createDataFrame(records, "key BINARY, value BINARY")


for arrival in (messages, messages[::-1], messages + messages):
    print(sorted(tuple(row) for row in order_table(as_records(arrival)).collect()))

# %% [markdown]
# One table, three times. A merge by key and log position is **idempotent**: it needs no deduplication and no order of
# arrival. This makes it the standard way to write change events into a table.
#
# State keeps one row for each order, deleted orders included. Without the LSN of a delete, an old insert that arrives
# later would bring the order back.

# %% [markdown]
# ## Schema registry: five bytes before the payload
#
# A second team sends orders to a topic as well, with a *schema registry*. The registry is a server that stores the schemas
# of each topic. It gives each schema an id. A producer writes this id before the payload, in the **wire format** of
# Confluent's serializers:
#
# | bytes | content |
# | --- | --- |
# | 1 | 0, the version of the format |
# | 2 to 5 | the id of the schema, an integer in big-endian order: the highest byte first |
# | from 6 on | the payload: here JSON, often Avro or Protobuf |
#
# These bytes are real, too. Confluent's serializer wrote them, with the registry Apicurio 3.3.3. Here is an order of
# each version:

# %%
import base64

registered = [
    event and base64.b64decode(event["base64"]) for event in grader.events("registered_orders")
]
print(registered[0])
print(registered[2])

# %% [markdown]
# **Predict:** what does `from_json` make of the whole value: an error, an order, or something else?

# %%
rows = spark.createDataFrame([(value,) for value in registered[:3]], "value BINARY")
schema = "order_id STRING, cents BIGINT, currency STRING"
rows.select(F.from_json(F.col("value").cast("string"), schema).alias("order")).show()

# %% [markdown]
# Nulls in every column, and no error. If a query drops rows with nulls, it now emits nothing, forever. With Avro it
# can be worse: the five bytes are read as the first fields. **A missing prefix, or one too many, fails silently.**
#
# ## Schema evolution: what a registry rejects
#
# The two versions of the topic's schema have the ids 7 and 263. All topics of a registry share one series of ids.
#
# | id | properties | required |
# | --- | --- | --- |
# | 7 | `order_id` string, `cents` integer | `order_id`, `cents` |
# | 263 | the same, and `currency` string with the default `"EUR"` | `order_id`, `cents` |
#
# The registry compares each new schema with the one before. With the compatibility level `BACKWARD`, a consumer with
# the new schema must be able to read the old records. We tried three more versions, and the registry answered 409
# (conflict) three times:
#
# | new version | reason in the answer |
# | --- | --- |
# | `cents` is called `total` | A new required property was added |
# | `cents` is a string | Subschema type changed |
# | `currency` is required | A new required property was added |
#
# So add a field with a default, and never rename one. The registry checks the schema and not the bytes: a producer
# with a plain serializer can still write anything to the topic.

# %% [markdown]
# ## Exercise 17.2: The wire format of a schema registry
#
# The shop wants these orders as rows, and each fault as a row that says what is wrong. Write `registered_orders(orders)`.
#
# **Input** · `orders`: Kafka's columns, such as `value BINARY`. Valid orders have one of the two schemas above.
#
# **Output** · `schema_id INT`, `order_id STRING`, `cents BIGINT`, `currency STRING`, `problem STRING`; append mode.
#
# **Rules**
# 1. A tombstone, a record whose value is null, emits no row. Every other record emits one row.
# 2. `problem` is `no prefix` if the value has fewer than 5 bytes, or if its first byte is not 0.
# 3. `schema_id` is the integer in bytes 2 to 5, in big-endian order.
# 4. `problem` is `unknown schema` if the id is neither 7 nor 263.
# 5. `problem` is `broken payload` if the rest is not JSON, or has no `order_id` or no `cents`.
# 6. An order without a `currency` has the default, `EUR`, in both versions.
# 7. `problem` is null for an order. With a problem, `order_id`, `cents` and `currency` are null. `schema_id` is null only
#    for `no prefix`.
#
# **You can assume** · each schema id fits into an `INT`. In valid JSON, `order_id` and `currency` are strings and
# `cents` is an integer.
#
# **Checked** · the rows.

# %% [markdown]
# **Sample** · bytes in hexadecimal digits, before the payload:
#
# | value | schema_id | order_id | cents | currency | problem |
# | --- | --- | --- | --- | --- | --- |
# | `00 00 00 00 07` and `{"order_id":"o01","cents":1200}` | 7 | o01 | 1200 | EUR | null |
# | `00 00 00 01 08` and `{"order_id":"o01","cents":1200}` | 264 | null | null | null | unknown schema |
# | `{"order_id": "o06", "cents": 250}` | null | null | null | null | no prefix |

# %%
grader.predict("17.2")


# %% nbgrader={"grade": false, "grade_id": "registered_orders", "locked": false, "solution": true}
def registered_orders(orders: DataFrame) -> DataFrame:
    """Orders of both schemas, and faults: schema_id, order_id, cents, currency, problem."""
    ### BEGIN SOLUTION
    value = F.col("value")
    framed = (F.length(value) >= 5) & (F.substring(value, 1, 1) == F.lit(b"\0"))
    number = F.conv(F.hex(F.substring(value, 2, 4)), 16, 10).cast("int")
    payload = F.expr("string(substring(value, 6))")
    read = orders.where(value.isNotNull()).select(
        framed.alias("framed"),
        F.when(framed, number).alias("schema_id"),
        F.from_json(payload, "order_id STRING, cents BIGINT, currency STRING").alias("o"),
    )
    problem = (
        F.when(~F.col("framed"), "no prefix")
        .when(~F.col("schema_id").isin(7, 263), "unknown schema")
        .when(F.col("o.order_id").isNull() | F.col("o.cents").isNull(), "broken payload")
    )
    judged = read.withColumn("problem", problem)
    right = F.col("problem").isNull()
    return judged.select(
        "schema_id",
        F.when(right, F.col("o.order_id")).alias("order_id"),
        F.when(right, F.col("o.cents")).alias("cents"),
        F.when(right, F.coalesce("o.currency", F.lit("EUR"))).alias("currency"),
        "problem",
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-registered_orders", "locked": true, "points": 4, "solution": false}
grader.check("17.2", registered_orders)

# %% [markdown]
# The recorded bytes, read by your function:

# %%
values = spark.createDataFrame([(value,) for value in registered], "value BINARY")
registered_orders(values).show()

# %% [markdown]
# The record with the id 264 looks like an order and is a return. Only the id says so.

# %% [markdown]
# ## A Delta table as a source: updates, `skipChangeCommits` and the change feed
#
# `spark.readStream` reads a table, too. A new version of the table is what new records are in a topic. This is easy as
# long as rows are only added. But a table also has updates and deletes, and a stream has neither.
#
# The table `orders` below gets two versions. The second one is a single commit with two changes: order o1 is paid, and
# order o3 is new. The property `delta.enableChangeDataFeed` tells Delta to store what each commit changed.

# %%
import re
import tempfile

from delta.tables import DeltaTable

lake = tempfile.mkdtemp(prefix="lesson17-")
shop_orders = f"{lake}/shop_orders"
ORDERS = "order_id STRING, status STRING, cents BIGINT"
spark.sql(
    f"CREATE TABLE delta.`{shop_orders}` ({ORDERS}) USING delta "
    "TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')"
)


def commit(*rows: tuple[str, str, int]) -> None:
    """Update or insert orders, all in one commit."""
    new = spark.createDataFrame(rows, ORDERS).coalesce(1).alias("new")  # one file
    old = DeltaTable.forPath(spark, shop_orders).alias("old")
    matching = old.merge(new, "old.order_id = new.order_id")
    matching.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()


def read_on(reader: DataFrame, checkpoint: str) -> list[tuple]:
    """What a stream reads that it has not read before."""
    rows: list[tuple] = []
    query = (
        reader.writeStream.foreachBatch(lambda batch, number: rows.extend(batch.collect()))
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return sorted(tuple(row) for row in rows)


def stream_of(option: str, path: str = shop_orders) -> DataFrame:
    """The table as a stream, with one option switched on."""
    return spark.readStream.format("delta").option(option, True).load(path)


options = ["ignoreDeletes", "skipChangeCommits", "ignoreChanges", "readChangeFeed"]
readers = {option: (stream_of(option), grader.fresh_checkpoint()) for option in options}

commit(("o1", "placed", 1200), ("o2", "placed", 450))
for option, reader in readers.items():
    print(option, read_on(*reader)[0])

# %% [markdown]
# All four read both orders; the cell prints one of them. Now the second commit. **Predict: which of the four readers
# gets order o3?**

# %%
commit(("o1", "paid", 1200), ("o3", "placed", 999))
for option, reader in readers.items():
    print(f"\n{option}")
    try:
        for row in read_on(*reader):
            print("  ", *row[:5])
    except Exception as error:
        print("  ", re.findall(r"DELTA_\w+", str(error))[0])

# %% [markdown]
# | reader | what it does with a commit that changes rows |
# | --- | --- |
# | no option, or `ignoreDeletes` | the query fails with `DELTA_SOURCE_TABLE_IGNORE_CHANGES` |
# | `skipChangeCommits` | skips the whole commit; the new order o3 is lost, too |
# | `ignoreChanges` | reads each rewritten file again; o2 is repeated, and nothing says that o1 is not `placed` any more |
# | `readChangeFeed` | reads the changes themselves |
#
# The **change feed** has three more columns: `_change_type`, `_commit_version` and `_commit_timestamp`. An update is two
# rows: `update_preimage` is the row before, and `update_postimage` is the row after. The other types are `insert` and
# `delete`, and a deleted row has its last values. This is what Debezium calls `before` and `after`. And here each change
# arrives once, because the checkpoint stores the version that the query has read.
#
# Without the option `startingVersion`, a stream begins with the rows that are in the table at that time, and then
# follows the changes. With a number, it begins with that version. With `latest`, it begins after the newest version.
# In a job with `availableNow`, `latest` can mean that nothing is ever read. **Predict** how many rows this query
# reads in two runs, with a commit between them:

# %%
feed = spark.readStream.format("delta").option("readChangeFeed", True)
from_now_on = feed.option("startingVersion", "latest").load(shop_orders)
checkpoint = grader.fresh_checkpoint()
print(read_on(from_now_on, checkpoint))
commit(("o3", "paid", 999))
print(read_on(from_now_on, checkpoint))

# %% [markdown]
# None. The first run stores no version, because there is nothing to read. So the second run looks for the newest version
# again, and begins after it.

# %% [markdown]
# ## Exercise 17.8: Current counts from the change feed
#
# The warehouse wants to see at any time how many orders have each status. Write `orders_now(spark, orders)`.
#
# **Input** · `spark`: the session. `orders`: the path of a Delta table with `order_id STRING`, `status STRING`,
# `cents BIGINT`, and one row for each order. `delta.enableChangeDataFeed` is on. `status` can be null.
#
# **Output** · a streaming DataFrame: `status STRING`, `orders BIGINT`, `cents BIGINT`; update mode.
#
# **Rules**
# 1. Each micro-batch emits one row for each status with a change. An insert or a delete is a change of its order's status.
#    An update is a change of the status before and of the status after, which can be the same.
# 2. `orders` is the number of orders that have this status now, and `cents` is the sum of their cents.
# 3. A status that no order has any more is emitted with 0 orders and 0 cents.
# 4. Null is a status like any other.
# 5. Each change counts, also if one commit inserts, updates and deletes. Orders that were in the table before the query
#    started count, too.
#
# **You can assume** · `order_id` and `cents` are never null. A deleted order can be inserted again.
#
# **Checked** · the rows of each step.

# %% [markdown]
# **Sample** · step 1 inserts four orders. Step 2 is one commit that updates o1 and inserts o5:
#
# | step | status | orders | cents |
# | --- | --- | --- | --- |
# | 1 | placed | 2 | 1650 |
# | 1 | paid | 1 | 3000 |
# | 1 | null | 1 | 99 |
# | 2 | placed | 2 | 1150 |
# | 2 | paid | 2 | 4200 |

# %%
grader.predict("17.8")


# %% nbgrader={"grade": false, "grade_id": "orders_now", "locked": false, "solution": true}
def orders_now(spark: SparkSession, orders: str) -> DataFrame:
    """How many orders have each status now, and their cents: status, orders, cents."""
    ### BEGIN SOLUTION
    feed = spark.readStream.format("delta").option("readChangeFeed", True).load(orders)
    gone = F.col("_change_type").isin("delete", "update_preimage")
    sign = F.when(gone, -1).otherwise(1)
    return feed.groupBy("status").agg(
        F.sum(sign).alias("orders"), F.sum(sign * F.col("cents")).alias("cents")
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-orders_now", "locked": true, "points": 4, "solution": false}
grader.check("17.8", orders_now)

# %% [markdown]
# The state has one row for each status, however many orders there are. The table itself is the memory: it gave you the
# old row of each update, and you did not have to store it.
#
# ## Join a stream with a table that changes
#
# In lesson 06, a stream of orders was joined with a folder of files, and new files were not seen. A Delta table as the
# static side is different: Spark looks for its newest version in each micro-batch. This holds if the query reads the
# table itself, and no copy of it.

# %% [markdown]
# ## Exercise 17.9: Join a stream with a table that changes
#
# The shop changes its prices during the day, and each order is billed at the price of the moment. Write
# `billed_orders(spark, orders, prices)`.
#
# **Input** · `spark`: the session. `orders`: `order_id STRING`, `item STRING`, `quantity INT`; `item` can be null.
# `prices`: the path of a Delta table with `item STRING` and `cents BIGINT`, and one row for each item that has a price.
#
# **Output** · a streaming DataFrame: `order_id STRING`, `item STRING`, `amount BIGINT`; append mode.
#
# **Rules**
# 1. Emit each order once, in the micro-batch that reads it.
# 2. `amount` is `quantity` times the price that is in the table when the micro-batch begins. A later price changes no
#    order that was emitted before.
# 3. `amount` is null if the item has no price in the table, or none any more, or if `item` is null.
#
# **You can assume** · `order_id` and `quantity` are never null. Another program changes the table between the
# micro-batches, by updates, inserts and deletes. The table is empty when your function is called.
#
# **Checked** · the rows and the step of each row, the size of the state, no copy of the prices in the plan.

# %% [markdown]
# **Sample** · the table has tea for 300 in step 1, and tea for 350 in step 2:
#
# | step | order_id | item | amount |
# | --- | --- | --- | --- |
# | 1 | a1 | tea | 600 |
# | 1 | a3 | hat | null |
# | 2 | a5 | tea | 350 |

# %%
grader.predict("17.9")


# %% nbgrader={"grade": false, "grade_id": "billed_orders", "locked": false, "solution": true}
def billed_orders(spark: SparkSession, orders: DataFrame, prices: str) -> DataFrame:
    """Each order with its amount at the current price: order_id, item, amount."""
    ### BEGIN SOLUTION
    current = spark.read.format("delta").load(prices)
    amount = F.col("quantity") * F.col("cents")
    return orders.join(current, "item", "left").select("order_id", "item", amount.alias("amount"))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-billed_orders", "locked": true, "points": 3, "solution": false}
grader.check("17.9", billed_orders)

# %% [markdown]
# This table has only the current prices. It does not have the price of an hour ago, and a micro-batch that runs again
# can bill other prices. If this matters, use a table with the time of each price, as in exercise 06.5.
#
# ## Backfill from a table: files, watermark and dropped rows
#
# A **backfill** runs a streaming query over old data. In a topic the records of a day are near each other. In a table
# they can be in any file. Below are 30 sales of five days, six each day. A loader has committed each day as one file, and
# it began with the newest day.
#
# The same query counts the sales of each day three times. The first run is one micro-batch. The second run reads one
# file per micro-batch. The third run also has the option `withEventTimeOrder`. Databricks has this option for
# backfills: it sorts the files by event time. **Predict: how many of the 30 sales does each query count?**

# %%
all_sales = f"{lake}/all_sales"
sold = spark.range(30).selectExpr(
    "timestamp('2026-03-01') + make_dt_interval(0, 4 * id) AS sold_at"
)
for day in (5, 4, 3, 2, 1):
    of_day = sold.where(F.dayofmonth("sold_at") == day).coalesce(1)
    of_day.write.format("delta").mode("append").save(all_sales)


def count_days(reader: DataFrame) -> None:
    """Count the sales of each day, and print what was counted and what was dropped."""
    counted: dict[Any, int] = {}
    days = reader.withWatermark("sold_at", "1 hour").groupBy(F.window("sold_at", "1 day")).count()
    query = (
        days.writeStream.outputMode("update")
        .foreachBatch(lambda batch, number: counted.update(dict(batch.collect())))
        .option("checkpointLocation", grader.fresh_checkpoint())
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    operators = [state for report in query.recentProgress for state in report.stateOperators]
    dropped = sum(state.numRowsDroppedByWatermark for state in operators)
    print(f"{sum(counted.values())} counted; numRowsDroppedByWatermark: {dropped}")


files = spark.readStream.format("delta").option("maxFilesPerTrigger", 1)
count_days(spark.readStream.format("delta").load(all_sales))
count_days(files.load(all_sales))
count_days(files.option("withEventTimeOrder", True).load(all_sales))

# %% [markdown]
# Only the first query counts all sales; the others count 12. The first file moves the watermark to the end of the last
# day. Spark uses a new watermark for late rows one micro-batch later, so the second file still counts. Then 18 sales are
# dropped. Two things hide the loss:
#
# - **`numRowsDroppedByWatermark` is too small.** It is 3. Spark first counts within each partition, and then drops these
#   partial counts: one row for each day, not one for each sale.
# - **`withEventTimeOrder` does nothing.** Delta Lake 4.4 accepts the option and ignores it, without an error.
#
# There are three ways out. Read the old data in **one micro-batch**, without `maxFilesPerTrigger`, or as a batch. Or
# write the table again **in the order of event time**, with a commit for each day. Or use a **delay** that is as long as
# the disorder of the commits. Only the third one works while the table is still being filled.

# %% [markdown]
# ## Exercise 17.10: Repair a backfill that loses sales
#
# The shop loads the sales of its stores from old backups into a table. A query adds up the days
# meanwhile, and its report is empty. Repair the query: write `daily_sales(spark, sales)`.
#
# **Input** · `spark`: the session. `sales`: the path of a Delta table with `store STRING`, `cents BIGINT` and
# `sold_at TIMESTAMP`. Rows are only added. `cents` can be null.
#
# **Output** · a streaming DataFrame: `day TIMESTAMP`, `sales BIGINT`, `cents BIGINT`; append mode. `day` is the start of
# the day.
#
# **Rules**
# 1. Each row is a sale, also if two rows are equal. Rows that the table had before the query started count, too.
# 2. The loader commits the backups in any order. A sale may be up to 2 days older than the newest sale of all commits
#    before.
# 3. Emit each day once, when the watermark reaches its end. Drop a late sale whose day has closed.
# 4. A sale with null `cents` counts in `sales`, and adds nothing to `cents`.
#
# **You can assume** · `store` and `sold_at` are never null. Each day has a sale with `cents`. The loader makes one commit before each
# run of the query.
#
# **Checked** · the rows, the step of each row, the watermark, dropped rows, the size of the state.

# %% [markdown]
# This is the query. Two things in it are wrong, and you see the second one after you have repaired the first. The other
# options do no harm:


# %%
def empty_report(spark: SparkSession, sales: str) -> DataFrame:
    rows = (
        spark.readStream.format("delta")
        .option("startingVersion", "latest")  # do not read everything again in each run
        .option("maxFilesPerTrigger", 1)  # small micro-batches
        .option("withEventTimeOrder", True)  # the backups are in any order
        .load(sales)
    )
    days = (
        rows.withWatermark("sold_at", "10 minutes")
        .groupBy(F.window("sold_at", "1 day"))
        .agg(F.count("*").alias("sales"), F.sum("cents").alias("cents"))
    )
    return days.select(F.col("window.start").alias("day"), "sales", "cents")


grader.lens("17.10", empty_report)

# %% [markdown]
# - *How many rows does the query read in each step?* What does the checkpoint store, so that no row is read twice?
# - *Which commit is how far behind the newest sale before it?* Compare this with the watermark.

# %%
grader.predict("17.10")


# %% nbgrader={"grade": false, "grade_id": "daily_sales", "locked": false, "solution": true}
def daily_sales(spark: SparkSession, sales: str) -> DataFrame:
    """The sales of each day, once it has closed: day, sales, cents."""
    ### BEGIN SOLUTION
    rows = spark.readStream.format("delta").option("maxFilesPerTrigger", 1).load(sales)
    days = (
        rows.withWatermark("sold_at", "2 days")
        .groupBy(F.window("sold_at", "1 day"))
        .agg(F.count("*").alias("sales"), F.sum("cents").alias("cents"))
    )
    return days.select(F.col("window.start").alias("day"), "sales", "cents")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-daily_sales", "locked": true, "points": 4, "solution": false}
grader.check("17.10", daily_sales)

# %% [markdown]
# ## Recap: the facts
#
# - Change data capture reads the database's log. Debezium writes a record for each changed row, with `before`, `after`
#   and `op`.
# - The snapshot (`op` r) and the changes are in one topic. A delete has no `after`, and the tombstone after it carries no
#   change.
# - Debezium is at-least-once. A merge by key and `source.lsn` is idempotent; a sum over `before` and `after` is not.
# - A record with a registry's schema begins with a byte 0 and four bytes of schema id. `from_json` on the whole value
#   returns nulls and no error.
# - A registry rejects a schema that cannot read the old records. It does not check the bytes in the topic, and the reader
#   applies the defaults.
#
# | order by | wrong if |
# | --- | --- |
# | arrival | a key is in two partitions, or a message is repeated |
# | `ts_ms` | a message is repeated: it gets a new time |
# | `source.ts_ms` | a transaction changes a row twice |
# | `source.lsn` | the messages are from two databases |

# %% [markdown]
# ## What you can now do
#
# - read Debezium's change events, and say where each one comes from;
# - rebuild a table from them, also if messages are repeated or out of order;
# - say why deleted rows stay in state;
# - read the wire format of a schema registry, and make each fault visible;
# - change a schema so that old records stay readable.
#
# ## Read more
#
# - Debezium: [the connector for PostgreSQL](https://debezium.io/documentation/reference/stable/connectors/postgresql.html), with all fields of a change event
# - PostgreSQL: [logical decoding](https://www.postgresql.org/docs/current/logicaldecoding-explanation.html), and what an LSN is
# - Confluent: [the wire format](https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/index.html#wire-format)
# - Kafka: [log compaction](https://kafka.apache.org/documentation/#compaction)
#
# How far are you?

# %%
grader.progress()

# %% [markdown]
# This is the last lesson. Your own tables have change events, too: take one of them, and rebuild it.
