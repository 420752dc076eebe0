"""Reasons in the values: columns that are null in every row, compared with a raw value of the topic."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from grader.live_query import phrases
from grader.live_query.column_names import nearest
from grader.live_query.observation import Observation, Reason, Sample

_SHOWN = 160
_TEXT_TYPES = ("string", "char", "varchar")
_NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal")


def no_value(seen: Observation) -> Reason | None:
    """Records with a key alone, from whose value a query parses its columns."""
    for name, sample in seen.samples.items():
        if sample.without_value and (sample.columns or sample.schema):
            return Reason(
                "no_value",
                f"{sample.without_value} of {phrases.records(sample.rows)} sampled from {name} "
                f"{'has' if sample.without_value == 1 else 'have'} no value.",
                "A record with a key and without a value is a tombstone: it says that this key was deleted. All "
                "columns parsed from its value are null.",
                'Leave such records out with where("value IS NOT NULL") before you parse, or treat them as deletions '
                "of the key.",
                evidence="the newest records of the topic",
            )
    return None


def null_columns(seen: Observation) -> Reason | None:
    """Columns of an input that are null in every row, if the raw value says why."""
    for name, sample in seen.samples.items():
        found = _cause(name, sample) if sample.empty and sample.values else None
        if found is not None:
            return found
    return None


def _cause(name: str, sample: Sample) -> Reason | None:
    what, do = _difference(sample) if sample.schema is not None else ("", "")
    if not what and len(sample.empty) < len(sample.columns):
        return None  # a column that is null in the topic, too
    if not what:
        what = "Nothing of it could be read as the query reads it."
        do = (
            "Compare the value with the schema, the format and the options with which you parse it."
        )
    fields = ", ".join(f"`{column}`" for column in sample.empty)
    many = len(sample.empty) > 1
    return Reason(
        "null_columns",
        f"In all of {phrases.records(sample.rows)} sampled from {name}, {fields} {'are' if many else 'is'} null.",
        f"{what} The parser gives null for what it cannot find or read, without an error.",
        do,
        (f"  A value as it is in the topic: {_shown(sample.values[-1])}",),
        evidence="the newest records of the topic, parsed as the query parses them",
    )


def _difference(sample: Sample) -> tuple[str, str]:
    """How the raw values differ from the schema, and what to do; empty if nothing does."""
    raw = sample.values[-1]
    unread = _not_json(raw)
    if unread[0]:
        return unread
    value = json.loads(raw)
    if isinstance(value, str):
        return (
            "The value is a JSON string that holds JSON again: it was encoded twice.",
            'Parse it twice: first from_json(…, "STRING") or get_json_object(…, "$"), then with your schema; or '
            "correct the producer.",
        )
    wanted = _array_fields(sample)
    if isinstance(value, list) and wanted is not None:
        return (
            "The value is a JSON array, and the schema is that of one object.",
            'Use a schema "ARRAY<STRUCT<…>>" and F.explode the result.',
        )
    if not isinstance(value, dict):
        return f"The value is the JSON {type(value).__name__} {_shown(raw)}, not an object.", (
            "Compare what the producer sends with your schema."
        )
    return _field_differences(sample, [v for v in map(_object, sample.values) if v is not None])


def _not_json(raw: bytes) -> tuple[str, str]:
    if len(raw) > 5 and raw[0] == 0:
        number = int.from_bytes(raw[1:5], "big")
        rest = raw[5:].lstrip()[:1] in (b"{", b"[")
        return (
            f"The value begins with five bytes that are not JSON: a zero and the number {number}, as the serializer "
            "of a schema registry writes them before "
            + ("the JSON." if rest else "its data, which is Avro or Protobuf and not JSON."),
            'Remove the five bytes before you parse: F.expr("substring(value, 6)").cast("string").'
            if rest
            else "Parse the bytes after the first five with from_avro or from_protobuf and the schema of that number.",
        )
    if raw[:2] == b"\x1f\x8b":
        return (
            "The value is compressed with gzip.",
            "Decompress it in a UDF, or let Kafka compress for you.",
        )
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return (
            "The value is binary data, not JSON.",
            "Find out how the producer serializes it: from_avro and from_protobuf read these formats.",
        )
    try:
        json.loads(text)
    except ValueError as error:
        return (
            f"The value is not JSON ({error}).",
            "Compare it with what the producer should send: from_csv reads separated values; JSON needs double "
            "quotes around names and strings.",
        )
    return "", ""


def _field_differences(sample: Sample, values: list[dict[str, Any]]) -> tuple[str, str]:
    """For each empty column, the place of its field in the values."""
    schema = {field["name"]: field for field in (sample.schema or {}).get("fields", [])}
    said: list[str] = []
    do = ""
    named = [column.rpartition(".")[2] for column in sample.empty]
    # a column that was renamed after the parsing is a column of the schema
    for name in [n for n in named if n in schema] or schema:
        if not values:
            break
        if all(value.get(name, _ABSENT) is _ABSENT for value in values):
            text, fix = _absent(name, values[-1])
        else:
            text, fix = _of_another_type(name, schema[name]["type"], values)
        if text:
            said.append(text)
            do = do or fix
    return " ".join(dict.fromkeys(said[:3])), do


_ABSENT = object()


def _absent(name: str, value: dict[str, Any]) -> tuple[str, str]:
    """A field that the values do not have under its name at the top."""
    for path in _paths(value):
        if path[-1] == name and len(path) > 1:
            place = ".".join(path)
            return (
                f"The value has the field `{name}` further in, at `{place}`.",
                f'Write the outer levels into the schema ("{_nested(path)}") and select `{place}`.',
            )
    same = next((key for key in value if key.lower() == name.lower()), "")
    if same:
        return (
            f"The schema says `{name}`, and the value has `{same}`: names of JSON fields differ by upper and lower "
            "case.",
            f"Write `{same}` in the schema.",
        )
    like = nearest(name, value)
    has = ", ".join(f"`{key}`" for key in list(value)[:8])
    if like:
        return (
            f"The schema says `{name}`, and the value has no such field but `{like}`.",
            f"Write `{like}` in the schema.",
        )
    return (
        f"The value has no field `{name}`; it has {has or 'none at all'}.",
        "Compare the names in the schema with those in the value.",
    )


def _of_another_type(name: str, wanted: Any, values: list[dict[str, Any]]) -> tuple[str, str]:
    """A field whose values do not fit the type of the schema."""
    found = next((v[name] for v in values if v.get(name) is not None), None)
    if found is None:
        return "", ""  # null in the topic, too: nothing is wrong with the parsing
    kind = wanted if isinstance(wanted, str) else str(wanted.get("type", "struct"))
    if kind in _TEXT_TYPES:
        return "", ""
    if kind.startswith(_NUMBERS) and isinstance(found, str):
        fix = f"Write `{name} STRING` in the schema and cast it afterward, or let the producer send a number."
    elif kind.startswith(("timestamp", "date")):
        fix = (
            f"Write `{name} STRING` (or BIGINT, for a number) and convert it with to_timestamp(…, format), or give "
            'from_json the option "timestampFormat".'
        )
    else:
        fix = f"Give `{name}` the type in the schema that it has in the value."
    return (
        f"`{name}` is {json.dumps(found, ensure_ascii=False)[:60]} in the value, and the schema says "
        f"{kind.upper()}.",
        fix,
    )


def _array_fields(sample: Sample) -> Any:
    return (sample.schema or {}).get("fields")


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        read = json.loads(raw)
    except ValueError:
        return None
    return read if isinstance(read, dict) else None


def _paths(value: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of all fields of an object, the outer ones first; `after` before `before`, because it is newer."""
    yield from ((*above, name) for name in value)
    for name in sorted(value, key=lambda one: one == "before"):
        if isinstance(value[name], dict) and len(above) < 4:
            yield from _paths(value[name], (*above, name))


def _nested(path: tuple[str, ...]) -> str:
    text = f"{path[-1]} …"
    for name in reversed(path[:-1]):
        text = f"{name} STRUCT<{text}>"
    return text


def _shown(raw: bytes) -> str:
    text = raw[:_SHOWN].decode(errors="backslashreplace")
    shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
    return f"{shown}…" if len(raw) > _SHOWN else shown
