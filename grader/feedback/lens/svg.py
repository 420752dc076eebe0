"""The lens as an SVG: event time from left to right, steps from top to bottom."""

from __future__ import annotations

from html import escape

from grader.feedback.lens.event_shapes import draw_events
from grader.feedback.lens.layout import Layout, lay_out
from grader.feedback.lens.legend import draw_legend, legend_height
from grader.feedback.lens.operator_watermarks import operators_text
from grader.feedback.lens.page_geometry import HEAD, LEFT, RIGHT, WIDTH, x_of
from grader.feedback.lens.scene import Out, Scene, Step
from grader.feedback.lens.side_text import LINE, SHOWN, arrival_lines, lines_beside
from grader.feedback.lens.span_shapes import draw_spans
from grader.feedback.lens.style import style
from grader.feedback.lens.watermark_shapes import draw_past, draw_watermarks
from grader.feedback.themes import opened
from grader.judging.wording.value_text import rows_text

FADE = (  # of what a TTL evicts
    '<defs><linearGradient id="ss-fade"><stop offset="0" stop-color="#e69f00" stop-opacity=".55"/>'
    '<stop offset="1" stop-color="#e69f00" stop-opacity="0"/></linearGradient></defs>'
)
DIGIT = 6.6  # width of a letter of a time


def draw(scene: Scene, upto: int | None = None, *, alone: bool = False, both: bool = False) -> str:
    """An SVG of the run up to and with step `upto` (all steps if None).

    - `both` shows the watermark that drops and the one that evicts, if they are known
    - `alone` makes a picture for a file: it has its own background and follows the reader's theme
    """
    last = len(scene.steps) if upto is None else max(0, min(upto, len(scene.steps)))
    layout = lay_out(scene)
    height = round(layout.edges[-1] + legend_height(scene, both=both))
    parts = [
        opened("ss-lens", WIDTH, height, _summary(scene, last, both), style(), alone=alone),
        FADE if any(span.kind == "fading" for span in scene.spans) else "",
        _frame(scene, layout, last),
        _axis(scene, layout),
        draw_past(scene, layout, last, both=both),
        draw_spans(scene, layout, last),
        draw_watermarks(scene, layout, last, both=both),
        draw_events(scene, layout, last),
        *[_texts(scene, layout, step) for step in scene.steps[:last]],
        draw_legend(scene, layout, both=both),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part)


def _frame(scene: Scene, layout: Layout, last: int) -> str:
    """The steps: their bands and names."""
    beside = "rows out, state after the step" if scene.stateful else "rows out"
    parts = [f'<text x="{WIDTH - RIGHT + 12}" y="12" class="soft">{beside}</text>']
    for step in scene.steps:
        top, height = layout.top(step.number), layout.edges[step.number] - layout.top(step.number)
        kind = "now" if step.number == last and last < len(scene.steps) else "band"
        if kind == "now" or step.number % 2:
            parts.append(
                f'<rect class="{kind}" x="0" y="{top:g}" width="{WIDTH}" height="{height:g}"/>'
            )
        parts.append(f'<text x="6" y="{top + 18:g}" font-weight="bold">step {step.number}</text>')
        if step.number <= last and not step.asked:
            parts.append(f'<text x="6" y="{top + 32:g}" class="soft">{_batches(step)}</text>')
    return "\n".join(parts)


def _batches(step: Step) -> str:
    if not step.batches:
        return "no batch"
    return "batch " + "–".join(str(n) for n in sorted({step.batches[0], step.batches[-1]}))


def _axis(scene: Scene, layout: Layout) -> str:
    named = "processing time →" if scene.clocked else "event time →"
    said = named if scene.timed else "what came in (without an event time)"
    parts = [f'<text x="{LEFT + 8}" y="12" class="soft">{said}</text>']
    folds = [(x_of(scene, a), x_of(scene, b)) for a, b in scene.axis.folds] if scene.timed else []
    middles = [round((a + b) / 2, 1) for a, b in folds]
    free = 0.0  # right of the last label
    for time, label in scene.axis.ticks():
        x, width = x_of(scene, time), DIGIT * len(label)
        left, anchor = x - width / 2, "middle"
        near = [dots for dots in middles if abs(x - dots) < width / 2 + 9]
        if near:  # the label keeps clear of the fold's dots
            left, anchor = (x, "start") if x > near[0] else (x - width, "end")
        parts.append(
            f'<line class="grid" x1="{x}" x2="{x}" y1="{HEAD - 6}" y2="{layout.edges[-1]:g}"/>'
        )
        if left > free and not any(left - 8 < dots < left + width + 8 for dots in middles):
            free = left + width + 4
            parts.append(
                f'<text x="{x}" y="{HEAD - 12}" text-anchor="{anchor}" class="soft">{label}</text>'
            )
    for x in middles:
        parts.append(f'<text x="{x}" y="{HEAD - 12}" text-anchor="middle" class="soft">⋯</text>')
    parts.append(
        f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{HEAD - 6}" y2="{HEAD - 6}"/>'
    )
    return "\n".join(parts)


def _texts(scene: Scene, layout: Layout, step: Step) -> str:
    """The text beside a step, and its events in words if no time places them."""
    top = layout.top(step.number)
    parts = [
        f'<text x="{WIDTH - RIGHT + 12}" y="{top + 12 + number * LINE:g}" class="{kind}" '
        f'xml:space="preserve">{escape(line)}<title>{escape(whole)}</title></text>'
        for number, (kind, line, whole) in enumerate(lines_beside(scene, step))
    ]
    parts += [
        f'<text x="{LEFT + 8}" y="{top + 14 + number * LINE:g}" class="mono" xml:space="preserve">{escape(text)}</text>'
        for number, text in enumerate(arrival_lines(scene, step))
    ]
    if step.number == scene.parts_at:
        parts.append(f'<text x="6" y="{top + 46:g}" class="wrong">parts here</text>')
    return "\n".join(parts)


def _summary(scene: Scene, last: int, both: bool) -> str:
    """The picture in words, for people who cannot see it."""
    said = []
    for step in scene.steps[:last]:
        late = sum(mark.fate == "dropped" for mark in scene.marks if mark.step == step.number)
        arrivals = f"Step {step.number}: {step.rows_in} event{'s' if step.rows_in != 1 else ''} in"
        if step.asked:
            said.append(arrivals)
            continue
        out = "; ".join(_out_text(out) for out in step.out[:SHOWN]) or "no row out"
        said.append(
            arrivals
            + (f", {late} of them dropped as late" if late else "")
            + f"; {out}"
            + (f"; {rows_text(step.state)} in state" if scene.stateful else "")
            + (f"; {operators_text(scene.lines, step.number)}" if both and scene.lines else "")
        )
    return ". ".join(said) or "Nothing has run yet"


def _out_text(out: Out) -> str:
    return out.text if out.verdict == "right" else f"{out.verdict}: {out.text}"
