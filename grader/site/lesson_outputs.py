"""The outputs of the lessons' notebooks as they last ran on this machine, for the pages to read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, from_dict

from grader.runtime.paths import cache_dir

# what these show is of one person, or works only beside a kernel
_OF_ONE_PERSON = re.compile(r"grader\.(check|drill|explore|hint|predict|progress|reset)\(")
_WIDGET = "application/vnd.jupyter.widget-view+json"


def keep_outputs(lesson: str, notebook: NotebookNode) -> None:
    """Keep what the given cells of a notebook that has run show; an answer, and what shows it, is left out."""
    cells = [
        {"source": cell.source, "outputs": list(filter(_can_be_read, cell.get("outputs", [])))}
        for cell in _shown(notebook)
    ]
    home = json.dumps(str(Path.home()))[1:-1]
    path = _file(lesson)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(cells, indent=1).replace(f"{home}/", "~/"), encoding="utf-8")


def give_outputs(lesson: str, notebook: NotebookNode) -> bool:
    """Give the cells of a lesson's notebook the outputs that were kept.

    Returns False, and changes nothing, if the notebook has not run here with the code that it has now.
    """
    try:
        kept = json.loads(_file(lesson).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return False
    cells = _shown(notebook)
    if [cell.source for cell in cells] != [one["source"] for one in kept]:
        return False
    for cell, one in zip(cells, kept, strict=True):
        cell.outputs = [from_dict(output) for output in one["outputs"]]  # type: ignore[no-untyped-call]
    return True


def _file(lesson: str) -> Path:
    return cache_dir() / "lesson-outputs" / f"{lesson}.json"


def _shown(notebook: NotebookNode) -> list[NotebookNode]:
    """The code cells that are the same for each reader, without the one that installs the course."""
    answers = [
        cell.metadata.nbgrader.grade_id
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    ]
    named = re.compile(rf"\b({'|'.join(map(re.escape, answers))})\b" if answers else r"(?!)")
    return [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code"
        and "install" not in cell.metadata.get("tags", [])
        and not _OF_ONE_PERSON.search(cell.source)
        and not named.search(cell.source)
    ]


def _can_be_read(output: Any) -> bool:
    return _WIDGET not in output.get("data", {})
