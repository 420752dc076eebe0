"""The lens as an SVG: event time from left to right, steps from top to bottom."""

from __future__ import annotations

from html import escape

from grader.feedback.lens.event_shapes import draw_events
from grader.feedback.lens.layout import Layout, lay_out
from grader.feedback.lens.legend import draw_legend, legend_height
from grader.feedback.lens.operator_watermarks import operators_text
from grader.feedback.lens.page_geometry import HEAD, Page
from grader.feedback.lens.scene import Out, Scene, Step
from grader.feedback.lens.side_text import LINE, SHOWN, arrival_lines, lines_beside
from grader.feedback.lens.span_shapes import draw_spans
from grader.feedback.lens.style import style
from grader.feedback.lens.watermark_shapes import draw_past, draw_watermarks
from grader.feedback.themes import opened
from grader.judging.wording.value_text import rows_text

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
        opened(
            "ss-lens", scene.page.width, height, _summary(scene, last, both), style(), alone=alone
        ),
        fade(scene.page) if any(span.kind == "fading" for span in scene.spans) else "",
        _frame(scene, layout, last),
        _axis(scene, layout),
        draw_past(scene, layout, last, both=both),
        draw_spans(scene, layout, last),
        draw_watermarks(scene, layout, last, both=both),
        draw_events(scene, layout, last),
        _heads(scene, layout, last) if scene.page.below else "",
        *[_texts(scene, layout, step) for step in scene.steps[:last]],
        draw_legend(scene, layout, both=both),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part)


def fade(page: Page) -> str:
    """The gradient of what a TTL evicts; the narrow picture, beside which the wide one is hidden, has its own."""
    return (
        f'<defs><linearGradient id="ss-fade{"-below" if page.below else ""}">'
        '<stop offset="0" stop-color="#e69f00" stop-opacity=".55"/>'
        '<stop offset="1" stop-color="#e69f00" stop-opacity="0"/></linearGradient></defs>'
    )


def _frame(scene: Scene, layout: Layout, last: int) -> str:
    """The steps: their bands and names."""
    beside = f"{scene.rows_are}, state after the step" if scene.stateful else scene.rows_are
    page = scene.page
    head = f'<text x="{page.end + 12}" y="12" class="soft">{beside}</text>'
    parts = [] if page.below else [head]
    for step in scene.steps:
        top, height = layout.top(step.number), layout.edges[step.number] - layout.top(step.number)
        kind = "now" if step.number == last and last < len(scene.steps) else "band"
        if kind == "now" or step.number % 2:
            parts.append(
                f'<rect class="{kind}" x="0" y="{top:g}" width="{page.width}" height="{height:g}"/>'
            )
        parts += [] if page.below else _names(scene, layout, step, last)
    return "\n".join(parts)


def _names(scene: Scene, layout: Layout, step: Step, last: int) -> list[str]:
    (x, y), (batch_x, batch_y), _ = scene.page.step_names
    top = layout.top(step.number)
    parts = [f'<text x="{x}" y="{top + y:g}" font-weight="bold">step {step.number}</text>']
    if step.number <= last and not step.asked:
        parts.append(
            f'<text x="{batch_x}" y="{top + batch_y:g}" class="soft">{_batches(step)}</text>'
        )
    return parts


def _heads(scene: Scene, layout: Layout, last: int) -> str:
    """The steps' names on a narrow page: above each step, on a ground that nothing crosses."""
    parts = []
    for step in scene.steps:
        parts.append(_ground(scene, layout.top(step.number), scene.page.names - 10))
        parts += _names(scene, layout, step, last)
    return "\n".join(parts)


def _ground(scene: Scene, top: float, height: float) -> str:
    """A ground below words, so that what is drawn through the steps does not cross them."""
    return (
        f'<rect class="ground" x="0" y="{top:g}" width="{scene.page.width}" height="{height:g}"/>'
    )


def _batches(step: Step) -> str:
    if not step.batches:
        return "no batch"
    return "batch " + "–".join(str(n) for n in sorted({step.batches[0], step.batches[-1]}))


def _axis(scene: Scene, layout: Layout) -> str:
    named = "processing time →" if scene.clocked else "event time →"
    said = named if scene.timed else "what came in (without an event time)"
    page = scene.page
    parts = [f'<text x="{page.left + 8}" y="12" class="soft">{said}</text>']
    folds = [(scene.x(a), scene.x(b)) for a, b in scene.axis.folds] if scene.timed else []
    middles = [round((a + b) / 2, 1) for a, b in folds]
    free = 0.0  # right of the last label
    for time, label in scene.axis.ticks(page.ticks):
        x, width = scene.x(time), DIGIT * len(label)
        left, anchor, at = x - width / 2, "middle", x
        near = [dots for dots in middles if abs(x - dots) < width / 2 + 9]
        if near:  # the label keeps clear of the fold's dots
            left, anchor = (x, "start") if x > near[0] else (x - width, "end")
        if left + width > page.width:  # a time at the end is worth more than the dots before it
            left, anchor, at = page.width - width, "end", page.width
            middles = [dots for dots in middles if not left - 8 < dots]
        parts.append(
            f'<line class="grid" x1="{x}" x2="{x}" y1="{HEAD - 6}" y2="{layout.edges[-1]:g}"/>'
        )
        if left > free and not any(left - 8 < dots < left + width + 8 for dots in middles):
            free = left + width + 4
            parts.append(
                f'<text x="{at}" y="{HEAD - 12}" text-anchor="{anchor}" class="soft">{label}</text>'
            )
    for x in middles:
        parts.append(f'<text x="{x}" y="{HEAD - 12}" text-anchor="middle" class="soft">⋯</text>')
    parts.append(
        f'<line class="axis" x1="{page.left}" x2="{page.end}" y1="{HEAD - 6}" y2="{HEAD - 6}"/>'
    )
    return "\n".join(parts)


def _texts(scene: Scene, layout: Layout, step: Step) -> str:
    """The text beside or below a step, and its events in words if no time places them."""
    page, top = scene.page, layout.top(step.number)
    x, first = (10, layout.floor(step.number)) if page.below else (page.end + 12, top)
    parts = [_ground(scene, first, layout.texts[step.number - 1] + 1)] if page.below else []
    parts += [
        f'<text x="{x}" y="{first + 12 + number * LINE:g}" class="{kind}" '
        f'xml:space="preserve">{escape(line)}<title>{escape(whole)}</title></text>'
        for number, (kind, line, whole) in enumerate(lines_beside(scene, step))
    ]
    parts += [
        f'<text x="{page.left + 8}" y="{top + page.first + 2 + number * LINE:g}" class="mono" '
        f'xml:space="preserve">{escape(text)}</text>'
        for number, text in enumerate(arrival_lines(scene, step))
    ]
    if step.number == scene.parts_at:
        _, _, (parts_x, parts_y) = page.step_names
        parts.append(f'<text x="{parts_x}" y="{top + parts_y:g}" class="wrong">parts here</text>')
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
