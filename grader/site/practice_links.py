"""What a lesson's notebook calls to practice, and where the pages of play/ have the same."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

_CALL = re.compile(r'^grader\.(drill|explore)\("([\w. ]+)"\)', re.MULTILINE)
_PAGES = {"drill": "drill.html", "explore": "explore.html"}


@dataclass(frozen=True)
class Practice:
    """A call of the `verb` drill or explore, and what it is `of`: a topic or a worked example."""

    verb: str
    of: str

    @property
    def anchor(self) -> str:
        return self.of.replace(" ", "-")

    @property
    def address(self) -> str:
        """Its page, relative to play/."""
        return f"{_PAGES[self.verb]}#{self.anchor}"

    @property
    def name(self) -> str:
        return f"{self.verb.capitalize()} {self.of}"


def practice_in(code: str) -> list[Practice]:
    """The calls in the code of a cell."""
    return [Practice(*found) for found in _CALL.findall(code)]


def practice_of(notebook: Path) -> list[Practice]:
    """The calls of a notebook, in their order."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [one for text in code for one in practice_in(text)]
