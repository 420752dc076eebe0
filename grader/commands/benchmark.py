"""The command that runs the benchmarks of a clone."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from grader.commands.command import UsageError, add_command, notify, print_json, project_root

if TYPE_CHECKING:
    from argparse import Namespace

    from grader.commands.command import Commands


def add_commands(commands: Commands) -> None:
    add = add_command(
        commands, "bench", _bench, "run benchmarks, each against its baseline in the same run",
        "Without names all of them. They need a clone of the project: its benchmarks/ folder.",
    )  # fmt: skip
    add.add_argument(
        "names", nargs="*", metavar="NAME", help="such as cold, warm, replay, memory, lens, page"
    )
    add.add_argument("--json", action="store_true", help="rows as JSON")


def _bench(arguments: Namespace) -> int:
    import subprocess

    folder = project_root() / "benchmarks"
    there = {path.stem: path for path in folder.glob("*.py") if path.stem != "table"}
    if not there:
        raise UsageError(f"there is no {folder}: benchmarks need a clone of the project.")
    unknown = [name for name in arguments.names if name not in there]
    if unknown:
        raise UsageError(
            f"there is no benchmark {' '.join(unknown)}; there are: {', '.join(sorted(there))}."
        )
    rows: list[Any] = []
    failed: list[str] = []
    for name in arguments.names or sorted(there):
        words = [sys.executable, str(there[name]), *(["--json"] if arguments.json else [])]
        to = subprocess.PIPE if arguments.json else None
        done = subprocess.run(words, cwd=folder.parent, stdout=to)
        if done.returncode:
            failed.append(name)
        elif arguments.json:
            rows += json.loads(done.stdout)["rows"]
    if arguments.json:
        print_json(arguments, {"rows": rows})
    for name in failed:
        notify(f"Benchmark {name} produced no results; see the error above.")
    return 1 if failed else 0
