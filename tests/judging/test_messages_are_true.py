"""What the judge says of wrong answers is so: each figure is looked up in the recording of that very run."""

import os
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import pytest
from judged import ROOT, Judged, judged_by_the_pack
from testkit.spot_check import commit_id

from grader.authoring.answer import Answer
from grader.authoring.lesson_source import ExerciseSource, Variation, read_lessons
from grader.authoring.play_store import play_pool
from grader.authoring.proof import Bench
from grader.judging.verdict import Verdict
from grader.scenario import Exercise

pytestmark = [pytest.mark.slow, pytest.mark.timeout(4 * 3600)]
KNOWN = int(os.environ.get("KNOWN_MISTAKES", "16"))  # others at each commit


# the look-up is tried on the first known mistake of each of these, at every commit
ALWAYS = ("00.2", "02.4", "03.2", "04.2", "05.3", "06.2", "08.2", "09.1")
Chosen = list[tuple[ExerciseSource, Variation]]


@pytest.fixture(scope="module")
def known() -> Chosen:
    """The known mistakes of all lessons; those of functions that are only called have no run."""
    all_of_them = [s for lesson in read_lessons(ROOT / "solutions") for s in lesson.exercises]
    sources = [source for source in all_of_them if not source.exercise.answer_kind.called]
    return [(source, wrong) for source in sources for wrong in source.misconceptions]


@pytest.fixture(scope="module")
def judged(bench: Bench, known: Chosen) -> list[Judged]:
    dice = random.Random(f"{commit_id(ROOT)} messages")
    return judged_side_by_side(bench, dice.sample(known, min(KNOWN, len(known))))


@pytest.fixture(scope="module")
def always(bench: Bench, known: Chosen) -> list[Judged]:
    first = {source.exercise.id: (source, wrong) for source, wrong in reversed(known)}
    return judged_side_by_side(bench, [first[id] for id in ALWAYS])


def judged_side_by_side(bench: Bench, chosen: Chosen) -> list[Judged]:
    """Played on one session."""
    answers: dict[str, dict[str, Answer]] = defaultdict(dict)
    sources = {}
    for source, wrong in chosen:
        sources[source.exercise.id] = source
        answers[source.exercise.id][wrong.id] = wrong.answer
    with play_pool() as pool:
        found = pool.map(lambda id: judged_by_the_pack(bench, sources[id], answers[id]), answers)
        return [one for of_it in found for one in of_it]


def test_no_message_says_what_is_not_so(judged: list[Judged]) -> None:
    assert len(judged) >= min(KNOWN, 16)
    found = {f"{one.source.exercise.id} {one.name}": one.lies() for one in judged}
    assert {name: lies for name, lies in found.items() if lies} == {}


def test_a_figure_that_is_not_so_is_found(always: list[Judged]) -> None:
    """The look-up itself: change any one figure of what was said of a run, and it is noticed."""
    changed = [(one, verdict) for one in always for verdict in with_one_figure_changed(one)]
    assert len(changed) > 3 * len(always)
    missed = [(one.name, verdict) for one, verdict in changed if not one.lies(verdict)]
    assert missed == []


def with_one_figure_changed(one: Judged) -> Iterator[Verdict]:
    for place, criterion in enumerate(one.verdict.criteria):
        if criterion.name not in one.source.exercise.judged():
            continue
        for wrong in texts_with_one_figure_changed(criterion.message, one.source.exercise):
            criteria = list(one.verdict.criteria)
            criteria[place] = replace(criterion, message=wrong)
            yield replace(one.verdict, criteria=criteria)
    if one.verdict.diagnosis:
        for wrong in texts_with_one_figure_changed(one.verdict.diagnosis.hint, one.source.exercise):
            yield replace(one.verdict, diagnosis=replace(one.verdict.diagnosis, hint=wrong))


def texts_with_one_figure_changed(text: str, exercise: Exercise) -> Iterator[str]:
    """What the author says of a fact is left as it is: its figures are not said of the run."""
    says = [rf"{re.escape(f.title)}(?:: .*? is (?=\S+, expected))?" for f in exercise.facts]
    says += [re.escape(f.fix) for f in exercise.facts if f.fix]
    spans = [found.span() for words in says for found in re.finditer(words, text)]
    for figure in re.finditer(r"(?<![\w.:\"])\d+(?![\w.\"])", text):
        if not any(start <= figure.start() < end for start, end in spans):
            yield text[: figure.start()] + str(int(figure[0]) + 7) + text[figure.end() :]


def test_every_known_mistake_is_called_by_its_name(judged: list[Judged]) -> None:
    for one in judged:
        assert one.verdict.diagnosis is not None, one.name
        assert one.verdict.diagnosis.id == one.name
        assert "{" not in one.verdict.diagnosis.hint
