import pandas as pd
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F


def _click_message():
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    described = descriptor_pb2.FileDescriptorProto(
        name="click.proto", package="shop", syntax="proto3"
    )
    click = described.message_type.add(name="Click")
    names = ["event_id", "user_id", "page", "ms_on_page", "event_ms"]
    for number, (name, kind) in enumerate(zip(names, (9, 9, 9, 5, 3), strict=True), start=1):
        field = click.field.add(name=name, number=number, type=kind, label=1)
        if name in ("user_id", "ms_on_page"):
            field.proto3_optional = True
            field.oneof_index = len(click.oneof_decl)
            click.oneof_decl.add(name=f"_{name}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(described)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Click"))


def _fields(message, value: bytes) -> dict:
    try:
        click = message.FromString(value)
    except Exception:
        return {}
    given = {"event_id": click.event_id, "page": click.page, "event_ms": click.event_ms}
    given |= {field.name: value for field, value in click.ListFields()}  # optional ones if set
    return given if click.event_id else {}


def as_pandas_udf(clicks: DataFrame) -> DataFrame:
    """A pandas UDF that gives a struct; the time is computed in SQL."""

    @F.pandas_udf("event_id STRING, user_id STRING, page STRING, ms_on_page INT, event_ms BIGINT")
    def decode(values: pd.Series) -> pd.DataFrame:
        message = _click_message()
        names = ["event_id", "user_id", "page", "ms_on_page", "event_ms"]
        found = [_fields(message, value) for value in values]
        rows = [[fields.get(name) for name in names] for fields in found]
        return pd.DataFrame(rows, columns=names, dtype=object)

    return clicks.select(decode("value").alias("c")).selectExpr(
        "c.event_id",
        "c.user_id",
        "c.page",
        "c.ms_on_page",
        "timestamp_millis(c.event_ms) AS event_time",
        "c.event_id IS NULL AS broken",
    )


def as_plain_udf(clicks: DataFrame) -> DataFrame:
    """A row-at-a-time Python UDF."""

    @F.udf("event_id STRING, user_id STRING, page STRING, ms_on_page INT, event_ms BIGINT")
    def decode(value: bytes) -> Row:
        fields = _fields(_click_message(), bytes(value))
        names = ("event_id", "user_id", "page", "ms_on_page", "event_ms")
        return Row(**{name: fields.get(name) for name in names})

    rows = clicks.select(decode("value").alias("c")).select("c.*")
    timed = rows.withColumn("event_time", F.timestamp_millis("event_ms")).drop("event_ms")
    return timed.withColumn("broken", F.isnull("event_id"))
