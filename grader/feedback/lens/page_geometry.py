"""The page that the picture is drawn on, in pixels: its columns, and the place of a time."""

from __future__ import annotations

from grader.feedback.lens.scene import Scene

WIDTH = 1060
LEFT, RIGHT = 84, 410  # the steps' names; the rows out
HEAD = 46
LEAST, NAMES = 66, 38  # height of a step, and of its own names
ROW, ROWS = 13, 12  # of events in a step: height, number
LANE, MOST_LANES = 14, 12  # of spans in a step
CLOSING = 11  # the strip below a step in which the watermark moves and rows are emitted
LETTER = 5.4  # width of a letter of a label

Box = tuple[float, float]


def x_of(scene: Scene, time: float) -> float:
    return round(LEFT + 8 + scene.axis.place(time) * (WIDTH - LEFT - RIGHT - 16), 1)
