"""What the rows of the state store show: which events wait in it, on which side, and in what words."""

from __future__ import annotations

from collections.abc import Iterable

from grader.feedback.lens.axis import moment_at
from grader.feedback.lens.event_traces import equal
from grader.feedback.lens.operator_table import is_join
from grader.feedback.lens.row_intervals import length_text, window_of
from grader.judging.rows import Row, same
from grader.judging.wording.value_text import row_text
from grader.scenario import Event, Exercise, Scenario
from grader.scenario.recording import Recording

WAITING = " waiting"
_ALSO = ("sessionStartTime", "__dummy__")  # what Spark keeps in addition to a session or a seen row
_EXPIRY = ("expiresAtMicros", "timeoutTimestamp")


def state_after(recording: Recording, step: int) -> list[Row]:
    """The rows in the state store after a step, if the replay looked."""
    batches = [batch for batch in recording.batches if batch.step <= step]
    return batches[-1].state if batches else []


def is_whole(recording: Recording) -> bool:
    """Whether all rows of the state were read after every step: a picture can be drawn of them."""
    looked = any(batch.state for batch in recording.batches)
    return looked and all(
        len(state_after(recording, step)) >= recording.state_after(step)
        for step in range(1, recording.steps + 1)
    )


def own_columns(row: Row) -> Row:
    """A state row without what Spark adds: a key that repeats a column, and Python's names."""
    kept = row.get("groupState")  # of a Python function: its fields, or none
    row = (
        {**{n: v for n, v in row.items() if n != "groupState"}, **kept}
        if isinstance(kept, dict)
        else row
    )
    own = {name: value for name, value in row.items() if not _added(name)}
    keys = [value for name, value in row.items() if _added(name) and name not in _ALSO + _EXPIRY]
    for value in [v for key in keys for v in (key.values() if isinstance(key, dict) else [key])]:
        if value is not None and not any(same(value, other) for other in own.values()):
            own = {_free("key", own): value, **own}
    return own


def _added(name: str) -> bool:
    field = name.startswith("field") and name[5:].isdigit()
    return field or name in ("key", *_ALSO, *_EXPIRY)


def _free(name: str, row: Row) -> str:
    """The name, numbered if it is taken."""
    return name if name not in row else f"{name}{sum(other.startswith(name) for other in row) + 1}"


def state_text(row: Row, *, days: bool = False) -> str:
    """A state row for a person."""
    text = row_text(own_columns(row), days=days)
    for name in _EXPIRY:
        if isinstance(row.get(name), int | float) and row[name] > 0:
            until = moment_at(row[name] * (1 if "Micros" in name else 1000))
            text += f"{' · ' if text else ''}kept until {until:{'%m-%d ' if days else ''}%H:%M:%S}"
    return text


def grouped(
    rows: list[Row], exercise: Exercise, recording: Recording, *, days: bool = False
) -> list[tuple[str, list[str]]]:
    """State rows as text under headings: a join's sides and a chain's windows apart."""
    lengths = {w[1] - w[0] for batch in recording.batches for w in _windows(batch.state)}
    groups: dict[str, list[str]] = {}
    for row in rows:
        side = side_of(row, exercise) if is_join(recording) else None
        window = window_of(row)
        heading = "state store"
        if side is not None:
            heading = side + WAITING
        elif window is not None and len(lengths) > 1 and "session_window" not in row:
            heading = f"windows of {length_text(window[1] - window[0])}"
        groups.setdefault(heading, []).append(state_text(row, days=days))
    return list(groups.items())


def waiting_text(groups: list[tuple[str, list[str]]]) -> list[str]:
    """How many rows wait on each side of a join, as a line."""
    sides = [f"{heading}: {len(rows)}" for heading, rows in groups if heading.endswith(WAITING)]
    return [", ".join(sides)] if sides else []


def _windows(rows: Iterable[Row]) -> list[tuple[float, float]]:
    return [window for row in rows if (window := window_of(row)) is not None]


def side_of(row: Row, exercise: Exercise) -> str | None:
    """The input whose columns a state row has: the side of a join that it waits on."""
    columns = own_columns(row).keys()
    sides = [
        name
        for name, given in exercise.inputs.items()
        if columns and columns <= {part.split()[0].strip("`") for part in _parts(given.schema)}
    ]
    return sides[0] if len(sides) == 1 else None


def _parts(schema: str) -> list[str]:
    return [part.strip() for part in schema.split(",") if part.strip()]


def held_until(scenario: Scenario, recording: Recording) -> dict[int, int]:
    """Events (by identity) that the state store held themselves, and the last step it did so after.

    A join keeps rows to wait for a partner, a deduplication what it has seen; an aggregation's rows
    have different columns.
    """
    held: dict[int, int] = {}
    kept: list[Event] = []
    for step in range(1, recording.steps + 1):
        # what has left the store does not come back: a later event may have a row that looks the same
        left = kept + scenario.of_step(step)
        kept = []
        for row in map(own_columns, state_after(recording, step)):
            event = next((event for event in left if _is_kept_as(event, row)), None)
            if event is not None:
                left.remove(event)
                kept.append(event)
                held[id(event)] = step
    return held


def _is_kept_as(event: Event, row: Row) -> bool:
    value = event.value if isinstance(event.value, dict) else {}
    return bool(row) and all(name in value and equal(row[name], value[name]) for name in row)
