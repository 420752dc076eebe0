"""Which exercises a page offers, and what it does not play of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.judging.check_pack import Pack, PackedExercise, find_packs, read_pack
from grader.scenario import Exercise

# what their functions take and return is plain Python; the others need a broker, a server or pandas
PLAIN_PYTHON = frozenset(
    [
        "11.3",
        "11.4",
        "11.5",
        "12.1",
        "12.2",
        "12.3",
        "13.2",
        "13.5",
        "14.1",
        "14.2",
        "14.3",
        "14.4",
        "14.5",
        "14.7",
        "16.2",
        "16.4",
    ]
)
# the lessons whose queries the model plays
_STREAMS = ("00", "02", "03", "04", "05", "06", "07", "08")
_METRICS = frozenset({"numDroppedDuplicateRows"})
_NOT_READ = {
    "04.5": "Its days are those of a time zone.",
    "14.6": "Prometheus's own parser reads its text, and this page does not have it.",
    "05.5": "Its state is kept by a Python function on pandas DataFrames.",
}
_CRASH = "The lab also kills the query and restarts it. This page does not."
_SETTINGS = "The lab also plays the events with different settings. This page does not."
_HIDDEN = "A class is also graded on hidden events. This page has only the public ones."


@dataclass(frozen=True)
class OfferedLesson:
    """A lesson's folder and pack, and those of its exercises that a page offers: one or more."""

    folder: Path
    pack: Pack
    exercises: list[PackedExercise]

    @property
    def notebook(self) -> Path:
        (found,) = self.folder.glob(f"{self.pack.lesson}_*.ipynb")
        return found


def offered_lessons(course: Path) -> list[OfferedLesson]:
    """The lessons in `course` of which a page offers an exercise, in their order."""
    found = []
    for _, path in sorted(find_packs(course).items()):
        pack = read_pack(path)
        exercises = [one for one in pack.graded() if not why_not_offered(one.exercise)]
        if exercises:
            found.append(OfferedLesson(path.parent, pack, exercises))
    return found


def why_not_offered(exercise: Exercise) -> str:
    """Why a page does not offer an exercise, a sentence; empty if it does."""
    if exercise.id in PLAIN_PYTHON:
        return ""
    if exercise.id in _NOT_READ:
        return _NOT_READ[exercise.id]
    kind = exercise.answer_kind
    of_a_query = kind.returns_query or kind.returns_events
    if exercise.id.partition(".")[0] not in _STREAMS or not of_a_query:
        return "Its answer needs a broker, a writer, a table or state that only the lab has."
    if exercise.conf or not set(exercise.takes) <= {"spark", *exercise.inputs}:
        return "It needs settings or sources that only the lab has."
    measured = [f for f in exercise.facts if not (f.run or f.metric in _METRICS)]
    return "It asks for files, settings or plans of Spark." if measured else ""


def not_played(exercise: Exercise) -> list[str]:
    """What the lab plays beyond a page, a sentence each."""
    found = [_CRASH] if {"restart", "exactly_once"} & set(exercise.criteria) else []
    found += [_SETTINGS] if "settings" in exercise.criteria else []
    return [*found, *([_HIDDEN] if exercise.has_scenario else [])]
