"""What a placement test comes to: for each lesson skip, skim or study, and the one to begin with."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from grader.model.drill.placement.placement import COUNT, Placement
from grader.progress_pages.placement_advice import RULE, UNASKED, advice_of, first_lesson

WIDTH = 100
NOTHING = "No question is answered, so there is no advice."


@dataclass(frozen=True)
class Lesson:
    """A lesson's title, and its file as a path in course/: the notebook, or the page of a site."""

    title: str
    file: str


@dataclass(frozen=True)
class PlacementResult:
    """The answers of a test, next to the lessons that are here, by their numbers.

    `course` leads from where the HTML is shown to course/.
    """

    placement: Placement
    lessons: Mapping[str, Lesson]
    course: str = ""

    def to_dict(self) -> dict[str, Any]:
        """What `grader drill placement --json` promises; `begin` is null without an answer."""
        answers = self.placement.answers
        begin = first_lesson(advice_of(answers)) if answers else None
        return {
            "seed": self.placement.seed,
            "asked": len(answers),
            "right": sum(right for _, right in answers),
            "lessons": [
                {**asdict(one), "title": self._title(one.lesson)} for one in advice_of(answers)
            ],
            "begin": begin and {"lesson": begin, "notebook": self._notebook(begin)},
        }

    def text(self) -> str:
        if not self.placement.answers:
            return NOTHING
        advice = advice_of(self.placement.answers)
        begin = first_lesson(advice)
        notebook = self._notebook(begin)
        return "\n".join(
            [
                self._score(),
                *(
                    f"    {one.what:<9} {self._named(one.lesson):<40} "
                    f"{f'{one.right} of {one.asked}' if one.asked else ''}".rstrip()
                    for one in advice
                ),
                *textwrap.wrap(f"{RULE} {self._about_unasked()}", WIDTH),
                f"Begin with {self._named(begin)}: start the lab with `grader lab`"
                + (f" and open {notebook}" if notebook else ""),
            ]
        )

    def html(self) -> str:
        if not self.placement.answers:
            return NOTHING
        advice = advice_of(self.placement.answers)
        rows = "".join(
            f"<tr><td>{one.what}</td><td>{self._link(one.lesson)}</td>"
            f"<td>{f'{one.right} of {one.asked}' if one.asked else ''}</td></tr>"
            for one in advice
        )
        return (
            f'<div role="status"><p>{self._score()}</p><table>{rows}</table>'
            f'<p class="ss-told">{escape(RULE)} {escape(self._about_unasked())}</p>'
            f'<p class="ss-asked">Begin with {self._link(first_lesson(advice))}</p></div>'
        )

    def _score(self) -> str:
        answers = self.placement.answers
        left = "" if len(answers) == COUNT else f" The test has {COUNT} questions."
        return f"{sum(right for _, right in answers)} of {len(answers)} right.{left}"

    def _about_unasked(self) -> str:
        named = " and ".join(self._named(lesson) for lesson in UNASKED)
        return f"No question is on {named}: they are for everyone."

    def _title(self, lesson: str) -> str:
        return self.lessons[lesson].title if lesson in self.lessons else ""

    def _named(self, lesson: str) -> str:
        return f"{lesson} {self._title(lesson)}".rstrip()

    def _notebook(self, lesson: str) -> str | None:
        """Its path in the project's folder; None if the lesson is not here."""
        return f"course/{self.lessons[lesson].file}" if lesson in self.lessons else None

    def _link(self, lesson: str) -> str:
        named = escape(self._named(lesson))
        if lesson not in self.lessons:
            return named
        return f'<a href="{escape(self.course + self.lessons[lesson].file)}">{named}</a>'
