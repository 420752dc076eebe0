"""Lanes in which spans do not overlap, and the places of their names."""

from __future__ import annotations

from grader.feedback.lens.page_geometry import Box
from grader.feedback.lens.row_intervals import time_text
from grader.feedback.lens.scene import Scene
from grader.feedback.lens.spans import Span


def groups_of(spans: list[Span]) -> list[list[Span]]:
    """Spans that share a lane."""
    groups: dict[tuple[object, ...], list[Span]] = {}
    for span in spans:
        groups.setdefault((span.level, *span.group), []).append(span)
    return list(groups.values())


def lanes_of(scene: Scene) -> dict[int, int]:
    """Each group of spans into the first lane of its level where it overlaps with no other group."""
    boxes = {id(span): _box(scene, span) for span in scene.spans}
    lanes: dict[int, list[list[Span]]] = {}
    found: dict[int, int] = {}
    for group in groups_of(scene.spans):
        taken = lanes.setdefault(group[0].level, [])
        free = (n for n, others in enumerate(taken) if not _overlap(boxes, group, others))
        lane = next(free, len(taken))
        if lane == len(taken):
            taken.append([])
        taken[lane] += group
        found |= {id(span): lane for span in group}
    return found


def _overlap(boxes: dict[int, Box], some: list[Span], others: list[Span]) -> bool:
    """Whether two overlap in a step."""
    for a in some:
        left, right = boxes[id(a)]
        for b in others:
            if a.opened <= b.last and b.opened <= a.last:
                other_left, other_right = boxes[id(b)]
                if other_left < right and left < other_right:
                    return True
    return False


def _box(scene: Scene, span: Span) -> Box:
    """A span and, if it is a session, the name beside it."""
    name = name_box(scene, span) if span.kind == "session" or span.lane else None
    left, right = scene.x(span.start), scene.x(span.end)
    return (left, right) if name is None else (min(left, name[0]), max(right, name[1]))


def name_of(span: Span) -> str:
    """Whose session it is, or which window: `12:05–12:10`, with seconds if there are any."""
    times = [time_text(span.start), time_text(span.end)]
    short = all(time.endswith(":00") for time in times)
    return ", ".join(span.key) or "–".join(time[:5] if short else time for time in times)


def name_box(scene: Scene, span: Span) -> Box | None:
    """Where the name of a span is: in its bar; a session's name may be beside the bar."""
    left, right, room = (
        scene.x(span.start),
        scene.x(span.end),
        scene.page.letter * len(name_of(span)),
    )
    if span.kind == "times":
        return None
    if span.lane and right - left < 8:
        right = left + 4
    if right - left >= room + 6:
        return left + 4, left + 4 + room
    right += 5 if span.marks else 0  # clear of the flag
    if span.key and right + 3 + room < scene.page.end:
        return right + 3, right + 3 + room
    if span.key and left - 3 - room > scene.page.left:
        return left - 3 - room, left - 3
    return None
