"""Why a query shows nothing, or nothing more: what was seen of it, as a streaming engineer reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from grader.live_query import (
    event_time_reasons,
    file_reasons,
    input_reasons,
    join_reasons,
    lateness_reasons,
    null_reasons,
    output_reasons,
    phrases,
    plan_reasons,
    state_reasons,
)
from grader.live_query.observation import Observation, Reason

__all__ = ["Observation", "Reason", "reason_of"]

_Look = Callable[[Observation], Reason | None]
# the strongest first
_LOOKS: tuple[_Look, ...] = (
    input_reasons.unseen,
    input_reasons.damaged_checkpoint,
    input_reasons.failed,
    input_reasons.silent_broker,
    input_reasons.missing_topic,
    input_reasons.no_input,
    event_time_reasons.wrong_unit,
    event_time_reasons.no_time,
    input_reasons.unread,
    input_reasons.lost_records,
    input_reasons.open_transaction,
    lateness_reasons.all_late,
    lateness_reasons.far_time,
    lateness_reasons.partitions_apart,
    event_time_reasons.closes_with_next_batch,
    plan_reasons.narrowed_join,
    join_reasons.one_side_empty,
    output_reasons.filtered_after_state,
    event_time_reasons.held_back,
    plan_reasons.timer_without_watermark,
    event_time_reasons.window_open,
    state_reasons.join_without_watermark,
    join_reasons.join_without_match,
    join_reasons.join_waits,
    output_reasons.compares_with_null,
    null_reasons.no_value,
    null_reasons.null_columns,
    plan_reasons.misnamed_column,
    output_reasons.kept_back,
    output_reasons.not_counted,
    output_reasons.own_state,
    output_reasons.taken_away,
    lateness_reasons.late_rows,
    lateness_reasons.future_time,
    output_reasons.some_duplicates,
    state_reasons.groups_of_one_batch,
    state_reasons.unused_watermark,
    state_reasons.endless_keys,
    state_reasons.expired_keys,
    file_reasons.file_too_old,
    file_reasons.file_changed,
    output_reasons.limit_used_up,
    output_reasons.emitted,
    output_reasons.sample_filtered,
    input_reasons.transaction_marks,
)
# These say where the query is now. One of them holds at a time: the first that fits.
_SITUATIONS = (
    input_reasons.unseen,
    input_reasons.failed,
    input_reasons.no_input,
    input_reasons.unread,
    event_time_reasons.closes_with_next_batch,
    output_reasons.filtered_after_state,
    event_time_reasons.window_open,
    join_reasons.join_without_match,
    join_reasons.join_waits,
    output_reasons.not_counted,
    output_reasons.own_state,
    output_reasons.taken_away,
    output_reasons.emitted,
)
_OPEN = {"window_open", "no_match", "join_waits", "emitted", "filtered", "own_state", "idle_source"}
# a cause → what it explains, which is then no cause of its own
_EXPLAINS = {
    "failed": {"idle_source", "emitted", "window_open", "future_time"},
    "wrong_unit": _OPEN | {"all_late", "late_rows", "far_time", "partitions_apart", "future_time"},
    "no_event_time": _OPEN,
    "all_late": _OPEN | {"late_rows"},
    "far_time": {"partitions_apart", "late_rows", "future_time"},
    "partitions_apart": {"late_rows"},
    "idle_source": {"window_open", "no_match", "join_waits"},
    "narrowed_join": {"no_match", "filtered", "emitted"},
    "timer_without_watermark": {"own_state"},
    "join_without_watermark": {"join_waits"},
    "no_value": {"null_columns"},
    "null_comparison": {"filtered"},
    "all_duplicates": {"duplicates", "filtered"},
    "limit_reached": {"filtered"},
    "ended": {"emitted"},
    "lost_records": {"gaps_in_offsets"},
}
# where the causes were seen that do not say it themselves
_SEEN_IN = {
    "narrowed_join": "the plan of the query",
    "null_comparison": "the plan of the query",
    "far_time": "the newest records of the topic and the watermark",
    "partitions_apart": "the newest records of the topic and Spark's progress reports",
    "filtered_input": "the newest records of the topic, taken through the plan",
    "empty_topic": "the offsets of the topics",
    "starting_latest": "the offsets of the topics and of the checkpoint",
    "checkpoint_read_all": "the offsets of the topics and of the checkpoint",
    "window_open": "Spark's progress reports and the query's state",
}
_PROGRESS = "Spark's progress reports"
# these say by themselves how the query ended
_END_REASONS = ("unseen", "failed", "never_ran", "checkpoint_read_all")


def reason_of(seen: Observation) -> Reason:
    """The strongest cause, with the others that also hold."""
    causes = [_finished(seen, cause) for cause in _independent(_found(seen))]
    if not causes:
        text = phrases.sentences(phrases.so_far(seen), phrases.how_it_ended(seen))
        causes = [Reason("unknown", text, "Nothing in its progress says why.")]
    first, others = causes[0], causes[1:]
    if first.cause not in _END_REASONS and seen.failure is None:
        end = phrases.how_it_ended(seen)
        first = replace(first, happened=phrases.sentences(first.happened, end))
    if seen.unseen:
        note = f"  Not seen: {', '.join(dict.fromkeys(seen.unseen))}."
        first = replace(first, details=(*first.details, note))
    said = phrases.so_far(seen)
    return replace(
        first,
        others=tuple(replace(one, happened=_without(one.happened, said)) for one in others),
    )


def _found(seen: Observation) -> list[Reason]:
    """All causes that fit, the strongest first."""
    found: list[Reason] = []
    is_placed = False
    for look in _LOOKS:
        is_situation = look in _SITUATIONS
        if is_placed and is_situation:
            continue
        cause = look(seen)
        if cause is not None:
            is_placed = is_placed or is_situation
            found.append(cause)
    return found


def _independent(causes: list[Reason]) -> list[Reason]:
    """The causes that no stronger one explains; one of each name."""
    kept: list[Reason] = []
    for cause in causes:
        explained = {name for one in kept for name in {one.cause} | _EXPLAINS.get(one.cause, set())}
        if cause.cause not in explained:
            kept.append(cause)
    return kept


def _finished(seen: Observation, cause: Reason) -> Reason:
    return (
        cause if cause.evidence else replace(cause, evidence=_SEEN_IN.get(cause.cause, _PROGRESS))
    )


def _without(text: str, said: str) -> str:
    return text.removeprefix(said).strip() or text
