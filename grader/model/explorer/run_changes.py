"""What one change did to a run, in words: rows that move, change, come and go; events that count or not."""

from __future__ import annotations

from typing import Any

from grader.feedback.lens.event_marks import Mark
from grader.judging.rows import Row
from grader.judging.wording.value_text import row_text, value_text
from grader.scenario.recording import Recording

MOST = 4  # things told
_Key = tuple[tuple[str, str], ...]
_Emitted = list[tuple[int, Row]]  # the rows of one group, and their steps
_LATE = "dropped"


def changes_between(
    before: Recording, after: Recording, marks: dict[int, Mark], now: dict[int, Mark]
) -> list[str]:
    """At most MOST changes, events first; `marks` are those of each event before and now."""
    changes = [*_events(marks, now), *_rows(before, after)]
    if not changes:
        return ["Nothing changes: the same rows are emitted in the same steps."]
    more = len(changes) - MOST
    return changes[:MOST] + ([f"… and {more} more."] if more > 0 else [])


def _events(before: dict[int, Mark], now: dict[int, Mark]) -> list[str]:
    changes = []
    for event, mark in now.items():
        was = before.get(event)
        if was is None or (was.fate == _LATE) == (mark.fate == _LATE):
            continue
        name = mark.description.split(" — ")[0]
        ending = "is dropped as late now" if mark.fate == _LATE else "is not dropped any more"
        changes.append(f"{name} {ending}.")
    return changes


def _rows(before: Recording, after: Recording) -> list[str]:
    old, new = _by_key(before), _by_key(after)
    changes = []
    for key, emitted in new.items():
        (step, row), was_emitted = emitted[-1], old.get(key, [])
        if not was_emitted:
            changes.append(f"New in {_steps(emitted)}: {row_text(row)}.")
            continue
        was_step, was = was_emitted[-1]
        if len(emitted) > 1 or len(was_emitted) > 1:
            if emitted != was_emitted:
                changes.append(_often(was_emitted, emitted))
        elif was != row:
            numbers = [n for n in row if row[n] != was.get(n)]
            values = ", ".join(
                f"{name} {value_text(row[name])} instead of {value_text(was.get(name))}"
                for name in numbers
            )
            changes.append(f"The row of {_named(row)} has {values}{_when(was_step, step)}.")
        elif was_step != step:
            changes.append(f"The row of {_named(row)} comes out{_when(was_step, step)}.")
    changes += [
        f"Gone: {row_text(emitted[-1][1])}." for key, emitted in old.items() if key not in new
    ]
    return changes


def _often(was: _Emitted, emitted: _Emitted) -> str:
    """For a group with several emitted rows, as in update and complete mode."""
    steps, was_steps = _steps(emitted), _steps(was)
    if steps != was_steps:
        return f"Rows of {_named(emitted[-1][1])} are emitted in {steps} instead of {was_steps}."
    pairs = list(zip(emitted, was, strict=False))  # one step may have more rows than before
    differing = next((pair for pair in reversed(pairs) if pair[0] != pair[1]), None)
    if differing is None:
        return f"{_times(len(emitted))} {row_text(emitted[-1][1])} in {steps} instead of {_times(len(was))}."
    (step, row), (_, before) = differing
    return (
        f"In step {step} the row of {_named(row)} is {row_text(row)} instead of {row_text(before)}."
    )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _steps(emitted: _Emitted) -> str:
    numbers = sorted({step for step, _ in emitted})
    return f"step{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _when(was: int, step: int) -> str:
    if was == step:
        return ""
    by = abs(step - was)
    return (
        f" {by} step{'s' if by > 1 else ''} {'later' if step > was else 'earlier'}, in step {step}"
    )


def _by_key(recording: Recording) -> dict[_Key, _Emitted]:
    """The rows out of each group, in order; a group is every value that is not a number."""
    found: dict[_Key, _Emitted] = {}
    for batch in recording.batches:
        for row in batch.rows:
            key = tuple((n, str(value)) for n, value in row.items() if not _is_number(value))
            found.setdefault(key, []).append((batch.step, row))
    return found


def _named(row: Row) -> str:
    """A row by what it is about: its values that are not numbers."""
    return row_text({n: v for n, v in row.items() if not _is_number(v)}) or row_text(row)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
