"""What a new exercise still has from its template, and which part to write next."""

from __future__ import annotations

import re
from pathlib import Path

from grader.authoring.lesson_source import ExerciseSource

# in the order in which they are best written
PARTS = (
    "title",
    "task",
    "subject",
    "solution",
    "events",
    "mistakes",
    "rules",
    "equivalents",
    "hidden events",
    "hints",
    "discussion",
)


def next_part(source: ExerciseSource) -> str | None:
    """Where the next part to write is, and what to write; None if none is left."""
    found = [todo for path in _files(source) for todo in _todos(path, source.exercise.id)]
    if not found:
        return None
    part, path, line, what = min(found, key=lambda todo: PARTS.index(todo[0]))
    left = len({todo[0] for todo in found})
    where = path.relative_to(source.lesson.folder.parents[1])
    parts = "1 part" if left == 1 else f"{left} parts"
    return (
        f"{source.exercise.id} lacks its own {part} ({where}:{line}; {parts} left). "
        f"Fix: {what} Then delete the TODO."
    )


def _files(source: ExerciseSource) -> list[Path]:
    return [source.lesson.text, *sorted(path for path in source.folder.iterdir() if path.is_file())]


def _todos(path: Path, id: str) -> list[tuple[str, Path, int, str]]:
    """The lines `TODO ID PART: what to write` of a file: part, file, line number, what."""
    pattern = re.compile(rf'TODO {re.escape(id)} ({"|".join(PARTS)}): ([^"\n]*)')
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [(number, pattern.search(line)) for number, line in enumerate(lines, start=1)]
    return [(todo[1], path, number, todo[2]) for number, todo in found if todo]
