"""Where in a notebook an exercise's answer and its check stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from grader.scenario import Exercise


class NotebookError(ValueError):
    """A notebook that cannot be checked; the message names the fix."""


@dataclass(frozen=True)
class Places:
    """Indexes of cells: the ones that make the answer, and the check (None if it is gone)."""

    answers: list[int]
    check: int | None


def read_notebook(path: Path) -> NotebookNode:
    """Read a notebook file; raises NotebookError with the fix if it cannot be."""
    try:
        return nbformat.read(path, as_version=4)
    except FileNotFoundError as error:
        raise NotebookError(f"{path} does not exist.") from error
    except IsADirectoryError as error:
        raise NotebookError(
            f"{path} is a folder: name the notebook in it, {path / path.name}.ipynb"
        ) from error
    except PermissionError as error:
        raise NotebookError(f"{path} cannot be read: give yourself the right to.") from error
    except Exception as error:
        raise NotebookError(
            f"{path} is not a notebook that can be read ({type(error).__name__}: "
            f"{str(error)[:200]}). Open it in JupyterLab, save it, and try again."
        ) from error


def check_id(exercise: Exercise) -> str:
    """The grade id of an exercise's check cell."""
    return f"check-{exercise.answer}"


def grade_id(cell: NotebookNode) -> str | None:
    marked = cell.metadata.get("nbgrader")
    found = marked.get("grade_id") if isinstance(marked, dict) else None
    return found if isinstance(found, str) else None  # a submission may say anything there


def places_of(notebook: NotebookNode, exercise: Exercise) -> Places:
    """Find an exercise's cells by their grade ids, or by what they say where these were lost."""
    name = re.escape(exercise.answer)
    defines = re.compile(rf"^\s*((async\s+)?def\s+{name}\b|{name}\s*=[^=])", re.M)
    only_checks = re.compile(rf"\s*grader\.check\(\s*['\"]{re.escape(exercise.id)}['\"][^\n]*\)\s*")
    answers: list[int] = []
    check: int | None = None
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        if grade_id(cell) == check_id(exercise) or only_checks.fullmatch(cell.source):
            check = index
        elif grade_id(cell) == exercise.answer or defines.search(cell.source):
            answers.append(index)
    return Places(answers, check)
