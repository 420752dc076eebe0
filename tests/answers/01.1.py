"""Answers to 01.1."""

import json
from datetime import datetime
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

CLICK = "event_id STRING, user_id STRING, page STRING, ms_on_page INT, event_time TIMESTAMP"


def _text() -> Column:
    return F.col("value").cast("string")


def _to_kafka(rows: DataFrame, kafka) -> DataStreamWriter:
    servers = kafka.bootstrap_servers
    return rows.writeStream.format("kafka").option("kafka.bootstrap.servers", servers)


def _good(click: Column) -> Column:
    there = click["event_id"].isNotNull() & click["event_time"].isNotNull()
    return F.coalesce(there & click["page"].startswith("/"), F.lit(False))


def _topic(good: Column, kafka) -> Column:
    return F.when(good, kafka.topic("valid")).otherwise(kafka.topic("dead")).alias("topic")


def right_as_a_variant(clicks: DataFrame, kafka) -> DataStreamWriter:
    """try_parse_json, and the three fields out of the variant."""
    parsed = clicks.withColumn("v", F.try_parse_json(_text()))
    good = (
        F.try_variant_get("v", "$.event_id", "string").isNotNull()
        & F.try_variant_get("v", "$.event_time", "timestamp").isNotNull()
        & F.try_variant_get("v", "$.page", "string").like("/%")
    )
    return _to_kafka(parsed.select("key", "value", _topic(good, kafka)), kafka)


def right_by_json_path(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Fields by JSON path, the time by try_cast; key and value handed on as strings; SQL."""
    valid, dead = kafka.topic("valid"), kafka.topic("dead")
    rows = clicks.selectExpr(
        "CAST(key AS STRING) AS key", "CAST(value AS STRING) AS value", "timestamp"
    ).selectExpr(
        "key",
        "value",
        "CASE WHEN get_json_object(value, '$.event_id') IS NOT NULL"
        " AND TRY_CAST(get_json_object(value, '$.event_time') AS TIMESTAMP) IS NOT NULL"
        f" AND left(get_json_object(value, '$.page'), 1) = '/' THEN '{valid}' ELSE '{dead}' END AS topic",
    )
    return _to_kafka(rows, kafka).outputMode("update").queryName("routed")


def right_python_decides(clicks: DataFrame, kafka) -> DataStreamWriter:
    """A Python function says whether a value is a click."""

    @F.udf("boolean")
    def is_click(value: bytes | None) -> bool:
        try:
            click = json.loads(bytes(value))
            datetime.fromisoformat(click["event_time"])
            return click["event_id"] is not None and click["page"].startswith("/")
        except Exception:
            return False

    rows = clicks.withColumn("good", is_click("value"))
    return _to_kafka(rows.select(_topic(F.col("good"), kafka), "key", "value"), kafka)


def right_with_a_reason_in_the_headers(clicks: DataFrame, kafka) -> DataStreamWriter:
    """A header tells why a record is dead; key and value are untouched."""
    good = _good(F.from_json(_text(), CLICK))
    reason = F.when(good, "none").otherwise("unreadable").cast("binary")
    header = F.array(F.struct(F.lit("reason").alias("key"), reason.alias("value")))
    rows = clicks.select("key", "value", _topic(good, kafka), header.alias("headers"))
    return _to_kafka(rows, kafka)


def right_topic_of_the_row_in_a_batch(clicks: DataFrame, kafka) -> DataStreamWriter:
    """foreachBatch with one write, in which each row names its topic."""

    def write(batch: DataFrame, batch_id: int) -> None:
        good = _good(F.from_json(_text(), CLICK))
        rows = batch.select("key", "value", _topic(good, kafka)).sort("topic")
        sink = rows.write.format("kafka").mode("append")
        sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers).save()

    return clicks.writeStream.foreachBatch(write)


def right_or_not_all_columns_handed_on(clicks: DataFrame, kafka) -> DataStreamWriter:
    """withColumn puts the new topic over the old one, and all the rest goes along, partition too

    Right by the outcome, against the advice to select the columns that it writes: the record is pinned to the number of
    the partition that it came from. It passes, as all topics of the check have one partition; whether the task
    forbids it is open (a learner is told that the sink looks at `partition`, not that it must not).
    """
    good = _good(F.from_json(_text(), CLICK))
    return _to_kafka(clicks.withColumn("topic", _topic(good, kafka)), kafka)


def wrong_every_field_must_be_sound(clicks: DataFrame, kafka) -> DataStreamWriter:
    """The column of corrupt records asked, too: one unreadable field makes a record dead"""
    click = F.from_json(_text(), CLICK + ", broken STRING", {"columnNameOfCorruptRecord": "broken"})
    good = F.coalesce(_good(click) & click["broken"].isNull(), F.lit(False))
    return _to_kafka(clicks.select("key", "value", _topic(good, kafka)), kafka)


def wrong_time_that_looks_like_one(clicks: DataFrame, kafka) -> DataStreamWriter:
    """The time as text that begins with four digits, two and two"""
    click = F.from_json(_text(), "event_id STRING, page STRING, event_time STRING")
    time = click["event_time"].rlike("^[0-9]{4}-[0-9]{2}-[0-9]{2}T")
    good = F.coalesce(
        click["event_id"].isNotNull() & time & click["page"].startswith("/"), F.lit(False)
    )
    return _to_kafka(clicks.select("key", "value", _topic(good, kafka)), kafka)


def wrong_dead_letters_under_a_plain_name(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Dead records sent to a topic that is called just `dead`

    The task: no topic is called just that. (The broker makes one.)
    """
    good = _good(F.from_json(_text(), CLICK))
    topic = F.when(good, kafka.topic("valid")).otherwise("dead").alias("topic")
    return _to_kafka(clicks.select("key", "value", topic), kafka)


def wrong_anything_with_a_value(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Never parsed: whatever has a value that is not empty is valid"""
    good = F.col("value").isNotNull() & (F.length("value") > 0)
    return _to_kafka(clicks.select("key", "value", _topic(good, kafka)), kafka)


def wrong_parse_json_without_try(clicks: DataFrame, kafka) -> DataStreamWriter:
    """parse_json, which raises where try_parse_json gives null

    The query ends at e03.
    """
    v = F.parse_json(_text())
    good = (
        F.try_variant_get(v, "$.event_id", "string").isNotNull()
        & F.try_variant_get(v, "$.event_time", "timestamp").isNotNull()
        & F.try_variant_get(v, "$.page", "string").startswith("/")
    )
    return _to_kafka(clicks.select("key", "value", _topic(good, kafka)), kafka)


_CLICK = "event_id STRING, user_id STRING, page STRING, ms_on_page INT, event_time TIMESTAMP"


def _readable() -> Column:
    click = F.from_json(F.col("value").cast("string"), _CLICK)
    there = [click[name].isNotNull() for name in ("event_id", "page", "event_time")]
    return there[0] & there[1] & there[2] & click["page"].startswith("/")


def _routed(clicks: DataFrame, topic: Column, kafka: Any) -> DataStreamWriter:
    rows = clicks.select("key", "value", topic.alias("topic")).writeStream.format("kafka")
    return rows.option("kafka.bootstrap.servers", kafka.bootstrap_servers)


def wrong_topics_by_their_plain_names(clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Topics by their plain names."""
    return _routed(clicks, F.when(_readable(), "valid").otherwise("dead"), kafka)


def wrong_topics_swapped(clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    """Topics swapped."""
    good = F.coalesce(_readable(), F.lit(False))
    topic = F.when(good, kafka.topic("dead")).otherwise(kafka.topic("valid"))
    return _routed(clicks, topic, kafka)


def wrong_pages_of_plain_letters(clicks: DataFrame, kafka) -> DataStreamWriter:
    """A page must be slashes and plain letters

    It has to begin with a slash and no more is asked: /früchte/äpfel?from=mail goes to dead.
    """
    click = F.from_json(_text(), CLICK)
    good = F.coalesce(_good(click) & click["page"].rlike("^/[A-Za-z/]*$"), F.lit(False))
    return _to_kafka(clicks.select("key", "value", _topic(good, kafka)), kafka)


def wrong_one_form_of_time(clicks: DataFrame, kafka) -> DataStreamWriter:
    """The time read by the pattern that the example has, to the second and with a Z

    12:15:00.250Z and 13:15:00+01:00 are readable and go to dead.
    """
    click = F.from_json(_text(), "event_id STRING, page STRING, event_time STRING")
    time = F.try_to_timestamp(click["event_time"], F.lit("yyyy-MM-dd'T'HH:mm:ss'Z'"))
    good = click["event_id"].isNotNull() & time.isNotNull() & click["page"].startswith("/")
    return _to_kafka(clicks.select("key", "value", _topic(good, kafka)), kafka)


def wrong_future_is_dead(clicks: DataFrame, kafka) -> DataStreamWriter:
    """A time that has not come yet counted as unreadable

    A click of a phone whose clock is fast (year 2099) can be read, and goes to dead.
    """
    click = F.from_json(_text(), CLICK)
    good = _good(click) & (click["event_time"] <= F.current_timestamp())
    return _to_kafka(clicks.select("key", "value", _topic(good, kafka)), kafka)


def wrong_decoded_strictly(clicks: DataFrame, kafka) -> DataStreamWriter:
    """decode(value, 'UTF-8') in place of a cast, handed on as the value

    Bytes that are no UTF-8 end the query, or arrive as other bytes; nothing says that values are text.
    """
    rows = clicks.withColumn("text", F.decode("value", "UTF-8"))
    good = _good(F.from_json("text", CLICK))
    rows = rows.select("key", F.col("text").alias("value"), _topic(good, kafka))
    return _to_kafka(rows, kafka)
