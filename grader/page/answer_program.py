"""The code of an answer, run as a notebook runs it: each play begins with a new run."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import Any

from grader.page.lab_only import OnlyTheLab

_numbers = itertools.count(1)


@lru_cache(maxsize=16)
def _compiled(text: str) -> CodeType:
    """The compiled text of an answer, whose lines are found when an error names one."""
    file = f"<answer {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return compile(text, file, "exec", dont_inherit=True)


class CodeError(Exception):
    """Code that does not run to its end, or defines no answer; its cause is the learner's own error."""


class Program:
    """The text of an answer, with all that it builds on, and the name of its function.

    With `spark` a session is a global name, as in a notebook.
    """

    def __init__(self, text: str, name: str):
        self.name = name
        self._code = _compiled(text)

    def thaw(self, session: Any) -> Callable[..., Any]:
        """The function as a new process finds it: its globals at their first values."""
        names: dict[str, Any] = {"__name__": "answers", "spark": session}
        try:
            exec(self._code, names)
        except OnlyTheLab:
            raise
        except BaseException as error:  # an exit, too
            raise CodeError(str(error)) from error
        function = names.get(self.name)
        if function is None:
            raise CodeError(f"The code defines no function `{self.name}`.")
        if not callable(function):
            raise OnlyTheLab(f"`{self.name}`, which is no function")
        return function  # type: ignore[no-any-return]
