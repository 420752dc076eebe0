"""Exports grades in the formats that other programs read: each a function from marks to a string or to files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from grader.classroom.exports.canvas_csv import canvas
from grader.classroom.exports.grades_csv import table
from grader.classroom.exports.grades_json import as_json
from grader.classroom.exports.gradescope_results import gradescope
from grader.classroom.exports.junit_xml import junit
from grader.classroom.marks import LessonMarks

Files = dict[str, str]  # path in the folder that is written → text

# gradescope needs a file for each submission, the others are one file
ONE_FILE: dict[str, tuple[str, Callable[[list[LessonMarks]], str]]] = {
    "csv": ("grades.csv", table),
    "json": ("grades.json", as_json),
    "junit": ("grades.xml", junit),
    "canvas": ("canvas.csv", canvas),
}
FORMATS = (*ONE_FILE, "gradescope")


def export(marks: list[LessonMarks], format: str, out: Path | None = None) -> list[Path]:
    """Write marks in one of FORMATS to `out` and return what was written.

    `out` is a file, for gradescope a folder; by default it is named after the format.
    """
    if format == "gradescope":
        return _write(out or Path("gradescope"), gradescope(marks))
    name, made = ONE_FILE[format]
    path = out or Path(name)
    return _write(path.parent, {path.name: made(marks)})


def _write(folder: Path, files: Files) -> list[Path]:
    written = []
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.write(text)
        written.append(path)
    return written
