"""Tries to be unpacked over the teacher's files: an archive whose names lead up and out (../../).

Must stay packed: the grader unpacks nothing that was handed in.
"""

from pathlib import Path

from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    import zipfile

    with zipfile.ZipFile(folder / "data.zip", "w") as archive:
        archive.writestr("../../../../gradebook.db", "forged")
        archive.writestr("/tmp/attack", "forged")


ATTACK = Notebook(status="passed", points=2, spoil=spoil)
