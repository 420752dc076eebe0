"""Verdicts and recordings as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from grader.judging.instants import clock, several_days, times_in
from grader.judging.row_causes import notes_hold
from grader.judging.verdict import Criterion, Verdict
from grader.judging.wording.failure_text import ended_early_text
from grader.judging.wording.value_text import row_text, rows_text, value_text
from grader.scenario import Event, Scenario, Variant
from grader.scenario.recording import Recording

STATUS_TEXT = {
    "passed": "passed",
    "failed": "not passed",
    "error": "error",
    "timeout": "timed out",
    "not_attempted": "not attempted",
}
SHOWN_EVENTS = 12
# what a check does in its next run, by the name of the variant
NEXT_RUN = {
    "merged": "next: the same events in fewer micro-batches",
    "shifted": "next: micro-batches that end elsewhere",
    "settings": "next: other settings",
    "crash": "next: a kill between output and commit, and a restart",
}


def points_text(points: float) -> str:
    return f"{points:g}"


def verdict_text(verdict: Verdict, title: str = "") -> str:
    """The verdict as text for a terminal."""
    mark = "✓" if verdict.passed else "✗"
    head = f"{mark} {verdict.exercise} {title}".rstrip()
    score = f"{points_text(verdict.score)} of {points_text(verdict.max_score)} points"
    lines = [f"{head}: {STATUS_TEXT[verdict.status]} ({score}, {verdict.seconds:.1f} s)"]
    lines += _criteria_lines(verdict.criteria)
    if verdict.diagnosis:
        lines.append(f"  → {verdict.diagnosis.title}")
        lines.append(f"      {verdict.diagnosis.hint}")
    return "\n".join(lines)


def so_far_text(verdict: Verdict, left: Sequence[Variant]) -> str:
    """What a check has decided while runs are left: the criteria that these cannot change, and the next run."""
    regrouped = {variant.name for variant in left} & {"merged", "shifted"}
    decided = [one for one in verdict.criteria if not (regrouped and one.name == "batching")]
    coming = NEXT_RUN.get(left[0].name, "next: another run")
    return "\n".join([verdict.exercise, *_criteria_lines(decided), f"  {coming} …"])


def _criteria_lines(criteria: Iterable[Criterion]) -> list[str]:
    lines = []
    for criterion in criteria:
        first, *rest = criterion.message.splitlines() or [""]
        lines.append(f"  {'✓' if criterion.passed else '✗'} {criterion.name}: {first}")
        lines += [f"      {line}" for line in rest]
    return lines


def recording_text(recording: Recording, scenario: Scenario, right: Recording | None = None) -> str:
    """What a query did, step by step: events in, watermark, dropped and kept rows, rows out.

    The run `right` is the solution's: the author's notes on events appear if they are true for both.
    """
    if right is not None:
        scenario = with_true_notes(scenario, right, recording)
    lines, days, failure = [], goes_over_days(recording, scenario), recording.failure
    if failure and not recording.batches:
        lines.append("Nothing was read: it ended before a micro-batch ran.")
    for step in range(1, recording.steps + 1):
        # a row of the step in which Python raised an exception may be to blame
        blamed = failure is not None and failure.kind == "udf" and failure.step == step
        if failure and not recording.of_step(step) and not blamed:
            continue
        lines.append(f"step {step}: " + summary_of(recording, step, days=days))
        of_step = scenario.of_step(step)
        lines += [f"    in   {event_text(event, days=days)}" for event in some_of(of_step)]
        if len(of_step) > SHOWN_EVENTS:
            lines.append(f"    in   … and {len(of_step) - SHOWN_EVENTS} more")
        out = [row for batch in recording.of_step(step) for row in batch.rows]
        lines += [f"    out  {row_text(row, days=days)}" for row in out[:SHOWN_EVENTS]]
        if len(out) > SHOWN_EVENTS:
            lines.append(f"    out  … and {len(out) - SHOWN_EVENTS} more")
    if failure:
        lines.append(ended_early_text(failure))
    return "\n".join(lines)


def as_far_as_it_ran(recording: Recording, scenario: Scenario) -> tuple[Recording, Scenario]:
    """A run and its events; if it ended early, without the steps that it never reached."""
    if recording.failure is None:
        return recording, scenario
    ran = max((batch.step for batch in recording.batches), default=1)
    last = min(max(ran, recording.failure.step or 1), recording.steps)
    events = [event for event in scenario.events if event.step <= last]
    clocks = {step: time for step, time in scenario.clocks.items() if step <= last}
    return replace(recording, steps=last), Scenario(events, last, clocks)


def goes_over_days(recording: Recording, scenario: Scenario) -> bool:
    """Whether the watermarks of a run, or the times of its events, are on several days: then times need dates."""
    times = times_in([event.value for event in scenario.events])
    return several_days([*times, *(batch.watermark for batch in recording.batches)])


def summary_of(recording: Recording, step: int, *, days: bool = False) -> str:
    """One line on a step: watermark after it, dropped rows, rows in state."""
    if not recording.of_step(step):
        return "no micro-batch ran"
    parts = []
    if any(batch.watermark for batch in recording.batches):
        watermark = recording.watermark_after(step)
        parts.append(f"watermark {clock(watermark, days=days)}")
        parts.append(f"{recording.dropped_in(step)} dropped as late")
    if any(batch.operators for batch in recording.batches):
        parts.append(f"{rows_text(recording.state_after(step))} in state")
    out = sum(len(batch.rows) for batch in recording.of_step(step))
    return ", ".join([*parts, f"{rows_text(out)} out"])


def event_text(event: Event, *, days: bool = False) -> str:
    value = event.value
    text = (
        row_text(value, days=days)
        if isinstance(value, dict) and "base64" not in value
        else value_text(value)
    )
    key = "" if event.key is None else f"key={event.key} · "
    return f"{event.input}: {key}{text}" + (f"   ← {event.note}" if event.note else "")


def some_of(events: list[Event]) -> list[Event]:
    """The first SHOWN_EVENTS events, in their order; those with a note go before the others."""
    by_note = sorted(enumerate(events), key=lambda numbered: not numbered[1].note)
    return [event for _, event in sorted(by_note[:SHOWN_EVENTS], key=lambda numbered: numbered[0])]


def with_true_notes(scenario: Scenario, right: Recording, recording: Recording) -> Scenario:
    """The scenario without the notes that say what became of events otherwise than in this run."""
    events = [
        event if notes_hold(event.step, right, recording) else replace(event, note="")
        for event in scenario.events
    ]
    return replace(scenario, events=events)
