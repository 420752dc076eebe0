"""The command line: reads the words, runs one command, says what went wrong."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

from grader.commands import author, benchmark, lab, learner, teacher
from grader.systems import what_is_missing

OTHER_NAME = "stateful-streams"  # of this program
EPILOG = """\
a first session:
  grader lab                          start the lab: Kafka, Spark, JupyterLab on course/
  grader progress                     see how far you are
  grader drill placement              find out which lesson to begin with
  grader drill watermarks             answer fresh questions, no Spark needed
  grader check course/03_watermarks/03_watermarks.ipynb --exercise 03.2

for teachers:
  grader grade submitted/ 03_watermarks
  grader report 03

for authors:
  grader new exercise 04.6            begin an exercise
  grader verify 03.2                  prove one exercise
  grader build                        make course/ from solutions/

Every command explains itself: grader COMMAND --help
"""

# Errors whose message says the fix, by name: their modules take long to import.
WITH_FIX = {
    "UsageError", "SetupError", "SourceError", "PackError", "ScenarioError", "ExerciseError",
    "BrokerUnreachable", "NotebookError", "UnknownTopic", "CertificateError",
}  # fmt: skip
# a folder that cannot be used: what a person can fix
NO_PLACE = (
    errno.EACCES, errno.EDQUOT, errno.EEXIST, errno.ENOSPC, errno.ENOTDIR, errno.EPERM, errno.EROFS
)  # fmt: skip
PLACES = (
    "Free some space there, or fix the permissions. The grader's own folders can be others: GRADER_STATE for "
    "progress, GRADER_CACHE for jars and caches, TMPDIR for what runs. grader doctor looks at all three."
)
DATABASES = (
    "That is gradebook.db or grading/journal.db: is the disk full, may you write there, is the file whole? What was "
    "graded before stays; a damaged file is one to take from your copies."
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0 only if all went well. `stateful-streams` alone is its lab."""
    words = sys.argv[1:] if argv is None else list(argv)
    if not words and Path(sys.argv[0]).stem == OTHER_NAME:
        words = ["lab"]
    arguments = _parser().parse_args(words)
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        message = _message(what_is_missing(error))
        if message is None:
            raise
        print(f"grader: {message}", file=sys.stderr)
        return 2


def _run(arguments: argparse.Namespace) -> int:
    """With --json, standard output holds only the JSON: progress, such as downloads, goes to standard error."""
    if not getattr(arguments, "json", False):
        return int(arguments.run(arguments))
    arguments.json_to = sys.stdout
    with redirect_stdout(sys.stderr):
        return int(arguments.run(arguments))


def _message(error: Exception) -> str | None:
    """What a person can do about an error; None for a defect, which keeps its traceback."""
    if type(error).__name__ in WITH_FIX:
        return str(error)
    if isinstance(error, OSError) and error.errno in NO_PLACE:
        where = f"{error.filename}: " if error.filename else ""  # a full disk names no file
        return f"{where}{error.strerror}. {PLACES}"
    if type(error).__module__.startswith(("sqlite3", "sqlalchemy")):
        return f"{str(error).splitlines()[0]}. {DATABASES}"
    return None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="grader",
        description="Stateful Streams: a graded course in Spark Structured Streaming, on a real Kafka.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for group in (lab, learner, teacher, author, benchmark):
        group.add_commands(commands)
    return parser
