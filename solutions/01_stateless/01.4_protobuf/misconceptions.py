from collections.abc import Callable, Iterable, Iterator
from typing import Any

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


def _table(rows: list[tuple]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS, dtype=object)


def _timed(rows: DataFrame) -> DataFrame:
    time = F.timestamp_millis("event_ms").alias("event_time")
    return rows.select("event_id", "user_id", "page", "ms_on_page", time, "broken")


def _has_id(click: Any, _value: bytes) -> bool:
    return bool(click.event_id)


def _decoded(
    clicks: DataFrame,
    row: Callable[[Any], tuple],
    is_sound: Callable[[Any, bytes], bool] = _has_id,
) -> DataFrame:
    """The records with a row made so of each message that is sound by that test; all else is as it should be."""

    def decode(tables: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        from google.protobuf.message import DecodeError

        message = _click_message()
        for table in tables:
            rows = []
            for value in table["value"]:
                try:
                    click = message.FromString(value)
                    rows.append(row(click) if is_sound(click, value) else BROKEN)
                except DecodeError:
                    rows.append(BROKEN)
            yield _table(rows)

    return clicks.mapInPandas(decode, SCHEMA)


def unset_read_as_zero(clicks: DataFrame) -> DataFrame:
    """Unset field read as its default value

    Guests have an empty user_id, and clicks of unknown length lasted 0 ms. In Protobuf, an unset
    field reads as its default value. Which method says whether a field was set?
    """

    def row(c: Any) -> tuple:
        return (c.event_id, c.user_id, c.page, c.ms_on_page, c.event_ms, False)

    return _timed(_decoded(clicks, row))


def empty_taken_for_unset(clicks: DataFrame) -> DataFrame:
    """Empty value treated as unset

    The user_id of the click e10 is set and empty; your query emitted null. In Python, `or` and `if`
    treat an empty string and 0 like None. Which method says whether a field was set?
    """

    def row(c: Any) -> tuple:
        return (c.event_id, c.user_id or None, c.page, c.ms_on_page or None, c.event_ms, False)

    return _timed(_decoded(clicks, row))


def unset_handed_on_as_null(clicks: DataFrame) -> DataFrame:
    """Default value replaced by null

    Your query emitted null as the page of e11 or as the time of e12. These two fields are not
    optional: if they are not set, they read as "" and as 0. What does the task require for them?
    """

    def row(c: Any) -> tuple:
        id, user, page, ms, event_ms, broken = _row(c)
        return (id, user, page or None, ms, event_ms or None, broken)

    return _timed(_decoded(clicks, row))


def milliseconds_as_seconds(clicks: DataFrame) -> DataFrame:
    """Milliseconds converted as seconds

    The clicks moved about fifty thousand years into the future. A cast from a number to a timestamp
    counts seconds since 1970, and so does timestamp_seconds. In which unit is event_ms?
    """
    rows = _decoded(clicks, _row)
    return rows.withColumn("event_time", F.col("event_ms").cast("timestamp")).drop("event_ms")


def stops_at_garbage(clicks: DataFrame) -> DataFrame:
    """Query stopped by a value that is not a message

    Your query failed at the first value that is not a `Click`. Decoding can fail, and the stream
    must continue. DecodeError is not a ValueError. Which exception does your code catch, and which
    row does it return then?
    """

    def decode(tables: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        message = _click_message()
        for table in tables:
            clicks = [message.FromString(value) for value in table["value"]]
            yield _table([_row(click) if click.event_id else BROKEN for click in clicks])

    return _timed(clicks.mapInPandas(decode, SCHEMA))


def garbage_left_out(clicks: DataFrame) -> DataFrame:
    """Malformed records dropped

    The malformed records are missing in the result. The task requires one row for each of them,
    with `broken` true. Otherwise a sender with a bug looks like a quiet day. Which branch of your
    code returns no row?
    """

    def decode(tables: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        from google.protobuf.message import DecodeError

        message = _click_message()
        for table in tables:
            rows = []
            for value in table["value"]:
                try:
                    click = message.FromString(value)
                except DecodeError:
                    continue
                if click.event_id:
                    rows.append(_row(click))
            yield _table(rows)

    return _timed(clicks.mapInPandas(decode, SCHEMA))


def no_complaint_is_fine(clicks: DataFrame) -> DataFrame:
    """Missing check of event_id

    Your query emitted a value of zero bytes as a click that is not broken. In Protobuf, zero bytes
    are a message in which nothing is set, so decoding succeeds. An unset event_id reads as "", not
    as null. Where does your code check it?
    """

    return _timed(_decoded(clicks, _row, lambda click, value: True))


def bytes_through_text(clicks: DataFrame) -> DataFrame:
    """Binary value cast to a string

    Most Protobuf values are not valid UTF-8, so a cast to a string changes the bytes. Which column
    does your function decode, and is it binary?
    """

    def decode(tables: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        from google.protobuf.message import DecodeError

        message = _click_message()
        for table in tables:
            rows = []
            for text in table["text"]:
                try:
                    click = message.FromString(text.encode())
                    rows.append(_row(click) if click.event_id else BROKEN)
                except DecodeError:
                    rows.append(BROKEN)
            yield _table(rows)

    text = clicks.select(F.col("value").cast("string").alias("text"))
    return _timed(text.mapInPandas(decode, SCHEMA))


def only_zero_bytes_are_broken(clicks: DataFrame) -> DataFrame:
    """Event_id checked for values of zero bytes only

    Your query emitted the click of cem in step 3 as not broken, and it has no event_id. A value of zero
    bytes is one such message; other fields can be set, too. What do you test, the value or the event_id?
    """

    return _timed(_decoded(clicks, _row, lambda click, value: len(value) > 0))


def encoded_again_and_compared(clicks: DataFrame) -> DataFrame:
    """Comparison with the bytes of a second encoding

    Your query emitted the click e07 as broken. Its sender writes the fields in reverse order, and
    the value is the same `Click`: in Protobuf, one message has several encodings. Which test on the
    decoded message says that it is a click?
    """

    def is_sound(click: Any, value: bytes) -> bool:
        return bool(click.event_id) and click.SerializeToString() == bytes(value)

    return _timed(_decoded(clicks, _row, is_sound))
