"""What of a class is still to be graded, whenever grading is started again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from traitlets.config import Config

from grader.classroom.class_digests import folder_digest
from grader.classroom.class_grades import ClassGrades
from grader.classroom.course_settings import (
    CONFIG,
    autograded_folder,
    course_of,
    lesson_notebook,
    released,
    solutions_of,
)
from grader.classroom.grade_writer import students_in_book
from grader.classroom.gradebook import enrol
from grader.classroom.graded_submission import not_graded, with_waiting
from grader.classroom.hidden_scenarios import work_out
from grader.classroom.journal import Journal
from grader.classroom.preprocessors import Record
from grader.classroom.submissions import Submission, cannot_be_graded
from grader.validity.digest import digest_of, package_digest

Backlog = dict[Submission, str]  # what is to be graded → a digest of what its grades rest on


class GradingBacklog:
    """Finds what has to be graded; what is graded already, or cannot be, goes into the grades."""

    def __init__(
        self, config: Config, journal: Journal, grades: ClassGrades, tell: Callable[[str], None]
    ):
        self._course = course_of(config)
        self._record = Record(config=config)
        self._journal = journal
        self._grades = grades
        self._tell = tell

    def of(self, found: list[Submission]) -> Backlog:
        left: Backlog = {}
        for name in sorted({one.lesson for one in found}):
            lesson = released(self._course, name)
            notebook = lesson_notebook(lesson)
            if notebook is not None:
                enrol(self._course, name)
            gradable: list[Submission] = []
            for one in (one for one in found if one.lesson == name):
                why: str | None = f"there is no lesson {name} in {lesson.parent}: rename the folder"
                if notebook is not None:
                    why = cannot_be_graded(one, notebook.name)
                if why is None:
                    gradable.append(one)
                else:
                    self._refuse(one, why)
            left |= self._not_done(lesson, gradable)
        return left

    def _not_done(self, lesson: Path, found: list[Submission]) -> Backlog:
        if not found:
            return {}
        seeds = self._seeds(lesson, found)
        rests_on = self._digest(lesson)
        in_book = students_in_book(self._course, lesson.name)
        left = {}
        for one in found:
            digest = digest_of([folder_digest(one.folder), rests_on, str(seeds.get(one.student))])
            done = self._journal.done(lesson.name, one.student, digest)
            page = autograded_folder(self._course, one.student, lesson.name)
            whole = one.student in in_book and (page / f"{lesson.name}.ipynb").is_file()
            if done is None or self._record.fresh or not whole:
                left[one] = digest
            else:
                person = with_waiting(done.person, in_book[one.student])
                self._grades.add(replace(done, person=person), "unchanged")
        return left

    def _seeds(self, lesson: Path, found: list[Submission]) -> dict[str, int]:
        """Student → seed of the hidden events; what the solutions do with them is worked out here."""
        source = solutions_of(lesson)
        if source is None:
            self._tell(
                f"{lesson.name}: there are no solutions/ here, so public scenarios alone decide."
            )
            return {}
        seeds = {one.student: self._record.seed(one.student, lesson.name) for one in found}
        self._tell(f"{lesson.name}: working out the hidden events (minutes, the first time)")
        work_out(source, sorted(set(seeds.values())))
        return seeds

    def _digest(self, lesson: Path) -> str:
        """What the grades of a lesson rest on beside submissions and hidden events."""
        settings = Path(self._course.root, CONFIG).read_text(encoding="utf-8")
        source = solutions_of(lesson)
        folders = [folder_digest(lesson), folder_digest(source) if source else ""]
        how = [settings, self._grades.sandbox, str(self._course.db_url), package_digest()]
        return digest_of([*folders, *how])

    def _refuse(self, submission: Submission, why: str) -> None:
        refused = not_graded(submission.student, submission.lesson, why)
        self._journal.finish(refused, "", submission.submitted)
        self._grades.add(refused, "not_graded")
        self._tell(f"{submission.student} {submission.lesson}: not graded. {why}")
