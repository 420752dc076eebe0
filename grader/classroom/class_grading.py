"""Grades a whole class: several submissions at a time, each once, even if it is stopped and restarted."""

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
from nbformat import NotebookNode

from grader.classroom.class_grades import ClassGrades, duration, points_line
from grader.classroom.course import Course
from grader.classroom.grade_writer import STAGING, Entry, GradeWriter, assign_late_penalties
from grader.classroom.grading_backlog import Backlog, GradingBacklog, Notify
from grader.classroom.journal import Journal
from grader.classroom.person_reasons import GradedNotebook
from grader.classroom.preprocessors import Record
from grader.classroom.run_queue import RunQueue
from grader.classroom.spark_grading import AT_ONCE, Cluster
from grader.classroom.submission_result import (
    Reason,
    SubmissionResult,
    not_graded,
    result_of,
    with_current,
)
from grader.classroom.submission_run import Run
from grader.classroom.submissions import (
    Submission,
    misplaced_in,
    stray_files_in,
    submissions_in,
)
from grader.classroom.terminal_text import for_terminal
from grader.errors import SetupError
from grader.lab.setup import start_ups
from grader.learner.notebook_reader import read_notebook
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

    It skips what is graded already, unless the submission, the lesson or the grader has changed. It can
    be killed at any time and started again. Raises SetupError if nothing can be graded here, or another
    grading is running.

    - `fresh` runs everything again
    - `jobs` submissions run at a time, and `waiting` sandboxes have their lab up for the next ones; the
      defaults depend on cores and memory
    - `master`, spark://HOST:PORT: the workers of that cluster run the submissions
    - `hidden_for` ("class" or "student") says who has hidden events in common; nbgrader_config.py has the default
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
    with alone(course, root), Journal(course.grading / "journal.db") as journal:
        shutil.rmtree(course.grading / STAGING, ignore_errors=True)  # of a grading that was killed
        journal.forget_what_is_gone(submitted)
        found = submissions_in(submitted, lesson)
        misplaced = misplaced_in(submitted, lesson, course.lessons()) if lesson else {}
        if not found and not misplaced:
            wanted = f"*/{lesson}" if lesson else "STUDENT/LESSON"
            raise SetupError(f"There is no {wanted} in {submitted}: compare the folders' names.")
        grading = _ClassGrading(course, journal, kind, notify)
        pending = GradingBacklog(course, journal, grading.grades, grading.notify)
        for one, why in misplaced.items():
            pending.refuse(one, why)
        grading.note_stray_files(submitted)
        backlog = pending.of(found)
        if not backlog:
            return grading.finished()
        if master is not None:
            with Cluster(master, kind) as cluster:
                return grading.grade(backlog, jobs or AT_ONCE, cluster)
        _tell_of_slow_starts(kind, notify)
        jobs = min(jobs or jobs_here(), len(backlog))
        ready = waiting_here(jobs) if waiting is None else waiting
        tasks = grading.most_exercises(backlog)
        with RunnerPool(ready, most=len(backlog) - jobs, tasks=tasks, kind=kind) as pool:
            return grading.grade(backlog, jobs, partial(supervise, sandbox=kind, pool=pool))


def _tell_of_slow_starts(kind: str, notify: Notify) -> None:
    if kind != "docker" and not all(x.cache.is_file() for x in start_ups(find_java())):
        notify("Java has no start-up caches here, so every submission takes longer: make setup")


@contextmanager
def alone(course: Course, root: Path) -> Iterator[None]:
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
    """How many labs wait for the next submissions: as many as run, if there is enough memory."""
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
        self._given: dict[str, NotebookNode] = {}  # the notebooks as they were handed out

    def note_stray_files(self, submitted: Path) -> None:
        if stray := stray_files_in(submitted):
            self.grades.notes.append(
                f"beside the students' folders lies {', '.join(stray)}: put it into STUDENT/LESSON/"
            )

    def most_exercises(self, backlog: Backlog) -> int:
        """The exercises of the lesson that has most."""
        lessons = {submission.lesson for submission in backlog}
        return max(len(self._course.pack(name).graded()) for name in lessons)

    def grade(self, backlog: Backlog, jobs: int, run: Run) -> ClassGrades:
        """Grade what is left, `jobs` runs at a time. Raises SetupError if no lab starts at all."""
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
                    ahead.clear()  # what has begun is finished
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
            current = self._writer(one.lesson).write(entry, run)
            person = with_current(self._reasons(entry, run), current)
            graded = result_of(one.student, one.lesson, run, self.grades.sandbox, person)
            self._journal.finish(graded, self._digests[one], one.submitted)
        except Exception as error:
            self._fail(one, error)
        else:
            self._without_lab = -len(self._digests)
            self._note(graded, how, points_line(graded, how))

    def _reasons(self, entry: Entry, run: ObservedRun) -> list[Reason]:
        """Why a person should look at what a run came to."""
        lesson = entry.submission.lesson
        if lesson not in self._given:
            self._given[lesson] = read_notebook(self._course.notebook(lesson))
        packed = [check.packed for check in entry.checks]
        released = self._course.released(lesson)
        files = (path for path in released.rglob("*") if path.is_file())
        given_files = frozenset(str(path.relative_to(released)) for path in files)
        folder, given = entry.submission.folder, self._given[lesson]
        return GradedNotebook(entry.notebook, given, packed, folder, given_files, run).reasons()

    def _fail(self, submission: Submission, error: Exception) -> None:
        """Note why a submission is not graded. Raises SetupError if several in a row have no lab."""
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
    """nbgrader's own words go to a file: the terminal shows one line per submission."""
    log = logging.getLogger(f"grader.class.{path}")
    log.propagate = False
    log.setLevel(logging.WARNING)
    if not log.handlers:
        handler = logging.FileHandler(path, encoding="utf-8")
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        log.addHandler(handler)
    return log
