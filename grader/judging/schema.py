"""Schemas compared: which Spark types count as equal, and how a schema differs."""

from __future__ import annotations

from typing import Any

Schema = list[dict[str, Any]]

_NUMBERS = {"byte", "short", "integer", "long", "float", "double"}


def family(kind: Any) -> Any:
    """The family of a Spark type (as `jsonValue` gives it): numbers are one, so are timestamps."""
    if isinstance(kind, dict):
        if kind["type"] == "struct":
            return {f["name"].lower(): family(f["type"]) for f in kind["fields"]}
        if kind["type"] == "array":
            return [family(kind["elementType"])]
        if kind["type"] == "map":
            return ("map", family(kind["keyType"]), family(kind["valueType"]))
        return kind["type"]
    name = str(kind)
    if name in _NUMBERS or name.startswith("decimal"):
        return "number"
    if name.startswith(("varchar", "char", "string")):
        return "string"
    return "timestamp" if name in ("timestamp", "timestamp_ntz") else name


def schema_faults(wanted: Schema, got: Schema, *, exact: bool = False) -> list[dict[str, Any]]:
    """In what way `got` is not `wanted`, column by column; the case of names counts only if `exact`.

    A fault names its `column`, and is missing, of another type (`expected` and `got`), or spare.
    """

    def key(column: dict[str, Any]) -> str:
        name: str = column["name"]
        return name if exact else name.lower()

    have = {key(column): column for column in got}
    faults = []
    for column in wanted:
        found = have.pop(key(column), None)
        fault = {"column": column["name"], "expected": column["type"]}
        if found is None:
            faults.append({"fault": "missing", **fault})
        elif not _fits(found["type"], column["type"]):
            faults.append({"fault": "type", **fault, "got": found["type"]})
    spare = have.values() if wanted else ()
    return faults + [{"fault": "spare", "column": column["name"]} for column in spare]


def _fits(got: Any, wanted: Any) -> bool:
    """Whether a type counts as the wanted one; lists that are all empty fit every list."""
    families = [family(kind) for kind in (got, wanted)]
    if ["void"] in families:
        return all(isinstance(kind, list) for kind in families)
    return bool(families[0] == families[1])
