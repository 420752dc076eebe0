"""What is shown of a board: the names of its events, and what a change did. For a notebook and for a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.feedback.verdict_text import event_text
from grader.model.explorer.board import Board, CannotPlay

FIRST = "Turn a knob, or move an event: the picture and this line say what it does."
SECONDS = (-600, -60, -10, 10, 60, 600)  # by which an event's time can be moved


def changed(board: Board, change: Callable[[], Any]) -> list[str]:
    """Change the board; in lines, what that did, or why the board stays as it was."""
    try:
        change()
        return board.said
    except CannotPlay as refused:
        return [str(refused), "Nothing was changed."]


def event_names(board: Board) -> list[tuple[str, int]]:
    """The events by name and number, in the order in which they come."""
    numbers = sorted(board.events, key=lambda number: (board.events[number].step, number))
    return [(_name(board.events[number]), number) for number in numbers]


def shift_name(seconds: int) -> str:
    """The name of a move in time, as on a button."""
    amount = f"{abs(seconds) // 60} min" if abs(seconds) >= 60 else f"{abs(seconds)} s"
    return f"{'+' if seconds > 0 else '−'}{amount}"


def _name(event: Any) -> str:
    return f"step {event.step}: {event_text(event)}"
