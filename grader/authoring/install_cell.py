"""The first code cell of a lesson: it installs the course where a notebook is opened alone.

It is not in solutions/, so that no proof depends on it: in the lab it does nothing. It only uses what IPython and
pip have. The magic is called as a function, because a notebook's cells are read as Python.
"""

from __future__ import annotations

from importlib import metadata

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from grader.runtime.paths import APP

ID = "install"  # of the cell, and its tag
_SOURCE = """\
# In the lab this cell does nothing. Elsewhere, such as in Colab, it installs the course. That takes a few minutes.
from importlib.util import find_spec

if not find_spec("grader"):
    get_ipython().run_line_magic("pip", "install {requirement}")
    if not find_spec("grader"):
        raise RuntimeError("pip did not install the course, and says why above.")"""


def install_cell() -> NotebookNode:
    """The cell; it names the release that the notebook belongs to."""
    requirement = f"{APP}=={metadata.version(APP)}"
    source = _SOURCE.format(requirement=requirement)
    return new_code_cell(source, id=ID, metadata={"tags": [ID]})


def with_install_cell(cells: list[NotebookNode]) -> list[NotebookNode]:
    """The cells of a notebook with this one before the first that runs code."""
    first = next((i for i, cell in enumerate(cells) if cell.cell_type == "code"), len(cells))
    return [*cells[:first], install_cell(), *cells[first:]]
