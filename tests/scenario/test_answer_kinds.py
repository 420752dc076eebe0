"""What an exercise may have by what its function returns, and that nobody else asks for that name."""

import ast
from pathlib import Path
from typing import Any

import pytest

import grader
from grader.replay.called_kinds import CALLED_KINDS
from grader.replay.stream_kinds import STREAM_KINDS
from grader.scenario import Exercise, ExerciseError
from grader.scenario.answer_kinds import ANSWER_KINDS

PACKAGE = Path(grader.__file__).parent
INPUTS = {"clicks": {"schema": "page STRING"}}
FACTS = [{"name": "n", "title": "t", "fix": "f", "run": "rows", "equals": 1}]
LEAST: dict[str, dict[str, Any]] = {
    "stream": {"takes": ["clicks"], "inputs": INPUTS},
    "writer": {"takes": ["clicks", "kafka"], "inputs": INPUTS, "outputs": ["pages"]},
    "table": {"takes": ["spark", "checkpoint"], "inputs": INPUTS},
    "table_writer": {
        "takes": ["clicks", "pages"],
        "inputs": {**INPUTS, "pages": {"schema": "page STRING", "table": True}},
        "writes_to": "pages",
    },
    "events": {"inputs": INPUTS, "facts": FACTS},
    "results": {"inputs": INPUTS},
    "tests": {"facts": FACTS},
}


def exercise(returns: str, **changes: object) -> Exercise:
    given = {"id": "1.1", "title": "t", "answer": "f", "takes": [], "returns": returns}
    return Exercise.from_dict({**given, **LEAST.get(returns, {}), **changes})


@pytest.mark.parametrize("returns", ANSWER_KINDS)
def test_each_kind_takes_what_it_needs_and_no_more(returns: str) -> None:
    assert exercise(returns).answer_kind.name == returns


@pytest.mark.parametrize(
    ("returns", "wrong", "said"),
    [
        ("frame", {}, "`returns` is one of"),
        ("stream", {"inputs": {}}, r"at least one \[inputs.NAME\]"),
        ("stream", {"outputs": ["pages"]}, "`outputs` goes with writer, not with stream"),
        ("stream", {"criteria": ["step"]}, "`criteria` must hold rows"),
        ("stream", {"criteria": ["rows", "rows"]}, "each once"),
        ("stream", {"harness": "twice"}, "`harness` goes with results, not with stream"),
        ("writer", {"outputs": []}, "a writer needs `outputs`, the topics to read back"),
        ("table", {"upgrades_after": 2}, "goes with stream or writer, not with table"),
        ("table_writer", {"writes_to": None}, "needs `writes_to`, the table to read back"),
        ("table_writer", {"criteria": ["rows", "step"]}, "no `criteria`|among"),
        ("events", {"takes": ["clicks"]}, "`takes` goes with stream or writer or table"),
        ("events", {"criteria": ["rows"]}, "events are judged by `facts`: no `criteria`"),
        ("events", {"facts": []}, "events need `facts`"),
        ("results", {"criteria": ["rows", "step"]}, "results are judged by rows: no `criteria`"),
        ("results", {"takes": ["clicks"]}, "`takes` goes with"),
        ("tests", {"facts": []}, "tests need `facts`"),
        ("tests", {"upgrades_after": 2}, "not with tests"),
    ],
)
def test_what_a_kind_lacks_or_must_not_have_is_named(
    returns: str, wrong: dict[str, object], said: str
) -> None:
    with pytest.raises(ExerciseError, match=said):
        exercise(returns, **wrong)


def test_every_kind_is_replayed_by_one_class() -> None:
    called = {name for name, kind in ANSWER_KINDS.items() if kind.called}
    assert called == set(CALLED_KINDS)
    assert set(ANSWER_KINDS) - called == set(STREAM_KINDS)


def test_the_kind_is_asked_and_its_name_compared_nowhere() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE).parts
        if inside[0] in ("judging", "feedback"):
            continue
        found = [node.lineno for node in ast.walk(ast.parse(path.read_text())) if _compares(node)]
        assert not found, f"{path}, lines {found}: ask exercise.answer_kind"


def _compares(node: ast.AST) -> bool:
    """Whether a node compares a `.returns` with a value; `is`, of Python's own syntax trees, does not."""
    if not isinstance(node, ast.Compare) or any(isinstance(op, ast.Is) for op in node.ops):
        return False
    sides = [node.left, *node.comparators]
    return any(isinstance(side, ast.Attribute) and side.attr == "returns" for side in sides)
