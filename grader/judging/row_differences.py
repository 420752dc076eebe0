"""How the rows of a play differ from those that were asked for, in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grader.judging.play import Play, rows_of
from grader.judging.row_causes import Change, cause_of
from grader.judging.rows import (
    Row,
    compare,
    is_time,
    is_window,
    row_text,
    rows_text,
    same,
    value_text,
)
from grader.scenario import Exercise, Scenario

SHOWN = 3  # rows of a kind
WIDTH = 160  # letters of a row
_BEFORE = " (the same row came before)"


def told_difference(exercise: Exercise, play: Play) -> tuple[str, list[str]]:
    """What happened in place of the rows that were asked for, and the first rows of it."""
    assert play.actual is not None
    steps = list(range(1, play.actual.steps + 1))
    asked = f"You were asked for {rows_text(len(play.wanted))}"
    if exercise.returns == "table":  # as it stands after the first step in which it is wrong
        steps = [next(number for number in steps if _changes(play, [number]))]
        count = len(rows_of(play.expected, play.expected, steps))
        asked = f"After step {steps[0]} you were asked for {rows_text(count)}"
    elif exercise.outputs:
        asked += " in " + " and ".join(f"`{name}`" for name in exercise.outputs)
    if not rows_of(play.actual, play.expected, steps):
        return f"{asked}. None came out.", []
    changes = changes_of(play, steps)
    details = [*_by_topic(exercise, play), *_details(changes, play)]
    # where not one row is right no event is to blame, nor for a table that holds what was told all along
    wrong = sum(change.wanted is not None for change in changes)
    if wrong < len(rows_of(play.expected, play.expected, steps)) and exercise.returns != "table":
        cause = cause_of(changes[0], exercise, play)
        details += [cause] if cause else []
    return f"{asked}: {counts_text(changes)}", details


def changes_of(play: Play, steps: list[int]) -> list[Change]:
    """The rows that differ in these steps, the earliest first.

    Where rows are told again as they change, the same row may be right in one step and wrong in
    another; elsewhere a row is final and compared over all steps.
    """
    groups = [[number] for number in steps] if told_again(play) else [steps]
    found = [change for group in groups for change in _changes(play, group)]
    return sorted(found, key=lambda change: change.step)


def told_again(play: Play) -> bool:
    """Whether rows are told again as they change, so that each step is compared for itself."""
    return play.expected.plan.output_mode in ("update", "complete")


def _changes(play: Play, steps: list[int]) -> list[Change]:
    assert play.actual is not None
    wanted = {number: rows_of(play.expected, play.expected, number) for number in steps}
    got = {number: rows_of(play.actual, play.expected, number) for number in steps}
    return changes_between(wanted, got, play.variant.scenario)


def changes_between(
    wanted: dict[int, list[Row]], got: dict[int, list[Row]], scenario: Scenario
) -> list[Change]:
    """How two bags of rows, given by step, differ; rows of two things that events name are not told as one."""
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
    """The texts that events bring, each with its column in lower case."""
    return frozenset(
        (name.lower(), value)
        for event in scenario.events
        if isinstance(event.value, dict)
        for name, value in event.value.items()
        if isinstance(value, str)
    )


def _named(row: Row, names: frozenset[tuple[str, str]]) -> tuple[str, str] | None:
    """What a row speaks of: its first text, where an event brings that text in that column."""
    inner = row.get("value")
    told = inner if set(row) == {"topic", "key", "value"} and isinstance(inner, dict) else row
    text = ((n, v) for n, v in told.items() if isinstance(v, str) and not is_time(v))
    first = next(text, None)
    return first if first in names else None


def counts_text(changes: Iterable[Change]) -> str:
    """`2 rows missing, 1 row with a wrong value.`"""
    kinds = [change.kind for change in changes]
    parts = [
        f"{rows_text(kinds.count(kind))} {what}"
        for kind, what in (
            ("missing", "missing"),
            ("unexpected", "too many"),
            ("wrong value", "with a wrong value"),
        )
        if kind in kinds
    ]
    return ", ".join(parts) + "."


def _details(changes: list[Change], play: Play) -> list[str]:
    """The first rows of each kind, with their steps where those are the learner's own."""
    lines = []
    for kind in ("wrong value", "missing", "unexpected"):
        of_kind = [change for change in changes if change.kind == kind]
        for change in of_kind[:SHOWN]:
            where = f" in step {change.step}" if play.variant.name == "as_is" else ""
            if where and change.due not in (None, change.step):
                where += f" (the right one is due in step {change.due})"
            if came_again(change, _to_come_with(change, play)):
                where += _BEFORE
            lines.append(f"{kind}{where}: {change_text(change)}")
        if len(of_kind) > SHOWN:
            lines.append(f"{kind}: … and {len(of_kind) - SHOWN} more")
    return lines


def _to_come_with(change: Change, play: Play) -> list[Row]:
    """The rows that were asked for where a change was found: in its step, or in the whole run."""
    return rows_of(play.expected, play.expected, change.step if told_again(play) else None)


def came_again(change: Change, wanted: list[Row]) -> bool:
    """Whether a change is a right row that came once more."""
    return change.kind == "unexpected" and any(same(change.row, row) for row in wanted)


def change_text(change: Change) -> str:
    """A row that differs; of a wrong one what is right, and each value beside the one expected."""
    if change.wanted is None or change.got is None:
        return _cut(row_text(change.row))
    fixed, said, spare = {}, [], []
    for name, (wanted, got) in field_pairs(change.wanted, change.got).items():
        if same(wanted, got):
            fixed[name] = wanted
        elif wanted is ABSENT:
            spare.append(name)
        elif got is ABSENT:
            said.append(f"{name} is not there, expected {value_text(wanted)}")
        else:
            said.append("{} is {}, expected {}".format(name, *_told_apart(got, wanted)))
    said += [f"{', '.join(spare)} too many"] if spare else []
    return f"{_cut(row_text(fixed))}: {', '.join(said)}" if fixed else ", ".join(said)


def _told_apart(got: Any, wanted: Any) -> tuple[str, str]:
    """Two values in words that differ; times of the same clock in full."""
    texts = value_text(got), value_text(wanted)
    return texts if texts[0] != texts[1] else (repr(got), repr(wanted))


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


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


def _by_topic(exercise: Exercise, play: Play) -> list[str]:
    """How many records came into each of several topics, where that is not what was asked for."""
    assert play.actual is not None
    counts = [
        (name, *(sum(row["topic"] == name for row in rows) for rows in (play.wanted, play.got)))
        for name in exercise.outputs
    ]
    if len(counts) < 2 or all(wanted == got for _, wanted, got in counts):
        return []
    said = [f"{got} in `{name}` ({wanted} asked for)" for name, wanted, got in counts]
    return ["records: " + ", ".join(said)]
