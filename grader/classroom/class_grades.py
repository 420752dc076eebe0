"""The results of grading a class, as data and as text for the terminal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from grader.classroom.submission_result import SubmissionResult
from grader.classroom.terminal_text import for_terminal
from grader.sandbox.sandbox_kinds import UNSAFE

# run: its code ran; judged: from what was kept of its run; unchanged: graded before, nothing to do
HOW = ("run", "judged", "unchanged", "not_graded")


@dataclass
class ClassGrades:
    """The results of a class: what was graded now or before, and what could not be."""

    sandbox: str
    submissions: list[SubmissionResult] = field(default_factory=list)
    how: dict[tuple[str, str], str] = field(default_factory=dict)  # (lesson, student) → run, …
    notes: list[str] = field(default_factory=list)  # what a teacher should know about all of it

    @property
    def warning(self) -> str | None:
        return UNSAFE if self.sandbox == "none" else None

    @property
    def ok(self) -> bool:
        return "not_graded" not in self.how.values()

    def add(self, graded: SubmissionResult, how: str) -> None:
        self.submissions.append(graded)
        self.how[graded.lesson, graded.student] = how

    def to_dict(self) -> dict[str, Any]:
        results = [{**x.to_dict(), "how": self.how[x.lesson, x.student]} for x in self.submissions]
        counts = {how: list(self.how.values()).count(how) for how in HOW}
        about = {"sandbox": self.sandbox, "warning": self.warning}
        return {**about, "counts": counts, "notes": self.notes, "submissions": results}


def grades_text(grades: ClassGrades) -> str:
    """How many were graded, and which submissions need a person, and why."""
    counts = grades.to_dict()["counts"]
    lines = [
        f"{len(grades.submissions)} submissions: {counts['run']} ran, {counts['judged']} judged from "
        f"what was kept, {counts['unchanged']} unchanged, {counts['not_graded']} not graded."
    ]
    if grades.warning:
        lines.append(f"WARNING: every submission is {grades.warning}.")
    lines += [f"NOTE: {note}." for note in grades.notes]
    waiting = [one for one in grades.submissions if one.person]
    if waiting:
        lines.append(f"{people(len(waiting))}:")
    for one in waiting:
        for reason in one.person:
            where = f" {reason.exercise}" if reason.exercise else ""
            lines.append(f"    {one.student} {one.lesson}{where}: {reason.why}")
    return "\n".join(for_terminal(line) for line in lines)


def people(count: int) -> str:
    """How many need a person: 1 needs a person, 4 need a person."""
    return f"{count} {'needs' if count == 1 else 'need'} a person"


def points_line(graded: SubmissionResult, how: str) -> str:
    """The points of a submission, and where they come from."""
    score = sum(verdict.score for verdict in graded.verdicts)
    best = sum(verdict.max_score for verdict in graded.verdicts)
    source = f"{graded.seconds:.0f} s" if how == "run" else "from what was kept"
    return f"{score:g} of {best:g} points, {source}"


def duration(seconds: float) -> str:
    """A time that is left, for a person: 40 s, 12 min, 3 h 5 min."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
