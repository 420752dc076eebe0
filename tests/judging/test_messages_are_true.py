"""What the judge says of wrong answers is so: each figure is looked up in the recording of that very run."""

import os
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from judged import ROOT, Judged, judged_by_the_pack

from grader.authoring.plays import SIDE_BY_SIDE
from grader.authoring.prove import Bench
from grader.authoring.source import ExerciseSource, Variation, read_lessons
from grader.authoring.spot_check import commit_id
from grader.judging.verdict import Verdict
from grader.scenario.exercise import CALLED

pytestmark = [pytest.mark.slow, pytest.mark.timeout(4 * 3600)]
KNOWN = int(os.environ.get("KNOWN_MISTAKES", "16"))  # others at each commit


@pytest.fixture(scope="module")
def judged(bench: Bench) -> list[Judged]:
    """Known mistakes of all lessons, played on one session; those of functions that are only called have no run."""
    all_of_them = [s for lesson in read_lessons(ROOT / "solutions") for s in lesson.exercises]
    sources = [source for source in all_of_them if source.exercise.returns not in CALLED]
    known = [(source, wrong) for source in sources for wrong in source.misconceptions]
    dice = random.Random(f"{commit_id(ROOT)} messages")
    chosen: dict[str, list[Variation]] = defaultdict(list)
    for source, wrong in dice.sample(known, min(KNOWN, len(known))):
        chosen[source.exercise.id].append(wrong)

    def verdicts(source: ExerciseSource) -> list[Judged]:
        wrong = chosen[source.exercise.id]
        return judged_by_the_pack(bench, source, {one.id: one.answer for one in wrong})

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        found = pool.map(verdicts, [s for s in sources if s.exercise.id in chosen])
        return [one for of_it in found for one in of_it]


def test_no_message_says_what_is_not_so(judged: list[Judged]) -> None:
    assert len(judged) >= min(KNOWN, 16)
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


def test_every_known_mistake_is_called_by_its_name(judged: list[Judged]) -> None:
    for one in judged:
        assert one.verdict.diagnosis is not None, one.name
        assert one.verdict.diagnosis.id == one.name
        assert "{" not in one.verdict.diagnosis.hint
