"""Which parts of an exercise decide the play, and which the verdict; titles, hints and notes decide nothing."""

from __future__ import annotations

from typing import Any

from grader.scenario import Exercise, Scenario

# replay looks at none of them
JUDGED_ONLY = ("title", "points", "criteria", "weights", "kind", "further")
_SHOWN = ("title", "points", "weights", "further")
_SHOWN_OF_FACTS = ("title", "fix", "counts", "because")


def played_part(exercise: Exercise) -> dict[str, Any]:
    """The fields that a recording depends on: of the facts only whether one needs the plans of batches."""
    fields = {name: value for name, value in exercise.to_dict().items() if name not in JUDGED_ONLY}
    return {**fields, "facts": any(fact.plan for fact in exercise.facts)}


def judged_part(exercise: Exercise) -> dict[str, Any]:
    """The fields that statuses and diagnoses depend on."""
    fields = {name: value for name, value in exercise.to_dict().items() if name not in _SHOWN}
    facts = [
        {name: value for name, value in fact.items() if name not in _SHOWN_OF_FACTS}
        for fact in fields.get("facts", [])
    ]
    return {**fields, "facts": facts}


def events_part(scenario: Scenario) -> list[dict[str, Any]]:
    """The events as JSON objects, without the author's notes on them."""
    lines = scenario.to_lines()
    return [{name: value for name, value in line.items() if name != "note"} for line in lines]
