"""The task of an exercise: one template, and for each of its numbered rules a mistake that breaks it.

A rule that no mistake breaks may have no public event: an answer that ignores it would pass. The file
`rules.toml` of an exercise names for each rule the misconceptions that ignore it. Their proofs show that each
fails on the public events.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.authoring.lesson_source import ExerciseSource, SourceError, source_table

if TYPE_CHECKING:
    from pathlib import Path

LABELS = ("Input", "Output", "Rules", "Checked")
_NUMBERED = re.compile(r"^(\d+)\. ", re.MULTILINE)
_LABEL = re.compile(r"^\*\*([A-Z][a-z ]+)\*\*", re.MULTILINE)


def task_text(source: ExerciseSource) -> str:
    """The Markdown of an exercise's task: from its heading up to the answer cell."""
    heading = re.compile(rf"^#+ Exercise {re.escape(source.exercise.id)}\b", re.MULTILINE)
    found: list[str] = []
    for cell in source.lesson.notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == source.exercise.answer:
            break
        if begins := heading.search(cell.source):
            found = [cell.source[begins.start() :]]
        elif found and cell.cell_type == "markdown":
            found.append(cell.source)
    return "\n\n".join(found)


def task_rules(text: str) -> list[int]:
    """The numbers of the rules of a task, in order."""
    labels = [(found[1], found.start()) for found in _LABEL.finditer(text)]
    ends = [start for _, start in labels[1:]] + [len(text)]
    parts = [
        text[start:end] for (name, start), end in zip(labels, ends, strict=True) if name == "Rules"
    ]
    return [int(number) for part in parts for number in _NUMBERED.findall(part)]


def lint_task(source: ExerciseSource) -> list[str]:
    """What a task lacks: a label of the template, or a mistake for one of its rules."""
    text = task_text(source)
    if not text:
        return [
            f"the lesson has no heading `## Exercise {source.exercise.id}: …` before the answer."
        ]
    labels = {found[1] for found in _LABEL.finditer(text)}
    missing = [label for label in LABELS if label not in labels]
    if missing:
        return [f"the task has no **{missing[0]}**; see docs/style.md for the template."]
    rules = task_rules(text)
    if not rules:
        return ["the task has no numbered rules; write them as `1. …` under **Rules**."]
    if rules != list(range(1, len(rules) + 1)):
        return [f"the rules of the task are numbered {rules}; number them from 1, in order."]
    return _lint_rules(rules, source)


def _lint_rules(rules: list[int], source: ExerciseSource) -> list[str]:
    path = source.folder / "rules.toml"
    if not path.exists():
        return ["no rules.toml; name for each rule of the task the misconceptions that ignore it."]
    known = {wrong.id for wrong in source.misconceptions}
    broken_by = _broken_by(path)
    found = [
        f"rules.toml names no mistake that ignores rule {rule}; write one, and a public event where it fails."
        for rule in rules
        if not broken_by.get(rule)
    ]
    found += [
        f"rules.toml names rule {rule}, which the task does not have."
        for rule in broken_by
        if rule not in rules
    ]
    found += [
        f"rules.toml: {name} is not a function in misconceptions.py."
        for names in broken_by.values()
        for name in names
        if name not in known
    ]
    return found


def _broken_by(path: Path) -> dict[int, list[str]]:
    """The misconceptions of each rule: `1 = ["name", …]`."""
    table = source_table(path)
    try:
        return {int(rule): list(names) for rule, names in table.items()}
    except (TypeError, ValueError) as error:
        raise SourceError(
            f'{path}: write each rule as 1 = ["misconception", …] ({error}).'
        ) from error
