"""docs/map.md says where something runs; the lessons have it just there."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from grader.authoring.lesson_source import LessonSource, read_lessons, solved_away

ROOT = Path(__file__).resolve().parents[2]
MAP = ROOT / "docs" / "map.md"
EXERCISE = re.compile(r"\*\*(\d\d\.\d)\*\*(?: “([^”]+)”)?")
HEADING = re.compile(r"\[(\d\d)\] \*([^*]+)\*((?:, `[^`]+`)*)")
HEADS = ("where it runs", "what runs here", "told of in")
NOT_HERE = "What does not run here"


@dataclass(frozen=True)
class Entry:
    """A row of one of the tables: what it is about, and the text that says where."""

    section: str
    what: str
    where: str


def entries() -> list[Entry]:
    found, section = [], ""
    for line in MAP.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if cells and set(cells[0]) != {"-"}:
            found.append(Entry(section, *cells[:2]))
    return [entry for entry in found if entry.where not in HEADS]


@cache
def lessons() -> dict[str, LessonSource]:
    return {lesson.id: lesson for lesson in read_lessons(ROOT / "solutions")}


@cache
def code_by_heading(lesson: str) -> dict[str, list[str]]:
    """The headings of a lesson; for each the live cells under it, as students get them."""
    found: dict[str, list[str]] = {}
    heading = ""
    for cell in lessons()[lesson].notebook.cells:
        if cell.cell_type == "markdown":
            headings = re.findall(r"^#+ (.+)$", cell.source, re.M)
            found |= {title: [] for title in headings}
            heading = headings[-1] if headings else heading
        else:
            found[heading].append(solved_away(cell.source))
    return found


def fault(where: str) -> str | None:
    """What is not so in a text that says where something runs; None if all of it is."""
    for lesson, title, phrases in HEADING.findall(where):
        if lesson not in lessons():
            return f"there is no lesson {lesson}"
        if title not in code_by_heading(lesson):
            return f"lesson {lesson} has no heading “{title}”: take it from its lesson.py"
        code = "\n".join(code_by_heading(lesson)[title])
        for phrase in re.findall(r"`([^`]+)`", phrases):
            if phrase not in code:
                return f"no cell under “{title}” of lesson {lesson} has {phrase}"
    for id, mistake in EXERCISE.findall(where):
        lesson_source = lessons().get(id.split(".")[0])
        parts = lesson_source.parts if lesson_source else []
        named = [part for part in parts if part.exercise.id == id]
        if not named:
            return f"there is no exercise {id}"
        if mistake and mistake not in [one.title for one in named[0].misconceptions]:
            return f"{id} knows no mistake “{mistake}”: see its misconceptions.py"
    left = HEADING.sub("", EXERCISE.sub("", where)).replace(";", "").strip()
    return f"“{left}” is neither an exercise nor a heading with its lesson" if left else None


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.what[:50])
def test_it_is_where_the_map_says(entry: Entry) -> None:
    assert not fault(entry.where)


@pytest.mark.parametrize(
    "entry",
    [entry for entry in entries() if entry.section != NOT_HERE],
    ids=lambda entry: entry.what[:50],
)
def test_what_runs_has_a_place_with_code(entry: Entry) -> None:
    phrases = [phrases for _, _, phrases in HEADING.findall(entry.where)]
    assert phrases or EXERCISE.search(entry.where), "name an exercise, or a heading"
    assert all(phrases), "behind a heading name what stands in its cell"


def test_every_lesson_is_named_and_linked() -> None:
    text = MAP.read_text(encoding="utf-8")
    links = dict(re.findall(r"^\[(\d\d)\]: (\S+)$", text, re.M))
    used = {lesson for lesson, *_ in HEADING.findall(text)}
    names = {lesson: lessons()[lesson].name for lesson in used}
    assert links == {id: f"../course/{name}/{name}.ipynb" for id, name in names.items()}
    exercises = {id.split(".")[0] for id, _ in EXERCISE.findall(text)}
    assert used | exercises == set(lessons()), "a lesson of which the map knows nothing"


@pytest.mark.parametrize(
    ("where", "what"),
    [
        ("**06.9**", "no exercise 06.9"),
        ("**06.2** “Nobody makes this one”", "knows no mistake"),
        ("[06] *A heading that is not there*", "has no heading"),
        ("[06] *Who waits for whom*, `leftSide`", "no cell under"),
        ("[01] *A hot page*, `def write`", "no cell under"),
        ("[99] *Who waits for whom*", "no lesson 99"),
        ("somewhere in lesson 06", "neither"),
    ],
)
def test_a_place_that_is_not_so_is_found(where: str, what: str) -> None:
    assert what in (fault(where) or "")
