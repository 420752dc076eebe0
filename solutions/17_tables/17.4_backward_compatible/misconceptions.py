"""Ways to misjudge a new version of a schema."""

from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]
Fault = str | None  # the path below a field, empty for its own type; None if it can be read

_PROMOTIONS = [
    ("int", "long"),
    ("int", "float"),
    ("int", "double"),
    ("long", "float"),
    ("long", "double"),
    ("float", "double"),
    ("string", "bytes"),
    ("bytes", "string"),
]


def _has_default(field: Schema) -> bool:
    return "default" in field


def _names(field: Schema) -> list[str]:
    return [field["name"], *field.get("aliases", [])]


def _primitive(old: Any, new: Any) -> bool:
    return old == new or (old, new) in _PROMOTIONS


def _symbols(old: Schema, new: Schema, field: Schema) -> bool:
    return "default" in new or set(old["symbols"]) <= set(new["symbols"])


def _path(name: str, below: str) -> str:
    return f"{name}.{below}" if below else name


class _Rules:
    """The rules of the task, each of which can be replaced."""

    def __init__(
        self,
        *,
        has_default: Callable[[Schema], bool] = _has_default,
        names: Callable[[Schema], list[str]] = _names,
        old_names: Callable[[Schema], list[str]] = lambda field: [field["name"]],
        primitive: Callable[[Any, Any], bool] = _primitive,
        symbols: Callable[[Schema, Schema, Schema], bool] = _symbols,
        of_old_union: Callable[[Any], bool] = all,
        reads_union: Callable[["_Rules", Any, Any], bool] | None = None,
        excused: Callable[[Schema], bool] = lambda field: False,
        records: Callable[["_Rules", Schema, Schema], Fault] | None = None,
        path: Callable[[str, str], str] = _path,
        choose: Callable[[list[str]], str] = lambda faults: faults[0],
    ) -> None:
        self.has_default, self.names, self.old_names = has_default, names, old_names
        self.primitive, self.symbols, self.of_old_union = primitive, symbols, of_old_union
        self.reads_union, self.excused = reads_union, excused
        self.records, self.path, self.choose = records, path, choose

    def answer(self, old: Schema, new: Schema) -> Schema:
        fault = self.fields(old, new)
        return {"compatible": fault is None, "field": fault}

    def fields(self, old: Schema, new: Schema) -> Fault:
        written = {name: field for field in old["fields"] for name in self.old_names(field)}
        faults = []
        for field in new["fields"]:
            sources = [written[name] for name in self.names(field) if name in written]
            fault = self.field(sources[0] if sources else None, field)
            if fault is not None:
                faults.append(self.path(field["name"], fault))
        return self.choose(faults) if faults else None

    def field(self, source: Schema | None, field: Schema) -> Fault:
        if source is None:
            return None if self.has_default(field) else ""
        if self.excused(field):
            return None
        return self.types(source["type"], field["type"], field)

    def types(self, old: Any, new: Any, field: Schema) -> Fault:
        if isinstance(old, list) or isinstance(new, list):
            return None if self.unions(old, new, field) else ""
        if isinstance(old, str) or isinstance(new, str):
            return None if self.primitive(old, new) else ""
        if old["type"] != new["type"]:
            return ""
        if new["type"] == "enum":
            return None if self.symbols(old, new, field) else ""
        return self.records(self, old, new) if self.records else self.fields(old, new)

    def unions(self, old: Any, new: Any, field: Schema) -> bool:
        if self.reads_union:
            return self.reads_union(self, old, new)
        news = new if isinstance(new, list) else [new]
        olds = old if isinstance(old, list) else [old]
        return self.of_old_union(
            any(self.types(one, other, field) is None for other in news) for one in olds
        )


def forward(old: Schema, new: Schema) -> Schema:
    """Direction of the check reversed

    You have "long to int" as compatible and "int to long" as not. `BACKWARD` means that a consumer with the new
    schema reads what the old schema wrote. Which of the two schemas has the fields that must be filled?
    """
    return _Rules().answer(new, old)


def both_directions(old: Schema, new: Schema) -> Schema:
    """Both directions required

    Your answer rejects a removed field and other changes that the registry accepts. That a consumer with the old schema
    reads new records is `FORWARD`, and both together are `FULL`. Which direction does `BACKWARD` need?
    """
    back, forth = _Rules().answer(old, new), _Rules().answer(new, old)
    return forth if back["compatible"] else back


def removed_field_refused(old: Schema, new: Schema) -> Schema:
    """Removed field rejected

    Your answer rejects a version without a field of the old one. A reader skips what it does not have. Which of the two
    schemas do you go through?
    """
    answer = _Rules().answer(old, new)
    kept = {name for field in new["fields"] for name in _names(field)}
    removed = [field["name"] for field in old["fields"] if field["name"] not in kept]
    return (
        {"compatible": False, "field": removed[0]} if answer["compatible"] and removed else answer
    )


def default_ignored(old: Schema, new: Schema) -> Schema:
    """Default of a new field ignored

    Your answer rejects a new field that has a default. The reader fills it in for old records. Which new fields have
    nothing to fill in?
    """
    return _Rules(has_default=lambda field: False).answer(old, new)


def default_null_ignored(old: Schema, new: Schema) -> Schema:
    """Default null treated as no default

    Your answer rejects the new field `coupon` with the default null. `field.get("default")` returns None in both cases:
    no default, and the default null. How do you ask whether a dict has a key?
    """
    return _Rules(has_default=lambda field: field.get("default") is not None).answer(old, new)


def nullable_needs_no_default(old: Schema, new: Schema) -> Schema:
    """Union with null treated as a default

    Your answer accepts the new field `coupon` without a default, because it may be null. Avro does not fill in null by
    itself. What does rule 2 require of a field that reads no field?
    """

    def has_default(field: Schema) -> bool:
        return "default" in field or (isinstance(field["type"], list) and "null" in field["type"])

    return _Rules(has_default=has_default).answer(old, new)


def new_field_never_a_problem(old: Schema, new: Schema) -> Schema:
    """New field without a default accepted

    Your answer accepts a new field that has no default. An old record has no value for it, and the reader has nothing to
    fill in. Which fields of `new` are in no old record?
    """
    return _Rules(has_default=lambda field: True).answer(old, new)


def alias_ignored(old: Schema, new: Schema) -> Schema:
    """Aliases ignored

    Your answer rejects a renamed field that names the old one as its alias. The reader looks for its own name first, and
    then for its aliases. Under which names can a field of `new` be in an old record?
    """
    return _Rules(names=lambda field: [field["name"]]).answer(old, new)


def alias_of_the_old_version(old: Schema, new: Schema) -> Schema:
    """Aliases of the old version used

    Your answer accepts a renamed field because the *old* version has an alias. Aliases belong to the reader: the
    old version could not know the later name. Which of the two schemas reads?
    """
    return _Rules(old_names=_names).answer(old, new)


def alias_without_types(old: Schema, new: Schema) -> Schema:
    """Type of a renamed field not compared

    Your answer accepts a renamed field with an alias although its type has changed to `string`. The alias only finds the
    field. What must be true of the two types?
    """

    class Lenient(_Rules):
        def field(self, source: Schema | None, field: Schema) -> Fault:
            renamed = source is not None and source["name"] != field["name"]
            return None if renamed else super().field(source, field)

    return Lenient().answer(old, new)


def first_alias_only(old: Schema, new: Schema) -> Schema:
    """Only the first alias used

    Your answer misses a renamed field that has two aliases. A field that was renamed twice has two, and any of them may be
    in an old record. How many aliases do you compare?
    """
    return _Rules(names=lambda field: [field["name"], *field.get("aliases", [])[:1]]).answer(
        old, new
    )


def no_promotions(old: Schema, new: Schema) -> Schema:
    """Promotions ignored

    Your answer rejects `int` to `long`. Each int is a long, so the reader converts it. Which table has the pairs
    that can be read?
    """
    return _Rules(primitive=lambda old, new: bool(old == new)).answer(old, new)


def promotions_reversed(old: Schema, new: Schema) -> Schema:
    """Pair of a promotion reversed

    Your answer accepts `long` to `int`, and rejects `int` to `long`. A pair has the old type first. A long of an old
    record may not fit into an int. In which order do you look a pair up?
    """
    return _Rules(primitive=lambda old, new: _primitive(new, old)).answer(old, new)


def promotions_both_ways(old: Schema, new: Schema) -> Schema:
    """Promotions in both directions

    Your answer accepts `long` to `int`. A long of an old record may not fit into an int. In which direction do you look a
    pair up?
    """
    return _Rules(primitive=lambda old, new: _primitive(old, new) or _primitive(new, old)).answer(
        old, new
    )


def default_excuses_a_type(old: Schema, new: Schema) -> Schema:
    """Default used for a type that cannot be read

    Your answer accepts `long` to `int` because the new field has a default. The old record has the field, so the default
    is not used. When does a reader take the default?
    """
    return _Rules(excused=_has_default).answer(old, new)


def types_not_compared(old: Schema, new: Schema) -> Schema:
    """Types not compared

    Your answer accepts fields whose type has changed in a way that cannot be read, such as `int` to `string`. The name is
    the same, and the bytes are not. What do you compare besides names and defaults?
    """
    return _Rules(excused=lambda field: True).answer(old, new)


def order_of_fields(old: Schema, new: Schema) -> Schema:
    """Fields compared by position

    Your answer rejects the same fields in a different order. The reader looks for each field by its name. How do you find
    the old field of a new one?
    """

    class Positions(_Rules):
        def fields(self, old: Schema, new: Schema) -> Fault:
            for number, field in enumerate(new["fields"]):
                olds = old["fields"]
                at_its_place = number < len(olds) and olds[number]["name"] in _names(field)
                fault = self.field(olds[number] if at_its_place else None, field)
                if fault is not None:
                    return _path(field["name"], fault)
            return None

    return Positions().answer(old, new)


def symbols_not_compared(old: Schema, new: Schema) -> Schema:
    """Symbols of an enum not compared

    Your answer accepts an enum that has lost a symbol. An old record may have it, and the reader has no value for it. What
    do you compare in two enums?
    """
    return _Rules(symbols=lambda old, new, field: True).answer(old, new)


def symbols_must_be_equal(old: Schema, new: Schema) -> Schema:
    """New symbol rejected

    Your answer rejects an enum that only has a new symbol. No old record has it. Which symbols can an old record have?
    """
    return _Rules(
        symbols=lambda old, new, field: (
            "default" in new or set(old["symbols"]) == set(new["symbols"])
        )
    ).answer(old, new)


def default_of_an_enum_ignored(old: Schema, new: Schema) -> Schema:
    """Default of an enum ignored

    Your answer rejects an enum that has lost a symbol, although the enum has a default. The reader takes this default for
    symbols that it does not know. Where is the default in the schema?
    """
    return _Rules(
        symbols=lambda old, new, field: set(old["symbols"]) <= set(new["symbols"])
    ).answer(old, new)


def default_of_the_field_for_a_symbol(old: Schema, new: Schema) -> Schema:
    """Default of the field used for a lost symbol

    Your answer accepts an enum that has lost a symbol because the *field* has a default. This default is for records
    without the field. Which default is for a symbol that the reader does not have?
    """
    return _Rules(
        symbols=lambda old, new, field: "default" in field or _symbols(old, new, field)
    ).answer(old, new)


def default_of_the_old_enum(old: Schema, new: Schema) -> Schema:
    """Default of the old enum used

    Your answer accepts an enum that has lost a symbol because the *old* enum has a default. The reader has the new
    schema only for its defaults. Which of the two enums needs one?
    """
    return _Rules(
        symbols=lambda old, new, field: "default" in old or _symbols(old, new, field)
    ).answer(old, new)


def unions_must_be_equal(old: Schema, new: Schema) -> Schema:
    """Unions compared for equality

    Your answer rejects a union that only has more types than before, or that now allows null. What the old schema wrote is
    still one of its types. Which types of the old schema must the new one read?
    """
    return _Rules(reads_union=lambda rules, old, new: bool(old == new)).answer(old, new)


def one_type_of_a_union_is_enough(old: Schema, new: Schema) -> Schema:
    """One readable type of the old union is enough

    Your answer accepts a union that has lost a type. An old record may have any type of its union. For how many of them
    must the new schema have a type that reads it?
    """
    return _Rules(of_old_union=any).answer(old, new)


def unions_without_promotions(old: Schema, new: Schema) -> Schema:
    """No promotions in a union

    Your answer rejects `int` to `long` inside a union. The same promotions apply there. How do you compare the types of two
    unions?
    """

    def subset(rules: _Rules, old: Any, new: Any) -> bool:
        olds = old if isinstance(old, list) else [old]
        return all(one in (new if isinstance(new, list) else [new]) for one in olds)

    return _Rules(reads_union=subset).answer(old, new)


def record_not_looked_into(old: Schema, new: Schema) -> Schema:
    """Fields of a nested record not compared

    Your answer accepts a record whose inner field cannot be read. A field of type record has fields of its own, with
    the same rules. What do you compare if both types are records?
    """
    return _Rules(records=lambda rules, old, new: None).answer(old, new)


def nested_records_must_be_equal(old: Schema, new: Schema) -> Schema:
    """Nested records compared for equality

    Your answer rejects a record that only has a new field with a default. The rules for fields apply in a record, too.
    Which function do you call if both types are records?
    """
    return _Rules(
        records=lambda rules, old, new: (
            rules.fields(old, new) if rules.fields(old, new) else (None if old == new else "")
        )
    ).answer(old, new)


def path_ends_at_the_record(old: Schema, new: Schema) -> Schema:
    """Path without the inner field

    Your answer names `address`, and the field that prevents it is `zip` in it. A record may have a hundred fields. How
    does the name of the inner field get into your answer?
    """
    return _Rules(path=lambda name, below: name).answer(old, new)


def inner_name_only(old: Schema, new: Schema) -> Schema:
    """Path without the outer field

    Your answer names `zip`, and rule 8 asks for the path `address.zip`. Two records may each have a field of this name.
    Where do you put the name of the record's field in front?
    """
    return _Rules(path=lambda name, below: below or name).answer(old, new)


def last_field_named(old: Schema, new: Schema) -> Schema:
    """Last of several fields named

    Two fields prevent it, and your answer names the second one. By rule 8 it is the first one in `new`. Does your
    loop end at the first field that it finds?
    """
    return _Rules(choose=lambda faults: faults[-1]).answer(old, new)


def old_name_of_a_renamed_field(old: Schema, new: Schema) -> Schema:
    """Old name of a renamed field

    Your answer names `cents`, and in the new version this field is called `total`. The person who wrote the new schema
    looks for its own name. From which of the two schemas do you take the name?
    """
    answer = _Rules().answer(old, new)
    written = {field["name"] for field in old["fields"]}
    for field in new["fields"]:
        if field["name"] == answer["field"]:
            former = [name for name in _names(field) if name in written]
            return {**answer, "field": former[0] if former else answer["field"]}
    return answer
