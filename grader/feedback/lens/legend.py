"""What the signs in the picture mean, and what else there is to know."""

from __future__ import annotations

from html import escape
from textwrap import wrap

from grader.feedback.lens.event_shapes import cross, event_shape
from grader.feedback.lens.layout import Layout
from grader.feedback.lens.scene import Scene
from grader.feedback.lens.span_shapes import grown
from grader.feedback.lens.watermark_shapes import style_of

LINE, LETTER = 14, 6.0  # height, width of a letter


def legend_height(scene: Scene, *, both: bool = False) -> float:
    return 34 + LINE * (len(_notes(scene)) + len(_rows(scene, both)) - 1)


def draw_legend(scene: Scene, layout: Layout, *, both: bool = False) -> str:
    top = layout.edges[-1] + 22
    rows = _rows(scene, both)
    parts = [
        f'<g transform="translate({x:g},{top + LINE * row:g})">{shape}'
        f'<text x="15" y="4">{escape(name)}</text></g>'
        for row, signs in enumerate(rows)
        for x, shape, name in signs
    ]
    for number, note in enumerate(_notes(scene), start=len(rows)):
        y = top + 8 + LINE * number
        parts.append(f'<text x="{scene.page.left}" y="{y:g}" class="soft">{escape(note)}</text>')
    return "\n".join(parts)


def _rows(scene: Scene, both: bool) -> list[list[tuple[float, str, str]]]:
    """The signs with their places from the left, in as many rows as they need."""
    rows: list[list[tuple[float, str, str]]] = [[]]
    x = float(scene.page.left)
    for shape, name in _signs(scene, both):
        wide = 32 + LETTER * len(name)
        if rows[-1] and x + wide > scene.page.width:
            rows.append([])
            x = float(scene.page.left)
        rows[-1].append((x, shape, name))
        x += wide
    return rows


def _notes(scene: Scene) -> list[str]:
    page = scene.page
    return [line for note in scene.notes for line in wrap(note, page.note)[: page.note_lines]]


def _signs(scene: Scene, both: bool) -> list[tuple[str, str]]:
    marks, spans = scene.marks, scene.spans
    fates = {mark.fate for mark in marks}
    signs = []
    for number, name in enumerate(scene.inputs[:3] if marks else []):
        signs.append((event_shape(4, 0, other=number % 2 == 1), name))
    if "silent" in fates:
        signs.append((event_shape(4, 0, other=False, look=" silent"), "no row out of it"))
    if "behind" in fates:
        signs.append((event_shape(4, 0, other=False, look=" unsure"), "perhaps dropped as late"))
    if "dropped" in fates:
        signs.append((cross(4, 0), "dropped as late"))
    if both and scene.lines:
        signs += [(_line(style_of(line)), line.name) for line in scene.lines]
    elif any(step.after is not None for step in scene.steps):
        name = "clock" if scene.clocked else "watermark"
        signs.append((_line("watermark"), name))
    if any(mark.kept is not None for mark in marks):
        signs.append(('<path class="wait" d="M5 -6V6m-3.5 0h7"/>', "kept in state until here"))
    if any(span.kind == "own" for span in spans):
        bar = '<rect class="span own" x="0" y="-5" width="11" height="10" rx="2"/>'
        signs.append((bar, "kept by the function"))
    if any(span.marks and span.kind == "own" for span in spans):
        signs.append(('<path class="timer" d="M4 -6v12m0 -12l5 3l-5 3"/>', "timeout or timer due"))
    if any(span.kind == "fading" for span in spans):
        bar = '<rect class="span fading" x="0" y="-5" width="11" height="10" rx="2"/>'
        signs.append((bar, "kept until its TTL"))
    if any(span.kind != "times" and not span.lane for span in spans):
        bar = '<rect class="span" x="0" y="-5" width="11" height="10" rx="2"/>'
        signs.append((bar, "held in state" if scene.looked else "in the making"))
    if grown(spans):
        column = '<rect class="link" x="2" y="-6" width="8" height="12"/>'
        signs.append((column, "grown or merged"))
    if any(span.verdict == "missing" for span in spans):
        bar = '<rect class="span missing" x="0" y="-5" width="11" height="10" rx="2"/>'
        signs.append((bar, "missing"))
    if any(span.verdict == "unexpected" for span in spans):
        bar = '<rect class="span unexpected" x="0" y="-5" width="11" height="10" rx="2"/>'
        signs.append((bar, "unexpected"))
    if any(span.closed for span in spans):
        signs.append(('<line class="emit" x1="0" x2="11" y1="0" y2="0"/>', "row out"))
    return signs


def _line(style: str) -> str:
    return f'<line class="{style}" x1="0" x2="10" y1="0" y2="0"/>'
