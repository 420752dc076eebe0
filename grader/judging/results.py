"""Calls of a pure function, each held against what the solution gave."""

from __future__ import annotations

from collections.abc import Iterable
from pprint import pformat
from typing import Any

from grader.judging.message import told
from grader.judging.play import Play, rows_of
from grader.judging.rows import Schema, compare, family
from grader.judging.verdict import Criterion
from grader.scenario import Exercise

WIDTH = 100  # letters in a line of a call
WIDEST = 160  # where it takes several: a record a line can be compared with the next
MOST_LINES = 24  # of a call that is shown, if there is a shorter one


def results(exercise: Exercise, play: Play) -> Criterion:
    """A call that went wrong, with its arguments: the first that is easily read, else the shortest.

    Of calls that were not seen only the count.
    """
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
    called = {step: call_text(exercise, play, step) for step in wrong}
    step = min(wrong, key=lambda step: max(len(called[step]), MOST_LINES))
    wanted = _text(rows_of(play.expected, play.expected, step)[0])
    (row,) = rows_of(play.actual, play.expected, step)
    left_out = _left_out(play, step)
    got = _text({name: value for name, value in row.items() if name not in left_out})
    happened = (
        f"Of {len(steps)} calls, {len(wrong)} gave another result. "
        f"Call {step} should give {wanted}, and gave {got}."
    )
    return Criterion("rows", False, told(happened, details=called[step]))


def result_faults(wanted: Schema, got: Schema) -> list[str]:
    """In what way results are of another kind than the task asks for, in Python's words."""
    have = {column["name"]: column["type"] for column in got}
    faults = []
    for column in wanted:
        name, asked = column["name"], column["type"]
        alone = len(wanted) == 1 and name == "result"
        if name not in have:
            named = "a plain value" if alone else f"a dict with `{name}`"
            given = "a plain value" if set(have) == {"result"} else f"a dict with {_listed(have)}"
            faults.append(f"it gives {given}, and {named} is asked for")
        elif family(have[name]) != family(asked):
            what = "it gives" if alone else f"`{name}` is"
            faults.append(f"{what} {_kind(have[name])}, and {_kind(asked)} is asked for")
    asked_for = [column["name"] for column in wanted]
    spare = [name for name in have if name not in asked_for]
    if spare == ["result"] and not faults:
        faults.append(
            f"some calls give a plain value, and a dict with {_listed(asked_for)} is asked for"
        )
    elif spare and not faults:
        faults.append(f"the task names no {_listed(spare)}")
    return faults


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "nothing in it"


def _kind(kind: Any) -> str:
    if isinstance(kind, dict):
        return "a list"
    return {"number": "a number", "text": "a text"}.get(str(family(kind)), "a truth value")


def _differs(play: Play, step: int) -> bool:
    assert play.actual is not None
    wanted = rows_of(play.expected, play.expected, step)
    rows = rows_of(play.actual, play.expected, step)
    return bool(compare(wanted, rows)) or bool(_left_out(play, step))


def _left_out(play: Play, step: int) -> set[str]:
    """The keys that a call should have given, if only with None, and did not."""
    assert play.actual is not None
    wanted, got = (
        {name for batch in run.batches if batch.step == step for name in batch.rows[0]}
        for run in (play.expected, play.actual)
    )
    return wanted - got


def _text(row: dict[str, Any]) -> str:
    return repr(row["result"] if set(row) == {"result"} else row)


def call_text(exercise: Exercise, play: Play, step: int) -> list[str]:
    """The call as it can be run in the notebook, whole; over several lines where it is long."""
    (event,) = play.variant.scenario.of_step(step)
    note = f"  # {event.note}" if event.note else ""
    given = [f"{name}={value!r}" for name, value in event.value.items()]
    called = (
        f"{exercise.harness}({exercise.answer}, " if exercise.harness else f"{exercise.answer}("
    )
    call = f"{called}{', '.join(given)})"
    if len(call) <= WIDTH:
        return [f"  {call}{note}"]
    lines = [f"  {called.rstrip()}{note}"]
    for name, value in event.value.items():
        first, *others = pformat(value, width=WIDEST, sort_dicts=False).splitlines()
        lines += [f"    {name}={first}", *(f"    {' ' * len(name)} {line}" for line in others)]
        lines[-1] += ","
    return [*lines, "  )"]
