"""Every topic asks without end; the model answers, and each wrong choice is what its idea gives."""

import re
from dataclasses import replace

import pytest
from model.drill.catalogue import IDEAS
from model.drill.reading import answer_in, name_of

from grader.model import Played, play
from grader.model.drill import LEVELS, TOPICS, Question, UnknownTopic, make_question, topic_of
from grader.model.drill.query_code import code_of
from grader.model.drill.situation import Rule, Situation, with_delay

SEEDS = 34  # of each of three levels: a hundred questions
BY_QUERY = "another_query"


@pytest.fixture(scope="module", params=TOPICS)
def questions(request: pytest.FixtureRequest) -> list[Question]:
    return [make_question(request.param, level, seed) for level in LEVELS for seed in range(SEEDS)]


def answered(question: Question, rule: Rule) -> str:
    """What a rule answers to a question, read by the question's words."""
    events = question.situation.scenario.events
    if question.text.startswith("What is the smallest delay"):
        return _smallest(question.situation, question.text, rule)
    return answer_in(question.text, rule(question.situation), events)


def _smallest(situation: Situation, text: str, rule: Rule) -> str:
    events = situation.scenario.events
    number = next(n for n in range(len(events)) if name_of(events, n) in text)
    for minutes in range(60):
        asked = replace(situation, query=with_delay(situation.query, f"{minutes} minutes"))
        dropped = answer_in("Which of these events are dropped as late?", rule(asked), events)
        if name_of(events, number) not in dropped.split(", "):
            return f"{minutes} minute{'' if minutes == 1 else 's'}"
    return "none"


def replayed(situation: Situation) -> Played:
    """The truth, played anew: a situation keeps its first play."""
    return play(situation.query, situation.scenario)


@pytest.mark.slow
def test_the_truth_is_the_models_and_the_choices_differ(questions: list[Question]):
    for question in questions:
        texts = [choice.text for choice in question.choices]
        assert 3 <= len(texts) <= 4 and len(set(texts)) == len(texts)
        assert [choice.idea for choice in question.choices].count("") == 1
        right = question.choices[question.right].text
        if question.kind.startswith("which"):
            whole = code_of(question.situation.query) + question.situation.query.mode + " mode"
            (hidden,) = question.hidden
            assert right in hidden and hidden in whole
            assert hidden not in question.code + question.setting
        else:
            assert right == answered(question, replayed), question


@pytest.mark.slow
def test_a_wrong_choice_is_what_its_idea_gives(questions: list[Question]):
    for question in questions:
        for choice in question.choices:
            if choice.idea in ("", BY_QUERY):
                continue
            idea = IDEAS[choice.idea]
            assert choice.text == answered(question, idea.plays), (question, choice)
            assert idea.when in choice.said and idea.fix in choice.said


def test_another_query_does_not_make_the_rows_that_are_shown(questions: list[Question]):
    """What it is said to give out in a step, the shown run does not."""
    for question in questions:
        for choice in question.choices:
            if choice.idea != BY_QUERY:
                continue
            step, rows = re.match(r"With it, step (\d+) emits: (.*) \(", choice.said).groups()  # type: ignore[union-attr]
            shown = answer_in(f"Which rows are emitted in step {step}?", question.played, [])
            assert "; ".join(shown.splitlines()) != rows


@pytest.mark.slow
def test_an_idea_that_is_listed_comes_up():
    """No idea is there for nothing."""
    asked = (
        make_question(topic, level, seed)
        for seed in range(60)
        for topic in TOPICS
        for level in LEVELS
    )
    missing = set(IDEAS)
    for question in asked:
        missing -= {choice.idea for choice in question.choices}
        if not missing:
            return
    raise AssertionError(sorted(missing))


def test_a_topic_asks_in_more_ways_than_one(questions: list[Question]):
    kinds = {question.kind for question in questions}
    assert kinds == {kind.name for kind in TOPICS[questions[0].topic]}
    situations = {str(question.situation) for question in questions}
    assert len(situations) == len(questions)


def test_the_reckoning_comes_to_the_answer(questions: list[Question]):
    for question in questions:
        right = question.choices[question.right].text
        if question.kind == "stands" or (question.kind == "two_streams" and right != "nowhere yet"):
            assert right in question.why
        if question.kind == "smallest_delay":
            longer = int(re.search(r"longer than (\d+) minute", question.why)[1])  # type: ignore[index]
            assert int(right.split()[0]) == longer + 1
        if question.kind == "dropped":
            said = re.findall(
                r"((?:order |payment )?\w+ \d\d:\d\d:\d\d) met [^:]*:\d\d:\d\d[^:]*(?::\d\d:\d\d)?: it is dropped",
                question.why,
            )
            assert ", ".join(said) == right or (right == "none of them" and not said)
        if found := re.search(r"Kept: (.*)\.$", question.why):
            kept = [] if found[1] == "none" else found[1].split(", ")
            assert len(kept) == int(right.split()[0])
        if question.topic == "chained windows" and question.kind == "state_after":
            first, second = map(
                int, re.search(r"keeps (\d+) .* second keeps (\d+)", question.why).groups()
            )  # type: ignore[union-attr]
            assert int(right.split()[0]) == first + second


def test_a_seed_makes_the_same_question_again():
    for topic in TOPICS:
        assert make_question(topic, 2, 7) == make_question(topic, 2, 7)


def test_topics_are_meant_however_they_are_written():
    assert topic_of("Chained-Windows") == topic_of("chained_windows") == "chained windows"
    with pytest.raises(UnknownTopic, match="no topic 'window'; there are: watermarks, windows, "):
        topic_of("window")


def test_what_is_asked_is_what_the_query_does():
    """Truth and shown run are one."""
    question = make_question("joins", 3, 1)
    assert question.played == replayed(question.situation)
