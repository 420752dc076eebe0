"""An answer as its author wrote it: the source text, and the function that the text defines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any


class SourceError(ValueError):
    """A lesson folder that cannot be used; the message names the file and the fix."""


@dataclass(frozen=True)
class Answer:
    """The function `name` of source text that runs by itself: a file, or the cells that it builds on.

    Two answers with the same text and name do the same. For messages, `path` is where the text is
    from. A mutant is `Answer(changed_text, name, path)`.
    """

    text: str
    name: str
    path: Path = field(compare=False)

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function itself. Raises SourceError if the text does not run or does not define it."""
        found = run_text(self.text, self.path).get(self.name)
        if not callable(found):
            raise SourceError(f"{self.path} defines no function `{self.name}`.")
        return found  # type: ignore[no-any-return]


def run_text(text: str, path: Path) -> dict[str, Any]:
    """The names that source text defines when it runs; raises SourceError if it does not run."""
    # a module name that cannot be imported, so that Spark ships the functions whole to its workers
    namespace: dict[str, Any] = {"__name__": "answers", "__file__": str(path)}
    try:
        exec(compile(text, str(path), "exec", dont_inherit=True), namespace)
    except Exception as error:
        raise SourceError(f"{path} does not run: {type(error).__name__}: {error}") from error
    return namespace
