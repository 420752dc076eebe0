"""Tries to be run by another kernel: a Java kernel, or one that does not exist.

Must be run by the course's own Python.
"""

from pathlib import Path

from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    notebook.metadata.kernelspec = {"name": "attack", "display_name": "Attack", "language": "java"}
    notebook.metadata.language_info = {"name": "java"}


ATTACK = Notebook(status="passed", points=2, spoil=spoil)
