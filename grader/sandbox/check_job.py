"""What passes between the two sides of a check: a job in, events and recordings out; all JSON.

The supervisor gives orders (one JSON object per line, on the runner's standard input); the first says that
JOB.json is there. In the job's folder, the runner appends events to `events.jsonl`. Recordings go to one
file for each task: of the first task to `recordings/0.jsonl`, of the second to `recordings/1.jsonl`, and so
on. Neither side unpickles or executes what it reads.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grader.scenario import Exercise, Variant, scenario_from_lines

JOB_FILE = "JOB.json"
EVENTS_FILE = "events.jsonl"


@dataclass(frozen=True)
class Cell:
    """A code cell to run; `index` is its place in the notebook."""

    index: int
    source: str


@dataclass(frozen=True)
class Task:
    """An exercise to play: where in the notebook its check is (None: at the end)."""

    exercise: Exercise
    subject: str | None = None
    at: int | None = None


@dataclass(frozen=True)
class Job:
    """What the runner must do. Holds inputs only: no expected result ever comes here.

    Cells run in `folder`, with a copy of what is in `handed_in` if that is named.
    """

    cells: list[Cell]
    tasks: list[Task]
    folder: str
    cell_seconds: float
    handed_in: str | None = None

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Job:
        data = json.loads(path.read_text(encoding="utf-8"))
        cells = [Cell(**given) for given in data["cells"]]
        exercises = [Exercise.from_dict(given.pop("exercise")) for given in data["tasks"]]
        tasks = [Task(x, **more) for x, more in zip(exercises, data["tasks"], strict=True)]
        return cls(**{**data, "cells": cells, "tasks": tasks})


def copy_files(source: str | Path, target: str | Path) -> None:
    """Copy what is in a folder; links stay links, and what is not a file is left out."""
    with contextlib.suppress(shutil.Error):  # a pipe or a socket among the files
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)


def recordings_file(task: int) -> str:
    """Where the recordings of the job's task of this number (from 0) are kept, in the job's folder."""
    return f"recordings/{task}.jsonl"


def play_order(variant: Variant) -> dict[str, Any]:
    """The order to play one variant of a scenario."""
    how = {"variant": variant.name, "crash_after": variant.crash_after, "conf": variant.conf}
    return {"order": "play", **how, "scenario": variant.scenario.to_lines()}


def variant_of(order: dict[str, Any]) -> Variant:
    """The variant that a play order asks for."""
    scenario = scenario_from_lines(order["scenario"])
    return Variant(order["variant"], scenario, order["crash_after"], order["conf"])


JOB_ORDER = {"order": "job"}
NEXT_ORDER = {"order": "next"}
