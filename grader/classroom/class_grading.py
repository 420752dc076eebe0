"""A whole class graded: several submissions at a time, each once, whatever stops it on the way."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import psutil
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from grader.classroom.grade_writer import (
    CONFIG,
    STAGING,
    CannotGradeError,
    Run,
    autograded_folder,
    course_of,
    grade_one,
    prepare,
    read_config,
    students_in_book,
)
from grader.classroom.gradebook import grading_folder, notebooks_of, released
from grader.classroom.hidden_scenarios import work_out
from grader.classroom.journal import Graded, Journal, Reason, RestsOn, with_waiting
from grader.classroom.late_penalties import assign_late_penalties
from grader.classroom.preprocessors import hidden_seed, solutions_of
from grader.classroom.rejudge import Again
from grader.classroom.sanitizer import for_terminal
from grader.classroom.spark_grading import AT_ONCE, Cluster
from grader.classroom.submissions import Submission, cannot_be_graded, submissions_in
from grader.errors import SetupError
from grader.judging.check_pack import FILE_NAME, read_pack
from grader.judging.verdict import Verdict
from grader.runtime.file_locks import try_lock
from grader.runtime.java import find_java
from grader.runtime.setup import start_ups
from grader.sandbox.notebook_cells import grade_id
from grader.sandbox.observed_run import Checked, Wanted
from grader.sandbox.runner_pool import Waiting
from grader.sandbox.sandbox_kinds import UNSAFE, choose_kind, named_kind
from grader.sandbox.supervisor import supervise
from grader.validity.digest import digest_of, folder_digest, package_digest

EACH_TAKES_GB = 2.5  # broker and Spark of one submission
GIVE_UP = 3  # labs that do not start, one after the other, before any that did

Tell = Callable[[str], None]


@dataclass
class ClassGrades:
    """What became of a class: what was graded now or before, and what could not be."""

    sandbox: str
    warning: str | None
    submissions: list[Graded] = field(default_factory=list)
    how: dict[tuple[str, str], str] = field(default_factory=dict)  # (lesson, student) → run, …

    def to_dict(self) -> dict[str, Any]:
        told = [
            {**one.to_dict(), "how": self.how[one.lesson, one.student]} for one in self.submissions
        ]
        counts = {how: list(self.how.values()).count(how) for how in HOW}
        return {
            "sandbox": self.sandbox,
            "warning": self.warning,
            "counts": counts,
            "submissions": told,
        }

    @property
    def ok(self) -> bool:
        return "not_graded" not in self.how.values()


# run: its code ran; judged: from what was kept of its run; unchanged: graded before, nothing to do
HOW = ("run", "judged", "unchanged", "not_graded")


def grade_class(
    root: Path,
    submitted: Path,
    lesson: str | None = None,
    *,
    jobs: int | None = None,
    waiting: int | None = None,
    sandbox: str | None = None,
    hidden_for: str | None = None,
    fresh: bool = False,
    master: str | None = None,
    tell: Tell = lambda text: None,
) -> ClassGrades:
    """Grade submitted/STUDENT/LESSON into the grade book of the course in `root`; all lessons, or one.

    Done already is left alone, unless the submission, the lesson or the grader has changed; `fresh`
    runs everything again. `jobs` run at a time, and `waiting` sandboxes have their lab up for the next ones
    (without them by cores and memory); with a `master`, spark://HOST:PORT, the workers of that cluster run
    them. `hidden_for` ("class" or "student") says who has hidden events in common; without it
    nbgrader_config.py does. Can be killed at any time and started again. Raises SetupError if nothing
    can be graded here, or somebody else is at it.
    """
    root, submitted = root.absolute(), submitted.absolute()
    config = read_config(root, submitted)
    # the workers of a cluster make their own sandboxes
    choose = choose_kind if master is None else named_kind
    kind = choose(sandbox or config.Record.get("sandbox"), otherwise="auto")
    config.Record.update({"sandbox": kind, "fresh": fresh})
    if hidden_for is not None:
        config.Record.hidden_for = hidden_for
    course = course_of(config)
    lesson = None if lesson is None else _named(course, lesson)
    keeping = grading_folder(course)
    lock = try_lock(keeping / "lock")
    if lock is None:
        raise SetupError(
            f"Another grader grade is at work on {root}. Wait for it, or end it first."
        )
    shutil.rmtree(keeping / STAGING, ignore_errors=True)  # of a grading that was killed
    journal = Journal(keeping / "journal.db")
    before = Path.cwd()
    os.chdir(root)  # as nbgrader's converters do, each for itself: there are several at a time
    try:
        journal.forget_what_is_gone(submitted)
        found = submissions_in(submitted, lesson)
        if not found:
            wanted = f"*/{lesson}" if lesson else "STUDENT/LESSON"
            raise SetupError(f"There is no {wanted} in {submitted}: compare the folders' names.")
        class_ = _Class(config, journal, kind, found, fresh, tell)
        left = class_.left()
        if master is not None and left:
            with Cluster(master, kind) as cluster:
                return class_.grade(left, jobs or AT_ONCE, cluster)
        if left and kind != "docker" and not all(x.cache.is_file() for x in start_ups(find_java())):
            tell("Java has no start-up caches here, so every submission takes longer: make setup")
        jobs = min(jobs or jobs_here(), max(1, len(left)))
        if waiting is None:
            waiting = waiting_here(jobs)
        with Waiting(
            waiting, most=len(left) - jobs, tasks=class_.most_tasks(left), kind=kind
        ) as ahead:
            return class_.grade(left, jobs, partial(run_here, kind, ahead))
    finally:
        os.chdir(before)
        journal.close()
        os.close(lock)


def jobs_here() -> int:
    """How many submissions this machine runs at a time: by its cores, and by its free memory."""
    free = psutil.virtual_memory().available / 2**30
    return max(1, min(os.cpu_count() or 1, int(free / EACH_TAKES_GB)))


def waiting_here(jobs: int) -> int:
    """How many labs wait for the next submissions: as many as run, where the memory holds them."""
    free = psutil.virtual_memory().available / 2**30
    return max(0, min(jobs, int(free / EACH_TAKES_GB) - jobs))


def run_here(
    kind: str,
    waiting: Waiting,
    notebook: NotebookNode,
    wanted: list[Wanted],
    folder: Path,
    cell_seconds: float,
) -> Checked:
    """What comes of a notebook in its folder, run on this machine."""
    return supervise(
        notebook, wanted, folder, cell_seconds=cell_seconds, sandbox=kind, waiting=waiting
    )


def _named(course: CourseDirectory, lesson: str) -> str:
    """The folder's name of a lesson that is named by it or by its id, such as 03."""
    courses = released(course, lesson).parent
    names = sorted(path.parent.name for path in courses.glob(f"*/{FILE_NAME}"))
    for name in names:
        if lesson in (name, name.split("_", 1)[0]):
            return name
    there = ", ".join(names) or "none"
    raise SetupError(f"There is no lesson {lesson} in {courses}; there are: {there}.")


class _Class:
    def __init__(
        self,
        config: Config,
        journal: Journal,
        kind: str,
        found: list[Submission],
        fresh: bool,
        tell: Tell,
    ):
        self.config = config
        self.course = course_of(config)
        self.journal = journal
        self.found = found
        self.fresh = fresh
        self.tell = lambda text: tell(for_terminal(text))
        self.grades = ClassGrades(kind, UNSAFE if kind == "none" else None)
        self.log = _log_file(grading_folder(self.course) / "log")
        self.ahead: queue.SimpleQueue[tuple[Submission, RestsOn] | None] = queue.SimpleQueue()
        self.ended: queue.SimpleQueue[tuple[Submission, str, Any]] = queue.SimpleQueue()

    def left(self) -> list[tuple[Submission, RestsOn]]:
        """What has to run, each with what it rests on; the rest is taken into the grades."""
        if self.grades.warning:
            self.tell(f"Every submission is {self.grades.warning}.")
        left: list[tuple[Submission, RestsOn]] = []
        for name in sorted({one.lesson for one in self.found}):
            left += self._look_at(name, [one for one in self.found if one.lesson == name])
        return left

    def most_tasks(self, left: list[tuple[Submission, RestsOn]]) -> int:
        """The exercises of the lesson that has most."""
        lessons = {submission.lesson for submission, _ in left}
        packs = [read_pack(released(self.course, name) / FILE_NAME) for name in lessons]
        return max((len(pack.graded()) for pack in packs), default=0)

    def grade(self, left: list[tuple[Submission, RestsOn]], jobs: int, run: Run) -> ClassGrades:
        """Run what is left, `jobs` at a time."""
        jobs = max(1, min(jobs, len(left)))
        self.run = run
        for each in left:
            self.ahead.put(each)
        # the sandbox of a submission ends with the thread that started it
        workers = [threading.Thread(target=self._work, daemon=True) for _ in range(jobs)]
        for worker in workers:
            self.ahead.put(None)
            worker.start()
        began, broken = time.monotonic(), 0
        for number in range(1, len(left) + 1):
            submission, how, came = self.ended.get()
            broken = broken + 1 if isinstance(came, SetupError) else -len(left)
            if isinstance(came, SetupError) and broken >= min(GIVE_UP, len(left)):
                self._stop(workers)
                raise came
            self._take(submission, how, came)
            took = time.monotonic() - began
            self._tell_one(submission, how, came, number, len(left), took)
        for lesson in sorted({one.lesson for one in self.grades.submissions}):
            assign_late_penalties(self.config, lesson)
        self.grades.submissions.sort(key=lambda one: (one.lesson, one.student))
        return self.grades

    def _look_at(
        self, name: str, submissions: list[Submission]
    ) -> list[tuple[Submission, RestsOn]]:
        """What of a lesson has to run, each with what it rests on; the rest is taken into the grades."""
        lesson = released(self.course, name)
        notebooks = [path.name for path in notebooks_of(lesson)]
        if not notebooks:
            for one in submissions:
                self._refuse(
                    one, f"there is no lesson {name} in {lesson.parent}: rename the folder"
                )
            return []
        prepare(self.config, name)
        gradable = []
        for one in submissions:
            why = cannot_be_graded(one, notebooks)
            if why is None:
                gradable.append(one)
            else:
                self._refuse(one, why)
        page, verdict = self._digests(lesson)
        seeds = self._seeds(lesson, gradable)
        in_book = students_in_book(self.course, name)
        left = []
        again: list[tuple[Submission, RestsOn, Graded]] = []
        for one in gradable:
            rests_on = RestsOn(
                digest_of([folder_digest(one.folder), page]),
                digest_of([verdict, str(seeds.get(one.student))]),
            )
            done = self.journal.done(name, one.student, rests_on)
            folder = autograded_folder(self.course, one)
            whole = one.student in in_book and all((folder / n).exists() for n in notebooks)
            if done is None or self.fresh or not whole:
                left.append((one, rests_on))
                continue
            graded, judged_by = done
            if judged_by == rests_on.verdict:
                person = with_waiting(graded.person, in_book[one.student])
                self._take(one, "unchanged", replace(graded, person=person))
            else:
                again.append((one, rests_on, graded if judged_by else replace(graded, verdicts=[])))
        return [*left, *self._judge_again(name, again)]

    def _judge_again(
        self, name: str, before: list[tuple[Submission, RestsOn, Graded]]
    ) -> list[tuple[Submission, RestsOn]]:
        """Judge what ran before by what was kept of it; what is left has to run."""
        if not before:
            return []
        left = []
        with Again(self.config, name) as again:
            for number, (submission, rests_on, was) in enumerate(before, start=1):
                self.journal.begin_again(name, submission.student)
                verdicts = again.judge(submission, was.verdicts)
                if verdicts is None:
                    left.append((submission, rests_on))
                    continue
                person = reasons(verdicts, again.waiting(submission))
                graded = replace(was, verdicts=by_exercise(verdicts), person=person)
                self.journal.finish(rests_on, graded)
                self._take(submission, "judged", graded)
                if number % 50 == 0 or number == len(before):
                    self.tell(f"{name}: {number} of {len(before)} judged again")
        return left

    def _seeds(self, lesson: Path, submissions: list[Submission]) -> dict[str, int]:
        """Student → seed of the hidden events; what the solutions do with them is worked out here."""
        source = solutions_of(lesson)
        if source is None:
            self.tell(
                f"{lesson.name}: there are no solutions/ here, so public scenarios alone decide."
            )
            return {}
        each = self.config.Record.get("hidden_for", "class") == "student"
        seeds = {
            one.student: hidden_seed(self.course, lesson.name, one.student if each else None)
            for one in submissions
        }
        self.tell(f"{lesson.name}: working out the hidden events (minutes, the first time)")
        work_out(source, sorted(set(seeds.values())))
        return seeds

    def _digests(self, lesson: Path) -> tuple[str, str]:
        """What pages, and what verdicts, of a lesson rest on beside submissions and hidden events."""
        settings = Path(self.course.root, CONFIG).read_text(encoding="utf-8")
        cells = [
            told
            for path in notebooks_of(lesson)
            for cell in nbformat.read(path, as_version=4).cells
            for told in (cell.cell_type, str(grade_id(cell)), cell.source)
        ]
        source = solutions_of(lesson)
        page = [*cells, settings, self.grades.sandbox, str(self.course.db_url)]
        verdict = [folder_digest(lesson), folder_digest(source) if source else "", package_digest()]
        return digest_of(page), digest_of(verdict)

    def _work(self) -> None:
        while (given := self.ahead.get()) is not None:
            submission, rests_on = given
            try:
                self.journal.begin(submission.lesson, submission.student)
                written = grade_one(self.config, submission, self.log, self.run)
                graded = Graded(
                    submission.student,
                    submission.lesson,
                    by_exercise(written.verdicts),
                    reasons(written.verdicts, written.waiting),
                    self.grades.sandbox,
                    round(written.seconds, 1),
                    written.predicted,
                )
                self.journal.finish(rests_on, graded)
            except Exception as error:
                self.log.error("%s %s", submission.student, submission.lesson, exc_info=error)
                self.ended.put((submission, "not_graded", error))
            else:
                self.ended.put((submission, "run" if written.ran else "judged", graded))

    def _refuse(self, submission: Submission, why: str) -> None:
        self._take(submission, "not_graded", CannotGradeError(why))
        self.tell(f"{submission.student} {submission.lesson}: not graded. {why}")

    def _stop(self, workers: list[threading.Thread]) -> None:
        """Begin nothing more, and wait for what was begun."""
        with contextlib.suppress(queue.Empty):
            while True:
                self.ahead.get_nowait()
        for _ in workers:
            self.ahead.put(None)
        for worker in workers:
            worker.join()

    def _take(self, submission: Submission, how: str, came: Graded | Exception) -> None:
        if isinstance(came, Exception):
            why = str(came) or type(came).__name__
            if not isinstance(came, CannotGradeError | SetupError):
                why = f"{type(came).__name__}: {why} (more in grading/log)"
            reason = [Reason(f"not graded: {why}")]
            came = Graded(submission.student, submission.lesson, person=reason)
            self.journal.give_up(came, submission.folder.parents[1])
        self.grades.how[submission.lesson, submission.student] = how
        self.grades.submissions.append(came)

    def _tell_one(
        self,
        submission: Submission,
        how: str,
        came: Graded | Exception,
        number: int,
        count: int,
        took: float,
    ) -> None:
        if isinstance(came, Graded):
            score = sum(verdict.score for verdict in came.verdicts)
            best = sum(verdict.max_score for verdict in came.verdicts)
            said = f"{score:g} of {best:g} points"
            said += f", {came.seconds:.0f} s" if how == "run" else ", from what was kept"
        else:
            said = f"not graded. {came}"
        left = took / number * (count - number)
        more = f"; {duration(left)} left" if number < count else ""
        self.tell(f"[{number}/{count}] {submission.student} {submission.lesson}: {said}{more}")


def by_exercise(verdicts: list[Verdict]) -> list[Verdict]:
    return sorted(verdicts, key=lambda verdict: verdict.exercise)


def reasons(verdicts: list[Verdict], waiting: list[str]) -> list[Reason]:
    """Why a person should look at a graded submission."""
    found = []
    for verdict in verdicts:
        failed = [criterion for criterion in verdict.criteria if not criterion.passed]
        said = failed[0].message.splitlines()[0] if failed and failed[0].message else ""
        if verdict.status == "timeout":
            found.append(Reason(f"it ran out of time: {said}", verdict.exercise))
        elif failed and failed[0].name in ("crash", "machine"):
            found.append(Reason(said, verdict.exercise))
    return with_waiting(found, waiting)


def duration(seconds: float) -> str:
    """A time that is left, for a person: 40 s, 12 min, 3 h 5 min."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _log_file(path: Path) -> logging.Logger:
    """nbgrader's own words go to a file: the terminal shows one line a submission."""
    log = logging.getLogger(f"grader.class.{path}")
    log.propagate = False
    log.setLevel(logging.WARNING)
    if not log.handlers:
        handler = logging.FileHandler(path, encoding="utf-8")
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        log.addHandler(handler)
    return log
