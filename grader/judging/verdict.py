"""The one schema of every verdict: of a notebook, a command or a class."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

VERSION = 1
STATUSES = ("passed", "failed", "error", "timeout", "not_attempted")


@dataclass
class Criterion:
    """One thing that was judged. `name` is stable, `message` is for the learner."""

    name: str
    passed: bool
    message: str


@dataclass
class Diagnosis:
    """The misconception that the run fits: its id, its name, and a hint."""

    id: str
    title: str
    hint: str


@dataclass
class Verdict:
    """How one exercise did. `score` is 0 for whatever did not run to its end."""

    exercise: str
    status: str
    score: float
    max_score: float
    criteria: list[Criterion] = field(default_factory=list)
    diagnosis: Diagnosis | None = None
    seconds: float = 0.0
    version: int = VERSION

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    def _ipython_display_(self) -> None:
        """Show nothing: a check at the end of a cell has shown its verdict already."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Verdict:
        if data.get("version") != VERSION:
            raise ValueError(
                f"verdict of format {data.get('version')}, this package reads {VERSION}"
            )
        diagnosis = Diagnosis(**data["diagnosis"]) if data.get("diagnosis") else None
        criteria = [Criterion(**given) for given in data["criteria"]]
        return cls(**{**data, "criteria": criteria, "diagnosis": diagnosis})
