"""Processing time under the scenario's own clock, on the real Spark; and what is said where there is none."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor

from grader.authoring.proof import Bench
from grader.judging.wording.failure_text import failure_text
from grader.replay.replay import Answer, replay
from grader.scenario import Exercise, Input, Variant, scenario_from_lines
from grader.scenario.events import ScenarioError
from grader.scenario.recording import Recording

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
SENSORS = Exercise.from_dict(
    {
        "id": "99.3",
        "title": "Silent sensors",
        "answer": "silent",
        "takes": ["readings"],
        "inputs": {"readings": {"schema": "sensor STRING"}},
        "conf": {"spark.sql.streaming.stateStore.providerClass": ROCKSDB},
    }
)


def lines(clocks: list[str]) -> list[dict[str, Any]]:
    return [
        {"step": n, "clock": f"2026-03-01T{clock}Z", "input": "readings", "value": {"sensor": name}}
        for n, (clock, name) in enumerate(zip(clocks, "abba", strict=False), start=1)
    ]


def silent(readings: DataFrame) -> DataFrame:
    def update(key: Any, chunks: Any, state: Any) -> Iterator[pd.DataFrame]:
        if state.hasTimedOut:
            state.remove()
            yield pd.DataFrame({"sensor": [key[0]], "what": ["silent"]})
            return
        state.update((1,))
        state.setTimeoutDuration(30_000)

    schema = "sensor STRING, what STRING"
    by_sensor = readings.groupBy("sensor")
    return by_sensor.applyInPandasWithState(
        update, schema, "n INT", "append", "ProcessingTimeTimeout"
    )


def forgotten(readings: DataFrame) -> DataFrame:
    class Seen(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: Any) -> None:
            self.seen = handle.getValueState("seen", "n INT", 30_000)

        def handleInputRows(self, key: Any, rows: Any, timers: Any) -> Iterator[Row]:  # noqa: N802
            yield Row(sensor=key[0], known=self.seen.exists())
            self.seen.update((1,))

        def close(self) -> None:
            pass

    by_sensor = readings.groupBy("sensor")
    return by_sensor.transformWithState(
        Seen(), "sensor STRING, known BOOLEAN", "Append", "ProcessingTime"
    )


def played(bench: Bench, answer: Answer, clocks: list[str]) -> Recording:
    scenario = scenario_from_lines(lines(clocks))
    return replay(
        bench.spark,
        bench.kafka,
        SENSORS,
        answer,
        Variant("as_is", scenario),
        look_into_state=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clocks", "silent_in"),
    [
        (["12:00:00", "12:00:29", "12:00:30.001", "12:00:31"], {3: ["a"]}),
        (["12:00:00", "12:00:29", "12:00:30", "12:00:31"], {}),
        (["12:00:00", "12:00:10", "12:00:20", "12:01:00"], {4: ["b"]}),
    ],
)
def test_a_timeout_passes_when_the_clock_says_so(
    bench: Bench, clocks: list[str], silent_in: dict[int, list[str]]
) -> None:
    recording = played(bench, silent, clocks)
    assert recording.failure is None
    by_step = {b.step: [row["sensor"] for row in b.rows] for b in recording.batches if b.rows}
    assert by_step == silent_in
    assert [batch.step for batch in recording.batches] == [1, 2, 3, 4]


@pytest.mark.slow
def test_state_lives_as_long_as_its_ttl_by_that_clock(bench: Bench) -> None:
    recording = played(bench, forgotten, ["12:00:00", "12:00:10", "12:00:39", "12:00:31"][:3])
    assert recording.failure is None
    assert [batch.rows for batch in recording.batches] == [
        [{"sensor": "a", "known": False}],
        [{"sensor": "b", "known": False}],
        [{"sensor": "b", "known": True}],
    ]
    last = recording.batches[-1].state
    assert {row["variable"] for row in last} == {"seen"} and any(
        "b" in row.values() for row in last
    )


@pytest.mark.slow
def test_all_variables_and_timers_are_in_the_recorded_state(bench: Bench) -> None:
    def answer(readings: DataFrame) -> DataFrame:
        class Everything(StatefulProcessor):  # type: ignore[misc]
            """One variable of each kind, and a timer a minute from each row."""

            def init(self, handle: Any) -> None:
                self.handle = handle
                self.last = handle.getValueState("last", "n INT, s STRING")
                self.names = handle.getListState("names", "name STRING")
                self.pages = handle.getMapState("pages", "sensor STRING", "n INT")

            def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803
                for row in rows:
                    self.last.update((1, "x"))
                    self.names.appendValue((row.sensor,))
                    self.pages.updateValue((row.sensor,), (3,))
                    self.handle.registerTimer(int(row.at.timestamp() * 1000) + 60_000)
                yield Row(sensor=key[0])

            def close(self) -> None:
                pass

        timed = readings.withWatermark("at", "0 seconds").groupBy("sensor")
        return timed.transformWithState(Everything(), "sensor STRING", "Append", "EventTime")

    schema = {"readings": Input("sensor STRING, at TIMESTAMP", "at")}
    exercise = replace(SENSORS, inputs=schema)
    value = {"sensor": "a", "at": "2026-03-01T12:00:00Z"}
    scenario = scenario_from_lines([{"step": 1, "input": "readings", "value": value}])
    recording = replay(
        bench.spark,
        bench.kafka,
        exercise,
        answer,
        Variant("as_is", scenario),
        look_into_state=True,
    )
    assert recording.failure is None
    assert sorted(recording.batches[-1].state, key=lambda row: row["variable"]) == [
        {"variable": "last", "sensor": "a", "n": 1, "s": "x"},
        {"variable": "names", "sensor": "a", "name": "a"},
        {"variable": "pages", "sensor": "a", "user_map_key.sensor": "a", "n": 3},
        {"variable": "timers", "sensor": "a", "expiration_timestamp_ms": 1772366460000},
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "by"), [(silent, "ProcessingTimeTimeout"), (forgotten, "ProcessingTime")]
)
def test_without_a_clock_such_a_query_is_refused_at_once(
    bench: Bench, answer: Answer, by: str
) -> None:
    scenario = scenario_from_lines([{"step": 1, "input": "readings", "value": {"sensor": "a"}}])
    recording = replay(bench.spark, bench.kafka, SENSORS, answer, Variant("as_is", scenario))
    assert recording.failure is not None
    assert (recording.failure.kind, recording.failure.fields) == ("processing_time", {"by": by})
    assert f"uses the clock instead of event time: {by}." in failure_text(recording.failure)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"clock": "2026-03-01T12:00:00Z"}, "later than the one before"),
        ({}, "once one step has a clock, all do"),
    ],
)
def test_clocks_that_cannot_be_are_refused(changed: dict[str, str], said: str) -> None:
    first, second = lines(["12:00:00", "12:00:10"])
    del second["clock"]
    with pytest.raises(ScenarioError, match=said):
        scenario_from_lines([first, {**second, **changed}])


def test_a_clock_goes_to_lines_and_back() -> None:
    scenario = scenario_from_lines(lines(["12:00:00", "12:00:10"]))
    assert scenario_from_lines(scenario.to_lines()) == scenario
