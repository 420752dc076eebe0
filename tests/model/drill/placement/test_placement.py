"""The placement test: its questions, the plain rule of its advice, and what it keeps."""

from itertools import chain
from pathlib import Path
from random import Random

import pytest

from grader.judging.check_pack import find_packs
from grader.learner import progress
from grader.model.drill import Question
from grader.model.drill.placement.lesson_questions import lesson_questions
from grader.model.drill.placement.placement import COUNT, LEVEL, TOPICS, UNKNOWN, Placement
from grader.progress_pages.placement_advice import (
    LESSONS,
    PARTS,
    UNASKED,
    advice_line,
    advice_of,
    first_lesson,
)
from grader.progress_pages.progress_display import show


@pytest.fixture(autouse=True)
def own_state(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADER_STATE", str(tmp_path))


def asked(seed: int) -> tuple[Placement, list]:
    placement = Placement(progress.remember_placement, seed=seed)
    questions = []
    while question := placement.next():
        questions.append(question)
        placement.answer(question, question.right)
    return placement, questions


def test_every_lesson_before_the_capstone_is_asked_about_and_each_part_twice():
    assert [*LESSONS, *UNASKED] == sorted(find_packs(Path(__file__)))
    placement, questions = asked(seed=1)
    assert len(questions) == COUNT == 20
    lessons = [lesson for lesson, _ in placement.answers]
    assert lessons == sorted(lessons) and set(lessons) == set(LESSONS)
    for part in PARTS:
        assert sum(lesson in part for lesson in lessons) == 2


def test_the_two_questions_on_a_lesson_differ_and_another_seed_asks_others():
    first, again, other = (asked(seed)[1] for seed in (1, 1, 2))
    assert first == again and first != other
    for questions in (first, other):
        drilled = [question for question in questions if isinstance(question, Question)]
        assert {question.level for question in drilled} == {LEVEL}
        kinds = [(question.topic, question.kind) for question in drilled]
        assert len(set(kinds)) == len(kinds) == 8
        assert all(question.choices[-1] == UNKNOWN for question in questions)


@pytest.mark.parametrize("lesson", [lesson for lesson in LESSONS if lesson not in TOPICS])
def test_a_lessons_questions_have_three_wrong_choices_each_with_an_idea_of_its_own(lesson: str):
    questions = lesson_questions(lesson, Random(0))
    assert len(questions) >= 3
    for question in questions:
        choices = [choice.text for choice in question.choices]
        ideas = [choice.idea for choice in question.choices if choice.idea]
        assert question.text.endswith("?") and question.why.endswith(".")
        assert len(set(choices)) == len(choices) == 4 and len(set(ideas)) == len(ideas) == 3
        assert question.choices[question.right].said == ""
        assert not any(idea.endswith(".") for idea in ideas)
        # no choice is to be found by its form
        assert len({choice.endswith(".") for choice in choices}) == 1, choices
        longest = sorted(map(len, choices))
        assert longest[-1] < 3 * len(choices[question.right]) + 80


def test_the_right_answer_is_not_mostly_the_longest():
    questions = list(chain.from_iterable(lesson_questions(lesson, Random(0)) for lesson in LESSONS))
    longest = [
        max(question.choices, key=lambda choice: len(choice.text)).idea == ""
        for question in questions
    ]
    assert sum(longest) < len(questions) / 3


@pytest.mark.parametrize(
    ("right", "of_part", "advice"),
    [
        ({"04", "05"}, ("04", "05"), ["skip", "skip"]),
        ({"04"}, ("04", "05"), ["skim", "study"]),
        ({"05"}, ("04", "05"), ["study", "skim"]),
        (set(), ("04", "05"), ["study", "study"]),
        ({"03"}, ("03",), ["skip"]),
    ],
)
def test_the_rule_of_a_part(right: set, of_part: tuple, advice: list):
    answers = [(lesson, lesson in right) for part in PARTS for lesson in (part * 2)[:2]]
    found = {one.lesson: one for one in advice_of(answers)}
    assert [found[lesson].what for lesson in of_part] == advice


def test_one_of_two_on_a_lesson_is_skimmed_and_what_was_not_asked_says_so():
    advice = advice_of([("00", True), ("01", True), ("02", True), ("02", False), ("03", True)])
    assert [one.what for one in advice[:5]] == ["skip", "skip", "skim", "skim", "not asked"]
    assert (advice[2].right, advice[2].asked) == (1, 2)
    assert first_lesson(advice) == "02"


def test_all_right_leads_to_the_capstone():
    placement, _ = asked(seed=3)
    advice = advice_of(placement.answers)
    assert {one.what for one in advice} == {"skip"} and first_lesson(advice) == "16"
    assert advice_line(placement.answers).endswith("begin with lesson 16")
    assert advice_line([]) == ""


def test_each_answer_is_kept_at_once_and_a_second_test_begins_new():
    first = Placement(progress.remember_placement, seed=1)
    for wrong in (False, True):
        question = first.next()
        assert question is not None
        first.answer(question, len(question.choices) - 1 if wrong else question.right)
        assert progress.placement() == first.answers
    assert progress.placement() == [("00", True), ("01", False)]

    second = Placement(progress.remember_placement, seed=2)
    question = second.next()
    assert progress.placement() == first.answers  # nothing is lost before the first answer
    assert question is not None
    second.answer(question, question.right)
    assert progress.placement() == [("00", True)]


def test_progress_shows_the_advice(monkeypatch, capsys):
    progress.remember_placement([("00", True), ("01", True), ("02", False), ("02", True)])
    show()
    assert "\nPlacement: skip 00, 01; skim 02; begin with lesson 02\n" in capsys.readouterr().out
