"""What the Python of a page sends back in an explorer: the board, redrawn after each change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.feedback.lens.page_pictures import page_pictures
from grader.model.explorer.board import Board
from grader.model.explorer.board_view import FIRST, changed, event_names
from grader.model.explorer.worked_example import example_of
from grader.model.query_reader import query_of
from grader.page.exercise_check import packed_exercise
from grader.page.pyspark_stand_in.standing_in import install

CHANGES = ("turn", "move", "shift", "add", "remove")  # methods of a board
_boards: dict[str, Board] = {}  # as the learner has changed them, by example


def reply(
    course: Path,
    example: str,
    change: list[Any] | None = None,
    both: bool = False,
    again: bool = False,
) -> dict[str, Any]:
    """Change the board of an example and show it; plain data, for JSON. The process must not have imported PySpark.

    - `change`: one of CHANGES with its arguments, or None
    - `both`: whether to draw the watermark that drops and the one that evicts
    - `again`: whether to begin with the board as it was at first

    `said` is empty if nothing was to be changed.
    """
    said = []
    if again or example not in _boards:
        _boards[example], said = _board(example, course), [FIRST]
    board = _boards[example]
    added: list[int | None] = [None]  # the number of an event that was added
    if change is not None:
        what, *given = change
        if what not in CHANGES:
            raise ValueError(f"a board cannot {what}")
        said = changed(board, lambda: added.append(getattr(board, what)(*given)))
    scene = board.scene()
    return {
        "code": packed_exercise(example, course).cell,
        "picture": page_pictures(scene, both=both),
        "said": said,
        "knobs": [vars(knob) for knob in board.knobs],
        "events": [
            {"number": number, "name": name, "step": board.events[number].step}
            for name, number in event_names(board)
        ],
        "steps": board.steps,
        "has_both": bool(scene.lines),
        "added": added[-1],
    }


def _board(example: str, course: Path) -> Board:
    install()
    packed = packed_exercise(example, course)
    query = query_of(example_of(packed), packed.exercise)
    return Board.of(packed.exercise, packed.public, query)
