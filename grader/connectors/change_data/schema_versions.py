"""Pairs of Avro schemas: what they show, the old version and the new one."""

from typing import Any

Schema = dict[str, Any]


def _field(name: str, kind: Any, **more: Any) -> Schema:
    return {"name": name, "type": kind, **more}


def _order(*fields: Schema) -> Schema:
    return {"type": "record", "name": "Order", "fields": [ID, *fields]}


def _status(*symbols: str, **more: Any) -> Schema:
    return _field("status", {"type": "enum", "name": "Status", "symbols": list(symbols), **more})


def _address(*fields: Schema) -> Schema:
    return _field("address", {"type": "record", "name": "Address", "fields": list(fields)})


ID, CENTS = _field("order_id", "string"), _field("cents", "int")
CITY, ZIP = _field("city", "string"), _field("zip", "string")

PAIRS: list[tuple[str, Schema, Schema]] = [
    ("a new field without a default", _order(), _order(_field("currency", "string"))),
    (
        "a new field with a default",
        _order(),
        _order(_field("currency", "string", default="EUR")),
    ),
    (
        "a new field that may be null, without a default",
        _order(),
        _order(_field("coupon", ["null", "string"])),
    ),
    (
        "a new field with the default null",
        _order(),
        _order(_field("coupon", ["null", "string"], default=None)),
    ),
    ("a field removed", _order(CENTS), _order()),
    (
        "the order of the fields",
        _order(CENTS, CITY),
        _order(CITY, CENTS),
    ),
    ("int to long", _order(CENTS), _order(_field("cents", "long"))),
    ("long to int", _order(_field("cents", "long")), _order(CENTS)),
    ("int to double", _order(CENTS), _order(_field("cents", "double"))),
    (
        "double to long",
        _order(_field("cents", "double")),
        _order(_field("cents", "long")),
    ),
    ("int to string", _order(CENTS), _order(_field("cents", "string"))),
    (
        "long to int, with a default",
        _order(_field("cents", "long")),
        _order(_field("cents", "int", default=0)),
    ),
    (
        "string to bytes",
        _order(_field("code", "string")),
        _order(_field("code", "bytes")),
    ),
    ("a field renamed", _order(CENTS), _order(_field("total", "int"))),
    (
        "a field renamed, with an alias",
        _order(CENTS),
        _order(_field("total", "int", aliases=["cents"])),
    ),
    (
        "the alias is in the old version",
        _order(_field("cents", "int", aliases=["total"])),
        _order(_field("total", "int")),
    ),
    (
        "renamed with an alias, and a new type",
        _order(CENTS),
        _order(_field("total", "string", aliases=["cents"])),
    ),
    (
        "renamed with an alias, a new type and a default",
        _order(CENTS),
        _order(_field("total", "string", aliases=["sum", "cents"], default="")),
    ),
    (
        "renamed, with a default",
        _order(CENTS),
        _order(_field("total", "int", default=0)),
    ),
    (
        "null becomes possible",
        _order(CENTS),
        _order(_field("cents", ["null", "int"])),
    ),
    (
        "null is not possible any more",
        _order(_field("cents", ["null", "int"])),
        _order(CENTS),
    ),
    (
        "a union gets a type",
        _order(_field("cents", ["null", "int"])),
        _order(_field("cents", ["string", "null", "int"])),
    ),
    (
        "a union loses a type",
        _order(_field("cents", ["null", "int", "string"])),
        _order(_field("cents", ["null", "int"])),
    ),
    (
        "int to long in a union",
        _order(_field("cents", ["null", "int"])),
        _order(_field("cents", ["null", "long"])),
    ),
    (
        "long to int in a union",
        _order(_field("cents", ["null", "long"])),
        _order(_field("cents", ["null", "int"])),
    ),
    (
        "an int, and then a union without it",
        _order(CENTS),
        _order(_field("cents", ["null", "string"])),
    ),
    (
        "a union whose types can all be read as long",
        _order(_field("cents", ["int", "long"])),
        _order(_field("cents", "long")),
    ),
    (
        "a symbol added",
        _order(_status("placed", "paid")),
        _order(_status("new", "placed", "paid")),
    ),
    (
        "a symbol removed",
        _order(_status("placed", "paid", "shipped")),
        _order(_status("placed", "paid")),
    ),
    (
        "a symbol removed, and the enum has a default",
        _order(_status("placed", "paid", "shipped")),
        _order(_status("placed", "paid", default="placed")),
    ),
    (
        "a symbol removed, and the field has a default",
        _order(_status("placed", "paid", "shipped")),
        _order({**_status("placed", "paid"), "default": "placed"}),
    ),
    (
        "a symbol removed, and the old enum had a default",
        _order(_status("placed", "paid", "shipped", default="placed")),
        _order(_status("placed", "paid")),
    ),
    ("enum to string", _order(_status("placed")), _order(_field("status", "string"))),
    (
        "a record gets a field without a default",
        _order(_address(CITY)),
        _order(_address(CITY, ZIP)),
    ),
    (
        "a record gets a field with a default",
        _order(_address(CITY)),
        _order(_address(CITY, {**ZIP, "default": ""})),
    ),
    (
        "a type in a record changes",
        _order(_address(CITY, ZIP)),
        _order(_address(CITY, _field("zip", "int"))),
    ),
    (
        "a record in place of a string",
        _order(_field("address", "string")),
        _order(_address(CITY)),
    ),
    (
        "a record in place of an enum",
        _order(_status("placed")),
        _order(_field("status", {"type": "record", "name": "Status", "fields": [CITY]})),
    ),
    (
        "two fields prevent it",
        _order(CENTS),
        _order(_field("currency", "string"), _field("cents", "string")),
    ),
]
