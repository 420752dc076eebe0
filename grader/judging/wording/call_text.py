"""Wrong calls of a pure function in words, one of them as code that can be run."""

from __future__ import annotations

from pprint import pformat
from typing import Any

from grader.judging.play import rows_of
from grader.judging.results import left_out
from grader.judging.wording.message import About

_WIDTH = 100  # letters in a line of a call
_WIDEST = 160  # if it takes several: with one record per line, lines can be compared
_MOST_LINES = 24  # of a call that is shown, if there is a shorter one


def wrong_calls(about: About, count: int, wrong: list[int]) -> dict[str, Any]:
    """How many of the calls were wrong, and the first that is easily read, else the shortest."""
    called = {step: call_lines(about, step) for step in wrong}
    step = min(wrong, key=lambda step: max(len(called[step]), _MOST_LINES))
    play = about.play
    (expected,) = rows_of(play.expected, play.expected, step)
    (row,) = rows_of(play.run, play.expected, step)
    missing = left_out(play, step)
    got = {name: value for name, value in row.items() if name not in missing}
    return {
        "count": count,
        "wrong": len(wrong),
        "step": step,
        "expected": _result_text(expected),
        "got": _result_text(got),
        "details": called[step],
    }


def _result_text(row: dict[str, Any]) -> str:
    return repr(row["result"] if set(row) == {"result"} else row)


def call_lines(about: About, step: int) -> list[str]:
    """The call as it can be run in the notebook, whole; over several lines if it is long."""
    exercise = about.exercise
    (event,) = about.play.variant.scenario.of_step(step)
    note = f"  # {event.note}" if event.note else ""
    given = [f"{name}={value!r}" for name, value in event.value.items()]
    called = (
        f"{exercise.harness}({exercise.answer}, " if exercise.harness else f"{exercise.answer}("
    )
    call = f"{called}{', '.join(given)})"
    if len(call) <= _WIDTH:
        return [f"  {call}{note}"]
    lines = [f"  {called.rstrip()}{note}"]
    for name, value in event.value.items():
        first, *others = pformat(value, width=_WIDEST, sort_dicts=False).splitlines()
        lines += [f"    {name}={first}", *(f"    {' ' * len(name)} {line}" for line in others)]
        lines[-1] += ","
    return [*lines, "  )"]
