"""The placement test in a notebook: a question at a time, one answer counts, then links to the lessons."""

from pathlib import Path
from typing import Any

import pytest

from grader.learner import progress
from grader.model.drill.placement.placement_in_lab import placement_near
from grader.model.drill.placement.placement_page import page

COURSE = Path(__file__).resolve().parents[4] / "course"


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_STATE", str(tmp_path))


def shown(box: Any) -> tuple[str, list[Any]]:
    """What is on the page, and its buttons: the choices, then "next question" and "end the test"."""
    said = "".join(child.value for child in box.children if hasattr(child, "value"))
    return said, [child for child in box.children if hasattr(child, "on_click")]


def test_a_question_is_answered_once_and_explained_and_the_next_one_follows():
    result = placement_near(COURSE / "03_watermarks", seed=4)
    placement, box = result.placement, page(result)
    said, (*choices, forth, _) = shown(box)
    assert "question 1 of 20" in said and "<code>" in said and forth.layout.display == "none"
    choices[0].click()
    choices[1].click()
    said, (*choices, forth, _) = shown(box)
    assert len(placement.answers) == 1 and progress.placement() == placement.answers
    assert 'role="status"' in said and choices[0].description[0] in "✓✗"
    forth.click()
    assert "question 2 of 20" in shown(box)[0]


def test_the_end_of_the_test_links_to_the_lessons_from_where_the_notebook_is():
    result = placement_near(COURSE / "03_watermarks", seed=4)
    box = page(result)
    for _ in range(20):
        *choices, forth, _ = shown(box)[1]
        choices[-1].click()  # I do not know
        said = shown(box)[0]
        forth.click()
    assert "The right answer is marked." in said
    said, buttons = shown(box)
    assert not buttons and "0 of 20 right." in said
    assert 'Begin with <a href="../00_orientation/00_orientation.ipynb">00 Orientation</a>' in said
    assert "svg" not in said


def test_a_test_can_be_ended_and_a_lesson_that_is_not_here_has_no_link(tmp_path: Path):
    box = page(placement_near(tmp_path, seed=4))
    *choices, _, end = shown(box)[1]
    choices[0].click()
    end.click()
    said = shown(box)[0]
    assert " of 1 right." in said and "not asked" in said and "<a " not in said
