"""Tries to bring its own check pack, in which its wrong rows are expected.

Must be judged with the check pack of the course.
"""

from pathlib import Path

from forms import Notebook
from nbformat import NotebookNode


def spoil(notebook: NotebookNode, folder: Path) -> None:
    (folder / "checks.pack").write_bytes(b"forged")
    (folder / "nbgrader_config.py").write_text("raise SystemExit('run by the teacher')")
    (folder / "conftest.py").write_text("raise SystemExit('run by the teacher')")


ATTACK = Notebook("def answer(clicks):\n    return clicks", spoil=spoil)
