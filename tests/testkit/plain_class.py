"""A class of lesson 14, whose answers are plain functions: real notebook, sandbox, replay and judge, but no Spark.

As a program it grades the class in a folder: `python -m testkit.plain_class ROOT JOBS`.
"""

from __future__ import annotations

import ast
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from grader.authoring.lesson_source import LessonSource
from grader.classroom.class_grades import ClassGrades
from grader.classroom.class_grading import grade_class
from grader.judging.check_pack import FILE_NAME
from grader.learner.notebook_reader import read_notebook
from grader.sandbox import runner_process
from grader.sandbox.notebook_cells import grade_id

LESSON = "14_operation"
PROJECT = Path(__file__).resolve().parents[2]
COURSE, SOURCE = PROJECT / "course" / LESSON, PROJECT / "solutions" / LESSON
CELL_SECONDS = 30  # as short as a loaded machine allows


def answers() -> dict[str, str]:
    """Each answer's cell, right, by the name of its function."""
    lesson = LessonSource(SOURCE, title="Operation")
    names = [one.exercise.answer for one in lesson.exercises]
    return {name: re.sub(r" *### (BEGIN|END) SOLUTION\n?", "", lesson.cell(name)) for name in names}


def released() -> NotebookNode:
    """The lesson's notebook; of the cells without a mark only those that an answer uses."""
    notebook = read_notebook(COURSE / f"{LESSON}.ipynb")
    used = {"grader", *_names_in("\n".join(answers().values()))}
    cells = []
    for cell in reversed(notebook.cells):
        if cell.cell_type == "code" and not grade_id(cell):
            body = [node for node in ast.parse(cell.source).body if _bound(node) & used]
            if not body:
                continue
            cell.source = "\n".join(ast.unparse(node) for node in body)
            used |= _names_in(cell.source)
        cells.append(cell)
    notebook.cells = cells[::-1]
    return notebook


def solved() -> NotebookNode:
    """The notebook with the right answer to each exercise, as a good student hands it in."""
    right, notebook = answers(), released()
    for cell in notebook.cells:
        cell.source = right.get(grade_id(cell) or "", cell.source)
    return notebook


def make_course(root: Path) -> Path:
    """The class's course in root/course."""
    folder = root / "course" / LESSON
    folder.mkdir(parents=True)
    nbformat.write(released(), folder / f"{LESSON}.ipynb")
    shutil.copy(COURSE / FILE_NAME, folder)
    config = (PROJECT / "nbgrader_config.py").read_text()
    (root / "nbgrader_config.py").write_text(f"{config}\nc.Record.cell_seconds = {CELL_SECONDS}\n")
    return root


def grade(root: Path, **how: Any) -> ClassGrades:
    """Grade the class of a folder with `grader grade`'s own function."""
    before = runner_process.RUNNER
    source = (Path(__file__).parent / "without_lab.py").read_text()
    runner_process.RUNNER = [sys.executable, "-c", source]
    try:
        return grade_class(root, root / "submitted", **how)
    finally:
        runner_process.RUNNER = before


def _bound(node: ast.stmt) -> set[str]:
    """The names that an import, a function or a class gives; of other statements none."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return {node.name} if isinstance(node, ast.FunctionDef | ast.ClassDef) else set()


def _names_in(code: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


if __name__ == "__main__":
    grade(Path(sys.argv[1]), jobs=int(sys.argv[2]), notify=lambda text: print(text, flush=True))
