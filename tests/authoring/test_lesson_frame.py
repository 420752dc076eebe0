"""Every lesson has the frame of docs/style.md; a lesson for two sittings has it once per part."""

import re

import pytest
from testkit.lesson_places import lessons

from grader.scenario import place_of

LABELS = ("**Objectives**", "**Time**", "**Fast path**")
CLOSING = ("## Recap{}: the facts", "## What you can now do{}")
PART = re.compile(r"^# (Part [A-Z]) · .+$", re.M)
OF_A_PART = 90  # minutes of an engineer, at most
IN_PARTS = ("13", "14", "15", "17")


def prose(lesson: str) -> str:
    cells = lessons()[lesson].notebook.cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def parts_of(text: str) -> dict[str, str]:
    """The parts of a lesson, by name; what is before the first part belongs to none."""
    _, *found = PART.split(text)
    return dict(zip(found[::2], found[1::2], strict=True))


def missing(text: str, part: str = "") -> list[str]:
    """What the frame lacks in a lesson or in one of its parts, the order included."""
    of, after = (f" of {part}", f" after {part}") if part else ("", "")
    wanted = [*LABELS, CLOSING[0].format(of), CLOSING[1].format(after)]
    places = [text.find(one) for one in wanted]
    absent = [one for one, place in zip(wanted, places, strict=True) if place < 0]
    return absent or ([] if places == sorted(places) else ["order"])


def minutes(text: str) -> list[int]:
    """The minutes of an engineer and of a student, from the first **Time** in a text."""
    sentence = text.split("**Time**")[1].split("\n\n")[0]
    spans = re.findall(r"(?:(\d) hours?(?:\s(\d+) minutes)?|(\d+) minutes)", sentence)[:2]
    return [int(h or 0) * 60 + int(m or 0) + int(only or 0) for h, m, only in spans]


@pytest.mark.parametrize("lesson", sorted(lessons()))
def test_a_lesson_has_its_frame(lesson: str) -> None:
    text = prose(lesson)
    parts = parts_of(text)
    assert ("Part A" in parts) == (lesson in IN_PARTS)
    if not parts:
        assert missing(text) == []
    for name, part in parts.items():
        assert missing(part, name.replace("Part", "part")) == [], name


@pytest.mark.parametrize("lesson", IN_PARTS)
def test_each_part_is_one_sitting_and_the_parts_add_up(lesson: str) -> None:
    text = prose(lesson)
    parts = parts_of(text)
    assert list(parts) == ["Part A", "Part B"]
    times = [minutes(part) for part in parts.values()]
    assert all(engineer <= OF_A_PART for engineer, _ in times)
    assert [sum(column) for column in zip(*times, strict=True)] == minutes(text)


@pytest.mark.parametrize("lesson", IN_PARTS)
def test_exercises_keep_their_order_and_each_part_has_some(lesson: str) -> None:
    text = prose(lesson)
    exercise = re.compile(rf"^## Exercise ({lesson}\.\d+)", re.M)
    ids = exercise.findall(text)
    assert ids == sorted(ids, key=place_of)
    assert [id for part in parts_of(text).values() for id in exercise.findall(part)] == ids
    assert all(exercise.search(part) for part in parts_of(text).values())


def test_what_a_part_lacks_is_found() -> None:
    text = "**Objectives**\n**Time**\n**Fast path**\n## Recap of part B: the facts\n"
    assert missing(text, "part B") == ["## What you can now do after part B"]
    assert missing(f"## What you can now do after part B\n{text}", "part B") == ["order"]
