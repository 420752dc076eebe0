"""What an author says about mutants that are right as well: `mutants.toml` in an exercise's folder.

```
[[right_as_well]]
change = "`10` → `20`"      # or a list of changes
line = 9                    # where only one of several is meant
because = "How long Kafka's client waits decides how fast rows come, not which."
```
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.authoring.answer import SourceError
from grader.authoring.lesson_source import source_table

EXPLAINED = "mutants.toml"
_KEYS = {"change", "line", "because"}


@dataclass(frozen=True)
class Explanation:
    """One change that is right as well, and why; `line` is None if any line is meant."""

    change: str
    line: int | None
    because: str

    def fits(self, change: str, line: int) -> bool:
        return self.change == change and self.line in (None, line)

    def __str__(self) -> str:
        return self.change + (f" in line {self.line}" if self.line else "")


def read_explanations(folder: Path) -> list[Explanation]:
    """The explanations of an exercise; empty if there is no file. Raises SourceError."""
    path = folder / EXPLAINED
    if not path.exists():
        return []
    table = source_table(path)
    if set(table) - {"right_as_well"}:
        raise SourceError(f"{path}: only [[right_as_well]] tables are known.")
    return [found for given in table.get("right_as_well", []) for found in _read(given, path)]


def _read(given: dict[str, Any], path: Path) -> list[Explanation]:
    if set(given) - _KEYS or "change" not in given or not str(given.get("because", "")).strip():
        raise SourceError(f"{path}: each table has `change` and `because`, and may have `line`.")
    changes = given["change"] if isinstance(given["change"], list) else [given["change"]]
    return [Explanation(change, given.get("line"), given["because"]) for change in changes]
