"""What became of a class that was graded, as data and for the terminal in which it was graded."""

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
    """What became of a class: what was graded now or before, and what could not be."""

    sandbox: str
    submissions: list[SubmissionResult] = field(default_factory=list)
    how: dict[tuple[str, str], str] = field(default_factory=dict)  # (lesson, student) → run, …

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
        return {**about, "counts": counts, "submissions": results}


def grades_text(grades: ClassGrades) -> str:
    """How many were graded, and who needs a person, and why."""
    counts = grades.to_dict()["counts"]
    lines = [
        f"{len(grades.submissions)} submissions: {counts['run']} ran, {counts['judged']} judged from "
        f"what was kept, {counts['unchanged']} unchanged, {counts['not_graded']} not graded."
    ]
    if grades.warning:
        lines.append(f"WARNING: every submission is {grades.warning}.")
    waiting = [one for one in grades.submissions if one.person]
    if waiting:
        lines.append(f"{len(waiting)} need a person:")
    for one in waiting:
        for reason in one.person:
            where = f" {reason.exercise}" if reason.exercise else ""
            lines.append(f"    {one.student} {one.lesson}{where}: {reason.why}")
    return "\n".join(for_terminal(line) for line in lines)


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
