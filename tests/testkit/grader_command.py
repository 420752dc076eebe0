"""The command `grader` in the test's own process."""

from typing import NamedTuple

import pytest

from grader.cli import main


class Ran(NamedTuple):
    """What a command did: its exit code, and what it wrote."""

    code: int
    out: str
    err: str


def run_command(capsys: pytest.CaptureFixture[str], *words: str) -> Ran:
    """Run `grader` with these words in the current folder."""
    capsys.readouterr()
    return Ran(main(words), *capsys.readouterr())
