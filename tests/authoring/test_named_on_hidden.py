"""Mistakes are called by their names on events that no fingerprint was made from."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from grader.authoring.answer import Answer
from grader.authoring.plays import SIDE_BY_SIDE
from grader.authoring.prove import Bench
from grader.authoring.source import HIDDEN_SEED, ExerciseSource, read_lessons
from grader.judging.criteria import Play
from grader.judging.diagnosis import Fingerprint, diagnose_elsewhere, prints_of
from grader.judging.judge import judge
from grader.judging.pack import FILE_NAME, read_pack
from grader.replay.recording import Recording
from grader.scenario import Variant, variants_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
ROOT = Path(__file__).resolve().parents[2]
OTHER_SEED = HIDDEN_SEED + 1


class Elsewhere:
    """One exercise on events of another seed: what its solution does, and where others go wrong."""

    def __init__(self, bench: Bench, source: ExerciseSource):
        self.bench, self.source = bench, source
        events = source.hidden(OTHER_SEED)
        assert events is not None
        self.variants = variants_of(source.exercise, events)
        self.expected: dict[str, Recording] = {}
        for variant in self.variants:
            if variant.name != "crash":
                self.expected[variant.name] = bench.record(source, source.solution, variant)

    def play(self, answer: Answer, variant: Variant) -> Play:
        expected = self.expected["as_is" if variant.name == "crash" else variant.name]
        actual = self.bench.record(self.source, answer, variant)
        return Play("public", variant, expected, actual)

    def name_of(self, answer: Answer, known: list[Fingerprint]) -> str:
        """What the first play that goes wrong is called; "passes" if none does."""
        for variant in self.variants:
            play = self.play(answer, variant)
            failed = self.failed(play)
            if failed:
                assert play.actual is not None
                found = diagnose_elsewhere(known, prints_of(play.actual, play.expected, failed))
                return found.id if found else "no name"
        return "passes"

    def failed(self, play: Play) -> list[str]:
        return [c.name for c in judge(self.source.exercise, [play]).criteria if not c.passed]


def test_mistakes_are_named_and_right_answers_are_not(bench: Bench, capsys: pytest.CaptureFixture):
    sources = [s for lesson in read_lessons(ROOT / "solutions") for s in lesson.exercises]
    packs = {s.lesson.id: read_pack(ROOT / "course" / s.lesson.name / FILE_NAME) for s in sources}

    def look(source: ExerciseSource) -> tuple[list[str], int, list[str], int]:
        known = packs[source.lesson.id].exercises[source.exercise.id].fingerprints
        elsewhere = Elsewhere(bench, source)
        names = {m.id: elsewhere.name_of(m.answer, known) for m in source.misconceptions}
        missed = [f"{source.exercise.id} {m}: {said}" for m, said in names.items() if said != m]
        blamed = []
        for name, answer in [
            ("solution", source.solution),
            *((other.id, other.answer) for other in source.equivalents),
        ]:
            play = elsewhere.play(answer, elsewhere.variants[0])
            assert play.actual is not None
            found = diagnose_elsewhere(known, prints_of(play.actual, play.expected, []))
            failed = elsewhere.failed(play)
            if found is not None or failed:
                blamed.append(f"{source.exercise.id} {name}: {found.id if found else failed}")
        return missed, len(source.misconceptions), blamed, len(source.equivalents) + 1

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        looked = list(pool.map(look, sources))
    missed = [line for found, _, _, _ in looked for line in found]
    mistakes = sum(count for _, count, _, _ in looked)
    blamed = [line for _, _, found, _ in looked for line in found]
    right = sum(count for _, _, _, count in looked)
    with capsys.disabled():
        print(
            f"\n{mistakes - len(missed)} of {mistakes} mistakes named rightly on hidden events; "
            f"{len(blamed)} of {right} right answers given a diagnosis"
        )
        print("\n".join([*missed, *blamed]))
    assert not blamed
    assert len(missed) <= 0.05 * mistakes
