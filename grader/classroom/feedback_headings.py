"""Feedback pages for screen readers: the page's language, and a heading for every answer and verdict."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

from traitlets.config import Config

from grader.classroom.course import Course
from grader.sandbox.notebook_cells import check_id

_LABEL = re.compile(
    r'((?:<a name="(?:comment-)?(?P<id>[^"]+)"></a>\s*)+<div class="panel-heading">\s*)'
    r'<span class="nbgrader-label">(?P<label>.*?)</span>',
    re.S,
)
_ENTRY = re.compile(r'<a href="#(?P<id>(?:comment-)?[^"]+)">(?P<label>[^<]+)</a>')


class NameFeedbackHeadings:
    """nbgrader's post-convert hook of generate_feedback: rewrites the headings of a student's pages."""

    def __init__(self, **directory: str):
        self._config = Config(CourseDirectory=Config(directory))

    def __call__(self, assignment: str, student: str, notebooks: list[str]) -> None:
        course = Course.running(self._config)
        names = {}
        for packed in course.pack(assignment).graded():
            exercise = packed.exercise
            names[exercise.answer] = escape(f"Answer to {exercise.id} {exercise.title}")
            names[check_id(exercise)] = escape(f"Verdict on {exercise.id} {exercise.title}")
        directory = course.directory
        # nbgrader names "*" for the student if it converts all; its notebooks are those of one
        for name in {Path(notebook).parents[1].name for notebook in notebooks}:
            folder = directory.format_path(directory.feedback_directory, name, assignment)
            for path in Path(folder).glob("*.html"):
                page = path.read_text(encoding="utf-8")
                path.write_text(with_headings(page, names), encoding="utf-8")

    def __deepcopy__(self, memo: Any) -> NameFeedbackHeadings:
        return self  # nbgrader makes a copy of its settings for every converter


def with_headings(page: str, names: dict[str, str]) -> str:
    """A page of nbgrader's with a language and distinct headings; `names` are those of cells by grade id.

    A page that has a language already stays as it is.
    """
    if "<html>" not in page:
        return page

    def label(found: re.Match[str]) -> str:
        said = names.get(found["id"]) or f"{found['label']}: {found['id']}"
        return f'{found[1]}<h2 class="nbgrader-label" style="font-size:1em;margin:0">{said}</h2>'

    def entry(found: re.Match[str]) -> str:
        id = found["id"].removeprefix("comment-")
        comment = "Comment: " if found["id"].startswith("comment-") else ""
        said = comment + (names.get(id) or f"{found['label']} {id}")
        return f'<a href="#{found["id"]}">{said}</a>'

    page = page.replace("<html>", '<html lang="en">', 1)
    page = re.sub(
        r"<h4>(.*?)</h4>", r'<h1 style="font-size:1.3em">\1</h1>', page, count=1, flags=re.S
    )
    head, toc, rest = page.partition('<div id="toc">')
    contents, end, cells = rest.partition("</ol>")
    return head + toc + _ENTRY.sub(entry, contents) + end + _LABEL.sub(label, cells)
