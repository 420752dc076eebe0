"""Tries to cause an error with the names of its files: quotes, line ends, options, letters of no alphabet.

Must be graded.
"""

from pathlib import Path

from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    import os

    for name in (
        b"-rf",
        b"a\nb",
        b"'; DROP TABLE grade; --",
        b"$(touch x)",
        b"\xff\xfe.csv",
        b"%s{0}",
    ):
        with open(os.path.join(os.fsencode(folder), name), "w") as file:
            file.write("x")


ATTACK = Notebook(status="passed", points=2, spoil=spoil)
