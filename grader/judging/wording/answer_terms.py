"""What the kinds of answer are called, by what an exercise's function returns."""

from __future__ import annotations

from dataclasses import dataclass

from grader.judging.wording.sentences import words_of


@dataclass(frozen=True)
class AnswerTerms:
    """The words for an answer of one kind.

    - `answer`: what the function should return
    - `expected`: what the check expects and did not get
    - `run`: what a picture of the run shows
    - `run_is_open`: the picture is open at once, unless the message shows more
    - `called_after_steps`: the function is called after each step of a given query
    """

    answer: str
    expected: str
    run: str
    run_is_open: bool = True
    called_after_steps: bool = False


def terms_of(returns: str) -> AnswerTerms:
    return AnswerTerms(**words_of(f"answer.{returns}"))
