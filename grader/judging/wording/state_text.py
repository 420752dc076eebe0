"""What is said of rows that are kept: how many, why so many, and what evicts them."""

from __future__ import annotations

from grader.judging.finding import Finding
from grader.judging.wording.message import About, Texts, message
from grader.judging.wording.value_text import rows_text
from grader.judging.wording.watermark_text import (
    BEFORE_STATE,
    COVER,
    gap_text,
    no_watermark_text,
)

# by the start of a stateful operator's name in Spark's progress
_EVICTION = {
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
_GROUPS = (
    "A group leaves the state store when the watermark passes the event time in its key.",
    "Let the key of the grouping hold a window or the event-time column.",
)


def _state_bounded(_: About, kept: list[int], processors: bool) -> str:
    lists = processors * "; a list is one row, however long"
    return f"State stays bounded (rows kept after each step: {_series(kept)}{lists})."


def _state_left(_: About, kept: list[int], left: int, why: Finding) -> str:
    happened = (
        "You were asked to keep no more than is needed. The rows kept after each step are "
        f"{_series(kept)}; at the end {left} should be left."
    )
    means, do = _why_kept(why)
    return message(happened, means=means, do=do)


def _state_grows(_: About, kept: list[int], enough: int, why: Finding) -> str:
    happened = (
        f"You were asked for small state. It grows to {rows_text(max(kept))} ({_series(kept)}); "
        f"{enough} are enough."
    )
    means, do = _why_kept(why)
    return message(happened, means=means, do=do)


def _series(kept: list[int]) -> str:
    return ", ".join(map(str, kept))


def _why_kept(why: Finding) -> tuple[str, str]:
    """Why a run keeps more than the solution, and what evicts it."""
    fields = why.fields
    if why.kind == "no_watermark":
        do = "Set withWatermark before the operator that keeps state."
        if fields["columns"]:
            do = "One withWatermark on each input, before the first operator that keeps state, is enough."
        return f"{no_watermark_text(fields['columns'])} So no row is ever too old to be kept.", do
    if why.kind == "watermark_after_state":
        return (
            "Your query sets its watermark behind the operator that keeps state, and does not reach it.",
            BEFORE_STATE,
        )
    if why.kind == "late_watermark":
        return f"{gap_text(fields['gap'])} What is newer than the watermark stays.", COVER
    if why.kind == "more_operators":
        return (
            f"Operators of your query that keep state: {fields['count']}, each for itself; {fields['needed']} would do.",
            "Ask of each grouping, join and deduplication what it is there for.",
        )
    name = fields["name"]
    return next((said for start, said in _EVICTION.items() if name.startswith(start)), _GROUPS)


STATE_TEXTS: Texts = {
    "state_bounded": _state_bounded,
    "state_left": _state_left,
    "state_grows": _state_grows,
}
