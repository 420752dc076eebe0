"""Events as drawn: a form for each input, a cross for what was dropped, a thread while one is kept."""

from __future__ import annotations

from html import escape

from grader.feedback.lens.event_marks import Mark
from grader.feedback.lens.layout import Layout, Place
from grader.feedback.lens.scene import Scene

_LOOKS = {"silent": " silent", "behind": " unsure"}


def draw_events(scene: Scene, layout: Layout, last: int) -> str:
    """The events up to a step, each with its label, and the threads of those that state keeps."""
    shown = [
        (mark, place)
        for mark, place in zip(scene.marks, layout.places, strict=True)
        if mark.step <= last
    ]
    parts = [_thread(scene, layout, mark, place, last) for mark, place in shown]
    parts += [_mark(scene, mark, place) for mark, place in shown]
    parts += [_label(mark, place) for mark, place in shown]
    return "\n".join(part for part in parts if part)


def event_shape(x: float, y: float, *, other: bool, look: str = "", title: str = "") -> str:
    """A circle, or a square for every other input."""
    if other:
        return (
            f'<rect class="event other{look}" x="{x - 4:g}" y="{y - 4:g}" width="8" height="8">'
            f"{title}</rect>"
        )
    return f'<circle class="event{look}" cx="{x:g}" cy="{y:g}" r="4.2">{title}</circle>'


def cross(x: float, y: float, title: str = "") -> str:
    d = f"M{x - 4.5:g} {y - 4.5:g}l9 9m-9 0l9 -9"
    return f'<path class="late" d="{d}">{title}</path>'


def is_other(scene: Scene, input: str) -> bool:
    return scene.inputs.index(input) % 2 == 1


def _mark(scene: Scene, mark: Mark, place: Place) -> str:
    title = f"<title>{escape(mark.description)}</title>"
    if mark.fate == "dropped":
        return cross(place.x, place.y, title)
    look = _LOOKS.get(mark.fate, "")
    return event_shape(place.x, place.y, other=is_other(scene, mark.input), look=look, title=title)


def _label(mark: Mark, place: Place) -> str:
    if place.side is None:
        return ""
    x = round(place.x + (7 if place.side == "start" else -7), 1)
    return (
        f'<text class="label" x="{x}" y="{place.y + 3:g}" text-anchor="{place.side}">'
        f"{escape(mark.label)}</text>"
    )


def _thread(scene: Scene, layout: Layout, mark: Mark, place: Place, last: int) -> str:
    """From an event down to the step in which the state store evicted it."""
    if mark.kept is None:
        return ""
    gone = mark.kept + 1 <= last
    bottom = layout.closing(mark.kept + 1) + 5 if gone else layout.edges[last]
    end = "m-3.5 0h7" if gone else ""
    kind = "wait other" if is_other(scene, mark.input) else "wait"
    return f'<path class="{kind}" d="M{place.x:g} {place.y + 4:g}V{bottom:g}{end}"/>'
