"""The answer with other settings: what it is to read from them, it has not written down."""

from __future__ import annotations

from dataclasses import replace

from grader.judging.facts import judge_fact
from grader.judging.message import told
from grader.judging.play import Play
from grader.judging.row_differences import told_difference
from grader.judging.rows import compare
from grader.judging.verdict import Criterion
from grader.scenario import Exercise


def settings(exercise: Exercise, play: Play) -> Criterion:
    """Judge a run with the settings of `other_conf`: its rows, and the facts that have a figure for it."""
    assert play.actual is not None
    if compare(play.wanted, play.got):
        happened, details = told_difference(exercise, play)
        message = told(f"{_with(exercise)} {happened}", details=details, do=_read(exercise))
        return Criterion("settings", False, message)
    for fact in exercise.facts:
        if fact.other_equals is not None:
            other = replace(fact, equals=fact.other_equals, at_least=None, at_most=None, because="")
            judged = judge_fact(other, play.actual)
            if not judged.passed:
                return Criterion("settings", False, f"{_with(exercise)} {judged.message}")
    return Criterion("settings", True, "The answer is right with other settings, too.")


def _with(exercise: Exercise) -> str:
    values = [
        f"`{name}` is {value} in place of {exercise.conf[name]}"
        for name, value in exercise.other_conf.items()
    ]
    return f"The check runs once more with other settings: {', '.join(values)}. There the answer is wrong."


def _read(exercise: Exercise) -> str:
    name = next(iter(exercise.other_conf))
    return f'If the answer has such a value written down, take spark.conf.get("{name}"), which gives the one that holds.'
