"""Record orders in Avro, and what a schema registry says of new schemas: two files of datasets/.

    pip install "confluent-kafka[avro,schemaregistry]==2.16.1"
    python -m grader.connectors.change_data.registered_avro FOLDER

Writes FOLDER/avro_orders.jsonl and FOLDER/schema_versions.jsonl. Runs Apicurio Registry for a minute. The bytes
are those of Confluent's serializer, except for seven records with a fault that no serializer makes.
"""

import json
import sys
from pathlib import Path
from typing import Any

from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from grader.connectors.change_data.schema_registry import (
    RejectedSchema,
    SchemaRegistry,
    schema_registry,
)
from grader.connectors.change_data.schema_versions import PAIRS
from grader.connectors.order_schemas import FIRST, SCHEMAS, SECOND, THIRD

SUBJECT = "orders-value"


def orders(client: SchemaRegistryClient, registry: SchemaRegistry) -> list[dict[str, Any]]:
    """Records of three versions of one subject, and of a different subject; a line of the file each."""
    first, second, _ = SCHEMAS
    _fill(registry, "other", first - 1)
    old = _serializer(client, registry, "orders", FIRST)
    _fill(registry, "another", second - first - 1)
    new = _serializer(client, registry, "orders", SECOND)
    newest = _serializer(client, registry, "orders", THIRD)
    returned = _serializer(client, registry, "returns", {**FIRST, "name": "Return"})
    whole = new(_order("o09", buyer="ida", cents=990, status="paid", currency="EUR"))
    told: list[tuple[bytes, str]] = [
        (old(_order("o01", customer="ana", cents=1200, status="placed", note="")), "version 1"),
        (
            old(_order("o02", customer="ben", cents=450, status="paid", note="ring twice")),
            "version 1, with a note",
        ),
        (
            new(_order("o03", buyer="cleo", cents=99, status="shipped", currency="CHF")),
            "version 2",
        ),
        (
            new(_order("o04", buyer="dora", cents=5_000_000_000, status="placed", currency="EUR")),
            "version 2: more than an int holds",
        ),
        (
            newest(
                _order(
                    "o05", buyer="eli", cents=700, status="paid", currency="EUR", coupon="SPRING"
                )
            ),
            "version 3: a producer that is ahead of the reader",
        ),
        (
            newest(
                _order(
                    "o03", buyer="cleo", cents=-99, status="returned", currency="CHF", coupon=None
                )
            ),
            "version 3: a status that version 2 does not have",
        ),
        (
            old(_order("o06", customer="zoë", cents=-450, status="paid", note="")),
            "version 1, from a producer of last year",
        ),
        (
            returned(_order("o01", customer="ana", cents=1200, status="paid", note="")),
            "a return: a different subject",
        ),
        (b'{"order_id": "o07", "buyer": "finn"}', "no prefix: JSON"),
        (whole[:-2], "version 2, truncated"),
        (b"\1" + whole[1:], "no prefix: the first byte is 1"),
        (whole[:4], "no prefix: four bytes"),
        (whole[:1], "no prefix: one byte"),
        (b"\0\1" + whole[2:], "an id far above those of the registry"),
        (whole[:5], "version 2, nothing but the prefix"),
        (
            old(_order("o08", customer="gus", cents=1, status="placed", note="ring twice"))[:9],
            "version 1, truncated after the order_id",
        ),
        (whole, "version 2, after the faults"),
        (b"", "no prefix: an empty value"),
    ]
    return [
        _line(step, "records", {"record": value.hex(" ")}, note)
        for step, (value, note) in enumerate(told, 1)
    ]


def versions(registry: SchemaRegistry) -> list[dict[str, Any]]:
    """Each pair of schemas with the registry's answer in its note; a line of the file each."""
    lines = []
    for step, (what, old, new) in enumerate(PAIRS, 1):
        registry.register(f"pair{step}-value", old)
        try:
            registry.register(f"pair{step}-value", new)
            said = "accepted"
        except RejectedSchema as error:
            said = f"409: {str(error).partition('diff types: ')[2]}"
        lines.append(_line(step, "pairs", {"old": old, "new": new}, f"{what}; {said}"))
    return lines


def _order(order_id: str, **fields: Any) -> dict[str, Any]:
    return {"order_id": order_id, **fields}


def _line(step: int, name: str, value: dict[str, Any], note: str) -> dict[str, Any]:
    print(f"{note}")
    return {"step": step, "input": name, "value": value, "note": note}


def _fill(registry: SchemaRegistry, name: str, count: int) -> None:
    """Schemas of other subjects: all subjects of a registry share one series of ids."""
    for number in range(count):
        schema = {"type": "record", "name": f"{name}{number}", "fields": []}
        registry.register(f"{name}{number}-value", schema)


def _serializer(
    client: SchemaRegistryClient, registry: SchemaRegistry, topic: str, schema: dict[str, Any]
) -> Any:
    """Confluent's serializer of a topic; registers the schema, which must get its known id."""
    number = registry.register(f"{topic}-value", schema)
    print(f"{topic}: schema {number}")
    assert SCHEMAS.get(number, schema) == schema, f"{topic} got the id {number}"
    settings = {"auto.register.schemas": False}
    serializer = AvroSerializer(client, Schema(json.dumps(schema), "AVRO"), conf=settings)
    context = SerializationContext(topic, MessageField.VALUE)
    return lambda value: serializer(value, context)


def main() -> None:
    with schema_registry() as registry:
        client = SchemaRegistryClient({"url": registry.url})
        files = {
            "avro_orders.jsonl": orders(client, registry),
            "schema_versions.jsonl": versions(registry),
        }
    for name, lines in files.items():
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        Path(sys.argv[1], name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
