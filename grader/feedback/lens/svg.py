"""The lens as an SVG: event time from left to right, steps from top to bottom."""

from __future__ import annotations

from html import escape

from grader.feedback.lens.beside import LINE, SHOWN, lines_beside, lines_came
from grader.feedback.lens.drawn_events import draw_events
from grader.feedback.lens.drawn_spans import draw_spans
from grader.feedback.lens.layout import HEAD, LEFT, RIGHT, WIDTH, Layout, lay_out, x_of
from grader.feedback.lens.legend import draw_legend, legend_height
from grader.feedback.lens.scene import Out, Scene, Step
from grader.feedback.lens.style import style
from grader.judging.rows import rows_text

DIGIT = 6.6  # width of a letter of a time


def draw(scene: Scene, upto: int | None = None, *, alone: bool = False) -> str:
    """An SVG of the run up to and with step `upto` (all steps if None).

    `alone` makes a picture for a file: it brings its background and follows the reader's theme.
    """
    last = len(scene.steps) if upto is None else max(0, min(upto, len(scene.steps)))
    layout = lay_out(scene)
    height = round(layout.edges[-1] + legend_height(scene))
    # a picture in a file says how large it is; on a page it takes the width that there is
    size = f'width="{WIDTH}" height="{height}"' if alone else 'width="100%"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ss-lens{" auto" if alone else ""}" role="img" '
        f'viewBox="0 0 {WIDTH} {height}" {size} style="max-width:{WIDTH}px" aria-label="{_summary(scene, last)}">',
        f"<style>{style()}</style>",
        _frame(scene, layout, last),
        _axis(scene, layout),
        _past(scene, layout, last),
        draw_spans(scene, layout, last),
        _watermark(scene, layout, last),
        draw_events(scene, layout, last),
        *[_texts(scene, layout, step) for step in scene.steps[:last]],
        draw_legend(scene, layout),
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
        if step.number <= last:
            parts.append(f'<text x="6" y="{top + 32:g}" class="soft">{_batches(step)}</text>')
    return "\n".join(parts)


def _batches(step: Step) -> str:
    if not step.batches:
        return "no batch"
    return "batch " + "–".join(str(n) for n in sorted({step.batches[0], step.batches[-1]}))


def _axis(scene: Scene, layout: Layout) -> str:
    said = "event time →" if scene.timed else "what came in (without an event time)"
    parts = [f'<text x="{LEFT + 8}" y="12" class="soft">{said}</text>']
    folds = [(x_of(scene, a), x_of(scene, b)) for a, b in scene.axis.folds] if scene.timed else []
    free = 0.0  # right of the last label
    for time, label in scene.axis.ticks():
        x, width = x_of(scene, time), DIGIT * len(label)
        left, anchor = x - width / 2, "middle"
        near = [(a + b) / 2 for a, b in folds if abs(x - (a + b) / 2) < width / 2 + 9]
        if near:  # the label stands clear of the fold's dots
            left, anchor = (x, "start") if x > near[0] else (x - width, "end")
        parts.append(
            f'<line class="grid" x1="{x}" x2="{x}" y1="{HEAD - 6}" y2="{layout.edges[-1]:g}"/>'
        )
        if left > free:
            free = left + width + 4
            parts.append(
                f'<text x="{x}" y="{HEAD - 12}" text-anchor="{anchor}" class="soft">{label}</text>'
            )
    for a, b in folds:
        x = round((a + b) / 2, 1)
        parts.append(f'<text x="{x}" y="{HEAD - 12}" text-anchor="middle" class="soft">⋯</text>')
    parts.append(
        f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{HEAD - 6}" y2="{HEAD - 6}"/>'
    )
    return "\n".join(parts)


def _past(scene: Scene, layout: Layout, last: int) -> str:
    """The ground left of the watermark: what comes there is late."""
    rects = []
    for step in scene.steps[:last]:
        closing = layout.closing(step.number)
        for time, top, bottom in (
            (step.before, layout.top(step.number), closing),
            (step.after, closing, layout.edges[step.number]),
        ):
            if time is not None:
                width = max(0.0, x_of(scene, time) - LEFT)
                rects.append(
                    f'<rect class="past" x="{LEFT}" y="{top:g}" width="{width:.1f}" height="{bottom - top:g}"/>'
                )
    return "\n".join(rects)


def _watermark(scene: Scene, layout: Layout, last: int) -> str:
    points: list[tuple[float, float]] = []
    for step in scene.steps[:last]:
        closing = layout.closing(step.number)
        if step.before is not None:
            x = x_of(scene, step.before)
            points += [(x, layout.top(step.number)), (x, closing)]
        if step.after is not None:
            x = x_of(scene, step.after)
            points += [(x, closing), (x, layout.edges[step.number])]
    if not points:
        return ""
    line = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polyline class="watermark" points="{line}"><title>the watermark; it moves when a step ends</title></polyline>'


def _texts(scene: Scene, layout: Layout, step: Step) -> str:
    """What stands beside a step, and its events in words where no time places them."""
    top = layout.top(step.number)
    parts = [
        f'<text x="{WIDTH - RIGHT + 12}" y="{top + 12 + number * LINE:g}" class="{kind}" '
        f'xml:space="preserve">{escape(line)}<title>{escape(whole)}</title></text>'
        for number, (kind, line, whole) in enumerate(lines_beside(scene, step))
    ]
    parts += [
        f'<text x="{LEFT + 8}" y="{top + 14 + number * LINE:g}" class="mono" xml:space="preserve">{escape(text)}</text>'
        for number, text in enumerate(lines_came(scene, step))
    ]
    if step.number == scene.parts_at:
        parts.append(f'<text x="6" y="{top + 46:g}" class="wrong">parts here</text>')
    return "\n".join(parts)


def _summary(scene: Scene, last: int) -> str:
    """The picture in words, for those who do not see it."""
    said = []
    for step in scene.steps[:last]:
        late = sum(mark.fate == "dropped" for mark in scene.marks if mark.step == step.number)
        out = "; ".join(_out_text(out) for out in step.out[:SHOWN]) or "no row out"
        said.append(
            f"Step {step.number}: {step.rows_in} event{'s' if step.rows_in != 1 else ''} in"
            + (f", {late} of them dropped as late" if late else "")
            + f"; {out}"
            + (f"; {rows_text(step.state)} in state" if scene.stateful else "")
        )
    return escape(". ".join(said) or "Nothing has run yet", quote=True)


def _out_text(out: Out) -> str:
    return out.text if out.verdict == "right" else f"{out.verdict}: {out.text}"
