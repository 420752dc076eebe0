"""Which parts of an exercise decide the play, and which the verdict; titles, hints and notes decide nothing."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from grader.scenario import Exercise, Scenario
from grader.validity.stored_results import CALLED_PLAY, STREAM_PLAY, TABLE_PLAY, StoredResult

# replay looks at none of them
JUDGED_ONLY = ("title", "points", "criteria", "weights", "kind", "further")
_SHOWN = ("title", "points", "weights", "further")
_SHOWN_OF_FACTS = ("title", "fix", "counts", "because")
# what only some exercises have: without it they are what they were before there was such a field
_RARE = ("crash_after", "writes_to")
_RARE_OF_FACTS = ("versions",)
_RARE_OF_INPUTS = ("table", "key", "properties")


def has_tables(exercise: Exercise) -> bool:
    """Whether a play reads or writes Delta tables."""
    return any(given.table for given in exercise.inputs.values())


def kind_of_play(exercise: Exercise) -> StoredResult:
    """The code that plays of an exercise run through."""
    if exercise.answer_kind.called:
        return CALLED_PLAY
    return TABLE_PLAY if has_tables(exercise) else STREAM_PLAY


def played_part(exercise: Exercise) -> dict[str, Any]:
    """The fields that a recording depends on: of the facts only whether one needs the plans of batches."""
    fields = _without(_fields(exercise), JUDGED_ONLY)
    return {**fields, "facts": any(fact.plan for fact in exercise.facts)}


def judged_part(exercise: Exercise) -> dict[str, Any]:
    """The fields that statuses and diagnoses depend on."""
    fields = _without(_fields(exercise), _SHOWN)
    return {**fields, "facts": [_without(fact, _SHOWN_OF_FACTS) for fact in fields["facts"]]}


def events_part(scenario: Scenario) -> list[dict[str, Any]]:
    """The events as JSON objects, without the author's notes on them."""
    lines = scenario.to_lines()
    return [_without(line, ("note",)) for line in lines]


def _fields(exercise: Exercise) -> dict[str, Any]:
    fields = _stated(exercise.to_dict(), _RARE)
    inputs = {name: _stated(given, _RARE_OF_INPUTS) for name, given in fields["inputs"].items()}
    return {
        **fields,
        "inputs": inputs,
        "facts": [_stated(fact, _RARE_OF_FACTS) for fact in fields["facts"]],
    }


def _stated(fields: dict[str, Any], rare: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value or name not in rare}


def _without(fields: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in names}
