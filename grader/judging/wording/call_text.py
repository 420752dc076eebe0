"""What is said of the calls of a pure function: how many were wrong, and one of them as it can be run."""

from __future__ import annotations

from pprint import pformat
from typing import Any

from grader.judging.play import rows_of
from grader.judging.results import left_out
from grader.judging.wording.message import About, Texts, message

_WIDTH = 100  # letters in a line of a call
_WIDEST = 160  # where it takes several: a record a line can be compared with the next
_MOST_LINES = 24  # of a call that is shown, if there is a shorter one


def _calls_right(_: About, count: int) -> str:
    return f"All {count} calls gave the right result."


def _unseen_calls_wrong(_: About, count: int, wrong: int) -> str:
    return message(
        f"Of {count} calls that you have not seen, {wrong} gave another result.",
        means="Your answer fits the calls of the notebook, not the task.",
        do="Read the task again: every limit that it names, and which comes first.",
    )


def _calls_wrong(about: About, count: int, wrong: list[int]) -> str:
    """A call that went wrong, with its arguments: the first that is easily read, else the shortest."""
    called = {step: call_lines(about, step) for step in wrong}
    step = min(wrong, key=lambda step: max(len(called[step]), _MOST_LINES))
    play = about.play
    expected = _result_text(rows_of(play.expected, play.expected, step)[0])
    (row,) = rows_of(play.run, play.expected, step)
    missing = left_out(play, step)
    got = _result_text({name: value for name, value in row.items() if name not in missing})
    happened = (
        f"Of {count} calls, {len(wrong)} gave another result. "
        f"Call {step} should give {expected}, and gave {got}."
    )
    return message(happened, details=called[step])


def _result_text(row: dict[str, Any]) -> str:
    return repr(row["result"] if set(row) == {"result"} else row)


def call_lines(about: About, step: int) -> list[str]:
    """The call as it can be run in the notebook, whole; over several lines where it is long."""
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


CALL_TEXTS: Texts = {
    "calls_right": _calls_right,
    "unseen_calls_wrong": _unseen_calls_wrong,
    "calls_wrong": _calls_wrong,
}
