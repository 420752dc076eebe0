"""The command `grader`, run as an author runs it."""

import subprocess
import sys
from typing import NamedTuple


class Ran(NamedTuple):
    """What a command did: its exit code, and what it wrote."""

    code: int
    out: str
    err: str


def run_grader(*words: str) -> Ran:
    """Run `grader` with these words in the current folder.

    It has a process of its own: `build` and `verify` end their Spark, which here would be the session that the
    tests of a process share.
    """
    done = subprocess.run([sys.executable, "-m", "grader", *words], capture_output=True, text=True)
    return Ran(done.returncode, done.stdout, done.stderr)
