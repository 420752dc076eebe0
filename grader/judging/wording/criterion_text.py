"""What is said of each criterion: a sentence or more of what was found, by the kind of finding."""

from __future__ import annotations

from grader.judging.finding import Finding
from grader.judging.play import Play
from grader.judging.row_causes import Change
from grader.judging.row_differences import RowDifference
from grader.judging.rows import Row
from grader.judging.watermark_gap import WatermarkGap
from grader.judging.wording.call_text import CALL_TEXTS
from grader.judging.wording.difference_text import counts_text, difference_text
from grader.judging.wording.fact_text import FACT_TEXTS
from grader.judging.wording.failure_text import failed_run_text
from grader.judging.wording.message import About, Texts, message
from grader.judging.wording.restart_text import RESTART_TEXTS
from grader.judging.wording.state_text import STATE_TEXTS
from grader.judging.wording.value_text import row_text, rows_text
from grader.judging.wording.watermark_text import (
    BEFORE_STATE,
    COVER,
    drops_text,
    gap_text,
    why_dropped_text,
)
from grader.scenario import Exercise

_SENTENCES = {
    "not_played": "This part of the check did not run.",
    "hidden_right": "It is right on events that you have not seen, too.",
    "batching_right": "The answer is right however the events fall into batches.",
    "steps_right": "Every row came out at the right step.",
    "watermark_right": "The watermark stands where it should after every step.",
    "settings_right": "The answer is right with other settings, too.",
    "restart_right": "Killed before its commit and started again, the query gives the same answer.",
}


def criterion_text(exercise: Exercise, play: Play, why: Finding) -> str:
    """The message of a criterion; its first line says what happened."""
    if why.kind in _SENTENCES:
        return _SENTENCES[why.kind]
    return _TEXTS[why.kind](About(exercise, play), **why.fields)


def _rows_right(_: About, count: int) -> str:
    return f"The right rows came out ({rows_text(count)})."


def _unseen_rows_wrong(_: About, changes: list[Change]) -> str:
    return message(
        f"On events that you have not seen, the rows differ: {counts_text(changes)}",
        means="Your answer fits the events of the notebook, not the task.",
        do="Let nothing in it come from the events that you saw.",
    )


def _rows_wrong(
    about: About,
    difference: RowDifference,
    step: int | None,
    why: Finding | None,
    gap: WatermarkGap | None,
) -> str:
    happened, details = difference_text(about, difference)
    late = drops_text(about.play, step)
    if why:
        means = f"{late} {why_dropped_text(why)}"
    else:
        means = ""
        details += [text for text in (late, gap_text(gap, blamed=False)) if text]
    no_records = about.exercise.outputs and not difference.emitted
    do = _topic_names(about) if no_records else about.look
    return message(happened, details=details, means=means, do=do)


def _topic_names(about: About) -> str:
    calls = ", ".join(f'kafka.topic("{name}")' for name in about.exercise.outputs)
    return (
        f"The check's topics have names of their own: {calls}. If yours are right, no row came into them: "
        f"{about.look}"
    )


def _batching_wrong(about: About, difference: RowDifference) -> str:
    how = {"merged": "all at once", "shifted": "in other batches"}[about.play.variant.name]
    happened, details = difference_text(about, difference)
    return message(
        f"When the same events come {how}, the answer is wrong. {happened}",
        details=details,
        means="Your answer depends on how events happen to fall into micro-batches, which nobody chooses.",
        do="Count on event time, watermark and state alone, not on the batch or the clock.",
    )


def _row_at_other_step(
    about: About, row: Row, came: int, due: int, gap: WatermarkGap | None
) -> str:
    happened = (
        "You were asked for each row at its step. The rows are right, but not when they come: "
        f"{row_text(row)} was due in step {due} and came out in step {came}."
    )
    said = gap_text(gap)
    if gap and gap.other_columns:  # it is elsewhere, whatever holds the row up
        return message(happened, details=[said], do=about.look)
    return message(happened, means=said, do=about.look)


def _watermark_wrong(_: About, gap: WatermarkGap, longer: bool, after_state: bool) -> str:
    waits = "longer" if longer else "less long"
    happened = (
        "You were asked for a certain patience. The rows are right, but your query waits "
        f"{waits} for late events. {gap_text(gap)}"
    )
    return message(happened, do=BEFORE_STATE if after_state else COVER)


def _late_rows_right(_: About, some: bool) -> str:
    return "Late rows were dropped, and only those." if some else "No row was dropped as late."


def _late_row_kept(about: About, step: int, why: Finding | None) -> str:
    happened = (
        f"Late rows are to be dropped. Step {step} brings one that is too late, and no watermark "
        "of your query dropped anything there."
    )
    return message(happened, means=why_dropped_text(why), do=about.look)


def _row_dropped(about: About, step: int, rows: int, why: Finding | None) -> str:
    happened = (
        "Rows that are late but not too late are to be kept. In step "
        f"{step} the watermark of your query dropped {rows_text(rows)}; it should drop none."
    )
    return message(happened, means=why_dropped_text(why), do=about.look)


def _settings_rows(about: About, difference: RowDifference) -> str:
    happened, details = difference_text(about, difference)
    name = next(iter(about.exercise.other_conf))
    do = (
        f'If the answer has such a value written down, take spark.conf.get("{name}"), which gives the one that '
        "holds."
    )
    return message(f"{_with_settings(about.exercise)} {happened}", details=details, do=do)


def _settings_fact(about: About, why: Finding) -> str:
    return f"{_with_settings(about.exercise)} {criterion_text(about.exercise, about.play, why)}"


def _with_settings(exercise: Exercise) -> str:
    values = [
        f"`{name}` is {value} in place of {exercise.conf[name]}"
        for name, value in exercise.other_conf.items()
    ]
    return f"The check runs once more with other settings: {', '.join(values)}. There the answer is wrong."


_TEXTS: Texts = {
    "failure": failed_run_text,
    "rows_right": _rows_right,
    "unseen_rows_wrong": _unseen_rows_wrong,
    "rows_wrong": _rows_wrong,
    "batching_wrong": _batching_wrong,
    "row_at_other_step": _row_at_other_step,
    "watermark_wrong": _watermark_wrong,
    "late_rows_right": _late_rows_right,
    "late_row_kept": _late_row_kept,
    "row_dropped": _row_dropped,
    "settings_rows": _settings_rows,
    "settings_fact": _settings_fact,
    **CALL_TEXTS,
    **FACT_TEXTS,
    **RESTART_TEXTS,
    **STATE_TEXTS,
}
