"""One line per student over all lessons: shares of the points, weighted, with the lowest ones dropped."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from grader.classroom.marks import LessonMarks, Mark
from grader.errors import SetupError


@dataclass(frozen=True)
class StudentOverview:
    """A student's shares of each lesson's points, from 0 to 1, by lesson's id.

    None is work that a person still has to grade. What was not handed in is 0.

    - `total`: the weighted mean of what is neither dropped nor None; None if there is nothing
    - `waiting`: the lessons that a person still has to grade, so that the total may change
    """

    student: str
    name: str
    shares: dict[str, float | None]
    dropped: list[str]
    total: float | None
    waiting: list[str]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def overview_of(
    lessons: list[LessonMarks], weights: Mapping[str, float] | None = None, drop: int = 0
) -> list[StudentOverview]:
    """Every student of the grade book, by id; a lesson without a weight has 1, and `drop` are left out of each.

    The lowest shares are dropped, whatever they weigh; of equal ones the lighter first. Raises SetupError for
    a weight of a lesson that was not graded, and if nothing would be left.
    """
    weights = weights or {}
    ids = [lesson.pack.lesson for lesson in lessons]
    if unknown := sorted(set(weights) - set(ids)):
        raise SetupError(f"Not graded: {', '.join(unknown)}. Graded are: {', '.join(ids)}.")
    if not 0 <= drop < len(ids):
        raise SetupError(f"Of {len(ids)} lessons {drop} cannot be dropped.")
    weight = {id: weights.get(id, 1.0) for id in ids}
    marks = {
        (mark.student.id, lesson.pack.lesson): mark for lesson in lessons for mark in lesson.marks
    }
    best = {lesson.pack.lesson: lesson.max_score for lesson in lessons}
    found = []
    for student in sorted({student for student, _ in marks}):
        own = {id: marks[student, id] for id in ids if (student, id) in marks}
        shares = {id: _share(own.get(id), best[id]) for id in ids}
        known = {id: share for id, share in shares.items() if share is not None}
        dropped = sorted(known, key=lambda id: (known[id], weight[id], id))[:drop]
        kept = {id: share for id, share in known.items() if id not in dropped}
        whole = sum(weight[id] for id in kept)
        total = sum(weight[id] * share for id, share in kept.items()) / whole if whole else None
        name = next(iter(own.values())).student.name
        waiting = [id for id, mark in own.items() if mark.person]
        found.append(StudentOverview(student, name, shares, sorted(dropped), total, waiting))
    return found


def _share(mark: Mark | None, best: float) -> float | None:
    if mark is None or not mark.handed_in:
        return 0.0
    if mark.score is None or not best:
        return None
    return min(1.0, mark.score / best)


def overview_csv(students: list[StudentOverview]) -> str:
    """1 row per student, 1 column per lesson, in percent; a dropped lesson's is in parentheses."""
    ids = list(students[0].shares) if students else []
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(["student", "name", *ids, "total", "needs_person"])
    for one in students:
        shares = [
            f"({_percent(share)})" if id in one.dropped else _percent(share)
            for id, share in one.shares.items()
        ]
        total, waiting = _percent(one.total), " ".join(one.waiting)
        rows.writerow([one.student, one.name, *shares, total, waiting])
    return text.getvalue()


def overview_text(students: list[StudentOverview]) -> str:
    """The same as a table for the terminal."""
    rows = list(csv.reader(io.StringIO(overview_csv(students))))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"
