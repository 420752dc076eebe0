"""grader.explore: a worked example, or the learner's own answer, as something to play with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.errors import UserFacingError
from grader.feedback.display import Display
from grader.feedback.lens.page_pictures import page_pictures
from grader.judging.wording.failure_text import failure_in_short
from grader.learner.course_packs import exercise_near
from grader.model import NotModelled, Refused
from grader.model.agreement import differences
from grader.model.explorer.board import Board
from grader.model.explorer.explorer_widget import explorer
from grader.model.explorer.worked_example import example_of
from grader.model.query_reader import Unread, query_of


class ExploreError(UserFacingError, ValueError):
    """The model does not play such a query; the message says why."""


def explore(exercise_id: str, answer: Callable[..., Any] | None = None) -> None:
    """Show an example's stream, or an answer's, with knobs to turn and events to move.

    Works without Spark and Java; only *Ask Spark* starts the lab. Raises ExploreError if
    the model does not play the query, and says why.
    """
    packed = exercise_near(exercise_id, Path.cwd())
    try:
        query = query_of(answer or example_of(packed), packed.exercise)
        board = Board.of(packed.exercise, packed.public, query)
    except (Unread, NotModelled, Refused) as error:
        raise ExploreError(
            f"grader.explore cannot play {exercise_id}: {error}. It plays filters, windows, joins, "
            f"deduplication and sessions; grader.lens({exercise_id!r}, …) shows any query's run."
        ) from error
    Display().text(_board_text(board))
    Display().widget(explorer(board, _ask_spark), still=page_pictures(board.scene()))


def _board_text(board: Board) -> str:
    knobs = ", ".join(f"{knob.label} {knob.value}" for knob in board.knobs)
    return f"{board.exercise.id} to play with: {knobs}"


def _ask_spark(board: Board) -> list[str]:
    """Play the board on the broker and compare the model with the result."""
    from grader.learner import notebook_lab
    from grader.model.explorer.spark_query import on_spark

    running = notebook_lab.start()
    scenario, query = board.scenario, board.query
    theirs = on_spark(running.spark, running.kafka, query, scenario)
    if theirs.failure is not None:
        return [f"Spark ended the query: {failure_in_short(theirs.failure)}"]
    found = differences(board.played.recording, theirs)
    if found:
        return [
            "Spark does something else here. Please tell us: it is a fault of the model.",
            *found,
        ]
    batches = len(theirs.batches)
    return [f"Spark agrees: the same rows, watermarks and counts in all {batches} batches."]
