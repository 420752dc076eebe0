"""A query that dies while it is looked at, and one of which nothing can be read: no answer is wrong."""

from typing import Any

import pytest

from grader.live_query import reason_of
from grader.live_query.observer import observe


class Dying:
    """A query that fails at the moment of the n-th question about it."""

    def __init__(self, questions: int):
        self.left = questions

    def _asked(self) -> bool:
        self.left -= 1
        return self.left > 0

    @property
    def isActive(self) -> bool:  # noqa: N802
        return self._asked()

    def exception(self) -> Exception | None:
        return None if self._asked() else ValueError("x")

    @property
    def recentProgress(self) -> list[Any]:  # noqa: N802
        self._asked()
        return []

    @property
    def lastProgress(self) -> None:  # noqa: N802
        self._asked()

    @property
    def status(self) -> dict[str, str]:
        return {"message": "Waiting for data" if self._asked() else "Stopped"}

    def awaitTermination(self, _seconds: float) -> bool:  # noqa: N802
        return not self._asked()


@pytest.mark.parametrize("questions", range(1, 13))
def test_a_query_that_dies_meanwhile_has_failed_or_runs_and_was_never_stopped(
    questions: int,
) -> None:
    query = Dying(questions)
    reason = reason_of(observe(query, None))  # type: ignore[arg-type]
    if query.left <= 0:
        assert reason.cause == "failed" and "ValueError: x" in reason.text(), reason.text()
    assert reason.cause != "never_ran" and "stopped before" not in reason.text()


def test_a_query_of_which_nothing_can_be_read_gets_an_answer_that_says_so() -> None:
    reason = reason_of(observe(object(), None))  # type: ignore[arg-type]
    assert reason.cause == "unseen" and not reason.others
    assert "Not seen: " in reason.text() and "its progress" in reason.text()
