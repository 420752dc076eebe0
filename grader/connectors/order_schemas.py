"""The schemas of orders in Avro, by their ids in a registry, and the call of a function that reads a record."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

Schema = dict[str, Any]

OLD_STATUS = {"type": "enum", "name": "Status", "symbols": ["placed", "paid"]}
STATUS = {
    "type": "enum",
    "name": "Status",
    "symbols": ["unknown", "placed", "paid", "shipped"],
    "default": "unknown",
}
NEW_STATUS = {**STATUS, "symbols": ["unknown", "placed", "paid", "returned", "shipped"]}


def _order(*fields: Schema) -> Schema:
    return {
        "type": "record",
        "name": "Order",
        "fields": [{"name": "order_id", "type": "string"}, *fields],
    }


FIRST = _order(
    {"name": "customer", "type": "string"},
    {"name": "cents", "type": "int"},
    {"name": "status", "type": OLD_STATUS},
    {"name": "note", "type": "string"},
)
SECOND = _order(
    {"name": "buyer", "type": "string", "aliases": ["customer"]},
    {"name": "cents", "type": "long"},
    {"name": "status", "type": STATUS},
    {"name": "currency", "type": "string", "default": "EUR"},
)
THIRD = _order(
    {"name": "buyer", "type": "string", "aliases": ["customer"]},
    {"name": "cents", "type": "long"},
    {"name": "status", "type": NEW_STATUS},
    {"name": "currency", "type": "string", "default": "EUR"},
    {"name": "coupon", "type": ["null", "string"], "default": None},
)

SCHEMAS = {11: FIRST, 300: SECOND, 301: THIRD}
READER = SECOND


def on_a_record(
    read_order: Callable[[bytes, dict[int, Schema], Schema], dict[str, Any]], record: str
) -> dict[str, Any]:
    """Call read_order(value, schemas, reader) with a record whose bytes are given in hexadecimal digits."""
    return read_order(bytes.fromhex(record), deepcopy(SCHEMAS), deepcopy(READER))
