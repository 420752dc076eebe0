"""The page that drills and the page with explorers, as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from html import escape
from pathlib import Path

from grader.judging.check_pack import find_packs, read_pack
from grader.model.drill import TOPICS
from grader.model.drill.placement.placement_result import Lesson
from grader.model.explorer.board_view import SECONDS, shift_name
from grader.page.offered_exercises import OfferedLesson, offered_lessons
from grader.site.play_frame import filled, framed
from grader.site.practice_links import Practice, practice_of


def drill_page(course: Path) -> str:
    """The page with its topics; its questions come from its Python, and the lessons that a placement test advises."""
    topics = "\n".join(map(_topic, TOPICS))
    found = {
        lesson: (read_pack(path).title, path.parent.name)
        for lesson, path in find_packs(course).items()
    }
    lessons = {
        lesson: asdict(Lesson(title, f"{folder}/{folder}.html"))
        for lesson, (title, folder) in sorted(found.items())
    }
    data = {"lessons": lessons, "folder": "../course/"}
    return framed("drill.html", "drill", "drill.js", filled("drill.html", topics=topics), data)


def _topic(topic: str) -> str:
    anchor = Practice("drill", topic).anchor
    return (
        f'<li><a id="{anchor}" href="#{anchor}">{topic.capitalize()}</a> '
        f'<span class="mark" data-mark="{topic}"></span></li>'
    )


def explore_page(course: Path) -> str:
    """The page with the explorer of each worked example that a notebook explores; its Python draws them."""
    examples = "\n".join(one for lesson in offered_lessons(course) for one in _examples(lesson))
    shifts = "\n".join(
        f'<button type="button" class="plain" data-shift="{seconds}">{shift_name(seconds)}</button>'
        for seconds in SECONDS
    )
    main = filled("explore.html", examples=examples, shifts=shifts)
    return framed("explore.html", "explorers", "explore.js", main)


def _examples(lesson: OfferedLesson) -> Iterator[str]:
    page = f"../course/{lesson.folder.name}/{lesson.notebook.stem}.html"
    for one in practice_of(lesson.notebook):
        if one.verb == "explore":
            title = escape(lesson.pack.exercises[one.of].exercise.title)
            yield (
                f'<li><a id="{one.of}" href="#{one.of}" data-lesson="{page}">{one.of} {title}</a></li>'
            )
