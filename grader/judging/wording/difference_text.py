"""What is said of rows that differ: how many, the first of them, and the event that made one wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grader.judging.instants import clock
from grader.judging.play import Play
from grader.judging.row_causes import Cause, Change, MetWatermark
from grader.judging.row_differences import (
    ABSENT,
    RowDifference,
    expected_beside,
    field_pairs,
    is_duplicate,
)
from grader.judging.rows import same
from grader.judging.wording.message import About
from grader.judging.wording.value_text import names_text, row_text, rows_text, value_text
from grader.scenario import Event

SHOWN = 3  # rows of a kind
_WIDTH = 160  # letters of a row
_BEFORE = " (the same row came before)"


def difference_text(about: About, difference: RowDifference) -> tuple[str, list[str]]:
    """What happened in place of the expected rows, and the first rows of it."""
    expected = rows_text(difference.expected)
    if difference.after_step is not None:
        happened = f"After step {difference.after_step} you were asked for {expected}"
    else:
        outputs = about.exercise.outputs
        places = f" in {names_text(outputs)}" if outputs else ""
        happened = f"You were asked for {expected}{places}"
    if not difference.emitted:
        return f"{happened}. None came out.", []
    topics = [
        f"{emitted} in `{topic}` ({expected} asked for)"
        for topic, expected, emitted in difference.by_topic
    ]
    details = ["records: " + ", ".join(topics)] if topics else []
    details += _details(difference.changes, about.play)
    details += [cause_text(difference.cause, about.play)] if difference.cause else []
    return f"{happened}: {counts_text(difference.changes)}", details


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
            if is_duplicate(change, expected_beside(change, play)):
                where += _BEFORE
            lines.append(f"{kind}{where}: {change_text(change)}")
        if len(of_kind) > SHOWN:
            lines.append(f"{kind}: … and {len(of_kind) - SHOWN} more")
    return lines


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
            said.append("{} is {}, expected {}".format(name, *_distinct_texts(got, wanted)))
    said += [f"{', '.join(spare)} too many"] if spare else []
    return f"{_cut(row_text(fixed))}: {', '.join(said)}" if fixed else ", ".join(said)


def _distinct_texts(got: Any, wanted: Any) -> tuple[str, str]:
    """Two values in words that differ; times of the same clock in full."""
    texts = value_text(got), value_text(wanted)
    return texts if texts[0] != texts[1] else (repr(got), repr(wanted))


def _cut(text: str, keep: int = _WIDTH - 1) -> str:
    return text if len(text) <= _WIDTH else text[:keep] + "…"


def cause_text(cause: Cause, play: Play) -> str:
    """One sentence on the event that made a row differ."""
    look = f"{value_text(cause.brought)} came with" if cause.brought else "Look at"
    said = f"{look} the event {_event_text(cause.event)}"
    if not play.regrouped:
        said += f" of step {cause.event.step}"
        said += f" ({cause.note})" if cause.note else ""
    return f"{said}{_met_text(cause.met) if cause.met else ''}."


def _met_text(met: MetWatermark) -> str:
    """Where the learner's watermark was when an event came, and what became of the event."""
    said = f"; when it came, the watermark of your query stood at {clock(met.at)}"
    if met.expected is not None:
        said += f" (it should have stood at {clock(met.expected)})"
    if met.fate == "dropped":
        return f"{said}, {met.past / 1_000_000:g} s past it, and it was dropped as late"
    return f"{said}, and it was not dropped" if met.fate == "kept" else said


def _event_text(event: Event) -> str:
    if not isinstance(event.value, dict):
        return value_text(event.value)
    inner = ", ".join(f"{name}={value_text(value)}" for name, value in event.value.items())
    return "{" + _cut(inner, keep=157) + "}"
