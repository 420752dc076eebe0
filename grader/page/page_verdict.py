"""What a page says about an answer: a verdict, or that only the lab can judge it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from grader.judging.verdict import Verdict
from grader.scenario.recording import Recording


@dataclass(frozen=True)
class PageVerdict:
    """A verdict of the model, which stands in for Spark.

    - `verdict`: of the same kind as in the lab; None if only the lab can judge the answer
    - `only_lab`: the reason for that, otherwise empty
    - `not_played`: what the lab plays beyond the page, a sentence each
    - `recording`: what the answer did with the exercise's events, for the lens; None if it did nothing
    """

    exercise: str
    verdict: Verdict | None = None
    only_lab: str = ""
    not_played: list[str] = field(default_factory=list)
    recording: Recording | None = None

    @property
    def passed(self) -> bool:
        return self.verdict is not None and self.verdict.passed

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "exercise": self.exercise,
            "verdict": None if self.verdict is None else self.verdict.to_dict(),
            "only_lab": self.only_lab,
            "not_played": self.not_played,
            "recording": None if self.recording is None else self.recording.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> PageVerdict:
        verdict, recording = data["verdict"], data["recording"]
        return cls(
            data["exercise"],
            None if verdict is None else Verdict.from_dict(verdict),
            data["only_lab"],
            data["not_played"],
            None if recording is None else Recording.from_dict(recording),
        )
