"""Calls of a pure function, each held against what the solution gave."""

from __future__ import annotations

import json
from typing import Any

from grader.judging.message import told
from grader.judging.play import Play, rows_of
from grader.judging.rows import compare
from grader.judging.verdict import Criterion
from grader.scenario import Exercise

MOST_TOLD = 400  # characters of a call's arguments


def results(exercise: Exercise, play: Play) -> Criterion:
    """The first call that went wrong, with its arguments; of a call that was not seen only the count."""
    assert play.actual is not None
    steps = range(1, play.expected.steps + 1)
    wrong = [step for step in steps if _differs(play, step)]
    if not wrong:
        return Criterion("rows", True, f"All {len(steps)} calls gave the right result.")
    if play.hidden:
        message = told(
            f"Of {len(steps)} calls that you have not seen, {len(wrong)} gave another result.",
            means="Your answer fits the calls of the notebook, not the task.",
            do="Read the task again: every limit that it names, and which comes first.",
        )
        return Criterion("rows", False, message)
    step = wrong[0]
    wanted = _text(rows_of(play.expected, play.expected, step)[0])
    got = _text(rows_of(play.actual, play.expected, step)[0])
    happened = (
        f"Of {len(steps)} calls, {len(wrong)} gave another result. "
        f"Call {step} should give {wanted}, and gave {got}."
    )
    return Criterion("rows", False, told(happened, details=_arguments(exercise, play, step)))


def _differs(play: Play, step: int) -> bool:
    assert play.actual is not None
    wanted = rows_of(play.expected, play.expected, step)
    return bool(compare(wanted, rows_of(play.actual, play.expected, step)))


def _text(row: dict[str, Any]) -> str:
    return json.dumps(row["result"] if set(row) == {"result"} else row, ensure_ascii=False)


def _arguments(exercise: Exercise, play: Play, step: int) -> list[str]:
    """How the call looks in the notebook, cut where it is long."""
    (event,) = play.variant.scenario.of_step(step)
    given = ", ".join(f"{name}={value!r}" for name, value in event.value.items())
    if len(given) > MOST_TOLD:
        given = f"{given[:MOST_TOLD]}…"
    note = f"  # {event.note}" if event.note else ""
    return [f"  {exercise.answer}({given}){note}"]
