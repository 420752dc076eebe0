from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

SCHEMA = "event_id STRING, user_id STRING, page STRING, ms_on_page INT, event_time TIMESTAMP"


def _parsed(clicks: DataFrame, mode: str = "PERMISSIVE") -> DataFrame:
    text = F.col("value").cast("string")
    return clicks.withColumn("click", F.from_json(text, SCHEMA, {"mode": mode}))


def _complete() -> Column:
    there = " AND ".join(f"click.{name} IS NOT NULL" for name in ("event_id", "page", "event_time"))
    return F.expr(f"{there} AND click.page LIKE '/%'")


def _topic(good: Column, kafka) -> Column:
    return F.when(good, kafka.topic("valid")).otherwise(kafka.topic("dead")).alias("topic")


def _to_kafka(rows: DataFrame, kafka) -> DataStreamWriter:
    servers = kafka.bootstrap_servers
    return rows.writeStream.format("kafka").option("kafka.bootstrap.servers", servers)


def bad_ones_dropped(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Malformed records missing in the topic `dead`

    The topic `valid` is right, and nothing arrived in `dead`. A record that cannot be parsed today
    can be parsed after a bug is fixed, so it must not be lost. The real name of the topic is what
    kafka.topic("dead") returns. Did you filter these records out, or write them to another topic?
    """
    good = _parsed(clicks).filter(_complete()).select("key", "value", _topic(F.lit(True), kafka))
    return _to_kafka(good, kafka)


def struct_is_never_null(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Values that are not JSON accepted as clicks

    Values that are not JSON went to `valid`. A value that is not null says nothing about its
    content. And for any string that is not blank, from_json returns a struct that is not null; only
    its fields are null. Which fields must be present?
    """
    rows = _parsed(clicks).select("key", "value", _topic(F.col("click").isNotNull(), kafka))
    return _to_kafka(rows, kafka)


def first_field_stands_for_all(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Test of one field for the whole record

    Among others, a click without a page and one with an invalid time went to `valid`. The function
    from_json parses each field by itself and returns null for a field that it cannot parse. Which
    fields does your condition test?
    """
    rows = _parsed(clicks).select(
        "key", "value", _topic(F.col("click.event_id").isNotNull(), kafka)
    )
    return _to_kafka(rows, kafka)


def neither_true_nor_false(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Records lost between two filters

    Records that lack a field are in neither topic. If a field is null, a condition on it is null,
    and so is its negation. Such a record passes neither filter. For which records is your condition
    null, or dropped before you split?
    """
    good = (F.length("click.event_id") > 0) & F.col("click.page").startswith("/")
    good = good & (F.col("click.event_time") > "2000-01-01")
    parsed = _parsed(clicks)
    valid = parsed.filter(good).withColumn("topic", F.lit(kafka.topic("valid")))
    dead = parsed.filter(~good).withColumn("topic", F.lit(kafka.topic("dead")))
    return _to_kafka(valid.union(dead).select("key", "value", "topic"), kafka)


def key_forgotten(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Record key not written

    The values are in the right topics, but without their keys. Kafka chooses the partition by the
    key, so without it the clicks of one user lose their order. Which columns do you select before
    the sink?
    """
    return _to_kafka(_parsed(clicks).select("value", _topic(_complete(), kafka)), kafka)


def written_anew(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Record written from parsed columns

    The values lost a field that your schema does not have. Parse to decide, and write the value
    that arrived: readers of the topic may need other fields. Which column do you write as `value`?
    """
    value = F.when(_complete(), F.to_json("click")).otherwise(F.col("value").cast("string"))
    rows = _parsed(clicks).select("key", value.alias("value"), _topic(_complete(), kafka))
    return _to_kafka(rows, kafka)


def stops_at_the_first(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Query stopped by one malformed record

    Your query failed at the first record that it could not parse. That happens with the mode
    FAILFAST, or with parse_json, while try_parse_json returns null. The record stays in the topic,
    so every restart fails at it. Which parser returns null instead of an error?
    """
    rows = _parsed(clicks, "FAILFAST").select("key", "value", _topic(_complete(), kafka))
    return _to_kafka(rows, kafka)


def page_is_not_asked_for(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Condition that is null without a page

    A click without a page is in neither topic. The test `isNotNull()` is true or false, but
    `startswith()` of null is null, and true AND null is null. So neither the condition nor its negation is true
    for this record. What should the condition be if there is no page?
    """
    there = F.col("click.event_id").isNotNull() & F.col("click.event_time").isNotNull()
    good = there & F.col("click.page").startswith("/")
    parsed = _parsed(clicks)
    valid = parsed.filter(good).withColumn("topic", F.lit(kafka.topic("valid")))
    dead = parsed.filter(~good).withColumn("topic", F.lit(kafka.topic("dead")))
    return _to_kafka(valid.union(dead).select("key", "value", "topic"), kafka)


def more_asked_than_needed(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Additional field required

    A click went to `dead` because its ms_on_page is missing or is not a number. Only event_id, page
    and event_time matter. A column for corrupt records is filled if any field of the schema cannot
    be parsed. Which fields does your condition test?
    """
    text = F.col("value").cast("string")
    parsed = clicks.withColumn("click", F.from_json(text, f"{SCHEMA}, _corrupt_record STRING"))
    good = _complete() & F.col("click._corrupt_record").isNull()
    return _to_kafka(parsed.select("key", "value", _topic(good, kafka)), kafka)


def any_page_will_do(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Page accepted without a leading slash

    The pages cart and shop/cart went to `valid`. A valid page begins with /. Does your condition test
    only that there is a page, or also how it begins?
    """
    there = [F.col(f"click.{name}").isNotNull() for name in ("event_id", "page", "event_time")]
    good = there[0] & there[1] & there[2]
    return _to_kafka(_parsed(clicks).select("key", "value", _topic(good, kafka)), kafka)


def tombstones_left_out(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Tombstone in neither topic

    The record of ada without a value is missing; all others arrived. A record whose value is null is a
    tombstone, and it belongs in `dead`. Which operator drops it?
    """
    there = clicks.filter(F.col("value").isNotNull())
    return _to_kafka(_parsed(there).select("key", "value", _topic(_complete(), kafka)), kafka)


def one_form_of_time(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Single time format accepted

    The click e14, whose time has a fraction of a second, or e15, whose time has the offset +01:00, went to
    `dead`. Both are ISO 8601. Does your pattern or format accept every such time?
    """
    text = F.get_json_object(F.col("value").cast("string"), "$.event_time")
    good = _complete() & text.rlike(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
    return _to_kafka(_parsed(clicks).select("key", "value", _topic(good, kafka)), kafka)


def time_by_its_look(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Time checked by a pattern instead of parsed

    The click e16 went to `valid`, and February 30 does not exist. A pattern compares characters and does
    not know the calendar. What does from_json return if the schema says TIMESTAMP?
    """
    text = F.get_json_object(F.col("value").cast("string"), "$.event_time")
    time = text.rlike(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$")
    good = F.expr("click.event_id IS NOT NULL AND click.page LIKE '/%'") & time
    return _to_kafka(_parsed(clicks).select("key", "value", _topic(good, kafka)), kafka)
