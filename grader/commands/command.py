"""What every command shares: how it is declared, where it works, what it prints."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


class UsageError(Exception):
    """Something that the person at the keyboard can fix; shown without a traceback."""


def add_command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], int],
    help: str,
    more: str = "",
) -> argparse.ArgumentParser:
    """Declare the command `name`; `run` does it and returns the exit code, `more` is its long help."""
    added = commands.add_parser(
        name,
        help=help,
        description=f"{help[0].upper()}{help[1:]}.\n\n{more}".strip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    added.set_defaults(run=run)
    return added


def project_root() -> Path:
    """The project's folder: the nearest one, from here upwards, that holds course/ or solutions/."""
    for folder in [Path.cwd(), *Path.cwd().parents, Path(__file__).resolve().parents[2]]:
        if (folder / "course").is_dir() or (folder / "solutions").is_dir():
            return folder
    raise UsageError(
        "there is no course/ folder here or above. Change into the project's folder: a clone, or the one that "
        "`stateful-streams lab` made."
    )


def course_root() -> Path:
    """The project's folder, or this one if there is none and the course is in the installed package."""
    from grader.runtime.course_files import packaged_course

    try:
        return project_root()
    except UsageError:
        if packaged_course() is None:
            raise
        return Path.cwd()


def notify(text: str) -> None:
    """Print a line on standard error, at once."""
    print(text, file=sys.stderr, flush=True)


def print_json(arguments: argparse.Namespace, data: Any) -> None:
    """Print what `--json` promises, on the standard output that is kept free for it."""
    print(json.dumps(data, indent=2, ensure_ascii=False), file=arguments.json_to)
