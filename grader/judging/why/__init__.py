"""Why a query shows nothing, or no more: what was seen of it, read as a person who knows streams reads it."""

from __future__ import annotations

from dataclasses import replace

from grader.judging.why import event_time, incoming, outgoing, phrases
from grader.judging.why.observation import Observation, Reason

__all__ = ["Observation", "Reason", "reason_of"]

# The first that fits is the one to mend first.
_LOOKS = (
    incoming.failed,
    incoming.nothing_came,
    event_time.wrong_unit,
    event_time.no_time,
    incoming.unread,
    event_time.all_late,
    event_time.closes_with_next_batch,
    event_time.one_side_empty,
    outgoing.filtered_after_state,
    event_time.held_back,
    event_time.window_open,
    outgoing.compares_with_null,
    event_time.join_without_match,
    outgoing.kept_back,
    outgoing.not_counted,
    outgoing.own_state,
    outgoing.taken_away,
    outgoing.emitted,
)
# these say by themselves how the query ended
_TELL_THE_END = ("failed", "never_ran", "checkpoint_read_all")


def reason_of(seen: Observation) -> Reason:
    """The one cause to mend first; what came out, and what else is open, is said beside it."""
    for look in _LOOKS:
        found = look(seen)
        if found is not None:
            end = "" if found.cause in _TELL_THE_END else phrases.how_it_ended(seen)
            return replace(found, happened=phrases.sentences(found.happened, end))
    told = phrases.sentences(phrases.so_far(seen), phrases.how_it_ended(seen))
    return Reason("unknown", told, "Nothing in its progress says why.")
