"""A whole class graded: several submissions at a time, each once, whatever stops it on the way."""

from __future__ import annotations

import logging
import os
import shutil
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psutil

from grader.classroom.class_grades import ClassGrades, duration, points_line
from grader.classroom.course import Course
from grader.classroom.grade_writer import STAGING, Entry, GradeWriter, assign_late_penalties
from grader.classroom.grading_backlog import Backlog, GradingBacklog, Notify
from grader.classroom.journal import Journal
from grader.classroom.preprocessors import Record
from grader.classroom.run_queue import RunQueue
from grader.classroom.spark_grading import AT_ONCE, Cluster
from grader.classroom.submission_result import SubmissionResult, not_graded, result_of
from grader.classroom.submission_run import Run
from grader.classroom.submissions import Submission, submissions_in
from grader.classroom.terminal_text import for_terminal
from grader.errors import SetupError
from grader.lab.setup import start_ups
from grader.runtime.file_locks import try_lock
from grader.runtime.java import find_java
from grader.sandbox.observed_run import ObservedRun
from grader.sandbox.runner_pool import RunnerPool
from grader.sandbox.sandbox_kinds import choose_kind, named_kind
from grader.sandbox.supervisor import supervise

EACH_TAKES_GB = 2.5  # broker and Spark of one submission
GIVE_UP = 3  # labs that do not start, one after the other, before any that did


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
    notify: Notify = lambda text: None,
) -> ClassGrades:
    """Grade submitted/STUDENT/LESSON into the grade book of the course in `root`; all lessons, or one.

    Done already is left alone, unless the submission, the lesson or the grader has changed; `fresh`
    runs everything again. `jobs` run at a time, and `waiting` sandboxes have their lab up for the next ones
    (without them by cores and memory); with a `master`, spark://HOST:PORT, the workers of that cluster run
    them. `hidden_for` ("class" or "student") says who has hidden events in common; without it
    nbgrader_config.py does. Can be killed at any time and started again. Raises SetupError if nothing
    can be graded here, or another grading is at work.
    """
    root, submitted = root.absolute(), submitted.absolute()
    course = Course.read(root, submitted)
    settings = course.config.Record
    # the workers of a cluster make their own sandboxes
    choose = choose_kind if master is None else named_kind
    kind = choose(sandbox or settings.get("sandbox"), otherwise="auto")
    settings.update({"sandbox": kind, "fresh": fresh})
    if hidden_for is not None:
        settings.hidden_for = hidden_for
    lesson = None if lesson is None else course.lesson_named(lesson)
    with _alone(course, root), Journal(course.grading / "journal.db") as journal:
        shutil.rmtree(course.grading / STAGING, ignore_errors=True)  # of a grading that was killed
        journal.forget_what_is_gone(submitted)
        found = submissions_in(submitted, lesson)
        if not found:
            wanted = f"*/{lesson}" if lesson else "STUDENT/LESSON"
            raise SetupError(f"There is no {wanted} in {submitted}: compare the folders' names.")
        grading = _ClassGrading(course, journal, kind, notify)
        backlog = GradingBacklog(course, journal, grading.grades, grading.notify).of(found)
        if not backlog:
            return grading.finished()
        if master is not None:
            with Cluster(master, kind) as cluster:
                return grading.grade(backlog, jobs or AT_ONCE, cluster)
        if kind != "docker" and not all(x.cache.is_file() for x in start_ups(find_java())):
            notify("Java has no start-up caches here, so every submission takes longer: make setup")
        jobs = min(jobs or jobs_here(), len(backlog))
        ready = waiting_here(jobs) if waiting is None else waiting
        tasks = grading.most_exercises(backlog)
        with RunnerPool(ready, most=len(backlog) - jobs, tasks=tasks, kind=kind) as pool:
            return grading.grade(backlog, jobs, partial(supervise, sandbox=kind, pool=pool))


@contextmanager
def _alone(course: Course, root: Path) -> Iterator[None]:
    """Hold the lock of a course; in its folder, to which its settings may be relative."""
    lock = try_lock(course.grading / "lock")
    if lock is None:
        raise SetupError(
            f"Another grader grade is at work on {root}. Wait for it, or end it first."
        )
    before = Path.cwd()
    os.chdir(root)
    try:
        yield
    finally:
        os.chdir(before)
        os.close(lock)


def jobs_here() -> int:
    """How many submissions this machine runs at a time: by its cores, and by its free memory."""
    return max(1, min(os.cpu_count() or 1, _labs_in_memory()))


def waiting_here(jobs: int) -> int:
    """How many labs wait for the next submissions: as many as run, where the memory holds them."""
    return max(0, min(jobs, _labs_in_memory() - jobs))


def _labs_in_memory() -> int:
    return int(psutil.virtual_memory().available / 2**30 / EACH_TAKES_GB)


class _ClassGrading:
    """Grades what is pending; all but the runs happens in the thread that calls it."""

    def __init__(self, course: Course, journal: Journal, kind: str, notify: Notify):
        self.grades = ClassGrades(kind)
        self.notify = lambda text: notify(for_terminal(text))
        if self.grades.warning:
            self.notify(f"Every submission is {self.grades.warning}.")
        self._course = course
        self._journal = journal
        self._record = Record(config=course.config)
        self._log = _log_file(course.grading / "log")
        self._writers: dict[str, GradeWriter] = {}

    def most_exercises(self, backlog: Backlog) -> int:
        """The exercises of the lesson that has most."""
        lessons = {submission.lesson for submission in backlog}
        return max(len(self._course.pack(name).graded()) for name in lessons)

    def grade(self, backlog: Backlog, jobs: int, run: Run) -> ClassGrades:
        """Grade what is left, `jobs` runs at a time. Raises SetupError where no lab starts at all."""
        self._digests, self._ended, self._since = backlog, 0, time.monotonic()
        self._without_lab = 0  # submissions before any that had one
        ahead, stopped = deque(backlog), None
        with RunQueue(min(jobs, len(backlog)), run) as runs:
            while ahead or runs.at_work:
                try:
                    if ahead and runs.at_work < runs.jobs:
                        self._begin(ahead.popleft(), runs)
                    else:
                        self._finish(*runs.next(), "run")
                except SetupError as error:
                    stopped = error
                    ahead.clear()  # what has begun is brought to its end
        if stopped is not None:
            raise stopped
        return self.finished()

    def finished(self) -> ClassGrades:
        for lesson in sorted({one.lesson for one in self.grades.submissions}):
            assign_late_penalties(self._course, lesson)
        self.grades.submissions.sort(key=lambda one: (one.lesson, one.student))
        return self.grades

    def _begin(self, submission: Submission, runs: RunQueue) -> None:
        """Enter a submission, and grade it by what was kept of its run, or have it run."""
        student, lesson = submission.student, submission.lesson
        try:
            self._journal.begin(lesson, student)
            checks = self._record.checks(student, lesson)
            entry = self._writer(lesson).enter(submission, checks)
            made = self._record.run_of(student, lesson, entry.notebook, entry.folder)
            kept = None if self._record.fresh else made.kept()
        except Exception as error:
            self._fail(submission, error)
            return
        if kept is None:
            runs.put(entry, made)
        else:
            self._finish(entry, kept, "judged")

    def _finish(self, entry: Entry, run: ObservedRun | Exception, how: str) -> None:
        """Write what a run came to."""
        one = entry.submission
        try:
            if isinstance(run, Exception):
                raise run
            waiting = self._writer(one.lesson).write(entry, run)
            graded = result_of(one.student, one.lesson, run, self.grades.sandbox, waiting)
            self._journal.finish(graded, self._digests[one], one.submitted)
        except Exception as error:
            self._fail(one, error)
        else:
            self._without_lab = -len(self._digests)
            self._note(graded, how, points_line(graded, how))

    def _fail(self, submission: Submission, error: Exception) -> None:
        """Note why a submission is not graded. Raises SetupError where one after the other has no lab."""
        self._log.error("%s %s", submission.student, submission.lesson, exc_info=error)
        why = str(error)
        if isinstance(error, SetupError):
            self._without_lab += 1
            if self._without_lab >= min(GIVE_UP, len(self._digests)):
                raise error
        else:
            self._without_lab = -len(self._digests)
            first = next(iter(why.splitlines()), "")
            why = f"{type(error).__name__}: {first} (more in grading/log)"
        refused = not_graded(submission.student, submission.lesson, why)
        self._journal.finish(refused, "", submission.submitted)
        self._note(refused, "not_graded", f"not graded. {why}")

    def _note(self, graded: SubmissionResult, how: str, said: str) -> None:
        self.grades.add(graded, how)
        self._ended += 1
        count, took = len(self._digests), time.monotonic() - self._since
        left = took / self._ended * (count - self._ended)
        more = f"; {duration(left)} left" if self._ended < count else ""
        self.notify(f"[{self._ended}/{count}] {graded.student} {graded.lesson}: {said}{more}")

    def _writer(self, lesson: str) -> GradeWriter:
        if lesson not in self._writers:
            self._writers[lesson] = GradeWriter(self._course, lesson, self._log)
        return self._writers[lesson]


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
