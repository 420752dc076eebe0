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
# - read Avro records with the schema that wrote them and the schema that you want;
# - say which new schemas a registry rejects, and which field prevents it.
#
# **Prerequisites** · lessons 01 (malformed records, restarts) and 02 (state, update mode, `max_by`).
#
# **Time** · engineer 75 minutes, student 130 minutes. *Going further* starts Debezium and a registry on your machine.
#
# **Fast path** · 25 minutes: run all cells up to exercise 17.1, and solve it.

# %% tags=["given"]
import base64
import io
import json
from typing import Any

import fastavro
import grader
from pyspark.sql import DataFrame
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
# payload begins with the length and the letters of `o02`:

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
# Spark's own `from_avro` does the same, with the package `spark-avro`: one more jar, which this lab does not have. It
# takes the writer's schema, and the reader's schema as the option `avroSchema`.

# %% [markdown]
# ## Exercise 17.3: Read Avro records of several schema versions
#
# The shop wants all orders in the columns of version 2. Write `read_order(value, schemas, reader)`.
#
# **Input** · `value`: the bytes of a record. `schemas`: a dict from schema id to schema, with all versions of the topic.
# `reader`: the reader's schema, version 2.
#
# **Output** · a dict with `schema_id`, the fields of `reader`, and `problem`.
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
# ## Backward compatibility: what a registry rejects
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
# **Output** · a dict: `compatible` is true if `new` reads all records that `old` wrote. `field` names the field that
# prevents it.
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
# **You can assume** · types are names of primitive types, unions of them, enums and records. An enum or a record keeps its
# name. No alias is the name of another field.
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
# ## Recap: the facts
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
# ## What you can now do
#
# - read Debezium's change events, and say where each one comes from;
# - rebuild a table from them, also if messages are repeated or out of order;
# - say why deleted rows stay in state;
# - read the wire format of a schema registry, and make each fault visible;
# - read Avro records of several schema versions into the columns of one;
# - change a schema so that old records stay readable.
#
# ## Read more
#
# - Debezium: [the connector for PostgreSQL](https://debezium.io/documentation/reference/stable/connectors/postgresql.html), with all fields of a change event
# - PostgreSQL: [logical decoding](https://www.postgresql.org/docs/current/logicaldecoding-explanation.html), and what an LSN is
# - Avro: [schema resolution](https://avro.apache.org/docs/1.12.0/specification/#schema-resolution), the rules of 17.3 and 17.4
# - Confluent: [the wire format](https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/index.html#wire-format)
# - Kafka: [log compaction](https://kafka.apache.org/documentation/#compaction)
#
# How far are you?

# %%
grader.progress()

# %% [markdown]
# This is the last lesson. Your own tables have change events, too: take one of them, and rebuild it.

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
