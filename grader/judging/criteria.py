"""The criteria, one function each: a play of the exercise in, a Criterion out."""

from __future__ import annotations

from dataclasses import dataclass

from grader.judging.causes import cause_of
from grader.judging.rows import Difference, Row, compare, normal_rows, row_text, same, value_text
from grader.judging.verdict import Criterion
from grader.replay.recording import Recording
from grader.scenario import Exercise, Variant

SHOWN = 3


@dataclass(frozen=True)
class Play:
    """One variant of one scenario as it was played, beside what should have come of it."""

    scenario: str
    variant: Variant
    expected: Recording
    actual: Recording | None

    @property
    def hidden(self) -> bool:
        return self.scenario != "public"


def rows_of(recording: Recording, like: Recording, step: int | None = None) -> list[Row]:
    """The comparable rows of a step, or of the whole run, cut to the columns of `like`.

    A batch that was run again counts as it was run last: the engine's sink writes by batch id.
    """
    by_batch = {(batch.id, batch.step): batch.rows for batch in recording.batches}
    rows = [
        row
        for (_, of_step), found in by_batch.items()
        if step is None or of_step == step
        for row in found
    ]
    return normal_rows(rows, like.schema) if like.schema else rows


def rows(exercise: Exercise, play: Play) -> Criterion:
    assert play.actual is not None
    wanted = rows_of(play.expected, play.expected)
    got = rows_of(play.actual, play.expected)
    difference = compare(wanted, got)
    if not difference:
        count = f"{len(wanted)} row" + ("s" if len(wanted) != 1 else "")
        return Criterion("rows", True, f"The right rows came out ({count}).")
    if not got:
        return Criterion("rows", False, f"No row came out; {len(wanted)} should have.")
    return Criterion("rows", False, _difference_text(difference, exercise, play))


def step(_exercise: Exercise, play: Play) -> Criterion:
    assert play.actual is not None
    for number in range(1, play.actual.steps + 1):
        wanted = rows_of(play.expected, play.expected, number)
        difference = compare(wanted, rows_of(play.actual, play.expected, number))
        if difference:
            early = difference.unexpected or [got for _, got in difference.wrong]
            which = early or difference.missing
            verb = "came out" if early else "did not come out"
            return Criterion(
                "step",
                False,
                f"The rows are right, but not when they come: {row_text(which[0])} {verb} in step {number}.",
            )
    return Criterion("step", True, "Every row came out at the right step.")


def late_rows(_exercise: Exercise, play: Play) -> Criterion:
    assert play.actual is not None
    for number in range(1, play.actual.steps + 1):
        wanted, got = play.expected.dropped_in(number), play.actual.dropped_in(number)
        if wanted and not got:
            return Criterion(
                "late_rows",
                False,
                f"Step {number} brings a row that is too late, and your query kept it: "
                "nothing was dropped by a watermark there.",
            )
        if got and not wanted:
            return Criterion(
                "late_rows",
                False,
                f"In step {number} the watermark of your query dropped {got} row(s) that still count.",
            )
    return Criterion("late_rows", True, "Late rows were dropped, and only those.")


def state(_exercise: Exercise, play: Play) -> Criterion:
    assert play.actual is not None
    steps = range(1, play.actual.steps + 1)
    wanted = [play.expected.state_after(number) for number in steps]
    got = [play.actual.state_after(number) for number in steps]
    series = ", ".join(map(str, got))
    if got[-1] > wanted[-1]:
        return Criterion(
            "state",
            False,
            f"State does not shrink: rows kept after each step are {series}; "
            f"at the end {wanted[-1]} should be left.",
        )
    if max(got) > 2 * max(wanted):
        return Criterion(
            "state", False, f"State grows to {max(got)} rows ({series}); {max(wanted)} are enough."
        )
    return Criterion("state", True, f"State stays bounded (rows kept after each step: {series}).")


def batching(exercise: Exercise, play: Play) -> Criterion:
    judged = rows(exercise, play)
    how = {"merged": "all at once", "shifted": "in other batches"}[play.variant.name]
    if judged.passed:
        return Criterion(
            "batching", True, "The answer is right however the events fall into batches."
        )
    return Criterion(
        "batching", False, f"When the same events come {how}, the answer is wrong. {judged.message}"
    )


def restart(exercise: Exercise, play: Play) -> Criterion:
    """Judge a run that was killed between sink and commit, then started again."""
    assert play.actual is not None
    wanted = rows_of(play.expected, play.expected)
    got = rows_of(play.actual, play.expected)
    if exercise.returns == "writer":
        # the learner's own sink: everything that it was given stands in the topic, twice at times
        everything = [row for batch in play.actual.batches for row in batch.rows]
        got = normal_rows(everything, play.expected.schema) if play.expected.schema else everything
        wanted = [row for batch in play.expected.batches for row in batch.rows]
        if "exactly_once" not in exercise.criteria:
            wanted, got = _distinct(wanted), _distinct(got)
    name = "exactly_once" if "exactly_once" in exercise.criteria else "restart"
    difference = compare(wanted, got)
    if not difference:
        return Criterion(
            name,
            True,
            "Killed before its commit and started again, the query gives the same answer.",
        )
    return Criterion(
        name,
        False,
        "After a kill between sink and commit and a restart from the checkpoint the answer differs: "
        + _counts(difference),
    )


def _distinct(rows: list[Row]) -> list[Row]:
    kept: list[Row] = []
    for row in rows:
        if not any(same(row, other) for other in kept):
            kept.append(row)
    return kept


def _counts(difference: Difference) -> str:
    parts = [
        f"{len(found)} row{'s' if len(found) != 1 else ''} {what}"
        for found, what in (
            (difference.missing, "missing"),
            (difference.unexpected, "too many"),
            (difference.wrong, "with a wrong value"),
        )
        if found
    ]
    return ", ".join(parts) + "."


def _difference_text(difference: Difference, exercise: Exercise, play: Play) -> str:
    if play.hidden:
        return f"On events that you have not seen, the rows differ: {_counts(difference)}"
    lines = [_counts(difference)]
    for wanted, got in difference.wrong[:SHOWN]:
        wrong = [name for name in wanted if not same(wanted[name], got.get(name))]
        told = ", ".join(
            f"{n} is {value_text(got.get(n))}, expected {value_text(wanted[n])}" for n in wrong
        )
        fixed = {name: wanted[name] for name in wanted if name not in wrong}
        lines.append(f"wrong value: {row_text(fixed)}: {told}")
    lines += [f"missing: {row_text(row)}" for row in difference.missing[:SHOWN]]
    lines += [f"unexpected: {row_text(row)}" for row in difference.unexpected[:SHOWN]]
    first = (
        [wanted for wanted, _ in difference.wrong] + difference.missing + difference.unexpected
    )[0]
    cause = cause_of(first, exercise, play.variant.scenario, play.expected)
    if cause:
        lines.append(cause)
    return "\n".join(lines)
