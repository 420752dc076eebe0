"""What the page does not know: only the lab can judge it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from grader.model.unsupported import NotModelled

_met: list[str] = []  # what an answer has met since `forget`, in order


class OnlyTheLab(BaseException):
    """A part of an answer that the page does not know, such as a writer; it never guesses.

    It is not an Exception, so that `except Exception` in an answer does not catch it. An answer that catches
    it all the same stays one for the lab: `met` remembers it.
    """

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason
        _met.append(reason)


@contextmanager
def modelled() -> Iterator[None]:
    """In the block, what the model does not know is one for the lab."""
    try:
        yield
    except NotModelled as error:
        raise OnlyTheLab(str(error)) from None


def forget() -> None:
    """Begin with a new answer."""
    _met.clear()


def met() -> str | None:
    """The first reason why only the lab can judge the answer; None if there is none."""
    return _met[0] if _met else None
