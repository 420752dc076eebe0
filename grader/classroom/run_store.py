"""Runs that are kept: one file a submission, so that it is judged again without being run again."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection
from pathlib import Path

import zstandard
from nbformat import NotebookNode

from grader.classroom.class_digests import folder_digest, runs_digest
from grader.sandbox.notebook_cells import places_of
from grader.sandbox.observed_run import ExerciseCheck, MissingPlayError, ObservedRun
from grader.validity.digest import digest_of

# of an exercise, what the judge alone looks at
_JUDGED_ONLY = ("title", "points", "criteria", "weights", "kind", "further")


class KeptRun:
    """The run of one submission on disk: `key` says what ran, and on what.

    The file holds the key and a line of JSON, compressed with zstandard; it is there whole or not
    at all, whenever this process is killed.
    """

    def __init__(self, path: Path, key: str):
        self._path = path
        self._key = key

    def judged(self, wanted: list[ExerciseCheck]) -> ObservedRun | None:
        """What was kept, judged anew; None where the notebook has to run (again)."""
        try:
            with open(self._path, "rb") as file:
                packed = file.read()
            text = zstandard.ZstdDecompressor().decompress(packed)
            key, told = text.decode().split("\n", 1)
            return ObservedRun.from_json(told, wanted) if key == self._key else None
        except (OSError, zstandard.ZstdError, MissingPlayError, ValueError, KeyError, TypeError):
            return None

    def keep(self, checked: ObservedRun) -> None:
        """Put a run on disk in place of what was there."""
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
    """What a run of a notebook in a folder depends on, but for the events that are played.

    `given` are names of files in the folder that are no student's work, or told in the cells.
    """
    cells = [[i, c.source] for i, c in enumerate(notebook.cells) if c.cell_type == "code"]
    tasks = []
    for one in wanted:
        told = one.packed.exercise.to_dict()
        exercise = {name: value for name, value in told.items() if name not in _JUDGED_ONLY}
        exercise["facts"] = any(fact.plan for fact in one.packed.exercise.facts)
        places = places_of(notebook, one.packed.exercise)
        tasks.append([exercise, one.packed.subject, places.answers, places.check])
    how = [sandbox, cell_seconds]
    texts = [json.dumps([cells, tasks, how], sort_keys=True, default=str)]
    return digest_of([*texts, folder_digest(folder, leave_out=given), runs_digest()])
