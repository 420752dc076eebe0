"""The message about rows that differ: how many, the first of them, and the event that made one wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grader.judging.instants import clock, several_days, times_in
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
from grader.judging.wording.sentences import sentence, words_of
from grader.judging.wording.value_text import names_text, row_text, rows_text, value_text
from grader.scenario import Event

SHOWN = 3  # rows of a kind
_WIDTH = 160  # letters of a row


def difference_text(about: About, difference: RowDifference) -> tuple[str, list[str]]:
    """What happened in place of the expected rows, and the first rows of it."""
    outputs = about.exercise.outputs
    section = "difference" if difference.after_step is None else "difference.table"
    values = {
        "expected": rows_text(difference.expected),
        "places": f" in {names_text(outputs)}" if outputs else "",
        "step": difference.after_step,
    }
    if not difference.emitted:
        return sentence(f"{section}.none", **values), []
    topics = [
        sentence("difference.topic", topic=topic, expected=expected, emitted=emitted)
        for topic, expected, emitted in difference.by_topic
    ]
    details = [sentence("difference.topics", topics=", ".join(topics))] if topics else []
    rows = [*about.play.wanted, *about.play.got]
    details += _details(difference.changes, about.play, days=several_days(times_in(rows)))
    details += [cause_text(difference.cause, about.play)] if difference.cause else []
    return sentence(f"{section}.rows", counts=counts_text(difference.changes), **values), details


def counts_text(changes: Iterable[Change]) -> str:
    """`2 rows missing, 1 row with a wrong value.`"""
    kinds = [change.kind for change in changes]
    parts = [
        text.format(rows=rows_text(kinds.count(kind)))
        for kind, text in words_of("difference.counts").items()
        if kind in kinds
    ]
    return ", ".join(parts) + "."


def _details(changes: list[Change], play: Play, *, days: bool) -> list[str]:
    """The first rows of each kind, with their steps if those are the learner's own."""
    lines = []
    for kind in ("wrong value", "missing", "unexpected"):
        of_kind = [change for change in changes if change.kind == kind]
        for change in of_kind[:SHOWN]:
            where = ""
            if play.variant.name == "as_is":
                where = sentence("difference.in_step", step=change.step)
                if change.due not in (None, change.step):
                    where += sentence("difference.due", step=change.due)
            if is_duplicate(change, expected_beside(change, play)):
                where += sentence("difference.duplicate")
            lines.append(f"{kind}{where}: {change_text(change, days=days)}")
        if len(of_kind) > SHOWN:
            lines.append(sentence("difference.more", kind=kind, count=len(of_kind) - SHOWN))
    return lines


def change_text(change: Change, *, days: bool = False) -> str:
    """A row that differs; for a wrong row what is right, and each value with the expected one. `days` adds dates."""
    if change.wanted is None or change.got is None:
        return _cut(row_text(change.row, days=days))
    fixed, said, spare = {}, [], []
    for name, (wanted, got) in field_pairs(change.wanted, change.got).items():
        if same(wanted, got):
            fixed[name] = wanted
        elif wanted is ABSENT:
            spare.append(name)
        elif got is ABSENT:
            said.append(
                sentence("difference.absent", name=name, expected=value_text(wanted, days=days))
            )
        else:
            shown, expected = _distinct_texts(got, wanted, days=days)
            said.append(sentence("difference.wrong", name=name, got=shown, expected=expected))
    said += [sentence("difference.spare", names=", ".join(spare))] if spare else []
    return f"{_cut(row_text(fixed, days=days))}: {', '.join(said)}" if fixed else ", ".join(said)


def _distinct_texts(got: Any, wanted: Any, *, days: bool) -> tuple[str, str]:
    """Two values in words that differ; those that would read the same, as Python writes them."""
    texts = value_text(got, days=days), value_text(wanted, days=days)
    return texts if texts[0] != texts[1] else (repr(got), repr(wanted))


def _cut(text: str, keep: int = _WIDTH - 1) -> str:
    return text if len(text) <= _WIDTH else text[:keep] + "…"


def cause_text(cause: Cause, play: Play) -> str:
    """One sentence on the event that made a row differ."""
    wrong_value = None if cause.wrong_value is None else value_text(cause.wrong_value)
    kind = "look" if wrong_value is None else "brought"
    said = sentence(f"cause.{kind}", event=_event_text(cause.event), value=wrong_value)
    if not play.regrouped:
        said += sentence("cause.step", step=cause.event.step)
        said += f" ({cause.note})" if cause.note else ""
    return f"{said}{_met_text(cause.met) if cause.met else ''}."


def _met_text(met: MetWatermark) -> str:
    """The learner's watermark when an event came, and what became of the event."""
    said = sentence("cause.met", at=clock(met.at))
    if met.expected is not None:
        said += sentence("cause.expected", expected=clock(met.expected))
    return said + (sentence(f"cause.{met.fate}", seconds=met.past / 1_000_000) if met.fate else "")


def _event_text(event: Event) -> str:
    if not isinstance(event.value, dict):
        return value_text(event.value)
    inner = ", ".join(f"{name}={value_text(value)}" for name, value in event.value.items())
    return "{" + _cut(inner, keep=157) + "}"
