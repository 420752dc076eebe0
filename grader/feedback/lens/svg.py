"""The lens as an SVG: event time from left to right, steps from top to bottom."""

from __future__ import annotations

from html import escape

from grader.feedback.lens.scene import Mark, Out, Scene, Span, Step

WIDTH = 1060
LEFT, RIGHT = 74, 410  # the steps' names; the rows out
HEAD, FOOT = 46, 44
STEP = 66
LINE = 13
SHOWN = 4
# Okabe and Ito's colours, which people who do not see red and green apart can tell; forms differ, too
_STYLE = """
.ss-lens{font-family:system-ui,sans-serif;font-size:11px;fill:#222;background:transparent}
.ss-lens .axis{stroke:#888;stroke-width:1}.ss-lens .grid{stroke:#8884;stroke-width:1}
.ss-lens .band{fill:#8881}.ss-lens .now{fill:#56b4e922}
.ss-lens .past{fill:#88888830}.ss-lens .watermark{stroke:#0072b2;stroke-width:2.5;fill:none}
.ss-lens .event{fill:#009e73;stroke:#fff;stroke-width:.7}.ss-lens .event.other{fill:#cc79a7}
.ss-lens .late{stroke:#d55e00;stroke-width:2.4;fill:none}
.ss-lens .span{fill:#e69f0026;stroke:#b87f00;stroke-width:1.2}
.ss-lens .span.missing{fill:none;stroke-dasharray:4 3;stroke:#d55e00}
.ss-lens .span.unexpected{fill:#d55e0022;stroke:#d55e00;stroke-width:2}
.ss-lens .emit{stroke:#b87f00;stroke-width:4}.ss-lens .wrong{font-weight:bold}
.ss-lens .soft{fill:#666}.ss-lens .mono{font-family:ui-monospace,Menlo,monospace;font-size:10.5px}
@media (prefers-color-scheme:dark){.ss-lens.auto{fill:#ddd}.ss-lens.auto .soft{fill:#aaa}}
[data-jp-theme-light="false"] .ss-lens{fill:#ddd}[data-jp-theme-light="false"] .ss-lens .soft{fill:#aaa}
"""


def draw(scene: Scene, upto: int | None = None, *, alone: bool = False) -> str:
    """An SVG of the run up to and with step `upto` (all steps if None).

    `alone` makes a picture for a file: it brings its background and follows the reader's theme.
    """
    last = len(scene.steps) if upto is None else max(0, min(upto, len(scene.steps)))
    height = HEAD + STEP * len(scene.steps) + FOOT
    # a picture in a file says how large it is; on a page it takes the width that there is
    size = f'width="{WIDTH}" height="{height}"' if alone else 'width="100%"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ss-lens{" auto" if alone else ""}" role="img" '
        f'viewBox="0 0 {WIDTH} {height}" {size} style="max-width:{WIDTH}px" aria-label="{_summary(scene, last)}">',
        f"<style>{_STYLE}</style>",
        _frame(scene, last),
        _past(scene, last),
        *[_span(scene, span, last) for span in scene.spans if span.opened <= last],
        _watermark(scene, last),
        *[_mark(scene, mark) for mark in scene.marks if mark.step <= last],
        *[_beside(scene, step) for step in scene.steps[:last]],
        *[_came(step) for step in scene.steps[:last] if not scene.timed],
        _legend(scene, height),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part)


def _x(scene: Scene, time: float) -> float:
    return round(LEFT + 8 + scene.axis.place(time) * (WIDTH - LEFT - RIGHT - 16), 1)


def _y(step: int) -> float:
    """The upper edge of a step's band."""
    return HEAD + STEP * (step - 1)


def _frame(scene: Scene, last: int) -> str:
    bottom = _y(len(scene.steps) + 1)
    said = "event time →" if scene.timed else "what came in (without an event time)"
    parts = [f'<text x="{LEFT + 8}" y="12" class="soft">{said}</text>']
    parts.append(
        f'<text x="{WIDTH - RIGHT + 12}" y="12" class="soft">rows out, state after the step</text>'
    )
    for step in scene.steps:
        kind = "now" if step.number == last and last < len(scene.steps) else "band"
        if kind == "now" or step.number % 2:
            parts.append(
                f'<rect class="{kind}" x="0" y="{_y(step.number)}" width="{WIDTH}" height="{STEP}"/>'
            )
        batches = (
            "no batch"
            if not step.batches
            else "batch " + "–".join(str(n) for n in sorted({step.batches[0], step.batches[-1]}))
        )
        parts.append(
            f'<text x="6" y="{_y(step.number) + 18}" font-weight="bold">step {step.number}</text>'
        )
        parts.append(
            f'<text x="6" y="{_y(step.number) + 32}" class="soft">{batches if step.number <= last else ""}</text>'
        )
    folded = (
        [] if not scene.timed else [(_x(scene, a) + _x(scene, b)) / 2 for a, b in scene.axis.folds]
    )
    for time, label in scene.axis.ticks():
        x = _x(scene, time)
        if any(abs(x - other) < 34 for other in folded):
            label = ""
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{HEAD - 6}" y2="{bottom}"/>')
        parts.append(
            f'<text x="{x}" y="{HEAD - 12}" text-anchor="middle" class="soft">{label}</text>'
        )
    for x in folded:
        parts.append(f'<text x="{x}" y="{HEAD - 12}" text-anchor="middle" class="soft">⋯</text>')
    parts.append(
        f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{HEAD - 6}" y2="{HEAD - 6}"/>'
    )
    return "\n".join(parts)


def _past(scene: Scene, last: int) -> str:
    """The ground left of the watermark: what comes there is late."""
    rects = []
    for step in scene.steps[:last]:
        if step.before is not None:
            width = max(0.0, _x(scene, step.before) - LEFT)
            rects.append(
                f'<rect class="past" x="{LEFT}" y="{_y(step.number)}" width="{width:.1f}" height="{STEP}"/>'
            )
    return "\n".join(rects)


def _watermark(scene: Scene, last: int) -> str:
    points: list[tuple[float, float]] = []
    for step in scene.steps[:last]:
        if step.before is not None:
            points += [
                (_x(scene, step.before), _y(step.number)),
                (_x(scene, step.before), _y(step.number + 1) - 6),
            ]
        if step.after is not None:
            points.append((_x(scene, step.after), _y(step.number + 1) - 6))
    if not points:
        return ""
    line = " ".join(f"{x},{y}" for x, y in points)
    return f'<polyline class="watermark" points="{line}"><title>the watermark; it moves when a step ends</title></polyline>'


def _span(scene: Scene, span: Span, last: int) -> str:
    x1, x2 = _x(scene, span.start), _x(scene, span.end)
    closed = span.closed if span.closed is not None and span.closed <= last else None
    inset = 4 + 4 * (scene.spans.index(span) % 3)
    top = _y(span.opened) + inset
    bottom = _y(closed + 1) - 8 if closed else _y(last + 1)
    if span.verdict == "missing" and closed is None:
        return ""
    said = (
        f"{'missing' if span.verdict == 'missing' else 'emitted'} in step {span.closed}: "
        + "; ".join(span.rows[:6])
    )
    parts = [
        f'<rect class="span {span.verdict}" x="{x1}" y="{top}" width="{max(2.0, x2 - x1):.1f}" '
        f'height="{max(4.0, bottom - top):.1f}" rx="3"><title>{escape(said)}</title></rect>'
    ]
    if closed and span.verdict != "missing":
        parts.append(
            f'<line class="emit" x1="{x1}" x2="{max(x1 + 2, x2)}" y1="{bottom}" y2="{bottom}"/>'
        )
    return "".join(parts)


def _mark(scene: Scene, mark: Mark) -> str:
    of_step = [m for m in scene.marks if m.step == mark.step]
    row = of_step.index(mark) if len(of_step) <= 40 else hash(mark.time) % 40
    x = _x(scene, mark.time)
    y = round(_y(mark.step) + 14 + (row * 7) % (STEP - 30), 1)
    title = f"<title>{escape(mark.told)}</title>"
    if mark.fate == "dropped":
        d = f"M{x - 4.5} {y - 4.5}L{x + 4.5} {y + 4.5}M{x - 4.5} {y + 4.5}L{x + 4.5} {y - 4.5}"
        return f'<path class="late" d="{d}">{title}</path>'
    if scene.inputs.index(mark.input) % 2:
        return (
            f'<rect class="event other" x="{x - 4}" y="{y - 4}" width="8" height="8">{title}</rect>'
        )
    return f'<circle class="event" cx="{x}" cy="{y}" r="4.5">{title}</circle>'


def _came(step: Step) -> str:
    """A step's events in words, where there is no time to place them by."""
    shown = step.came if len(step.came) <= SHOWN else step.came[: SHOWN - 1]
    lines = [*shown, *([f"… and {len(step.came) - len(shown)} more"] if shown != step.came else [])]
    return "\n".join(
        f'<text x="{LEFT + 8}" y="{_y(step.number) + 14 + number * LINE}" class="mono">{escape(text[:90])}</text>'
        for number, text in enumerate(lines)
    )


def _beside(scene: Scene, step: Step) -> str:
    x, y = WIDTH - RIGHT + 12, _y(step.number) + 14
    lines: list[tuple[str, str]] = []
    for out in step.out[:SHOWN]:
        sign = {"right": "→", "missing": "− missing:", "unexpected": "+ unexpected:"}[out.verdict]
        lines.append(("mono" if out.verdict == "right" else "mono wrong", f"{sign} {out.text}"))
    if len(step.out) > SHOWN:
        lines[-1] = ("mono soft", f"… {len(step.out) - SHOWN + 1} more rows")
    if not step.out:
        lines.append(("soft", "no row out"))
    if scene.stateful:
        dropped = f", {step.dropped} dropped as late" if step.dropped else ""
        lines.append(("soft", f"state: {step.state} row{'s' if step.state != 1 else ''}{dropped}"))
    parts = []
    for number, (kind, text) in enumerate(lines[: SHOWN + 1]):
        full = escape(text)
        cut = escape(text if len(text) <= 62 else text[:61] + "…")
        parts.append(
            f'<text x="{x}" y="{y + number * LINE}" class="{kind}">{cut}<title>{full}</title></text>'
        )
    if step.number == scene.parts_at:
        parts.append(f'<text x="6" y="{_y(step.number) + 46}" class="wrong">parts here</text>')
    return "\n".join(parts)


def _legend(scene: Scene, height: float) -> str:
    y = height - 14
    items: list[tuple[str, str]] = []
    for number, name in enumerate(scene.inputs[:3] if scene.marks else []):
        shape = (
            f'<rect class="event other" x="0" y="{y - 8}" width="8" height="8"/>'
            if number % 2
            else f'<circle class="event" cx="4" cy="{y - 4}" r="4.5"/>'
        )
        items.append((shape, name))
    if any(mark.fate == "dropped" for mark in scene.marks):
        items.append(
            (f'<path class="late" d="M0 {y - 8}L8 {y}M0 {y}L8 {y - 8}"/>', "dropped as late")
        )
    if any(step.after is not None for step in scene.steps):
        items.append(
            (f'<line class="watermark" x1="0" x2="9" y1="{y - 4}" y2="{y - 4}"/>', "watermark")
        )
    if scene.spans:
        items.append(
            (f'<rect class="span" x="0" y="{y - 9}" width="10" height="9"/>', "held in state")
        )
        items.append((f'<line class="emit" x1="0" x2="10" y1="{y - 4}" y2="{y - 4}"/>', "emitted"))
    parts, x = [], float(LEFT)
    for shape, name in items:
        parts.append(
            f'<g transform="translate({x},0)">{shape}<text x="14" y="{y}">{escape(name)}</text></g>'
        )
        x += 30 + 6.2 * len(name)
    note = scene.thinned or (f"It ended early: {scene.failure}" if scene.failure else "")
    if note:
        parts.append(f'<text x="{LEFT}" y="{y - 16}" class="soft">{escape(note[:150])}</text>')
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
            + (
                f"; {step.state} row{'s' if step.state != 1 else ''} in state"
                if scene.stateful
                else ""
            )
        )
    return escape(". ".join(said) or "Nothing has run yet", quote=True)


def _out_text(out: Out) -> str:
    return out.text if out.verdict == "right" else f"{out.verdict}: {out.text}"
