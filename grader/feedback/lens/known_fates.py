"""What is known of a run beyond what its recording shows, and an event's own part of it in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.feedback.lens.row_intervals import Stretch, time_text


@dataclass(frozen=True)
class Happening:
    """One thing that happened to an event in a step.

    `what`: filtered, late, duplicate, kept (in the state of an operator) or out (in a row of the
    query). `operator` is Spark's name for it, `stretch` the window or session that it concerns.
    """

    step: int
    what: str
    operator: str = ""
    stretch: Stretch | None = None


@dataclass(frozen=True)
class Known:
    """What one that plays by Spark's rules knows of a run that it has played alike.

    `ends` are counted, silent or dropped, by the event's place in the scenario (from 0); an event
    without one was read by nobody. `watermarks` are by batch, and there by operator as the
    recording lists them: the one that drops and the one that evicts (microseconds since 1970).
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
    """What is to be said of an event beside its fate; empty if there is nothing."""
    whats = {one.what for one in happened}
    if fate == "silent":
        if "duplicate" in whats:
            return ", as it is a duplicate"
        filters = [one for one in happened if (one.what, one.operator) == ("filtered", "filter")]
        return ", as a filter turned it away" if filters else ""
    if fate == "dropped":
        return ""
    return f"{': ' if fate == 'counted' else '; '}{_outcome(happened)}{_missed(happened)}"


def _outcome(happened: Sequence[Happening]) -> str:
    steps = sorted({one.step for one in happened if one.what == "out"})
    if not steps:
        return "no row of it came out"
    if len(steps) == 1:
        return f"its row came out in step {steps[0]}"
    return f"rows of it came out in steps {', '.join(map(str, steps))}"


def _missed(happened: Sequence[Happening]) -> str:
    """The windows that a counted event was too late for."""
    late = [one.stretch for one in happened if one.what == "late" and one.stretch]
    windows = ", ".join(f"{time_text(start)}–{time_text(end)}" for start, end in late)
    return f", not counted in {windows}, which had ended" if windows else ""
