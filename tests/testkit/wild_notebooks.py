"""Notebooks as people hand them in: lesson 00 with one answer written in an unforeseen way, no Spark needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from grader.judging.check_pack import FILE_NAME, PackedExercise, read_pack
from grader.learner.notebook_reader import read_notebook

LESSON = "00_orientation"
COURSE = Path(__file__).resolve().parents[2] / "course" / LESSON
DEF = "def checkout_clicks(clicks):"
BODY = '    pages = clicks.filter("page = \'/checkout\'")\n    return pages.filter("ms_on_page >= 500")'
RIGHT = f"{DEF}\n{BODY}"
Edit = Callable[[NotebookNode], None]


@dataclass(frozen=True)
class Wild:
    """An edit of the released notebook; `status` of 00.1 in its form, `said` of it to student and teacher."""

    name: str
    edit: Edit
    status: str
    said: str = ""
    teacher: str = ""  # what the teacher's flag says where the form cannot know

    @property
    def flag(self) -> str:
        return self.teacher or self.said


def graded() -> list[PackedExercise]:
    return read_pack(COURSE / FILE_NAME).graded()


def released() -> NotebookNode:
    return read_notebook(COURSE / f"{LESSON}.ipynb")


def _place(name: str) -> int:
    """The index of a graded cell."""
    ids = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in released().cells]
    return ids.index(name)


ANSWER, CHECK = _place("checkout_clicks"), _place("check-checkout_clicks")  # the cells of 00.1
# as messages count them
HERE, NEXT, THEN = (f"cell {ANSWER + n}" for n in (1, 2, 3))


def edited(edit: Edit) -> NotebookNode:
    notebook = released()
    edit(notebook)
    return notebook


def answer(source: str, kind: str = "code", *, marked: bool = True) -> Edit:
    """The answer's cell with another text, as a cell of another kind, without its mark."""

    def edit(notebook: NotebookNode) -> None:
        cell = notebook.cells[ANSWER]
        cell.source, cell.cell_type = source, kind
        if kind != "code":
            cell.pop("outputs")
            cell.pop("execution_count")
        if not marked:
            cell.metadata = nbformat.from_dict({})

    return edit


def insert(at: int, source: str, kind: str = "code") -> Edit:
    """A new cell at a place; the stub stays as it is."""

    def edit(notebook: NotebookNode) -> None:
        make = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}[kind]
        notebook.cells.insert(at if at >= 0 else len(notebook.cells), make(source, id="new"))

    return edit


def both(*edits: Edit) -> Edit:
    def edit(notebook: NotebookNode) -> None:
        for each in edits:
            each(notebook)

    return edit


def without_marks(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})


def without(index: int) -> Edit:
    return lambda notebook: notebook.cells.__delitem__(index)


def renamed(name: str) -> str:
    return RIGHT.replace("checkout_clicks", name)


STUB = released().cells[ANSWER].source
OTHER = renamed("checkout_clicks_final")
COMMENTED = "\n".join(f"# {line}" for line in RIGHT.splitlines())
LONG = 'pages = clicks.filter("true")\nlong = pages.filter("true")\nlong.printSchema()'
DEEPER = RIGHT.replace("\n", "\n    ")
MINE = "def mine(clicks):\n    return clicks"
FENCED = f"```python\n{RIGHT}\n```"
PROSE = f"My answer:\n\n{FENCED}"

WILD = [
    # found, wherever it is
    Wild("in its place", answer(RIGHT), "found"),
    Wild("Markdown, marked", answer(RIGHT, "markdown"), "found"),
    Wild("raw, marked", answer(RIGHT, "raw"), "found"),
    Wild("at the end, below the stub's check", insert(-1, RIGHT), "found"),
    Wild("in the next cell after the check", insert(CHECK + 1, RIGHT), "found"),
    Wild("between stub and check", insert(CHECK, RIGHT), "found"),
    Wild("in front, its own cell deleted", both(without(ANSWER), insert(1, RIGHT)), "found"),
    Wild("a lambda", answer("checkout_clicks = lambda clicks: clicks"), "found"),
    Wild("under an if", answer("if True:\n    " + RIGHT.replace("\n", "\n    ")), "found"),
    Wild("under a magic", answer("%matplotlib inline\n" + RIGHT), "found"),
    Wild("in a try", answer("try:\n    import x\nexcept Exception:\n    x = 1\n" + RIGHT), "found"),
    Wild("by another name, given its own", answer(f"{OTHER}\ncheckout_clicks = checkout_clicks_final"), "found"),
    Wild("from a file", answer("from answers import checkout_clicks"), "found"),
    Wild("marks lost", both(answer(RIGHT), without_marks), "found"),
    # there, but not where grading finds it
    Wild("renamed", answer(OTHER), "overlooked", f"{HERE} defines `checkout_clicks_final`, not `checkout_clicks`"),
    Wild("renamed in camel case", answer(renamed("checkoutClicks")), "overlooked", "`checkoutClicks`"),
    Wild("renamed altogether", answer(renamed("solution")), "overlooked", "`solution`, not"),
    Wild("a letter gone", answer(renamed("checkout_click")), "overlooked", "`checkout_click`, not"),
    Wild("renamed, marks lost", both(answer(OTHER), without_marks), "overlooked", "`checkout_clicks_final`"),
    Wild("renamed, in a text cell", answer(OTHER, "markdown"), "overlooked", f"{HERE} defines `checkout_clicks_final`"),
    Wild("Markdown, its mark lost", answer(RIGHT, "markdown", marked=False), "overlooked", f"{HERE} is a Markdown or raw"),
    Wild("raw, its mark lost", answer(RIGHT, "raw", marked=False), "overlooked", f"{HERE} is a Markdown or raw"),
    Wild("a fenced block", insert(CHECK, FENCED, "markdown"), "overlooked", f"{NEXT} is a Markdown or raw"),
    Wild("below the raise", answer(STUB + "\n" + BODY), "overlooked", "which never runs"),
    Wild("a comment", answer(COMMENTED), "overlooked", f"{HERE} mentions `checkout_clicks`"),
    Wild("a string", answer(f"'''\n{RIGHT}\n'''"), "overlooked", f"{HERE} mentions"),
    Wild("written to a file", answer("%%writefile answer.py\n" + RIGHT), "overlooked", f"{HERE} mentions"),
    Wild("in another language's cell", answer("%%bash\n" + RIGHT), "overlooked", f"{HERE} mentions"),
    Wild("the stub again below it", both(answer(RIGHT), insert(CHECK, STUB)), "overlooked", f"{HERE} defines"),
    Wild("inside a function", answer("def main():\n    " + DEEPER), "overlooked", "inside a function or a class"),
    Wild("as a method", answer("class Mine:\n    " + DEEPER), "overlooked", "inside a function or a class"),
    Wild("statements alone", answer(LONG), "overlooked", f"{HERE} is the answer's cell, but defines no"),
    Wild("no Python", answer(RIGHT.replace("):", ")")), "broken", f"{HERE} is no Python", f"{HERE} defines"),
    # only who knows the notebook as it was handed out can see these
    Wild("statements in a cell of their own", insert(CHECK + 1, LONG), "not_attempted", teacher=f"{THEN} is new"),
    Wild("another name in a cell of its own", insert(CHECK + 1, MINE), "not_attempted", teacher="`mine`, not"),
    Wild("prose around a fence", insert(CHECK, PROSE, "markdown"), "not_attempted", teacher=f"{NEXT} is a Markdown or raw"),
    # nothing there
    Wild("untouched", lambda notebook: None, "not_attempted"),
    Wild("an empty cell", answer(""), "not_attempted"),
    Wild("a comment that is no answer", answer(f"{STUB}\n# too hard"), "not_attempted"),
    Wild("a docstring more", answer(STUB.replace("raise", "'''Later.'''\n    raise")), "not_attempted"),
    Wild("deleted with its check", both(without(CHECK), without(ANSWER)), "not_attempted"),
    Wild("a look at another thing", insert(2, "clicks = 1"), "not_attempted"),
]  # fmt: skip
