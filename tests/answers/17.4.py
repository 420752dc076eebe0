"""Answers to 17.4: other ways to judge a new version of a schema, and to misjudge it."""

from typing import Any

WIDER = {
    "int": {"long", "float", "double"},
    "long": {"float", "double"},
    "float": {"double"},
    "string": {"bytes"},
    "bytes": {"string"},
}


def _result(field: str | None) -> dict[str, Any]:
    return {"compatible": field is None, "field": field}


def _kind(kind: Any) -> str:
    if isinstance(kind, list):
        return "union"
    return kind if isinstance(kind, str) else kind["type"]


def _reads(old: Any, new: Any) -> bool:
    """Whether a type reads another, records left out."""
    if _kind(old) == "union":
        return all(_reads(one, new) for one in old)
    if _kind(new) == "union":
        return any(_reads(old, one) for one in new)
    if _kind(old) == _kind(new) == "enum":
        return "default" in new or not set(old["symbols"]).difference(new["symbols"])
    return _kind(new) == _kind(old) or _kind(new) in WIDER.get(_kind(old), ())


def _source(field: dict, old: dict) -> dict | None:
    for name in (field["name"], *field.get("aliases", [])):
        for candidate in old["fields"]:
            if candidate["name"] == name:
                return candidate
    return None


def right_a_stack_of_records(old, new):
    """Records wait on a stack with their path, no recursion."""
    stack = [("", f, old) for f in reversed(new["fields"])]
    while stack:
        path, field, below = stack.pop()
        here, source = path + field["name"], _source(field, below)
        if source is None:
            if "default" not in field:
                return _result(here)
        elif not _reads(source["type"], field["type"]):
            return _result(here)
        elif _kind(field["type"]) == "record":
            inner = reversed(field["type"]["fields"])
            stack += [(f"{here}.", one, source["type"]) for one in inner]
    return _result(None)


def right_all_faults_by_path(old, new):
    """A dict from path to verdict; the first bad one is the answer."""
    verdicts: dict[str, bool] = {}

    def look(old, new, prefix=()):
        for field in new["fields"]:
            path = (*prefix, field["name"])
            source = _source(field, old)
            if source is None:
                verdicts[".".join(path)] = "default" in field
                continue
            verdicts[".".join(path)] = _reads(source["type"], field["type"])
            if _kind(source["type"]) == _kind(field["type"]) == "record":
                look(source["type"], field["type"], path)

    look(old, new)
    bad = [path for path, good in verdicts.items() if not good]
    return _result(bad[0] if bad else None)


def right_numbers_by_rank(old, new):
    """Number types have a rank; a generator gives the faults."""
    rank = {"int": 1, "long": 2, "float": 3, "double": 4}
    text = {"string", "bytes"}

    def reads(a, b):
        if isinstance(a, list):
            return not [one for one in a if not reads(one, b)]
        if isinstance(b, list):
            return True in [reads(a, one) for one in b]
        if isinstance(a, dict) and isinstance(b, dict):
            if "symbols" in a and "symbols" in b:
                return "default" in b or all(map(b["symbols"].__contains__, a["symbols"]))
            return "fields" in a and "fields" in b
        if isinstance(a, dict) or isinstance(b, dict):
            return False
        return a == b or rank.get(a, 9) < rank.get(b, 0) or {a, b} == text

    def faults(a, b):
        names = {f["name"]: f for f in a["fields"]}
        for f in b["fields"]:
            key = next((n for n in [f["name"], *(f.get("aliases") or [])] if n in names), None)
            if key is None and "default" not in f:
                yield f["name"]
            elif key and not reads(names[key]["type"], f["type"]):
                yield f["name"]
            elif key and _kind(f["type"]) == "record":
                for inner in faults(names[key]["type"], f["type"]):
                    yield f["name"] + "." + inner

    return _result(next(faults(old, new), None))


def wrong_only_names_and_defaults(old, new):
    """Compares which fields there are, and nothing else."""
    names = {field["name"] for field in old["fields"]}
    missing = [
        f["name"]
        for f in new["fields"]
        if not names & {f["name"], *f.get("aliases", [])} and "default" not in f
    ]
    return _result(missing[0] if missing else None)


def wrong_equal_types(old, new):
    """A type must be the very same, apart from promotions."""
    for field in new["fields"]:
        source = _source(field, old)
        if source is None:
            if "default" not in field:
                return _result(field["name"])
        elif source["type"] != field["type"] and str(field["type"]) not in WIDER.get(
            str(source["type"]), ()
        ):
            return _result(field["name"])
    return _result(None)


def wrong_alias_wins(old, new):
    """Looks for the aliases first."""
    for field in new["fields"]:
        aliased = {**field, "name": (field.get("aliases") or [field["name"]])[0]}
        source = _source(aliased, old)
        if source is None and "default" not in field:
            return _result(field["name"])
        if source and not _reads(source["type"], field["type"]):
            return _result(field["name"])
    return _result(None)


def wrong_field_is_always_named(old, new):
    """Names the first field that differs, also if it does not matter."""
    verdict = right_a_stack_of_records(old, new)
    if verdict["compatible"]:
        changed = [f["name"] for f in new["fields"] if f not in old["fields"]]
        return {**verdict, "field": changed[0] if changed else None}
    return verdict


def wrong_empty_text_for_no_field(old, new):
    """No field is an empty string."""
    verdict = right_a_stack_of_records(old, new)
    return {**verdict, "field": verdict["field"] or ""}


def wrong_path_with_slashes(old, new):
    """The path as the registry writes it, with slashes."""
    verdict = right_a_stack_of_records(old, new)
    return {**verdict, "field": verdict["field"] and verdict["field"].replace(".", "/")}


def wrong_promotion_of_everything_to_text(old, new):
    """Every type can be read as a string."""
    return right_a_stack_of_records(
        old, {**new, "fields": [f for f in new["fields"] if f["type"] != "string"]}
    )


def wrong_null_counts_as_nothing(old, new):
    """Null is left out of unions before they are compared."""

    def without_null(schema):
        fields = []
        for field in schema["fields"]:
            kind = field["type"]
            if isinstance(kind, list):
                kind = [one for one in kind if one != "null"]
            fields.append({**field, "type": kind})
        return {**schema, "fields": fields}

    return right_a_stack_of_records(without_null(old), without_null(new))


def wrong_first_type_of_a_union(old, new):
    """Only the first type of an old union is compared."""

    def first(schema):
        fields = [
            {**f, "type": f["type"][0]} if isinstance(f["type"], list) else f
            for f in schema["fields"]
        ]
        return {**schema, "fields": fields}

    return right_a_stack_of_records(first(old), new)


def wrong_symbols_at_the_same_place(old, new):
    """Symbols must keep their positions."""

    def moved(field):
        source = _source(field, old)
        if source is None or _kind(field["type"]) != "enum" or _kind(source["type"]) != "enum":
            return False
        olds, news = source["type"]["symbols"], field["type"]["symbols"]
        return "default" not in field["type"] and news[: len(olds)] != olds

    wrong = [field["name"] for field in new["fields"] if moved(field)]
    verdict = right_a_stack_of_records(old, new)
    return _result(wrong[0]) if verdict["compatible"] and wrong else verdict


def wrong_full_transitive(old, new):
    """A field removed must have had a default."""
    verdict = right_a_stack_of_records(old, new)
    if not verdict["compatible"]:
        return verdict
    kept = {n for f in new["fields"] for n in (f["name"], *f.get("aliases", []))}
    lost = [f["name"] for f in old["fields"] if f["name"] not in kept and "default" not in f]
    return _result(lost[0] if lost else None)


def wrong_long_to_int_if_small(old, new):
    """Numbers are numbers."""
    numbers = ("int", "long", "float", "double")

    def alike(kind):
        if isinstance(kind, list):
            return [alike(one) for one in kind]
        return "double" if kind in numbers else kind

    def with_alike(schema):
        return {**schema, "fields": [{**f, "type": alike(f["type"])} for f in schema["fields"]]}

    return right_a_stack_of_records(with_alike(old), with_alike(new))


def wrong_only_the_first_level(old, new):
    """Records are compared by their names."""
    for field in new["fields"]:
        source = _source(field, old)
        if source is None and "default" not in field:
            return _result(field["name"])
        if source and not _reads(source["type"], field["type"]):
            return _result(field["name"])
    return _result(None)


def wrong_default_of_the_record_is_enough(old, new):
    """The first fault of a record is excused if the record's field has a default or its own fields have one."""
    verdict = right_a_stack_of_records(old, new)
    if verdict["field"] and "." in verdict["field"]:
        return _result(verdict["field"].split(".")[-1])
    return verdict
