"""Mistakes called by their names on events that no fingerprint was made from."""

from __future__ import annotations

from grader.authoring.answer import Answer
from grader.authoring.prove import Player, Proof, expected_on, name_given
from grader.authoring.source import HIDDEN_SEED, ExerciseSource
from grader.judging.criteria import Play
from grader.judging.diagnosis import Fingerprint, diagnose_elsewhere, prints_of
from grader.judging.judge import judge
from grader.replay.recording import Recording
from grader.scenario import Variant, variants_of

OTHER_SEED = HIDDEN_SEED + 1  # a class is graded on the events of HIDDEN_SEED
PASSES, NO_NAME = "passes", "no name"


class Elsewhere:
    """One exercise on hidden events of another seed, judged by all its criteria in all variants."""

    def __init__(self, player: Player, source: ExerciseSource, known: list[Fingerprint]):
        events = source.hidden(OTHER_SEED)
        assert events is not None, "lint demands a hidden.py"
        self._player, self._source, self._known = player, source, known
        self._variants = variants_of(source.exercise, events)
        self._expected: dict[str, Recording] = {}

    def name_of(self, answer: Answer) -> str:
        """What the first play that goes wrong is called: an id, NO_NAME, or PASSES if none does."""
        for variant in self._variants:
            play = self._play(answer, variant)
            failed = self._failed(play)
            if failed:
                return self._diagnosis(play, failed) or NO_NAME
        return PASSES

    def blame_of(self, answer: Answer) -> str | None:
        """What a right answer is accused of on the plain run: a mistake or criteria; None if nothing."""
        play = self._play(answer, self._variants[0])
        return self._diagnosis(play, []) or ", ".join(self._failed(play)) or None

    def _play(self, answer: Answer, variant: Variant) -> Play:
        # a crash must not change the answer: it is held against the plain run
        like = self._variants[0] if variant.name == "crash" else variant
        if like.name not in self._expected:
            self._expected[like.name] = expected_on(self._player, self._source, like)
        actual = self._player.record(self._source, answer, variant)
        return Play("public", variant, self._expected[like.name], actual)

    def _failed(self, play: Play) -> list[str]:
        return [c.name for c in judge(self._source.exercise, [play]).criteria if not c.passed]

    def _diagnosis(self, play: Play, failed: list[str]) -> str | None:
        assert play.actual is not None
        found = diagnose_elsewhere(self._known, prints_of(play.actual, play.expected, failed))
        return found.id if found else None


def prove_elsewhere(
    player: Player, source: ExerciseSource, known: list[Fingerprint], proof: Proof
) -> None:
    """Add to a proof what answers are called on other events; a right one that is blamed is a fault.

    Events that were asked for are played as they are: there are no others.
    """
    if source.exercise.returns == "events":
        proof.on_hidden = {
            m.id: name_given(proof.misconceptions[m.id]) or NO_NAME for m in source.misconceptions
        }
        return
    elsewhere = Elsewhere(player, source, known)
    proof.on_hidden = {m.id: elsewhere.name_of(m.answer) for m in source.misconceptions}
    right = [("solution", source.solution)]
    right += [(other.id, other.answer) for other in source.equivalents]
    for name, answer in right:
        blame = elsewhere.blame_of(answer)
        if blame:
            proof.blamed[name] = blame
            proof.faults.append(f"{name} is right, and is blamed on hidden events: {blame}.")
