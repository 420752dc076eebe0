"""The terms of docs/glossary.md: their other names, and where a lesson teaches them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_ENTRY = re.compile(
    r"^### (.+)\n\n(.+)\n\n"
    r"- \[(\d\d)\] \*([^*]+)\*\n"
    r"- \[[^\]]+\]\((https://\S+)\)\n"
    r"- also: (.+)$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Term:
    """An entry: a term, one sentence, the lesson's number and heading, an official page, other names."""

    name: str
    meaning: str
    lesson: str
    heading: str
    official: str
    also: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What people search for: the term and its other names, without the marks of code."""
        return tuple(name.replace("`", "") for name in (self.name, *self.also))


def read_glossary(path: Path) -> list[Term]:
    """The terms of a glossary in their order; a heading whose entry has another form is an error."""
    text = path.read_text(encoding="utf-8")
    terms = [
        Term(name, meaning, lesson, heading, official, tuple(also.split(", ")))
        for name, meaning, lesson, heading, official, also in _ENTRY.findall(text)
    ]
    odd = set(re.findall(r"^### (.+)$", text, re.MULTILINE)) - {term.name for term in terms}
    if odd:
        raise ValueError(
            f"{path}: {sorted(odd)}. Fix: a sentence, then the lines for lesson, official page and also"
        )
    return terms


def naming(terms: list[Term]) -> re.Pattern[str]:
    """A pattern that finds a term, by any of its names, in the singular or the plural."""
    names = sorted({name for term in terms for name in term.names}, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?:e?s)?(?!\w)", re.IGNORECASE)
