"""The explorer of a page, in a process without PySpark, shows what the lab's explorer does, change by change."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from html import escape
from typing import Any

import pytest
from page.page_cases import COURSE, ROOT

from grader.judging.check_pack import find_exercise
from grader.model.explorer.board import Board
from grader.model.explorer.explorer_widget import explorer
from grader.model.explorer.worked_example import example_of
from grader.model.query_reader import query_of
from grader.page.offered_exercises import offered_lessons
from grader.site.practice_links import practice_of

EXAMPLES = [
    one.of
    for lesson in offered_lessons(COURSE)
    for one in practice_of(lesson.notebook)
    if one.verb == "explore"
]
CHANGES: list[dict[str, Any]] = [
    {},
    {"change": ["turn", "delay", "10 minutes"]},
    {"both": True},
    {"change": ["turn", "delay", "0 seconds"], "both": True},
    {"change": ["move", 5, 1]},
    {"change": ["shift", 5, 600]},
    {"change": ["add", 5]},
    {"change": ["remove", 0]},
    {"change": ["turn", "mode", "update"]},  # refused of sessions; joins have no such knob
]
_REPLIES = """
import json, sys
from pathlib import Path
from grader.page.explorer_reply import reply
print(json.dumps([reply(Path(sys.argv[1]), **asked) for asked in json.load(sys.stdin)]))
"""


def replies(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    words = [sys.executable, "-c", _REPLIES, str(COURSE)]
    done = subprocess.run(
        words, input=json.dumps(asked), cwd=ROOT, capture_output=True, text=True, check=True
    )
    return list(json.loads(done.stdout))


def changes_of(example: str) -> list[dict[str, Any]]:
    has_mode = example not in ("06.0", "07.0")
    return [{"example": example, **one} for one in (CHANGES if has_mode else CHANGES[:-1])]


@cache
def all_replies() -> dict[str, list[dict[str, Any]]]:
    asked = [one for example in EXAMPLES for one in changes_of(example)]
    found = iter(replies(asked))
    return {example: [next(found) for _ in changes_of(example)] for example in EXAMPLES}


class Lab:
    """The explorer of the lab, changed by its own controls."""

    def __init__(self, example: str):
        packed = find_exercise(example, COURSE)
        query = query_of(example_of(packed), packed.exercise)
        self.board = Board.of(packed.exercise, packed.public, query)
        self.box = explorer(self.board, lambda _: [])
        self.knobs, self.said, self.picture, self.both, moves, _ = self.box.children
        self.events, self.step = moves.children[0].children
        self.buttons = {one.description: one for one in moves.children[1].children}

    def change(self, what: str, *given: Any) -> None:
        if what == "turn":
            names = [knob.name for knob in self.board.knobs]
            self.knobs.children[names.index(given[0])].value = given[1]
            return
        self.events.value = given[0]
        if what == "move":
            self.step.value = given[1]
        else:
            names = {"shift": "+10 min", "add": "add one like it", "remove": "take it away"}
            self.buttons[names[what]].click()


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_page_shows_what_the_lab_does(example: str) -> None:
    lab = Lab(example)
    for asked, found in zip(changes_of(example), all_replies()[example], strict=True):
        lab.both.value = asked.get("both", False)
        if "change" in asked:
            lab.change(*asked["change"])
        if found["said"]:
            assert [escape(line) for line in found["said"]] == said(lab), asked
        else:
            assert "both" in asked and "change" not in asked
        assert found["picture"] == lab.picture.value, asked
        knobs = [(k.description, list(k.options), k.value) for k in lab.knobs.children]
        assert [(k["label"], k["choices"], k["value"]) for k in found["knobs"]] == knobs
        assert [(e["name"], e["number"]) for e in found["events"]] == list(lab.events.options)
        if asked.get("change", [""])[0] == "add":
            assert found["added"] == lab.events.value
        else:
            assert found["added"] is None
        assert found["has_both"] == (lab.both.layout.display != "none")


def said(lab: Lab) -> list[str]:
    return re.findall("<li>(.*?)</li>", lab.said.value)


def test_every_lesson_with_an_explorer_has_its_page() -> None:
    assert EXAMPLES == ["03.0", "04.0", "05.0", "06.0", "07.0", "08.0"]


def test_a_refusal_is_said_and_starting_again_undoes_all() -> None:
    first, refused, moved, again = replies(
        [
            {"example": "08.0"},
            {"example": "08.0", "change": ["turn", "mode", "update"]},
            {"example": "08.0", "change": ["turn", "gap", "1 second"]},
            {"example": "08.0", "again": True},
        ]
    )
    assert refused["said"][0].startswith("Spark refuses this: session windows")
    assert refused["said"][1] == "Nothing was changed."
    assert refused["picture"] == first["picture"] != moved["picture"]
    assert again == first
