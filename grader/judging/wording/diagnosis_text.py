"""A diagnosis in words: a known mistake as its author wrote it, or one that the plan shows."""

from __future__ import annotations

from grader.judging.diagnosis import Fingerprint
from grader.judging.finding import Finding
from grader.judging.play import Play
from grader.judging.verdict import Diagnosis
from grader.judging.wording.hint_figures import filled
from grader.judging.wording.sentences import words_of
from grader.scenario import Exercise


def known_mistake(mistake: Fingerprint, exercise: Exercise, play: Play) -> Diagnosis:
    return Diagnosis(mistake.id, mistake.title, filled(mistake.hint, exercise, play))


def plan_mistake(found: Finding) -> Diagnosis:
    words = words_of(found.kind)
    hint = words["hint_without_state"] if found.fields.get("stateless") else words["hint"]
    return Diagnosis(found.kind, words["title"].format(**found.fields), hint.format(**found.fields))
