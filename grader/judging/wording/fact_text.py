"""What is said of a declared fact: the figure that was measured, and the one that is expected."""

from __future__ import annotations

from typing import Any

from grader.judging.wording.message import About, Texts, message
from grader.judging.wording.value_text import figure_text
from grader.scenario import Fact


def _fact_met(_: About, fact: Fact, figure: Any) -> str:
    return f"{fact.title} ({figure_text(figure)})."


def _fact_not_met(_: About, fact: Fact, figure: Any) -> str:
    if figure is None:
        happened = f"{fact.title}: there is nothing to measure ({_measure(fact)})."
        return message(happened, do=fact.fix)
    happened = f"{fact.title}: {_measure(fact)} is {figure_text(figure)}, {_wanted(fact)}."
    return message(happened, means=fact.because, do=fact.fix)


def _suite_right(_: About, fact: Fact) -> str:
    return f"{fact.title}."


def _suite_wrong(_: About, fact: Fact, ran: dict[str, str]) -> str:
    said = ran["said"] if ran["outcome"] == "fail" else "Your tests pass on it."
    return message(f"Not met: {fact.title}. {said}", do=fact.fix)


def _measure(fact: Fact) -> str:
    """What a figure counts, in words."""
    if fact.counts:
        return fact.counts
    of = {"max": "the largest", "min": "the smallest", "sum": "the sum of all", "last": "the last"}
    of |= {"first": "the first", "count": "the number of all"}
    return {
        "files": f"the number of files `{fact.files}` in the checkpoint",
        "conf": f"`{fact.conf}`",
        "plan": f"the number of places that read `{fact.plan}` in the plans of the batches",
        "batch": f"{of[fact.take]} of the data batches' input rows",
        "metric": f"{of[fact.take]} of the batches' `{fact.metric}`",
        "run": f"`{fact.run}` after step {fact.step}"
        if fact.step
        else f"`{fact.run}` of the steps",
    }[fact.source()]


def _wanted(fact: Fact) -> str:
    if fact.equals is not None:
        return f"expected {fact.equals}"
    limits = []
    if fact.at_least is not None:
        limits.append(f"at least {figure_text(fact.at_least)}")
    if fact.at_most is not None:
        limits.append(f"at most {figure_text(fact.at_most)}")
    return "expected " + " and ".join(limits)


FACT_TEXTS: Texts = {
    "fact_met": _fact_met,
    "fact_not_met": _fact_not_met,
    "suite_right": _suite_right,
    "suite_wrong": _suite_wrong,
}
