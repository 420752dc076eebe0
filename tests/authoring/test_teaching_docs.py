"""What docs/ says to learners and teachers about lessons is in the lessons: names and minutes."""

import re

import pytest
from testkit.lesson_places import (
    ROOT,
    code_by_heading,
    exercise,
    fault,
    lesson_links,
    lessons,
    notebook_link,
)

from grader.model.drill import TOPICS

DOCS = ROOT / "docs"
KIT = (DOCS / "instructor-kit.md").read_text(encoding="utf-8")
BIBLIOGRAPHY = (DOCS / "bibliography.md").read_text(encoding="utf-8")
FAST_PATH = 25  # minutes
BEYOND = re.compile(r"^# #+ (?:Going further|Further).*?(?=^# # Part|\Z)", re.M | re.S)


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def rows(section: str) -> list[list[str]]:
    """The cells of the tables in a section of the kit, without heads and rules."""
    text = KIT.split(f"\n## {section}\n")[1].split("\n## ")[0]
    found = [
        [c.strip() for c in line.split("|")[1:-1]]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    return [cells for cells in found[1:] if set(cells[0]) != {"-"}]


def minutes(lesson: str, part: str = "") -> tuple[int, int]:
    """The minutes of an engineer and of a student, from the first cell of the lesson or of its part."""
    times = [c.source for c in lessons()[lesson].notebook.cells if "**Time**" in c.source]
    text = next(one for one in times if not part or one.startswith(f"# {part}"))
    sentence = text.split("**Time**")[1].split("**Fast path**")[0]
    spans = re.findall(r"(?:(\d) hours?(?: (\d+) minutes)?|(\d+) minutes)", sentence)[:2]
    first, second = (int(h or 0) * 60 + int(m or 0) + int(only or 0) for h, m, only in spans)
    return first, second


@pytest.mark.parametrize("name", ["cheat-sheets", "bibliography", "instructor-kit"])
def test_every_place_in_a_lesson_exists_and_is_linked(name: str) -> None:
    text = page(name)
    assert not fault(" ".join(text.split()))
    unknown = [
        id for id in re.findall(r"(?<![\d.:])\d\d\.\d{1,2}(?![\d:])", text) if not exercise(id)
    ]
    assert not unknown
    used = set(re.findall(r"\[(\d\d)\](?!:)", text))
    assert lesson_links(text) == {lesson: notebook_link(lesson) for lesson in used}


def test_the_minutes_and_exercises_of_each_lesson_are_those_of_the_lesson() -> None:
    table = rows("Minutes by lesson")
    assert [cells[0] for cells in table] == [
        f"[{id}] {lesson.notebook.cells[0].source.splitlines()[0].split(' · ')[1]}"
        for id, lesson in lessons().items()
    ]
    for name, engineer, student, core, further in table:
        assert (int(engineer), int(student)) == minutes(name[1:3]), name
        text = lessons()[name[1:3]].text.read_text(encoding="utf-8")
        beyond = "".join(BEYOND.findall(text))
        for ids, part in ((core, BEYOND.sub("", text)), (further, beyond)):
            checked = re.findall(r'^grader\.check\(\s*"(\d\d\.\d+)"', part, re.M)
            assert sorted(re.findall(r"\d\d\.\d+", ids)) == sorted(set(checked)), name


@pytest.mark.parametrize("days", ["two", "five"])
def test_the_days_of_a_plan_add_up(days: str) -> None:
    spent: dict[tuple[str, str], int] = {}
    day = [0, 0]
    table = rows(f"Plan for {days} days")
    for _, lesson, cells, _, work, talk in table:
        if "**sum**" in cells:
            assert [int(work), int(talk)] == day
            assert sum(day) <= 6 * 60
            day = [0, 0]
            continue
        day = [day[0] + int(work), day[1] + int(talk)]
        headings = code_by_heading(lesson[1:3])
        for title in re.findall(r"\*([^*]+)\*", cells):
            assert any(heading.startswith(title) for heading in headings), title
        if "fast path" in lesson:
            assert int(work) == FAST_PATH
        else:
            part = re.search(r"part [A-Z]", lesson)
            place = (lesson[1:3], f"P{part[0][1:]}" if part else "")
            spent[place] = spent.get(place, 0) + int(work)
    assert day == [0, 0]
    assert spent == {place: minutes(*place)[0] for place in spent}


def test_the_weeks_of_the_plan_add_up() -> None:
    table = rows("Plan for twelve weeks")
    assert len(table) == 12
    for _, named, _, _, work in table:
        times = [
            FAST_PATH if fast else minutes(lesson)[1]
            for lesson, fast in re.findall(r"\[(\d\d)\]( fast path)?", named)
        ]
        assert int(work) == sum(times), named


def test_each_lesson_has_a_demo_questions_three_mistakes_and_its_picture() -> None:
    parts = re.split(r"^### (\d\d) · ", KIT, flags=re.M)[1:]
    assert dict(zip(parts[::2], parts[1::2], strict=True)).keys() == lessons().keys()
    for lesson, text in zip(parts[::2], parts[1::2], strict=True):
        demo, discuss, mistakes, project = re.split(
            r"\*\*(?:Discuss|Mistakes|Project)\*\*", text.split("**Demo**")[1]
        )
        assert re.search(rf"\[{lesson}\] \*[^*]+\*, `", demo), lesson
        assert 2 <= discuss.count("\n- ") <= 3, lesson
        assert len(re.findall(rf"\*\*{lesson}\.\d\*\* “", mistakes)) == 3, lesson
        assert f"/{lesson}.0.svg" in project, lesson


def test_the_topics_of_the_drill_exist() -> None:
    named = re.findall(r"grader drill ([a-z ]+?)(?: --|\n)", KIT)
    assert named
    assert set(named) <= set(TOPICS)


@pytest.mark.parametrize("lesson", sorted(lessons()))
def test_the_bibliography_has_what_a_lesson_says_to_read(lesson: str) -> None:
    text = " ".join(lessons()[lesson].text.read_text(encoding="utf-8").replace("\n# ", " ").split())
    read_more = text.split("## Read more")[1].split("# %%")[0].split(" ## ")[0]
    entries = re.split(r"\n\s*- ", BIBLIOGRAPHY)
    for address in re.findall(r"\]\((https?:[^)\s]+)\)", read_more):
        named = [entry for entry in entries if f"({address})" in entry]
        assert any(f"[{lesson}]" in entry for entry in named), address
