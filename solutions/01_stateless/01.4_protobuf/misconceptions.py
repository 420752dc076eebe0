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


def _decoded(clicks: DataFrame, row: Callable[[Any], tuple]) -> DataFrame:
    """The records with a row made of each sound message so; all else is as it should be."""

    def decode(tables: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        from google.protobuf.message import DecodeError

        message = _click_message()
        for table in tables:
            rows = []
            for value in table["value"]:
                try:
                    click = message.FromString(value)
                    rows.append(row(click) if click.event_id else BROKEN)
                except DecodeError:
                    rows.append(BROKEN)
            yield _table(rows)

    return clicks.mapInPandas(decode, SCHEMA)


def unset_read_as_zero(clicks: DataFrame) -> DataFrame:
    """A field that was not set read as zero or as an empty text

    Guests have an empty name now, and clicks whose time on the page is unknown lasted 0 ms.
    Reading a field that was not set gives its default. Ask first whether it was set.
    """

    def row(c: Any) -> tuple:
        return (c.event_id, c.user_id, c.page, c.ms_on_page, c.event_ms, False)

    return _timed(_decoded(clicks, row))


def empty_taken_for_unset(clicks: DataFrame) -> DataFrame:
    """A field that was set taken for one that was not

    The click e10 has a name that was set, and is empty; it came out as null. To `or` and to `if`, an empty
    text and 0 are as false as None. Whether a field was set is what HasField says.
    """

    def row(c: Any) -> tuple:
        return (c.event_id, c.user_id or None, c.page, c.ms_on_page or None, c.event_ms, False)

    return _timed(_decoded(clicks, row))


def unset_handed_on_as_null(clicks: DataFrame) -> DataFrame:
    """A page or a time that was not set made null

    The page of e11 or the time of e12 came out as null. In the description both are not optional: one that
    was not set reads as "" or as 0, and the task hands them on as they read.
    """

    def row(c: Any) -> tuple:
        id, user, page, ms, event_ms, broken = _row(c)
        return (id, user, page or None, ms, event_ms or None, broken)

    return _timed(_decoded(clicks, row))


def milliseconds_as_seconds(clicks: DataFrame) -> DataFrame:
    """Milliseconds taken for seconds

    The clicks have moved some fifty thousand years into the future. A cast from a number to a
    timestamp counts seconds since 1970, and so does timestamp_seconds; event_ms counts
    milliseconds.
    """
    rows = _decoded(clicks, _row)
    return rows.withColumn("event_time", F.col("event_ms").cast("timestamp")).drop("event_ms")


def stops_at_garbage(clicks: DataFrame) -> DataFrame:
    """The stream stopped by bytes that are no message

    The first record that is no message ended the query. Decoding can fail, so say what shall
    happen then; the stream has to go on. If you do catch something, is it the error that was
    raised? DecodeError is no ValueError.
    """

    def decode(tables: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        message = _click_message()
        for table in tables:
            clicks = [message.FromString(value) for value in table["value"]]
            yield _table([_row(click) if click.event_id else BROKEN for click in clicks])

    return _timed(clicks.mapInPandas(decode, SCHEMA))


def garbage_left_out(clicks: DataFrame) -> DataFrame:
    """Broken records left out without a word

    The broken records are missing from the result. The task wants a row for each, marked as
    broken; otherwise a sender with a bug looks like a quiet day.
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
    """A message without an id taken for sound

    A record of no bytes came out as a sound click. For Protobuf that is a message in which nothing
    was set, and it decodes without a complaint. That a click needs an id is the shop's rule, and
    yours to check; and an id that was not set reads as an empty text, not as null.
    """

    def decode(tables: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        from google.protobuf.message import DecodeError

        message = _click_message()
        for table in tables:
            rows = []
            for value in table["value"]:
                try:
                    rows.append(_row(message.FromString(value)))
                except DecodeError:
                    rows.append(BROKEN)
            yield _table(rows)

    return _timed(clicks.mapInPandas(decode, SCHEMA))


def bytes_through_text(clicks: DataFrame) -> DataFrame:
    """Bytes sent through a string

    Protobuf is not text, and most of its bytes are no UTF-8: a string cannot hold them, and what
    comes back from one is something else. Pass the binary column on as it is.
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
