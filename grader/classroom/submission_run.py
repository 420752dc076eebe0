"""The run of one submission: taken from what was kept of it, or made in a copy of its folder, and kept."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from grader.classroom.run_store import KeptRun, run_key
from grader.errors import SetupError
from grader.runtime.scratch_folders import make_scratch, remove_scratch
from grader.sandbox.observed_run import ExerciseCheck, ObservedRun

NO_ROOM = (errno.EDQUOT, errno.ENOSPC, errno.EROFS)

# of a notebook, what is to be found out, and its folder; a cell may take `cell_seconds`
Run = Callable[..., ObservedRun]


class SubmissionRun:
    """A notebook that is fit to be run, in its `folder`; `lesson` is the folder as it was handed out.

    `store` is the file in which the run is kept, if it is.
    """

    def __init__(
        self,
        notebook: NotebookNode,
        checks: list[ExerciseCheck],
        folder: Path,
        lesson: Path,
        store: Path,
        *,
        sandbox: str,
        cell_seconds: float,
    ):
        self._notebook = notebook
        self._checks = checks
        self._folder = folder
        self._name = f"{lesson.name}.ipynb"
        self._cell_seconds = cell_seconds
        # of a name that the course has, nbgrader lays the course's file over the student's
        given = [str(path.relative_to(lesson)) for path in lesson.rglob("*") if path.is_file()]
        given += [self._name, "timestamp.txt"]  # the notebook's cells count
        key = run_key(
            notebook, checks, folder, given=given, sandbox=sandbox, cell_seconds=cell_seconds
        )
        self._store = store
        self._kept = KeptRun(store, key)

    def kept(self) -> ObservedRun | None:
        """What was kept of it, judged again; None where it has to be made."""
        return self._kept.judged(self._checks)

    def make(self, run: Run) -> ObservedRun:
        """Let its code run, and keep what came of it. Raises SetupError where there is no room for that."""
        try:
            folder = self._copy()
            try:
                seconds = self._cell_seconds
                observed = run(self._notebook, self._checks, folder, cell_seconds=seconds)
            finally:
                remove_scratch(folder)
            self._kept.keep(observed)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            raise SetupError(
                f"What came of a run could not be kept: {error.strerror}. Make room where "
                f"{self._store.parent} is, and type it again: what is graded stays so."
            ) from error
        return observed

    def _copy(self) -> Path:
        """A copy of what was handed in, with the notebook as it is graded, for its code to run in."""
        folder = make_scratch("submission")
        own = shutil.ignore_patterns("*.ipynb")
        shutil.copytree(self._folder, folder, symlinks=True, dirs_exist_ok=True, ignore=own)
        nbformat.write(self._notebook, folder / self._name)
        for path in [folder, *folder.rglob("*")]:  # nbgrader makes files read-only
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | 0o600)
        return folder
