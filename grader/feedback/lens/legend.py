"""What the signs in the picture mean, of those that it shows, and what else there is to know."""

from __future__ import annotations

from html import escape
from textwrap import wrap

from grader.feedback.lens.drawn_events import cross, event_shape
from grader.feedback.lens.layout import LEFT, Layout
from grader.feedback.lens.scene import Scene

LINE, NOTE = 14, 165  # height, letters


def legend_height(scene: Scene) -> float:
    return 34 + LINE * len(_notes(scene))


def draw_legend(scene: Scene, layout: Layout) -> str:
    top = layout.edges[-1] + 22
    parts, x = [], float(LEFT)
    for shape, name in _signs(scene):
        parts.append(
            f'<g transform="translate({x:g},{top:g})">{shape}<text x="15" y="4">{escape(name)}</text></g>'
        )
        x += 32 + 6.0 * len(name)
    for number, note in enumerate(_notes(scene)):
        y = top + 8 + LINE * (number + 1)
        parts.append(f'<text x="{LEFT}" y="{y:g}" class="soft">{escape(note)}</text>')
    return "\n".join(parts)


def _notes(scene: Scene) -> list[str]:
    return [line for note in scene.notes for line in wrap(note, NOTE)[:2]]


def _signs(scene: Scene) -> list[tuple[str, str]]:
    marks, spans = scene.marks, scene.spans
    fates = {mark.fate for mark in marks}
    signs = []
    for number, name in enumerate(scene.inputs[:3] if marks else []):
        signs.append((event_shape(4, 0, other=number % 2 == 1), name))
    if "silent" in fates:
        signs.append((event_shape(4, 0, other=False, look=" silent"), "no row out of it"))
    if "behind" in fates:
        signs.append((event_shape(4, 0, other=False, look=" unsure"), "behind the watermark"))
    if "dropped" in fates:
        signs.append((cross(4, 0), "dropped as late"))
    if any(step.after is not None for step in scene.steps):
        signs.append(('<line class="watermark" x1="0" x2="10" y1="0" y2="0"/>', "watermark"))
    if any(mark.kept is not None for mark in marks):
        signs.append(('<path class="wait" d="M5 -6V6m-3.5 0h7"/>', "kept in state until here"))
    if any(span.kind != "times" for span in spans):
        bar = '<rect class="span" x="0" y="-5" width="11" height="10" rx="2"/>'
        signs.append((bar, "held in state" if scene.looked else "in the making"))
    if any(span.verdict == "missing" for span in spans):
        bar = '<rect class="span missing" x="0" y="-5" width="11" height="10" rx="2"/>'
        signs.append((bar, "missing"))
    if any(span.closed for span in spans):
        signs.append(('<line class="emit" x1="0" x2="11" y1="0" y2="0"/>', "row out"))
    return signs
