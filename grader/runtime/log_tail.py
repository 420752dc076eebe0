"""The end of a log: its last lines, or the one line that says why a program ended."""

from __future__ import annotations

import re
from pathlib import Path

LINES = 25
_RAISED = re.compile(r"[\w.]+(?:Error|Exception)\b.*")


def log_tail(log: Path) -> str:
    """The last lines of a log."""
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError:
        return "(it has written no log)"
    return "\n".join(lines[-LINES:]) or "(its log is empty)"


def last_words(log: Path) -> str:
    """The exception that a Python program ended with, or else its last line.

    Spark's exceptions continue with a plan, whose last line says nothing.
    """
    lines = log.read_text(errors="replace").strip().splitlines()
    raised = [line for line in lines if _RAISED.match(line)]
    return (raised or lines or ["it has not said why"])[-1].rstrip(";")
