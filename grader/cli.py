"""The command line: thin, every command a function that calls its room."""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.authoring.lesson_source import LessonSource

EPILOG = """\
a first session:
  grader lab                          start the lab: Kafka, Spark, JupyterLab on course/
  grader progress                     see how far you are
  grader drill watermarks             answer fresh questions, no Spark needed
  grader check course/03_watermarks/03_watermarks.ipynb --exercise 03.2

for teachers:
  grader grade submitted/ 03_watermarks
  grader report 03

for authors:
  grader verify 03.2                  prove one exercise
  grader build                        make course/ from solutions/

Every command explains itself: grader COMMAND --help
"""

# a folder that cannot be used: what a person can mend
NO_PLACE = (
    errno.EACCES, errno.EDQUOT, errno.EEXIST, errno.ENOSPC, errno.ENOTDIR, errno.EPERM, errno.EROFS
)  # fmt: skip
PLACES = (
    "Make room there, or give yourself the right to it. The grader's own folders can be others: GRADER_STATE for "
    "progress, GRADER_CACHE for jars and caches, TMPDIR for what runs. grader doctor looks at all three."
)
DATABASES = (
    "That is gradebook.db or grading/journal.db: is the disk full, may you write there, is the file whole? What was "
    "graded before stays; a damaged file is one to take from your copies."
)
SANDBOXES = (
    "auto",
    "bwrap",
    "docker",
    "none",
)  # sandbox/sandbox_kinds.py, which takes long to import


class UsageError(Exception):
    """Something that the person at the keyboard can mend; shown without a traceback."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0 only if all went well."""
    arguments = _parser().parse_args(argv)
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if _mendable(error):
            print(f"grader: {error}", file=sys.stderr)
        elif isinstance(error, OSError) and error.errno in NO_PLACE:
            where = f"{error.filename}: " if error.filename else ""  # a full disk names no file
            print(f"grader: {where}{error.strerror}. {PLACES}", file=sys.stderr)
        elif type(error).__module__.startswith(("sqlite3", "sqlalchemy")):
            print(f"grader: {str(error).splitlines()[0]}. {DATABASES}", file=sys.stderr)
        else:
            raise
        return 2


def _run(arguments: argparse.Namespace) -> int:
    """With --json standard output holds the JSON and nothing else: all that is said on the way, such as
    what is being fetched, goes to standard error."""
    if not getattr(arguments, "json", False):
        return int(arguments.run(arguments))
    arguments.json_to = sys.stdout
    with redirect_stdout(sys.stderr):
        return int(arguments.run(arguments))


def _mendable(error: Exception) -> bool:
    """Errors whose message says the mend; any other is a defect and keeps its traceback."""
    names = {
        "UsageError", "SetupError", "SourceError", "PackError", "ScenarioError", "ExerciseError",
        "BrokerUnreachable", "NotebookError", "UnknownTopic",
    }  # fmt: skip
    return type(error).__name__ in names


def project_root() -> Path:
    """The project's folder: the nearest one, from here upwards, that holds course/ or solutions/."""
    for folder in [Path.cwd(), *Path.cwd().parents, Path(__file__).resolve().parents[1]]:
        if (folder / "course").is_dir() or (folder / "solutions").is_dir():
            return folder
    raise UsageError(
        "there is no course/ folder here or above. Change into the project's folder (git clone it first)."
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="grader",
        description="Stateful Streams: a graded course in Spark Structured Streaming, on a real Kafka.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, run: Any, help: str, more: str = "") -> argparse.ArgumentParser:
        added = commands.add_parser(
            name,
            help=help,
            description=f"{help[0].upper()}{help[1:]}.\n\n{more}".strip(),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.set_defaults(run=run)
        return added

    add = command(
        "doctor", _doctor, "look at Java, memory, disk, ports, packages, jars and sandbox",
        "Each finding comes with its mend. Exit code 1 if something must be mended.",
    )  # fmt: skip
    add.add_argument("--json", action="store_true", help="findings as JSON")

    add = command(
        "setup", _setup, "bring the locked jars here and make Java's start-up caches",
        "What is there already is checked and kept. `make setup` calls this.",
    )  # fmt: skip
    add.add_argument("--force", action="store_true", help="make the caches again")
    add.add_argument(
        "--all",
        action="store_true",
        help="also what a lesson fetches when it is first needed (3 MB)",
    )

    add = command(
        "lab", _lab, "start Kafka, check the lab with one graded stream, open JupyterLab",
        "Ctrl-C stops all of it; your notebooks and your progress stay.",
    )  # fmt: skip
    add.add_argument("--port", type=int, help="port of JupyterLab (default: a free one)")
    add.add_argument("--no-browser", action="store_true", help="print the address, open nothing")
    add.add_argument(
        "--docker", action="store_true", help="Kafka, a Spark cluster and JupyterLab in containers"
    )

    add = command("list", _list, "list the lessons and their exercises")
    add.add_argument("--json", action="store_true", help="as JSON")

    add = command(
        "check", _check, "check a notebook without opening it",
        "Runs the notebook's cells in a process of its own, then plays every exercise. Exit code 0 only if\n"
        "all that was checked passed.",
    )  # fmt: skip
    add.add_argument("notebook", type=Path)
    add.add_argument("--exercise", metavar="ID", help="only this exercise, such as 03.2")
    add.add_argument(
        "--timeout", type=_seconds, metavar="SECONDS", help="limit for one cell and for one play"
    )
    add.add_argument(
        "--sandbox", choices=SANDBOXES,
        help="shut the notebook's code away, as the grading of a class does (default: none)",
    )  # fmt: skip
    add.add_argument("--json", action="store_true", help="verdicts as JSON")

    add = command(
        "grade", _grade, "grade a class into nbgrader's grade book",
        "SUBMITTED is laid out as nbgrader does: submitted/STUDENT/LESSON/LESSON.ipynb. Each submission runs in a\n"
        "sandbox of its own. Can be killed at any time and started again: what is graded is left alone, and only\n"
        "what has changed since (submission, lesson, grader) is graded again. Exit code 0 only if all could be\n"
        "graded. docs/teach.md says more.",
    )  # fmt: skip
    add.add_argument(
        "submitted", type=Path, metavar="SUBMITTED", help="the folder, such as submitted/"
    )
    add.add_argument(
        "lesson", nargs="?", metavar="LESSON", help="such as 03 or 03_watermarks (default: all)"
    )
    add.add_argument(
        "--jobs",
        type=_at_least_one,
        metavar="N",
        help="submissions at a time (default: by cores and memory)",
    )
    add.add_argument(
        "--waiting", type=_at_least_none, metavar="N",
        help="sandboxes whose lab is up before their submission comes (default: as many as run, memory allowing)",
    )  # fmt: skip
    add.add_argument(
        "--master", metavar="URL",
        help="a Spark cluster whose workers run the submissions, such as spark://HOST:7077",
    )  # fmt: skip
    add.add_argument(
        "--sandbox", choices=SANDBOXES,
        help="what shuts each submission away (default: auto; none is unsafe, and every report says so)",
    )  # fmt: skip
    add.add_argument(
        "--hidden", choices=["class", "student"],
        help="who has hidden events in common (default: the class). Those of each student take minutes each to work "
        "out, the first time",
    )  # fmt: skip
    add.add_argument("--fresh", action="store_true", help="run again what ran before")
    add.add_argument("--json", action="store_true", help="what came of each submission, as JSON")

    add = command(
        "report", _report, "show how a class did in a lesson",
        "Points by exercise, which misconception how often, time-outs, who needs a person. Writes the same as a page\n"
        "to grading/reports/, which is yours alone.",
    )  # fmt: skip
    add.add_argument("lesson", metavar="LESSON", help="such as 03 or 03_watermarks")
    add.add_argument("--json", action="store_true", help="as JSON, and no page")

    add = command(
        "export", _export, "write grades for other programs",
        "From nbgrader's grade book, grades by hand and late penalties included.",
    )  # fmt: skip
    add.add_argument(
        "lessons", nargs="*", metavar="LESSON", help="such as 03 (default: all that are graded)"
    )
    add.add_argument(
        "--format", required=True, choices=["csv", "json", "junit", "gradescope", "canvas"]
    )
    add.add_argument(
        "--out", type=Path, metavar="PATH",
        help="a file; for gradescope a folder (default: grades.csv, grades.json, grades.xml, canvas.csv, gradescope/)",
    )  # fmt: skip

    add = command(
        "bundle", _bundle, "make the zip that students get",
        "The project without solutions, tests and what grading keeps; `make lab` works from it.",
    )  # fmt: skip
    add.add_argument("--students", required=True, type=Path, metavar="OUT.zip")
    add.add_argument(
        "--offline", action="store_true",
        help="with all packages, for machines like this one that have no network (about 800 MB)",
    )  # fmt: skip

    add = command(
        "drill", _drill, "answer fresh questions on a topic",
        "The questions are made by the model of Structured Streaming: no Java, no Kafka. Without a topic they are\n"
        "on what is due again or comes next. Ctrl-C stops; what was answered is kept. A topic that there is not\n"
        "is answered with those that there are.",
    )  # fmt: skip
    add.add_argument("topic", nargs="?", metavar="TOPIC", help="such as watermarks or joins")
    add.add_argument(
        "--count", type=_at_least_one, default=10, metavar="N", help="questions (default: 10)"
    )
    add.add_argument("--seed", type=int, metavar="S", help="ask the questions of this seed")

    command("progress", _progress, "show how far you are and where to go next")

    add = command(
        "reset", _reset, "start a lesson or an exercise again",
        "Puts the answer cells back as they were handed out (the notebook as it is now is kept beside your\n"
        "progress file, its path is printed) and forgets the verdicts and hints. Save the notebook first: what\n"
        "JupyterLab has not saved is not kept.",
    )  # fmt: skip
    add.add_argument("what", metavar="LESSON|EXERCISE", help="such as 03 or 03.2")

    add = command(
        "build", _build, "make course/ from solutions/",
        "Notebooks by nbgrader's own generate step, and the check packs: what the solutions and the known\n"
        "mistakes do on the public scenarios. Only what changed is played again.",
    )  # fmt: skip
    add.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 where course/ differs"
    )
    add.add_argument(
        "--fresh", action="store_true", help="play all, as after a change in the engine"
    )

    add = command(
        "verify", _verify, "prove exercises: solution passes, stub not attempted, mistakes named",
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
    add.add_argument("--fresh", action="store_true", help="play everything anew")
    add.add_argument("--json", action="store_true", help="as JSON")

    add = command(
        "bench", _benchmarks, "run benchmarks, each against its baseline in the same run",
        "Without names all of them. They need a clone of the project: its benchmarks/ folder.",
    )  # fmt: skip
    add.add_argument(
        "names", nargs="*", metavar="NAME", help="such as cold, warm, replay, memory, lens"
    )
    add.add_argument("--json", action="store_true", help="rows as JSON")
    return parser


def _doctor(arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from grader.runtime.doctor import examine

    findings = examine()
    if arguments.json:
        _print_json(arguments, {"findings": [asdict(found) for found in findings]})
    else:
        for found in findings:
            print(f"{'✓' if found.ok else '✗'} {found.name}: {found.found}")
            if found.fix:
                print(f"    {found.fix}")
    return 0 if all(found.ok for found in findings) else 1


def _setup(arguments: argparse.Namespace) -> int:
    from grader.connectors.node_packages import package_file
    from grader.learner.rehearsal import rehearse
    from grader.runtime.lab_process import signals_as_exit
    from grader.runtime.setup import set_up

    with signals_as_exit():  # a closed terminal must not leave the broker behind
        set_up(rehearse, force=arguments.force)
        if arguments.all:
            package_file("")
    return 0


def _lab(arguments: argparse.Namespace) -> int:
    if arguments.docker:
        from grader.runtime.docker_lab import run_docker_lab

        return run_docker_lab(
            project_root(), port=arguments.port, open_browser=not arguments.no_browser
        )
    from grader.learner.self_check import self_check
    from grader.runtime.lab_process import run_lab

    return run_lab(
        self_check=self_check,
        notebook_dir=project_root() / "course",
        port=arguments.port,
        open_browser=not arguments.no_browser,
    )


def _list(arguments: argparse.Namespace) -> int:
    from grader.judging.check_pack import find_packs, read_pack

    packs = [read_pack(path) for _, path in sorted(find_packs(project_root()).items())]
    lessons = [
        {
            "id": pack.lesson,
            "slug": pack.slug,
            "title": pack.title,
            "exercises": [
                {
                    "id": packed.exercise.id,
                    "title": packed.exercise.title,
                    "points": packed.exercise.points,
                    "misconceptions": len(packed.fingerprints),
                    "equivalents": packed.equivalents,
                }
                for packed in pack.graded()
            ],
        }
        for pack in packs
    ]
    if arguments.json:
        _print_json(arguments, {"lessons": lessons})
        return 0
    for pack in packs:
        print(f"{pack.lesson}  {pack.title}")
        for packed in pack.graded():
            print(
                f"    {packed.exercise.id}  {packed.exercise.title} ({packed.exercise.points:g} points)"
            )
    return 0


def _check(arguments: argparse.Namespace) -> int:
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
        _print_json(arguments, {"verdicts": [verdict.to_dict() for verdict in verdicts]})
    else:
        graded = pack_beside(arguments.notebook.absolute()).graded()
        titles = {packed.exercise.id: packed.exercise.title for packed in graded}
        for verdict in verdicts:
            print(verdict_text(verdict, titles.get(verdict.exercise, "")))
    return 0 if verdicts and all(verdict.passed for verdict in verdicts) else 1


def _grade(arguments: argparse.Namespace) -> int:
    from grader.classroom.class_grades import grades_text
    from grader.classroom.class_grading import grade_class

    submitted = arguments.submitted.absolute()
    if not submitted.is_dir():
        raise UsageError(f"{arguments.submitted} is no folder.")
    beside = submitted.parent / "nbgrader_config.py"
    grades = grade_class(
        submitted.parent if beside.is_file() else project_root(),
        submitted,
        arguments.lesson,
        jobs=arguments.jobs,
        waiting=arguments.waiting,
        master=arguments.master,
        sandbox=arguments.sandbox,
        hidden_for=arguments.hidden,
        fresh=arguments.fresh,
        tell=_tell,
    )
    if arguments.json:
        _print_json(arguments, grades.to_dict())
    else:
        print(grades_text(grades))
    return 0 if grades.ok else 1


def _report(arguments: argparse.Namespace) -> int:
    from grader.classroom.class_similarity import alike_in
    from grader.classroom.marks import read_marks
    from grader.classroom.report import report_on
    from grader.classroom.report_page import report_html
    from grader.classroom.report_text import report_text
    from grader.classroom.terminal_text import lines_for_terminal

    root = project_root()
    (marks,) = read_marks(root, [arguments.lesson])
    report = report_on(marks, alike_in(root, marks)).to_dict()
    if arguments.json:
        _print_json(arguments, report)
        return 0
    page = root / "grading" / "reports" / f"{marks.name}.html"
    page.parent.mkdir(exist_ok=True)
    page.write_text(report_html(report, "../.."), encoding="utf-8", errors="backslashreplace")
    print(lines_for_terminal(report_text(report)))
    print(f"The same as a page: {page}")
    return 0


def _export(arguments: argparse.Namespace) -> int:
    from grader.classroom.exports import export
    from grader.classroom.marks import read_marks

    if arguments.out is not None and arguments.out.exists():
        folder = arguments.format == "gradescope"
        if arguments.out.is_dir() != folder:
            kind = "a folder" if folder else "a file"
            raise UsageError(f"{arguments.format} writes {kind}, and {arguments.out} is none.")
    lessons = read_marks(project_root(), arguments.lessons or None)
    for path in export(lessons, arguments.format, arguments.out):
        print(path)
    waiting = sum(bool(mark.person) for lesson in lessons for mark in lesson.marks)
    if waiting:
        _tell(
            f"{waiting} submissions wait for a person, so grades may change: grader report LESSON"
        )
    unsafe = {mark.warning for lesson in lessons for mark in lesson.marks if mark.warning}
    for warning in unsafe:
        _tell(f"WARNING: submissions were {warning}.")
    return 0


def _bundle(arguments: argparse.Namespace) -> int:
    from grader.classroom.bundle import bundle

    out = arguments.students.absolute()
    if not out.parent.is_dir():
        raise UsageError(f"there is no folder {out.parent}.")
    if out.is_dir():
        raise UsageError(f"{out} is a folder: name a file, such as {out / 'lab.zip'}.")
    names = bundle(project_root(), out, offline=arguments.offline)
    print(f"{out}: {len(names)} files, {out.stat().st_size / 2**20:.1f} MB")
    return 0


def _drill(arguments: argparse.Namespace) -> int:
    from grader.model.drill.drill_sitting import Drill
    from grader.model.drill.drill_terminal import ask

    ask(Drill(arguments.topic, seed=arguments.seed), arguments.count)
    return 0


def _progress(_arguments: argparse.Namespace) -> int:
    from grader.learner import progress

    os.chdir(project_root())
    progress.show()
    return 0


def _reset(arguments: argparse.Namespace) -> int:
    from grader.judging.check_pack import find_packs
    from grader.learner.reset import reset

    here = Path.cwd()  # a lesson fetched from nbgrader's exchange lies beside no course/
    for line in reset(arguments.what, here if find_packs(here) else project_root()):
        print(line)
    return 0


def _build(arguments: argparse.Namespace) -> int:
    from grader.authoring.course_build import build, differences
    from grader.authoring.exercise_lint import lint
    from grader.authoring.lesson_source import read_lessons
    from grader.authoring.play_store import open_plays

    root = project_root()
    lessons = read_lessons(root / "solutions")
    findings = lint(lessons)
    if findings:
        print("\n".join(findings), file=sys.stderr)
        return 1
    if arguments.check:
        found = differences(lessons, root / "course")
        for line in found:
            print(line)
        if found:
            print("Run `grader build` and commit course/.")
        return 1 if found else 0
    with open_plays(fresh=arguments.fresh) as plays:
        build(lessons, root / "course", plays, _tell, fresh=arguments.fresh)
        _tell(plays.told())
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    from grader.authoring.exercise_lint import lint
    from grader.authoring.lesson_source import read_lessons
    from grader.authoring.play_store import open_plays, own_lab
    from grader.authoring.verification import as_json, summary, verify

    root = project_root()
    lessons = read_lessons(root / "solutions")
    known = {lesson.id for lesson in lessons} | {
        s.exercise.id for x in lessons for s in x.exercises
    }
    unknown = [given for given in arguments.ids if given not in known]
    if unknown:
        raise UsageError(
            f"there is no exercise or lesson {unknown[0]}; there are {', '.join(sorted(known))}."
        )
    findings = lint(lessons)
    if findings:
        print("\n".join(findings), file=sys.stderr)
        return 1
    if arguments.mutants:
        return _verify_mutants(arguments, lessons, root / "course")
    if arguments.notebooks:
        return _verify_notebooks(arguments, lessons, root / "course")
    with open_plays(fresh=arguments.fresh) as plays:
        proofs = verify(lessons, root / "course", plays, arguments.ids, _tell, write=own_lab())
        _tell(plays.told())
    result = as_json(proofs)
    if arguments.json:
        _print_json(arguments, result)
    else:
        print(summary(proofs) + (": ok" if result["ok"] else ": NOT OK"))
    return 0 if result["ok"] else 1


def _benchmarks(arguments: argparse.Namespace) -> int:
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
        _print_json(arguments, {"rows": rows})
    for name in failed:
        _tell(f"The benchmark {name} ended without figures; why stands above.")
    return 1 if failed else 0


def _verify_mutants(
    arguments: argparse.Namespace, lessons: list[LessonSource], course: Path
) -> int:
    from grader.authoring.mutants.mutant_check import as_json, faultless, names_text, verify_mutants
    from grader.authoring.play_store import open_plays, own_lab

    with open_plays(fresh=arguments.fresh) as plays:
        proofs = verify_mutants(lessons, course, plays, arguments.ids, _tell, write=own_lab())
    result = as_json(proofs)
    for line in names_text(proofs) if arguments.names else []:
        print(line)
    if arguments.json:
        _print_json(arguments, result)
    else:
        count = sum(found["mutants"] for found in result["exercises"])
        print(f"{len(proofs)} exercises, {count} mutants, score {result['score']:.1%}")
    return 0 if faultless(proofs) else 1


def _verify_notebooks(
    arguments: argparse.Namespace, lessons: list[LessonSource], course: Path
) -> int:
    from dataclasses import asdict

    from grader.authoring.play_store import own_lab
    from grader.authoring.solved_notebooks import run_notebooks

    chosen = [lesson for lesson in lessons if not arguments.ids or lesson.id in arguments.ids]
    if not chosen:
        raise UsageError(f"a notebook is a lesson's: one of {', '.join(x.id for x in lessons)}.")
    runs = run_notebooks(chosen, course, _tell, write=own_lab())
    ok = not any(run.faults for run in runs)
    if arguments.json:
        _print_json(arguments, {"notebooks": [asdict(run) for run in runs], "ok": ok})
    else:
        minutes = sum(run.seconds for run in runs) / 60
        ran = "1 notebook" if len(runs) == 1 else f"{len(runs)} notebooks"
        print(f"{ran} in {minutes:.0f} min: {'ok' if ok else 'NOT OK'}")
    return 0 if ok else 1


def _at_least_one(text: str) -> int:
    return _whole_number(text, least=1)


def _at_least_none(text: str) -> int:
    return _whole_number(text, least=0)


def _whole_number(text: str, *, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise argparse.ArgumentTypeError(f"a whole number, at least {least}, and not {text!r}")
    return number


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"seconds, more than 0, and not {text!r}")
    return number


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _print_json(arguments: argparse.Namespace, data: Any) -> None:
    print(json.dumps(data, indent=2, ensure_ascii=False), file=arguments.json_to)
