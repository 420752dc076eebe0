"""Starting an exercise or a lesson again, with the work so far kept aside."""

from __future__ import annotations

import shlex
import shutil
import time
from pathlib import Path

import nbformat

from grader.errors import SetupError
from grader.judging.check_pack import PackedExercise, PackError, read_pack
from grader.judging.course_origin import from_git, restore_fix
from grader.learner import progress
from grader.learner.course_packs import packs_near
from grader.learner.notebook_reader import NotebookError, read_notebook
from grader.runtime.course_files import packaged_course
from grader.runtime.paths import state_dir

COPY = "# Here was a copy of the answer's cell. What stood in it is in the notebook that was kept."


def reset(what: str, root: Path) -> list[str]:
    """Restore the answer cells of a lesson (`03`) or an exercise (`03.2`); returns what was done."""
    lesson = what.split(".", 1)[0]
    packs = packs_near(root)
    if lesson not in packs:
        raise PackError(
            f"There is no lesson {lesson}; there are {', '.join(sorted(packs)) or 'none'}."
        )
    path = packs[lesson]
    graded = [e for e in read_pack(path).graded() if what in (lesson, e.exercise.id)]
    if not graded:
        known = ", ".join(e.exercise.id for e in read_pack(path).graded())
        raise PackError(f"Lesson {lesson} has no exercise {what}; it has {known}.")
    # a notebook without its pack, which is the package's: the package's own notebook is not the learner's
    alone = path.parents[1] == packaged_course()
    notebook = (root if alone else path.parent) / f"{path.parent.name}.ipynb"
    messages = []
    if notebook.exists():
        kept = _keep(notebook)
        messages.append(
            f"Your notebook as it was: {kept} (what JupyterLab has not saved yet is not in it)"
        )
        messages += _restore_cells(notebook, graded, kept)
    else:
        messages.append(f"There is no {notebook}, so only verdicts and hints are forgotten.")
    for packed in graded:
        progress.forget(packed.exercise.id)
        messages.append(f"{packed.exercise.id} {packed.exercise.title}: starts again")
    messages.append(
        "If the notebook is open, reload it from disk and restart its kernel: that ends its queries and "
        "removes their checkpoints."
    )
    return messages


def _keep(notebook: Path) -> Path:
    folder = state_dir() / "before-reset"
    folder.mkdir(parents=True, exist_ok=True)
    kept = (
        folder / f"{notebook.stem}-{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 10**6}.ipynb"
    )
    shutil.copyfile(notebook, kept)
    return kept


def _restore_cells(path: Path, graded: list[PackedExercise], kept: Path) -> list[str]:
    try:
        notebook = read_notebook(path)
    except NotebookError as error:
        raise SetupError(f"{error} {_whole(path)} As it is now it is kept: {kept}") from error
    handed_out = {packed.exercise.answer: packed for packed in graded}
    found: set[str] = set()
    messages = []
    for cell in notebook.cells:
        marked = cell.metadata.get("nbgrader")
        id = str(marked.get("grade_id")) if isinstance(marked, dict) else ""
        if id in handed_out:
            cell.pop("attachments", None)
            cell.cell_type = "code"
            cell.source = COPY if id in found else handed_out[id].cell
            cell.outputs = []
            cell.execution_count = None
            found.add(id)
    for packed in (one for id, one in handed_out.items() if id not in found):
        messages.append(
            f"{packed.exercise.id}: its answer cell is gone from the notebook. {_whole(path)} That takes "
            f"your other answers, too; they are in {kept}"
        )
    nbformat.write(notebook, path)
    return messages


def _whole(path: Path) -> str:
    """How to restore a whole notebook as it was handed out; a check pack has only its answer cells."""
    if not from_git(path):
        return f"To have it as it was handed out, {restore_fix(path)}."
    return (
        f"`git checkout -- {shlex.quote(str(path))}` brings it back as it was handed out; without git, take it from the zip "
        "that you were given."
    )
