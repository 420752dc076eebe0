"""Commands of a teacher: hand out, grade a class, report, export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from grader.commands.command import UsageError, add_command, notify, print_json, project_root
from grader.commands.option_types import SANDBOXES, one_or_more, zero_or_more

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from grader.commands.command import Commands


def add_commands(commands: Commands) -> None:
    _add_grade(commands)
    add = add_command(
        commands, "report", _report, "show how a class did in a lesson",
        "Points by exercise, which misconception how often, time-outs, who needs a person. Writes the same as a page\n"
        "to grading/reports/, which is yours alone.",
    )  # fmt: skip
    add.add_argument("lesson", metavar="LESSON", help="such as 03 or 03_watermarks")
    add.add_argument("--json", action="store_true", help="as JSON, and no page")
    add.add_argument(
        "--anonymous", action="store_true", help="with numbers for names, and no code of answers"
    )
    add.add_argument(
        "--earlier", action="append", type=Path, metavar="FOLDER",
        help="compare answers with those of an earlier class as well, graded in this folder",
    )  # fmt: skip
    _add_overview(commands)
    _add_export(commands)
    _add_passback(commands)
    add = add_command(
        commands, "forget", _forget, "delete all that is stored about a student",
        "Shows what is stored about the student. With --yes all of it is deleted: the rows in grade book and\n"
        "journal, submissions, graded pages, feedback, kept runs, reports. Exports in this folder are written again.",
    )  # fmt: skip
    add.add_argument("student", metavar="STUDENT", help="the id: the folder's name in submitted/")
    add.add_argument("--yes", action="store_true", help="delete it; there is no way back")
    _add_bundle(commands)


def _add_overview(commands: Commands) -> None:
    add = add_command(
        commands, "overview", _overview, "show one line for each student, over all lessons",
        "Shares of the points in percent, late penalties and grades by hand included; what was not handed in is 0. The\n"
        "total is their mean, by the weights, without the lowest ones that are dropped.",
    )  # fmt: skip
    add.add_argument(
        "--weights",
        nargs="+",
        metavar="LESSON=WEIGHT",
        default=[],
        help="such as 03=2 (default: 1 each)",
    )
    add.add_argument(
        "--drop", type=zero_or_more, default=0, metavar="N", help="lowest shares that are left out"
    )
    add.add_argument("--out", type=Path, metavar="FILE.csv", help="write it as CSV")
    add.add_argument("--json", action="store_true", help="as JSON")


def _add_bundle(commands: Commands) -> None:
    add = add_command(
        commands, "bundle", _bundle, "make the zip that students get",
        "The project without solutions, their discussions, tests and what grading keeps; `make lab` works from it.\n"
        "With --discussions, after a deadline: a zip of the check packs of some lessons with the discussions, to be\n"
        "unzipped over it.",
    )  # fmt: skip
    kind = add.add_mutually_exclusive_group(required=True)
    kind.add_argument("--students", type=Path, metavar="OUT.zip")
    kind.add_argument("--discussions", type=Path, metavar="OUT.zip")
    add.add_argument(
        "lessons", nargs="*", metavar="LESSON", help="with --discussions, such as 03 (default: all)"
    )
    add.add_argument(
        "--offline", action="store_true",
        help="with all packages, for machines like this one that have no network (about 800 MB)",
    )  # fmt: skip


def _add_grade(commands: Commands) -> None:
    add = add_command(
        commands, "grade", _grade, "grade a class into nbgrader's grade book",
        "SUBMITTED is laid out as nbgrader does: submitted/STUDENT/LESSON/LESSON.ipynb. Each submission runs in a\n"
        "sandbox of its own. You can kill it at any time and start it again. Only what has changed since (submission,\n"
        "lesson, grader) is graded again. Exit code 0 only if all could be\n"
        "graded. docs/teach.md says more.",
    )  # fmt: skip
    add.add_argument(
        "submitted", type=Path, metavar="SUBMITTED", help="the folder, such as submitted/"
    )
    add.add_argument(
        "lesson", nargs="?", metavar="LESSON", help="such as 03 or 03_watermarks (default: all)"
    )
    add.add_argument(
        "--jobs", type=one_or_more, metavar="N",
        help="submissions at a time (default: by cores and memory)",
    )  # fmt: skip
    add.add_argument(
        "--waiting", type=zero_or_more, metavar="N",
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


def _add_export(commands: Commands) -> None:
    add = add_command(
        commands, "export", _export, "write grades for other programs",
        "From nbgrader's grade book, grades by hand and late penalties included.",
    )  # fmt: skip
    _add_graded_lessons(add)
    add.add_argument(
        "--format",
        required=True,
        choices=["csv", "json", "junit", "gradescope", "canvas", "moodle"],
    )
    add.add_argument(
        "--out", type=Path, metavar="PATH",
        help="a file; for gradescope and moodle a folder (default: grades.csv, grades.json, grades.xml, canvas.csv, "
        "gradescope/, moodle/)",
    )  # fmt: skip


def _add_graded_lessons(add: ArgumentParser) -> None:
    add.add_argument(
        "lessons", nargs="*", metavar="LESSON", help="such as 03 (default: all that are graded)"
    )


def _add_passback(commands: Commands) -> None:
    add = add_command(
        commands, "passback", _passback, "send grades to a learning platform over LTI 1.3",
        "Sends the grade book's scores to the platform that the settings name, and only those that differ there. What\n"
        "was not handed in, or waits for a grade by hand, is not sent. To register the course with a platform, see\n"
        "docs/hub.md. Exit code 0 only if the platform has all final scores.",
    )  # fmt: skip
    _add_graded_lessons(add)
    add.add_argument(
        "--platform", type=Path, metavar="FILE.toml",
        help="the settings (default: grading/platform.toml); the key is platform.pem next to it",
    )  # fmt: skip
    add.add_argument(
        "--key", action="store_true",
        help="print the public key for the platform, and send nothing; makes the key if there is none",
    )  # fmt: skip
    add.add_argument("--dry-run", action="store_true", help="say what would be sent")
    add.add_argument("--json", action="store_true", help="as JSON")


def _grade(arguments: Namespace) -> int:
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
        notify=notify,
    )
    if arguments.json:
        print_json(arguments, grades.to_dict())
    else:
        print(grades_text(grades))
    return 0 if grades.ok else 1


def _report(arguments: Namespace) -> int:
    from grader.classroom.anonymous_report import anonymous
    from grader.classroom.class_similarity import similarities_in
    from grader.classroom.course_secret import course_secret
    from grader.classroom.marks import read_marks
    from grader.classroom.report import report_on
    from grader.classroom.report_page import report_html
    from grader.classroom.report_text import report_text
    from grader.classroom.terminal_text import lines_for_terminal

    root = project_root()
    (marks,) = read_marks(root, [arguments.lesson])
    similar = similarities_in(root, marks, arguments.earlier or [])
    report = report_on(marks, similar).to_dict()
    if arguments.anonymous:
        students = [mark.student.id for mark in marks.marks]
        report = anonymous(report, students, course_secret(root / "grading"))
    if arguments.json:
        print_json(arguments, report)
        return 0
    name = f"{marks.name}-anonymous" if arguments.anonymous else marks.name
    page = root / "grading" / "reports" / f"{name}.html"
    page.parent.mkdir(exist_ok=True)
    page.write_text(report_html(report, "../.."), encoding="utf-8", errors="backslashreplace")
    print(lines_for_terminal(report_text(report)))
    print(f"The same as a page: {page}")
    return 0


def _overview(arguments: Namespace) -> int:
    from grader.classroom.class_overview import overview_csv, overview_of, overview_text
    from grader.classroom.marks import read_marks
    from grader.classroom.terminal_text import lines_for_terminal

    weights = dict(map(_weight, arguments.weights))
    students = overview_of(read_marks(project_root()), weights, arguments.drop)
    if arguments.json:
        print_json(arguments, {"students": [one.to_dict() for one in students]})
    elif arguments.out:
        arguments.out.write_text(
            overview_csv(students), encoding="utf-8", errors="backslashreplace"
        )
        print(arguments.out)
    else:
        print(lines_for_terminal(overview_text(students)))
    return 0


def _weight(text: str) -> tuple[str, float]:
    lesson, _, weight = text.partition("=")
    try:
        number = float(weight)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise UsageError(f"a weight is written as 03=2, and not as {text!r}.")
    return lesson.split("_", 1)[0], number


def _export(arguments: Namespace) -> int:
    from grader.classroom.exports import A_FOLDER, export
    from grader.classroom.marks import read_marks

    if arguments.out is not None and arguments.out.exists():
        folder = arguments.format in A_FOLDER
        if arguments.out.is_dir() != folder:
            kind = "a folder" if folder else "a file"
            raise UsageError(f"{arguments.format} writes {kind}, and {arguments.out} is none.")
    lessons = read_marks(project_root(), arguments.lessons or None)
    for path in export(lessons, arguments.format, arguments.out):
        print(path)
    waiting = sum(bool(mark.person) for lesson in lessons for mark in lesson.marks)
    if waiting:
        notify(
            f"{waiting} submissions wait for a person, so grades may change: grader report LESSON"
        )
    unsafe = {mark.warning for lesson in lessons for mark in lesson.marks if mark.warning}
    for warning in unsafe:
        notify(f"WARNING: submissions were {warning}.")
    return 0


def _passback(arguments: Namespace) -> int:
    from grader.classroom.grade_passback import LessonPassback, pass_back, passback_text
    from grader.classroom.lti_platform import (
        KEY_NAME,
        PlatformGrades,
        PlatformSettings,
        public_key_of,
    )
    from grader.classroom.marks import read_marks
    from grader.classroom.terminal_text import lines_for_terminal
    from grader.errors import SetupError

    file = arguments.platform or project_root() / "grading" / "platform.toml"
    if arguments.key:
        pem, jwk = public_key_of(file.with_name(KEY_NAME))
        if arguments.json:
            print_json(arguments, {"pem": pem, "jwk": jwk})
        else:
            print(f"{pem}\n{json.dumps(jwk)}")
        return 0
    platform = PlatformGrades(PlatformSettings.read(file))
    lessons = read_marks(project_root(), arguments.lessons or None)
    done: list[LessonPassback] = []
    problem = None
    try:
        pass_back(lessons, platform, done, arguments.dry_run)
    except SetupError as error:
        problem = str(error)
    if arguments.json:
        about = {"dry_run": arguments.dry_run, "problem": problem}
        print_json(arguments, {**about, "lessons": [one.to_dict() for one in done]})
    elif done:
        print(lines_for_terminal(passback_text(done, arguments.dry_run)))
    if problem:
        notify(
            f"{lines_for_terminal(problem)}\nType the same command again: it sends only what is missing."
        )
    return 1 if problem or any(one.problems for one in done) else 0


def _forget(arguments: Namespace) -> int:
    from grader.classroom.class_grading import alone
    from grader.classroom.student_removal import traces_of

    root = project_root()
    traces = traces_of(root, arguments.student)
    print("\n".join(traces.described()))
    if not arguments.yes:
        print(f"Nothing is deleted yet. To delete it: grader forget {arguments.student} --yes")
        return 1
    with alone(traces.course, root):
        traces.remove()
    print(
        "Deleted. Not looked for: class lists, downloaded/, an exchange, backups, and exports in other folders."
    )
    return 0


def _bundle(arguments: Namespace) -> int:
    from grader.classroom.bundle import bundle, bundle_discussions

    out = (arguments.students or arguments.discussions).absolute()
    if not out.parent.is_dir():
        raise UsageError(f"there is no folder {out.parent}.")
    if out.is_dir():
        raise UsageError(f"{out} is a folder: name a file, such as {out / 'lab.zip'}.")
    if arguments.lessons and arguments.students:
        raise UsageError("the students' zip holds all lessons: LESSON goes with --discussions.")
    if arguments.discussions:
        names = bundle_discussions(project_root(), out, arguments.lessons)
    else:
        names = bundle(project_root(), out, offline=arguments.offline)
    print(f"{out}: {len(names)} files, {out.stat().st_size / 2**20:.1f} MB")
    return 0
