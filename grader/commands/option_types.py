"""Types of options that argparse does not have; each refuses a value and says which it wants."""

from __future__ import annotations

import argparse

# sandbox/sandbox_kinds.py and scenario/answer_kinds.py have these, and take long to import
SANDBOXES = ("auto", "bwrap", "docker", "none")
RETURNS = ("stream", "writer", "table", "table_writer", "events", "results", "tests")


def one_or_more(text: str) -> int:
    return _whole_number(text, least=1)


def zero_or_more(text: str) -> int:
    return _whole_number(text, least=0)


def _whole_number(text: str, *, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise argparse.ArgumentTypeError(f"an integer, at least {least}, and not {text!r}")
    return number


def seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"seconds, more than 0, and not {text!r}")
    return number
