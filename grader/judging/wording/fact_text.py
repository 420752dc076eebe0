"""The figure of a declared fact in words: what was measured, and what is expected."""

from __future__ import annotations

from typing import Any

from grader.judging.wording.message import About
from grader.judging.wording.sentences import sentence, words_of
from grader.judging.wording.value_text import figure_text
from grader.scenario import Fact


def figures_of_fact(_: About, fact: Fact, figure: Any = None) -> dict[str, Any]:
    shown = {"measure": _measure(fact), "expected": _expected(fact)}
    return {"fact": fact, "figure": figure_text(figure), **shown}


def said_by_suite(_: About, fact: Fact, ran: dict[str, str]) -> dict[str, Any]:
    words = words_of("criterion.suite_wrong")
    if ran["outcome"] == "pass":
        return {"fact": fact, "said": words["passes"]}
    line = words["line"].format(line=ran["line"]) if ran.get("line") else ""
    second = words["second_run"] if ran.get("run") == "second" else ""
    raised = ran["said"].rstrip(": ")  # an assert without a message
    return {"fact": fact, "said": f"{raised}{line}{second}"}


def _measure(fact: Fact) -> str:
    """What a figure counts, in words."""
    if fact.counts:
        return fact.counts
    source = "run_of_step" if fact.run and fact.step else fact.source()
    return sentence(f"measure.{source}", fact=fact, taken=words_of("taken")[fact.take])


def _expected(fact: Fact) -> str:
    if fact.equals is not None:
        return str(fact.equals)
    limits = {"at least": fact.at_least, "at most": fact.at_most}
    return " and ".join(
        f"{which} {figure_text(limit)}" for which, limit in limits.items() if limit is not None
    )
