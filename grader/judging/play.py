"""One play of an exercise: what was played, what should have come of it, what did."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from grader.judging.rows import Row, normal_rows
from grader.scenario import Scenario, Variant, scenario_from_lines
from grader.scenario.recording import Recording


@dataclass(frozen=True)
class Play:
    """One variant of one scenario as it was played, with the expected result."""

    scenario: str
    variant: Variant
    expected: Recording
    actual: Recording | None

    @property
    def run(self) -> Recording:
        """Its result; only for a play that was played."""
        assert self.actual is not None
        return self.actual

    @property
    def hidden(self) -> bool:
        return self.scenario != "public"

    @property
    def regrouped(self) -> bool:
        """Whether events come in other steps than those that a learner sees, and that notes speak of."""
        return self.variant.name in ("merged", "shifted")

    @property
    def wanted(self) -> list[Row]:
        """The rows that should have been emitted over the whole run."""
        return rows_of(self.expected, self.expected)

    @property
    def got(self) -> list[Row]:
        """The rows that were emitted over the whole run, as far as they can be compared."""
        return rows_of(self.run, self.expected)


def events_of(recording: Recording, scenario: Scenario) -> Scenario:
    """The events that a recording is of: the learner's own if there are such."""
    return scenario if recording.given is None else scenario_from_lines(recording.given)


def rows_of(
    recording: Recording, like: Recording, steps: int | Collection[int] | None = None
) -> list[Row]:
    """The comparable rows of a step, of some, or of the whole run, reduced to the columns of `like`.

    If a batch ran again, its last run counts: the engine's sink writes by batch id.
    """
    wanted = {steps} if isinstance(steps, int) else steps
    by_batch = {(batch.id, batch.step): batch.rows for batch in recording.batches}
    rows = [
        row
        for (_, of_step), found in by_batch.items()
        if wanted is None or of_step in wanted
        for row in found
    ]
    return normal_rows(rows, like.schema) if like.schema else rows


def written_of(recording: Recording, like: Recording) -> list[Row]:
    """All rows that a sink was given; rows of a batch that ran twice count each time."""
    rows = [row for batch in recording.batches for row in batch.rows]
    return normal_rows(rows, like.schema) if like.schema else rows
