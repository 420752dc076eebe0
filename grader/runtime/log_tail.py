"""What a Python program has said of its end: the exception that it ended with, or its last line."""

from __future__ import annotations

import re
from pathlib import Path

_RAISED = re.compile(r"[\w.]+(?:Error|Exception)\b.*")


def last_words(log: Path) -> str:
    """One line of the log. Spark's exceptions go on with a plan, whose last line says nothing."""
    lines = log.read_text(errors="replace").strip().splitlines()
    raised = [line for line in lines if _RAISED.match(line)]
    return (raised or lines or ["it has not said why"])[-1].rstrip(";")
