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
    """Nothing arrived in the topic `dead`

    The topic `valid` is right. Were the other records filtered out? One that cannot be read today
    may be read tomorrow, after a bug is found; if it is left out, nobody will ever know of it. Or
    were they sent to another topic? The real name of this one is what kafka.topic("dead") gives.
    """
    good = _parsed(clicks).filter(_complete()).select("key", "value", _topic(F.lit(True), kafka))
    return _to_kafka(good, kafka)


def struct_is_never_null(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Text that is no JSON taken for a click

    Such text went to `valid`. Of any that is not blank from_json makes a struct, whose fields are
    null; the struct itself is not. And that a record has a value at all says nothing of what is in
    it. Ask for the fields.
    """
    rows = _parsed(clicks).select("key", "value", _topic(F.col("click").isNotNull(), kafka))
    return _to_kafka(rows, kafka)


def first_field_stands_for_all(clicks: DataFrame, kafka) -> DataStreamWriter:
    """One field that could be read taken for all

    Among others a click without a page, and one whose time is no time, went to `valid`. from_json reads what it
    can and leaves the rest null; each field that the shop needs has to be asked for.
    """
    rows = _parsed(clicks).select(
        "key", "value", _topic(F.col("click.event_id").isNotNull(), kafka)
    )
    return _to_kafka(rows, kafka)


def neither_true_nor_false(clicks: DataFrame, kafka) -> DataStreamWriter:
    """Records that lack a field are in no topic

    Where a field is null, a condition on it is null, and so is its negation: such a row passes
    neither of the two filters. Make the condition one that cannot be null. Or did you leave out
    incomplete records before you divided the rest? They belong to `dead`.
    """
    good = (F.length("click.event_id") > 0) & F.col("click.page").startswith("/")
    good = good & (F.col("click.event_time") > "2000-01-01")
    parsed = _parsed(clicks)
    valid = parsed.filter(good).withColumn("topic", F.lit(kafka.topic("valid")))
    dead = parsed.filter(~good).withColumn("topic", F.lit(kafka.topic("dead")))
    return _to_kafka(valid.union(dead).select("key", "value", "topic"), kafka)


def key_forgotten(clicks: DataFrame, kafka) -> DataStreamWriter:
    """The key left behind

    The values are in the right topics, but without their keys. The key decides to which partition
    a record goes, and with it whether the clicks of one user stay in order.
    """
    return _to_kafka(_parsed(clicks).select("value", _topic(_complete(), kafka)), kafka)


def written_anew(clicks: DataFrame, kafka) -> DataStreamWriter:
    """The parsed columns written in place of the record

    A field that your schema does not know is gone from the values. Parse to decide, and pass on
    what came: whoever reads the topic may need what you do not.
    """
    value = F.when(_complete(), F.to_json("click")).otherwise(F.col("value").cast("string"))
    rows = _parsed(clicks).select("key", value.alias("value"), _topic(_complete(), kafka))
    return _to_kafka(rows, kafka)


def stops_at_the_first(clicks: DataFrame, kafka) -> DataStreamWriter:
    """The whole stream stopped by one bad record

    The query ended at the first record that it could not read: so it does in the mode FAILFAST, or
    with parse_json, where try_parse_json gives null. The record stays in the topic, so every
    restart ends at the same place: one bad record and the shop is blind.
    """
    rows = _parsed(clicks, "FAILFAST").select("key", "value", _topic(_complete(), kafka))
    return _to_kafka(rows, kafka)


def page_is_not_asked_for(clicks: DataFrame, kafka) -> DataStreamWriter:
    """One of the conditions can be null

    A click without a page is in no topic. `isNotNull()` is true or false, but startswith() on a
    null is null, and null joined to true by & is null, too: neither the condition nor its negation
    is true of that record. What should your condition be where there is no page?
    """
    there = F.col("click.event_id").isNotNull() & F.col("click.event_time").isNotNull()
    good = there & F.col("click.page").startswith("/")
    parsed = _parsed(clicks)
    valid = parsed.filter(good).withColumn("topic", F.lit(kafka.topic("valid")))
    dead = parsed.filter(~good).withColumn("topic", F.lit(kafka.topic("dead")))
    return _to_kafka(valid.union(dead).select("key", "value", "topic"), kafka)


def more_asked_than_needed(clicks: DataFrame, kafka) -> DataStreamWriter:
    """A field that nobody needs was asked for, too

    A click went to `dead` because its ms_on_page is missing or is no number. The task needs event_id, page and
    event_time; what else the click holds does not matter. Which fields does your condition ask for? A column
    for corrupt records is filled as soon as any field of the schema cannot be read.
    """
    text = F.col("value").cast("string")
    parsed = clicks.withColumn("click", F.from_json(text, f"{SCHEMA}, _corrupt_record STRING"))
    good = _complete() & F.col("click._corrupt_record").isNull()
    return _to_kafka(parsed.select("key", "value", _topic(good, kafka)), kafka)
