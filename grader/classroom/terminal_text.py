"""Text for a terminal: names and messages of a submission may hold what a terminal obeys."""

from __future__ import annotations


def for_terminal(text: str) -> str:
    """A string on one line, without what a terminal obeys."""
    signs = " ".join(text.split("\n"))
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in signs)


def lines_for_terminal(text: str) -> str:
    """A string of several lines, each as `for_terminal` has it."""
    return "\n".join(for_terminal(line) for line in text.split("\n"))
