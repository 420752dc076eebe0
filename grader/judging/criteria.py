"""The criteria, one function each: a play of the exercise in, a Criterion out."""

from __future__ import annotations

from dataclasses import dataclass

from grader.judging.causes import cause_of
from grader.judging.message import told
from grader.judging.rows import (
    Difference,
    Row,
    clock,
    compare,
    normal_rows,
    row_text,
    same,
    value_text,
)
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
    return Criterion("rows", False, _difference_text(difference, len(wanted), exercise, play))


def step(exercise: Exercise, play: Play) -> Criterion:
    assert play.actual is not None
    for number in range(1, play.actual.steps + 1):
        wanted = rows_of(play.expected, play.expected, number)
        difference = compare(wanted, rows_of(play.actual, play.expected, number))
        if difference:
            early = difference.unexpected or [got for _, got in difference.wrong]
            which = early or difference.missing
            verb = "came out" if early else "did not come out"
            happened = (
                "You were asked for each row at its step. The rows are right, but not when they come: "
                f"{row_text(which[0])} {verb} in step {number}."
            )
            return Criterion(
                "step",
                False,
                told(happened, means=_watermarks(play, number), do=_look(exercise)),
            )
    return Criterion("step", True, "Every row came out at the right step.")


def watermark(exercise: Exercise, play: Play) -> Criterion:
    """For a task that says how late events may be: another delay is wrong though no row shows it."""
    assert play.actual is not None
    for number in range(1, play.actual.steps + 1):
        wanted, got = play.expected.watermark_after(number), play.actual.watermark_after(number)
        if wanted != got:
            waits = "longer" if (got or "") < (wanted or "") else "less long"
            happened = (
                "You were asked for a certain patience. The rows are right, but your query waits "
                f"{waits} for late events. {_watermarks(play, number)}"
            )
            do = "Read again how late the events may be, and set that as the delay."
            return Criterion("watermark", False, told(happened, do=do))
    return Criterion("watermark", True, "The watermark stands where it should after every step.")


def late_rows(exercise: Exercise, play: Play) -> Criterion:
    assert play.actual is not None
    for number in range(1, play.actual.steps + 1):
        wanted, got = play.expected.dropped_in(number), play.actual.dropped_in(number)
        happened = ""
        if wanted and not got:
            happened = (
                f"You were asked to drop late rows. Step {number} brings one that is too late, and your "
                "query kept it: nothing was dropped by a watermark there."
            )
        elif got and not wanted:
            happened = (
                "You were asked to keep rows that are late but not too late. In step "
                f"{number} the watermark of your query dropped {got} that still count."
            )
        if happened:
            means = _watermarks(play, number - 1)
            return Criterion("late_rows", False, told(happened, means=means, do=_look(exercise)))
    return Criterion("late_rows", True, "Late rows were dropped, and only those.")


def state(_exercise: Exercise, play: Play) -> Criterion:
    assert play.actual is not None
    steps = range(1, play.actual.steps + 1)
    wanted = [play.expected.state_after(number) for number in steps]
    got = [play.actual.state_after(number) for number in steps]
    series = ", ".join(map(str, got))
    if got[-1] > wanted[-1]:
        happened = (
            "You were asked for state that shrinks. The rows kept after each step are "
            f"{series}; at the end {wanted[-1]} should be left."
        )
    elif max(got) > 2 * max(wanted):
        happened = (
            f"You were asked for small state. It grows to {max(got)} rows ({series}); "
            f"{max(wanted)} are enough."
        )
    else:
        return Criterion(
            "state", True, f"State stays bounded (rows kept after each step: {series})."
        )
    if any(batch.watermark for batch in play.actual.batches):
        means = "A row leaves the state store when the watermark passes the event time in its key."
        do = "Let the operator's key hold the window or the event-time column."
    else:
        means = "Your query has no watermark, so no row is ever too old to be kept."
        do = "Set withWatermark before the operator that keeps state."
    return Criterion("state", False, told(happened, means=means, do=do))


def batching(exercise: Exercise, play: Play) -> Criterion:
    assert play.actual is not None
    wanted = rows_of(play.expected, play.expected)
    difference = compare(wanted, rows_of(play.actual, play.expected))
    if not difference:
        return Criterion(
            "batching", True, "The answer is right however the events fall into batches."
        )
    how = {"merged": "all at once", "shifted": "in other batches"}[play.variant.name]
    happened, details = _difference(difference, len(wanted), exercise, play)
    message = told(
        f"When the same events come {how}, the answer is wrong. {happened}",
        details=details,
        means="Your answer depends on how events happen to fall into micro-batches, which nobody chooses.",
        do="Count on event time, watermark and state alone, not on the batch or the clock.",
    )
    return Criterion("batching", False, message)


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
    happened = (
        "You were asked for an answer that survives a kill. After one between sink and commit, and a "
        f"restart from the checkpoint, it differs: {_counts(difference)}"
    )
    if exercise.returns == "writer":
        means = "The batch that was not committed is run again, and its rows reach the sink twice."
        do = "Let a second write of the same batch change nothing: by batch id, or by a key."
    else:
        means = "What the query knew outside its checkpoint is gone."
        do = "Keep it in Spark's state, not in Python variables."
    return Criterion(name, False, told(happened, means=means, do=do))


def _watermarks(play: Play, step: int) -> str:
    """Where the watermark stood after a step, beside where it should; empty if that is the same."""
    assert play.actual is not None
    got, wanted = play.actual.watermark_after(step), play.expected.watermark_after(step)
    if got == wanted:
        return ""
    if not any(batch.watermark for batch in play.actual.batches):
        return "Your query has no watermark."
    return f"After step {step} its watermark stands at {clock(got)}; it should stand at {clock(wanted)}."


def _look(exercise: Exercise) -> str:
    return f'grader.lens("{exercise.id}", {exercise.answer}) shows your run step by step.'


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


def _difference_text(difference: Difference, count: int, exercise: Exercise, play: Play) -> str:
    if play.hidden:
        return told(
            f"On events that you have not seen, the rows differ: {_counts(difference)}",
            means="Your answer fits the events of the notebook, not the task.",
            do="Let nothing in it come from the events that you saw.",
        )
    happened, details = _difference(difference, count, exercise, play)
    return told(happened, details=details, do=_look(exercise))


def _difference(
    difference: Difference, count: int, exercise: Exercise, play: Play
) -> tuple[str, list[str]]:
    """What happened in place of the `count` rows that were asked for, and the first rows of it."""
    asked = f"You were asked for {count} row" + ("s" if count != 1 else "")
    nothing = len(difference.missing) == count and not (difference.unexpected or difference.wrong)
    happened = f"{asked}. None came out." if nothing else f"{asked}: {_counts(difference)}"
    details = []
    for wanted, got in difference.wrong[:SHOWN]:
        wrong = [name for name in wanted if not same(wanted[name], got.get(name))]
        said = ", ".join(
            f"{n} is {value_text(got.get(n))}, expected {value_text(wanted[n])}" for n in wrong
        )
        fixed = {name: wanted[name] for name in wanted if name not in wrong}
        details.append(f"wrong value: {row_text(fixed)}: {said}")
    details += [f"missing: {row_text(row)}" for row in difference.missing[:SHOWN]]
    details += [f"unexpected: {row_text(row)}" for row in difference.unexpected[:SHOWN]]
    first = (
        [wanted for wanted, _ in difference.wrong] + difference.missing + difference.unexpected
    )[0]
    cause = cause_of(first, exercise, play.variant.scenario, play.expected)
    return happened, [*details, cause] if cause else details
