"""The cells of a lesson that its answers build on."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from grader.judging.check_pack import find_packs


@cache
def code_before(exercise: str, course: Path) -> str:
    """The code of the cells tagged `given` in an exercise's notebook, before the answer cell's own."""
    pack = find_packs(course).get(exercise.partition(".")[0])
    notebooks = sorted(pack.parent.glob("*.ipynb")) if pack else []
    cells = [cell for notebook in notebooks for cell in given_cells(notebook)]
    return "".join(f"{''.join(cell['source'])}\n\n" for cell in cells)


def given_cells(notebook: Path) -> list[dict[str, Any]]:
    """The code cells tagged `given`, as the notebook's JSON has them."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [
        cell
        for cell in cells
        if cell["cell_type"] == "code" and "given" in cell["metadata"].get("tags", [])
    ]
