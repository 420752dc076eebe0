"""The answer with different settings: it must read them, and not hard-code their values."""

from __future__ import annotations

from dataclasses import replace

from grader.judging.facts import judge_fact
from grader.judging.finding import Judgement, failed, passed
from grader.judging.play import Play
from grader.judging.row_differences import RowDifference
from grader.scenario import Exercise


def settings(exercise: Exercise, play: Play, difference: RowDifference | None) -> Judgement:
    """Judge a run with the settings of `other_conf`: its rows, and the facts that have a figure for it."""
    if difference is not None:
        return failed("settings", "settings_rows", difference=difference)
    for fact in exercise.facts:
        if fact.other_equals is not None:
            other = replace(fact, equals=fact.other_equals, at_least=None, at_most=None, because="")
            judged = judge_fact(other, play.run)
            if not judged.passed:
                return failed("settings", "settings_fact", why=judged.why)
    return passed("settings", "settings_right")
