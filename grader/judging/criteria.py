"""The criteria, one function each: a play of the exercise in, a Criterion out."""

from __future__ import annotations

from collections import defaultdict

from grader.judging.message import told
from grader.judging.play import Play, rows_of
from grader.judging.row_differences import changes_of, counts_text, told_difference
from grader.judging.rows import (
    Row,
    clock,
    compare,
    micros,
    row_text,
    rows_text,
    same,
    several_days,
)
from grader.judging.verdict import Criterion
from grader.scenario import Exercise
from grader.scenario.recording import Recording


def rows(exercise: Exercise, play: Play) -> Criterion:
    assert play.actual is not None
    if not compare(play.wanted, play.got):
        return Criterion("rows", True, f"The right rows came out ({rows_text(len(play.wanted))}).")
    if play.hidden:
        changes = changes_of(play, list(range(1, play.actual.steps + 1)))
        message = told(
            f"On events that you have not seen, the rows differ: {counts_text(changes)}",
            means="Your answer fits the events of the notebook, not the task.",
            do="Let nothing in it come from the events that you saw.",
        )
        return Criterion("rows", False, message)
    happened, details = told_difference(exercise, play)
    do = _look(exercise)
    if exercise.outputs and not play.got:
        do = _topic_names(exercise)
    late, why = _late_otherwise(play)
    means = f"{late} {why}" if why else ""
    beside = [] if means else [late, _other_watermark(play)]
    details = [*details, *filter(None, beside)]
    return Criterion("rows", False, told(happened, details=details, means=means, do=do))


def step(exercise: Exercise, play: Play) -> Criterion:
    assert play.actual is not None
    for number in range(1, play.actual.steps + 1):
        wanted = rows_of(play.expected, play.expected, number)
        difference = compare(wanted, rows_of(play.actual, play.expected, number))
        if difference:
            early = difference.unexpected or [got for _, got in difference.wrong]
            row = (early or difference.missing)[0]
            later = _step_that_makes_up(row, number, play)
            came, due = (number, later) if early else (later, number)
            happened = (
                "You were asked for each row at its step. The rows are right, but not when they come: "
                f"{row_text(row)} was due in step {due} and came out in step {came}."
            )
            stands = _watermarks(play, number)
            if stands and _another_clock(play):  # it stands elsewhere, whatever holds the row up
                message = told(happened, details=[stands], do=_look(exercise))
            else:
                message = told(happened, means=stands, do=_look(exercise))
            return Criterion("step", False, message)
    return Criterion("step", True, "Every row came out at the right step.")


def _step_that_makes_up(row: Row, number: int, play: Play) -> int:
    """The step after `number` in which a row that is right over the whole run makes up for its other one."""
    assert play.actual is not None

    def often(run: Recording, step: int) -> int:
        return sum(same(row, other) for other in rows_of(run, play.expected, step))

    def surplus(step: int) -> int:
        assert play.actual is not None
        return often(play.actual, step) - often(play.expected, step)

    first = surplus(number)
    return next(n for n in range(number + 1, play.actual.steps + 1) if surplus(n) * first < 0)


def watermark(exercise: Exercise, play: Play) -> Criterion:
    """For a task that says how late events may be: another delay is wrong though no row shows it."""
    assert play.actual is not None
    for number in range(1, play.actual.steps + 1):
        wanted, got = _stands(play.expected, number), _stands(play.actual, number)
        if wanted != got:
            waits = "longer" if _behind(got, wanted) else "less long"
            happened = (
                "You were asked for a certain patience. The rows are right, but your query waits "
                f"{waits} for late events. {_watermarks(play, number)}"
            )
            do = _BEFORE if _behind_the_operator(play) else _COVER
            return Criterion("watermark", False, told(happened, do=do))
    return Criterion("watermark", True, "The watermark stands where it should after every step.")


def late_rows(exercise: Exercise, play: Play) -> Criterion:
    assert play.actual is not None
    for number in range(1, play.actual.steps + 1):
        wanted, got = play.expected.dropped_in(number), play.actual.dropped_in(number)
        happened = ""
        if wanted and not got:
            happened = (
                f"Late rows are to be dropped. Step {number} brings one that is too late, and no watermark "
                "of your query dropped anything there."
            )
        elif got and not wanted:
            happened = (
                "Rows that are late but not too late are to be kept. In step "
                f"{number} the watermark of your query dropped {rows_text(got)}; it should drop none."
            )
        if happened:
            means = _why_late(play, number)
            return Criterion("late_rows", False, told(happened, means=means, do=_look(exercise)))
    some = any(play.expected.dropped_in(n) for n in range(1, play.actual.steps + 1))
    right = "Late rows were dropped, and only those." if some else "No row was dropped as late."
    return Criterion("late_rows", True, right)


def state(_exercise: Exercise, play: Play) -> Criterion:
    assert play.actual is not None
    steps = range(1, play.actual.steps + 1)
    wanted = [play.expected.state_after(number) for number in steps]
    got = [play.actual.state_after(number) for number in steps]
    series = ", ".join(map(str, got))
    each = _rows_a_key(play, wanted, got)
    left, enough = (int(each * rows) for rows in (wanted[-1], max(wanted)))
    if got[-1] > left:
        at = len(got)
        happened = (
            "You were asked to keep no more than is needed. The rows kept after each step are "
            f"{series}; at the end {left} should be left."
        )
    elif max(got) > 2 * enough:
        at = got.index(max(got)) + 1
        happened = (
            f"You were asked for small state. It grows to {rows_text(max(got))} ({series}); "
            f"{enough} are enough."
        )
    else:
        lists = _of_processors(play) * "; a list is one row, however long"
        return Criterion(
            "state", True, f"State stays bounded (rows kept after each step: {series}{lists})."
        )
    means, do = _why_kept(play, at)
    return Criterion("state", False, told(happened, means=means, do=do))


def _of_processors(play: Play) -> bool:
    """Whether all that is kept is kept by processors, whose variables hold what they like."""
    assert play.actual is not None
    names = {operator.name for batch in play.actual.batches for operator in batch.operators}
    return bool(names) and all(name.startswith("transformWithState") for name in names)


def _rows_a_key(play: Play, wanted: list[int], got: list[int]) -> float:
    """How many rows an answer keeps of what is one row in the solution, 1 or more.

    A processor has as many variables as its author likes: a value or a list is one row a key, a map one
    for each of its entries. The steps up to the first in which the solution lets go of something tell.
    """
    assert play.actual is not None
    if not _of_processors(play):
        return 1.0
    each = 1.0
    for before, rows, kept in zip([0, *wanted], wanted, got, strict=False):
        if rows < before:
            break
        each = max(each, kept / rows if rows else 1.0)
    return each


# by the start of a stateful operator's name in Spark's progress
_LETS_GO = {
    "dedupe": (
        "A key of a deduplication leaves the state store when the watermark passes the time that it holds.",
        "With withWatermark in front of it dropDuplicatesWithinWatermark forgets by itself, and dropDuplicates only if its "
        "columns hold the very column of the watermark or a window of it (another one that is computed from it does not "
        "count).",
    ),
    "symmetricHashJoin": (
        "A row leaves the state of a join when no partner can come any more. Spark learns that from the watermarks of "
        "both sides and from a condition that limits the time between two partners.",
        "Set withWatermark on both inputs, and compare the two times in the condition twice: how early, and how late, a "
        "partner may be. A length of time belongs to one of them only, as in `later <= earlier + INTERVAL 10 MINUTES`.",
    ),
    "sessionWindow": (
        "A session leaves the state store when the watermark passes its end, a gap after its last event.",
        "Look at the gap that each event is given, and at what else stands in the key.",
    ),
    "applyInPandasWithState": (
        "What your function keeps of a group stays until it says otherwise.",
        "Set a timeout on every call, and remove the state when it has passed.",
    ),
    "transformWithState": (
        "What your processor keeps of a group stays until it says otherwise.",
        "Set a timer or a time to live, and clear the state when it has passed.",
    ),
}
_ONE_EACH = (
    "One withWatermark on each input, before the first operator that keeps state, is enough."
)
_BEFORE = "Call withWatermark before the operator that keeps state."
_COVER = "Read again what the delay has to cover, and set that."
_GROUPS = (
    "A group leaves the state store when the watermark passes the event time in its key.",
    "Let the key of the grouping hold a window or the event-time column.",
)


def _why_kept(play: Play, number: int) -> tuple[str, str]:
    """Why the run keeps more after a step than the solution, and what lets go of it."""
    assert play.actual is not None
    none_stands = not any(batch.watermark for batch in play.actual.batches)
    if none_stands and any(batch.watermark for batch in play.expected.batches):
        return (
            f"{_none_stands(play.actual)} So no row is ever too old to be kept.",
            _ONE_EACH
            if play.actual.plan.watermarks
            else "Set withWatermark before the operator that keeps state.",
        )
    if _behind_the_operator(play):
        return (
            "Your query sets its watermark behind the operator that keeps state, and does not reach it.",
            _BEFORE,
        )
    got, wanted = _stands(play.actual, number), _stands(play.expected, number)
    if _behind(got, wanted):
        return (
            f"{_watermarks(play, number)} What is newer than the watermark stays.",
            _COVER,
        )
    kept, enough = _kept_by(play.actual, number), _kept_by(play.expected, number)
    more = {name: sum(rows) - sum(enough.get(name, [])) for name, rows in kept.items()}
    name = max(more, key=lambda name: more[name])
    count, needed = (sum(map(len, by_name.values())) for by_name in (kept, enough))
    if len(kept[name]) > len(enough.get(name, [])) and count > needed:
        return (
            f"Operators of your query that keep state: {count}, each for itself; {needed} would do.",
            "Ask of each grouping, join and deduplication what it is there for.",
        )
    return next((said for start, said in _LETS_GO.items() if name.startswith(start)), _GROUPS)


def _behind_the_operator(play: Play) -> bool:
    """Whether a query sets each watermark after the operator that keeps state; the solution does not."""
    assert play.actual is not None
    mine, right = play.actual.plan, play.expected.plan
    return (
        bool(mine.watermarks) and set(mine.watermarks) == set(mine.too_late) and not right.too_late
    )


def _kept_by(recording: Recording, number: int) -> dict[str, list[int]]:
    """The stateful operators as they were when a step was over: by name the rows that each kept."""
    run = [batch for batch in recording.batches if batch.step <= number]
    found: dict[str, list[int]] = defaultdict(list)
    for operator in run[-1].operators if run else []:
        found[operator.name].append(operator.rows_total)
    return found


def batching(exercise: Exercise, play: Play) -> Criterion:
    if not compare(play.wanted, play.got):
        return Criterion(
            "batching", True, "The answer is right however the events fall into batches."
        )
    how = {"merged": "all at once", "shifted": "in other batches"}[play.variant.name]
    happened, details = told_difference(exercise, play)
    message = told(
        f"When the same events come {how}, the answer is wrong. {happened}",
        details=details,
        means="Your answer depends on how events happen to fall into micro-batches, which nobody chooses.",
        do="Count on event time, watermark and state alone, not on the batch or the clock.",
    )
    return Criterion("batching", False, message)


def _late_otherwise(play: Play) -> tuple[str, str]:
    """The first step in which the run drops more or less than the solution, and where its watermark is why.

    Either is empty where there is no such thing: other windows drop otherwise by the same watermark.
    """
    assert play.actual is not None
    for number in range(1, play.actual.steps + 1):
        got, wanted = play.actual.dropped_in(number), play.expected.dropped_in(number)
        if bool(got) != bool(wanted):
            mine, other = (rows_text(count) if count else "nothing" for count in (got, wanted))
            late = f"In step {number} your query dropped {mine} as late, the solution {other}."
            return late, _why_late(play, number)
    return "", ""


def _why_late(play: Play, number: int) -> str:
    """Where the watermark stood when a step dropped more or less than it should, if that is why."""
    assert play.actual is not None
    got, wanted = _stands(play.actual, number - 1), _stands(play.expected, number - 1)
    if _behind(got, wanted) if not play.actual.dropped_in(number) else _behind(wanted, got):
        return _watermarks(play, number - 1)
    ours, all_of_them = play.actual.plan.watermarks, play.expected.plan.watermarks
    if not play.actual.dropped_in(number) and ours and set(ours) < set(all_of_them):
        columns = " and ".join(f"`{column}`" for column in ours)
        return (
            f"Your query sets a watermark on {columns} alone. What comes without one on its way is never "
            "too late."
        )
    return ""


def _other_watermark(play: Play) -> str:
    """The first step after which the watermark stands elsewhere than the solution's: seen, not blamed.

    The delay may be as asked: a filter in front of the watermark, or another clock, moves it as well.
    """
    assert play.actual is not None
    for number in range(1, play.actual.steps + 1):
        got, wanted = _stands(play.actual, number), _stands(play.expected, number)
        if got != wanted:
            if got is None or wanted is None:
                return _watermarks(play, number)
            mine, other = _clocks(play, got, wanted)
            return f"After step {number} the watermark of your query stands at {mine}, the solution's at {other}."
    return ""


def _watermarks(play: Play, step: int) -> str:
    """Where the watermark stood after a step, beside where it should; empty if that is the same."""
    assert play.actual is not None
    got, wanted = _stands(play.actual, step), _stands(play.expected, step)
    if got == wanted:
        return ""
    if not any(batch.watermark for batch in play.actual.batches):
        return _none_stands(play.actual)
    mine, right = _clocks(play, got, wanted)
    if got is None:
        return f"After step {step} your query has no watermark yet; it should stand at {right}."
    if wanted is None:
        return f"After step {step} the watermark of your query stands at {mine}; the solution has none."
    if _another_clock(play):
        return f"After step {step} the watermark of your query stands at {mine}, the solution's at {right}."
    return f"After step {step} the watermark of your query stands at {mine}; it should stand at {right}."


def _another_clock(play: Play) -> bool:
    """Whether a query's watermark follows other columns than the solution's, each at least one."""
    assert play.actual is not None
    ours, right = (set(run.plan.watermarks) for run in (play.actual, play.expected))
    return bool(ours and right) and ours != right


def _stands(run: Recording, step: int) -> str | None:
    """The watermark that the step after `step` begins with; after the last one that of its last batch.

    A query that runs no batch without data shows in the next step only how far it has moved.
    """
    following = run.of_step(step + 1)
    return (following[0].watermark if following else None) or run.watermark_after(step)


def _clocks(play: Play, *times: str | None) -> list[str]:
    """Watermarks as times of a clock, with their dates where the play goes over several days."""
    assert play.actual is not None
    runs = (play.expected, play.actual)
    days = several_days(batch.watermark for run in runs for batch in run.batches)
    return [clock(time, days=days) for time in times]


def _none_stands(run: Recording) -> str:
    """Why a run never had a watermark: none is set, or no row has moved what is set."""
    columns = [f"`{column}`" for column in run.plan.watermarks]
    if not columns:
        return "Your query has no watermark."
    if len(columns) == 1:
        return (
            f"Your query sets a watermark on {columns[0]}, and never had one: a row with a time has to reach it, "
            "in each stream that sets one. Is there a filter in front, or a window that comes out as null?"
        )
    return (
        f"Your query sets watermarks on {' and '.join(columns)}, and never had one: it is the earliest of "
        "theirs, and no row with a time has reached at least one of them."
    )


def _behind(got: str | None, wanted: str | None) -> bool:
    """Whether one watermark is earlier than another; none at all is the earliest."""
    return wanted is not None and (got is None or micros(got) < micros(wanted))


def _look(exercise: Exercise) -> str:
    return f'grader.lens("{exercise.id}", {exercise.answer}) shows your run step by step.'


def _topic_names(exercise: Exercise) -> str:
    calls = ", ".join(f'kafka.topic("{name}")' for name in exercise.outputs)
    return (
        f"The check's topics have names of their own: {calls}. If yours are right, no row came into them: "
        f"{_look(exercise)}"
    )
