"""Other right ways to read Avro records."""

import io
import struct
from typing import Any

import fastavro

Schema = dict[str, Any]


def parsed_schemas_and_struct(
    value: bytes, schemas: dict[int, Schema], reader: Schema
) -> dict[str, Any]:
    """The prefix by struct, and schemas that were parsed before."""
    row = {"schema_id": None, "problem": "no prefix"} | {
        field["name"]: None for field in reader["fields"]
    }
    try:
        magic, row["schema_id"] = struct.unpack_from(">BI", value)
    except struct.error:
        return row
    if magic:
        return row | {"schema_id": None}
    if row["schema_id"] not in schemas:
        return row | {"problem": "unknown schema"}
    written = fastavro.parse_schema(schemas[row["schema_id"]], named_schemas={})
    wanted = fastavro.parse_schema(reader, named_schemas={})
    try:
        return (
            row
            | fastavro.schemaless_reader(io.BytesIO(value[5:]), written, wanted)
            | {"problem": None}
        )
    except Exception:
        return row | {"problem": "broken payload"}


def one_stream(value: bytes, schemas: dict[int, Schema], reader: Schema) -> dict[str, Any]:
    """Prefix and payload from one stream, a KeyError for the unknown id."""
    order: dict[str, Any] = dict.fromkeys(
        ["schema_id", "order_id", "buyer", "cents", "status", "currency", "problem"]
    )
    stream = io.BytesIO(value)
    prefix = stream.read(5)
    if len(prefix) < 5 or prefix[0] != 0:
        order["problem"] = "no prefix"
        return order
    order["schema_id"] = int(prefix[1:].hex(), 16)
    try:
        order.update(fastavro.schemaless_reader(stream, schemas[order["schema_id"]], reader))
    except KeyError:
        order["problem"] = "unknown schema"
    except (EOFError, IndexError):
        order["problem"] = "broken payload"
    return order


def by_hand(value: bytes, schemas: dict[int, Schema], reader: Schema) -> dict[str, Any]:
    """The writer's schema alone, and Avro's resolution as far as these schemas need it."""
    names = [field["name"] for field in reader["fields"]]
    nothing = {"schema_id": None, **dict.fromkeys(names)}
    if not value.startswith(b"\0") or len(value) < 5:
        return {**nothing, "problem": "no prefix"}
    number = sum(byte << shift for byte, shift in zip(value[1:5], (24, 16, 8, 0), strict=True))
    nothing["schema_id"] = number
    if (writer := schemas.get(number)) is None:
        return {**nothing, "problem": "unknown schema"}
    try:
        written = fastavro.schemaless_reader(io.BytesIO(value[5:]), writer, None)
    except EOFError:
        return {**nothing, "problem": "broken payload"}
    order = {}
    for field in reader["fields"]:
        found = [n for n in (field["name"], *field.get("aliases", ())) if n in written]
        order[field["name"]] = written[found[0]] if found else field["default"]
        kind = field["type"]
        if isinstance(kind, dict) and order[field["name"]] not in kind["symbols"]:
            order[field["name"]] = kind["default"]
    return {"schema_id": number, **order, "problem": None}
