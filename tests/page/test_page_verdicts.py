"""The page's verdicts against those of the lab, on every answer whose verdict is known: no false pass, no false name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from page.page_cases import COURSE, Case, offered, proved, unforeseen

from grader.authoring.lesson_source import ExerciseSource
from grader.judging.check_pack import Pack, PackedExercise, find_exercise, write_pack
from grader.judging.judge import JudgingSession
from grader.judging.verdict import Verdict
from grader.page.exercise_check import FAULT
from grader.page.page_verdict import PageVerdict
from grader.page.page_words import in_page_words
from grader.page.worker import Worker
from grader.replay.called_kinds import CALLED_KINDS
from grader.replay.failures import Stop

pytestmark = pytest.mark.timeout(600)  # a check takes 20 ms; the time is for a busy machine
MOST_FOR_THE_LAB = 0.2  # of the right answers


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker(COURSE, limit=120) as one:
        yield one


@pytest.fixture(scope="module")
def judged(worker: Worker) -> list[tuple[Case, PageVerdict]]:
    """Every answer with what the page says of it."""
    return [(c, worker.check(c.exercise, c.text, c.name)) for c in [*proved(), *unforeseen()]]


def test_a_page_offers_forty_exercises() -> None:
    found = offered()
    assert len(found) >= 40
    assert {id[:2] for id in found} == {
        "00",
        "02",
        "03",
        "04",
        "05",
        "06",
        "07",
        "08",
        "11",
        "12",
        "13",
        "14",
        "16",
    }


def test_nothing_wrong_passes(judged: list[tuple[Case, PageVerdict]], tmp_path: Path) -> None:
    """What only hidden events show passes in the lab's own public check, too; here they must show it."""
    passed = [case for case, found in judged if found.passed and not case.right]
    streams = [case for case in passed if not offered()[case.exercise].exercise.answer_kind.called]
    false = [str(c) for c in passed if c not in streams and not lab_verdict(c).passed]
    with Worker(hidden_course({case.exercise for case in streams}, tmp_path)) as hidden:
        for case in streams:
            found = hidden.check(case.exercise, case.text, case.name)
            if found.verdict is None or found.verdict.status != "failed":
                false.append(str(case))
    print("passed on public events alone:", [str(case) for case in passed])
    assert not false
    assert not [c for c in streams if c.kind == "mistake"]


def test_no_verdict_of_a_page_sends_its_reader_to_a_notebook(
    judged: list[tuple[Case, PageVerdict]],
) -> None:
    """An answer that fails elsewhere has its own words, and those of Spark, below it."""
    said = [
        (str(case), line)
        for case, found in judged
        if found.verdict and case.kind in ("mistake", "stub", "solution", "equivalent")
        for criterion in in_page_words(found, offered()[case.exercise].exercise).criteria
        for line in criterion.message.splitlines()
    ]
    assert [words for words in said if re.search(r"grader\.|[Nn]otebook|the cell", words[1])] == []
    assert any("What your answer did is shown below" in line for _, line in said)


def test_no_mistake_gets_the_name_of_another(judged: list[tuple[Case, PageVerdict]]) -> None:
    named = [(c, f.verdict.diagnosis.id) for c, f in judged if f.verdict and f.verdict.diagnosis]
    false = [(c, name) for c, name in named if name != c.mistake]
    # verdicts.json may be older than the calls of a function: the lab's own code says what is true now
    assert not [(str(c), name) for c, name in false if name != lab_name(c)]
    assert len(named) > 400


def test_the_page_itself_has_no_error(judged: list[tuple[Case, PageVerdict]]) -> None:
    assert not [(str(c), f.only_lab) for c, f in judged if f.only_lab.startswith(FAULT)]


def test_right_answers_pass_and_what_fails_has_the_status_of_the_lab(
    judged: list[tuple[Case, PageVerdict]],
) -> None:
    known = [(case, found.verdict) for case, found in judged if found.verdict and case.status]
    differ = [(str(c), v.status, c.status) for c, v in known if v.status != c.status]
    assert not differ


def test_few_right_answers_are_for_the_lab_alone(judged: list[tuple[Case, PageVerdict]]) -> None:
    counts = Counter((case.kind, bool(found.only_lab)) for case, found in judged)
    for kind in dict.fromkeys(kind for kind, _ in counts):
        lab, page = counts[kind, True], counts[kind, False]
        print(f"{kind}: {lab} of {lab + page} only the lab ({lab / (lab + page):.0%})")
    right = [found for case, found in judged if case.right]
    share = sum(bool(found.only_lab) for found in right) / len(right)
    print(f"right answers: {share:.1%} only the lab")
    assert share < MOST_FOR_THE_LAB
    assert not [str(c) for c, f in judged if c.kind in ("solution", "stub") and f.only_lab]


@pytest.mark.parametrize("id", offered())
def test_the_answer_cell_alone_is_enough(worker: Worker, id: str) -> None:
    """What the answer builds on comes from the lesson's notebook, as students have it."""
    source = offered()[id]
    stub = worker.check(id, find_exercise(id, COURSE).cell)
    assert stub.verdict is not None and stub.verdict.status == "not_attempted"
    found = worker.check(id, source.lesson.cell(source.exercise.answer))
    assert found.passed


def lab_verdict(case: Case) -> Verdict:
    """What the lab says of a function of plain Python on the public calls: Spark is not asked."""
    packed = find_exercise(case.exercise, COURSE)
    session = JudgingSession(packed.exercise, packed.fingerprints)
    names: dict[str, object] = {"__name__": "answers"}
    exec(compile(case.text, "answer.py", "exec", dont_inherit=True), names)
    subject = offered()[case.exercise].subject
    for play in packed.plays():
        kind = CALLED_KINDS[packed.exercise.returns]
        run = kind(
            None,  # type: ignore[arg-type]
            packed.exercise,
            names[case.name],  # type: ignore[arg-type]
            play.variant,
            subject.function if subject else None,
        )
        try:
            run.play()
        except Stop as stop:
            run.recording.failure = stop.failure
        if not session.add(packed.play(play.variant, run.recording)):
            break
    return session.verdict()


def lab_name(case: Case) -> str | None:
    if not offered()[case.exercise].exercise.answer_kind.called:
        return case.mistake
    found = lab_verdict(case).diagnosis
    return found.id if found else None


def hidden_course(ids: set[str], folder: Path) -> Path:
    """A course whose public events are the exercises' hidden ones, with what the solutions do on them."""
    packed = {id: with_hidden_events(offered()[id]) for id in ids}
    write_course(packed, folder)
    with Worker(folder) as worker:
        for id, one in packed.items():
            solution = offered()[id].solution
            found = worker.check(id, solution.text, solution.name)
            assert found.recording is not None and found.recording.failure is None
            packed[id] = replace(one, expected={"as_is": found.recording})
    write_course(packed, folder)
    return folder


def with_hidden_events(source: ExerciseSource) -> PackedExercise:
    """The exercise as it is packed, judged by its rows on hidden events."""
    packed = find_exercise(source.exercise.id, COURSE)
    exercise = replace(packed.exercise, criteria=["rows"], facts=[], weights={})
    hidden = source.hidden()
    assert hidden is not None
    return replace(packed, exercise=exercise, public=hidden, fingerprints=[], predictions=[])


def write_course(packed: dict[str, PackedExercise], folder: Path) -> None:
    for lesson in {id[:2]: offered()[id].lesson for id in packed}.values():
        of_lesson = {id: one for id, one in packed.items() if id[:2] == lesson.id}
        (folder / lesson.name).mkdir(parents=True, exist_ok=True)
        pack = Pack(lesson.id, lesson.slug, lesson.title, of_lesson)
        write_pack(pack, folder / lesson.name / "checks.pack")
