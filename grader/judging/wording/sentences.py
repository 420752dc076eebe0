"""The sentences of messages.toml, and tables of other words next to it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from grader.toml_file import read_toml


@cache
def words_in(file: str) -> dict[str, Any]:
    """A TOML file of this folder."""
    return read_toml(Path(__file__).with_name(file))


def words_of(name: str) -> Any:
    """What messages.toml holds under a dotted name: a sentence, or a table of some."""
    found: Any = words_in("messages.toml")
    for part in name.split("."):
        found = found[part]
    return found


def sentence(name: str, /, **values: Any) -> str:
    """A sentence of messages.toml with the words in braces filled in."""
    return str(words_of(name).format(**values))
