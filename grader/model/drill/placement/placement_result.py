"""What a placement test comes to: for each lesson skip, skim or study, and the notebook to begin with."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

from grader.judging.check_pack import FILE_NAME, Pack, read_pack
from grader.learner.course_packs import packs_near
from grader.model.drill.placement.placement import COUNT, Placement
from grader.progress_pages.placement_advice import CAPSTONE, RULE, advice_of, first_lesson
from grader.progress_pages.progress_page import notebook_of

WIDTH = 100
NOTHING = "No question is answered, so there is no advice."


@dataclass(frozen=True)
class PlacementResult:
    """The answers of a test, next to the lessons in the folder `near` or the course/ around it."""

    placement: Placement
    near: Path

    def to_dict(self) -> dict[str, Any]:
        """What `grader drill placement --json` promises; `begin` is null without an answer."""
        answers, lessons = self.placement.answers, self._lessons()
        begin = first_lesson(advice_of(answers)) if answers else None
        return {
            "seed": self.placement.seed,
            "asked": len(answers),
            "right": sum(right for _, right in answers),
            "lessons": [
                {**asdict(one), "title": _title(lessons, one.lesson)} for one in advice_of(answers)
            ],
            "begin": begin and {"lesson": begin, "notebook": _notebook(lessons, begin)},
        }

    def text(self) -> str:
        if not self.placement.answers:
            return NOTHING
        advice, lessons = advice_of(self.placement.answers), self._lessons()
        begin = first_lesson(advice)
        notebook = _notebook(lessons, begin)
        return "\n".join(
            [
                self._score(),
                *(
                    f"    {one.what:<9} {_named(lessons, one.lesson):<40} "
                    f"{f'{one.right} of {one.asked}' if one.asked else ''}".rstrip()
                    for one in advice
                ),
                *textwrap.wrap(f"{RULE} {self._about_capstone(lessons)}", WIDTH),
                f"Begin with {_named(lessons, begin)}: start the lab with `grader lab`"
                + (f" and open {notebook}" if notebook else ""),
            ]
        )

    def html(self) -> str:
        if not self.placement.answers:
            return NOTHING
        advice, lessons = advice_of(self.placement.answers), self._lessons()
        up = "../" if (self.near / FILE_NAME).exists() else ""
        rows = "".join(
            f"<tr><td>{one.what}</td><td>{_link(lessons, one.lesson, up)}</td>"
            f"<td>{f'{one.right} of {one.asked}' if one.asked else ''}</td></tr>"
            for one in advice
        )
        return (
            f'<div role="status"><p>{self._score()}</p><table>{rows}</table>'
            f'<p class="ss-told">{escape(RULE)} {escape(self._about_capstone(lessons))}</p>'
            f'<p class="ss-asked">Begin with {_link(lessons, first_lesson(advice), up)}</p></div>'
        )

    def _score(self) -> str:
        answers = self.placement.answers
        left = "" if len(answers) == COUNT else f" The test has {COUNT} questions."
        return f"{sum(right for _, right in answers)} of {len(answers)} right.{left}"

    def _about_capstone(self, lessons: dict[str, Pack]) -> str:
        return f"No question is on {_named(lessons, CAPSTONE)}: it is for everyone."

    def _lessons(self) -> dict[str, Pack]:
        return {lesson: read_pack(path) for lesson, path in packs_near(self.near).items()}


def _title(lessons: dict[str, Pack], lesson: str) -> str:
    return lessons[lesson].title if lesson in lessons else ""


def _named(lessons: dict[str, Pack], lesson: str) -> str:
    return f"{lesson} {_title(lessons, lesson)}".rstrip()


def _notebook(lessons: dict[str, Pack], lesson: str) -> str | None:
    """Its path in the project's folder; None if the lesson is not here."""
    return f"course/{notebook_of(lessons[lesson])}" if lesson in lessons else None


def _link(lessons: dict[str, Pack], lesson: str, up: str) -> str:
    named = escape(_named(lessons, lesson))
    if lesson not in lessons:
        return named
    return f'<a href="{escape(up + notebook_of(lessons[lesson]))}">{named}</a>'
