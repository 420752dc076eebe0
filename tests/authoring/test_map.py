"""docs/map.md says where something runs; the lessons have it just there."""

from dataclasses import dataclass

import pytest
from testkit import lesson_places
from testkit.lesson_places import (
    EXERCISE,
    HEADING,
    ROOT,
    lesson_links,
    lessons,
    notebook_link,
)

MAP = ROOT / "docs" / "map.md"
HEADS = ("where it runs", "what runs here", "described in")
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


def fault(where: str) -> str | None:
    """What is not so in a text that says where something runs; None if all of it is."""
    left = HEADING.sub("", EXERCISE.sub("", where)).replace(";", "").strip()
    beside = f"“{left}” is neither an exercise nor a heading with its lesson" if left else None
    return lesson_places.fault(where) or beside


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
    used = {lesson for lesson, *_ in HEADING.findall(text)}
    assert lesson_links(text) == {lesson: notebook_link(lesson) for lesson in used}
    exercises = {id.split(".")[0] for id, _ in EXERCISE.findall(text)}
    assert used | exercises == set(lessons()), "a lesson of which the map knows nothing"


@pytest.mark.parametrize(
    ("where", "what"),
    [
        ("**06.9**", "no exercise 06.9"),
        ("**06.2** “Nobody makes this one”", "knows no mistake"),
        ("[06] *A heading that is not there*", "has no heading"),
        ("[06] *Join state: which rows wait for a partner*, `leftSide`", "no cell under"),
        (
            "[01] *A hot page: skewed joins and adaptive query execution*, `def write`",
            "no cell under",
        ),
        ("[99] *Who waits for whom*", "no lesson 99"),
        ("somewhere in lesson 06", "neither"),
    ],
)
def test_a_place_that_is_not_so_is_found(where: str, what: str) -> None:
    assert what in (fault(where) or "")
