"""Record orders in the wire format of a schema registry: datasets/registered_orders.jsonl.

    pip install "confluent-kafka[json,schemaregistry]==2.16.1"
    python -m grader.connectors.change_data.registered_orders FILE

Runs Apicurio Registry for a minute. The bytes are those of Confluent's serializer,
except for eight records with a fault that no serializer makes.
"""

import base64
import json
import sys
from pathlib import Path
from typing import Any

from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.error import SchemaRegistryError
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from grader.connectors.change_data.schema_registry import schema_registry

SCHEMAS_BEFORE_THE_FIRST, SCHEMAS_BEFORE_THE_SECOND = 6, 262

CENTS, TEXT = {"type": "integer"}, {"type": "string"}


def _order(title: str = "Order", **fields: dict[str, str]) -> dict[str, Any]:
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": title,
        "type": "object",
        "additionalProperties": False,
        "properties": {"order_id": TEXT, **fields},
        "required": [
            "order_id",
            *(name for name, field in fields.items() if "default" not in field),
        ],
    }


FIRST = _order(cents=CENTS)
SECOND = _order(cents=CENTS, currency={**TEXT, "default": "EUR"})
REJECTED = {
    "a field renamed": _order(total=CENTS, currency={**TEXT, "default": "EUR"}),
    "a type changed": _order(cents=TEXT, currency={**TEXT, "default": "EUR"}),
    "a required field added": _order(cents=CENTS, currency=TEXT),
}
RETURN = _order("Return", cents=CENTS)


def record(client: SchemaRegistryClient) -> list[dict[str, Any]]:
    """The records, a line of the file each; prints what the registry answers on the way."""
    _fill(client, "other", SCHEMAS_BEFORE_THE_FIRST)
    old = _serializer(client, "orders", FIRST)
    _fill(client, "another", SCHEMAS_BEFORE_THE_SECOND - SCHEMAS_BEFORE_THE_FIRST - 1)
    other = _serializer(client, "another0", _order("another0"))
    new = _serializer(client, "orders", SECOND)
    for name, schema in REJECTED.items():
        try:
            client.register_schema("orders-value", _schema(schema))
        except SchemaRegistryError as error:
            print(f"{name}: {error}")
    returned = _serializer(client, "returns", RETURN)
    whole = new({"order_id": "o09", "cents": 990, "currency": "EUR"})
    steps: list[list[tuple[bytes | None, str]]] = [
        [
            (old({"order_id": "o01", "cents": 1200}), "version 1"),
            (old({"order_id": "o02", "cents": 450}), "version 1"),
        ],
        [
            (new({"order_id": "o03", "cents": 3000, "currency": "CHF"}), "version 2"),
            (new({"order_id": "o04", "cents": 99}), "version 2 without a currency: the default"),
            (old({"order_id": "o05", "cents": 700}), "version 1, from a producer of last year"),
        ],
        [
            (b'{"order_id": "o06", "cents": 250}', "no prefix: sent with a plain serializer"),
            (returned({"order_id": "o01", "cents": 1200}), "a return: a different subject"),
            (whole[:-14], "the prefix of version 2, and a truncated payload"),
            (None, "a tombstone"),
            (b"\0\0\1", "no prefix: three bytes"),
            (b"\1" + whole[1:], "no prefix: the first byte is 1"),
            (whole[:5] + b'{"cents": 10}', "the prefix of version 2, no order_id"),
            (whole[:5] + b'{"order_id": "o12"}', "the prefix of version 2, no cents"),
            (whole[:5], "the prefix of version 2, and nothing else"),
            (other({"order_id": "x1"}), "a record of another team: the schema 8, and no order"),
            (returned({"order_id": "o02", "cents": 450})[:-9], "a return, truncated"),
        ],
        [
            (new({"order_id": "ö10", "cents": 0, "currency": "USD"}), "version 2"),
            (old({"order_id": "o11", "cents": -1200}), "version 1"),
            (old({"order_id": "o11", "cents": -1200}), "version 1: the same bytes a second time"),
        ],
    ]
    return [
        _line(number, value, note) for number, step in enumerate(steps, 1) for value, note in step
    ]


def _fill(client: SchemaRegistryClient, name: str, count: int) -> None:
    """Schemas of other subjects: all subjects of a registry share one series of ids."""
    for number in range(count):
        client.register_schema(f"{name}{number}-value", _schema(_order(f"{name}{number}")))


def _schema(described: dict[str, Any]) -> Schema:
    return Schema(json.dumps(described), "JSON")


def _serializer(client: SchemaRegistryClient, topic: str, described: dict[str, Any]) -> Any:
    """Confluent's serializer of a topic; registers the schema."""
    number = client.register_schema(f"{topic}-value", _schema(described))
    print(f"{topic}: schema {number}: {json.dumps(described)}")
    serializer = JSONSerializer(
        json.dumps(described), client, conf={"auto.register.schemas": False}
    )
    context = SerializationContext(topic, MessageField.VALUE)
    return lambda value: serializer(value, context)


def _line(step: int, value: bytes | None, note: str) -> dict[str, Any]:
    line: dict[str, Any] = {"step": step, "input": "orders"}
    if value is None:
        return {**line, "key": "o02", "value": None, "note": note}
    coded = {"base64": base64.b64encode(value).decode()}
    return {**line, "value": coded, "note": f"{note}: {_readable(value)}"}


def _readable(value: bytes) -> str:
    """The prefix in hexadecimal digits, the rest as text."""
    end = 0 if value.startswith(b"{") else 5
    return f"{value[:end].hex(' ')} {value[end:].decode()}".strip()


def main() -> None:
    with schema_registry() as registry:
        client = SchemaRegistryClient({"url": registry.url})
        lines = [json.dumps(line, ensure_ascii=False) for line in record(client)]
    Path(sys.argv[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
