"""Commands that set the lab up, look at it and start it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.commands.command import add_command, print_json, project_root

if TYPE_CHECKING:
    from argparse import Namespace

    from grader.commands.command import Commands


def add_commands(commands: Commands) -> None:
    add = add_command(
        commands, "doctor", _doctor,
        "look at Java, memory, disk, ports, packages, jars and sandbox",
        "Each finding comes with its mend. Exit code 1 if something must be mended.",
    )  # fmt: skip
    add.add_argument("--json", action="store_true", help="findings as JSON")

    add = add_command(
        commands, "setup", _setup,
        "bring the locked jars here and make Java's start-up caches",
        "What is there already is checked and kept. `make setup` calls this.",
    )  # fmt: skip
    add.add_argument("--force", action="store_true", help="make the caches again")
    add.add_argument(
        "--all",
        action="store_true",
        help="also what a lesson fetches when it is first needed (3 MB)",
    )

    add = add_command(
        commands, "lab", _lab,
        "start Kafka, check the lab with one graded stream, open JupyterLab",
        "Ctrl-C stops all of it; your notebooks and your progress stay.",
    )  # fmt: skip
    add.add_argument("--port", type=int, help="port of JupyterLab (default: a free one)")
    add.add_argument("--no-browser", action="store_true", help="print the address, open nothing")
    add.add_argument(
        "--docker", action="store_true", help="Kafka, a Spark cluster and JupyterLab in containers"
    )


def _doctor(arguments: Namespace) -> int:
    from dataclasses import asdict

    from grader.lab.doctor import examine

    findings = examine()
    if arguments.json:
        print_json(arguments, {"findings": [asdict(found) for found in findings]})
    else:
        for found in findings:
            print(f"{'✓' if found.ok else '✗'} {found.name}: {found.found}")
            if found.fix:
                print(f"    {found.fix}")
    return 0 if all(found.ok for found in findings) else 1


def _setup(arguments: Namespace) -> int:
    from grader.connectors.node_packages import package_file
    from grader.lab.local_lab import signals_as_exit
    from grader.lab.setup import set_up
    from grader.learner.rehearsal import rehearse

    with signals_as_exit():  # a closed terminal must not leave the broker running
        set_up(rehearse, force=arguments.force)
        if arguments.all:
            package_file("")
    return 0


def _lab(arguments: Namespace) -> int:
    if arguments.docker:
        from grader.lab.docker_lab import run_docker_lab

        return run_docker_lab(
            project_root(), port=arguments.port, open_browser=not arguments.no_browser
        )
    from grader.lab.local_lab import run_lab
    from grader.learner.self_check import self_check

    return run_lab(
        self_check=self_check,
        notebook_dir=project_root() / "course",
        port=arguments.port,
        open_browser=not arguments.no_browser,
    )
