"""Spans as drawn: bars through the steps in which they are held, a thick line where rows are emitted."""

from __future__ import annotations

from html import escape

from grader.feedback.lens.lanes import groups_of, name_box, name_of
from grader.feedback.lens.layout import Layout
from grader.feedback.lens.page_geometry import CLOSING, LANE
from grader.feedback.lens.row_intervals import length_text, time_text
from grader.feedback.lens.scene import Scene
from grader.feedback.lens.spans import Span

BAR = LANE - 3  # height
POINT = 4  # half the width of a row's only time


def draw_spans(scene: Scene, layout: Layout, last: int) -> str:
    """All spans up to a step."""
    spans = [span for span in scene.spans if span.opened <= last]
    if layout.tall:
        return "\n".join(_tall(scene, layout, span, last) for span in spans)
    parts = [_level_names(scene, layout, last)]
    parts += [_link(scene, layout, a, b) for a, b in grown(spans)]
    parts += [
        _in_lane(scene, layout, span, group, step)
        for group in groups_of(spans)
        for span in group
        for step in range(span.opened, min(span.last, last) + 1)
    ]
    return "\n".join(part for part in parts if part)


def _tall(scene: Scene, layout: Layout, span: Span, last: int) -> str:
    """One bar from the step that opens a span to the one that closes it."""
    closed = [step for step in span.closed if step <= last]
    if span.verdict == "missing" and not closed:
        return ""
    x1, width = _extent(scene, span)
    inset = {"right": 0, "unexpected": 2, "missing": 4}[span.verdict]
    top = layout.top(span.opened) + 3 + inset
    end = min(span.last, last)
    bottom = layout.closing(end) + CLOSING / 2 if end in closed else layout.edges[end]
    parts = []
    if span.kind != "times":
        inner = max(2.0, width - 2 * inset)
        parts.append(_bar(span, x1 + inset, top, inner, max(4.0, bottom - top)))
    parts += [_emit(span, x1, width, layout.closing(s) + CLOSING / 2) for s in closed]
    return "".join(parts)


def _in_lane(scene: Scene, layout: Layout, span: Span, group: list[Span], step: int) -> str:
    """A span's bar in one step."""
    emitted = step in span.closed
    if not emitted and (step > span.held or span.verdict == "missing"):
        return ""
    x1, width = _extent(scene, span)
    top = layout.lane_top(span, step)
    parts = [_bar(span, x1, top, width, BAR)] if span.kind != "times" else []
    parts += [_timer(scene, time, top) for time in span.marks if span.kind != "fading"]
    if emitted:
        parts.append(_emit(span, x1, width, top + BAR))
    parts.append(_name(scene, layout, span, group, step))
    return "".join(parts)


def _extent(scene: Scene, span: Span) -> tuple[float, float]:
    """Left edge and width; a single time is a short line around it."""
    x1, x2 = scene.x(span.start), scene.x(span.end)
    if span.lane:
        return round(x1, 1), round(max(4.0, x2 - x1), 1)
    if span.kind == "times" and x2 - x1 < 2 * POINT:
        x1, x2 = (x1 + x2) / 2 - POINT, (x1 + x2) / 2 + POINT
    return round(x1, 1), round(max(2.0, x2 - x1), 1)


def _bar(span: Span, x: float, y: float, width: float, height: float) -> str:
    return (
        f'<rect class="span {span.kind if span.lane else span.verdict}" x="{x}" y="{y:.1f}" width="{width}" '
        f'height="{height:.1f}" rx="3"><title>{escape(_said(span))}</title></rect>'
    )


def _timer(scene: Scene, time: float, top: float) -> str:
    """A flag where a timeout or a timer is due."""
    x = scene.x(time)
    return (
        f'<path class="timer" d="M{x:g} {top - 1:.1f}v{BAR + 2}m0 {-BAR - 2}l5 3l-5 3">'
        f"<title>due at {time_text(time)}</title></path>"
    )


def _emit(span: Span, x: float, width: float, y: float) -> str:
    """The line of an emitted row; a missing row has a line only if it has no bar."""
    if span.verdict == "missing" and span.kind != "times":
        return ""
    kind = "emit missing" if span.verdict == "missing" else "emit"
    return (
        f'<line class="{kind}" x1="{x - 1}" x2="{round(x + width + 1, 1)}" y1="{y:.1f}" y2="{y:.1f}">'
        f"<title>{escape(_said(span))}</title></line>"
    )


def _said(span: Span) -> str:
    stretch = f"{', '.join(span.key)} {time_text(span.start)}–{time_text(span.end)}".strip()
    if span.lane:
        until = f", until {time_text(span.end)}" if span.marks else ""
        return f"kept after step {span.opened}: {', '.join(span.key)}{until}"
    if not span.closed:
        return f"{stretch}: held after step {span.opened}" + (
            f" to {span.held}" if span.held > span.opened else ""
        )
    steps = ", ".join(map(str, span.closed))
    verb = "missing" if span.verdict == "missing" else "emitted"
    return f"{stretch}: {verb} in step {steps}: " + "; ".join(span.rows[:6])


def _name(scene: Scene, layout: Layout, span: Span, group: list[Span], step: int) -> str:
    """Whose session it is, or which window, if it does not overlap with another of its group."""
    place = name_box(scene, span)
    others = [o for o in group if o is not span and o.opened <= step <= o.last]
    bars = [(scene.x(other.start), scene.x(other.end)) for other in others]
    names = [name_box(scene, other) for other in others if other.start > span.start]
    if place is None or any(
        box is not None and box[0] < place[1] and place[0] < box[1] for box in [*bars, *names]
    ):
        return ""
    y = layout.lane_top(span, step) + 8.5
    return f'<text class="label" x="{place[0]:.1f}" y="{y}">{escape(name_of(span))}</text>'


def grown(spans: list[Span]) -> list[tuple[Span, Span]]:
    """Sessions that became part of another one, which was seen first in the next step."""
    gone: dict[tuple[object, ...], list[Span]] = {}
    for a in spans:
        if a.kind == "session" and not a.closed:
            gone.setdefault((a.key, a.held + 1), []).append(a)
    return [
        (a, b)
        for b in spans
        if b.kind == "session"
        for a in gone.get((b.key, b.opened), [])
        if a.start < b.end and b.start < a.end
    ]


def _link(scene: Scene, layout: Layout, a: Span, b: Span) -> str:
    """From the bar of a session down to the one that it has become part of."""
    x, width = _extent(scene, a)
    top, bottom = layout.lane_top(a, a.held) + BAR, layout.lane_top(b, b.opened)
    return (
        f'<rect class="link" x="{x}" y="{top:g}" width="{width}" height="{bottom - top:g}">'
        f"<title>{escape(_said(a))}, then part of {escape(name_of(b))}</title></rect>"
    )


def _level_names(scene: Scene, layout: Layout, last: int) -> str:
    """The length of each operator's windows, left of their lanes."""
    if len(layout.lanes) < 2:
        return ""
    first = {span.level: span for span in reversed(scene.spans) if layout.lane[id(span)] == 0}
    return "\n".join(
        f'<text class="label" x="6" y="{layout.lane_top(span, step.number) + 8.5}">'
        f"{level + 1}. {length_text(span.end - span.start)}</text>"
        for step in scene.steps[:last]
        for level, span in sorted(first.items())
    )
