"""Readings of Avro records that are wrong for a byte, a version or a fault."""

import io
from collections.abc import Callable
from typing import Any

import fastavro

Schema = dict[str, Any]
Schemas = dict[int, Schema]


def _big_endian(value: bytes) -> int:
    return int.from_bytes(value[1:5], "big")


def _framed(value: bytes) -> bool:
    return len(value) >= 5 and value[0] == 0


def _of_its_id(number: int, schemas: Schemas, reader: Schema) -> Schema | None:
    return schemas.get(number)


def _resolved(payload: bytes, writer: Schema, reader: Schema) -> Schema:
    return fastavro.schemaless_reader(io.BytesIO(payload), writer, reader)


def _as_written(payload: bytes, writer: Schema) -> Schema:
    return fastavro.schemaless_reader(io.BytesIO(payload), writer, None)


def _exchanged(payload: bytes, writer: Schema, reader: Schema) -> Schema:
    return _resolved(payload, reader, writer)


def _row(
    value: bytes,
    schemas: Schemas,
    reader: Schema,
    *,
    framed: Callable[[bytes], bool] = _framed,
    number: Callable[[bytes], int] = _big_endian,
    writer: Callable[[int, Schemas, Schema], Schema | None] = _of_its_id,
    read: Callable[[bytes, Schema, Schema], Schema] = _resolved,
    first: int = 5,
    caught: type[Exception] = Exception,
) -> dict[str, Any]:
    """The row of the task, with a part replaced."""
    names = [field["name"] for field in reader["fields"]]

    def row(id: int | None, order: Schema, problem: str | None) -> dict[str, Any]:
        fields = {name: order.get(name) for name in names}
        return {"schema_id": id, **fields, "problem": problem}

    if not framed(value):
        return row(None, {}, "no prefix")
    id = number(value)
    written = writer(id, schemas, reader)
    if written is None:
        return row(id, {}, "unknown schema")
    try:
        return row(id, read(value[first:], written, reader), None)
    except caught:
        return row(id, {}, "broken payload")


def newest_schema_for_all(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Newest schema used as the writer's schema

    Orders of versions 1 and 2 have a broken payload in your output, and orders of version 3 are right. All payloads were
    read with the newest schema. The bytes have no names, so only the schema that wrote them says where a field
    begins. Which part of the record names this schema?
    """
    return _row(
        value, schemas, reader, writer=lambda id, all, _: all[max(all)] if id in all else None
    )


def reader_as_writer(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Reader's schema used as the writer's schema

    Orders of version 1 are wrong in your output, without an error. The order o02 was written as paid, and your output has
    `placed` and the currency `ring twice`: its bytes were read as version 2. Which schema do you take from `schemas`?
    """
    return _row(
        value, schemas, reader, writer=lambda id, all, reader: reader if id in all else None
    )


def writer_only(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """No reader's schema

    Orders of version 1 have no `buyer` and no `currency`, although the reader's schema has an alias and a default for
    them. They were decoded by the writer's schema alone. What does `reader` change if `schemaless_reader` gets it,
    too?
    """
    return _row(
        value, schemas, reader, read=lambda payload, written, _: _as_written(payload, written)
    )


def alias_not_followed(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Alias not followed

    Orders of version 1 have no `buyer`. Version 1 calls this field `customer`, and the reader's schema
    names it as an alias. Under which names can a field of the reader be in the record?
    """

    def read(payload: bytes, written: Schema, reader: Schema) -> Schema:
        order = _resolved(payload, written, reader)
        names = {field["name"] for field in written["fields"]}
        return order if "buyer" in names else {**order, "buyer": None}

    return _row(value, schemas, reader, read=read)


def default_not_filled(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Default of the reader's schema not filled in

    Orders of version 1 have no `currency`. Version 1 has no such field, and the reader's schema has a default for it.
    What is the currency of an order that was written before the field existed?
    """

    def read(payload: bytes, written: Schema, reader: Schema) -> Schema:
        order = _resolved(payload, written, reader)
        names = {field["name"] for field in written["fields"]}
        return order if "currency" in names else {**order, "currency": None}

    return _row(value, schemas, reader, read=read)


def symbol_unknown_to_the_reader(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Status that the reader's schema does not have

    Your output has the status `returned`, which is a symbol of version 3 only. Consumers of version 2 do not know
    it. The enum of the reader has a default for this case. Where do you compare a status with the reader's symbols?
    """

    def read(payload: bytes, written: Schema, reader: Schema) -> Schema:
        order = _resolved(payload, written, reader)
        return {**order, "status": _as_written(payload, written)["status"]}

    return _row(value, schemas, reader, read=read)


def any_schema_that_fits(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """First schema that reads the payload used as the writer's schema

    Some orders of version 2 have a different status, and the default in place of their currency. Your function takes the
    first schema that raises no error. Bytes of one version often fit a different one. Which part of the record says
    which schema wrote it?
    """

    def read(payload: bytes, written: Schema, reader: Schema) -> Schema:
        for schema in schemas.values():
            try:
                return _resolved(payload, schema, reader)
            except Exception:
                continue
        raise EOFError

    return _row(value, schemas, reader, read=read)


def fields_of_the_writer(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Fields of the writer's schema in the output

    Your output has fields such as `customer`, `note` or `coupon`, which the reader's schema does not have. A query cannot
    change its columns with each record. What does `reader` change if `schemaless_reader` gets it, too?
    """
    row = _row(value, schemas, reader)
    if row["problem"]:
        return row
    return {
        "schema_id": row["schema_id"],
        **_as_written(value[5:], schemas[row["schema_id"]]),
        "problem": None,
    }


def schemas_exchanged(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Writer's and reader's schema exchanged

    Orders of version 1 have a broken payload in your output, although their bytes are whole. The error that your function
    caught is a SchemaResolutionError. `schemaless_reader` takes the writer's schema first, and then the reader's. Which
    of the two has the id in the record?
    """
    return _row(value, schemas, reader, read=_exchanged)


def schemas_exchanged_raises(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Writer's and reader's schema exchanged, with an error

    Your function raised a SchemaResolutionError for an order of version 1: `long` cannot be read as `int`. Here `int`
    was written, and `long` is wanted. `schemaless_reader` takes the writer's schema first, and then the reader's. Which of
    the two has the id in the record?
    """
    return _row(value, schemas, reader, read=_exchanged, caught=EOFError)


def first_byte_unchecked(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """First byte not checked

    A record whose first byte is not 0 was read as an order, or JSON got a schema id. The first byte is the version of the
    format. Only 0 means that an id of four bytes follows. Where do you compare it?
    """
    return _row(value, schemas, reader, framed=lambda value: len(value) >= 5)


def length_unchecked(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Length of the prefix not checked

    Records of four bytes and of one byte got a schema id. A record whose first byte is 0 can end before its id does.
    How long is a whole prefix?
    """
    return _row(value, schemas, reader, framed=lambda value: value[:1] == b"\0")


def length_unchecked_raises(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Length of the prefix not checked, with an error

    A record of four bytes got a schema id, and your function raised an IndexError for an empty value, which has no first
    byte. How long is a whole prefix, and where do you compare the length?
    """
    return _row(value, schemas, reader, framed=lambda value: value[0] == 0)


def four_bytes_accepted(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Prefix of four bytes accepted

    A record of four bytes got a schema id, and a shorter one did not. The first byte is not part of the id, so an id of
    four bytes ends later. How long is a whole prefix?
    """
    return _row(value, schemas, reader, framed=lambda value: len(value) >= 4 and value[0] == 0)


def empty_value_raises(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Error at an empty value

    Your function raised an IndexError for a value of 0 bytes: it has no first byte. Kafka keeps such records, and one would
    end the stream. Which of your two conditions has to come first?
    """
    return _row(value, schemas, reader, framed=lambda value: value[0] == 0 and len(value) >= 5)


def little_endian(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Schema id read in little-endian order

    No order was read, and the ids in your output are far greater than the ids of the registry. The first of the four bytes
    is the highest one, so 00 00 01 2c is 1 × 256 + 44. In which order does your function read them?
    """
    return _row(value, schemas, reader, number=lambda value: int.from_bytes(value[1:5], "little"))


def last_byte_only(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Schema id read from one byte

    Records of schema 300 got the id 44. 300 is 1 × 256 + 44, so its last byte is 44. How many bytes does an id have?
    """
    return _row(value, schemas, reader, number=lambda value: value[4])


def prefix_left_in(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Prefix read as part of the payload

    Your orders have an empty `order_id`, or have no whole payload. The first byte of the prefix is 0, and Avro reads
    it as a string of length 0. At which byte does the payload begin?
    """
    return _row(value, schemas, reader, first=0)


def unknown_schema_raises(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Error at the first unknown schema id

    Your function raised a KeyError for the id 302. A stream would end here, and the valid orders after it would never be
    read. What does the row of such a record look like by rule 3?
    """
    return _row(value, schemas, reader, writer=lambda id, all, _: all[id])


def unknown_schema_called_broken(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Unknown schema reported as a broken payload

    The record with the id 302 has the problem "broken payload". Its payload is whole. One `except` for all errors does not
    say what went wrong. Which lines belong into your `try`?
    """
    row = _row(value, schemas, reader)
    return {**row, "problem": "broken payload"} if row["problem"] == "unknown schema" else row


def unknown_schema_guessed(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Record of an unknown schema read as an order

    The record with the id 302 is in your output as an order. It is a return, and its bytes happen to fit. Only the id
    says that they are not an order. What does your function do if the id is not in `schemas`?
    """
    return _row(value, schemas, reader, writer=lambda id, all, _: all.get(id, all[min(all)]))


def broken_payload_raises(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Error at the first truncated record

    Your function raised EOFError: a record ended before its order did. One damaged record would end the stream. What
    does the row of such a record look like by rule 5?
    """
    return _row(value, schemas, reader, caught=ZeroDivisionError)


def id_of_a_fault_hidden(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Schema id missing in records with a fault

    A record with a prefix and a fault has no `schema_id` in your output. The id tells the shop which schema to look up. When
    is it null by rule 2?
    """
    row = _row(value, schemas, reader)
    return {**row, "schema_id": None} if row["problem"] else row


def json_accepted(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """JSON without a prefix accepted

    The record of o07 is JSON without a prefix, and your output has it as an order. Nothing says by which schema it was
    written. What is its problem by rule 1?
    """
    import json

    row = _row(value, schemas, reader)
    return {**row, **json.loads(value), "problem": None} if value[:1] == b"{" else row


def fault_without_a_problem(value: bytes, schemas: Schemas, reader: Schema) -> dict[str, Any]:
    """Fault without a problem

    A record with a fault became a row of nulls, and its problem is null as well. Such a row looks like an order, and
    nothing says why it is empty. Which rules name the three problems?
    """
    row = _row(value, schemas, reader)
    return {**row, "problem": "no prefix" if row["schema_id"] is None else None}
