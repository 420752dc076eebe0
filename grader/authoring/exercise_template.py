"""A new exercise: its folder and its cells in the lesson, filled with the example of its kind."""

from __future__ import annotations

import json
import keyword
import re
import unicodedata
from pathlib import Path
from string import Template

from grader.authoring.answer import SourceError
from grader.authoring.lesson_source import LessonSource, read_lessons

_TEMPLATES = Path(__file__).parent / "exercise_templates"
_UNTITLED = "Untitled"
_PART = re.compile(r"^# # Part [A-Z] · ", re.M)  # each part of a lesson has a closing section
# the first cell of a closing section, or the cell that ends a lesson
_CLOSING = re.compile(
    r"^# %% \[markdown\]\n# #+ (?:What you can|Recap)|^# %%.*\ngrader\.progress\(\)", re.M
)


def write_exercise(solutions: Path, id: str, title: str, returns: str) -> list[Path]:
    """Write the folder and the cells of exercise `id`; returns the files, the lesson's text last.

    An empty `title` leaves it to be written. Raises SourceError, and writes nothing, if the lesson
    does not exist, the number is taken, or no function can be named after the title.
    """
    lesson = _lesson_of(solutions, id)
    _check_free(lesson, id)
    name = _function_name(lesson, title or _UNTITLED)
    title = title or f"TODO {id} title: Write what the list of exercises shows."
    files = _filled(returns, id=id, title=title, answer=name)
    cells = files.pop("lesson.py")
    folder = lesson.folder / f"{id}_{name}"
    folder.mkdir()
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8")
    lesson.text.write_text(_with_cells(_text(lesson), cells), encoding="utf-8")
    return [*(folder / file for file in files), lesson.text]


def _lesson_of(solutions: Path, id: str) -> LessonSource:
    if not re.fullmatch(r"\d\d\.\d+", id):
        raise SourceError(
            f"{id!r} is no exercise number. Fix: write lesson and number, such as 04.6."
        )
    lessons = {lesson.id: lesson for lesson in read_lessons(solutions)}
    wanted = id.partition(".")[0]
    if wanted not in lessons:
        raise SourceError(
            f"there is no lesson {wanted}. Fix: take one of {', '.join(lessons)}, or begin a lesson: "
            f"solutions/{wanted}_topic/ with a lesson.toml and a lesson.py."
        )
    return lessons[wanted]


def _check_free(lesson: LessonSource, id: str) -> None:
    taken = {part.exercise.id: part.folder for part in lesson.parts}
    if id in taken:
        free = 1 + max(int(other.partition(".")[2]) for other in taken)
        raise SourceError(
            f"{id} is taken by {taken[id].name}. Fix: take the next free number, {lesson.id}.{free}."
        )


def _function_name(lesson: LessonSource, title: str) -> str:
    """The function that learners write, named after the title."""
    ascii = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "_", ascii).strip("_")
    if not title.isprintable() or not name.isidentifier() or keyword.iskeyword(name):
        raise SourceError(
            f"no function can be named after the title {title!r}. "
            'Fix: give one that begins with a letter, such as --title "Clicks per minute".'
        )
    if re.search(rf"^(?:def |class |import |from .* import .*)?\b{name}\b", _text(lesson), re.M):
        raise SourceError(
            f"{lesson.name}/lesson.py has the name {name} already. Fix: give another --title."
        )
    return name


def _text(lesson: LessonSource) -> str:
    return lesson.text.read_text(encoding="utf-8")


def _filled(returns: str, *, id: str, title: str, answer: str) -> dict[str, str]:
    """File name → text, of the template for what the function returns."""
    template = Template((_TEMPLATES / f"{returns}.txt").read_text(encoding="utf-8"))
    quoted = json.dumps(title, ensure_ascii=False)  # as TOML quotes it, too
    text = template.substitute(id=id, title=title, quoted_title=quoted, answer=answer)
    parts = re.split(r"^=== (.+)\n", text, flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _with_cells(text: str, cells: str) -> str:
    """A lesson's text with the cells before its last closing section, else at its end."""
    last_part = max((found.start() for found in _PART.finditer(text)), default=0)
    closing = _CLOSING.search(text, last_part)
    if closing is None:
        return f"{text.rstrip()}\n\n{cells.rstrip()}\n"
    return text[: closing.start()] + cells + text[closing.start() :]
