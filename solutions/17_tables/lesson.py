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
# The lesson has two parts, for two sittings. Neither needs the other:
#
# - **Part A, change data and schemas** (17.1 to 17.4): rebuild a table from change events, and read records of a schema
#   registry.
# - **Part B, Delta tables** (17.5 to 17.10): write a stream into a table once, and read a table that changes.
#
# **Prerequisites** · lessons 01 (malformed records, restarts, `foreachBatch`) and 02 (state, update mode, `max_by`). For part B
# also 03 (watermarks) and 05 (chained windows).
#
# **Time** · engineer 2 hours 55 minutes, student 5 hours 10 minutes, for both parts together. Exercise 17.10 takes 15 to 25
# minutes more.

# %% [markdown]
# # Part A · Change data: log positions and schemas
#
# **Objectives** · After part A you can
#
# - read a change event of Debezium: `before`, `after`, `op`, and the position in the log;
# - explain which field orders the changes of a row, and why two timestamps do not;
# - rebuild the current state of a table from a snapshot and changes in one stream;
# - handle deletes, tombstones, duplicates and messages out of order;
# - read records with the five-byte prefix of a schema registry, and apply the defaults of a schema;
# - read Avro records with the schema that wrote them and the schema that you want;
# - say which new schemas a registry rejects, and because of which field.
#
# **Time** · engineer 85 minutes, student 150 minutes. *Going further* starts Debezium and a registry on your machine.
#
# **Fast path** · 25 minutes: run all cells up to exercise 17.1, and solve it.

# %% tags=["given"]
import base64
import io
import json
from typing import Any

import fastavro
import grader
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from grader.connectors.order_schemas import READER, SCHEMAS, on_a_record

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
# The query runs in update mode. In step 1 two orders are placed. In step 2 the first one is paid. **Predict** how many rows
# step 2 emits:

# %%
grader.predict("17.0")

# %% [markdown]
# **Predict before you look at the picture:** in step 3 order 2 is deleted. Step 4 has one message: the connector was
# restarted, and sends this delete a second time. Which counts does step 4 emit?
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
    """Messages as records with the key and the value of Kafka; a tombstone has the key of the message before it."""
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
# ## Schema evolution: which JSON schemas a registry rejects
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
# So a new field must not be required, and no field is ever renamed. The registry checks the schema and not the bytes: a
# producer with a plain serializer can still write anything to the topic.

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
# 4. Otherwise, `problem` is `unknown schema` if the id is neither 7 nor 263.
# 5. Otherwise, `problem` is `broken payload` if the rest is not JSON, or has no `order_id` or no `cents`.
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
# ## Avro: the schema that writes and the schema that reads
#
# The orders team moves to Avro. JSON repeats the names of the fields in each record. Avro leaves them out: a record is
# its values, one after the other, in the order of the **writer's schema**. Without this schema the bytes mean nothing,
# so every reader needs the id in the prefix.
#
# The topic's schema has three versions. The fields are written in this order:
#
# | id | version | fields |
# | --- | --- | --- |
# | 11 | 1 | `order_id` string, `customer` string, `cents` int, `status` enum, `note` string |
# | 300 | 2 | `order_id` string, `buyer` string with the alias `customer`, `cents` long, `status` enum with the default `unknown`, `currency` string with the default `EUR` |
# | 301 | 3 | as version 2, and `coupon` null or string with the default null |
#
# An enum is written as the position of its symbol. Each version has different symbols:

# %%
for number, schema in SCHEMAS.items():
    (status,) = [field["type"] for field in schema["fields"] if field["name"] == "status"]
    print(number, status["symbols"])

# %% [markdown]
# Confluent's serializer wrote these records, with the registry Apicurio 3.3.3. Here is the order o02 of version 1. Its
# payload begins with the length of `o02` and its letters. Avro writes an integer doubled if it is not negative, so `\x06` is 3:

# %%
recorded = [bytes.fromhex(event["record"]) for event in grader.events("avro_orders")]
print(recorded[1])

# %% [markdown]
# Your query reads with version 2. **Predict:** what does it see if it reads the payload of o02 as if version 2 had
# written it? An error, nulls, or something else?

# %%
payload = recorded[1][5:]
print("as version 2:", fastavro.schemaless_reader(io.BytesIO(payload), SCHEMAS[300], None))

# %% [markdown]
# No error. The order was paid and is now `placed`, because both are at position 1. The note of the customer
# became the currency. **Bytes that are read with a different writer's schema are silently wrong.**
#
# Now with both schemas. The writer's schema splits the bytes into values, and the **reader's schema** says what you
# get:

# %%
print("resolved:    ", fastavro.schemaless_reader(io.BytesIO(payload), SCHEMAS[11], SCHEMAS[300]))

# %% [markdown]
# This is **schema resolution**. For each field of the reader's schema:
#
# | the record has | the reader gets |
# | --- | --- |
# | a field of this name, or of one of its aliases | its value; an int can become a long |
# | no such field | the default |
# | a symbol that the reader's enum does not have | the default of the enum |
# | a field that the reader does not have | nothing: the value is skipped |
#
# If the bytes end too early, `schemaless_reader` raises an `EOFError`.
#
# Spark's own `from_avro` resolves schemas, too, with the package `spark-avro`: one more jar, which this lab does
# not have. It takes the writer's schema, and the reader's schema as the option `avroSchema`.

# %% [markdown]
# ## Exercise 17.3: Read Avro records of several schema versions
#
# The shop wants all orders in the columns of version 2. Write `read_order(value, schemas, reader)`.
#
# **Input** · `value`: the bytes of a record. `schemas`: a dict from schema id to schema, with all versions of the topic.
# `reader`: the reader's schema, version 2.
#
# **Output** · a dict with `schema_id`, the fields of `reader`, and `problem`. Null is `None`.
#
# **Rules**
# 1. `problem` is `no prefix` if the value has fewer than 5 bytes, or if its first byte is not 0.
# 2. `schema_id` is the integer in bytes 2 to 5, in big-endian order. It is null only for `no prefix`.
# 3. Otherwise, `problem` is `unknown schema` if `schemas` does not have the id. The function raises no error.
# 4. The payload begins at byte 6. The schema of the id is its writer's schema.
# 5. Otherwise, `problem` is `broken payload` if the payload is truncated. The function raises no error.
# 6. The fields of an order are those of schema resolution with `reader`.
# 7. `problem` is null for an order. With a problem, all fields of `reader` are null.
#
# **You can assume** · the value is never null. A payload with a known id was written with this schema. It is whole, or
# truncated before or in a field that `reader` has. After its end there are no more bytes.
#
# **Checked** · the result of each call.

# %% [markdown]
# **Sample** · the values are in hexadecimal digits:
#
# | value | schema_id | order_id | buyer | cents | status | currency | problem |
# | --- | --- | --- | --- | --- | --- | --- | --- |
# | `00 00 00 00 0b 06 6f 30 31 06 61 6e 61 e0 12 00 00` | 11 | o01 | ana | 1200 | placed | EUR | null |
# | `00 00 00 01 2e 06 6f 30 31 06 61 6e 61 e0 12 02 00` | 302 | null | null | null | null | null | unknown schema |
# | `00 00 00 01` | null | null | null | null | null | null | no prefix |


# %% nbgrader={"grade": false, "grade_id": "read_order", "locked": false, "solution": true}
def read_order(value: bytes, schemas: dict[int, dict], reader: dict) -> dict[str, Any]:
    """An order of any version, or what is wrong: schema_id, the fields of `reader`, problem."""
    ### BEGIN SOLUTION
    row = {"schema_id": None, **{field["name"]: None for field in reader["fields"]}}
    if len(value) < 5 or value[0] != 0:
        return {**row, "problem": "no prefix"}
    row["schema_id"] = int.from_bytes(value[1:5], "big")
    writer = schemas.get(row["schema_id"])
    if writer is None:
        return {**row, "problem": "unknown schema"}
    try:
        order = fastavro.schemaless_reader(io.BytesIO(value[5:]), writer, reader)
    except EOFError:
        return {**row, "problem": "broken payload"}
    return {**row, **order, "problem": None}
    ### END SOLUTION


# %%
on_a_record(read_order, record="00 00 00 00 0b 06 6f 30 31 06 61 6e 61 e0 12 00 00")

# %% nbgrader={"grade": true, "grade_id": "check-read_order", "locked": true, "points": 4, "solution": false}
grader.check("17.3", read_order)

# %% [markdown]
# Your function as a Python function in a query. **Predict:** what is the status of the last order o03? Version 3 wrote
# it as `returned`.

# %%
columns = "order_id STRING, buyer STRING, cents BIGINT, status STRING, currency STRING"
row_type = f"schema_id INT, {columns}, problem STRING"
read = F.udf(lambda value: read_order(bytes(value), SCHEMAS, READER), row_type)
values = spark.createDataFrame([(value,) for value in recorded], "value BINARY")
values.select(read("value").alias("o")).select("o.*").show()

# %% [markdown]
# `unknown`. Without the default of the enum, this record could not be read at all. The producer moved ahead, and your
# query still runs.

# %% [markdown]
# ## Backward compatibility: which Avro schemas a registry rejects
#
# A registry can apply the rules of schema resolution before a single record is written. With `BACKWARD` it asks: can
# the new schema read what the old one wrote? Here are four of its answers for Avro:
#
# | new version | answer of Apicurio 3.3.3 |
# | --- | --- |
# | a field `currency` without a default | 409: `currency at /fields/1` |
# | `cents` becomes `long` | accepted |
# | `cents` was `long` and becomes `int` | 409: `reader type: INT not compatible with writer type: LONG at /fields/1/type` |
# | `cents` is called `total`, with the alias `cents` | accepted |
#
# The last answer differs from JSON Schema, which has no aliases. **Predict:** a field is removed. Is this accepted?
#
# <details><summary>The answer</summary>
#
# Yes. The reader skips a field that it does not have. `FORWARD` is the other direction: a consumer with the *old*
# schema reads new records. There, a field can only be removed if it has a default.
#
# </details>

# %% [markdown]
# ## Exercise 17.4: Say which new schema a registry rejects
#
# The shop wants to know it before a deployment fails. Write `backward(old, new)`.
#
# **Input** · `old`, `new`: two versions of an Avro schema of type record, as dicts.
#
# **Output** · a dict: `compatible` is true if `new` reads all records that `old` wrote. If not, `field` names the field
# because of which it does not.
#
# **Rules**
# 1. A field of `new` reads the field of `old` with its name. If there is none, it reads a field with one of its `aliases`.
# 2. A field of `new` that reads no field must have a `default`.
# 3. A field of `old` that no field reads is skipped. The order of the fields has no effect.
# 4. A type reads the same type. In addition, `PROMOTIONS` below has the pairs of an old and a new type that can be read.
# 5. Unions: each type of an old union must be readable. A new union reads a type if one of its own types does.
# 6. An enum must have all symbols of the old enum, or a `default` of its own.
# 7. A record in a field follows the same rules as the whole schema.
# 8. `field` is the first field in the order of `new`, by its name in `new`. A field in a record is written as
#    `address.zip`. If the schemas are compatible, `field` is null.

# %% [markdown]
# **You can assume** · a type is the name of a primitive type, a union of such names, an enum or a record. An enum or a record
# keeps its name. No alias is the name of another field.
#
# **Checked** · the result of each call. The 39 pairs and their results are those of a real registry.
#
# **Sample** · only the fields of each schema that differ:
#
# | old | new | compatible | field |
# | --- | --- | --- | --- |
# | | `{"name": "currency", "type": "string"}` | false | currency |
# | | `{"name": "currency", "type": "string", "default": "EUR"}` | true | null |
# | `{"name": "cents", "type": "int"}` | `{"name": "cents", "type": ["null", "int"]}` | true | null |
# | `{"name": "cents", "type": ["null", "int"]}` | `{"name": "cents", "type": "int"}` | false | cents |

# %% tags=["given"]
PROMOTIONS = [
    ("int", "long"),
    ("int", "float"),
    ("int", "double"),
    ("long", "float"),
    ("long", "double"),
    ("float", "double"),
    ("string", "bytes"),
    ("bytes", "string"),
]


# %% nbgrader={"grade": false, "grade_id": "backward", "locked": false, "solution": true}
def backward(old: dict, new: dict) -> dict[str, Any]:
    """Whether `new` reads what `old` wrote, and the field that prevents it: compatible, field."""
    ### BEGIN SOLUTION

    def unreadable(old: Any, new: Any) -> str | None:
        """The path below a field that prevents it; an empty one for its own type, None for nothing."""
        if isinstance(old, list):
            return None if all(unreadable(one, new) is None for one in old) else ""
        if isinstance(new, list):
            return None if any(unreadable(old, one) is None for one in new) else ""
        if old == new or (old, new) in PROMOTIONS:
            return None
        if isinstance(old, str) or isinstance(new, str) or old["type"] != new["type"]:
            return ""
        if new["type"] == "enum":
            return None if "default" in new or set(old["symbols"]) <= set(new["symbols"]) else ""
        return first_fault(old, new)

    def first_fault(old: dict, new: dict) -> str | None:
        written = {field["name"]: field["type"] for field in old["fields"]}
        for field in new["fields"]:
            names = [field["name"], *field.get("aliases", [])]
            source = [written[name] for name in names if name in written]
            if source:
                fault = unreadable(source[0], field["type"])
            elif "default" in field:
                fault = None
            else:
                fault = ""
            if fault is not None:
                return ".".join(filter(None, [field["name"], fault]))
        return None

    field = first_fault(old, new)
    return {"compatible": field is None, "field": field}
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-backward", "locked": true, "points": 4, "solution": false}
grader.check("17.4", backward)

# %% [markdown]
# Are the three versions of the topic allowed? And may a consumer of version 2 wait while producers move to version 3?
# **Predict** the three answers:

# %%
print("1 to 2:", backward(SCHEMAS[11], SCHEMAS[300]))
print("2 to 3:", backward(SCHEMAS[300], SCHEMAS[301]))
print("3 read by 2:", backward(SCHEMAS[301], SCHEMAS[300]))

# %% [markdown]
# All three can be read. The last one is `FORWARD`: version 2 reads version 3 because its enum has a default. Under
# `BACKWARD`, upgrade the consumers first, and the producers after them.

# %% [markdown]
# ## Recap of part A: the facts
#
# - Change data capture reads the database's log. Debezium writes a record for each changed row, with `before`, `after`
#   and `op`.
# - The snapshot (`op` r) and the changes are in one topic. A delete has no `after`, and the tombstone after it carries no
#   change.
# - Debezium is at-least-once. A merge by key and `source.lsn` is idempotent; a sum over `before` and `after` is not.
# - A record with a registry's schema begins with a byte 0 and four bytes of schema id. `from_json` on the whole value
#   returns nulls and no error.
# - Avro has no names in the bytes. The writer's schema, which the id names, splits them into values. The reader's schema
#   renames, converts and fills in defaults.
# - With `BACKWARD`, a registry rejects a schema that cannot read the old records. It does not check the bytes in the topic.
#
# | order by | wrong if |
# | --- | --- |
# | arrival | a key is in two partitions, or a message is repeated |
# | `ts_ms` | a message is repeated: it gets a new time |
# | `source.ts_ms` | a transaction changes a row twice |
# | `source.lsn` | the messages are from two databases |

# %% [markdown]
# ## What you can now do after part A
#
# - read Debezium's change events, and say where each one comes from;
# - rebuild a table from them, also if messages are repeated or out of order;
# - say why deleted rows stay in state;
# - read the wire format of a schema registry, and make each fault visible;
# - read Avro records of several schema versions into the columns of one;
# - change a schema so that old records stay readable.

# %% [markdown]
# # Part B · Lakehouse tables: a Delta table behind the stream
#
# The analysts of the shop do not read topics. They want tables: the clicks by window, the customers with their orders. So
# the queries of this course get a new sink, a *Delta table*. After the first crash one of the tables has each row twice.
#
# **Objectives** · After part B you can
#
# - read the log of a Delta table: its versions, and what each of them added;
# - say why Delta's sink writes a micro-batch once, and a plain append in `foreachBatch` does not;
# - keep one row for each key up to date with MERGE;
# - make an append idempotent, and let the query restart;
# - read a table as a stream, its updates and deletes included;
# - join a stream with a table that changes;
# - find out which rows a backfill loses, and repair it.
#
# **Prerequisites** · lessons 01 (`foreachBatch`, idempotent sinks), 02 (update mode), 03 (watermarks) and 05 (chained
# windows). If you begin here, first run the cells of part A up to `grader.start()`.
#
# **Time** · engineer 90 minutes, student 160 minutes. Exercise 17.10 takes 15 to 25 minutes more.
#
# **Fast path** · 25 minutes: run all cells up to exercise 17.5, and solve it.

# %% [markdown]
# ## A Delta table as a sink: Parquet files and a log
#
# A **Delta table** (Delta Lake) is a folder. It has Parquet files with rows, and a folder `_delta_log` with the log. The log
# has one file for each **version**: `00000000000000000000.json`, then `…01.json`. The log decides which Parquet files belong
# to the table. A file that no version names is not part of it.
#
# So a commit is a single step: the log file of the new version is there, or it is not. A reader never sees half of a
# write. For a stream this means: all rows of a micro-batch appear together.
#
# Our example is the chain of lesson 05: events by 10 minutes, and the average of these counts by hour. You know the
# averages of the two users: 10.0 and 12.5. Now they are written into a table.

# %%
from pathlib import Path

from delta.tables import DeltaTable

EVENTS = {1: [12, 8, 5, 15, 9, 11], 2: [7, 16, 10, 6, 19, 17]}  # by user: 11:00, 11:10, …, 11:50
events_topic = kafka.create_topic("lesson17-events")


def event(user: int, time: str) -> dict[str, Any]:
    return {"user_id": user, "event_time": f"2023-06-02T{time}Z"}


def hourly_averages_now() -> DataFrame:
    """The average of each user's 10-minute counts, by hour; an event may be 1 minute late."""
    events = grader.read_topic(events_topic, "user_id INT, event_time TIMESTAMP")
    timed = events.withWatermark("event_time", "1 minute")
    counts = timed.groupBy(F.window("event_time", "10 minutes"), "user_id").count()
    hours = counts.groupBy(F.window("window", "1 hour"), "user_id")
    averages = hours.agg(F.avg("count").alias("average"))
    return averages.select(F.col("window.start").alias("hour"), "user_id", "average")


def by_sink(table: str) -> Any:
    """A writer by Delta's own sink, in append mode."""
    return hourly_averages_now().writeStream.format("delta").option("path", table)


def run(writer: Any, checkpoint: str) -> None:
    """Read what there is now, and stop."""
    query = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
    query.awaitTermination()


# %% [markdown]
# The query runs twice. The first run reads all events of the hour from 11:00. The second run reads one event of 12:01:00.
# With a delay of 1 minute, the watermark is then exactly 12:00:00.

# %%
averages, checkpoint = grader.fresh_checkpoint(), grader.fresh_checkpoint()
hour = [
    event(user, f"11:{ten}0:{number:02}")
    for user, counts in EVENTS.items()
    for ten, count in enumerate(counts)
    for number in range(count)
]
for events in (hour, [event(1, "12:01:00")]):
    kafka.send(events_topic, events)
    run(by_sink(averages), checkpoint)
spark.read.format("delta").load(averages).show()

# %% [markdown]
# The window closed, because the watermark reached its end. **Predict: how many versions does the table have now, and how many
# of them added rows?** The cell below reads the log as what it is: files of JSON, with an *action* in each line.


# %%
def log(table: str) -> None:
    """A line for each version of a table, from the files of its log."""
    for path in sorted(Path(table, "_delta_log").glob("*.json")):
        actions = [json.loads(line) for line in path.read_text().splitlines()]
        first = {name: action[name] for action in reversed(actions) for name in action}
        stats = [json.loads(a["add"]["stats"])["numRecords"] for a in actions if "add" in a]
        txn = first.get("txn", {})
        print(
            f"version {int(path.stem)}: {first['commitInfo']['operation']}, rows {sum(stats)},",
            f"txn {txn.get('version')} of {txn.get('appId', '-')[:8]}",
        )


log(averages)

# %% [markdown]
# Four versions, and one of them added the two rows. Each run had two micro-batches: one with the events, and the no-data
# batch that closes windows. **Delta's sink commits a version for each micro-batch, with rows or without.** If events come
# every second, that is up to 86,400 versions per day, and no-data batches add more. So the check of exercise 17.5 turns
# no-data batches off: `spark.sql.streaming.noDataMicroBatches.enabled` is `false`.
#
# | action in the log | contains |
# | --- | --- |
# | `commitInfo` | who wrote this version, when, and with which operation |
# | `metaData`, `protocol` | the schema and the properties of the table; in version 0 |
# | `add`, `remove` | a file that belongs to the table from now on, or no longer |
# | `txn` | a writer (`appId`) and the number of its last write (`version`) |
#
# The `txn` of a stream has the id of the query and the number of the micro-batch. The same as a table, without the `txn`:

# %%
history = DeltaTable.forPath(spark, averages).history()
history.select("version", "operation", "operationMetrics.numOutputRows").show()

# %% [markdown]
# ## A lost commit: append by the sink and by foreachBatch
#
# What is `txn` for? We simulate a kill, as in lesson 01. The query has written its last micro-batch into the table, and
# its process ends before Spark writes the commit file. After the restart, Spark runs the micro-batch again.
#
# We do this with two writers: Delta's sink, and an append in `foreachBatch`. **Predict: how many rows do the two tables
# have after that?**


# %%
def by_function(table: str) -> Any:
    """The same rows, appended in foreachBatch."""

    def append(batch: DataFrame, number: int) -> None:
        batch.write.format("delta").mode("append").save(table)

    return hourly_averages_now().writeStream.foreachBatch(append)


def lose_commit(checkpoint: str) -> None:
    """Delete the last file of the commit log."""
    commits = [path for path in Path(checkpoint, "commits").iterdir() if path.name.isdigit()]
    max(commits, key=lambda path: int(path.name)).unlink()


appended, other_checkpoint = grader.fresh_checkpoint(), grader.fresh_checkpoint()
run(by_function(appended), other_checkpoint)

for writer, table, place in (
    (by_sink, averages, checkpoint),
    (by_function, appended, other_checkpoint),
):
    before = spark.read.format("delta").load(table).count()
    lose_commit(place)
    run(writer(table), place)
    print(writer.__name__, before, "→", spark.read.format("delta").load(table).count())

# %% [markdown]
# The sink looked up its last `txn` in the log, found the number of this micro-batch, and wrote nothing. The number and
# the rows are in one commit, so the table has both or none. This makes the sink **idempotent**. With `foreachBatch`, your
# function decides what is written, and Delta cannot know that the same rows come again: each row is there twice.

# %% [markdown]
# ## Exercise 17.5: Append windows to a Delta table, once
#
# The analysts want the clicks of each page by 5 minutes as a table, and each window once. Write `page_windows(clicks,
# windows)`.
#
# **Input** · `clicks`: `page STRING`, `event_time TIMESTAMP`. The page is null if it could not be read. `windows` is the
# path of an empty Delta table with `window_start TIMESTAMP`, `page STRING`, `clicks BIGINT`.
#
# **Output** · a `DataStreamWriter` that is not started. It writes into the table.
#
# **Rules**
# 1. Count the clicks of each page in windows of 5 minutes. `window_start` is the start of the window.
# 2. A click may be up to 1 minute late. This is the watermark delay.
# 3. Clicks whose page is null are counted, too: null is a page of its own.
# 4. Write a window once, when the watermark has reached its end, and never change it.
# 5. The rows in the table stay.
# 6. If the query dies after a write and a micro-batch runs again, the table has each row once.
#
# **You can assume** · every click has an `event_time`. The check turns no-data batches off, so each step is one micro-batch.
# It closes windows by the watermark that follows from the clicks of the steps before.
#
# **Checked** · the rows of the table after each step, and after a kill.

# %%
grader.predict("17.5")


# %% nbgrader={"grade": false, "grade_id": "page_windows", "locked": false, "solution": true}
def page_windows(clicks: DataFrame, windows: str):
    """A DataStreamWriter that writes each closed window into the table at the path `windows`."""
    ### BEGIN SOLUTION
    counts = (
        clicks.withWatermark("event_time", "1 minute")
        .groupBy(F.window("event_time", "5 minutes"), "page")
        .agg(F.count("*").alias("clicks"))
    )
    rows = counts.select(F.col("window.start").alias("window_start"), "page", "clicks")
    return rows.writeStream.format("delta").option("path", windows)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-page_windows", "locked": true, "points": 3, "solution": false}
grader.check("17.5", page_windows)

# %% [markdown]
# ## MERGE: an upsert in foreachBatch
#
# Not every result is final. A count goes on growing, and update mode emits it each time. An append would add a row for each
# change. **MERGE** replaces the row of the same key, and inserts the row if there is none: an *upsert*. Delta's sink has no
# MERGE, so the query calls it in `foreachBatch`:

# %%
table = grader.fresh_checkpoint()


def orders_of(*counts: tuple[str, int]) -> DataFrame:
    return spark.createDataFrame(counts, "customer STRING, orders BIGINT")


def upsert(new: DataFrame) -> None:
    old = DeltaTable.forPath(spark, table).alias("old")
    merging = old.merge(new.alias("new"), "old.customer = new.customer")
    merging.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()


orders_of(("ana", 2), ("ben", 1)).write.format("delta").save(table)
upsert(orders_of(("ana", 3), ("cleo", 1)))
spark.read.format("delta").load(table).orderBy("customer").show()

# %% [markdown]
# The first argument of `merge` is the source, and the second one says which rows belong together. **Predict:** what does MERGE
# do if the source has two rows for ana: take the first, take the last, or something else?

# %%
try:
    upsert(orders_of(("ana", 4), ("ana", 5)))
except Exception as error:
    print(str(error).split(". ")[0])

# %% [markdown]
# Rows of a DataFrame have no order, so there is no first and no last. Delta refuses to choose. Reduce the source to one
# row for each key before the MERGE. A stream that is grouped by this key has no more than one in each micro-batch.
#
# There is a second question: which values may MERGE write? A micro-batch can run again, after its MERGE was committed.
# Then `SET orders = new.orders` writes the same value again. `SET orders = old.orders + new.orders` adds twice.

# %% [markdown]
# ## Exercise 17.6: Upsert a count with MERGE
#
# The support desk wants to see how many orders each customer has, and where the newest one goes. Write
# `customer_table(orders, customers)`.
#
# **Input** · `orders`: `customer STRING`, `city STRING`, `order_time TIMESTAMP`. `customer` is null for a guest, and
# `city` is null if the order is picked up. `customers` is the path of an empty Delta table with `customer STRING`, `orders
# BIGINT`, `city STRING`, `last_order TIMESTAMP`.
#
# **Output** · a `DataStreamWriter` that is not started. After each micro-batch the table shows all orders so far.
#
# **Rules**
# 1. The table has one row for each customer.
# 2. `orders` is the number of the customer's orders so far.
# 3. `last_order` is the newest `order_time`. `city` is the city of that order, and null if that order has none. An older
#    order can arrive later.
# 4. All guests together are one customer, whose name is null.
# 5. If the query dies after a write and a micro-batch runs again, the table is the same as without the kill.
#
# **You can assume** · every order has an `order_time`. If two orders of one customer have the same time, they have the same
# city.
#
# **Checked** · the rows of the table after each step, and after a kill.

# %%
grader.predict("17.6")


# %% nbgrader={"grade": false, "grade_id": "customer_table", "locked": false, "solution": true}
def customer_table(orders: DataFrame, customers: str):
    """A DataStreamWriter that keeps one row for each customer in the table at the path `customers`."""
    ### BEGIN SOLUTION
    from delta.tables import DeltaTable

    def merge(batch: DataFrame, number: int) -> None:
        table = DeltaTable.forPath(batch.sparkSession, customers).alias("old")
        merging = table.merge(batch.alias("new"), "old.customer <=> new.customer")
        merging.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()

    by_customer = orders.groupBy("customer").agg(
        F.count("*").alias("orders"),
        F.max_by("city", "order_time").alias("city"),
        F.max("order_time").alias("last_order"),
    )
    return by_customer.writeStream.outputMode("update").foreachBatch(merge)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-customer_table", "locked": true, "points": 4, "solution": false}
grader.check("17.6", customer_table)

# %% [markdown]
# ## Idempotent writes: txnAppId and txnVersion
#
# Sometimes `foreachBatch` must append. Delta's sink takes append mode and complete mode, and refuses update mode. A batch may
# go to two tables. For these cases a write has two options, which put a `txn` into its commit:
#
# | option | is |
# | --- | --- |
# | `txnAppId` | a name of the writer; each query and table has its own |
# | `txnVersion` | an integer; Delta skips a write whose number is not greater than the last one of this name |
#
# **Predict: how many rows does the table have after these five writes?**

# %%
numbered = grader.fresh_checkpoint()
for number in (0, 1, 1, 3, 2):
    write = orders_of((f"write {number}", 1)).write.format("delta").mode("append")
    write.option("txnAppId", "lesson 17").option("txnVersion", number).save(numbered)
spark.read.format("delta").load(numbered).orderBy("customer").show()

# %% [markdown]
# Three rows: the second write with 1 was skipped, and so was 2 after 3. A skipped write is a write that does not
# happen: **Spark does not even run its plan.** Remember this when your query has state. A state store is committed when the plan
# of the micro-batch runs (lesson 02). `batch.count()` runs it. After `batch.persist()` the count also stores the rows, and a
# write takes them from there.

# %% [markdown]
# ## Exercise 17.7: Idempotent writes in foreachBatch
#
# The analysts want to draw how the count of each page grows. Write `count_history(clicks, history)`.
#
# **Input** · `clicks`: `page STRING`, null if the page could not be read. `history` is the path of an empty Delta table with
# `page STRING`, `clicks BIGINT`.
#
# **Output** · a `DataStreamWriter` that is not started. It writes into the table.
#
# **Rules**
# 1. `clicks` is the number of all clicks on the page so far, over all micro-batches.
# 2. Each micro-batch adds one row for each page with a new click, and for no other page.
# 3. Clicks whose page is null are not counted.
# 4. The rows in the table stay.
# 5. If the query dies after a write and a micro-batch runs again, the table has each row once.
# 6. The query continues after the restart.
#
# **Checked** · the rows of the table after each step, and after a kill.

# %%
grader.predict("17.7")


# %% nbgrader={"grade": false, "grade_id": "count_history", "locked": false, "solution": true}
def count_history(clicks: DataFrame, history: str):
    """A DataStreamWriter that adds each new count of a page to the table at the path `history`."""

    ### BEGIN SOLUTION
    def append(batch: DataFrame, number: int) -> None:
        batch.persist()
        batch.count()  # runs the plan, also if Delta skips the write
        write = batch.write.format("delta").mode("append")
        write.option("txnAppId", "count_history").option("txnVersion", number).save(history)
        batch.unpersist()

    counts = clicks.where("page IS NOT NULL").groupBy("page").agg(F.count("*").alias("clicks"))
    return counts.writeStream.outputMode("update").foreachBatch(append)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-count_history", "locked": true, "points": 4, "solution": false}
grader.check("17.7", count_history)

# %% [markdown]
# The `txn` is in the log of the table, not in the checkpoint. If you start the query with a new checkpoint and the same
# name, its numbers begin at 0 again. Delta then skips everything up to the old number, **silently**. So give the writer
# a new name together with a new checkpoint, and empty the table if the query reads everything again.

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
# All four read both orders; the cell prints one of them. Now the second commit. **Predict from the names of the options:
# which of the four readers gets order o3?**

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
# `delete`, and a deleted row has its last values. Each change arrives once, because the checkpoint stores the version that
# the query has read.
#
# Without the option `startingVersion`, a stream begins with the rows that are in the table at that time, and then
# follows the changes. With a number, it begins with that version. With `latest`, it begins after the newest version.
# **Predict** how many rows this query with `latest` reads in two runs, with a commit between them:

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
# backfills: there it sorts the files by event time. **Predict: how many of the 30 sales does each query count?**

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
# Only the first query counts all sales; the others count 12. The first file moves the watermark to 19:00 of the last
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
# **You can assume** · `store` and `sold_at` are never null. Each day has a sale with `cents`. The loader makes one commit
# before each run of the query. No-data batches are on, so a day is emitted in the run whose sales advance the watermark to
# its end.
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
# - *Why does the query read no row?* What does the checkpoint store, so that no row is read twice?
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
# ## Recap of part B: the facts
#
# - A Delta table is a folder of Parquet files with a log. The log decides which files belong to the table, so a version is
#   there as a whole or not at all.
# - Each micro-batch of Delta's sink commits a version, with rows or without.
# - Spark runs a micro-batch again if its commit is lost. The sink finds the number of the micro-batch in the log, and
#   skips it.
# - An append in `foreachBatch` needs `txnAppId` and `txnVersion`. A skipped write does not run the plan, so a query with
#   state must run it before.
# - MERGE takes one source row for each key. Null equals null only with `<=>`.
#
# | write | after a lost commit |
# | --- | --- |
# | Delta's sink in append mode | each row once |
# | append in `foreachBatch` | each row twice |
# | append in `foreachBatch` with `txnAppId` and `txnVersion` | each row once |
# | MERGE by key, `SET orders = new.orders` | the same table |
# | MERGE by key, `SET orders = old.orders + new.orders` | added twice |

# %% [markdown]
# - A stream from a table fails at an update or a delete. `skipChangeCommits` also skips the new rows of such a commit.
#   The change feed has every change: an update is the row before and the row after.
# - With `startingVersion` `latest` and `availableNow`, a run without new rows stores no position. The next run starts
#   behind all rows again.
# - Each micro-batch reads the newest version of a static Delta table in a join, unless the query has a copy of it.
# - A backfill reads files in the order of their commits, not in the order of event time. With several micro-batches,
#   the watermark drops the older days.

# %% [markdown]
# ## What you can now do after part B
#
# - write a stream into a Delta table, and say what its log holds after each micro-batch;
# - make a write idempotent, so that a lost commit leaves each row once;
# - read a table that changes as a stream, by its change feed;
# - say which rows a backfill of an unordered table loses, and repair it.

# %% [markdown]
# ## Read more
#
# - Debezium: [the connector for PostgreSQL](https://debezium.io/documentation/reference/stable/connectors/postgresql.html), with all fields of a change event
# - PostgreSQL: [logical decoding](https://www.postgresql.org/docs/current/logicaldecoding-explanation.html), and what an LSN is
# - Avro: [schema resolution](https://avro.apache.org/docs/1.12.0/specification/#schema-resolution), the rules of 17.3 and 17.4
# - Confluent: [the wire format](https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/index.html#wire-format)
# - Kafka: [log compaction](https://kafka.apache.org/documentation/#compaction)
# - Delta Lake: [table streaming reads and writes](https://docs.delta.io/delta-streaming/)
#
# How far are you?

# %%
grader.progress()

# %% [markdown]
# This is the end of the last lesson; what follows is optional. Your own tables have change events, too: take one of them,
# and rebuild it.

# %% [markdown]
# # Going further
#
# ## Live change data capture: PostgreSQL and Debezium
#
# The recorded messages came from servers that you can start on your own machine. `captured_orders` starts PostgreSQL
# with a table of two orders, and Debezium, which writes its changes to the lab's Kafka. This takes about 15 seconds.
#
# The first start downloads 42 MB, and checks each file against a hash. So the cells below do nothing until you change
# `False` to `True`:

# %%
from contextlib import ExitStack

from grader.connectors.change_data.captured_orders import captured_orders
from grader.connectors.change_data.schema_registry import RejectedSchema, schema_registry

LIVE = False  # True: download 42 MB here, and 159 MB for the registry below, once
servers = ExitStack()
if LIVE:
    shop = servers.enter_context(captured_orders(kafka.bootstrap_servers))
    print(shop.sql("SELECT * FROM orders"))

# %% [markdown]
# Your `order_table` reads the topic. Its first micro-batch is the snapshot:


# %%
def show(batch: DataFrame, number: int) -> None:
    print(f"  batch {number}:", sorted(map(tuple, batch.collect())))


if LIVE:
    source = spark.readStream.format("kafka").option("subscribe", shop.topic)
    source = source.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    live = order_table(source.option("startingOffsets", "earliest").load())
    live = live.writeStream.outputMode("update").foreachBatch(show)
    query = live.option("checkpointLocation", grader.fresh_checkpoint()).start()
    query.processAllAvailable()

# %% [markdown]
# Three changes follow. **Predict** how many records Debezium writes for each of them.
#
# <details><summary>The answer</summary>
#
# One for the update. Two for the delete: the delete and its tombstone. Three for the changed primary key: a delete, its
# tombstone, and a create.
#
# </details>

# %%
if LIVE:
    records = 2
    for statement, more in [
        ("UPDATE orders SET status = 'paid' WHERE order_id = 1", 1),
        ("DELETE FROM orders WHERE order_id = 2", 2),
        ("UPDATE orders SET order_id = 10 WHERE order_id = 1", 3),
    ]:
        shop.sql(statement)
        records += more
        shop.wait_for(records)
        print(statement)
        query.processAllAvailable()
    query.stop()

# %% [markdown]
# Try statements of your own with `shop.sql(…)`. Two updates in one string are one transaction.
#
# ## A live schema registry: Apicurio
#
# `schema_registry` starts Apicurio Registry 3.3.3, with the level `BACKWARD`. It needs Java 21 or newer, and the lab's own
# Java is new enough. Its first start downloads 159 MB. The registry gives ids to the three versions of 17.3, and then gets
# a fourth one. **Predict** the answer with your `backward`:

# %%
if LIVE:
    registry = servers.enter_context(schema_registry())
    ids = [registry.register("orders-value", schema) for schema in SCHEMAS.values()]
    print("ids:", ids)
    gift = {"name": "gift", "type": "boolean"}
    fourth = {**SCHEMAS[301], "fields": [*SCHEMAS[301]["fields"], gift]}
    print("backward:", backward(SCHEMAS[301], fourth))
    try:
        print("registry:", registry.register("orders-value", fourth))
    except RejectedSchema as error:
        print("registry:", error)

# %% [markdown]
# A default for `gift` lets it in. A record of this version then goes through `read_order`, which gets its schema from the
# registry:

# %%
if LIVE:
    gift["default"] = False
    number = registry.register("orders-value", fourth)
    order = {"order_id": "o10", "buyer": "ana", "cents": 5, "status": "paid", "currency": "EUR"}
    written = io.BytesIO()
    fastavro.schemaless_writer(written, fourth, {**order, "coupon": None, "gift": True})
    value = b"\0" + number.to_bytes(4, "big") + written.getvalue()
    print(read_order(value, {number: registry.schema(number)}, READER))

# %% [markdown]
# The servers end here, or with your kernel. Their data ends with them.

# %%
servers.close()
