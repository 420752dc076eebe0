"""The placement test of a page asks, says and keeps what that of the lab does, also in a Python that has just started."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from page.page_cases import COURSE

from grader.learner import progress
from grader.model.drill.placement.placement import COUNT
from grader.model.drill.placement.placement_in_lab import placement_near
from grader.model.drill.placement.placement_page import page
from grader.page import placement_sitting
from grader.page.drill_reply import reply
from grader.progress_pages.placement_advice import advice_line, sound_answers
from grader.site.practice_pages import drill_page

SEED = 4
ANSWERS = [["00", True], ["01", False]]


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_STATE", str(tmp_path))


def replied(ask: str, **given: Any) -> dict[str, Any]:
    """A reply as it goes to a page and back, as JSON."""
    asked = json.loads(json.dumps({"ask": ask, **given}))
    return dict(json.loads(json.dumps(reply(Path(), **asked))))


def shown(box: Any) -> tuple[str, list[Any]]:
    """What is on the lab's page, and its buttons: the choices, then "next question" and "end the test"."""
    said = "".join(child.value for child in box.children if hasattr(child, "value"))
    return said, [child for child in box.children if hasattr(child, "on_click")]


def test_a_page_asks_says_keeps_and_advises_what_the_lab_does() -> None:
    result = placement_near(COURSE / "03_watermarks", seed=SEED)
    box = page(result)
    chosen: list[int] = []
    for number in range(1, COUNT + 1):
        asked = replied("placement_question", seed=SEED, chosen=chosen)
        said, (*choices, forth, _) = shown(box)
        for part in ("head", "picture", "asked"):
            assert asked[part] in said, part
        assert f"question {number} of {COUNT}" in asked["head"]
        assert asked["choices"] == [button.description for button in choices]
        chosen.append(number % 2 or len(choices) - 1)  # by turns some choice, and "I do not know"
        choices[chosen[-1]].click()
        told = replied("placement_answer", seed=SEED, chosen=chosen)
        assert told["told"] in shown(box)[0]
        for place in {chosen[-1], told["right"]}:
            assert told["marked"][place] == choices[place].description
        kept = told["placement"]["answers"]
        assert sound_answers(told["placement"]) == progress.placement()
        assert kept == [list(pair) for pair in progress.placement()]
        assert told["last"] == (number == COUNT)
        forth.click()
    assert len({right for _, right in kept}) == 2
    lessons = {n: {"title": one.title, "file": one.file} for n, one in result.lessons.items()}
    advice = replied("placement_advice", seed=SEED, chosen=chosen, lessons=lessons, folder="../")
    assert advice["told"] in shown(box)[0]


def test_a_new_python_goes_on_with_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [0, 1]
    before = replied("placement_question", seed=SEED, chosen=chosen)
    again = replied("placement_question", seed=SEED, chosen=chosen)
    monkeypatch.setattr(placement_sitting, "_last", [])
    assert before == again == replied("placement_question", seed=SEED, chosen=chosen)
    answers = replied("placement_answer", seed=SEED, chosen=chosen)["placement"]["answers"]
    assert [lesson for lesson, _ in answers] == ["00", "01"]


def test_a_second_test_is_another_one_and_one_without_answers_has_no_advice() -> None:
    first, second = (replied("placement_question", seed=None, chosen=[])["made"] for _ in "12")
    assert first["seed"] != second["seed"]
    advice = replied("placement_advice", seed=None, chosen=[], lessons={}, folder="")
    assert advice["told"] == "No question is answered, so there is no advice."


def test_the_page_knows_every_lesson_that_can_be_advised() -> None:
    _, _, after = drill_page(COURSE).partition('<script type="application/json" id="data">')
    data = json.loads(after.partition("</script>")[0])
    assert sorted(data["lessons"]) == [path.name[:2] for path in sorted(COURSE.glob("[0-9]*_*"))]
    assert data["lessons"]["03"] == {
        "title": "Watermarks",
        "file": "03_watermarks/03_watermarks.html",
    }


def test_the_list_shows_what_the_lab_shows_of_a_kept_test() -> None:
    kept = {"when": "2026-03-01T12:00:00+00:00", "answers": ANSWERS}
    said = replied("standings", kept={}, placement=kept)["placement"]
    assert said == advice_line([("00", True), ("01", False)]) and "begin with lesson 00" in said


@pytest.mark.parametrize(
    "damaged",
    [
        None,
        [],
        {"answers": "00"},
        {"answers": [*ANSWERS, ["16", True]]},
        {"answers": [*ANSWERS, ["02", 1]]},
        {"answers": [*ANSWERS, ["02"]]},
        {"answers": [*ANSWERS, [[], True]]},
        {"answers": [["00", True]] * (COUNT + 1)},
    ],
)
def test_a_damaged_test_is_taken_for_none(damaged: object) -> None:
    assert sound_answers({"answers": ANSWERS}) == [("00", True), ("01", False)]
    assert sound_answers(damaged) == []
    assert replied("standings", kept={}, placement=damaged)["placement"] == ""
