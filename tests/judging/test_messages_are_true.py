"""What the judge says of wrong answers is so: each figure is looked up in the recording of that very run."""

import os
import random
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import unforeseen_later  # noqa: F401  its answers join those of the lessons before
from truth import lies_in, static_texts
from unforeseen import ANSWERS, NAMED

from grader.authoring.plays import SIDE_BY_SIDE
from grader.authoring.prove import Bench, PackedExpected, plays_of
from grader.authoring.source import ExerciseSource, read_lessons
from grader.authoring.spot_check import commit_id
from grader.judging.judge import judge
from grader.judging.pack import FILE_NAME, read_pack
from grader.judging.play import Play
from grader.judging.verdict import Verdict

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
ROOT = Path(__file__).resolve().parents[2]
KNOWN = int(os.environ.get("KNOWN_MISTAKES", "2"))  # of each exercise; others at each commit


@dataclass(frozen=True)
class Unforeseen:
    """An answer that stands in these tests, not in a folder of its own."""

    function: Callable[..., Any]


@dataclass(frozen=True)
class Judged:
    """A wrong answer as it was played, and what was said of it."""

    source: ExerciseSource
    name: str
    plays: list[Play]
    verdict: Verdict

    def lies(self, verdict: Verdict | None = None) -> list[str]:
        hints = [wrong.hint for wrong in self.source.misconceptions]
        static = static_texts(self.source.exercise, hints)
        return lies_in(verdict or self.verdict, self.plays, self.source.exercise, static)


@pytest.fixture(scope="module")
def judged(bench: Bench) -> list[Judged]:
    """Known mistakes and answers that nobody foresaw, all played on one session."""
    lessons = read_lessons(ROOT / "solutions")
    sources = [s for lesson in lessons for s in lesson.exercises if s.exercise.id in ANSWERS]

    def verdicts(source: ExerciseSource) -> list[Judged]:
        lesson = ROOT / "course" / source.lesson.name
        packed = read_pack(lesson / FILE_NAME).exercises[source.exercise.id]
        expected = PackedExpected(bench, source, packed)
        dice = random.Random(f"{commit_id(ROOT)} {source.exercise.id}")
        known = dice.sample(source.misconceptions, min(KNOWN, len(source.misconceptions)))
        answers = {wrong.id: wrong.answer for wrong in known}
        answers |= {name: Unforeseen(f) for name, f in ANSWERS[source.exercise.id].items()}
        found = []
        for name, answer in answers.items():
            plays = plays_of(bench, source, answer, expected)
            verdict = judge(source.exercise, plays, packed.fingerprints)
            found.append(Judged(source, name, plays, verdict))
        return found

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        return [one for found in pool.map(verdicts, sources) for one in found]


def test_no_message_says_what_is_not_so(judged: list[Judged]) -> None:
    assert len(judged) > 80
    found = {f"{one.source.exercise.id} {one.name}": one.lies() for one in judged}
    assert {name: lies for name, lies in found.items() if lies} == {}


def test_a_figure_that_is_not_so_is_found(judged: list[Judged]) -> None:
    """The look-up itself: change any one figure of what was said of a run, and it is noticed."""
    changed = [one.lies(verdict) for one in judged for verdict in with_one_figure_changed(one)]
    assert len(changed) > 3 * len(judged)
    assert sum(map(bool, changed)) > 0.95 * len(changed)


def with_one_figure_changed(one: Judged) -> Iterator[Verdict]:
    for place, criterion in enumerate(one.verdict.criteria):
        if criterion.name not in one.source.exercise.judged():
            continue
        for wrong in texts_with_one_figure_changed(criterion.message):
            criteria = list(one.verdict.criteria)
            criteria[place] = replace(criterion, message=wrong)
            yield replace(one.verdict, criteria=criteria)
    if one.verdict.diagnosis:
        for wrong in texts_with_one_figure_changed(one.verdict.diagnosis.hint):
            yield replace(one.verdict, diagnosis=replace(one.verdict.diagnosis, hint=wrong))


def texts_with_one_figure_changed(text: str) -> Iterator[str]:
    for figure in re.finditer(r"(?<![\w.:\"])\d+(?![\w.\"])", text):
        yield text[: figure.start()] + str(int(figure[0]) + 7) + text[figure.end() :]


def test_answers_that_nobody_foresaw_get_no_name_that_is_not_theirs(judged: list[Judged]) -> None:
    for one in judged:
        if one.name in ANSWERS[one.source.exercise.id]:
            named = one.verdict.diagnosis.id if one.verdict.diagnosis else ""
            assert named.startswith("plan.") or named == NAMED.get(one.name, ""), one.name
            assert not one.verdict.passed, one.name


def test_every_known_mistake_is_called_by_its_name(judged: list[Judged]) -> None:
    for one in judged:
        if one.name not in ANSWERS[one.source.exercise.id]:
            assert one.verdict.diagnosis is not None, one.name
            assert one.verdict.diagnosis.id == one.name
            assert "{" not in one.verdict.diagnosis.hint
