"""What a graded notebook shows: what its cells showed when they ran, and verdicts in its check cells."""

from __future__ import annotations

import nbformat
from nbformat import NotebookNode

from grader.classroom.sanitizer import harmless_outputs
from grader.feedback.verdict_html import verdict_html
from grader.feedback.verdict_text import verdict_text
from grader.judging.check_pack import PackedExercise
from grader.judging.verdict import Verdict
from grader.sandbox.notebook_cells import check_id, grade_id
from grader.sandbox.observed_run import ExerciseCheck, ObservedRun
from grader.scenario.recording import Recording


def show_run(
    notebook: NotebookNode, checks: list[ExerciseCheck], run: ObservedRun
) -> dict[str, Verdict]:
    """Put outputs into the cells of a notebook that ran, and verdicts into its check cells.

    The verdicts by the check cells' names.
    """
    _show_outputs(notebook, run)
    packed = {check_id(check.packed.exercise): check.packed for check in checks}
    for cell in notebook.cells:
        if checked := packed.get(grade_id(cell) or ""):
            exercise = checked.exercise.id
            first = run.observations[exercise].first
            cell.outputs = [_shown(run.verdicts[exercise], checked, first)]
            cell.execution_count = None
    return {name: run.verdicts[one.exercise.id] for name, one in packed.items()}


def _show_outputs(notebook: NotebookNode, run: ObservedRun) -> None:
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        result = run.cells.get(index)
        if result is None:
            said = "This cell was not run: the notebook ended before it."
            cell.outputs = [_error("NotRun", said)]
            continue
        cell.outputs = harmless_outputs(result.outputs)
        cell.execution_count = result.count
        if result.how in ("timeout", "crash"):
            name = "CellTimeout" if result.how == "timeout" else "CellCrash"
            cell.outputs.append(_error(name, result.message))


def _shown(verdict: Verdict, packed: PackedExercise, first: Recording | None) -> NotebookNode:
    title = packed.exercise.title
    try:
        page = verdict_html(verdict, title, None if verdict.passed else first, packed)
    except Exception:  # the recording comes from an untrusted process
        page = verdict_html(verdict, title)
    return nbformat.v4.new_output(
        "display_data",
        data={"text/html": page, "text/plain": verdict_text(verdict, title)},
        metadata={"verdict": verdict.to_dict()},
    )


def _error(name: str, message: str) -> NotebookNode:
    return nbformat.v4.new_output(
        "error", ename=name, evalue=message, traceback=[f"{name}: {message}"]
    )
