"""Which submissions of a class still need grading when grading is restarted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from grader.authoring.lesson_source import read_lessons
from grader.classroom.class_grades import ClassGrades
from grader.classroom.course import CONFIG, Course
from grader.classroom.grade_writer import students_in_book
from grader.classroom.gradebook import enrol
from grader.classroom.hidden_scenarios import work_out
from grader.classroom.journal import Journal
from grader.classroom.preprocessors import Record
from grader.classroom.submission_result import not_graded, with_current
from grader.classroom.submissions import Submission, cannot_be_graded
from grader.validity.digest import digest_of, folder_digest, package_digest

Notify = Callable[[str], None]
Backlog = dict[Submission, str]  # what must be graded → a digest of what its grades depend on


class GradingBacklog:
    """Finds what has to be graded; what is graded already, or cannot be, goes into the grades."""

    def __init__(self, course: Course, journal: Journal, grades: ClassGrades, notify: Notify):
        self._course, self._record = course, Record(config=course.config)
        self._journal, self._grades, self._notify = journal, grades, notify

    def of(self, found: list[Submission]) -> Backlog:
        left: Backlog = {}
        for lesson in sorted({one.lesson for one in found}):
            there = self._course.notebook(lesson).is_file()
            if there:
                enrol(self._course, lesson)
                self.note_unbuilt(lesson)
            unknown = f"there is no lesson {lesson} in {self._course.released(lesson).parent}"
            gradable: list[Submission] = []
            for one in (one for one in found if one.lesson == lesson):
                why = cannot_be_graded(one) if there else f"{unknown}: rename the folder"
                if why:
                    self.refuse(one, why)
                else:
                    gradable.append(one)
            left |= self._not_done(lesson, gradable) if gradable else {}
        return left

    def note_unbuilt(self, lesson: str) -> None:
        """Say which exercises have changed in solutions/ since course/ was built; grades are based on course/."""
        source = self._course.solutions(lesson)
        if source is None:
            return
        sources = next((x for x in read_lessons(source.parent) if x.folder == source), None)
        packed = self._course.pack(lesson).exercises
        changed = [
            one.exercise.id
            for one in (sources.exercises if sources else [])
            if one.exercise.id in packed and packed[one.exercise.id].exercise != one.exercise
        ]
        if changed:
            note = (
                f"solutions/{lesson} has changed in {', '.join(changed)} since course/{lesson} was built, and "
                f"grades follow course/. Fix: grader build, then grade again"
            )
            self._grades.notes.append(note)
            self._notify(note)

    def _not_done(self, lesson: str, found: list[Submission]) -> Backlog:
        seeds = self._seeds(lesson, found)
        rests_on = self._digest(lesson)
        in_book = students_in_book(self._course, lesson)
        left = {}
        for one in found:
            digest = digest_of([folder_digest(one.folder), rests_on, str(seeds.get(one.student))])
            done = self._journal.done(lesson, one.student, digest)
            whole = one.student in in_book and self._course.page(one.student, lesson).is_file()
            if done is None or self._record.fresh or not whole:
                left[one] = digest
            else:
                person = with_current(done.person, in_book[one.student])
                self._grades.add(replace(done, person=person), "unchanged")
        return left

    def _seeds(self, lesson: str, found: list[Submission]) -> dict[str, int]:
        """Student → seed of the hidden events; what the solutions do with them is computed here."""
        source = self._course.solutions(lesson)
        if source is None:
            self._notify(
                f"{lesson}: there are no solutions/ here, so public scenarios alone decide."
            )
            return {}
        seeds = {one.student: self._record.seed(one.student, lesson) for one in found}
        self._notify(f"{lesson}: working out the hidden events (minutes, the first time)")
        work_out(source, sorted(set(seeds.values())))
        return seeds

    def _digest(self, lesson: str) -> str:
        """What the grades of a lesson depend on besides submissions and hidden events."""
        settings = Path(self._course.directory.root, CONFIG).read_text(encoding="utf-8")
        folders = [self._course.released(lesson), self._course.solutions(lesson)]
        texts = [folder_digest(folder) if folder else "" for folder in folders]
        how = [settings, self._grades.sandbox, self._course.db_url, package_digest()]
        return digest_of([*texts, *how])

    def refuse(self, submission: Submission, why: str) -> None:
        """Note why a submission is not graded."""
        refused = not_graded(submission.student, submission.lesson, why)
        self._journal.finish(refused, "", submission.submitted)
        self._grades.add(refused, "not_graded")
        self._notify(f"{submission.student} {submission.lesson}: not graded. {why}")
