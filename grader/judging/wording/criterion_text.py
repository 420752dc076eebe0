"""The message of a criterion: the sentences of its finding's kind, with what was found filled in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.judging.finding import Finding
from grader.judging.play import Play
from grader.judging.row_causes import Change
from grader.judging.row_differences import RowDifference
from grader.judging.watermark_gap import WatermarkGap
from grader.judging.wording.call_text import wrong_calls
from grader.judging.wording.difference_text import SHOWN, change_text, counts_text, difference_text
from grader.judging.wording.fact_text import figures_of_fact, said_by_suite
from grader.judging.wording.failure_text import failed_run_text
from grader.judging.wording.message import About, message_of
from grader.judging.wording.sentences import sentence, words_of
from grader.judging.wording.state_text import series, why_kept
from grader.judging.wording.value_text import row_text, rows_text
from grader.judging.wording.watermark_text import drops_text, gap_text, why_dropped_text
from grader.scenario import Exercise

Values = dict[str, Any]


def criterion_text(exercise: Exercise, play: Play, why: Finding) -> str:
    """The message of a criterion; its first line says what happened."""
    about = About(exercise, play)
    if why.kind == "failure":
        return failed_run_text(about, **why.fields)
    values = _VALUES[why.kind](about, **why.fields) if why.kind in _VALUES else why.fields
    return message_of(f"criterion.{why.kind}", **{"look": about.look, **values})


def _rows_wrong(
    about: About,
    difference: RowDifference,
    step: int | None,
    why: Finding | None,
    gap: WatermarkGap | None,
) -> Values:
    what, details = difference_text(about, difference)
    late, cause = drops_text(about.play, step), ""
    if why:
        cause = f"{late} {why_dropped_text(why)}"
    else:
        details += [text for text in (late, gap_text(gap, blamed=False)) if text]
    fix = about.look
    if about.exercise.outputs and not difference.emitted:
        calls = ", ".join(f'kafka.topic("{name}")' for name in about.exercise.outputs)
        fix = sentence("criterion.rows_wrong.topics", calls=calls, look=fix)
    return {"difference": what, "details": details, "cause": cause, "fix": fix}


def _batching_wrong(about: About, difference: RowDifference) -> Values:
    what, details = difference_text(about, difference)
    how = words_of("criterion.batching_wrong")[about.play.variant.name]
    return {"how": how, "difference": what, "details": details}


def _settings_rows(about: About, difference: RowDifference) -> Values:
    what, details = difference_text(about, difference)
    name = next(iter(about.exercise.other_conf))
    settings = _settings_text(about)
    return {"settings": settings, "difference": what, "details": details, "name": name}


def _settings_fact(about: About, why: Finding) -> Values:
    fact = criterion_text(about.exercise, about.play, why)
    return {"settings": _settings_text(about), "fact": fact}


def _settings_text(about: About) -> str:
    exercise = about.exercise
    settings = exercise.other_conf.items()
    return ", ".join(
        sentence(
            "criterion.settings_rows.setting", name=name, value=value, first=exercise.conf[name]
        )
        for name, value in settings
    )


def _row_at_other_step(about: About, gap: WatermarkGap | None, **values: Any) -> Values:
    said = gap_text(gap)
    elsewhere = gap is not None and gap.other_columns  # whatever holds the row up
    values["row"] = row_text(values["row"])
    return {**values, "details": [said] if elsewhere else [], "cause": "" if elsewhere else said}


def _watermark_wrong(_: About, gap: WatermarkGap, longer: bool, after_state: bool) -> Values:
    waits = "longer" if longer else "less long"
    fix = sentence("watermark.before_state" if after_state else "watermark.cover")
    return {"waits": waits, "gap": gap_text(gap), "fix": fix}


def _state(_: About, kept: list[int], why: Finding, **values: Any) -> Values:
    cause, fix = why_kept(why)
    return {
        **values, "kept": series(kept), "most": rows_text(max(kept)), "why": cause, "fix": fix,
    }  # fmt: skip


def _state_bounded(_: About, kept: list[int], processors: bool) -> Values:
    lists = words_of("criterion.state_bounded.of_lists") if processors else ""
    return {"kept": series(kept), "lists": lists}


def _restart_wrong(about: About, changes: list[Change], means: str) -> Values:
    if means in ("twice", "counted_twice") and about.exercise.writes_to:
        means += "_in_table"
    details = [f"{change.kind}: {change_text(change)}" for change in changes[:SHOWN]]
    return {"counts": counts_text(changes), "details": details, **words_of(f"restart.{means}")}


_VALUES: dict[str, Callable[..., Values]] = {
    "rows_right": lambda _, count: {"rows": rows_text(count)},
    "rows_wrong": _rows_wrong,
    "unseen_rows_wrong": lambda _, changes: {"counts": counts_text(changes)},
    "row_at_other_step": _row_at_other_step,
    "watermark_wrong": _watermark_wrong,
    "late_row_kept": lambda _, step, why: {"step": step, "cause": why_dropped_text(why)},
    "row_dropped": lambda _, step, rows, why: {
        "step": step, "rows": rows_text(rows), "cause": why_dropped_text(why),
    },
    "state_bounded": _state_bounded,
    "state_left": _state,
    "state_grows": _state,
    "batching_wrong": _batching_wrong,
    "settings_rows": _settings_rows,
    "settings_fact": _settings_fact,
    "restart_wrong": _restart_wrong,
    "first_play_left_something": lambda _, step, changes: {
        "step": step, "counts": counts_text(changes),
    },
    "calls_wrong": wrong_calls,
    "fact_met": figures_of_fact,
    "fact_not_met": figures_of_fact,
    "fact_unmeasured": figures_of_fact,
    "suite_wrong": said_by_suite,
}  # fmt: skip
