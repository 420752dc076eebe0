"""Whatever is in the rows that an answer gives, it comes to a verdict that can be shown."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from grader.feedback.verdict_html import recording_html, verdict_html
from grader.feedback.verdict_text import recording_text, verdict_text
from grader.judging.check_pack import FILE_NAME, PackedExercise, read_pack
from grader.judging.judge import judge
from grader.judging.play import Play
from grader.scenario.recording import Recording

PACKS = sorted((Path(__file__).resolve().parents[2] / "course").glob(f"*/{FILE_NAME}"))
WRITTEN = {"start": "12:00", "end": "12:05"}
HALF = {"start": "2026-03-01T12:00:00Z", "end": None}
BACKWARDS = {"start": "2026-03-01T12:05:00Z", "end": "2026-03-01T12:00:00Z"}
# as replays write them: beside plain ones those that Python's own types cannot hold, or that look like others
VALUES: list[Any] = [
    *(None, "", "12:00", "2026-02-30T12:00:00Z", "<b>", "\ud83d", 9000 * "a", -1, 2**63 - 1, True),
    *(float("nan"), float("inf"), [], {}, {"a": {"b": [1]}}, WRITTEN, HALF, BACKWARDS),
    *("+10000-01-01T00:00:00Z", "-0044-03-15T00:00:00Z", "1970-01-01T00:00:00Z"),
]


@pytest.mark.slow
@pytest.mark.parametrize("path", PACKS, ids=lambda path: path.parent.name)
def test_rows_with_any_value_come_to_a_verdict(path: Path) -> None:
    for packed in read_pack(path).exercises.values():
        if not packed.exercise.answer_kind.called:
            for run in runs_of(packed.expected["as_is"]):
                shown(packed, run)


def runs_of(right: Recording) -> list[Recording]:
    """The right run with one of the values in a column: in all of its rows, and in the first alone."""
    found = []
    for column in {name: None for batch in right.batches for row in batch.rows for name in row}:
        for number, value in enumerate(VALUES):
            run = copy.deepcopy(right)
            rows = [row for batch in run.batches for row in batch.rows]
            for row in rows[: 1 if number % 2 else None]:
                row[column] = copy.deepcopy(value)
            found.append(run)
    return found


def shown(packed: PackedExercise, run: Recording) -> None:
    """Judged and shown as in a notebook, with its picture."""
    first, *others = packed.plays()
    plays = [Play("public", first.variant, first.expected, run)]
    plays += [Play("public", play.variant, play.expected, play.expected) for play in others]
    verdict = judge(packed.exercise, plays, packed.fingerprints)
    assert verdict_text(verdict)
    assert verdict_html(verdict, "", None if verdict.passed else run, packed, None)
    assert recording_text(run, packed.public, first.expected)
    if verdict.passed:  # else the verdict's page has drawn it
        assert recording_html(run, packed, None)
