"""The most common errors of Spark and its Kafka connector, in words for learners."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from grader.judging.wording.sentences import words_in
from grader.judging.wording.value_text import names_text
from grader.scenario.recording import Failure

_AN_ACTION = "an action such as show, count, collect or write"


@dataclass(frozen=True)
class SparkError:
    """A known error, as spark_errors.toml describes it; `link` is the address of its page."""

    name: str
    pattern: str
    what: str
    why: str
    fix: str
    link: str
    checked: str = ""
    marked: str = ""

    def fits(self, failure: Failure) -> bool:
        text = f"[{failure.condition}] {failure.message}\n{failure.detail}"
        return re.search(self.pattern, text) is not None

    def what_in(self, failure: Failure) -> str:
        """What happened, as a sentence."""
        return self.what.format(call=f"`{failure.call}`" if failure.call else _AN_ACTION)

    def fix_in(self, failure: Failure, watermarks: Sequence[str] = ()) -> str:
        """What to do; `watermarks` are the columns on which the query sets one, as far as that is known."""
        if self.marked and watermarks:
            return self.marked.format(columns=names_text(watermarks))
        return self.checked if self.checked and failure.own_writer is False else self.fix


@cache
def spark_errors() -> tuple[SparkError, ...]:
    """All known errors; of those that fit, the first is meant."""
    words = words_in("spark_errors.toml")
    return tuple(
        SparkError(**{**given, "link": words["links"][given["link"]]}) for given in words["error"]
    )


def spark_error_of(failure: Failure) -> SparkError | None:
    """The error that a failure is; None if it is not a known one."""
    return next((known for known in spark_errors() if known.fits(failure)), None)
