"""The drill's page in a notebook: nothing is given away, one answer counts, the next question follows."""

import re
from pathlib import Path
from typing import Any

import pytest

from grader.learner import progress
from grader.model.drill import LEVELS, TOPICS, make_question
from grader.model.drill.drill_page import page
from grader.model.drill.drill_sitting import Drill
from grader.model.drill.question_picture import answered_scene, draw_answered, draw_asked
from grader.model.drill.question_text import question_text
from grader.model.drill.run_facts import dropped_by

GIVEN_AWAY = (
    'class="watermark"',
    'class="late"',
    'class="past"',
    "no row out",
    "dropped",
    "batch ",
)


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_STATE", str(tmp_path))


def parts(box: Any) -> tuple[str, list[Any], Any]:
    """What stands on the page, the choices, and the button to the next question."""
    said = "".join(child.value for child in box.children if hasattr(child, "value"))
    buttons = [child for child in box.children if hasattr(child, "on_click")]
    return said, buttons[:-1], buttons[-1]


@pytest.mark.parametrize("topic", TOPICS)
def test_the_picture_shows_what_came_and_only_then_what_became_of_it(topic: str):
    for level in LEVELS:
        for seed in range(4):
            question = make_question(topic, level, seed)
            drawn = re.sub(r"<style>.*?</style>", "", draw_asked(question), flags=re.S)
            events = question.situation.scenario.events
            if question.shows_rows:
                assert drawn.count("→ ") + drawn.count("no row out") > 0
            else:
                assert not [sign for sign in GIVEN_AWAY if sign in drawn]
            assert 'class="watermark"' not in drawn
            names = [question.situation.name(number) for number in range(len(events))]
            assert all(f"{name}, step" in drawn for name in names)
            assert all(name in question_text(question) for name in names)
            if any(batch.watermark for batch in question.played.recording.batches):
                assert 'class="watermark"' in draw_answered(question)


@pytest.mark.parametrize("topic", TOPICS)
def test_the_answered_picture_crosses_out_what_was_dropped(topic: str):
    for seed in range(8):
        question = make_question(topic, 3, seed)
        marks = answered_scene(question).marks
        crossed = tuple(n for n, mark in enumerate(marks) if mark.fate == "dropped")
        assert crossed == dropped_by(question.played)


def test_an_answer_is_explained_and_kept_and_leads_to_the_next_question():
    drill = Drill("watermarks", progress, seed=5)
    first = Drill("watermarks", progress, seed=5).next()
    box = page(drill)
    said, choices, forth = parts(box)
    assert first.text in said and "question 1" in said
    assert [button.description for button in choices] == [choice.text for choice in first.choices]
    assert forth.layout.display == "none"

    wrong = next(n for n in range(len(choices)) if n != first.right)
    choices[wrong].click()
    said, choices, forth = parts(box)
    assert first.choices[wrong].said in said and 'role="status"' in said
    assert choices[wrong].description.startswith("✗ ")
    assert choices[first.right].description.startswith("✓ ")
    assert all(button.disabled for button in choices) and forth.layout.display == ""
    assert progress.drilled()["watermarks"]["answered"] == 1
    choices[first.right].click()
    assert progress.drilled()["watermarks"]["answered"] == 1

    forth.click()
    said, choices, forth = parts(box)
    assert "question 2" in said and not any(button.disabled for button in choices)


def test_where_nothing_can_be_kept_the_drill_goes_on(tmp_path: Path):
    (tmp_path / "progress.lock").mkdir()  # nothing can be written there
    drill = Drill("watermarks", progress, seed=1)
    box = page(drill)
    _, choices, forth = parts(box)
    choices[0].click()
    assert forth.layout.display == "" and "watermarks:" in parts(box)[0]
    forth.click()
    assert not parts(box)[1][0].disabled
