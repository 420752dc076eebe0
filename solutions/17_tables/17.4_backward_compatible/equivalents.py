"""Other right ways to judge a new version."""

import io
from collections.abc import Iterator
from typing import Any

import fastavro

Schema = dict[str, Any]


def read_samples(old: Schema, new: Schema) -> dict[str, Any]:
    """Write a record for each type and symbol of the old schema, and read it with one field of the new one."""

    def samples(kind: Any) -> list[Any]:
        """A value for each type of a union and for each symbol, in each place."""
        if isinstance(kind, list):
            return [value for one in kind for value in samples(one)]
        if isinstance(kind, str):
            return [_SAMPLES[kind]]
        if kind["type"] == "enum":
            return list(kind["symbols"])
        each = {field["name"]: samples(field["type"]) for field in kind["fields"]}
        base = {name: values[0] for name, values in each.items()}
        others = [{**base, name: value} for name, values in each.items() for value in values[1:]]
        return [base, *others]

    def readable(record: Schema) -> bool:
        for value in samples(old):
            payload = io.BytesIO()
            fastavro.schemaless_writer(payload, old, value)
            payload.seek(0)
            try:
                fastavro.schemaless_reader(payload, old, record)
            except Exception:
                return False
        return True

    def first(record: Schema, wrap: Any) -> str | None:
        for field in record["fields"]:
            if not readable(wrap({**record, "fields": [field]})):
                kind = field["type"]
                if isinstance(kind, dict) and kind["type"] == "record":
                    within = first(
                        kind,
                        lambda inner, field=field: wrap(
                            {**record, "fields": [{**field, "type": inner}]}
                        ),
                    )
                    empty = wrap({**record, "fields": [{**field, "type": {**kind, "fields": []}}]})
                    if within and readable(empty):
                        return f"{field['name']}.{within}"
                return field["name"]
        return None

    found = first(new, lambda record: record)
    return {"compatible": not found, "field": found}


_SAMPLES = {
    "null": None,
    "boolean": True,
    "int": 7,
    "long": 2**40,
    "float": 0.5,
    "double": 0.25,
    "string": "s",
    "bytes": b"b",
}


def all_faults(old: Schema, new: Schema) -> dict[str, Any]:
    """Collects the paths of all faults, and takes the first."""
    wider = {"int": "long float double", "long": "float double", "float": "double"}
    wider |= {"string": "bytes", "bytes": "string"}

    def kinds(kind: Any) -> list[Any]:
        return kind if isinstance(kind, list) else [kind]

    def reads(old: Any, new: Any) -> bool:
        if isinstance(old, str):
            return old == new or (isinstance(new, str) and new in wider.get(old, "").split())
        if not isinstance(new, dict) or old["type"] != new["type"]:
            return False
        lost = set(old.get("symbols", ())) - set(new.get("symbols", ()))
        return not lost or "default" in new

    def faults(old: Schema, new: Schema, path: str) -> Iterator[str]:
        fields = {field["name"]: field["type"] for field in old["fields"]}
        for field in new["fields"]:
            here = path + field["name"]
            for name in (field["name"], *field.get("aliases", ())):
                if name in fields:
                    break
            else:
                if "default" not in field:
                    yield here
                continue
            was, now = kinds(fields[name]), kinds(field["type"])
            if not all(any(reads(one, other) for other in now) for one in was):
                yield here
            elif isinstance(was[0], dict) and was[0]["type"] == "record":
                yield from faults(was[0], now[0], f"{here}.")

    found = next(faults(old, new, ""), None)
    return {"field": found, "compatible": found is None}


def by_an_exception(old: Schema, new: Schema) -> dict[str, Any]:
    """The first fault ends the search as an exception that carries the path."""
    numbers = ["int", "long", "float", "double"]

    def can_read(old: Any, new: Any, path: list[str]) -> None:
        match old, new:
            case [*types], _:
                for one in types:
                    can_read(one, new, path)
            case _, [*types]:
                for one in types:
                    try:
                        return can_read(old, one, path)
                    except LookupError:
                        pass
                raise LookupError(path)
            case {"type": "record"}, {"type": "record"}:
                record(old, new, path)
            case {"type": "enum"}, {"type": "enum"}:
                if "default" not in new and not all(s in new["symbols"] for s in old["symbols"]):
                    raise LookupError(path)
            case (str(), str()) if old in numbers and new in numbers:
                if numbers.index(old) > numbers.index(new):
                    raise LookupError(path)
            case (str(), str()) if {old, new} == {"string", "bytes"} or old == new:
                pass
            case _:
                raise LookupError(path)

    def record(old: Schema, new: Schema, path: list[str]) -> None:
        for field in new["fields"]:
            here = [*path, field["name"]]
            names = [field["name"], *field.get("aliases", [])]
            types = [f["type"] for name in names for f in old["fields"] if f["name"] == name]
            if types:
                can_read(types[0], field["type"], here)
            elif "default" not in field:
                raise LookupError(here)

    try:
        record(old, new, [])
    except LookupError as error:
        return {"compatible": False, "field": ".".join(error.args[0])}
    return {"compatible": True, "field": None}
