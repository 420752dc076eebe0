"""Submissions of strange form: what a form is, and small changes of a solved notebook of lesson 14 that make one.

The catalogue of forms, with what each deserves, is in strange_catalogue.py.
"""

from __future__ import annotations

import copy
import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode

from grader.sandbox.notebook_cells import grade_id
from testkit.plain_class import LESSON

NAME, CHECK = "falling_behind", "check-falling_behind"
NAMES = (
    *(NAME, "cores_wanted", "illness", "backlog", "pager_tests"),
    *("exposition", "overload_alert"),
)  # of all answers
FILE = f"{LESSON}.ipynb"
BODY = """    lags = []
    for report in reports:
        told = [s.get("metrics", {}).get("maxOffsetsBehindLatest") for s in report["sources"]]
        known = [int(text) for text in told if text is not None]
        lags += [max(known)] if known else []
    if lags and lags[-1] > most:
        return True
    return len(lags) >= 4 and all(a < b for a, b in pairwise(lags[-4:]))
"""
DEF = f"def {NAME}(reports, most):\n"
RIGHT = DEF + BODY
WRONG = f"{DEF}    return False\n"
STUB = f'{DEF}    """Whether the lag grows."""\n    raise NotImplementedError("your code here")\n'
OTHER = RIGHT.replace(NAME, "lag_alarm")
SHIFTED = RIGHT.replace("\n", "\n    ").rstrip() + "\n"  # all lines but the first one deeper

Make = Callable[[Path, NotebookNode], None]  # writes a solved notebook into a student's folder
Edit = Callable[[NotebookNode], Any]


@dataclass(frozen=True)
class Form:
    """A form of handing in.

    - `statuses`: the status of each exercise that is not passed
    - `person`: what a person is told, as a pattern; "" if nobody needs to look
    - `refused`: nothing is graded, and `person` says why not
    - `why` this is deserved
    """

    name: str
    make: Make
    statuses: dict[str, str] = field(default_factory=dict)
    person: str = ""
    refused: bool = False
    why: str = ""

    @property
    def student(self) -> str:
        return re.sub(r"\W+", "-", self.name).lower().strip("-")


# ways to write a form


def edited(*edits: Edit) -> Make:
    """The notebook after some edits, each of which may also return another notebook or plain data."""

    def make(folder: Path, notebook: NotebookNode) -> None:
        now: Any = notebook
        for edit in edits:
            now = edit(now) or now
        _write(folder / FILE, now)

    return make


def instead(files: dict[str, str | bytes | Edit]) -> Make:
    """Files in the place of the notebook; an edit makes one of the solved notebook."""

    def make(folder: Path, notebook: NotebookNode) -> None:
        for name, content in files.items():
            made = (content(notebook) or notebook) if callable(content) else content
            _write(folder / name, made)

    return make


def beside(files: dict[str, str | bytes | Edit], *edits: Edit) -> Make:
    """An edited notebook with files in its folder, made as `instead` makes them."""

    def make(folder: Path, notebook: NotebookNode) -> None:
        instead(files)(folder, notebook)
        edited(*edits)(folder, notebook)

    return make


def _write(path: Path, content: Any) -> None:
    """Write text, bytes, or a notebook as JSON."""
    if not isinstance(content, str | bytes):
        content = json.dumps(content)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def as_it_is(notebook: NotebookNode) -> None:
    """The solved notebook."""


def at(notebook: NotebookNode, mark: str) -> int:
    """The index of the cell with a grade id."""
    return [grade_id(cell) for cell in notebook.cells].index(mark)


def into_stub(cell: NotebookNode) -> None:
    """Leave nothing of an answer but its first line, as in the stub."""
    line = cell.source.split("\n", 1)[0]
    cell.source = f"{line}\n    raise NotImplementedError('your code here')"


def untouched(notebook: NotebookNode) -> None:
    for name in NAMES:
        into_stub(notebook.cells[at(notebook, name)])


def answer(source: str, kind: str = "code", *, marked: bool = True, mark: str = NAME) -> Edit:
    """The text and kind of a marked cell."""

    def edit(notebook: NotebookNode) -> None:
        cell = notebook.cells[at(notebook, mark)]
        cell.source, cell.cell_type = source, kind
        if kind != "code":
            cell.pop("outputs"), cell.pop("execution_count")
        if not marked:
            cell.metadata = nbformat.from_dict({})

    return edit


def insert(source: str, after: str | int, kind: str = "code") -> Edit:
    """A new cell after the cell with a mark, or at an index (-1: at the end)."""

    def edit(notebook: NotebookNode) -> None:
        make = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}[kind]
        place = at(notebook, after) + 1 if isinstance(after, str) else after
        notebook.cells.insert(place if place >= 0 else len(notebook.cells), make(source))

    return edit


def before_answer(source: str, kind: str = "code") -> Edit:
    return lambda notebook: insert(source, at(notebook, NAME), kind)(notebook)


def without(mark: str) -> Edit:
    return lambda notebook: notebook.cells.__delitem__(at(notebook, mark))


def code_cells(change: Callable[[NotebookNode], Any]) -> Edit:
    def edit(notebook: NotebookNode) -> None:
        for cell in notebook.cells:
            if cell.cell_type == "code":
                change(cell)

    return edit


def every_cell(change: Callable[[NotebookNode, int], Any]) -> Edit:
    def edit(notebook: NotebookNode) -> None:
        for number, cell in enumerate(notebook.cells):
            change(cell, number)

    return edit


def marks_lost(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})


def as_text(change: Callable[[str], str | bytes]) -> Edit:
    """The file's text after a change."""

    def edit(notebook: NotebookNode) -> bytes:
        changed = change(json.dumps(notebook, indent=1, ensure_ascii=False))
        return changed if isinstance(changed, bytes) else changed.encode()

    return edit


# files of other tools


def format_3(notebook: NotebookNode) -> dict[str, Any]:
    return dict(nbformat.convert(notebook, 3))


def without_ids(notebook: NotebookNode) -> None:
    notebook.nbformat_minor = 0
    for cell in notebook.cells:
        del cell["id"]


def colab(notebook: NotebookNode) -> None:
    without_ids(notebook)
    for number, cell in enumerate(notebook.cells):
        cell.metadata |= {"id": f"xY{number}", "outputId": "a-b", "colab": {"height": 35}}
    notebook.metadata = {
        "colab": {"provenance": [], "toc_visible": True},
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
    }
    answer(f"#@title My answer {{ display-mode: 'form' }}\n{RIGHT}")(notebook)


def deepnote(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        kind = "code" if cell.cell_type == "code" else "text-cell-p"
        cell.metadata = {"cell_id": "00ab", "deepnote_cell_type": kind, "source_hash": "b6"}
    ad = "<a style='text-decoration:none' href='https://deepnote.com'>Created in Deepnote</a>"
    insert(ad, -1, "markdown")(notebook)
    notebook.metadata = {"deepnote": {}, "deepnote_notebook_id": "c1", "orig_nbformat": 2}


def databricks(notebook: NotebookNode) -> None:
    without_ids(notebook)
    for cell in notebook.cells:
        own = {"cellMetadata": {}, "inputWidgets": {}, "nuid": "d1", "showTitle": False}
        cell.metadata = {"application/vnd.databricks.v1+cell": own}
        if cell.cell_type == "markdown":  # as a notebook that was imported from its source
            cell.update(cell_type="code", outputs=[], execution_count=0)
            cell.source = f"%md\n{cell.source}"
    notebook.metadata = {"application/vnd.databricks.v1+notebook": {"language": "python"}}


def pycharm(cell: NotebookNode) -> None:
    cell.source = f"#%%\n{cell.source}"
    cell.metadata |= {"pycharm": {"name": "#%%\n"}, "ExecuteTime": {"end_time": "2026-03-01"}}


def by_jupytext(notebook: NotebookNode) -> NotebookNode:
    return jupytext.reads(jupytext.writes(notebook, "py:light"), "py:light")


def papermill(notebook: NotebookNode) -> None:
    code_cells(lambda c: c.metadata.update(papermill={"status": "completed"}, tags=[]))(notebook)
    insert("# Parameters\nseed = 7\n", 1)(notebook)


def loose_fields(notebook: NotebookNode) -> None:
    notebook.update({"nbformat": "4", "nbformat_minor": 9, "saved_by": "an app"})
    for cell in notebook.cells:
        cell["collapsed"] = False
        if cell.cell_type == "code":
            cell["execution_count"], cell["outputs"] = "12", None
    notebook.cells[0].metadata = None
    insert("x = 1", -1)(notebook)
    notebook.cells[-1].pop("source")


def without_line_ends(cell: NotebookNode, _: int) -> None:
    cell["source"] = cell.source.split("\n")


def large_outputs(notebook: NotebookNode) -> None:
    picture = {
        "output_type": "display_data",
        "metadata": {},
        "data": {"image/png": "A" * 3_000_000},
    }
    view = {"model_id": "e1", "version_major": 2, "version_minor": 0}
    widget = {**picture, "data": {"application/vnd.jupyter.widget-view+json": view}}
    notebook.cells[at(notebook, NAME)].outputs = [picture, widget]
    states = {
        f"m{n}": {"model_name": "HTMLModel", "state": {"value": "x" * 100}} for n in range(999)
    }
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": states}}


def not_a_number(notebook: NotebookNode) -> None:
    value, endless = float("nan"), float("inf")
    output = {"output_type": "execute_result", "metadata": {}, "execution_count": 1}
    output["data"] = {"application/json": {"lag": value, "most": endless}}
    notebook.cells[at(notebook, NAME)].outputs = [output]
    notebook.metadata["scroll"] = value


def kernel_of(name: str, language: str) -> Edit:
    about = {"kernelspec": {"name": name, "display_name": name, "language": language}}
    return lambda notebook: notebook.metadata.update(about, language_info={"name": language})


# cells in other places


def split_with_marks(notebook: NotebookNode) -> None:
    """As JupyterLab splits a cell: both parts keep the mark."""
    helper = "def newest(lags):\n    return lags[-4:]"
    second = copy.deepcopy(notebook.cells[at(notebook, NAME)])
    answer(helper)(notebook)
    second["source"] = RIGHT.replace("lags[-4:]", "newest(lags)")
    notebook.cells.insert(at(notebook, NAME) + 1, second)


def stub_copy(*, below: bool) -> Edit:
    """The marked cell a second time, as a stub."""

    def edit(notebook: NotebookNode) -> None:
        place = at(notebook, NAME)
        stub = copy.deepcopy(notebook.cells[place])
        stub["source"] = STUB
        notebook.cells.insert(place + below, stub)

    return edit


def merged_with_check(notebook: NotebookNode) -> None:
    check = notebook.cells[at(notebook, CHECK)].source
    answer(f"{RIGHT}\n\n{check}")(notebook)
    without(CHECK)(notebook)


def in_the_check_cell(notebook: NotebookNode) -> None:
    """The stub stays, and the answer is written in front of the check in its cell."""
    answer(STUB)(notebook)
    check = notebook.cells[at(notebook, CHECK)].source
    answer(f"{RIGHT}\n{check}", mark=CHECK)(notebook)


def in_one_cell(notebook: NotebookNode) -> None:
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    del notebook.cells[:-1]
    notebook.cells[0] = nbformat.v4.new_code_cell("\n\n".join(code))


def backwards(notebook: NotebookNode) -> None:
    """The exercises in reverse order, each check above its answer; what they use comes first."""
    marked = [cell for cell in notebook.cells if cell.metadata.get("nbgrader")]
    notebook.cells = [c for c in notebook.cells if not c.metadata.get("nbgrader")] + marked[::-1]


def all_at_the_end(notebook: NotebookNode) -> None:
    for name in NAMES:
        cell = notebook.cells[at(notebook, name)]
        insert(cell.source, -1)(notebook)
        into_stub(cell)


def into_a_new_notebook(notebook: NotebookNode) -> NotebookNode:
    code = [c.source for c in notebook.cells if c.cell_type == "code" and "check(" not in c.source]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in code])


def swapped(notebook: NotebookNode) -> None:
    one, other = (notebook.cells[at(notebook, name)] for name in (NAME, "cores_wanted"))
    one["source"], other["source"] = other.source, one.source


def same_mark_everywhere(notebook: NotebookNode) -> None:
    mark = notebook.cells[at(notebook, NAME)].metadata.nbgrader
    code_cells(lambda cell: cell.metadata.update(nbgrader=dict(mark)))(notebook)


def outputs_only(notebook: NotebookNode) -> None:
    """What a tool leaves that clears the code: the check's saved output says that it was passed."""
    shown = [{"output_type": "display_data", "metadata": {}, "data": {
        "text/plain": "✓ 14.1 Alert on a growing lag: passed (3 of 3 points, 0.1 s)",
        "text/html": "<b>passed</b>"}}]  # fmt: skip
    notebook.cells[at(notebook, CHECK)].outputs = nbformat.from_dict(shown)
    answer("")(notebook)


def merged_by_git(notebook: NotebookNode) -> None:
    before_answer("<<<<<<< local", "markdown")(notebook)
    insert("=======", NAME, "markdown")(notebook)
    insert(">>>>>>> remote", -1, "markdown")(notebook)


def another_lesson(notebook: NotebookNode) -> NotebookNode:
    """The notebook of another lesson under this one's name."""
    cells = []
    for number in (1, 2, 3):
        mark = {"grade_id": f"late_{number}", "grade": False, "locked": False, "solution": True}
        mark |= {"schema_version": 3, "task": False, "cell_type": "code"}
        text = f"def late_{number}(clicks):\n    return clicks.where('late')"
        cells += [nbformat.v4.new_code_cell(text, metadata={"nbgrader": mark})]
        cells += [nbformat.v4.new_code_cell(f"grader.check('03.{number}', late_{number})")]
    return nbformat.v4.new_notebook(cells=cells)


def zipped(notebook: NotebookNode) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(FILE, json.dumps(notebook))
    return buffer.getvalue()


# shapes of the functions, one for each exercise; the right answer is kept under another name


def shaped(notebook: NotebookNode, shapes: dict[str, str]) -> None:
    for name, after in shapes.items():
        cell = notebook.cells[at(notebook, name)]
        cell.source = cell.source.replace(f"def {name}(", "def own(") + f"\n\n{after}"


PARTLY = "import functools\ncores_wanted = functools.partial(own)"
CALLABLE = """class Doctor:
    def __call__(self, report, interval_ms):
        return own(report, interval_ms)

illness = Doctor()"""
TIMED = """import functools, time

def timed(function):
    @functools.wraps(function)
    def inner(*given, **more):
        began = time.perf_counter()
        try:
            return function(*given, **more)
        finally:
            print(f"{time.perf_counter() - began:.3f} s")
    return inner

@timed
def backlog(earlier, later, record_bytes):
    return own(earlier, later, record_bytes)"""


def shapes(notebook: NotebookNode) -> None:
    shaped(
        notebook,
        {
            NAME: f"{NAME} = lambda reports, most: own(reports, most)",
            "cores_wanted": PARTLY,
            "illness": CALLABLE,
            "backlog": TIMED,
            "pager_tests": "pager_tests: 'Callable[[type], None]' = own",
        },
    )


def under_commands(notebook: NotebookNode) -> None:
    """An answer under each magic that runs its cell, and with help and shell lines."""
    ways = {NAME: "%%time\n{}", "cores_wanted": "%%capture out\n{}"}
    ways |= {
        "illness": "!ls\n%matplotlib inline\n{}\nillness?",
        "pager_tests": "{}\n!pip --version",
    }
    ways["backlog"] = "%%writefile later.py\nfrom datetime import datetime\n{}"
    for name, way in ways.items():
        cell = notebook.cells[at(notebook, name)]
        cell.source = way.format(cell.source)
    insert("%run -i later.py", "backlog")(notebook)


def indented(notebook: NotebookNode) -> None:
    """Tabs, a cell that is indented as a whole, prompts of Python and of IPython, spaces at the ends."""
    cells = {name: notebook.cells[at(notebook, name)] for name in (NAME, "cores_wanted", "illness")}
    cells[NAME].source = RIGHT.replace("    ", "\t")
    cells["cores_wanted"].source = re.sub("^", "    ", cells["cores_wanted"].source, flags=re.M)
    first, rest = cells["illness"].source.rstrip().split("\n", 1)
    cells["illness"].source = f">>> {first}\n" + re.sub("^", "... ", rest, flags=re.M)
    cell = notebook.cells[at(notebook, "backlog")]
    first, rest = cell.source.rstrip().split("\n", 1)
    cell.source = f"In [3]: {first}\n" + re.sub("^", "   ...: ", rest, flags=re.M)
    cell = notebook.cells[at(notebook, "pager_tests")]
    cell.source = "\n\n\n" + cell.source.replace("\n", "  \n") + "\n\n\n"


def guarded(notebook: NotebookNode) -> None:
    """Definitions that are not at the top level of their cell, but that run."""
    ways = {
        NAME: "if __name__ == '__main__':\n    {}",
        "cores_wanted": "try:\n    import polars\nexcept ImportError:\n    {}",
        "illness": "for _ in range(1):\n    {}",
        "backlog": "def make():\n    global backlog\n    {}\nmake()",
    }
    for name, way in ways.items():
        cell = notebook.cells[at(notebook, name)]
        cell.source = way.format(cell.source.strip().replace("\n", "\n    "))
    cell = notebook.cells[at(notebook, "pager_tests")]
    cell.source = f"exec({cell.source!r})"


def noise(notebook: NotebookNode) -> None:
    """Other cells that fail, ask, print megabytes, show widgets or end the program."""
    texts = ["1 / 0", "name = input('Who are you? ')", "print('x' * 5_000_000)"]
    texts += ["import ipywidgets\nipywidgets.IntSlider()", "exit()", "import sys\nsys.exit('end')"]
    texts += ["assert False, 'not yet'", "df.head(", "raise KeyboardInterrupt", "%%bash\nfalse"]
    for text in texts:
        before_answer(text)(notebook)


def hand_in(root: Path, form: Form, notebook: NotebookNode) -> Path:
    """A solved notebook in this form, as the work of a student who is called as the form."""
    folder = root / "submitted" / form.student / LESSON
    folder.mkdir(parents=True)
    own = copy.deepcopy(notebook)
    answer(RIGHT)(own)
    form.make(folder, own)
    return folder
