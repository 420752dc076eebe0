"""Places in lessons that documents name: exercises, their mistakes, headings and code under them.

**06.2** “Only orders with a payment left”
[06] *How long a row stays in the join state*, `joinSide`
"""

import re
from functools import cache

from grader.authoring.lesson_source import ExerciseSource, LessonSource, read_lessons, solved_away
from testkit.lab_processes import ROOT

EXERCISE = re.compile(r"\*\*(\d\d\.\d+)\*\*(?: “([^”]+)”)?")
HEADING = re.compile(r"\[(\d\d)\] \*([^*]+)\*((?:, `[^`]+`)*)")


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


def exercise(id: str) -> ExerciseSource | None:
    """A graded exercise or a worked example, by its number."""
    lesson = lessons().get(id.split(".")[0])
    parts = lesson.parts if lesson else []
    return next((part for part in parts if part.exercise.id == id), None)


def fault(text: str) -> str | None:
    """The first place in a text that is not in the lessons, and why; None if all are."""
    for lesson, title, phrases in HEADING.findall(text):
        if lesson not in lessons():
            return f"there is no lesson {lesson}"
        if title not in code_by_heading(lesson):
            return f"lesson {lesson} has no heading “{title}”: take it from its lesson.py"
        code = "\n".join(code_by_heading(lesson)[title])
        for phrase in re.findall(r"`([^`]+)`", phrases):
            if phrase not in code:
                return f"no cell under “{title}” of lesson {lesson} has {phrase}"
    for id, mistake in EXERCISE.findall(text):
        named = exercise(id)
        if not named:
            return f"there is no exercise {id}"
        if mistake and mistake not in [one.title for one in named.misconceptions]:
            return f"{id} knows no mistake “{mistake}”: see its misconceptions.py"
    return None


def lesson_links(text: str) -> dict[str, str]:
    """The definitions of links to notebooks at the end of a document, by lesson."""
    return dict(re.findall(r"^\[(\d\d)\]: (\S+)$", text, re.M))


def notebook_link(lesson: str) -> str:
    """The link from a page in docs/ to a lesson's notebook."""
    name = lessons()[lesson].name
    return f"../course/{name}/{name}.ipynb"
