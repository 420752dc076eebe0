"""What a lesson's page shows of a run: the given cells' outputs, as long as they have the code that ran."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from grader.site.lesson_outputs import give_outputs, keep_outputs

WIDGET = "import ipywidgets; ipywidgets.IntSlider()"
PATH = "from pathlib import Path; print(Path.home() / 'checkpoints')"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path))
    yield


def lesson(answer: str, *, first: str = "print('given')") -> NotebookNode:
    """A notebook with given cells, an answer, a cell that shows the answer, and one for a kernel alone."""
    solution = new_code_cell(
        answer, metadata={"nbgrader": {"solution": True, "grade_id": "clicks"}}
    )
    install = new_code_cell("print('installed')", metadata={"tags": ["install"]})
    given = map(new_code_cell, (first, PATH, WIDGET))
    return new_notebook(cells=[install, *given, solution, new_code_cell("print(clicks())")])


@pytest.fixture(scope="module")
def ran() -> NotebookNode:
    notebook = lesson("def clicks():\n    return 'the answer'")
    NotebookClient(notebook, timeout=60).execute()
    return notebook


def test_a_page_gets_the_outputs_of_given_cells_and_nothing_of_an_answer(ran: NotebookNode) -> None:
    keep_outputs("03", ran)
    page = lesson("def clicks():\n    ...")
    assert give_outputs("03", page)
    install, first, path, widget, answer, shown = (cell.outputs for cell in page.cells)
    assert first[0].text == "given\n"
    assert path[0].text == "~/checkpoints\n"
    assert install == widget == answer == shown == []
    assert ran.cells[5].outputs[0].text == "the answer\n", "it was there to be left out"


def test_outputs_of_other_code_are_not_shown(ran: NotebookNode) -> None:
    keep_outputs("03", ran)
    page = lesson("def clicks():\n    ...", first="print('another one')")
    assert not give_outputs("03", page)
    assert all(cell.outputs == [] for cell in page.cells)
    assert not give_outputs("04", lesson("pass"))
