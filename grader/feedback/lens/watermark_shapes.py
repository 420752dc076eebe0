"""Watermarks as drawn: staircases, and the ground to the left of them, where what comes is late."""

from __future__ import annotations

from collections.abc import Sequence

from grader.feedback.lens.layout import Layout
from grader.feedback.lens.operator_watermarks import Line, Stand
from grader.feedback.lens.scene import Scene


def draw_past(scene: Scene, layout: Layout, last: int, *, both: bool) -> str:
    """The ground left of the watermark: what comes there is late."""
    shown = scene.lines[0].steps if both and scene.lines else _reported(scene)
    return "\n".join(
        f'<rect class="past" x="{scene.page.left}" y="{top:g}" '
        f'width="{max(0.0, scene.x(time) - scene.page.left):.1f}" height="{bottom - top:g}"/>'
        for time, top, bottom in _pieces(shown[:last], layout)
    )


def draw_watermarks(scene: Scene, layout: Layout, last: int, *, both: bool) -> str:
    """The watermark that Spark reports; with `both` the one that drops and the one that evicts."""
    if both and scene.lines:
        return "\n".join(
            _staircase(scene, layout, line.steps[:last], style_of(line), _said(line))
            for line in scene.lines
        )
    said = "the clock" if scene.clocked else "the watermark; it moves when a step ends"
    return _staircase(scene, layout, _reported(scene)[:last], "watermark", said)


def style_of(line: Line) -> str:
    """The classes of a line: those of operators further downstream are fainter."""
    names = ["watermark", *["evicts"] * line.evicts, *["further"] * (line.operator > 1)]
    return " ".join(names)


def _said(line: Line) -> str:
    what = (
        "what lies at or before it is evicted"
        if line.evicts
        else "what lies at or before it is dropped; it is the one of the batch before"
    )
    return f"{line.name}: {what}"


def _reported(scene: Scene) -> Sequence[tuple[Stand, Stand]]:
    return [(step.before, step.after) for step in scene.steps]


def _pieces(
    steps: Sequence[tuple[Stand, Stand]], layout: Layout
) -> list[tuple[float, float, float]]:
    """Each watermark with the heights between which it holds: the step, and its closing strip."""
    found = []
    for number, (first, closing) in enumerate(steps, start=1):
        middle = layout.closing(number)
        found.append((first, layout.top(number), middle))
        found.append((closing, middle, layout.edges[number]))
    return [(time, top, bottom) for time, top, bottom in found if time is not None]


def _staircase(
    scene: Scene, layout: Layout, steps: Sequence[tuple[Stand, Stand]], style: str, said: str
) -> str:
    points: list[tuple[float, float]] = []
    for time, top, bottom in _pieces(steps, layout):
        x = scene.x(time)
        points += [(x, top), (x, bottom)]
    if not points:
        return ""
    line = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polyline class="{style}" points="{line}"><title>{said}</title></polyline>'
