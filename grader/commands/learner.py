"""Commands of a learner: what there is, how far I am, check, drill, start again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.commands.command import UsageError, add_command, print_json, project_root
from grader.commands.option_types import SANDBOXES, one_or_more, seconds

if TYPE_CHECKING:
    from argparse import Namespace

    from grader.commands.command import Commands
    from grader.judging.check_pack import Pack


def add_commands(commands: Commands) -> None:
    add = add_command(commands, "list", _list, "list the lessons and their exercises")
    add.add_argument("--json", action="store_true", help="as JSON")
    _add_check(commands)
    _add_drill(commands)
    add_command(commands, "progress", _progress, "show how far you are and where to go next")
    add = add_command(
        commands, "reset", _reset, "start a lesson or an exercise again",
        "Puts the answer cells back as they were handed out (the notebook as it is now is kept beside your\n"
        "progress file, its path is printed) and forgets the verdicts and hints. Save the notebook first: what\n"
        "JupyterLab has not saved is not kept.",
    )  # fmt: skip
    add.add_argument("what", metavar="LESSON|EXERCISE", help="such as 03 or 03.2")


def _add_check(commands: Commands) -> None:
    add = add_command(
        commands, "check", _check, "check a notebook without opening it",
        "Runs the notebook's cells in a process of its own, then plays every exercise. Exit code 0 only if\n"
        "all that was checked passed.",
    )  # fmt: skip
    add.add_argument("notebook", type=Path)
    add.add_argument("--exercise", metavar="ID", help="only this exercise, such as 03.2")
    add.add_argument(
        "--timeout", type=seconds, metavar="SECONDS", help="limit for one cell and for one play"
    )
    add.add_argument(
        "--sandbox", choices=SANDBOXES,
        help="shut the notebook's code away, as the grading of a class does (default: none)",
    )  # fmt: skip
    add.add_argument("--json", action="store_true", help="verdicts as JSON")


def _add_drill(commands: Commands) -> None:
    add = add_command(
        commands, "drill", _drill, "answer fresh questions on a topic",
        "The questions are made by the model of Structured Streaming: no Java, no Kafka. Without a topic they are\n"
        "on what is due again or comes next. Ctrl-C stops; what was answered is kept. A topic that there is not\n"
        "is answered with those that there are.",
    )  # fmt: skip
    add.add_argument("topic", nargs="?", metavar="TOPIC", help="such as watermarks or joins")
    add.add_argument(
        "--count", type=one_or_more, default=10, metavar="N", help="questions (default: 10)"
    )
    add.add_argument("--seed", type=int, metavar="S", help="ask the questions of this seed")


def _list(arguments: Namespace) -> int:
    from grader.judging.check_pack import find_packs, read_pack

    packs = [read_pack(path) for _, path in sorted(find_packs(project_root()).items())]
    if arguments.json:
        print_json(arguments, {"lessons": [_lesson_json(pack) for pack in packs]})
        return 0
    for pack in packs:
        print(f"{pack.lesson}  {pack.title}")
        for packed in pack.graded():
            exercise = packed.exercise
            print(f"    {exercise.id}  {exercise.title} ({exercise.points:g} points)")
    return 0


def _lesson_json(pack: Pack) -> dict[str, Any]:
    exercises = [
        {
            "id": packed.exercise.id,
            "title": packed.exercise.title,
            "points": packed.exercise.points,
            "misconceptions": len(packed.fingerprints),
            "equivalents": packed.equivalents,
        }
        for packed in pack.graded()
    ]
    return {"id": pack.lesson, "slug": pack.slug, "title": pack.title, "exercises": exercises}


def _check(arguments: Namespace) -> int:
    from grader.feedback.verdict_text import verdict_text
    from grader.sandbox.notebook_check import check_notebook, pack_beside

    if not arguments.notebook.exists():
        raise UsageError(f"{arguments.notebook} does not exist.")
    verdicts = check_notebook(
        arguments.notebook,
        exercise=arguments.exercise,
        timeout=arguments.timeout,
        sandbox=arguments.sandbox,
    )
    if arguments.json:
        print_json(arguments, {"verdicts": [verdict.to_dict() for verdict in verdicts]})
    else:
        graded = pack_beside(arguments.notebook.absolute()).graded()
        titles = {packed.exercise.id: packed.exercise.title for packed in graded}
        for verdict in verdicts:
            print(verdict_text(verdict, titles.get(verdict.exercise, "")))
    return 0 if verdicts and all(verdict.passed for verdict in verdicts) else 1


def _drill(arguments: Namespace) -> int:
    from grader.model.drill.drill_sitting import Drill
    from grader.model.drill.drill_terminal import ask

    ask(Drill(arguments.topic, seed=arguments.seed), arguments.count)
    return 0


def _progress(_arguments: Namespace) -> int:
    from grader.learner import progress

    os.chdir(project_root())
    progress.show()
    return 0


def _reset(arguments: Namespace) -> int:
    from grader.judging.check_pack import find_packs
    from grader.learner.reset import reset

    here = Path.cwd()  # a lesson fetched from nbgrader's exchange lies beside no course/
    for line in reset(arguments.what, here if find_packs(here) else project_root()):
        print(line)
    return 0
