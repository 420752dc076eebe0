"""Causes of queries that run and emit rows, and still do not do what was meant: without Spark."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from grader.live_query import reason_of
from grader.live_query.file_source import file_inputs
from grader.live_query.observation import (
    EndlessState,
    FileInput,
    Observation,
    Sample,
    Step,
    TimedStream,
    Topic,
)

STREAM = TimedStream(("clicks",), "event_time", 20_000, "2026-03-01T12:00:30Z", 4)


def ran(operator: dict[str, Any] | None = None, out: int = 2, **given: Any) -> Observation:
    """A query that has emitted rows in one micro-batch, with the metrics of its stateful operator."""
    report = {
        "batchId": 0,
        "durationMs": {"addBatch": 1},
        "sink": {"numOutputRows": out},
        "stateOperators": [{"numRowsTotal": 0, **operator}] if operator else [],
    }
    fields: dict[str, Any] = {"records": {"clicks": 4}, "topics": {"clicks": Topic(4)}}
    return Observation(**{"active": True, "progress": [report], **fields, **given})


def causes(seen: Observation) -> list[str]:
    reason = reason_of(seen)
    return [reason.cause, *(one.cause for one in reason.others)]


def test_a_watermark_that_the_grouping_does_not_use_is_named_with_its_column() -> None:
    counts = EndlessState("aggregate", watermark=True)
    seen = ran(mode="update", steps=[Step("aggregate")], streams=[STREAM], endless=[counts])
    assert causes(seen) == ["unused_watermark", "emitted"]
    assert "a watermark on `event_time`" in reason_of(seen).text()


def test_running_counts_without_a_watermark_are_no_fault() -> None:
    seen = ran(mode="update", steps=[Step("aggregate")], endless=[EndlessState("aggregate")])
    assert causes(seen) == ["emitted"]


def test_a_key_without_event_time_stays_forever() -> None:
    steps, endless = [Step("deduplicate", "dropDuplicates")], [EndlessState("deduplicate")]
    seen = ran({"operatorName": "dedupe", "numRowsTotal": 3}, steps=steps, endless=endless)
    assert causes(seen) == ["endless_keys", "emitted"]
    assert "3 rows are in its state." in reason_of(seen).text()


@pytest.mark.parametrize(("removed", "first"), [(1, "expired_keys"), (0, "emitted")])
def test_a_key_that_the_watermark_has_removed_counts_as_new(removed: int, first: str) -> None:
    operator = {"operatorName": "dedupeWithinWatermark", "numRowsRemoved": removed}
    steps = [Step("deduplicate", "dropDuplicatesWithinWatermark")]
    seen = ran(operator, steps=steps, streams=[STREAM])
    assert causes(seen)[0] == first
    assert ("a longer delay than 20 s" in reason_of(seen).text()) == bool(removed)


@pytest.mark.parametrize(
    ("kind", "watermark", "first"),
    [
        ("inner", False, "join_without_watermark"),
        ("inner", True, "emitted"),  # a watermark on one input may suffice
        ("left outer", True, "join_without_watermark"),
    ],
)
def test_a_join_without_a_watermark_keeps_its_rows(kind: str, watermark: bool, first: str) -> None:
    endless = [EndlessState("stream_join", kind, ("clicks",), watermark)]
    operator = {"operatorName": "symmetricHashJoin", "numRowsTotal": 4}
    seen = ran(operator, steps=[Step("stream_join", kind)], endless=endless)
    assert causes(seen)[0] == first


def test_the_groups_of_apply_in_pandas_are_those_of_one_micro_batch() -> None:
    seen = ran(steps=[Step("batch_groups")])
    assert causes(seen) == ["groups_of_one_batch", "emitted"]


@pytest.mark.parametrize(("without", "first"), [(2, "no_value"), (0, "emitted")])
def test_records_without_a_value_are_tombstones(without: int, first: str) -> None:
    sample = Sample(4, 4, columns=("page",), values=(b'{"page": 1}',), without_value=without)
    assert causes(ran(samples={"clicks": sample}))[0] == first


@pytest.mark.parametrize(("minimum", "first"), [("100", "below_minimum"), ("2", "at_work")])
def test_a_source_waits_for_its_minimum(minimum: str, first: str) -> None:
    options = {"clicks": {"minoffsetspertrigger": minimum}}
    seen = ran(topics={"clicks": Topic(6, unread=2)}, options=options)
    assert causes(seen)[0] == first


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("startingtimestamp", "no record was so new"),
        ("kafka.group.id", "consumer group"),
        ("subscribe", "begins at the latest offset"),
    ],
)
def test_where_a_source_began_is_told_by_its_options(option: str, said: str) -> None:
    seen = Observation(
        active=True,
        status="Waiting for data to arrive",
        records={"clicks": 0},
        topics={"clicks": Topic(2, before=2)},
        options={"clicks": {option: "clicks"}},
    )
    assert causes(seen)[0] == "starting_latest" and said in reason_of(seen).text()


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Step("filter", "(t > current_timestamp())"), "the clock of this machine, which is at"),
        (Step("table_join", "inner", files=True), "files added later are not in it"),
        (Step("table_join", "inner"), "finds it no more"),
    ],
)
def test_what_takes_rows_away_is_told_with_what_holds_of_it(step: Step, said: str) -> None:
    text = reason_of(ran(out=0, steps=[step], now="2026-11-28T12:00:00+00:00")).text()
    assert said in text
    assert ("spark.read" in text) == step.files


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Step("own_state", "transformWithState", clocked=True), "by the clock of this machine"),
        (Step("own_state", "transformWithState", timed=True), "later events advance it"),
    ],
)
def test_timers_are_told_with_their_time(step: Step, said: str) -> None:
    operator = {"operatorName": "transformWithStateInPySpark", "numRowsTotal": 1}
    seen = ran(operator, out=0, steps=[step], streams=[STREAM])
    assert "own_state" in causes(seen) and said in reason_of(seen).text()


def test_files_left_out_and_files_changed_are_named() -> None:
    seen = ran(files=[FileInput("/clicks", ("a.json", "b.json", "c.json", "d.json"), ("e.json",))])
    assert causes(seen) == ["file_too_old", "file_changed", "emitted"]
    assert "a.json, b.json, c.json and 1 more in /clicks" in reason_of(seen).text()


def test_a_folder_is_compared_with_the_log_of_its_source(tmp_path: Path) -> None:
    folder, log = tmp_path / "my clicks", tmp_path / "checkpoint" / "sources" / "0"
    folder.mkdir()
    log.mkdir(parents=True)
    now, week = 1_772_366_400, 7 * 86_400
    for name, when in {
        "read.json": now,
        "changed.json": now + 1,
        "old.json": now - week - 1,
        "new.json": now - week + 1,
        ".hidden.json": now - 2 * week,
    }.items():
        (folder / name).write_text("{}")
        os.utime(folder / name, (when, when))
    address = f"file://{folder}".replace(" ", "%20")
    entries = [
        {"path": f"{address}/{name}.json", "timestamp": now * 1000} for name in ("read", "changed")
    ]
    (log / "0").write_text("v1\n" + "\n".join(map(json.dumps, entries)))
    batches = [{"sources": [{"description": f"FileStreamSource[{address}]"}]}]
    found = file_inputs(batches, tmp_path / "checkpoint")
    assert found == [FileInput(str(folder), ("old.json",), ("changed.json",))]
    (given,) = file_inputs(batches, tmp_path / "checkpoint", {"maxfileage"})
    assert given.too_old == (), "it may be read yet"
    assert file_inputs([{"sources": [{"description": "KafkaV2[Subscribe[a]]"}]}], tmp_path) == []
