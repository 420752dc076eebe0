"""Columns and results with an unexpected name or type, in words, and the fix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grader.judging.schema import family
from grader.judging.wording.sentences import sentence, words_of
from grader.judging.wording.value_text import names_text, type_text

_WINDOW = "struct<start: timestamp, end: timestamp>"
Fault = Mapping[str, Any]


def schema_text(fields: Mapping[str, Any]) -> str:
    """In what way the columns of a DataFrame are not those of the task."""
    said = []
    for fault in _not_spare(fields["faults"]):
        values = dict(fault)
        if fault["fault"] == "missing":
            values["there"] = ", ".join(fields["got"]) or "no column"
        elif fault["fault"] == "type":
            values["got"], values["expected"] = _types(fault)
            values["fields"] = _fields_text(fault)
        said.append(sentence(f"schema.{fault['fault']}", **values))
    spare = _spare(fields["faults"])
    said += [sentence("schema.spare", names=_listed(spare))] if spare else []
    return "; ".join(said)


def _fields_text(fault: Fault) -> str:
    """The fields of a struct that have the expected type, such as those of a window."""
    kind = fault["got"]
    if not isinstance(kind, dict) or kind["type"] != "struct":
        return ""
    expected = family(fault["expected"])
    fitting = [f["name"] for f in kind["fields"] if family(f["type"]) == expected]
    names = names_text(f"{fault['column']}.{name}" for name in fitting)
    return sentence("schema.fields", names=names) if names else ""


def schema_fix(fields: Mapping[str, Any]) -> str:
    """What to do about a schema: only what helps against the faults at hand."""
    faults = fields.get("faults", ())
    types = [_types(fault) for fault in faults if fault["fault"] == "type"]
    ways = []
    if any(fault["fault"] == "missing" for fault in faults):
        ways.append("alias")
    if _spare(faults):
        ways.append("select")
    if any(got == _WINDOW for got, _ in types):
        ways.append("window")
    elif any(expected == _WINDOW for _, expected in types):
        ways.append("whole_window")
    elif types:
        ways.append("cast")
    said = ", and ".join(sentence(f"schema.{way}") for way in ways)
    return sentence("schema.fix", ways=f"; {said}" if said else "")


def results_text(fields: Mapping[str, Any]) -> str:
    """In what way the results of a function of plain values are not those that the task names."""
    if "faults" in fields:
        return "; ".join(_result_faults(fields["faults"], fields["expected"], fields["got"]))
    alone, name = fields["column"] == "result", fields["column"]
    if "none" in fields:
        every = fields["none"] == fields["calls"]
        calls = "every call" if every else f"{fields['none']} of {fields['calls']} calls"
        return sentence("results.none", calls=calls, of="" if alone else f" for `{name}`")
    within = f" a {fields['within']} with" if "within" in fields else ""
    values = {**fields, "of": "" if alone else f" `{name}` as", "within": within}
    return sentence("results.returned", **values)


def _result_faults(faults: list[Fault], expected: list[str], got: list[str]) -> list[str]:
    plain, alone = sentence("results.plain"), expected == ["result"]
    said = []
    missing = [fault["column"] for fault in faults if fault["fault"] == "missing"]
    if missing:
        named = plain if alone else sentence("results.dict", names=_listed(missing))
        given = sentence("results.dict", names=_listed(got)) if got != ["result"] else plain
        said.append(sentence("results.missing", given=given, named=named))
    for fault in faults:
        if fault["fault"] == "type":
            what = "it returned" if alone else f"`{fault['column']}` is"
            kinds = {which: _kind_text(fault[which]) for which in ("got", "expected")}
            said.append(sentence("results.type", what=what, **kinds))
    if said:
        return said
    spare = _spare(faults)
    if spare == ["result"]:
        return [sentence("results.some_plain", names=_listed(expected))]
    return [sentence("results.spare", names=_listed(spare))]


def results_fix(fields: Mapping[str, Any]) -> str:
    """What to do about results that no call of a function of plain values should have."""
    if "faults" in fields:
        return sentence("results.fix.other")
    if "none" in fields:
        of = "none" if fields["column"] == "result" else "none_of"
        return sentence(f"results.fix.{of}", column=fields["column"])
    return sentence("results.fix.not_plain")


def _spare(faults: Iterable[Fault]) -> list[str]:
    return [fault["column"] for fault in faults if fault["fault"] == "spare"]


def _not_spare(faults: Iterable[Fault]) -> list[Fault]:
    return [fault for fault in faults if fault["fault"] != "spare"]


def _types(fault: Fault) -> tuple[str, str]:
    return type_text(fault["got"]), type_text(fault["expected"])


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "nothing in it"


def _kind_text(kind: Any) -> str:
    kinds: dict[str, str] = words_of("results.kind")
    of = "list" if isinstance(kind, dict) else str(family(kind))
    return kinds.get(of, kinds["boolean"])
