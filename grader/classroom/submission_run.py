"""The run of one submission: a kept run, or a new run in a copy of its folder, which is then kept."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from grader.classroom.run_store import KeptRun, run_key
from grader.errors import SetupError
from grader.runtime.scratch_folders import make_scratch, remove_scratch
from grader.sandbox.observed_run import ExerciseCheck, ObservedRun

NO_ROOM = (errno.EDQUOT, errno.ENOSPC, errno.EROFS)

# takes a notebook, the exercises to judge, and its folder; a cell may take `cell_seconds`
Run = Callable[..., ObservedRun]


@dataclass
class SubmissionRun:
    """A notebook that is fit to be run, in its `folder`; `lesson` is the folder as it was handed out.

    `store` is the file in which the run is kept, if it is; `sandbox` the kind in which it runs.
    """

    notebook: NotebookNode
    checks: list[ExerciseCheck]
    folder: Path
    lesson: Path
    store: Path
    sandbox: str
    cell_seconds: float

    def __post_init__(self) -> None:
        # of a name that the course has, nbgrader lays the course's file over the student's
        files = [path for path in self.lesson.rglob("*") if path.is_file()]
        given = [str(path.relative_to(self.lesson)) for path in files]
        given += [f"{self.lesson.name}.ipynb", "timestamp.txt"]  # the notebook's cells count
        how: dict[str, Any] = {"sandbox": self.sandbox, "cell_seconds": self.cell_seconds}
        key = run_key(self.notebook, self.checks, self.folder, given=given, **how)
        self._kept = KeptRun(self.store, key)

    def kept(self) -> ObservedRun | None:
        """What was kept of it, judged again; None if it must run."""
        return self._kept.judged(self.checks)

    def make(self, run: Run) -> ObservedRun:
        """Let its code run, and keep the result. Raises SetupError if there is no room for that."""
        try:
            folder = self._copy()
            try:
                seconds = self.cell_seconds
                observed = run(self.notebook, self.checks, folder, cell_seconds=seconds)
            finally:
                remove_scratch(folder)
            self._kept.keep(observed)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            raise SetupError(
                f"What came of a run could not be kept: {error.strerror}. Make room where "
                f"{self.store.parent} is, and type it again: what is graded stays so."
            ) from error
        return observed

    def _copy(self) -> Path:
        """A copy of what was handed in, with the notebook as it is graded, for its code to run in."""
        folder = make_scratch("submission")
        own = shutil.ignore_patterns("*.ipynb")
        shutil.copytree(self.folder, folder, symlinks=True, dirs_exist_ok=True, ignore=own)
        nbformat.write(self.notebook, folder / f"{self.lesson.name}.ipynb")
        for path in [folder, *folder.rglob("*")]:  # nbgrader makes files read-only
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | 0o600)
        return folder
