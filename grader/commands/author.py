"""Commands of an author: begin an exercise, build the course and its site, prove exercises."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from grader.commands.command import UsageError, add_command, notify, print_json, project_root
from grader.commands.option_types import RETURNS

if TYPE_CHECKING:
    from argparse import Namespace
    from pathlib import Path

    from grader.authoring.lesson_source import LessonSource
    from grader.commands.command import Commands


def add_commands(commands: Commands) -> None:
    _add_new(commands)
    add = add_command(
        commands, "build", _build, "make course/ from solutions/",
        "Notebooks by nbgrader's own generate step, and the check packs: what the solutions and the known\n"
        "mistakes do on the public scenarios. Only what changed is played again.",
    )  # fmt: skip
    add.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 where course/ differs"
    )
    add.add_argument(
        "--fresh", action="store_true", help="play all, as after a change in the engine"
    )
    _add_verify(commands)
    _add_site(commands)


def _add_new(commands: Commands) -> None:
    add = add_command(
        commands, "new", _new, "begin an exercise: its folder and its cells, with an example to change",
        "Writes every file that an exercise needs and overwrites none. `grader verify ID` then says what to\n"
        "write next, one part at a time. docs/write-an-exercise.md says more.",
    )  # fmt: skip
    add.add_argument("what", choices=["exercise"], help="what is begun")
    add.add_argument("id", metavar="LESSON.NUMBER", help="such as 04.6")
    add.add_argument(
        "--title", default="", metavar="TITLE", help="such as \"Clicks per minute\"; names the function"
    )  # fmt: skip
    add.add_argument(
        "--returns", choices=RETURNS, default="stream",
        help="what the learner's function returns (default: stream)",
    )  # fmt: skip


def _add_verify(commands: Commands) -> None:
    add = add_command(
        commands, "verify", _verify,
        "prove exercises: solution passes, stub not attempted, mistakes named",
        "Uses the packs in course/, as a learner does. Without IDs all exercises. What was played before\n"
        "on this machine, under the same circumstances, is judged again and not played again.",
    )  # fmt: skip
    add.add_argument(
        "ids", nargs="*", metavar="ID", help="exercises or lessons, such as 03.2 or 03"
    )
    add.add_argument(
        "--mutants",
        action="store_true",
        help="play small changes of the solutions instead: each must fail or be explained",
    )
    add.add_argument(
        "--names", action="store_true", help="with --mutants: what the check said of each"
    )
    add.add_argument(
        "--notebooks",
        action="store_true",
        help="run the lessons' notebooks instead, solved, from top to bottom",
    )
    add.add_argument("--fresh", action="store_true", help="play everything again")
    add.add_argument("--json", action="store_true", help="as JSON")


def _add_site(commands: Commands) -> None:
    add = add_command(
        commands, "site", _site, "make the site: the landing page, and the course to read",
        "One folder of static pages from course/ and docs/. Any web server can serve it, and a browser can open\n"
        "its index.html. The pages load nothing from other servers. Needs the development packages: make site.",
    )  # fmt: skip
    add.add_argument(
        "--out", metavar="DIR", help="where the pages go (default: build/site in the project)"
    )
    add.add_argument(
        "--check", action="store_true",
        help="then check links, anchors and sizes, without the network; exit 1 if something is wrong",
    )  # fmt: skip
    add.add_argument(
        "--version", metavar="NAME",
        help="what readers choose in the list of versions (default: the version of the project)",
    )  # fmt: skip


def _new(arguments: Namespace) -> int:
    from grader.authoring.exercise_template import write_exercise

    root = project_root()
    files = write_exercise(
        root / "solutions", arguments.id, arguments.title.strip(), arguments.returns
    )
    for path in files:
        print(path.relative_to(root))
    print(f"Next: grader verify {arguments.id} says what to write first.")
    return 0


def _build(arguments: Namespace) -> int:
    from grader.authoring.course_build import build, differences
    from grader.authoring.lesson_source import read_lessons
    from grader.authoring.play_store import open_plays

    root = project_root()
    lessons = read_lessons(root / "solutions")
    if not _complete(lessons, []):
        return 1
    if arguments.check:
        found = differences(lessons, root / "course")
        for line in found:
            print(line)
        if found:
            print("Run `grader build` and commit course/.")
        return 1 if found else 0
    with open_plays(fresh=arguments.fresh) as plays:
        build(lessons, root / "course", plays, notify, fresh=arguments.fresh)
        notify(plays.counts())
    return 0


def _verify(arguments: Namespace) -> int:
    from grader.authoring.lesson_source import read_lessons
    from grader.authoring.spark_versions import on_own_version

    root = project_root()
    lessons = read_lessons(root / "solutions")
    known = {x.id for x in lessons} | {s.exercise.id for x in lessons for s in x.exercises}
    unknown = [given for given in arguments.ids if given not in known]
    if unknown:
        raise UsageError(
            f"there is no exercise or lesson {unknown[0]}; there are {', '.join(sorted(known))}."
        )
    # on another Spark some answers do not even load: that is what the run is to show
    if on_own_version() and not _complete(lessons, arguments.ids):
        return 1
    if arguments.mutants:
        return _verify_mutants(arguments, lessons, root / "course")
    if arguments.notebooks:
        return _verify_notebooks(arguments, lessons, root / "course")
    return _verify_exercises(arguments, lessons, root / "course")


def _complete(lessons: list[LessonSource], ids: list[str]) -> bool:
    """Whether nothing is missing that can be seen without a play; prints what is.

    Of an exercise among `ids` (all if empty) that is not yet written, that is the next part alone.
    """
    from grader.authoring.exercise_lint import lint
    from grader.authoring.todo_list import next_part
    from grader.authoring.verification import is_chosen

    chosen = [s for lesson in lessons for s in lesson.exercises if is_chosen(s, ids)]
    findings = [part for source in chosen if (part := next_part(source))] or lint(lessons)
    if findings:
        print("\n".join(findings), file=sys.stderr)
    return not findings


def _verify_exercises(arguments: Namespace, lessons: list[LessonSource], course: Path) -> int:
    from grader.authoring.play_store import open_plays
    from grader.authoring.spark_versions import keep_run, on_own_version, proofs_are_kept
    from grader.authoring.verification import as_json, summary, verify

    own = on_own_version()
    write = proofs_are_kept()
    with open_plays(fresh=arguments.fresh) as plays:
        proofs = verify(lessons, course, plays, arguments.ids, notify, write=write, hidden=own)
        notify(plays.counts())
    if not own:
        keep_run(proofs)
    result = as_json(proofs)
    if arguments.json:
        print_json(arguments, result)
    else:
        print(summary(proofs) + (": ok" if result["ok"] else ": NOT OK"))
    return 0 if result["ok"] else 1


def _verify_mutants(arguments: Namespace, lessons: list[LessonSource], course: Path) -> int:
    from grader.authoring.mutants.mutant_check import as_json, faultless, names_text, verify_mutants
    from grader.authoring.play_store import open_plays
    from grader.authoring.spark_versions import proofs_are_kept

    write = proofs_are_kept()
    with open_plays(fresh=arguments.fresh) as plays:
        proofs = verify_mutants(lessons, course, plays, arguments.ids, notify, write=write)
    result = as_json(proofs)
    for line in names_text(proofs) if arguments.names else []:
        print(line)
    if arguments.json:
        print_json(arguments, result)
    else:
        count = sum(found["mutants"] for found in result["exercises"])
        print(f"{len(proofs)} exercises, {count} mutants, score {result['score']:.1%}")
    return 0 if faultless(proofs) else 1


def _verify_notebooks(arguments: Namespace, lessons: list[LessonSource], course: Path) -> int:
    from grader.authoring.solved_notebooks import run_notebooks
    from grader.authoring.spark_versions import proofs_are_kept
    from grader.site.lesson_outputs import keep_outputs

    chosen = [lesson for lesson in lessons if not arguments.ids or lesson.id in arguments.ids]
    if not chosen:
        raise UsageError(
            f"notebooks are run per lesson; choose one of: {', '.join(x.id for x in lessons)}."
        )
    write = proofs_are_kept()
    runs = run_notebooks(chosen, course, notify, write=write, keep=keep_outputs)
    ok = not any(run.faults for run in runs)
    if arguments.json:
        print_json(arguments, {"notebooks": [run.to_dict() for run in runs], "ok": ok})
    else:
        minutes = sum(run.seconds for run in runs) / 60
        ran = "1 notebook" if len(runs) == 1 else f"{len(runs)} notebooks"
        print(f"{ran} in {minutes:.0f} min: {'ok' if ok else 'NOT OK'}")
    return 0 if ok else 1


def _site(arguments: Namespace) -> int:
    from pathlib import Path

    from grader.site.site_build import build_site, faults

    root = project_root()
    out = Path(arguments.out) if arguments.out else root / "build" / "site"
    found = build_site(root, out, arguments.version)
    found += faults(root, out) if arguments.check else []
    for line in found:
        notify(line)
    print(f"The site: {out / 'index.html'}")
    return 1 if arguments.check and found else 0
