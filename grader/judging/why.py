"""Why a running query shows nothing: its progress, read as a person who knows streams reads it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from grader.judging.mends import explain
from grader.judging.message import told
from grader.judging.rows import clock, moment
from grader.replay.recording import Failure


@dataclass(frozen=True)
class Observation:
    """A streaming query as it was found.

    `progress` are Spark's progress events, oldest first; `topics` the records per topic
    (name → count); `window_ends` the ends of the windows that wait in state (ISO 8601);
    `resumed` whether the checkpoint had read something before this run.
    """

    active: bool
    failure: Failure | None = None
    status: str = ""
    progress: list[dict[str, Any]] = field(default_factory=list)
    topics: dict[str, int] = field(default_factory=dict)
    window_ends: list[str] = field(default_factory=list)
    resumed: bool = False


@dataclass(frozen=True)
class Reason:
    """The cause found, and what to do: `happened`, what it `means`, what to `do`."""

    cause: str
    happened: str
    means: str
    do: str

    def text(self) -> str:
        return told(self.happened, means=self.means, do=self.do)


def reason_of(seen: Observation) -> Reason:
    """The one cause that explains best why there is no output."""
    for look in (
        _failed,
        _emitted,
        _not_started,
        _no_input,
        _all_late,
        _no_event_time,
        _idle_source,
        _waiting,
        _nothing_left,
    ):
        found = look(seen)
        if found is not None:
            return found
    return Reason(
        "unknown",
        f"The query took in {_rows_in(seen)} rows and gave out none.",
        "Nothing in its progress says why.",
        "Look at the plan (query.explain()) and at the rows before each operator.",
    )


def _failed(seen: Observation) -> Reason | None:
    if seen.failure is None:
        return None
    return Reason("failed", "The query has stopped with an error. " + explain(seen.failure), "", "")


def _emitted(seen: Observation) -> Reason | None:
    rows = sum(max(0, event.get("sink", {}).get("numOutputRows", 0)) for event in _ran(seen))
    if rows <= 0:
        return None
    return Reason(
        "emitted",
        f"The query has given out {rows} row{'s' if rows != 1 else ''}.",
        "They are in its sink.",
        "Read the sink: the output topic from its earliest offset, or the table by its name.",
    )


def _not_started(seen: Observation) -> Reason | None:
    if seen.progress:
        return None
    if seen.active and seen.resumed and "Waiting for data" in seen.status:
        return _read_before()
    if seen.active:
        return Reason(
            "first_batch",
            f"The query runs, but its first micro-batch has not ended ({seen.status or 'it is at work'}).",
            "Until then there is no progress to look at.",
            "Wait for it with query.processAllAvailable(), then ask again.",
        )
    return Reason(
        "never_ran",
        "The query has ended without a single micro-batch.",
        "It was stopped before its first trigger, or there was nothing to read when it started.",
        "Send events first, or start it again and leave it running.",
    )


def _no_input(seen: Observation) -> Reason | None:
    if _rows_in(seen) > 0:
        return None
    held = sum(seen.topics.values())
    if seen.topics and held == 0:
        return Reason(
            "empty_topic",
            f"Nothing has come in: {_names(seen.topics)} holds no records.",
            "A query without input has nothing to say.",
            "Send events, and compare the topic's name with the one that the producer writes to.",
        )
    if seen.resumed:
        return _read_before()
    began = seen.progress[0].get("sources", [])
    if held and any(source.get("startOffset") is None for source in began):
        return Reason(
            "starting_latest",
            f"Nothing has come in, though {_names(seen.topics)} holds {held} records.",
            "Without a checkpoint a Kafka source begins at the latest offset: what was there before is not read.",
            'Set .option("startingOffsets", "earliest") and start with a fresh checkpoint.',
        )
    waiting = "Waiting for next trigger" in seen.status
    return Reason(
        "waiting_for_trigger" if waiting else "no_input",
        "No row has come in yet" + (": the query waits for its next trigger." if waiting else "."),
        "A micro-batch starts only when its trigger fires."
        if waiting
        else "The sources had nothing to read.",
        "Use a shorter trigger." if waiting else "Send events, then ask again.",
    )


def _read_before() -> Reason:
    return Reason(
        "checkpoint_read_all",
        "Nothing new has come in: the checkpoint says that all that is there was read before.",
        "A query goes on where its checkpoint stopped, even if you have changed the query since.",
        "Send new events, or start with a fresh checkpoint folder to read the old ones again.",
    )


def _all_late(seen: Observation) -> Reason | None:
    dropped = sum(
        op.get("numRowsDroppedByWatermark", 0) for event in _ran(seen) for op in _operators(event)
    )
    if not dropped or _kept(seen):
        return None
    return Reason(
        "all_late",
        f"All rows that reached the stateful operator were dropped as late ({dropped}); "
        f"the watermark stands at {clock(_watermark(seen))}.",
        "Their event time is behind the watermark, and their windows are closed.",
        "Look for one event from the future that moved the watermark, or allow more lateness in withWatermark.",
    )


def _no_event_time(seen: Observation) -> Reason | None:
    newest = [
        event["eventTime"]["max"] for event in _ran(seen) if "max" in event.get("eventTime", {})
    ]
    # Spark counts a null time as 1970; where no row got as far as the watermark there is no max
    if not newest or not all(time.startswith("1970") for time in newest):
        return None
    return Reason(
        "no_event_time",
        "The watermark has never moved: no row had an event time that could be read.",
        "A time that does not parse is null, and null moves no watermark; no window will ever close.",
        "Show the event-time column of a few rows; compare its text with the type or the format you parse it with.",
    )


def _idle_source(seen: Observation) -> Reason | None:
    sources = _sources_in(seen)
    idle = [name for name, rows in sources.items() if rows == 0]
    if not _stateful(seen) or len(sources) < 2 or not idle:
        return None
    return Reason(
        "idle_source",
        f"One input has brought nothing yet: {', '.join(idle)}.",
        "With several watermarks the smallest counts (policy `min`); an input that is silent holds it back for all.",
        "Send events to it, or set spark.sql.streaming.multipleWatermarkPolicy to max if its silence must not count.",
    )


def _waiting(seen: Observation) -> Reason | None:
    held = sum(op.get("numRowsTotal", 0) for op in _operators(_ran(seen)[-1])) if _ran(seen) else 0
    watermark = _watermark(seen)
    if not held or not _stateful(seen):
        return None
    if any("Join" in op.get("operatorName", "") for op in _operators(_ran(seen)[-1])):
        return Reason(
            "no_match",
            f"{held} rows wait in the join's state (watermark {clock(watermark)}); no pair has matched yet.",
            "An inner join gives out a row when its partner comes, an outer join when the watermark says that "
            "none can come any more.",
            "Compare the keys and the times of the two inputs.",
        )
    told = f"{held} row{'s wait' if held != 1 else ' waits'} in state; the watermark stands at {clock(watermark)}"
    newest = _newest(seen)
    if seen.window_ends and watermark is not None and newest is not None:
        end = min(seen.window_ends, key=moment)
        delay = moment(newest) - moment(watermark)
        needed = (moment(end) + delay).isoformat()
        return Reason(
            "window_open",
            f"{told}, and the first window ends at {clock(end)}.",
            "In append mode a window comes out when the watermark has passed its end.",
            f"Send an event later than {clock(needed)} (the window's end and the delay of {delay.seconds} s).",
        )
    return Reason(
        "state_waits",
        f"{told}.",
        "The operator gives out its rows when the watermark has passed them.",
        "Send later events.",
    )


def _nothing_left(seen: Observation) -> Reason | None:
    if _stateful(seen) and _kept(seen):
        return None
    return Reason(
        "filtered",
        f"{_rows_in(seen)} rows came in and none was left: a filter or a join before the sink took them all.",
        "A comparison with null counts as false, and a JSON value that does not fit its schema is null.",
        "Show the parsed rows without the filter; look for nulls first.",
    )


def _ran(seen: Observation) -> list[dict[str, Any]]:
    return [event for event in seen.progress if "addBatch" in event.get("durationMs", {})]


def _rows_in(seen: Observation) -> int:
    return sum(event.get("numInputRows", 0) for event in seen.progress)


def _operators(event: dict[str, Any]) -> list[dict[str, Any]]:
    return event.get("stateOperators", []) or []


def _stateful(seen: Observation) -> bool:
    return any(_operators(event) for event in _ran(seen))


def _kept(seen: Observation) -> bool:
    """Whether a row ever got into state."""
    return any(op.get("numRowsUpdated", 0) for event in _ran(seen) for op in _operators(event))


def _sources_in(seen: Observation) -> dict[str, int]:
    """Rows by source over the whole run, each called by its topic."""
    rows: dict[str, int] = {}
    for event in seen.progress:
        for source in event.get("sources", []):
            name = source.get("description", "?").removeprefix("KafkaV2[Subscribe[").rstrip("]")
            rows[name] = rows.get(name, 0) + source.get("numInputRows", 0)
    return rows


def _watermark(seen: Observation) -> str | None:
    known = [
        e["eventTime"]["watermark"] for e in _ran(seen) if e.get("eventTime", {}).get("watermark")
    ]
    return None if not known or known[-1].startswith("1970") else known[-1]


def _newest(seen: Observation) -> str | None:
    known = [e["eventTime"]["max"] for e in _ran(seen) if e.get("eventTime", {}).get("max")]
    return max(known, key=moment) if known else None


def _names(topics: dict[str, int]) -> str:
    return ("topic " if len(topics) == 1 else "topics ") + ", ".join(sorted(topics))
