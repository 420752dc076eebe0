"""The drill of a page says and keeps what the drill of the lab does, and takes no standing that is damaged."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from grader.learner import progress
from grader.model.drill import TOPICS
from grader.model.drill.drill_page import page
from grader.model.drill.drill_sitting import Drill
from grader.model.drill.mastery import TO_MASTER, after, at_first, is_standing
from grader.page.drill_reply import reply

HERE = Path()
SEEDS = range(4)


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_STATE", str(tmp_path))


def replied(ask: str, kept: dict[str, Any], **given: Any) -> dict[str, Any]:
    """A reply as it goes to a page and back, as JSON."""
    asked = json.loads(json.dumps({"ask": ask, "kept": kept, **given}))
    return dict(json.loads(json.dumps(reply(HERE, **asked))))


def shown(box: Any) -> str:
    return "".join(child.value for child in box.children if hasattr(child, "value"))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("topic", TOPICS)
def test_a_page_shows_and_keeps_what_the_lab_does(topic: str, seed: int) -> None:
    box = page(Drill(topic, progress, seed=seed))
    buttons = [child for child in box.children if hasattr(child, "on_click")][:-1]
    asked = replied("question", {}, topic=topic.replace(" ", "-"), number=1, seed=seed)
    for part in ("head", "picture", "asked"):
        assert asked[part] in shown(box), part
    assert asked["choices"] == [button.description for button in buttons]
    for chosen in range(len(buttons)):
        found = replied("answer", {}, made=asked["made"], number=1, chosen=chosen)
        if chosen == seed % len(buttons):
            buttons[chosen].click()
            for part in ("head", "picture", "told"):
                assert found[part] in shown(box), part
            for place in {chosen, found["right"]}:
                assert found["marked"][place] == buttons[place].description
            assert {found["topic"]: found["standing"]} == progress.drilled()
        assert found["standing"]["right"] == (chosen == found["right"])


def test_what_was_kept_makes_the_next_question_harder_and_is_summed_up() -> None:
    kept: dict[str, Any] = {}
    for number in range(1, TO_MASTER + 1):
        asked = replied("question", kept, topic="windows", number=number)
        right = replied("answer", kept, made=asked["made"], number=number, chosen=0)["right"]
        found = replied("answer", kept, made=asked["made"], number=number, chosen=right)
        kept[found["topic"]] = found["standing"]
    standings = replied("standings", kept)["topics"]
    assert standings["windows"].startswith("✓ mastered, comes back on ")
    assert replied("question", kept, topic=None, number=6)["made"]["topic"] == "watermarks"


def mastered() -> dict[str, Any]:
    standing = at_first()
    for _ in range(TO_MASTER):
        now = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)
        standing = after(standing, level=standing["level"], idea="", now=now)
    return standing


DAMAGED = {
    "a part is empty": {"level": None},
    "there is no such level": {"level": 9},
    "a count is text": {"right": "1"},
    "mastered, and nothing says when it comes back": {"card": None},
    "a card of something else": {"card": {"due": "tomorrow"}},
    "a card whose time has no zone": {"card": {**mastered()["card"], "due": "2026-03-05T12:00:00"}},
    "ideas are no counts": {"ideas": ["no_delay"]},
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_standing_is_taken_for_none(damage: str) -> None:
    assert is_standing(mastered()) and is_standing(at_first())
    standing = {**mastered(), **DAMAGED[damage]}
    assert not is_standing(standing)
    kept = {"windows": standing, "no such topic": at_first()}
    assert replied("standings", kept)["topics"] == {}
    assert replied("question", kept, topic="windows", number=1)["made"]["level"] == 1
