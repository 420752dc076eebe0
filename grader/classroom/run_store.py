"""Runs that are kept: one file per submission, so that it can be judged again without running again."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection
from pathlib import Path

import zstandard
from nbformat import NotebookNode

from grader.runtime.course_files import dataset_folder
from grader.sandbox.notebook_cells import places_of
from grader.sandbox.observed_run import ExerciseCheck, MissingPlayError, ObservedRun
from grader.validity.digest import digest_of, folder_digest
from grader.validity.exercise_parts import played_part
from grader.validity.stored_results import CLASS_RUN, code_imported_by
from grader.validity.versions import installed_versions


class KeptRun:
    """The run of one submission on disk: `key` says what ran, and on what.

    The file holds the key and a line of JSON, compressed with zstandard. Even if this process is
    killed, the file is there whole or not at all.
    """

    def __init__(self, path: Path, key: str):
        self._path = path
        self._key = key

    def judged(self, wanted: list[ExerciseCheck]) -> ObservedRun | None:
        """What was kept, judged again; None if the notebook has to run (again)."""
        try:
            with open(self._path, "rb") as file:
                packed = file.read()
            text = zstandard.ZstdDecompressor().decompress(packed)
            key, content = text.decode().split("\n", 1)
            return ObservedRun.from_json(content, wanted) if key == self._key else None
        except (OSError, zstandard.ZstdError, MissingPlayError, ValueError, KeyError, TypeError):
            return None

    def keep(self, checked: ObservedRun) -> None:
        """Write a run to disk, in place of what was there."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        new = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        text = f"{self._key}\n{checked.to_json()}"
        try:
            with open(new, "wb") as file:
                file.write(zstandard.ZstdCompressor().compress(text.encode()))
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, self._path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                new.unlink()


def run_key(
    notebook: NotebookNode,
    wanted: list[ExerciseCheck],
    folder: Path,
    *,
    given: Collection[str] = (),
    sandbox: str,
    cell_seconds: float,
) -> str:
    """A digest of what a run of a notebook in a folder depends on, except the events that are played.

    Files in `given` are left out: they are not a student's work, or the cells hold their content.
    """
    cells = [[i, c.source] for i, c in enumerate(notebook.cells) if c.cell_type == "code"]
    imported = code_imported_by([source for _, source in cells])
    tasks = []
    for one in wanted:
        places = places_of(notebook, one.packed.exercise)
        part = played_part(one.packed.exercise)
        tasks.append([part, one.packed.subject, places.answers, places.check])
    ran = json.dumps([cells, imported, tasks, sandbox, cell_seconds], sort_keys=True, default=str)
    beside = folder_digest(folder, leave_out=given)
    return digest_of(
        [ran, beside, folder_digest(dataset_folder()), CLASS_RUN.code(), *installed_versions()]
    )
