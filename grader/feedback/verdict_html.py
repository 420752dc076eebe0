"""Verdicts and recordings as HTML: for notebooks, exports and feedback files; no script, no network."""

from __future__ import annotations

from html import escape

from grader.feedback.lens.known_fates import Known
from grader.feedback.lens.page_pictures import run_on_page
from grader.feedback.lens.scene import make_scene
from grader.feedback.verdict_text import (
    SHOWN_EVENTS,
    STATUS_TEXT,
    as_far_as_it_ran,
    event_text,
    goes_over_days,
    points_text,
    some_of,
    with_true_notes,
)
from grader.judging.check_pack import PackedExercise
from grader.judging.instants import clock
from grader.judging.play import events_of
from grader.judging.schema import schema_faults
from grader.judging.verdict import Verdict
from grader.judging.wording.answer_terms import AnswerTerms, terms_of
from grader.judging.wording.failure_text import ended_early_text
from grader.judging.wording.message import LABELS, LINK
from grader.judging.wording.spark_errors import spark_errors
from grader.judging.wording.value_text import row_text
from grader.scenario import Scenario
from grader.scenario.recording import Recording

# works on light and dark pages: borders and marks have the meaning, colors only help
_STYLE = """<style>
.ss-verdict{border:1px solid #8888;border-left:6px solid #8888;border-radius:4px;padding:.6em 1em;max-width:62em;
font-family:system-ui,sans-serif;font-size:14px;line-height:1.45}
.ss-verdict.ss-passed{border-left-color:#0072b2}.ss-verdict:not(.ss-passed){border-left-color:#d55e00}
.ss-verdict h4{margin:0 0 .3em;font-size:15px}.ss-verdict ul{list-style:none;margin:.2em 0;padding:0}
.ss-verdict li{margin:.15em 0;padding-left:1.6em;text-indent:-1.6em}
.ss-verdict pre{white-space:pre-wrap;margin:.2em 0 .4em;padding:.3em .6em;background:#8881;
font-size:12px;text-indent:0;word-break:normal;overflow-wrap:anywhere}
.ss-verdict p.ss-said{margin:.2em 0;text-indent:0}
.ss-idea{border:1px solid #8888;border-radius:4px;margin:.6em 0 .2em;padding:.4em .8em}
.ss-scrolls{overflow-x:auto}.ss-steps{border-collapse:collapse;font-size:12px;margin:.4em 0;text-indent:0}
.ss-steps tr th,.ss-steps tr td{border:1px solid #8886;padding:.25em .6em;text-align:left!important;vertical-align:top}
.ss-steps td div{font-family:ui-monospace,monospace;white-space:pre-wrap}
</style>"""


def verdict_html(
    verdict: Verdict,
    title: str = "",
    recording: Recording | None = None,
    packed: PackedExercise | None = None,
    known: Known | None = None,
    *,
    graded: bool = True,
) -> str:
    """The verdict as a card; with a recording, a picture of what the query did is below it.

    With `known`, the picture also shows what the model knows about the run beyond its recording. A verdict that is
    no grade (`graded` is false) shows neither points nor seconds.
    """
    passed = " ss-passed" if verdict.passed else ""
    mark = "✓" if verdict.passed else "✗"
    head = f"{verdict.exercise} {title}".rstrip()
    score = f"{points_text(verdict.score)} of {points_text(verdict.max_score)} points"
    grade = f" <small>({score}, {verdict.seconds:.1f} s)</small>" if graded else ""
    parts = [
        _STYLE,
        f'<div class="ss-verdict{passed}" role="region" aria-label="Verdict on {escape(verdict.exercise)}">',
        f"<h4>{mark} {escape(head)}: {STATUS_TEXT[verdict.status]}{grade}</h4><ul>",
    ]
    for criterion in verdict.criteria:
        first, *rest = criterion.message.splitlines() or [""]
        sign = "✓" if criterion.passed else "✗"
        parts.append(
            f"<li>{sign}&ensp;<b>{escape(criterion.name.replace('_', ' '))}</b> {escape(first)}"
        )
        parts += [*_more(rest), "</li>"]
    parts.append("</ul>")
    if verdict.diagnosis:
        parts.append(
            f'<div class="ss-idea"><b>Likely cause: {escape(verdict.diagnosis.title)}</b><br>'
            f"{escape(verdict.diagnosis.hint)}</div>"
        )
    if recording is not None and packed is not None and recording.batches:
        inner = picture(packed, recording, known, compared=not verdict.passed)
        terms = terms_of(packed.exercise.returns)
        ran = _what_ran(packed.exercise.upgrades_after, terms)
        shown = " open" if terms.run_is_open else ""
        parts.append(f"<details{shown}><summary>{ran}</summary>{inner}</details>")
    parts.append("</div>")
    return "\n".join(parts)


def _what_ran(upgrades_after: int | None, terms: AnswerTerms) -> str:
    if upgrades_after:
        return f"What the queries did: up to step {upgrades_after} the old version, then yours"
    return terms.run


def _more(lines: list[str]) -> list[str]:
    """The lines below a criterion's first: details as they are, labeled ones as text."""
    labels = tuple(f"{label}: " for label in LABELS)
    labelled = [line for line in lines if line.startswith(labels)]
    details = "\n".join(line for line in lines if line not in labelled)
    parts = [f"<pre>{escape(details)}</pre>"] if details else []
    for line in labelled:
        label, text = line.split(": ", 1)
        said = _linked(text) if label == LINK else escape(text)
        parts.append(f'<p class="ss-said"><b>{label}:</b> {said}</p>')
    return parts


def _linked(address: str) -> str:
    """A link if the grader itself knows the address: a line may also be of a message that an answer raised."""
    text = escape(address)
    known = any(address == error.link for error in spark_errors())
    return f'<a href="{text}" target="_blank" rel="noopener">{text}</a>' if known else text


def recording_html(recording: Recording, packed: PackedExercise, known: Known | None = None) -> str:
    """What a query did, as a picture that needs no kernel: for exports, and with the player."""
    failure = recording.failure
    ended = f"<p>{escape(ended_early_text(failure))}</p>" if failure else ""
    inner = ended + picture(packed, recording, known, compared=False)
    summary = "<summary>The whole run as one picture</summary>"
    return f'{_STYLE}<details class="ss-verdict ss-passed" open>{summary}{inner}</details>'


def picture(
    packed: PackedExercise, recording: Recording, known: Known | None, *, compared: bool
) -> str:
    """The lens and its text if events have an event time, otherwise a table of steps.

    With `compared`, it marks what is missing and unexpected, and the first step that differs.
    """
    right = packed.expected["as_is"]
    scenario = with_true_notes(events_of(recording, packed.public), right, recording)
    expected = right if compared and recording.given is None else None
    if expected is not None and schema_faults(expected.schema, recording.schema):
        expected = None
    scene = make_scene(packed.exercise, scenario, recording, expected, known=known)
    return run_on_page(scene) if scene.marks else steps_table(recording, scenario, scene.rows_are)


def steps_table(recording: Recording, scenario: Scenario, rows_are: str = "rows out") -> str:
    """One line per step: what came in, the watermark after it, what was kept, and the rows."""
    recording, scenario = as_far_as_it_ran(recording, scenario)
    stateful = any(batch.operators for batch in recording.batches)
    timed = any(batch.watermark for batch in recording.batches)
    heads = ["step", "events in"]
    heads += ["watermark after it"] if timed else []
    heads += ["dropped as late", "rows in state"] if stateful else []
    heads.append(rows_are)
    lines = ["".join(f'<th scope="col">{head}</th>' for head in heads)]
    days = goes_over_days(recording, scenario)
    for step in range(1, recording.steps + 1):
        of_step = scenario.of_step(step)
        cells = [
            str(step),
            _list([event_text(x, days=days) for x in some_of(of_step)], len(of_step)),
        ]
        cells += [clock(recording.watermark_after(step), days=days)] if timed else []
        cells += (
            [str(recording.dropped_in(step)), str(recording.state_after(step))] if stateful else []
        )
        out = [row_text(row, days=days) for batch in recording.of_step(step) for row in batch.rows]
        cells.append(_list(out[:SHOWN_EVENTS], len(out)))
        lines.append("".join(f"<td>{cell}</td>" for cell in cells))
    rows = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="ss-scrolls" tabindex="0"><table class="ss-steps">{rows}</table></div>'


def _list(texts: list[str], of: int) -> str:
    shown = [f"<div>{escape(text)}</div>" for text in texts]
    if of > len(texts):
        shown.append(f"<div>… and {of - len(texts)} more</div>")
    return "".join(shown) or "–"
