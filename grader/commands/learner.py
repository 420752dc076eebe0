"""Commands of a learner: what there is, how far I am, check, drill, start again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.commands.command import UsageError, add_command, course_root, print_json, project_root
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
    _add_progress(commands)
    add = add_command(
        commands, "reset", _reset, "start a lesson or an exercise again",
        "Puts the answer cells back as they were handed out, and forgets the verdicts and hints. A copy of the\n"
        "notebook is kept beside your progress file, and its path is printed. Save the notebook first: what\n"
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
    add.add_argument(
        "--form", action="store_true",
        help="only say whether the file can be graded and which answers are found; nothing runs",
    )  # fmt: skip
    add.add_argument("--json", action="store_true", help="verdicts as JSON (with --form: the form)")


def _add_progress(commands: Commands) -> None:
    add = add_command(
        commands, "progress", _progress, "show your progress and the next exercise",
        "With --certificate it writes a page to print: what you have passed, and a digest of your answers. With\n"
        "--verify it compares such a page with notebooks; exit code 0 only if all answers are the same. The points are\n"
        "the learner's own words, and only a run proves them: grader check or grader grade.",
    )  # fmt: skip
    kind = add.add_mutually_exclusive_group()
    kind.add_argument("--certificate", type=Path, metavar="FILE.html", help="write a certificate")
    kind.add_argument("--verify", type=Path, metavar="FILE.html", help="compare a certificate")
    add.add_argument("--name", metavar="NAME", help="with --certificate: whose it is")
    add.add_argument(
        "--notebooks", type=Path, metavar="FOLDER",
        help="with --verify: the learner's notebooks, such as course/ or submitted/ada/",
    )  # fmt: skip


def _add_drill(commands: Commands) -> None:
    add = add_command(
        commands, "drill", _drill, "answer fresh questions on a topic",
        "The questions are made by the model of Structured Streaming: no Java, no Kafka. Without a topic they are\n"
        "on what is due again or comes next. Ctrl-C stops; what was answered is kept. If the topic does not exist,\n"
        "the command lists the available topics. The topic placement is a test: twenty questions over the lessons,\n"
        "then which lessons to skip, and which one to open first. With --import the command asks nothing:\n"
        "it keeps what the site's page saved to a file. A standing is kept if it has more answers than yours, and the\n"
        "placement test if it is later than yours.",
    )  # fmt: skip
    add.add_argument(
        "topic", nargs="?", metavar="TOPIC", help="such as watermarks or joins, or placement"
    )
    add.add_argument(
        "--import", dest="saved", type=Path, metavar="FILE",
        help="keep the standings and the placement test that a page of the site saved",
    )  # fmt: skip
    add.add_argument("--count", type=one_or_more, metavar="N", help="questions (default: 10)")
    add.add_argument("--seed", type=int, metavar="S", help="ask the questions of this seed")
    add.add_argument("--json", action="store_true", help="the placement's advice as JSON")


def _list(arguments: Namespace) -> int:
    from grader.judging.check_pack import read_pack
    from grader.learner.course_packs import packs_near

    packs = [read_pack(path) for _, path in sorted(packs_near(course_root()).items())]
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


def _form(arguments: Namespace) -> int:
    from grader.sandbox.notebook_form import form_of, form_text

    form = form_of(arguments.notebook)
    if arguments.json:
        print_json(arguments, form.to_dict())
    else:
        print(form_text(form))
    return 0 if form.ok else 1


def _check(arguments: Namespace) -> int:
    from grader.feedback.verdict_text import verdict_text
    from grader.sandbox.notebook_check import check_notebook, pack_beside

    if not arguments.notebook.exists():
        raise UsageError(f"{arguments.notebook} does not exist.")
    if arguments.form:
        return _form(arguments)
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
    from grader.learner import progress
    from grader.model.drill.drill import COUNT, is_placement
    from grader.model.drill.drill_sitting import Drill
    from grader.model.drill.drill_terminal import ask
    from grader.model.drill.saved_drill import import_drill

    if arguments.saved:
        if arguments.topic or arguments.count or arguments.json:
            raise UsageError("--import stands alone: leave the topic and the other options out.")
        print(import_drill(arguments.saved))
        return 0
    if is_placement(arguments.topic):
        return _placement(arguments)
    if arguments.json:
        raise UsageError("--json is for the advice of `grader drill placement`.")
    ask(Drill(arguments.topic, progress, seed=arguments.seed), arguments.count or COUNT)
    return 0


def _placement(arguments: Namespace) -> int:
    from grader.model.drill.placement.placement import COUNT
    from grader.model.drill.placement.placement_in_lab import placement_near
    from grader.model.drill.placement.placement_terminal import ask

    if arguments.count is not None:
        raise UsageError(f"the placement test has {COUNT} questions. Leave --count out.")
    result = placement_near(Path.cwd(), arguments.seed)
    try:
        ask(result)
    finally:  # Ctrl-C ends the test, and the advice is for what was answered
        if arguments.json:
            print_json(arguments, result.to_dict())
    return 0


def _progress(arguments: Namespace) -> int:
    if arguments.name is not None and not arguments.certificate:
        raise UsageError("--name goes with --certificate.")
    if arguments.notebooks and not arguments.verify:
        raise UsageError("--notebooks goes with --verify.")
    if arguments.certificate:
        return _certificate(arguments)
    if arguments.verify:
        return _verify(arguments)
    from grader.progress_pages.progress_display import show

    os.chdir(course_root())
    show()
    return 0


def _certificate(arguments: Namespace) -> int:
    from grader.progress_pages.certification import write_certificate

    if arguments.name is None:
        raise UsageError('a certificate needs a name: add --name "Ada Lovelace".')
    certificate = write_certificate(arguments.name, project_root(), arguments.certificate)
    passed = sum(one.passed for one in certificate.exercises)
    print(f"{arguments.certificate}: {passed} exercises passed, code {certificate.code}")
    missing = [one.id for one in certificate.exercises if one.score and not one.answer]
    if missing:
        print(f"No answer in course/ that a teacher could compare: {', '.join(missing)}")
    return 0


def _verify(arguments: Namespace) -> int:
    from grader.classroom.terminal_text import lines_for_terminal
    from grader.progress_pages.certificate_check import compare, comparison_text

    if arguments.notebooks is None:
        raise UsageError("name the learner's notebooks as well: --notebooks FOLDER.")
    comparison = compare(arguments.verify, arguments.notebooks, project_root())
    print(lines_for_terminal(comparison_text(comparison)))
    return 0 if comparison.ok else 1


def _reset(arguments: Namespace) -> int:
    from grader.judging.check_pack import find_packs
    from grader.lab.notebook_reset import reset

    here = Path.cwd()  # a lesson fetched from nbgrader's exchange is not next to a course/
    for line in reset(arguments.what, here if find_packs(here) else course_root()):
        print(line)
    return 0
