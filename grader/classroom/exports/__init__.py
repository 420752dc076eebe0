"""Exports grades in the formats that other programs read: each a function from marks to a string or to files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from grader.classroom.exports.canvas_csv import canvas
from grader.classroom.exports.grades_csv import table
from grader.classroom.exports.grades_json import as_json
from grader.classroom.exports.gradescope_results import gradescope
from grader.classroom.exports.junit_xml import junit
from grader.classroom.exports.moodle_csv import moodle
from grader.classroom.marks import LessonMarks

Files = dict[str, str]  # path in the folder that is written → text

# format → the file that is written by default, and what makes its text
ONE_FILE: dict[str, tuple[str, Callable[[list[LessonMarks]], str]]] = {
    "csv": ("grades.csv", table),
    "json": ("grades.json", as_json),
    "junit": ("grades.xml", junit),
    "canvas": ("canvas.csv", canvas),
}
# format → the folder that is written by default, and what makes its files: one for each submission or lesson
A_FOLDER: dict[str, tuple[str, Callable[[list[LessonMarks]], Files]]] = {
    "gradescope": ("gradescope", gradescope),
    "moodle": ("moodle", moodle),
}
FORMATS = (*ONE_FILE, *A_FOLDER)


def export(marks: list[LessonMarks], format: str, out: Path | None = None) -> list[Path]:
    """Write marks in one of FORMATS to `out` and return what was written.

    `out` is a file, or a folder for the formats in A_FOLDER; by default it is named after the format.
    """
    if format in A_FOLDER:
        folder, files = A_FOLDER[format]
        return _write(out or Path(folder), files(marks))
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
