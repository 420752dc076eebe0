"""What to do about a run that failed is said for the failure at hand."""

from typing import Any

import pytest
from tasks import task

from grader.classroom.submission_result import reasons
from grader.judging.judge import judge
from grader.judging.play import Play
from grader.judging.wording.failure_text import failure_text
from grader.scenario import Scenario, Variant
from grader.scenario.recording import Failure, Recording


@pytest.mark.parametrize(
    ("found", "said", "fix"),
    [
        (
            {"column": "result", "none": 3, "calls": 3},
            "every call returned None.",
            "without `return`",
        ),
        (
            {"column": "p50", "none": 3, "calls": 3},
            "every call returned None for `p50`.",
            "where `p50` gets",
        ),
        (
            {
                "faults": [
                    {"fault": "type", "column": "result", "got": "long", "expected": "string"}
                ],
                "expected": ["result"],
                "got": ["result"],
            },
            "it returned a number, expected a string.",
            "the kind of value",
        ),
        (
            {"call": 2, "column": "result", "type": "ndarray"},
            "call 2 returned a value of type ndarray.",
            "array are not.",
        ),
    ],
)
def test_what_a_function_of_plain_values_should_give(
    found: dict[str, Any], said: str, fix: str
) -> None:
    words = failure_text(Failure("results", fields=found), "results")
    assert said in words.splitlines()[0] and fix in words and "result`" not in words


@pytest.mark.parametrize(("returns", "asked"), [("stream", "a query"), ("table", "a DataFrame")])
def test_what_came_in_place_of_a_query_is_held_against_what_was_asked(returns: str, asked: str):
    words = failure_text(Failure("no_query", fields={"got": "None"}), returns)
    assert words.startswith(f"The check expected {asked}") and "returned None." in words


def test_what_the_machine_did_not_do_is_no_mistake_of_the_answer() -> None:
    lost = Failure("query", "Python worker failed to connect back.", step=2)
    actual = Recording("99.1", steps=2, failure=lost)
    play = Play("public", Variant("as_is", Scenario([])), Recording("99.1", steps=2), actual)
    verdict = judge(task(criteria=["rows"]), [play])
    assert verdict.status == "error" and verdict.diagnosis is None
    (told,) = verdict.criteria
    assert told.name == "machine" and told.message.startswith(
        "Not graded: this machine is the cause."
    )
    assert "It is not a problem in your code." in told.message
    (look,) = reasons([verdict])
    assert look.exercise == "99.1" and look.why.startswith("Not graded")
