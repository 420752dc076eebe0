"""Where everything in the picture is: the height of each step, the place of each event and span."""

from __future__ import annotations

from dataclasses import dataclass

from grader.feedback.lens.event_marks import Mark
from grader.feedback.lens.lanes import lanes_of
from grader.feedback.lens.page_geometry import (
    CLOSING,
    HEAD,
    LANE,
    MOST_LANES,
    ROW,
    ROWS,
    Box,
    Page,
)
from grader.feedback.lens.scene import Scene, Step
from grader.feedback.lens.side_text import LINE, arrival_lines, lines_beside
from grader.feedback.lens.spans import Span


@dataclass(frozen=True)
class Place:
    """Where an event is, and on which side its label is (None: there is no room for it)."""

    x: float
    y: float
    side: str | None


@dataclass(frozen=True)
class Layout:
    """Edges of the steps from top to bottom, places of events by their number in the scene.

    If `tall`, spans never overlap and fill their steps. Otherwise each span has a lane below the events:
    `lane` has it by the span's identity, and `lanes` has the number of lanes by level. `texts` has the height of
    the rows out below each step, 0 if they are beside it.
    """

    edges: list[float]
    places: list[Place]
    tall: bool
    lane: dict[int, int]
    lanes: list[int]
    texts: list[float]

    def top(self, step: int) -> float:
        return self.edges[step - 1]

    def closing(self, step: int) -> float:
        """Where a step's closing strip begins."""
        return self.floor(step) - CLOSING

    def floor(self, step: int) -> float:
        """Where the rows out begin, if they are below a step; otherwise its end."""
        return self.edges[step] - self.texts[step - 1]

    def lane_top(self, span: Span, step: int) -> float:
        """The upper edge of a span's lane in a step; lanes are above the closing strip."""
        lanes = min(sum(self.lanes), MOST_LANES)
        number = sum(self.lanes[: span.level]) + self.lane[id(span)]
        return self.closing(step) - LANE * (lanes - number % lanes)


def lay_out(scene: Scene) -> Layout:
    """Every step is as high as what it shows, so that no text is truncated."""
    lane = lanes_of(scene)
    levels = max((span.level for span in scene.spans), default=-1) + 1
    lanes = [
        1 + max((lane[id(span)] for span in scene.spans if span.level == level), default=-1)
        for level in range(levels)
    ]
    tall = sum(lanes) <= 1 and not any(span.kind == "session" or span.lane for span in scene.spans)
    below = CLOSING + (0 if tall else LANE * min(sum(lanes), MOST_LANES) + 4)
    page = scene.page
    least = max(page.least, page.names + below if levels > 1 else 0)
    edges = [float(HEAD)]
    places: dict[int, Place] = {}
    texts = []
    for step in scene.steps:
        rows = _place_step(scene, step, edges[-1] + page.first, places)
        beside, arrivals = len(lines_beside(scene, step)), len(arrival_lines(scene, step))
        texts.append(8.0 + LINE * beside if page.below else 0.0)
        words = page.first + 2 + LINE * max(0 if page.below else beside, arrivals)
        height = max(least, words, page.first + ROW * rows + below)
        edges.append(edges[-1] + height + texts[-1])
    return Layout(edges, [places[n] for n in range(len(scene.marks))], tall, lane, lanes, texts)


def _place_step(scene: Scene, step: Step, top: float, places: dict[int, Place]) -> int:
    """Place the events of a step, each input in its own rows; returns the rows used."""
    used = 0
    line = None if step.before is None else scene.x(step.before)
    for name in scene.inputs:
        marks = {
            number: mark
            for number, mark in enumerate(scene.marks)
            if mark.step == step.number and mark.input == name
        }
        xs = {number: scene.x(mark.time) for number, mark in marks.items()}
        rows: list[list[Box]] = []
        found = {n: _labelled(scene.page, rows, xs[n], mark, line) for n, mark in marks.items()}
        if any(place is None for place in found.values()):  # too many for their labels
            rows = []
            found = {n: (_bare(rows, x), None) for n, x in xs.items()}
        for number, place in found.items():
            row, side = place or (0, None)
            places[number] = Place(xs[number], round(top + (used + row) * ROW, 1), side)
        used += len(rows)
    return used


def _labelled(
    page: Page, rows: list[list[Box]], x: float, mark: Mark, line: float | None
) -> tuple[int, str | None] | None:
    """The first row where an event and its label have room, clear of the watermark if possible."""
    if not mark.label:
        return _bare(rows, x), None
    width = page.letter * len(mark.label)
    sides = {"start": (x - 6, x + 9 + width), "end": (x - 9 - width, x + 6)}
    inside = {side: box for side, box in sides.items() if _inside(page, box)}
    clear = {s: box for s, box in inside.items() if line is None or not box[0] < line < box[1]}
    for wanted in (clear, inside):
        for row in range(ROWS):
            for side, box in wanted.items():
                if _take(rows, row, box):
                    return row, side
    return None


def _bare(rows: list[list[Box]], x: float) -> int:
    """The first row with room for an event; if there is none, events overlap."""
    free = (row for row in range(ROWS) if _take(rows, row, (x - 5, x + 5)))
    return next(free, int(x) % ROWS)


def _inside(page: Page, box: Box) -> bool:
    return box[0] > page.left and box[1] < page.end


def _take(rows: list[list[Box]], row: int, box: Box) -> bool:
    if row > len(rows):
        return False
    if row == len(rows):
        rows.append([])
    if any(left < box[1] and box[0] < right for left, right in rows[row]):
        return False
    rows[row].append(box)
    return True
