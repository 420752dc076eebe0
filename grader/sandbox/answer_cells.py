"""The cells of an exercise's answer that spoil it, and what is noted about the exercise then."""

from __future__ import annotations

from collections.abc import Mapping

from grader.sandbox.notebook_cells import Places
from grader.sandbox.observed_run import CellResult, Observation, Trouble
from grader.scenario.recording import Failure


def spoilt_by(
    places: Places, results: Mapping[int, CellResult], found: bool
) -> tuple[int, CellResult] | None:
    """The cell that spoils an answer, if one does: it hung or died, or it left no function.

    If one answer has several cells, the last one counts: its function is the answer. With `found`, a
    function with the answer's name exists.
    """
    for index in reversed(places.answers):
        cell = results.get(index)
        if cell is None:
            continue
        if cell.how != "ok" and (cell.how in ("timeout", "crash") or not found):
            return index, cell
        if cell.how == "ok" and found:
            return None
    return None


def spoilt_answer(answer: str, index: int, cell: CellResult, cell_seconds: float) -> Observation:
    """What is noted about an exercise if the cell of this index spoiled its function `answer`."""
    where = f"The cell of the answer (cell {index + 1})"
    if cell.how == "syntax":
        return Observation(failure=Failure("syntax", cell.message))
    if cell.how == "timeout":
        said = (
            f"{where} timed out after {cell_seconds:.0f} s. Look for a loop or for "
            "`awaitTermination()`: the function must return the query, and the check runs it."
        )
        return Observation(trouble=Trouble("timeout", "timeout", said))
    if cell.how == "crash":
        said = f"{where} ended the notebook's process: {cell.message}."
        return Observation(trouble=Trouble("error", "crash", said))
    said = f"{where} raised an exception before the function `{answer}` was there: {cell.message}"
    return Observation(trouble=Trouble("error", "cell", said))
