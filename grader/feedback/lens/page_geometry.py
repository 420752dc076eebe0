"""The page that the picture is drawn on, in pixels: its columns, and the room of what is in them."""

from __future__ import annotations

from dataclasses import dataclass

ROW, ROWS = 13, 12  # of events in a step: height, number
LANE, MOST_LANES = 14, 12  # of spans in a step
CLOSING = 11  # the strip below a step in which the watermark moves and rows are emitted

Box = tuple[float, float]


@dataclass(frozen=True)
class Page:
    """A page: widths of the picture, and of the columns beside the events.

    - `left`, `right`: the steps' names; the rows out
    - `below`: the rows out are below each step instead
    - `first`: where the first event of a step is, from the step's top
    - `least`, `names`: the height of a step, and of its own names
    - `step_names`: where in a step its number is, its batches, and that the rows part there
    - `letter`: the width of a letter of a label
    - `letters`, `words`: letters in a line of the rows out, and of events in words
    - `ticks`: labels of the axis, at most about so many
    - `note`, `note_lines`: letters in a line of a note; lines of a note at most
    """

    width: int
    left: int
    right: int
    below: bool = False
    first: int = 12
    least: int = 66
    names: int = 38
    step_names: tuple[tuple[int, int], ...] = ((6, 18), (6, 32), (6, 46))
    letter: float = 5.4
    letters: int = 62
    words: int = 90
    ticks: int = 9
    note: int = 165
    note_lines: int = 2

    @property
    def end(self) -> int:
        """The right end of the events."""
        return self.width - self.right

    def x(self, place: float) -> float:
        """Where a place on the axis (0 to 1) is."""
        return round(self.left + 8 + place * (self.end - self.left - 16), 1)


HEAD = 46
FILE = Page(1060, 84, 410)
# on a page, no letter is smaller than 11 pixels
WIDE = Page(900, 84, 358, letter=6.3, letters=52, words=66, note=130)
NARROW = Page(
    320, 4, 4, below=True, first=28, least=60, names=28, step_names=((6, 14), (56, 14), (140, 14)),
    letter=6.3, letters=46, words=46, ticks=4, note=50, note_lines=6,
)  # fmt: skip
LEVELS = 60  # the left column of a narrow page that names levels of windows
