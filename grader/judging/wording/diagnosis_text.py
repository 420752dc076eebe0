"""A diagnosis in words: a known mistake as its author wrote it, or one that the plan shows."""

from __future__ import annotations

from grader.judging.diagnosis import Fingerprint
from grader.judging.finding import Finding
from grader.judging.play import Play
from grader.judging.verdict import Diagnosis
from grader.judging.wording.hint_figures import filled
from grader.scenario import Exercise

# by the kind of finding: title and hint
_PLAN_MISTAKES = {
    "plan.no_watermark": (
        "No watermark in your query",
        "Spark's plan of it has none, so nothing is ever late and no time is ever over. Set withWatermark on the "
        "input before the operator that keeps state.",
    ),
    "plan.second_watermark": (
        "A second watermark",
        "Your query sets a watermark on `{column}`, too, after the operator that keeps state. One on "
        "each input is enough, before the first such operator: Spark carries it on through all that follow. Take "
        "the second one out.",
    ),
    "plan.watermark_too_late": (
        "The watermark stands after the operator that needs it",
        "In the plan the watermark on `{column}` comes after the operator that keeps state. Call "
        "withWatermark before it.",
    ),
    "plan.watermark_column": (
        "The watermark is on another column",
        "Your watermark follows `{column}`; the task counts in the time of another column. Which one says when "
        "the event happened?",
    ),
    "plan.unbounded_join": (
        "The join has no limit in time",
        "Its condition compares keys, and says nothing of how far apart in time two partners may be. Without that "
        "no row can ever be given up.",
    ),
    "plan.output_mode": (
        "Started in {mode} mode",
        "Append gives out final rows once, update the changed ones, complete all of them each time. Which one "
        "gives what the task asks for?",
    ),
}
_NO_STATE = (
    "Spark's plan of it has none, and no operator that keeps state: each batch stands for itself."
)


def known_mistake(mistake: Fingerprint, exercise: Exercise, play: Play) -> Diagnosis:
    return Diagnosis(mistake.id, mistake.title, filled(mistake.hint, exercise, play))


def plan_mistake(found: Finding) -> Diagnosis:
    title, hint = _PLAN_MISTAKES[found.kind]
    if found.fields.get("stateless"):
        hint = _NO_STATE
    return Diagnosis(found.kind, title.format(**found.fields), hint.format(**found.fields))
