"""What Sphinx makes pages of: the students' notebooks, the documents, and a page before each section."""

from __future__ import annotations

import re
import shutil
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from grader.judging.check_pack import FILE_NAME, read_pack
from grader.page.offered_exercises import offered_lessons
from grader.site.lab_links import lab_links
from grader.site.lesson_outputs import give_outputs
from grader.site.practice_links import practice_in
from grader.site.prediction_forms import predicted_in, prediction_forms
from grader.site.repository_address import with_address

INDEX = "index"  # the page that the landing page replaces
PLAY = "docs/play.md"
_PICTURES = "docs/pictures"
_HEADING = re.compile(r"^# ", re.MULTILINE)
_EXERCISE = re.compile(r"^## Exercise (\d\d\.\d+)\b.*$", re.MULTILINE)
_LESSON_ROW = re.compile(r"^\| (\d\d) \| ([^|]+) \|", re.MULTILINE)
NOTE = """\
:::{{note}}
This is the notebook of lesson {id} to read. {outputs} To run its cells on this machine, [install the
lab](../../install.md). In a clone, `{links.clone}` opens this lesson.{hosted}{begin}
:::"""
HOSTED = " In Colab, its first cell installs the course. In Codespaces, open `{links.notebook}`."
RUN_IT = "**Run this lesson** on this machine, `{links.installed}`"
RUN_HOSTED = " · [Open in Colab]({links.colab}) · [Open in Codespaces]({links.codespaces})"
BEGIN = """
Do you know streaming already? <a href="{up}play/drill.html#placement">Twenty questions</a> say which lessons to skip, and
where to begin."""
WRITE_IT = '<a href="../../play/index.html#{id}">Write {id} in a page</a>, with nothing to install.'
PRACTICE = '<a href="../../play/{one.address}">{one.name} in a page</a>, with nothing to install.'
OF_THE_LAB = """\
:::{note}
What this page shows runs in the lab. With nothing to install, you can <a href="../play/index.html">write exercises</a>,
<a href="../play/drill.html">drill</a> and <a href="../play/explore.html">explore</a> in a page.
:::"""
RAN = "The outputs are those of a run on Spark and Kafka, without answers."
NOT_RUN = "Its cells have not run for this page, so they show no output."


@dataclass(frozen=True)
class Section:
    """A part of the site: the page `name`.md, and its pages as paths in the project."""

    name: str
    title: str
    about: str
    pages: tuple[str, ...] = ()


SECTIONS = (
    Section(
        "lessons", "Lessons", "Each lesson is a notebook with cells to run and exercises to solve."
    ),
    Section("install", "Install", "", ("docs/cluster.md",)),
    Section(
        "look-up",
        "Look up",
        "From a word, a setting, an error or a symptom to the lesson that shows it.",
        (
            "docs/glossary.md",
            "docs/settings-and-errors.md",
            "docs/cheat-sheets.md",
            "docs/map.md",
            "docs/bibliography.md",
            "datasets/README.md",
        ),
    ),
    Section(
        "teaching",
        "Teach",
        "Plans, grading, and what protects the grades.",
        ("docs/teach.md", "docs/hub.md", "docs/instructor-kit.md", "docs/attacks.md"),
    ),
    Section(
        "contributing",
        "Contribute",
        "Write an exercise, change the code, and see how the course is tested.",
        (
            "docs/write-an-exercise.md",
            "CONTRIBUTING.md",
            "docs/style.md",
            "docs/architecture.md",
            "docs/model.md",
            "CHANGELOG.md",
            "SECURITY.md",
        ),
    ),
)


def write_sources(project: Path, into: Path) -> None:
    """Write all sources into the empty folder `into`, under the paths that they have in the project."""
    readme = (project / "README.md").read_text(encoding="utf-8")
    in_page = {
        packed.exercise.id
        for lesson in offered_lessons(project / "course")
        for packed in lesson.exercises
    }
    lessons = [
        _copy_lesson(folder, into, in_page)
        for folder in sorted((project / "course").glob("[0-9]*_*"))
    ]
    for page in (page for section in SECTIONS for page in section.pages):
        _copy(project, into, page)
    title, text = (project / PLAY).read_text(encoding="utf-8").split("\n", 1)
    (into / PLAY).write_text(f"{title}\n\n{OF_THE_LAB}\n{text}", encoding="utf-8")
    shutil.copytree(project / _PICTURES, into / _PICTURES)
    about = {
        "lessons": f"{BEGIN.format(up='').strip()}\n\n{_lesson_table(readme, lessons)}",
        "install": with_address(_readme_section(readme, "Start")),
    }
    for section in SECTIONS:
        pages = lessons if section.name == "lessons" else section.pages
        text = "\n\n".join(filter(None, [section.about, about.get(section.name)]))
        _write(into, section.name, section.title, text, pages)
    lessons_page, *others = [f"{section.name}.md" for section in SECTIONS]
    _write(into, INDEX, "Stateful Streams", "", [lessons_page, PLAY, *others])


def _copy_lesson(folder: Path, into: Path, in_page: Container[str]) -> str:
    """Copy a lesson's notebook and its pictures; returns the notebook's path in the project."""
    path = f"course/{folder.name}/{folder.name}.ipynb"
    (into / path).parent.mkdir(parents=True)
    notebook = nbformat.read(folder / f"{folder.name}.ipynb", as_version=4)
    forms = prediction_forms(read_pack(folder / FILE_NAME))
    nbformat.write(to_read(notebook, folder.name, in_page, forms), into / path)
    for picture in folder.glob("*.svg"):
        shutil.copy(picture, into / path.rpartition("/")[0])
    return path


def to_read(
    notebook: NotebookNode,
    folder: str,
    in_page: Container[str] = (),
    forms: Mapping[str, str] = {},
) -> NotebookNode:
    """The notebook as a page: one title, a note, the ways to run it, and the outputs of its last run here.

    An exercise whose id is `in_page` gets a link to the page in which it can be written. A drill and an explorer get
    links, too, and a prediction gets its form: `forms` has the HTML by the exercise's id.
    """

    def linked(heading: re.Match[str]) -> str:
        link = f"\n\n{WRITE_IT.format(id=heading[1])}" if heading[1] in in_page else ""
        return heading[0] + link

    first, *others = notebook.cells
    lesson, links = folder.partition("_")[0], lab_links(folder)
    title, *text = first.source.split("\n", 1)
    run_it = (RUN_IT + (RUN_HOSTED if links.colab else "")).format(links=links)
    first.source = "\n\n".join([title, run_it, *text])
    for cell in others:
        if cell.cell_type == "markdown":
            cell.source = _EXERCISE.sub(linked, _HEADING.sub("## ", cell.source))
    outputs = RAN if give_outputs(lesson, notebook) else NOT_RUN
    hosted = HOSTED.format(links=links) if links.colab else ""
    begin = BEGIN.format(up="../../") if lesson == "00" else ""
    words = NOTE.format(id=lesson, outputs=outputs, links=links, hosted=hosted, begin=begin)
    note = nbformat.v4.new_markdown_cell(words, id="note")
    return NotebookNode(notebook, cells=[first, note, *_with_practice(others, forms)])


def _with_practice(
    cells: Iterable[NotebookNode], forms: Mapping[str, str]
) -> Iterator[NotebookNode]:
    """The cells. After each one that calls a drill or an explorer, a link to its page; after a prediction, its form."""
    for cell in cells:
        yield cell
        if cell.cell_type != "code":
            continue
        for one in practice_in(cell.source):
            id = f"{one.verb}-{one.anchor.replace('.', '-')}"
            yield nbformat.v4.new_markdown_cell(PRACTICE.format(one=one), id=id)
        if form := forms.get(predicted_in(cell.source)):
            id = f"predict-{predicted_in(cell.source).replace('.', '-')}"
            yield nbformat.v4.new_markdown_cell(form, id=id)


def _copy(project: Path, into: Path, page: str) -> None:
    (into / page).parent.mkdir(parents=True, exist_ok=True)
    text = (project / page).read_text(encoding="utf-8")
    (into / page).write_text(with_address(text), encoding="utf-8")


def _write(into: Path, name: str, title: str, text: str, pages: Sequence[str]) -> None:
    """A page before its section: its title, its words, and the list of its pages."""
    listed = "\n".join(f"/{page.rpartition('.')[0]}" for page in pages)
    hidden = ":hidden:\n" if name == "lessons" else ""
    tree = f"```{{toctree}}\n:maxdepth: 1\n{hidden}\n{listed}\n```\n" if pages else ""
    (into / f"{name}.md").write_text(f"# {title}\n\n{text}\n\n{tree}", encoding="utf-8")


def _readme_section(readme: str, heading: str) -> str:
    """The text under a heading of level 2."""
    _, _, after = readme.partition(f"\n## {heading}\n")
    return after.partition("\n## ")[0].strip("\n")


def _lesson_table(readme: str, lessons: Sequence[str]) -> str:
    """The README's table of lessons, with a link to each."""
    paths = {Path(path).name[:2]: path for path in lessons}
    section = _readme_section(readme, "Lessons")
    table = "\n".join(line for line in section.splitlines() if line.startswith("|"))
    return _LESSON_ROW.sub(lambda row: f"| {row[1]} | [{row[2]}]({paths[row[1]]}) |", table)
