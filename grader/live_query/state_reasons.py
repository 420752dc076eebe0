"""Reasons in the state that operators keep: forever, for a delay, or for one micro-batch only."""

from __future__ import annotations

from grader.live_query import phrases
from grader.live_query.observation import EndlessState, Observation, Reason, operators_of

_PLAN = "the plan of the query"


def unused_watermark(seen: Observation) -> Reason | None:
    """An aggregation below whose keys a watermark is set, and that has no event time among its keys."""
    if not any(one.kind == "aggregate" and one.watermark for one in seen.endless):
        return None
    columns = ", ".join(f"`{stream.column}`" for stream in seen.streams)
    return Reason(
        "unused_watermark",
        f"The query sets a watermark on {columns}, and its aggregation does not use it.",
        "The grouping key has no event time. So the watermark drops no late row and removes no state, and each key "
        "stays in state forever.",
        'To count by time, add F.window("event_time", "1 minute") to groupBy, with the column and the length that '
        "you need. To count over all time, leave withWatermark out.",
        evidence=_PLAN,
    )


def endless_keys(seen: Observation) -> Reason | None:
    """A deduplication whose keys no watermark removes."""
    if not any(one.kind == "deduplicate" for one in seen.endless):
        return None
    return Reason(
        "endless_keys",
        f"The columns of dropDuplicates hold no event time with a watermark. {_held(seen, 'dedupe')}".strip(),
        "Each key stays in state forever, and the state grows with each new key.",
        "Use dropDuplicatesWithinWatermark, which forgets a key after the delay. Or add the event-time column to the "
        "columns, if a duplicate has the same event time.",
        evidence=_PLAN,
    )


def expired_keys(seen: Observation) -> Reason | None:
    """A deduplication within the watermark that has removed keys: such a key counts as new when it comes again."""
    within = any(step.text == "dropDuplicatesWithinWatermark" for step in seen.of("deduplicate"))
    removed = sum(
        operator.get("numRowsRemoved", 0)
        for event in seen.batches
        for operator in operators_of(event)
        if operator.get("operatorName") == "dedupeWithinWatermark"
    )
    if not within or not removed:
        return None
    delays = ", ".join(phrases.length(stream.delay) for stream in seen.streams)
    return Reason(
        "expired_keys",
        f"dropDuplicatesWithinWatermark has removed {removed} key{'s' if removed != 1 else ''} from its state.",
        "A key is kept until the watermark passes the event time of its first row by the delay. A row with this key "
        "that comes later counts as new.",
        f"If duplicates are emitted, set a longer delay than {delays}: as long as two duplicates can be apart.",
    )


def join_without_watermark(seen: Observation) -> Reason | None:
    """A join of streams in which an input has no watermark, and whose rows wait."""
    join = next((one for one in seen.endless if one.kind == "stream_join"), None)
    if join is None or not seen.held or not _waits_forever(join):
        return None
    names = " and ".join(join.inputs)
    return Reason(
        "join_without_watermark",
        f"{phrases.so_far(seen)} {names} {'have' if len(join.inputs) > 1 else 'has'} no watermark. "
        f"{_held(seen, 'Join')}".strip(),
        "A join keeps a row in state until the watermark says that no partner can come any more. Without a watermark "
        "nothing says so: rows stay in state forever"
        + (", and none is emitted without a partner." if "outer" in join.text else "."),
        "Call withWatermark on both inputs before the join. In its condition limit the time between the two rows, "
        "for instance: tapped BETWEEN clicked AND clicked + INTERVAL 2 MINUTES.",
        evidence=_PLAN,
    )


def groups_of_one_batch(seen: Observation) -> Reason | None:
    """applyInPandas, whose groups are those of one micro-batch."""
    if not seen.has("batch_groups"):
        return None
    return Reason(
        "groups_of_one_batch",
        "The query calls a function by applyInPandas, once for each group of each micro-batch.",
        "applyInPandas keeps no state. A group holds the rows of one micro-batch only, so a key that comes again in "
        "a later micro-batch begins a new group.",
        "For groups over the whole stream use applyInPandasWithState or transformWithState.",
        evidence=_PLAN,
    )


def _waits_forever(join: EndlessState) -> bool:
    return "outer" in join.text or not join.watermark


def _held(seen: Observation, name: str) -> str:
    """The rows in the state of the operators that Spark calls so."""
    held = sum(one["numRowsTotal"] for one in seen.operators if name in one.get("operatorName", ""))
    if not held:
        return ""
    return f"{phrases.rows(held)} {'is' if held == 1 else 'are'} in its state."
