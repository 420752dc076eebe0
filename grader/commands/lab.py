"""Commands that set the lab up, look at it and start it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from grader.commands.command import UsageError, add_command, print_json, project_root

if TYPE_CHECKING:
    from argparse import Namespace

    from grader.commands.command import Commands


def add_commands(commands: Commands) -> None:
    add = add_command(
        commands, "doctor", _doctor,
        "look at Java, memory, disk, ports, packages, jars and sandbox",
        "Each finding comes with its fix. Exit code 1 if something must be fixed.",
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
        "Ctrl-C stops all of it; your notebooks and your progress stay. A course that was installed as a\n"
        "package (pip, pipx, uv) is first laid out in the folder stateful-streams. If it is there already, it\n"
        "is updated. Files that you changed stay as they are, and a new version is put next to them. Then the jars\n"
        "and the start-up caches are made, as `grader setup` does.",
    )  # fmt: skip
    add.add_argument(
        "--folder", type=Path,
        help="of an installed package: where the course is laid out (default: stateful-streams)",
    )  # fmt: skip
    add.add_argument(
        "lesson", nargs="?", help="open the notebook of this lesson, such as 03 (default: your progress)"
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

    _set_up(force=arguments.force)
    if arguments.all:
        package_file("")
    return 0


def _set_up(*, force: bool = False) -> None:
    from grader.errors import SetupError
    from grader.lab.local_lab import signals_as_exit
    from grader.lab.setup import set_up
    from grader.learner.rehearsal import rehearse
    from grader.runtime.course_files import packaged_course

    try:
        with signals_as_exit():  # a closed terminal must not leave the broker running
            set_up(rehearse, force=force)
    except SetupError as error:
        if packaged_course() is None:
            raise
        raise SetupError(
            f"{error}\n(In an installed package, `make setup` is `grader setup`.)"
        ) from error


def _lab(arguments: Namespace) -> int:
    from grader.runtime.course_files import packaged_course

    packaged = packaged_course()
    if packaged is not None:
        return _lab_of_package(arguments, packaged.parent)
    if arguments.folder is not None:
        raise UsageError("--folder is for an installed package; here the notebooks are in course/.")
    if arguments.docker:
        if arguments.lesson:
            raise UsageError("--docker opens the lab's first page. Leave the lesson out.")
        from grader.lab.docker_lab import run_docker_lab

        return run_docker_lab(
            project_root(), port=arguments.port, open_browser=not arguments.no_browser
        )
    return _run_lab(arguments, project_root())


def _lab_of_package(arguments: Namespace, package: Path) -> int:
    from grader.lab.course_folder import course_around, is_laid_out, lay_out
    from grader.runtime.paths import APP

    if arguments.docker:
        raise UsageError("--docker needs the Dockerfile of a clone: git clone the project first.")
    around = None if arguments.folder else course_around(Path.cwd())
    if around is not None and not is_laid_out(around):
        # a clone, or a teacher's folder: its notebooks are not ours to change
        folder, said = around, f"{around}, as it is"
    else:
        done = lay_out(arguments.folder or around or Path(APP), package)
        folder, said = done.folder, done.text()
    print(f"Course      {said}", flush=True)
    _set_up()
    return _run_lab(arguments, folder)


def _run_lab(arguments: Namespace, root: Path) -> int:
    from grader.lab.local_lab import run_lab
    from grader.learner.self_check import self_check

    return run_lab(
        self_check=self_check,
        notebook_dir=root / "course",
        lesson=arguments.lesson,
        port=arguments.port,
        open_browser=not arguments.no_browser,
    )
