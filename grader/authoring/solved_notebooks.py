"""The lessons' notebooks, solved as their authors did: run from top to bottom, as a learner runs them.

All cells run, including those with a check. Here each check plays the events once. The proof of an
exercise shows what its solution does with other batches, or after a kill.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from grader.authoring.course_build import source_notebook
from grader.authoring.lesson_source import LessonSource
from grader.authoring.proof_store import read_proofs, write_entry
from grader.authoring.verification import Notify
from grader.judging.check_pack import FILE_NAME, Pack, read_pack, write_pack
from grader.learner import progress
from grader.runtime.broker import lease_broker
from grader.validity.digest import digest_of
from grader.validity.exercise_parts import has_tables
from grader.validity.python_code import code_of
from grader.validity.versions import lake_jars, locked_versions

NOTEBOOK = "notebook"  # its entry among the lesson's proofs
CELL_SECONDS = 300  # one cell measures latency, with as many partitions as Spark has by default
# the criteria that want other plays
PLAYED_AGAIN = {"batching", "settings", "restart", "exactly_once"}


@dataclass(frozen=True)
class Run:
    """The result of one notebook, which has its outputs; `faults` has one line per fault, and is empty if there is none."""

    lesson: str
    cells: int
    seconds: float
    faults: list[str]
    notebook: NotebookNode = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """What `grader verify --notebooks --json` prints of it."""
        return {
            "lesson": self.lesson,
            "cells": self.cells,
            "seconds": self.seconds,
            "faults": self.faults,
        }


def run_notebooks(
    lessons: list[LessonSource],
    course: Path,
    notify: Notify = lambda text: None,
    *,
    write: bool = True,
    keep: Callable[[str, NotebookNode], None] = lambda lesson, notebook: None,
) -> list[Run]:
    """Run the lessons' notebooks, one after the other, on a lab of their own.

    With `write` an entry among each lesson's proofs says what ran; where something went wrong, it is removed.
    `keep` gets each lesson's id and its notebook with all outputs, if nothing went wrong.
    """
    runs = []
    with lease_broker() as broker:
        for number, lesson in enumerate(lessons, 1):
            with tempfile.TemporaryDirectory(prefix="notebook-") as folder:
                run = run_solved(lesson, course, Path(folder), broker.bootstrap_servers)
            runs.append(run)
            if write:
                _note(lesson, run)
            if not run.faults:
                keep(lesson.id, run.notebook)
            notify(
                f"{lesson.id} {lesson.title}: {'NOT OK' if run.faults else 'ok'}"
                f" ({run.cells} cells, {run.seconds:.0f} s); {number} of {len(lessons)}"
            )
            for fault in run.faults:
                notify(f"    {fault}")
    return runs


def run_solved(lesson: LessonSource, course: Path, folder: Path, kafka: str) -> Run:
    """Run one lesson in a kernel: in `folder`, as for a new learner, on the broker `kafka`."""
    began = time.monotonic()
    pack = read_pack(course / lesson.name / FILE_NAME)
    write_pack(played_once(pack), folder / FILE_NAME)
    notebook = source_notebook(lesson)
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
    )
    state = folder / "state"
    own = {**os.environ, "GRADER_STATE": str(state), "GRADER_KAFKA": kafka}
    faults = []
    with open(folder / "kernel.log", "wb") as log:
        try:
            client.execute(env=own, stderr=log)
        except (CellTimeoutError, DeadKernelError) as error:
            faults.append(str(error).strip())
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    faults += [
        *(f"did not run: {_first_line(cell)}" for cell in code if not cell.execution_count),
        *shown(notebook, "error"),
        # it frightens, and nbgrader's Validate refuses such a cell
        *shown(notebook, "stderr"),
        *(f"{id} did not pass" for id in _not_passed(pack, state)),
    ]
    return Run(lesson.id, len(code), time.monotonic() - began, faults, notebook)


def played_once(pack: Pack) -> Pack:
    """The pack with checks that play the events as they are, and no other way."""
    exercises = {
        id: replace(
            packed,
            exercise=replace(
                packed.exercise,
                criteria=[name for name in packed.exercise.criteria if name not in PLAYED_AGAIN],
                weights={},  # they name the others, too
                other_conf={},
                facts=[replace(fact, other_equals=None) for fact in packed.exercise.facts],
            ),
        )
        for id, packed in pack.exercises.items()
    }
    return replace(pack, exercises=exercises)


def shown(notebook: NotebookNode, what: str) -> list[str]:
    """The cells that show an error, or print to stderr, and what they say."""
    return [
        f"{what} in: {_first_line(cell)}: "
        + (output.get("text") or f"{output.get('ename')}: {output.get('evalue')}")
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if what in (output.output_type, output.get("name"))
    ]


def has_run(lesson: LessonSource) -> bool:
    """Whether the lesson's notebook ran with the code that it has now, on these versions."""
    return read_proofs(lesson).get(NOTEBOOK) == {"rests_on": _rests_on(lesson)}


def _rests_on(lesson: LessonSource) -> dict[str, str]:
    """Digests of the code in the notebook, solutions among it, and of versions; the engine may be a newer one."""
    cells = [cell.source for cell in lesson.notebook.cells if cell.cell_type == "code"]
    rests_on = {"notebook": digest_of(map(code_of, cells)), "versions": locked_versions()}
    if any(has_tables(source.exercise) for source in lesson.exercises):
        rests_on["lake"] = digest_of(lake_jars())
    return rests_on


def _note(lesson: LessonSource, run: Run) -> None:
    write_entry(lesson, NOTEBOOK, {} if run.faults else {"rests_on": _rests_on(lesson)})


def _not_passed(pack: Pack, state: Path) -> list[str]:
    path = state / progress.FILE_NAME
    known = json.loads(path.read_text(encoding="utf-8"))["exercises"] if path.exists() else {}
    graded = [packed.exercise.id for packed in pack.graded()]
    return [id for id in graded if known.get(id, {}).get("status") != "passed"]


def _first_line(cell: NotebookNode) -> str:
    return next(iter(str(cell.source).splitlines()), "an empty cell")
