"""Reasons in the output: rows that a part of the query removed, and rows that it did emit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.live_query import phrases
from grader.live_query.observation import Observation, Reason, Step

_NULL = re.compile(r"(?:^|[^<>=])(?:=|<>|[<>]=?) (?:CAST\()?NULL\b")
_CONDITION = (
    "A condition keeps only what is true: with a null in it the answer is unknown, and the row goes. A JSON value "
    "that does not fit its schema is null."
)
# by kind of step: what a row needs to get through
_MEANS = {
    "filter": _CONDITION,
    "table_join": "An inner join keeps a row whose key is in the table, and a null is equal to no key. It looks each "
    "row up once: a row that comes into the table later finds it no more.",
    "explode": "A row with an empty or null list has nothing to become.",
    "python": "Only the rows that the function yields go on.",
}


def filtered_after_state(seen: Observation) -> Reason | None:
    """Windows were closed, and a condition after the aggregation removed them."""
    closed = seen.total("numRowsRemoved")
    if seen.rows_out != 0 or not closed or not seen.waits_for_time or len(seen.operators) != 1:
        return None
    if not seen.has("filter"):
        return None
    waits = (
        f" {phrases.rows(seen.held)} more {'waits' if seen.held == 1 else 'wait'} in state."
        if seen.held
        else ""
    )
    return _taken(
        seen,
        f"{phrases.rows(closed)} left the aggregation, and none was left after.{waits}",
    )


def compares_with_null(seen: Observation) -> Reason | None:
    guilty = next((step.text for step in seen.of("filter") if _NULL.search(step.text)), None)
    if guilty is None:
        return None
    return Reason(
        "null_comparison",
        f"{phrases.so_far(seen)} The condition {phrases.short(guilty)} compares with null.",
        "A comparison with null is neither true nor false, and where() keeps only what is true.",
        "Ask with .isNull() or .isNotNull(), or compare with .eqNullSafe(…).",
    )


def kept_back(seen: Observation) -> Reason | None:
    """Operators that emit a row at once or never: duplicates, and rows beyond a limit."""
    if seen.rows_out or not seen.records_in:
        return None
    twice = seen.total("numDroppedDuplicateRows")
    if twice and not seen.total("numRowsUpdated"):
        name = next((step.text for step in seen.of("deduplicate")), "dropDuplicates")
        return Reason(
            "all_duplicates",
            f"{phrases.so_far(seen)} {name} knew all of it: Spark reports {phrases.rows(twice)} dropped as duplicates.",
            "The keys are in the query's state, from its checkpoint: a row with such a key is not emitted again.",
            "Send events with other keys; or look whether the columns of the key tell your events apart.",
        )
    limit = next(seen.of("limit"), None)
    if limit is not None and (seen.held or limit.text == "0"):
        return Reason(
            "limit_reached",
            f"{phrases.so_far(seen)} It has a limit({limit.text}), and nothing is left of that.",
            "On a stream a limit counts over the whole life of the query, restarts on its checkpoint included.",
            "Take the limit out, and cut where you read the sink.",
        )
    return None


def not_counted(seen: Observation) -> Reason | None:
    """foreachBatch and files: Spark does not count what was written."""
    if seen.rows_out is not None:
        return None
    suspect = _takers(seen)
    look = f" If nothing arrives there, look at {suspect}." if suspect else ""
    if seen.sink.kind == "foreachBatch":
        return Reason(
            "foreach_batch",
            f"Spark has called your function of foreachBatch for {phrases.batches(seen)}.",
            "How many rows each batch had, and what the function wrote, Spark does not count. (Its numInputRows "
            "counts a record once for each action of the function, because each action reads the batch again.)",
            "Print batch.count() in the function, and look where it writes. A function with several actions begins "
            f"with batch.persist() and ends with batch.unpersist().{look}",
        )
    return Reason(
        "not_counted",
        f"The query has run {phrases.batches(seen)}; of this sink Spark does not count the rows.",
        "Whether rows were written only the sink itself can tell.",
        f"Read it: {phrases.where_to_look(seen.sink)}.{look}",
    )


def own_state(seen: Observation) -> Reason | None:
    own = [op for op in seen.operators if "WithState" in op.get("operatorName", "")]
    if not own or seen.rows_out:
        return None
    return Reason(
        "own_state",
        f"{phrases.so_far(seen)} Your operator keeps {phrases.rows(own[0]['numRowsTotal'])} in state.",
        "An operator with your own state emits what the function yields, and nothing else.",
        "Look when the function yields: for every event, or only at a timeout that has not come.",
        _timer_time(seen),
    )


def _timer_time(seen: Observation) -> tuple[str, ...]:
    """Which time an operator's timers wait for, and where it is."""
    if any(step.clocked for step in seen.of("own_state")):
        return (
            "  Timers by processing time expire by the clock of this machine, not by the times of the events.",
        )
    if not any(step.timed for step in seen.of("own_state")) or not seen.streams:
        return ()
    mark = seen.batch_watermark
    where = f"the watermark is {phrases.dated(mark)}" if mark else "there is no watermark yet"
    return (
        f"  Timers by event time expire when the watermark passes them; {where}. It moves with events, not with the "
        "clock: later events advance it.",
    )


def limit_used_up(seen: Observation) -> Reason | None:
    """A limit that is reached: what comes later is left out."""
    limit = next(seen.of("limit"), None)
    if limit is None or not seen.rows_out or str(seen.rows_out) != limit.text:
        return None
    return Reason(
        "limit_reached",
        f"The query has a limit({limit.text}), and it has emitted as many rows.",
        "On a stream a limit counts over the whole life of the query. All that comes later is left out.",
        "Take the limit out, and cut where you read the sink.",
    )


def some_duplicates(seen: Observation) -> Reason | None:
    """Some rows were dropped as duplicates; others were emitted."""
    twice = seen.total("numDroppedDuplicateRows")
    if not twice:
        return None
    name = next((step.text for step in seen.of("deduplicate")), "dropDuplicates")
    return Reason(
        "duplicates",
        f"{name} has dropped {phrases.rows(twice)} as duplicates.",
        "A row whose key is in the query's state already is not emitted.",
        "If rows are missing, look whether the columns of the key tell your events apart.",
    )


def sample_filtered(seen: Observation) -> Reason | None:
    """A step that passes no row of a sample, in a query that has emitted rows of a different input."""
    for name, sample in seen.samples.items():
        stopped = next((one for one in sample.passed if one.before and not one.after), None)
        if stopped is None or not seen.rows_out:
            continue
        return Reason(
            "filtered_input",
            f"Of {phrases.records(sample.rows)} sampled from {name}, {_worded(stopped.step)} lets none through.",
            _MEANS[stopped.step.kind],
            f"Show the rows of this input just before {_worded(stopped.step)}.",
        )
    return None


def taken_away(seen: Observation) -> Reason | None:
    """Records came, none is left, and the plan shows what can have taken them."""
    if seen.rows_out != 0 or not seen.records_in or not _takers(seen):
        return None
    return _taken(seen, "None was left on the way.")


def emitted(seen: Observation) -> Reason | None:
    if not seen.rows_out:
        return None
    means = "All that was read has been worked on, and nothing waits to be emitted."
    if seen.held and seen.mode == "append" and (seen.waits_for_time or seen.has("stream_join")):
        means = f"{phrases.rows(seen.held)} {'waits' if seen.held == 1 else 'wait'} in state."
    if seen.mode == "complete":
        means = "In complete mode each micro-batch emits the whole result again."
    elif seen.mode == "update" and seen.has("aggregate"):
        means = "In update mode a row is emitted whenever it changes."
    return Reason(
        "emitted",
        phrases.sentences(
            f"The query has emitted {phrases.rows(seen.rows_out)}"
            f"{'' if seen.whole else f' in its last {len(seen.batches)} micro-batches'}.",
            phrases.late(seen),
        ),
        means,
        f"Look at the sink: {phrases.where_to_look(seen.sink)}.",
    )


def _taken(seen: Observation, where: str) -> Reason:
    steps = _suspects(seen)
    many = (
        "What can take rows away in this query: "
        if len(steps) > 1
        else "What takes rows away in this query is "
    )
    return Reason(
        "filtered",
        f"{phrases.so_far(seen)} {where} {many}{_takers(seen)}.",
        " ".join(dict.fromkeys([*(_MEANS[step.kind] for step in steps), *_further(steps, seen)])),
        f"Show the rows just before {_worded(steps[-1])}; look for nulls, spelling, and upper and lower case.",
        _passed(seen),
    )


def _further(steps: list[Step], seen: Observation) -> Iterator[str]:
    """What holds of these steps beyond their kind."""
    if any("current_timestamp()" in step.text or "now()" in step.text for step in steps):
        now = f", which is at {phrases.dated(seen.now)}" if seen.now else ""
        yield (
            f"current_timestamp() is the clock of this machine{now}. A condition on it removes events by their age "
            "when they are read."
        )
    if any(step.files for step in steps):
        yield (
            "The table is read from files, and Spark lists them when spark.read is called: files added later are not "
            "in it. Restart the query to see them, or read the table again for each micro-batch in foreachBatch."
        )


def _passed(seen: Observation) -> tuple[str, ...]:
    """What a sample of each input loses at each step; nothing if one step says all."""
    return tuple(
        f"  {name}: of {phrases.rows(one.before)} sampled, {one.after} after {_worded(one.step)}"
        for name, sample in seen.samples.items()
        if sum(passed.before > passed.after for passed in sample.passed) > 0
        and len(_suspects(seen)) > 1
        for one in sample.passed
    )


def _takers(seen: Observation) -> str:
    return ", ".join(dict.fromkeys(map(_worded, _suspects(seen))))


def _suspects(seen: Observation) -> list[Step]:
    """The steps that can remove rows; every window over a time adds an IS NOT NULL."""
    steps = [step for step in seen.of(*_MEANS) if "outer" not in step.text]
    own = [step for step in steps if not step.text.endswith("IS NOT NULL)")]
    return own or steps


def _worded(step: Step) -> str:
    return {
        "filter": f"the condition {phrases.short(step.text)}",
        "table_join": f"the {step.text} join with a table",
        "explode": f"{step.text}()",
        "python": f"your function in {step.text}",
    }[step.kind]
