"""The page in which exercises are written and judged, as HTML: its list, its tasks, and what its script knows."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from grader.judging.check_pack import PackedExercise
from grader.page.lesson_cells import code_before
from grader.page.offered_exercises import OfferedLesson, offered_lessons
from grader.site.lab_links import lab_links
from grader.site.play_frame import filled, framed
from grader.site.practice_links import practice_of
from grader.site.task_text import IN_PLACE_OF_LENS, given_code, in_a_page, printed

_LAB_MODULES = {"grader", "IPython", "ipywidgets", "pandas"}


@dataclass(frozen=True)
class Task:
    """An exercise that the page offers, and the cells of its task: Markdown, code of the students' notebook, and its output.

    `lesson` is the address of the lesson's page, relative to the site, and `before` the code that the answer builds on.
    """

    packed: PackedExercise
    cells: tuple[tuple[str, str], ...]
    lesson: str
    before: str

    @property
    def id(self) -> str:
        return self.packed.exercise.id

    @property
    def title(self) -> str:
        """The heading of the task: the page has no other name for the exercise."""
        heading, _, _ = self.cells[0][1].partition("\n")
        _, _, title = heading.replace("`", "").partition(": ")
        return title[:1].upper() + title[1:]


def play_page(course: Path) -> str:
    """The page as one HTML text; its style, its script and its Python are files beside it."""
    lessons = offered_lessons(course)
    tasks = [task for lesson in lessons for task in _tasks(lesson)]
    data = {
        task.id: {"cell": task.packed.cell, "hints": task.packed.hints, "title": task.title}
        for task in tasks
    }  # fmt: skip
    titles = {task.id: task.title for task in tasks}
    main = filled(
        "page.html",
        count=len(tasks),
        list="\n".join(_lesson(lesson, titles) for lesson in lessons),
        tasks="\n".join(map(_task_html, tasks)),
    )
    return framed("index.html", "exercises in a page", "page.js", main, data)


def _tasks(lesson: OfferedLesson) -> list[Task]:
    cells = json.loads(lesson.notebook.read_text(encoding="utf-8"))["cells"]
    page = f"course/{lesson.folder.name}/{lesson.notebook.stem}.html"
    return [
        Task(
            one, tuple(_task(one, cells)), page, code_before(one.exercise.id, lesson.folder.parent)
        )
        for one in lesson.exercises
    ]


def _task(packed: PackedExercise, cells: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """The cells from the exercise's heading up to its answer, without those that only the lab can run."""
    heading = f"## Exercise {packed.exercise.id}:"
    within = False
    for cell in cells:
        source = "".join(cell["source"])
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == packed.exercise.answer:
            return
        if cell["cell_type"] == "markdown" and heading in source:
            within = True
            source = source[source.index(heading) :]
        if within and cell["cell_type"] == "markdown":
            yield "markdown", in_a_page(source)
        elif within and (shown := given_code(source)):
            yield "code", shown
            if output := printed(shown):
                yield "output", output
        if within and cell["cell_type"] == "code" and "grader.lens(" in source:
            yield "markdown", IN_PLACE_OF_LENS
    raise ValueError(f"the notebook has no answer cell of {packed.exercise.id}")


def _lesson(lesson: OfferedLesson, titles: dict[str, str]) -> str:
    items = "".join(
        f'<li><a href="#{one.exercise.id}">{one.exercise.id} {escape(titles[one.exercise.id])}</a> '
        f'<span class="mark" data-mark="{one.exercise.id}"></span></li>'
        for one in lesson.exercises
    )
    items += "".join(
        f'<li><a href="{one.address}">{one.name}</a></li>' for one in practice_of(lesson.notebook)
    )
    title = escape(lesson.pack.title)
    return f'<section class="lesson"><h2>{lesson.pack.lesson} · {title}</h2>\n<ul>{items}</ul></section>'


def _task_html(task: Task) -> str:
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tags = {"code": "code", "output": "samp"}
    parts = [
        markdown.render(source) if kind == "markdown" else f"<pre>{_tagged(tags[kind], source)}</pre>"
        for kind, source in task.cells
    ]  # fmt: skip
    html = "\n".join(parts).replace("<table>", '<div class="table" tabindex="0"><table>')
    html = html.replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')
    given = "\n".join(_imports(task.before))
    html += f'<details><summary>Imported already</summary><pre tabindex="0">{_tagged("code", given)}</pre></details>'
    html += _lab_html(task)
    lesson = f'<p class="where"><a href="../{task.lesson}">Read lesson {task.id.partition(".")[0]}</a></p>'
    return f'<article id="{task.id}" data-exercise="{task.id}" hidden>\n{html}{lesson}\n</article>'


def _lab_html(task: Task) -> str:
    """The ways to go on with the exercise, and with the answer, where Spark runs."""
    links = lab_links(Path(task.lesson).stem)
    hosted = ""
    if links.colab:
        hosted = filled(
            "lab_hosted.html",
            colab=escape(links.colab),
            codespaces=escape(links.codespaces),
            notebook=links.notebook,
        )
    own = {"installed": links.installed, "clone": links.clone}
    return filled("lab.html", id=task.id, hosted=hosted, **own)


def _tagged(tag: str, text: str) -> str:
    return f"<{tag}>{escape(text)}</{tag}>"


def _imports(code: str) -> Iterator[str]:
    """The statements that import what a page has, too."""
    for node in ast.parse(code).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [a.name for a in node.names]
            )
            if not _LAB_MODULES & {module.partition(".")[0] for module in modules}:
                yield ast.unparse(node)
