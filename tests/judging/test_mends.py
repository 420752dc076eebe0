"""What to do about a run that failed is said for the failure at hand."""

import pytest

from grader.judging.mends import explain
from grader.scenario.recording import Failure


@pytest.mark.parametrize(
    ("told", "said", "mend"),
    [
        ("every call returned None for `result`", "every call returned None.", "a `return`"),
        (
            "every call returned None for `p50`",
            "every call returned None for `p50`.",
            "where `p50` gets",
        ),
        ("it gives a number, and a text is asked for", "a text is asked for.", "of that kind"),
        ("call 2 returned a value of type ndarray", "of type ndarray.", "is none of them"),
    ],
)
def test_what_a_function_of_plain_values_should_give(told: str, said: str, mend: str) -> None:
    words = explain(Failure("results", told), "results")
    assert said in words.splitlines()[0] and mend in words and "result`" not in words


@pytest.mark.parametrize(("returns", "asked"), [("stream", "a query"), ("table", "a DataFrame")])
def test_what_came_in_place_of_a_query_is_held_against_what_was_asked(returns: str, asked: str):
    words = explain(Failure("no_query", "the function returned None"), returns)
    assert words.startswith(f"You were asked for {asked}") and "returned None." in words
