"""What is said of columns and results of another name or type than the expected ones, and of the fix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grader.judging.schema import family
from grader.judging.wording.value_text import names_text, type_text

_WINDOW = "struct<start: timestamp, end: timestamp>"
Fault = Mapping[str, Any]


def schema_text(fields: Mapping[str, Any]) -> str:
    """In what way the columns of a DataFrame are not those of the task."""
    faults = fields["faults"]
    said = []
    for fault in faults:
        name = fault["column"]
        if fault["fault"] == "twice":
            said.append(f"the result has two columns named {name}")
        elif fault["fault"] == "missing":
            there = ", ".join(fields["got"]) or "no column"
            said.append(f"column `{name}` is missing (there are: {there})")
        elif fault["fault"] == "type":
            got, expected = type_text(fault["got"]), type_text(fault["expected"])
            said.append(f"column `{name}` has type {got}, expected {expected}{_fields(fault)}")
    spare = [fault["column"] for fault in faults if fault["fault"] == "spare"]
    said += [f"the task names no column {_listed(spare)}"] if spare else []
    return "; ".join(said)


def _fields(fault: Fault) -> str:
    """The fields of a struct that have the expected type, such as those of a window."""
    kind = fault["got"]
    if not isinstance(kind, dict) or kind["type"] != "struct":
        return ""
    expected = family(fault["expected"])
    fitting = [f["name"] for f in kind["fields"] if family(f["type"]) == expected]
    names = names_text(f"{fault['column']}.{name}" for name in fitting)
    return f" (that is the type of {names})" if names else ""


def schema_fix(fields: Mapping[str, Any]) -> str:
    """What to do about a schema: only what helps against the faults at hand."""
    found = {fault["fault"] for fault in fields.get("faults", ())}
    types = [
        (type_text(fault["got"]), type_text(fault["expected"]))
        for fault in fields.get("faults", ())
        if fault["fault"] == "type"
    ]
    ways = []
    if "missing" in found:
        ways.append("alias() names a column")
    if "spare" in found:
        ways.append("select() keeps those that you name")
    if any(got == _WINDOW for got, _ in types):
        ways.append("a window is a struct of two times, window.start and window.end")
    elif any(expected == _WINDOW for _, expected in types):
        ways.append("the column that window() makes is asked for as a whole")
    elif types:
        ways.append("cast() changes a type")
    return (
        "Compare the columns of what your function returns (printSchema() shows them) with those in the task"
        f"{'; ' if ways else ''}{', and '.join(ways)}."
    )


def results_text(fields: Mapping[str, Any]) -> str:
    """In what way the results of a function of plain values are not those that the task names."""
    if "faults" in fields:
        return "; ".join(_result_faults(fields["faults"], fields["expected"], fields["got"]))
    name = fields["column"]
    if "none" in fields:
        every = fields["none"] == fields["calls"]
        calls = "every call" if every else f"{fields['none']} of {fields['calls']} calls"
        return f"{calls} returned None" + ("" if name == "result" else f" for `{name}`")
    called = f"call {fields['call']} returned" + ("" if name == "result" else f" `{name}` as")
    within = f" a {fields['within']} with" if "within" in fields else ""
    return f"{called}{within} a value of type {fields['type']}"


def _result_faults(faults: list[Fault], expected: list[str], got: list[str]) -> list[str]:
    alone = expected == ["result"]
    said = []
    for fault in faults:
        name = fault["column"]
        if fault["fault"] == "missing":
            named = "a plain value" if alone else f"a dict with `{name}`"
            given = "a plain value" if got == ["result"] else f"a dict with {_listed(got)}"
            said.append(f"it gives {given}, and {named} is asked for")
        elif fault["fault"] == "type":
            what = "it gives" if alone else f"`{name}` is"
            got_kind, kind = _kind_text(fault["got"]), _kind_text(fault["expected"])
            said.append(f"{what} {got_kind}, and {kind} is asked for")
    if said:
        return said
    spare = [fault["column"] for fault in faults]
    if spare == ["result"]:
        return [f"some calls give a plain value, and a dict with {_listed(expected)} is asked for"]
    return [f"the task names no {_listed(spare)}"]


def results_fix(fields: Mapping[str, Any]) -> str:
    """What to do about results that no call of a function of plain values should have."""
    if "faults" in fields:
        return "Return what the task asks for, of that kind and under those names."
    if "none" in fields and fields["column"] != "result":
        return f"Look at where `{fields['column']}` gets its value."
    if "none" in fields:
        return "Without a `return` a function gives None: does every way through yours end in one?"
    return (
        "Return a number, a text, a truth value or a list of them; where the task asks for a dict, each of its values is "
        "one of these. A Series or an array of pandas or NumPy is none of them."
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "nothing in it"


def _kind_text(kind: Any) -> str:
    if isinstance(kind, dict):
        return "a list"
    return {"number": "a number", "string": "a text"}.get(str(family(kind)), "a truth value")
