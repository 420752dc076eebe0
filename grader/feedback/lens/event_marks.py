"""What became of each event in a run, as far as the run shows it."""

from __future__ import annotations

from dataclasses import dataclass

from grader.feedback.lens.event_traces import silent_events
from grader.feedback.lens.known_fates import Known, fate_text
from grader.feedback.lens.labels import labels_of
from grader.feedback.lens.operator_table import first_dropped, is_session, names_of
from grader.feedback.lens.row_intervals import Grid, grid_of, starts_session, time_text
from grader.feedback.lens.state_rows import held_until
from grader.feedback.verdict_text import goes_over_days
from grader.judging.event_time import event_micros, follows_time_of
from grader.judging.instants import clock, micros
from grader.judging.wording.value_text import row_text, rows_text
from grader.scenario import Event, Exercise, Scenario
from grader.scenario.recording import Recording


@dataclass(frozen=True)
class Mark:
    """One event: its event time, the step in which it came, and what became of it.

    The `fate` is one of these:

    - counted
    - silent: no emitted row contains it
    - open: late, but one of its windows was still open
    - spared: late, but its step dropped nothing
    - behind: late, and the run does not show whether it was dropped
    - dropped

    The `label` distinguishes the event from its neighbors. After the step `kept` the state store held the
    event itself for the last time; None if it was not seen there.
    """

    step: int
    time: float
    input: str
    fate: str
    description: str
    label: str = ""
    kept: int | None = None


def marks_of(
    exercise: Exercise,
    scenario: Scenario,
    recording: Recording,
    known: Known | None = None,
) -> list[Mark]:
    """A mark for each event that has a time, in the scenario's order.

    With `known` each fate is exact; otherwise it is what the recording shows.
    """
    timed = [
        (e, t) for e in scenario.events if (t := axis_micros(e, exercise, scenario)) is not None
    ]
    grid = grid_of(recording)
    label = labels_of([event for event, _ in timed])
    fates = _shown_fates(timed, exercise, scenario, recording, grid)
    silent = silent_events(scenario, recording)
    places = {id(event): place for place, event in enumerate(scenario.events)}
    if known is not None:
        fates = [
            _exact(known.end(places[id(event)]), fate)
            for (event, _), fate in zip(timed, fates, strict=True)
        ]
        silent = set()
    kept = held_until(scenario, recording)
    days = goes_over_days(recording, scenario)
    marks = []
    for (event, time), fate in zip(timed, fates, strict=True):
        if fate == "counted" and id(event) in silent:
            fate = "silent"
        if _unread(event, recording):
            fate = "unread"
        description = _description(
            event,
            time,
            recording,
            fate,
            grid,
            exact=known is not None,
            clocked=bool(scenario.clocks),
            days=days,
        )
        if known is not None:
            description += fate_text(fate, known.happened.get(places[id(event)], []))
        last = kept.get(id(event))
        description += f", in the state store until after step {last}" if last is not None else ""
        drawn = "silent" if fate == "unread" else fate
        marks.append(Mark(event.step, time, event.input, drawn, description, label(event), last))
    return marks


def _exact(known: str, guessed: str) -> str:
    """A known fate; it also says if a counted event was late."""
    if known != "counted":
        return known
    return guessed if guessed in ("counted", "open") else "spared"


def axis_micros(event: Event, exercise: Exercise, scenario: Scenario) -> int | None:
    """Where an event is on the axis, in microseconds since 1970; None if it has no time.

    If the scenario has a clock, that is the time, because the query uses it.
    """
    if scenario.clocks:
        return scenario.clock_ms(event.step) * 1000
    return event_micros(event, exercise)


def _shown_fates(
    timed: list[tuple[Event, int]],
    exercise: Exercise,
    scenario: Scenario,
    recording: Recording,
    grid: Grid | None,
) -> list[str]:
    """Each event's fate, silence aside; an event is compared only with a watermark of its own column."""
    own = [
        bool(scenario.clocks) or follows_time_of(recording.plan, event, exercise)
        for event, _ in timed
    ]
    fates = iter(
        _fates([pair for pair, is_own in zip(timed, own, strict=True) if is_own], recording, grid)
    )
    return [next(fates) if is_own else "counted" for is_own in own]


def _fates(timed: list[tuple[Event, int]], recording: Recording, grid: Grid | None) -> list[str]:
    """The fates of events whose time a watermark follows, silence aside.

    Spark drops a row when its *window* has closed. It reports how many rows it dropped, but not which. If
    no window shows it, an event is dropped for sure only when all late events of its step were dropped.
    """
    if not any(batch.operators for batch in recording.batches):
        return ["counted"] * len(timed)
    fates = [_fate(event, time, recording, grid) for event, time in timed]
    for step in {event.step for event, _ in timed}:
        of_step = [n for n, (e, _) in enumerate(timed) if e.step == step and fates[n] == "behind"]
        one_each = _by_own_time(recording) or is_session(recording)  # an event is one row there
        sure = grid is None and one_each and not _several(recording, step)
        if sure and len(of_step) <= first_dropped(recording, step):
            for number in of_step:
                fates[number] = "dropped"
    return fates


def _fate(event: Event, time: float, recording: Recording, grid: Grid | None) -> str:
    if _several(recording, event.step) and first_dropped(recording, event.step):
        last = recording.watermark_after(event.step)
        return "behind" if last is not None and time <= micros(last) else "counted"
    watermark = recording.watermark_after(event.step - 1)
    if watermark is None or time > micros(watermark):
        return "counted"
    if time == micros(watermark) and not (_by_own_time(recording) and grid is None):
        return "counted"
    if grid is not None and grid.last_end(time) > micros(watermark):
        return "open"
    if grid is None and is_session(recording) and starts_session(event, time, recording):
        return "open"
    if not recording.dropped_in(event.step):
        return "spared"
    sure = grid is not None and grid.sure and first_dropped(recording, event.step)
    return "dropped" if sure else "behind"


def _several(recording: Recording, step: int) -> bool:
    """Whether a step came in several batches with rows: the run does not show which of them contained an event."""
    return sum(bool(batch.rows_in) for batch in recording.of_step(step) if not batch.rerun) > 1


def _unread(event: Event, recording: Recording) -> bool:
    """Whether the query read no row from an event's step on, such as one that begins after the newest rows."""
    later = range(event.step, recording.steps + 1)
    read = any(batch.rows_in for step in later for batch in recording.of_step(step))
    return not read and recording.failure is None


def _by_own_time(recording: Recording) -> bool:
    """Whether the first operator drops a row by the row's own time, also a row that the watermark has just reached."""
    return names_of(recording)[:1] in (["join"], ["deduplication"], ["own function"])


def _description(
    event: Event,
    time: float,
    recording: Recording,
    fate: str,
    grid: Grid | None,
    *,
    exact: bool,
    clocked: bool,
    days: bool,
) -> str:
    value = event.value
    what = row_text(value, days=days) if isinstance(value, dict) else str(value)
    batches = [batch.id for batch in recording.of_step(event.step) if batch.rows_in]
    watermark = recording.watermark_after(event.step - 1)
    description = f"{event.input}: {what} — arrived in step {event.step}"
    several = _several(recording, event.step)
    if several:
        description += f", batches {batches[0]} to {batches[-1]}"
    elif batches:
        description += f", batch {batches[0]}"
    if clocked:
        return f"{description}, clock {time_text(time)}"
    if not several:
        description += (
            f", watermark {clock(watermark, days=days)}" if watermark else ", no watermark yet"
        )
    if grid is not None and grid.tumbling:
        end = grid.last_end(time)
        description += f", window {time_text(end - grid.length)}–{time_text(end)}"
    dropped = recording.dropped_in(event.step)
    still = "a window of it" if grid is not None and not grid.tumbling else "its window"
    counted = ", but counted, as" if exact else ";"
    return (
        description
        + {
            "counted": "",
            "silent": ": no row out",
            "unread": ": the query did not read it",
            "open": f": behind the watermark{counted} {still} was still open",
            "spared": ": behind the watermark, not dropped",
            "behind": f": {rows_text(dropped)} of the step dropped as late; which, the run does not show",
            "dropped": ": dropped, as the watermark had passed",
        }[fate]
    )
