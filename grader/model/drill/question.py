"""A question with its choices, as data: made from a seed, so that it can be made again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from grader.model import Played
from grader.model.drill.query_code import code_of, setting_of
from grader.model.drill.situation import Rule, Situation
from grader.model.drill.wrong_ideas import Idea
from grader.model.query import Query


@dataclass(frozen=True)
class Ask:
    """What is asked of a situation. The function `answer` plays it by a rule and reads the answer from the run.

    None says that there is no answer. `text` writes an answer, `why` says how the right one comes
    about.
    """

    text: str
    answer: Callable[[Situation, Rule], Any]
    write: Callable[[Any], str]
    why: Callable[[Situation, Played], str]


@dataclass(frozen=True)
class Posed:
    """A question about a situation, and the ideas that may answer it wrongly, the most common first."""

    situation: Situation
    ask: Ask
    ideas: list[Idea]
    hidden: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class WhichOne:
    """Rows are shown: which of these queries made them? The first of `queries` did.

    The dict `hidden` maps code of the right query to what is shown in its place.
    """

    situation: Situation
    text: str
    queries: Mapping[str, Query]
    hidden: Mapping[str, str]


@dataclass(frozen=True)
class Choice:
    """`idea` is the name of the wrong idea that gives this answer; empty for the right one."""

    text: str
    idea: str = ""
    said: str = ""


class MultipleChoice:
    """What a question needs to be answered: its choices, and why the right one is right."""

    choices: list[Choice]
    why: str

    @property
    def right(self) -> int:
        """The place of the right choice."""
        return next(n for n, choice in enumerate(self.choices) if not choice.idea)

    def explanation(self, number: int) -> str:
        """What is said to a learner who has chosen this answer."""
        choice = self.choices[number]
        wrong = [*_marked("✗", choice.text), f"  {choice.said}".rstrip()] if choice.idea else []
        lines = [*wrong, *_marked("✓", self.choices[self.right].text)]
        return "\n".join(line for line in lines if line)


@dataclass(frozen=True)
class Question(MultipleChoice):
    """`played` is the truth: what the query does with the events. `shows_rows`: it is part of the question."""

    topic: str
    kind: str
    level: int
    seed: int
    text: str
    situation: Situation
    played: Played
    choices: list[Choice]
    why: str
    shows_rows: bool = False
    hidden: Mapping[str, str] = field(default_factory=dict)

    def unveiled(self) -> Question:
        """The same with nothing hidden in its code."""
        return replace(self, hidden={})

    @property
    def code(self) -> str:
        return self._veiled(code_of(self.situation.query))

    @property
    def setting(self) -> str:
        return self._veiled(setting_of(self.situation.query))

    def _veiled(self, text: str) -> str:
        for said, shown in self.hidden.items():
            text = text.replace(said, shown)
        return text


def _marked(mark: str, text: str) -> list[str]:
    first, *rest = text.splitlines()
    return [f"{mark} {first}", *(f"  {line}" for line in rest)]
