"""What is known about a run beyond its recording, and what that says about an event, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.feedback.lens.row_intervals import Stretch, time_text


@dataclass(frozen=True)
class Happening:
    """One thing that happened to an event in a step.

    - `what`: filtered, null, late, duplicate, kept (in the state of an operator) or out (in a row of the query).
      A row with a null key or time is filtered, too; null says why.
    - `operator`: Spark's name for the operator; the column that is null
    - `stretch`: the window or session that it concerns
    """

    step: int
    what: str
    operator: str = ""
    stretch: Stretch | None = None


@dataclass(frozen=True)
class Known:
    """What a model of Spark's rules knows about a run, after it has played the run with the same result.

    - `ends`: counted, silent or dropped, by the event's place in the scenario (from 0); the query did not
      read an event without an end
    - `watermarks`: by batch, and there by operator in the recording's order: the watermark that drops and
      the one that evicts (microseconds since 1970)
    """

    ends: dict[int, str]
    happened: dict[int, list[Happening]] = field(default_factory=dict)
    watermarks: list[list[tuple[float | None, float | None]]] = field(default_factory=list)

    def end(self, place: int) -> str:
        return self.ends.get(place, "silent")

    def kept(self, place: int) -> bool:
        """Whether the state of an operator kept something of an event."""
        return any(one.what == "kept" for one in self.happened.get(place, []))


def fate_text(fate: str, happened: Sequence[Happening]) -> str:
    """What to say about an event besides its fate; may be empty."""
    whats = {one.what for one in happened}
    if fate == "silent":
        if "duplicate" in whats:
            return ", because it is a duplicate"
        nulls = [one.operator for one in happened if one.what == "null"]
        if nulls:
            return f", because its {nulls[0]} is null"
        filters = [one for one in happened if (one.what, one.operator) == ("filtered", "filter")]
        return ", because a filter removed it" if filters else ""
    if fate == "dropped":
        return ""
    return f"{': ' if fate == 'counted' else '; '}{_outcome(happened)}{_missed(happened)}"


def _outcome(happened: Sequence[Happening]) -> str:
    steps = sorted({one.step for one in happened if one.what == "out"})
    if not steps:
        return "no row of it was emitted"
    if len(steps) == 1:
        return f"its row was emitted in step {steps[0]}"
    return f"rows of it were emitted in steps {', '.join(map(str, steps))}"


def _missed(happened: Sequence[Happening]) -> str:
    """The windows that had closed before a counted event came."""
    late = [one.stretch for one in happened if one.what == "late" and one.stretch]
    windows = ", ".join(f"{time_text(start)}–{time_text(end)}" for start, end in late)
    return f", not counted in {windows}, which had ended" if windows else ""
