"""What the answers of a placement test advise: which lessons to skip, skim and study, and where to begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# two questions for each part: both of its one lesson, or one of each of its two
PARTS = (
    ("00", "01"), ("02",), ("03",), ("04", "05"), ("06",),
    ("07", "08"), ("09", "10"), ("11", "12"), ("13", "14"), ("15",),
)  # fmt: skip
LESSONS = tuple(lesson for part in PARTS for lesson in part)
CAPSTONE = "16"  # puts all lessons to use
UNASKED = (CAPSTONE, "17")  # no question is on these
OF_PART = 2  # questions
RULE = (
    "Two questions belong to each part of the course. If both are right, skip its lessons. "
    "If only one is right, skim its lesson: the fast path, 25 minutes. Study the others."
)
Answers = Sequence[tuple[str, bool]]  # for each question: the lesson, and whether it was right


@dataclass(frozen=True)
class Advice:
    """What to do with a lesson: "skip", "skim", "study", or "not asked" if the test ended before it."""

    lesson: str
    right: int
    asked: int
    what: str


def advice_of(answers: Answers) -> list[Advice]:
    """The advice for each lesson of the test, by the RULE."""
    found = []
    for part in PARTS:
        passed = sum(right for lesson, right in answers if lesson in part) == OF_PART
        for lesson in part:
            of_lesson = [right for answered, right in answers if answered == lesson]
            what = "skip" if passed else "skim" if any(of_lesson) else "study"
            found.append(
                Advice(lesson, sum(of_lesson), len(of_lesson), what if of_lesson else "not asked")
            )
    return found


def sound_answers(found: object) -> list[tuple[str, bool]]:
    """The answers of a test as a file or a browser has it; empty if it is damaged."""
    answers = found.get("answers") if isinstance(found, dict) else None
    if not isinstance(answers, list) or len(answers) > OF_PART * len(PARTS):
        return []
    pairs = [one for one in answers if isinstance(one, list | tuple) and len(one) == 2]
    sound = [
        (lesson, right) for lesson, right in pairs if lesson in LESSONS and type(right) is bool
    ]
    return sound if len(sound) == len(answers) else []


def first_lesson(advice: Sequence[Advice]) -> str:
    """The number of the first lesson that is not skipped."""
    return next((one.lesson for one in advice if one.what != "skip"), CAPSTONE)


def advice_line(answers: Answers) -> str:
    """The advice in one line, for the progress page; empty if there is no answer."""
    if not answers:
        return ""
    advice = advice_of(answers)
    parts = []
    for what in ("skip", "skim", "study"):
        lessons = [one.lesson for one in advice if one.what == what]
        parts += [f"{what} {', '.join(lessons)}"] if lessons else []
    return f"Placement: {'; '.join(parts)}; begin with lesson {first_lesson(advice)}"
