"""What the kinds of answer are called, by what an exercise's function returns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AnswerTerms:
    """`answer` is what the function should return, `expected` what the check expects and did not get.

    `run` is what a picture of the run shows, which `run_is_open` at once, unless another one says more;
    `reads_checkpoint`: the function is called after each step of a query.
    """

    answer: str
    run: str = "What your query did"
    run_is_open: bool = True
    expected: str = "a query, and the check got none to run"
    reads_checkpoint: bool = False


ANSWER_TERMS = {
    "stream": AnswerTerms("the streaming DataFrame; the check attaches a sink and starts it"),
    "writer": AnswerTerms("the writer (`df.writeStream…`) as it is before `.start()`"),
    "table": AnswerTerms(
        "the DataFrame that was read from the checkpoint",
        "What the query did whose checkpoint you were given",
        expected="a DataFrame with rows from the checkpoint, and the check got none to read",
        reads_checkpoint=True,
    ),
    "events": AnswerTerms("the list of steps", "What the query did with your events"),
    # the call that matters is in the message
    "results": AnswerTerms(
        "the value that the task asks for", "What each call gave", run_is_open=False
    ),
    "tests": AnswerTerms("nothing; a test that fails raises an AssertionError"),
}
