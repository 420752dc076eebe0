"""The two watermarks of each operator, if they are known: the one that drops, the one that evicts."""

from __future__ import annotations

from dataclasses import dataclass

from grader.feedback.lens.known_fates import Known
from grader.feedback.lens.operator_table import names_of, watermark_text
from grader.feedback.lens.row_intervals import time_text
from grader.scenario.recording import Recording

Stand = float | None  # microseconds since 1970; None while no event has set one


@dataclass(frozen=True)
class Line:
    """A watermark by step: in the first batch of the step, and in its last.

    `operator` counts from 1 in the order in which rows go through them; The field `whose` is its
    name if operators have their own watermarks.
    """

    operator: int
    evicts: bool
    steps: tuple[tuple[Stand, Stand], ...]
    whose: str = ""

    @property
    def name(self) -> str:
        what = "evicts" if self.evicts else "drops"
        return f"{self.whose} {what} by" if self.whose else f"watermark that {what}"


def lines_of(recording: Recording, known: Known | None) -> tuple[Line, ...]:
    """The lines to draw; two for all operators together if they have the same; none if unknown."""
    if known is None or not known.watermarks:
        return ()
    names = names_of(recording)
    pairs = [_pair(recording, known, number) for number in range(1, len(names) + 1)]
    pairs = [
        pair for pair in pairs if any(stand for line in pair for s in line.steps for stand in s)
    ]
    if len({tuple(line.steps for line in pair) for pair in pairs}) <= 1:
        return pairs[0] if pairs else ()
    return tuple(
        Line(line.operator, line.evicts, line.steps, f"{line.operator}. {names[line.operator - 1]}")
        for pair in pairs
        for line in pair
    )


def watermarks_text(recording: Recording, lines: tuple[Line, ...]) -> str:
    """What there is to know about the watermarks of a chain's operators."""
    last = {line.operator: line.steps[-1][1] for line in lines if line.evicts and line.whose}
    if len(last) < 2:
        return watermark_text(recording)
    parts = [f"operator {n}'s at {time_text(time)}" for n, time in last.items() if time is not None]
    return (
        "The line is the first operator's watermark. In the end they differ: "
        f"{', '.join(parts)}. Spark reports only one; the other is calculated by its rules."
    )


def operators_text(lines: tuple[Line, ...], step: int) -> str:
    """Where each line is in a step, and where it moves to when the step closes."""
    return "; ".join(
        f"{line.name}: {_stand(first)}" + (f", then {_stand(then)}" if then != first else "")
        for line in lines
        for first, then in [line.steps[step - 1]]
    )


def _stand(time: Stand) -> str:
    return "none yet" if time is None else time_text(time)


def _pair(recording: Recording, known: Known, number: int) -> tuple[Line, Line]:
    """What an operator drops by and what it evicts by; recordings list the last operator first."""
    by_step: dict[int, list[tuple[Stand, Stand]]] = {}
    for batch, in_batch in zip(recording.batches, known.watermarks, strict=True):
        by_step.setdefault(batch.step, []).append(in_batch[-number])
    drops: list[tuple[Stand, Stand]] = []
    evicts: list[tuple[Stand, Stand]] = []
    for step in range(1, recording.steps + 1):
        for place, line in enumerate((drops, evicts)):
            before = line[-1][1] if line else None
            in_step = [in_batch[place] for in_batch in by_step.get(step, [])] or [before]
            line.append((in_step[0], in_step[-1]))
    return Line(number, False, tuple(drops)), Line(number, True, tuple(evicts))
