"""Answers that nobody had in mind when the checks were written, each held to its verdict.

`tests/answers/NN.K.py` holds them as misconceptions.py does: those that begin with `right_` pass. What the
others come to stands in verdicts.json: the name that they are given (somebody has looked whether it is true
of them), "no name", or "passes" where a check cannot tell them from a right answer. After a change that
is meant, UNFORESEEN=9999 UNFORESEEN_UPDATE=1 writes it anew: read what git says has changed.
"""

import json
import os
import random
from collections import defaultdict

import pytest
from judged import ROOT, Judged, judged_by_the_pack
from testkit.spot_check import commit_id

from grader.authoring.lesson_source import ExerciseSource, Variation, _variations, read_lessons
from grader.authoring.play_store import play_pool
from grader.authoring.proof import Bench

ANSWERS = ROOT / "tests" / "answers"
VERDICTS = ANSWERS / "verdicts.json"
SAMPLE = int(os.environ.get("UNFORESEEN", "10"))  # others at each commit

Outcomes = dict[str, dict[str, str]]


def stated() -> Outcomes:
    found: Outcomes = json.loads(VERDICTS.read_text(encoding="utf-8"))
    return found


def answers() -> dict[str, list[Variation]]:
    return {path.stem: _variations(path) for path in sorted(ANSWERS.glob("*.py"))}


def test_each_answer_has_a_verdict_and_right_ones_pass() -> None:
    named = {id: {answer.id for answer in found} for id, found in answers().items()}
    assert {id: set(outcomes) for id, outcomes in stated().items()} == named
    wrong_or_right = [(n, o) for outcomes in stated().values() for n, o in outcomes.items()]
    assert all(name.startswith(("right_", "wrong_")) for name, _ in wrong_or_right)
    assert all(outcome == "passes" for name, outcome in wrong_or_right if name[:6] == "right_")


@pytest.mark.slow
@pytest.mark.timeout(4 * 3600)
def test_answers_that_nobody_foresaw_come_to_what_they_deserve(bench: Bench) -> None:
    chosen = sample()
    sources = {s.exercise.id: s for x in read_lessons(ROOT / "solutions") for s in x.exercises}
    with play_pool() as pool:
        played = list(pool.map(lambda id: judged(bench, sources[id], chosen[id]), chosen))
    found = {
        id: {one.name: outcome(one) for one in of_it}
        for id, of_it in zip(chosen, played, strict=True)
    }
    if os.environ.get("UNFORESEEN_UPDATE"):
        now = {id: {**was, **found.get(id, {})} for id, was in stated().items()}
        VERDICTS.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    wanted = {id: {name: stated()[id][name] for name in came} for id, came in found.items()}
    assert found == wanted
    lies = {(one.source.exercise.id, one.name): one.lies() for of_it in played for one in of_it}
    assert {answer: told for answer, told in lies.items() if told} == {}


def judged(bench: Bench, source: ExerciseSource, chosen: list[Variation]) -> list[Judged]:
    return judged_by_the_pack(bench, source, {one.id: one.answer for one in chosen})


def outcome(one: Judged) -> str:
    return "passes" if one.verdict.passed else one.called or "no name"


def sample() -> dict[str, list[Variation]]:
    """By exercise the answers to be played: every commit plays others."""
    all_of_them = [(id, answer) for id, found in answers().items() for answer in found]
    dice = random.Random(f"{commit_id(ROOT)} unforeseen")
    chosen = defaultdict(list)
    for id, answer in dice.sample(all_of_them, min(SAMPLE, len(all_of_them))):
        chosen[id].append(answer)
    return dict(chosen)
