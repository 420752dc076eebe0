"""The forms that an attack comes in. A file under this folder holds one, as ATTACK.

Its docstring says what the attack tries, and what must come of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from world import World

from grader.sandbox.resource_limits import Limits

Words = Callable[[World], Sequence[Any]]


def nothing(_: World) -> Sequence[Any]:
    return ()


@dataclass(frozen=True)
class Program:
    """Plain Python, run first without a sandbox, where it has to do its harm, and then in one.

    It calls `harm()` when it got what it wanted; `given` are its arguments (`inside`: those it gets in the
    sandbox, where its own paths have other names). `refused` is a pattern of what it is told instead.
    """

    code: str
    given: Words = nothing
    inside: Words | None = None
    refused: str = ""
    limits: Limits | None = None
    ended: str = ""  # a pattern of why the watch may have ended it, in place of a refusal
    ends_itself: bool = True  # False: it is killed as soon as it has begun
    outside: bool = (
        True  # False: it would end this machine's processes, or needs paths of the sandbox
    )
    harmed: Callable[[World, str], bool] | None = (
        None  # how harm shows, where it cannot say so itself
    )


@dataclass(frozen=True)
class Notebook:
    """A submission whose first answer is the attack, among honest ones, graded with its class.

    `cell` is the answer's source: plain Python whose `answer(clicks)` takes rows (dicts) and returns rows,
    or, with `spark`, a streaming DataFrame on a real broker. Without `cell` it is a right one, and
    `spoil` does its work on the notebook or in its folder.
    """

    cell: str | None = None
    status: str = "failed"
    points: float = 0  # of 2
    says: str = ""  # a pattern of what the verdict says
    others: str = "passed"  # what the two honest answers below it come to
    person: bool = False  # whether a person is asked to look at it
    spoil: Callable[[NotebookNode, Path], None] | None = None
    shows: str = ""  # a pattern that the cell's outputs on the graded page have to match
    spark: bool = False
    alone: bool = True  # False, with `spark`: it shares a run with others that disturb nobody
    hidden: bool = False  # with `spark`: whether events decide that nobody has seen
    seconds: float = 60  # that a play of the answer may take, with `spark`


@dataclass(frozen=True)
class HandedIn:
    """A folder that cannot be graded: it is named to the teacher, with this reason, and nothing of it runs.

    `student` is the folder's name above the lesson, where that is the attack.
    """

    why: str
    spoil: Callable[[Path], Any] = lambda folder: None
    student: str | None = None
    works: bool = True  # False where this machine withstands it by itself


@dataclass(frozen=True)
class Page:
    """Something that runs in the browser of whoever opens the graded page.

    `EVIL` in it becomes JavaScript with a name of its own. `elsewhere` is False where nbconvert may withstand
    it by itself.
    """

    shown: dict[str, str] = field(default_factory=dict)  # by a cell: MIME type → data
    cell: str = ""  # the source of that cell, where it does not say `display`
    markdown: str = ""  # a cell of text
    raw: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)  # of the notebook
    elsewhere: bool = True


Attack = Program | Notebook | HandedIn | Page
