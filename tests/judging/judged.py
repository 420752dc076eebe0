"""Answers played on the bench and judged by the pack that students have, and what is said of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truth import lies_in, static_texts

from grader.authoring.lesson_source import ExerciseSource
from grader.authoring.proof import Bench, PackedExpected, play_and_judge
from grader.judging.check_pack import FILE_NAME, read_pack
from grader.judging.play import Play
from grader.judging.verdict import Verdict

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Judged:
    """An answer as it was played, and what was said of it."""

    source: ExerciseSource
    name: str
    plays: list[Play]
    verdict: Verdict

    @property
    def called(self) -> str:
        """The id of the mistake that it is called by; empty where it has no name."""
        return self.verdict.diagnosis.id if self.verdict.diagnosis else ""

    def lies(self, verdict: Verdict | None = None) -> list[str]:
        if self.source.exercise.answer_kind.called:
            return []  # a function that is only called has no run to look figures up in
        hints = {wrong.id: wrong.hint for wrong in self.source.misconceptions}
        static = static_texts(self.source.exercise, list(hints.values()))
        hint = hints.get(self.called, "")
        return lies_in(verdict or self.verdict, self.plays, self.source.exercise, static, hint)


def judged_by_the_pack(
    bench: Bench, source: ExerciseSource, answers: Mapping[str, Any]
) -> list[Judged]:
    """Play answers (whatever has a `function`) to one exercise, by name, in all variants and on hidden events."""
    packed = read_pack(ROOT / "course" / source.lesson.name / FILE_NAME)
    exercise = packed.exercises[source.exercise.id]
    expected = PackedExpected(bench, source, exercise)
    found = []
    for name, answer in answers.items():
        known = exercise.fingerprints
        verdict, plays = play_and_judge(bench, source, answer, expected, known)
        found.append(Judged(source, name, plays, verdict))
    return found
