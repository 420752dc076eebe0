"""Sends the grade book's scores to a learning platform, and only those that differ there.

The platform's results are read first. So a second run sends nothing, and a run that was interrupted goes on.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from grader.classroom.lti_platform import PlatformGrades, ScoreRefusedError
from grader.classroom.marks import LessonMarks, Mark

SAME = 1e-4  # platforms round: two shares of the points that are nearer are the same


@dataclass(frozen=True)
class Refused:
    """A score that could not be sent, and why."""

    student: str
    why: str


@dataclass
class LessonPassback:
    """What was done with a lesson's scores: students by what happened.

    - `sent`: a new or changed score; in a dry run, what would be sent
    - `unchanged`: the platform has this score
    - `no_score`: nothing was handed in or graded; the platform keeps what it has
    - `waiting`: a person still has to grade a part by hand
    """

    lesson: str
    sent: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    no_score: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    problems: list[Refused] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def pass_back(
    lessons: list[LessonMarks],
    platform: PlatformGrades,
    done: list[LessonPassback],
    dry_run: bool = False,
) -> None:
    """Send what differs, lesson by lesson, and note it in `done`, also if this is interrupted.

    Raises SetupError if the platform cannot be used; a score that is refused for one student is noted.
    """
    for lesson in lessons:
        done.append(LessonPassback(lesson.name))
        _pass_back(lesson, platform, done[-1], dry_run)


def passback_text(done: list[LessonPassback], dry_run: bool) -> str:
    """A line for each lesson, and a line for each score that could not be sent."""
    lines = []
    for one in done:
        counts = {
            "to send" if dry_run else "sent": len(one.sent),
            "unchanged": len(one.unchanged),
            "without a score": len(one.no_score),
            "waiting for a grade by hand": len(one.waiting),
            "not accepted": len(one.problems),
        }
        said = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        lines.append(f"{one.lesson}: {said or 'no students'}")
        lines += [f"    {problem.student}: {problem.why}" for problem in one.problems]
    return "\n".join(lines)


def _pass_back(
    lesson: LessonMarks, platform: PlatformGrades, done: LessonPassback, dry_run: bool
) -> None:
    ready = _ready(lesson, done)
    if not ready:
        return
    item = platform.line_item(lesson.name)
    there = platform.shares(item) if item else {}
    if item is None and not dry_run:
        label = f"{lesson.pack.lesson} {lesson.pack.title}"
        item = platform.create_line_item(lesson.name, label, lesson.max_score)
    for mark in ready:
        student, user, score = mark.student.id, mark.student.lms_id, mark.score or 0.0
        if abs(there.get(user, float("inf")) - score / mark.max_score) < SAME:
            done.unchanged.append(student)
            continue
        if item is not None and not dry_run:
            try:
                platform.send(item, user, score, mark.max_score)
            except ScoreRefusedError as error:
                done.problems.append(Refused(student, f"the platform refused the score: {error}"))
                continue
        done.sent.append(student)


def _ready(lesson: LessonMarks, done: LessonPassback) -> list[Mark]:
    """The marks with a final score and a user of the platform; the others are noted."""
    users = Counter(mark.student.lms_id for mark in lesson.marks)
    ready = []
    for mark in lesson.marks:
        student, user = mark.student.id, mark.student.lms_id
        if mark.score is None or not mark.max_score:
            done.no_score.append(student)
        elif any(cell.waiting for cell in mark.cells):
            done.waiting.append(student)
        elif not user:
            fix = f"nbgrader db student add {student} --lms-user-id=ID"
            done.problems.append(
                Refused(student, f"the user on the platform is unknown. Fix: {fix}")
            )
        elif users[user] > 1:
            done.problems.append(Refused(student, f"several students have the lms_user_id {user}"))
        else:
            ready.append(mark)
    return ready
