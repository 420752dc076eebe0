"""How the rows of a play differ from the expected ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from grader.judging.instants import is_time, is_window
from grader.judging.play import Play, rows_of
from grader.judging.row_causes import Cause, Change, cause_of
from grader.judging.rows import Row, compare, same
from grader.scenario import Exercise, Scenario


@dataclass(frozen=True)
class RowDifference:
    """How many rows were expected and how many were emitted, and each that differs, the earliest first.

    - `after_step`: the step of a table that is compared; None for a whole run
    - `by_topic`: (topic, expected, emitted) of an answer to several topics, if the counts differ
    - `cause`: the event that made the first row differ, if it is known
    """

    expected: int
    emitted: int
    changes: list[Change]
    after_step: int | None = None
    by_topic: list[tuple[str, int, int]] = field(default_factory=list)
    cause: Cause | None = None


def difference_of(exercise: Exercise, play: Play) -> RowDifference | None:
    """How the rows of a whole run differ; None if they do not."""
    if not compare(play.wanted, play.got):
        return None
    changes = changes_of(play, list(range(1, play.run.steps + 1)))
    # if not one row is right, no event is to blame
    wrong = sum(change.wanted is not None for change in changes)
    return RowDifference(
        len(play.wanted),
        len(play.got),
        changes,
        by_topic=_by_topic(exercise, play),
        cause=cause_of(changes[0], exercise, play) if wrong < len(play.wanted) else None,
    )


def difference_of_table(play: Play) -> RowDifference | None:
    """How a table differs after the first step in which it is wrong; None if it never does."""
    if not compare(play.wanted, play.got):
        return None
    changes_by_step = ((step, _changes(play, [step])) for step in range(1, play.run.steps + 1))
    step, changes = next(found for found in changes_by_step if found[1])
    expected, emitted = (
        len(rows_of(run, play.expected, step)) for run in (play.expected, play.run)
    )
    changes.sort(key=lambda change: change.step)
    return RowDifference(expected, emitted, changes, after_step=step)


def changes_of(play: Play, steps: list[int]) -> list[Change]:
    """The rows that differ in these steps, the earliest first.

    If rows are emitted again when they change, the same row may be right in one step and wrong in
    another. Otherwise a row is final and is compared over all steps.
    """
    groups = [[number] for number in steps] if updates_rows(play) else [steps]
    found = [change for group in groups for change in _changes(play, group)]
    return sorted(found, key=lambda change: change.step)


def updates_rows(play: Play) -> bool:
    """Whether rows are emitted again when they change, so that each step is compared separately."""
    return play.expected.plan.output_mode in ("update", "complete")


def _changes(play: Play, steps: list[int]) -> list[Change]:
    wanted = {number: rows_of(play.expected, play.expected, number) for number in steps}
    got = {number: rows_of(play.run, play.expected, number) for number in steps}
    return changes_between(wanted, got, play.variant.scenario)


def changes_between(
    wanted: dict[int, list[Row]], got: dict[int, list[Row]], scenario: Scenario
) -> list[Change]:
    """How two bags of rows, given by step, differ; rows of two things that events name do not make a pair."""
    names = _names_in(scenario)
    step_of = {id(r): n for run in (wanted, got) for n, rows in run.items() for r in rows}
    right, wrong = ([row for rows in run.values() for row in rows] for run in (wanted, got))
    difference = compare(right, wrong, lambda row: step_of[id(row)], lambda row: _named(row, names))
    return [
        *[Change(a, b, step_of[id(b)], due=step_of[id(a)]) for a, b in difference.wrong],
        *[Change(row, None, step_of[id(row)]) for row in difference.missing],
        *[Change(None, row, step_of[id(row)]) for row in difference.unexpected],
    ]


def _names_in(scenario: Scenario) -> frozenset[tuple[str, str]]:
    """The strings in events, each with its column in lower case."""
    return frozenset(
        (name.lower(), value)
        for event in scenario.events
        if isinstance(event.value, dict)
        for name, value in event.value.items()
        if isinstance(value, str)
    )


def _named(row: Row, names: frozenset[tuple[str, str]]) -> tuple[str, str] | None:
    """What a row is about: its first string, if an event has that string in that column."""
    inner = row.get("value")
    record = inner if set(row) == {"topic", "key", "value"} and isinstance(inner, dict) else row
    strings = ((n, v) for n, v in record.items() if isinstance(v, str) and not is_time(v))
    first = next(strings, None)
    return first if first in names else None


def expected_beside(change: Change, play: Play) -> list[Row]:
    """The rows that were expected where a change was found: in its step, or in the whole run."""
    return rows_of(play.expected, play.expected, change.step if updates_rows(play) else None)


def is_duplicate(change: Change, expected: list[Row]) -> bool:
    """Whether a change is one of the expected rows, emitted again."""
    return change.kind == "unexpected" and any(same(change.row, row) for row in expected)


ABSENT = object()


def field_pairs(wanted: Row, got: Row) -> dict[str, tuple[Any, Any]]:
    """Column → the right value and the wrong one; two structs field by field, ABSENT for none."""
    pairs: dict[str, tuple[Any, Any]] = {}
    for name in wanted:
        a, b = wanted[name], got.get(name)
        if isinstance(a, dict) and isinstance(b, dict) and not is_window(a):
            fields = [*a, *[field for field in b if field not in a]]
            pairs |= {f"{name}.{f}": (a.get(f, ABSENT), b.get(f, ABSENT)) for f in fields}
        else:
            pairs[name] = (a, b)
    return pairs


def _by_topic(exercise: Exercise, play: Play) -> list[tuple[str, int, int]]:
    """How many records were expected in each of several topics and how many are there, if that differs."""
    counts = [
        (name, *(sum(row.get("topic") == name for row in rows) for rows in (play.wanted, play.got)))
        for name in exercise.outputs
    ]
    differs = len(counts) > 1 and any(wanted != got for _, wanted, got in counts)
    return counts if differs else []
