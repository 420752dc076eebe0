"""A run in words, step by step: what the picture shows, for everyone who cannot see it or wants to be sure."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from grader.feedback.lens.operator_watermarks import operators_text
from grader.feedback.lens.row_intervals import time_text
from grader.feedback.lens.scene import Scene, Step
from grader.judging.wording.value_text import rows_text

SHOWN = 12  # events and rows of a step
GROUPS = (
    "Each cross is an event. Spark counts dropped rows after it has grouped a micro-batch by window and key, "
    "so several events can be one dropped row."
)


@dataclass(frozen=True)
class StepWords:
    """One step: what it is called, what came to it, what it did, and the rows that it emitted."""

    name: str
    events: list[str]
    facts: list[str]
    rows: list[str]


def steps_in_words(scene: Scene) -> list[StepWords]:
    """All steps, with the same facts as the picture."""
    return [_step(scene, step) for step in scene.steps]


def words_html(scene: Scene) -> str:
    """The steps as an ordered list, which opens at a click."""
    steps = "".join(f"<li>{_step_html(step)}</li>" for step in steps_in_words(scene))
    notes = "".join(f"<p>{escape(note)}</p>" for note in scene.notes)
    return (
        '<details class="ss-words"><summary>Read the run as text</summary>'
        f"<ol>{steps}</ol>{notes}</details>"
    )


def groups_text(scene: Scene) -> str:
    """Why there are more crosses than Spark counts dropped rows; empty if there are not."""
    return GROUPS if any(_crosses(scene, step) > step.dropped for step in scene.steps) else ""


def _crosses(scene: Scene, step: Step) -> int:
    return sum(mark.fate == "dropped" for mark in scene.marks if mark.step == step.number)


def _step(scene: Scene, step: Step) -> StepWords:
    marks = [mark.description for mark in scene.marks if mark.step == step.number]
    batches = ", ".join(map(str, step.batches))
    name = f"Step {step.number}" + (f", micro-batch {batches}" if batches else "")
    if step.asked:
        return StepWords(name, marks, ["What this step did is the question."], [])
    signs = {"right": "", "missing": "missing: ", "unexpected": "unexpected: "}
    rows = [signs[out.verdict] + out.text for out in step.out]
    return StepWords(name, marks or step.arrivals, _facts(scene, step), rows)


def _facts(scene: Scene, step: Step) -> list[str]:
    """What a step did, a sentence each."""
    facts = []
    if scene.parts_at == step.number:
        facts.append("Here the rows first differ from the expected rows.")
    if step.after is not None:
        name = "clock" if scene.clocked else "watermark"
        before = "not set" if step.before is None else time_text(step.before)
        facts.append(
            f"The {name} is {before} when the step begins, and {time_text(step.after)} when it ends."
        )
    if scene.lines:
        facts.append(f"By operator: {operators_text(scene.lines, step.number)}.")
    if step.dropped:
        facts.append(f"{_rows(step.dropped, 'was', 'were')} dropped as late.")
    if scene.stateful:
        facts.append(f"After the step, {_rows(step.state, 'is', 'are')} in state.")
    return facts + [f"{version}." for version in step.versions]


def _rows(count: int, one: str, several: str) -> str:
    return f"{rows_text(count)} {one if count == 1 else several}"


def _step_html(step: StepWords) -> str:
    facts = "".join(f"<p>{escape(fact)}</p>" for fact in step.facts)
    return (
        f"<b>{escape(step.name)}</b>"
        f"{_list('Events', step.events)}{facts}{_list('Rows out', step.rows)}"
    )


def _list(name: str, texts: list[str]) -> str:
    if not texts:
        return f"<p>{name}: none.</p>"
    shown = [f"<li>{escape(text)}</li>" for text in texts[:SHOWN]]
    if len(texts) > SHOWN:
        shown.append(f"<li>… and {len(texts) - SHOWN} more</li>")
    return f"<p>{name}:</p><ul>{''.join(shown)}</ul>"
