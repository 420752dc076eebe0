"""Why a query shows nothing, or no more: what was seen of it, read as a person who knows streams reads it."""

from __future__ import annotations

from dataclasses import replace

from grader.live_query import event_time_reasons, input_reasons, output_reasons, phrases
from grader.live_query.observation import Observation, Reason

__all__ = ["Observation", "Reason", "reason_of"]

# The first that fits is the one to mend first.
_LOOKS = (
    input_reasons.failed,
    input_reasons.no_input,
    event_time_reasons.wrong_unit,
    event_time_reasons.no_time,
    input_reasons.unread,
    event_time_reasons.all_late,
    event_time_reasons.closes_with_next_batch,
    event_time_reasons.one_side_empty,
    output_reasons.filtered_after_state,
    event_time_reasons.held_back,
    event_time_reasons.window_open,
    output_reasons.compares_with_null,
    event_time_reasons.join_without_match,
    output_reasons.kept_back,
    output_reasons.not_counted,
    output_reasons.own_state,
    output_reasons.taken_away,
    output_reasons.emitted,
)
# these say by themselves how the query ended
_END_REASONS = ("failed", "never_ran", "checkpoint_read_all")


def reason_of(seen: Observation) -> Reason:
    """The one cause to mend first; what came out, and what else is open, is said beside it."""
    for look in _LOOKS:
        found = look(seen)
        if found is not None:
            end = "" if found.cause in _END_REASONS else phrases.how_it_ended(seen)
            return replace(found, happened=phrases.sentences(found.happened, end))
    text = phrases.sentences(phrases.so_far(seen), phrases.how_it_ended(seen))
    return Reason("unknown", text, "Nothing in its progress says why.")
