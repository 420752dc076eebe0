"""Other pairs: those of the notebook under other names, several in one record, and inside a record."""

import json
import random as randoms
from typing import Any

from grader.connectors.change_data.schema_versions import PAIRS
from grader.scenario import Event, Scenario

Schema = dict[str, Any]


def hidden(random: randoms.Random) -> Scenario:
    pairs = [_together(random, 1) for _ in range(20)]
    pairs += [_together(random, 3) for _ in range(10)]
    pairs += [_inside(*_together(random, 1)) for _ in range(6)]
    pairs += [_inside(*_inside(*_together(random, 2))) for _ in range(4)]
    pairs += [_named(n, *PAIRS[n][1:]) for n in random.sample(range(len(PAIRS)), len(PAIRS))]
    texts = json.loads(json.dumps(pairs))  # nothing is shared, as an answer may change what it gets
    return Scenario(
        [Event(n, "pairs", {"old": old, "new": new}) for n, (old, new) in enumerate(texts, start=1)]
    )


def _together(random: randoms.Random, count: int) -> tuple[Schema, Schema]:
    """Pairs of the notebook as one: the fields of all of them, in any order."""
    chosen = random.sample(range(len(PAIRS)), count)
    pairs = [_named(number, *PAIRS[number][1:]) for number in chosen]
    old, new = ([f for pair in pairs for f in pair[side]["fields"]] for side in (0, 1))
    random.shuffle(new)
    return _record("Order", old), _record("Order", new)


def _named(number: int, old: Schema, new: Schema) -> tuple[Schema, Schema]:
    """The pair with other names of fields and types; no other pair has them."""
    names = {"name", "aliases"}

    def rename(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {inner: rename(value[inner], inner) for inner in value}
        if isinstance(value, list):
            return [rename(inner, key) for inner in value]
        return f"{value}_{number}" if key in names else value

    return (
        {**rename(old), "name": "Order"},
        {**rename(new), "name": "Order"},
    )


def _inside(old: Schema, new: Schema) -> tuple[Schema, Schema]:
    """The records as a field of another record, between others."""

    def around(inner: Schema) -> Schema:
        depth = json.dumps(inner).count('"outer')
        return _record(
            "Order",
            [
                {"name": f"first{depth}", "type": "string"},
                {"name": f"outer{depth}", "type": {**inner, "name": f"Outer{depth}"}},
                {"name": f"last{depth}", "type": "int"},
            ],
        )

    return around(old), around(new)


def _record(name: str, fields: list[Schema]) -> Schema:
    return {"type": "record", "name": name, "fields": fields}
