"""Answers to 01.4."""

import base64
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta, timezone

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

COLUMNS = ["event_id", "user_id", "page", "ms_on_page", "event_ms", "broken"]
SCHEMA = (
    "event_id STRING, user_id STRING, page STRING, ms_on_page INT, event_ms BIGINT, broken BOOLEAN"
)
BROKEN = (None, None, None, None, None, True)


def _click_message():
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    kind = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="click.proto", package="shop", syntax="proto3")
    click = file.message_type.add(name="Click")
    for number, (name, type_, optional) in enumerate(
        [
            ("event_id", kind.TYPE_STRING, False),
            ("user_id", kind.TYPE_STRING, True),
            ("page", kind.TYPE_STRING, False),
            ("ms_on_page", kind.TYPE_INT32, True),
            ("event_ms", kind.TYPE_INT64, False),
        ],
        start=1,
    ):
        field = click.field.add(name=name, number=number, type=type_, label=kind.LABEL_OPTIONAL)
        if optional:
            field.proto3_optional = True
            field.oneof_index = len(click.oneof_decl)
            click.oneof_decl.add(name=f"_{name}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Click"))


def _row(click) -> tuple:
    user = click.user_id if click.HasField("user_id") else None
    ms = click.ms_on_page if click.HasField("ms_on_page") else None
    return (click.event_id, user, click.page, ms, click.event_ms, False)


def _read(message, value: bytes) -> tuple:
    try:
        click = message.FromString(bytes(value))
    except Exception:
        return BROKEN
    return _row(click) if click.event_id else BROKEN


def _rows(clicks: DataFrame, row_of: Callable, column: str = "value") -> DataFrame:
    """Each value through row_of(message class, value)."""

    def decode(tables: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        message = _click_message()
        for table in tables:
            rows = [row_of(message, value) for value in table[column]]
            yield pd.DataFrame(rows, columns=COLUMNS, dtype=object)

    return clicks.mapInPandas(decode, SCHEMA)


def _timed(rows: DataFrame) -> DataFrame:
    time = F.timestamp_millis("event_ms").alias("event_time")
    return rows.select("event_id", "user_id", "page", "ms_on_page", time, "broken")


def right_by_base64(clicks: DataFrame) -> DataFrame:
    """The bytes through a text that can hold them: base64."""

    def row_of(message, text: str) -> tuple:
        return _read(message, base64.b64decode(text))

    texts = clicks.select(F.base64("value").alias("text"))
    return _timed(_rows(texts, row_of, "text"))


def right_time_by_division(clicks: DataFrame) -> DataFrame:
    """Seconds with fractions cast to a timestamp; the columns in another order, a wider number."""
    rows = _rows(clicks, _read)
    return rows.select(
        "broken",
        (F.col("event_ms") / 1000).cast("timestamp").alias("event_time"),
        F.col("ms_on_page").cast("long"),
        "page",
        "user_id",
        "event_id",
    )


def right_time_by_pandas(clicks: DataFrame) -> DataFrame:
    """The timestamp made in pandas, in UTC; broken is computed from the id."""

    def decode(tables: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        message = _click_message()
        for table in tables:
            rows = [_read(message, value) for value in table["value"]]
            found = pd.DataFrame(rows, columns=COLUMNS, dtype=object)
            found["event_time"] = pd.to_datetime(found.pop("event_ms"), unit="ms", utc=True)
            found["broken"] = [event_id is None for event_id in found["event_id"]]
            yield found[["event_id", "user_id", "page", "ms_on_page", "event_time", "broken"]]

    return clicks.mapInPandas(
        decode,
        "event_id STRING, user_id STRING, page STRING, ms_on_page INT, event_time TIMESTAMP, "
        "broken BOOLEAN",
    )


def right_datetime_in_a_udf(clicks: DataFrame) -> DataFrame:
    """A Python UDF that gives a struct with a datetime; WhichOneof asks whether a field was set."""
    schema = "event_id STRING, user_id STRING, page STRING, ms_on_page BIGINT, event_time TIMESTAMP"

    @F.udf(schema)
    def decode(value: bytes) -> tuple | None:
        click = _click_message()()
        try:
            click.MergeFromString(bytes(value))
        except Exception:
            return None
        if click.event_id == "":
            return None
        user = click.user_id if click.WhichOneof("_user_id") else None
        ms = click.ms_on_page if click.WhichOneof("_ms_on_page") else None
        start = datetime(1970, 1, 1, tzinfo=timezone.utc)
        return (
            click.event_id,
            user,
            click.page,
            ms,
            start + timedelta(milliseconds=click.event_ms),
        )

    rows = clicks.withColumn("c", decode("value"))
    return rows.select("c.*", F.col("c").isNull().alias("broken"))


def wrong_only_what_was_set(clicks: DataFrame) -> DataFrame:
    """All fields from ListFields(), so that a page or a time that was not set is null

    "`page` and `event_ms` are handed on as they read": an unset page reads as "", an unset event_ms as 0
    (1970-01-01).
    """

    def row_of(message, value: bytes) -> tuple:
        try:
            click = message.FromString(bytes(value))
        except Exception:
            return BROKEN
        given = {field.name: found for field, found in click.ListFields()}
        if not given.get("event_id"):
            return BROKEN
        return (*[given.get(name) for name in COLUMNS[:-1]], False)

    return _timed(_rows(clicks, row_of))


def wrong_page_demanded(clicks: DataFrame) -> DataFrame:
    """A click without a page, or without a time, counted as broken

    Broken are, by the task, bytes that are no Click and a Click without an event_id.
    """

    def row_of(message, value: bytes) -> tuple:
        row = _read(message, value)
        return row if row[0] and row[2] and row[4] else BROKEN

    return _timed(_rows(clicks, row_of))


def wrong_empty_name_is_a_guest(clicks: DataFrame) -> DataFrame:
    """An empty user_id read as null, whether it was set or not

    Null is "an optional field that was not set"; a user_id that was set to "" is "".
    """

    def row_of(message, value: bytes) -> tuple:
        event_id, user, page, ms, event_ms, broken = _read(message, value)
        return (event_id, user or None, page, ms, event_ms, broken)

    return _timed(_rows(clicks, row_of))


def wrong_other_exception_caught(clicks: DataFrame) -> DataFrame:
    """ValueError caught; what is raised is a DecodeError, which is none

    The query ends in step 2.
    """

    def row_of(message, value: bytes) -> tuple:
        try:
            click = message.FromString(value)
        except ValueError:
            return BROKEN
        return _row(click) if click.event_id else BROKEN

    return _timed(_rows(clicks, row_of))


def wrong_no_page_is_null(clicks: DataFrame) -> DataFrame:
    """A page that was not set as null."""

    def row_of(message, value: bytes) -> tuple:
        id, user, page, *others = _read(message, value)
        return (id, user, page or None, *others)

    return _timed(_rows(clicks, row_of))


def right_through_json(clicks: DataFrame) -> DataFrame:
    """Protobuf's own JSON (an int64 is a text in it), read by from_json; no text means broken."""

    @F.udf("string")
    def as_json(value: bytes) -> str | None:
        from google.protobuf.json_format import MessageToJson

        message = _click_message()
        try:
            click = message.FromString(bytes(value))
        except Exception:
            return None
        if not click.event_id:
            return None
        return MessageToJson(
            click, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )

    fields = "event_id STRING, user_id STRING, page STRING, ms_on_page INT, event_ms STRING"
    rows = clicks.select(as_json("value").alias("json"))
    rows = rows.select(
        F.from_json("json", fields).alias("c"), F.col("json").isNull().alias("broken")
    )
    time = F.timestamp_millis(F.col("c.event_ms").cast("bigint")).alias("event_time")
    return rows.select("c.event_id", "c.user_id", "c.page", "c.ms_on_page", time, "broken")


def wrong_only_no_bytes_are_broken(clicks: DataFrame) -> DataFrame:
    """Asks whether the record has bytes, in place of whether the click has an event_id

    A message with a page and no event_id comes out as sound, with "" for its id.
    """

    def row_of(message, value: bytes) -> tuple:
        if not value:
            return BROKEN
        try:
            return _row(message.FromString(bytes(value)))
        except Exception:
            return BROKEN

    return _timed(_rows(clicks, row_of))


def wrong_broken_but_told(clicks: DataFrame) -> DataFrame:
    """A click without an id marked as broken, and what else it holds handed on

    "And everything else null": a message with a page and no event_id comes out with its page. (No bytes at
    all give null here, too, as an empty page and a time of 0 are made null where the id is missing.)
    """

    def row_of(message, value: bytes) -> tuple:
        try:
            click = message.FromString(bytes(value))
        except Exception:
            return BROKEN
        event_id, user, page, ms, event_ms, _ = _row(click)
        if event_id:
            return _row(click)
        return (None, user, page or None, ms, event_ms or None, True)

    return _timed(_rows(clicks, row_of))
