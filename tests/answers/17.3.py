"""Answers to 17.3: other ways to read Avro records, and to misread them."""

import io
import json
import struct
from typing import Any

import fastavro

FIELDS = ["order_id", "buyer", "cents", "status", "currency"]


def _nothing(problem: str | None, schema_id: int | None = None) -> dict[str, Any]:
    return {"schema_id": schema_id, **dict.fromkeys(FIELDS), "problem": problem}


def _number(value: bytes) -> int:
    return struct.unpack(">I", value[1:5])[0]


def right_match_on_the_bytes(value, schemas, reader):
    """A match statement on the bytes of the prefix."""
    match list(value[:5]):
        case [0, a, b, c, d]:
            schema_id = ((a * 256 + b) * 256 + c) * 256 + d
        case _:
            return _nothing("no prefix")
    if schema_id not in schemas.keys():
        return _nothing("unknown schema", schema_id)
    try:
        order = fastavro.schemaless_reader(io.BytesIO(value[5:]), schemas[schema_id], reader)
    except Exception:
        return _nothing("broken payload", schema_id)
    return {"schema_id": schema_id, "problem": None, **order}


def right_named_arguments(value, schemas, reader):
    """Arguments of schemaless_reader by name, in the other order."""
    if value[0:1] != b"\x00" or len(value) <= 4:
        return _nothing("no prefix")
    schema_id = _number(value)
    if schemas.get(schema_id) is None:
        return _nothing("unknown schema", schema_id)
    stream = io.BytesIO(value)
    stream.seek(5)
    result = _nothing(None, schema_id)
    try:
        result.update(
            fastavro.schemaless_reader(
                stream, reader_schema=reader, writer_schema=schemas[schema_id]
            )
        )
    except EOFError:
        result["problem"] = "broken payload"
    return result


def right_own_decoder(value, schemas, reader):
    """Decodes the bytes without a library."""

    class Ended(Exception):
        pass

    if len(value) < 5 or value[0]:
        return _nothing("no prefix")
    schema_id, data = _number(value), iter(value[5:])
    if schema_id not in schemas:
        return _nothing("unknown schema", schema_id)

    def byte():
        for found in data:
            return found
        raise Ended

    def number():
        result = shift = 0
        while True:
            found = byte()
            result |= (found & 127) << shift
            shift += 7
            if found < 128:
                return result >> 1 ^ -(result & 1)

    def read(kind):
        if isinstance(kind, list):
            return read(kind[number()])
        if isinstance(kind, dict):
            return kind["symbols"][number()]
        if kind == "string":
            return bytes(byte() for _ in range(number())).decode()
        return None if kind == "null" else number()

    def text_or_end(kind):
        try:
            return read(kind)
        except (Ended, RuntimeError):
            raise Ended from None

    try:
        written = {f["name"]: text_or_end(f["type"]) for f in schemas[schema_id]["fields"]}
    except Ended:
        return _nothing("broken payload", schema_id)
    order = {}
    for field in reader["fields"]:
        names = [field["name"], *field.get("aliases", [])]
        found = [written[name] for name in names if name in written] or [field.get("default")]
        symbols = field["type"].get("symbols", []) if isinstance(field["type"], dict) else found
        order[field["name"]] = found[0] if found[0] in symbols else field["type"]["default"]
    return {"schema_id": schema_id, **order, "problem": None}


def right_errors_as_messages(value, schemas, reader):
    """Each check raises an error whose message is the problem."""
    schema_id = None
    try:
        if len(value) < 5 or value[0] != 0:
            raise ValueError("no prefix")
        schema_id = int.from_bytes(value[1:5], byteorder="big", signed=False)
        if schema_id not in schemas:
            raise ValueError("unknown schema")
        with io.BytesIO(value[5:]) as payload:
            try:
                order = fastavro.schemaless_reader(payload, schemas[schema_id], reader)
            except EOFError as error:
                raise ValueError("broken payload") from error
    except ValueError as error:
        return _nothing(str(error), schema_id)
    return {**_nothing(None, schema_id), **order}


def wrong_version_by_position(value, schemas, reader):
    """The position of the id among all ids, one too far."""
    if len(value) < 5 or value[0] != 0:
        return _nothing("no prefix")
    schema_id = _number(value)
    if schema_id not in schemas:
        return _nothing("unknown schema", schema_id)
    ids = sorted(schemas)
    writer = schemas[ids[min(ids.index(schema_id) + 1, len(ids) - 1)]]
    try:
        order = fastavro.schemaless_reader(io.BytesIO(value[5:]), writer, reader)
    except Exception:
        return _nothing("broken payload", schema_id)
    return {**_nothing(None, schema_id), **order}


def wrong_tries_every_schema(value, schemas, reader):
    """Takes the first schema that reads the payload, whatever the id says."""
    if len(value) < 5 or value[0] != 0:
        return _nothing("no prefix")
    schema_id = _number(value)
    if schema_id not in schemas:
        return _nothing("unknown schema", schema_id)
    for writer in schemas.values():
        try:
            order = fastavro.schemaless_reader(io.BytesIO(value[5:]), writer, reader)
        except Exception:
            continue
        return {**_nothing(None, schema_id), **order}
    return _nothing("broken payload", schema_id)


def wrong_fields_of_the_writer(value, schemas, reader):
    """Returns the fields of the writer's schema, under its names."""
    if len(value) < 5 or value[0] != 0:
        return _nothing("no prefix")
    schema_id = _number(value)
    if schema_id not in schemas:
        return _nothing("unknown schema", schema_id)
    try:
        order = fastavro.schemaless_reader(io.BytesIO(value[5:]), schemas[schema_id], None)
    except EOFError:
        return _nothing("broken payload", schema_id)
    return {"schema_id": schema_id, **order, "problem": None}


def wrong_one_except_for_all(value, schemas, reader):
    """Any error is a broken payload, also those of the prefix."""
    schema_id = None
    try:
        if value[0] != 0:
            return _nothing("no prefix")
        schema_id = _number(value)
        order = fastavro.schemaless_reader(io.BytesIO(value[5:]), schemas[schema_id], reader)
        return {**_nothing(None, schema_id), **order}
    except Exception:
        return _nothing("broken payload", schema_id)


def wrong_prefix_of_four_bytes(value, schemas, reader):
    """A prefix of a byte and three more; the payload begins one byte early."""
    if len(value) < 5 or value[0] != 0:
        return _nothing("no prefix")
    schema_id = _number(value)
    if schema_id not in schemas:
        return _nothing("unknown schema", schema_id)
    try:
        order = fastavro.schemaless_reader(io.BytesIO(value[4:]), schemas[schema_id], reader)
    except Exception:
        return _nothing("broken payload", schema_id)
    return {**_nothing(None, schema_id), **order}


def wrong_two_bytes_of_the_id(value, schemas, reader):
    """The last two bytes of the id only."""
    if len(value) < 5 or value[0] != 0:
        return _nothing("no prefix")
    schema_id = int.from_bytes(value[3:5], "big")
    if schema_id not in schemas:
        return _nothing("unknown schema", schema_id)
    try:
        order = fastavro.schemaless_reader(io.BytesIO(value[5:]), schemas[schema_id], reader)
    except EOFError:
        return _nothing("broken payload", schema_id)
    return {**_nothing(None, schema_id), **order}


def wrong_problem_with_the_fields(value, schemas, reader):
    """A truncated order keeps the id that could be read."""
    if len(value) < 5 or value[0] != 0:
        return _nothing("no prefix")
    schema_id = _number(value)
    if schema_id not in schemas:
        return _nothing("unknown schema", schema_id)
    try:
        order = fastavro.schemaless_reader(io.BytesIO(value[5:]), schemas[schema_id], reader)
    except EOFError:
        length = value[5] // 2 if len(value) > 5 else 0
        return {
            **_nothing("broken payload", schema_id),
            "order_id": value[6 : 6 + length].decode() or None,
        }
    return {**_nothing(None, schema_id), **order}


def wrong_empty_text_for_no_problem(value, schemas, reader):
    """No problem is an empty string."""
    row = right_errors_as_messages(value, schemas, reader)
    return {**row, "problem": row["problem"] or ""}


def wrong_status_of_the_position(value, schemas, reader):
    """The status is looked up by its position in the reader's enum."""
    row = right_errors_as_messages(value, schemas, reader)
    if row["problem"]:
        return row
    order = fastavro.schemaless_reader(io.BytesIO(value[5:]), schemas[row["schema_id"]], None)
    symbols = [
        next(f["type"]["symbols"] for f in schema["fields"] if f["name"] == "status")
        for schema in (schemas[row["schema_id"]], reader)
    ]
    place = symbols[0].index(order["status"])
    return {**row, "status": symbols[1][place] if place < len(symbols[1]) else "unknown"}


def wrong_fields_of_json(value, schemas, reader):
    """The whole record as JSON if it is no Avro."""
    row = right_errors_as_messages(value, schemas, reader)
    if row["problem"] == "no prefix":
        try:
            return {**row, **{k: v for k, v in json.loads(value).items() if k in FIELDS}}
        except ValueError:
            pass
    return row


def wrong_default_for_every_field(value, schemas, reader):
    """The default of the reader's schema, even if the record has a value."""
    row = right_errors_as_messages(value, schemas, reader)
    return row if row["problem"] else {**row, "currency": "EUR"}


def wrong_nulls_for_what_is_not_there(value, schemas, reader):
    """Unknown symbols are null."""
    row = right_errors_as_messages(value, schemas, reader)
    return {**row, "status": None if row["status"] == "unknown" else row["status"]}
