"""Whether mistakes are recognized on events that no fingerprint was made from."""

from __future__ import annotations

from collections.abc import Mapping

from grader.authoring.answer import Answer
from grader.authoring.lesson_source import HIDDEN_SEED, ExerciseSource
from grader.authoring.proof import Player, Proof, expected_on, name_given
from grader.judging.diagnosis import Fingerprint, Prints, diagnose_elsewhere, prints_of
from grader.judging.judge import judge
from grader.judging.play import Play
from grader.scenario import Variant, variants_of
from grader.scenario.recording import Recording

OTHER_SEED = HIDDEN_SEED + 1  # a class is graded on the events of HIDDEN_SEED
PASSES, NO_NAME = "passes", "no name"


class Elsewhere:
    """One exercise on hidden events of another seed, judged by all its criteria in all variants.

    `runs` are the prints of the known mistakes' own runs there, by id; they are played where they
    are not given. The fingerprints `known` are those of the public events.
    """

    def __init__(
        self,
        player: Player,
        source: ExerciseSource,
        known: list[Fingerprint],
        runs: Mapping[str, str] | None = None,
    ):
        events = source.hidden(OTHER_SEED)
        assert events is not None, "lint demands a hidden.py"
        self._player, self._source, self._known = player, source, known
        self._variants = variants_of(source.exercise, events)
        self._expected: dict[str, Recording] = {}
        self.runs = self._played() if runs is None else runs

    def name_of(self, answer: Answer) -> str:
        """The diagnosis of the first play that fails: an id, NO_NAME, or PASSES if none fails."""
        prints = self._prints_of(answer)
        return (self._name(prints) or NO_NAME) if prints else PASSES

    def blame_of(self, answer: Answer) -> str | None:
        """What a right answer is accused of on the plain run: a mistake or criteria; None if nothing."""
        play = self._play(answer, self._variants[0])
        failed = self._failed(play)
        return self._name(self._prints_in(play, failed)) or ", ".join(failed) or None

    def _played(self) -> dict[str, str]:
        found = {wrong.id: self._prints_of(wrong.answer) for wrong in self._source.misconceptions}
        return {id: prints.shown for id, prints in found.items() if prints}

    def _prints_of(self, answer: Answer) -> Prints | None:
        """The prints of the first play that fails; None if none does."""
        for variant in self._variants:
            play = self._play(answer, variant)
            failed = self._failed(play)
            if failed:
                return self._prints_in(play, failed)
        return None

    def _play(self, answer: Answer, variant: Variant) -> Play:
        # a crash must not change the answer: it is compared with the plain run
        like = self._variants[0] if variant.name == "crash" else variant
        if like.name not in self._expected:
            self._expected[like.name] = expected_on(self._player, self._source, like)
        actual = self._player.record(self._source, answer, variant)
        return Play("public", variant, self._expected[like.name], actual)

    def _failed(self, play: Play) -> list[str]:
        return [c.name for c in judge(self._source.exercise, [play]).criteria if not c.passed]

    def _prints_in(self, play: Play, failed: list[str]) -> Prints:
        assert play.actual is not None
        return prints_of(play.actual, play.expected, failed, self._source.exercise.facts)

    def _name(self, prints: Prints) -> str | None:
        found = diagnose_elsewhere(self._known, self.runs, prints)
        return found.id if found else None


def prove_elsewhere(
    player: Player, source: ExerciseSource, known: list[Fingerprint], proof: Proof
) -> None:
    """Add to a proof the diagnoses of answers on other events; a right answer that is blamed is a fault.

    If an exercise has no scenario, the public diagnoses count: there are no other events.
    """
    if not source.exercise.has_scenario:
        proof.on_hidden = {
            m.id: name_given(proof.misconceptions[m.id]) or NO_NAME for m in source.misconceptions
        }
        return
    elsewhere = Elsewhere(player, source, known)
    proof.runs_on_hidden = dict(elsewhere.runs)
    proof.on_hidden = {m.id: elsewhere.name_of(m.answer) for m in source.misconceptions}
    right = [("solution", source.solution)]
    right += [(other.id, other.answer) for other in source.equivalents]
    for name, answer in right:
        blame = elsewhere.blame_of(answer)
        if blame:
            proof.blamed[name] = blame
            proof.faults.append(f"{name} is right, and is blamed on hidden events: {blame}.")
