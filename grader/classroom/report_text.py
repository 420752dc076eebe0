"""What came of a class, for the terminal in which it was graded."""

from __future__ import annotations

from grader.classroom.class_grading import ClassGrades
from grader.classroom.sanitizer import for_terminal


def grades_text(grades: ClassGrades) -> str:
    """How many were graded, and who needs a person, and why."""
    counts = grades.to_dict()["counts"]
    told = f"{len(grades.submissions)} submissions: {counts['run']} ran, {counts['judged']} judged from what was kept, "
    told += f"{counts['unchanged']} unchanged, {counts['not_graded']} not graded."
    lines = [told]
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
