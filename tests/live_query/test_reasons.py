"""Which causes are read from an observation, in which order, and with which words: without Spark."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.live_query import reason_of
from grader.live_query.observation import (
    MissingColumn,
    NarrowedJoin,
    Observation,
    Passed,
    Reason,
    Sample,
    SampledTime,
    Sink,
    Step,
    TimedStream,
    Topic,
)
from grader.scenario.recording import Failure

NOW = "2026-11-28T12:00:00+00:00"


def at(clock: str, day: str = "2026-03-01") -> str:
    return f"{day}T{clock}Z"


def batch(number: int = 0, out: int = 0, **operator: Any) -> dict[str, Any]:
    """The progress report of a micro-batch, with the metrics of one stateful operator, if any."""
    name = operator.pop("name", "stateStoreSave")
    metrics = {"numRowsTotal": 0, "numRowsUpdated": 0, "numRowsRemoved": 0, **operator}
    return {
        "batchId": number,
        "durationMs": {"addBatch": 1},
        "eventTime": {"watermark": at("10:00:00"), "min": at("09:30:00"), "max": at("10:05:00")},
        "sink": {"numOutputRows": out},
        "stateOperators": [{"operatorName": name, **metrics}] if operator else [],
    }


def windows(**given: Any) -> Observation:
    """A query that counts by windows: one row came out, two wait."""
    fields: dict[str, Any] = {
        "active": True,
        "progress": [batch(0, 1, numRowsTotal=2, numRowsUpdated=2)],
        "now": NOW,
        "records": {"clicks": 4},
        "topics": {"clicks": Topic(4)},
        "streams": [TimedStream(("clicks",), "t", 300_000, at("10:05:00"), 4)],
        "watermark": at("10:00:00"),
        "window_ends": [at("10:10:00")],
        "steps": [Step("aggregate")],
    }
    return Observation(**{**fields, **given})


def causes(seen: Observation) -> list[str]:
    reason = reason_of(seen)
    return [reason.cause, *(one.cause for one in reason.others)]


def test_the_first_cause_is_the_message_and_the_others_follow_under_their_numbers() -> None:
    late = [batch(0, 1, numRowsTotal=2, numRowsDroppedByWatermark=3)]
    damage = ["the file metadata is missing"]
    text = reason_of(windows(progress=late, damage=damage)).text()
    assert text.startswith("The checkpoint of this query is damaged.")
    assert "\n\n2. 2 rows wait in state" in text and "\n\n3. Spark reports 3 rows dropped" in text
    assert text.count("Seen in: ") == 3


def test_all_times_of_one_date_are_given_with_it_and_with_its_distance_from_today() -> None:
    assert (
        "All event times here are of 2026-03-01 (UTC), 272 days before today."
        in reason_of(windows()).text()
    )
    future = [TimedStream(("clicks",), "t", 300_000, at("10:05:00", "2031-03-01"), 4)]
    ends = [at("10:10:00", "2031-03-01")]
    progress = [batch(0, 1, numRowsTotal=2)]
    progress[0]["eventTime"] = {"watermark": at("10:00:00", "2031-03-01")}
    seen = windows(
        streams=future, window_ends=ends, watermark=at("10:00:00", "2031-03-01"), progress=progress
    )
    assert causes(seen) == ["window_open", "future_time"]
    assert "2031-03-01 (UTC), 1554 days after today" in reason_of(seen).text()


def test_groups_by_time_without_a_window_get_an_answer() -> None:
    text = reason_of(windows(window_ends=[])).text()
    assert "2 rows wait in state; the watermark is 10:00:00." in text
    assert "Send later events." in text


def sampled(*times: tuple[int, str]) -> dict[str, Sample]:
    """A sample of events in order: partition and time."""
    given = tuple(SampledTime(part, n, time) for n, (part, time) in enumerate(times))
    return {"clicks": Sample(len(given), len(given), times=given)}


def test_an_event_far_ahead_of_those_after_it_comes_before_the_window_that_it_opened() -> None:
    times = [at(f"10:0{n}:00") for n in range(5)]
    far = at("10:04:00", "2031-03-01")
    samples = sampled((0, times[0]), (0, far), *((0, time) for time in times[1:]))
    streams = [TimedStream(("clicks",), "t", 60_000, far, 6)]
    seen = windows(samples=samples, streams=streams, window_ends=[at("10:05:00", "2031-03-01")])
    assert causes(seen)[:2] == ["far_time", "window_open"]
    text = reason_of(seen).text()
    assert "2031-03-01 10:04:00 (partition 0, offset 1)" in text and "2026-03-01 10:04:00" in text
    assert "has not come yet by this machine's clock" in text


@pytest.mark.parametrize(
    "times",
    [
        [at("10:00:00"), at("10:01:00"), at("10:00:30")],  # out of order by less than an hour
        [at("10:00:00"), at("10:01:00"), at("10:00:00", "2026-03-02")],  # the next morning
    ],
)
def test_times_in_their_order_and_small_disorder_are_no_far_times(times: list[str]) -> None:
    streams = [TimedStream(("clicks",), "t", 60_000, max(times), 3)]
    seen = windows(samples=sampled(*((0, time) for time in times)), streams=streams)
    assert "far_time" not in causes(seen)


def test_a_partition_that_lags_is_named_with_its_times_before_the_open_window() -> None:
    samples = sampled(
        *((part, at(f"{9 + part:02d}:{n:02d}:00")) for n in range(9) for part in (0, 1))
    )
    dropped = [batch(0, 1, numRowsTotal=2, numRowsDroppedByWatermark=12)]
    seen = windows(samples=samples, progress=dropped)
    assert causes(seen) == ["partitions_apart", "window_open"]
    text = reason_of(seen).text()
    assert "Partition 0 of clicks is 1 h behind partition 1 in event time" in text
    assert "  partition 0: events from 09:00:00 to 09:08:00" in text
    assert "partitions_apart" not in causes(windows(samples=samples))  # no row was late


def joined(out: int = 1, kind: str = "left outer", **given: Any) -> Observation:
    fields: dict[str, Any] = {
        "progress": [batch(0, out, name="symmetricHashJoin", numRowsTotal=7)],
        "records": {"left": 6, "right": 1},
        "topics": {"left": Topic(6), "right": Topic(1)},
        "streams": [
            TimedStream(("left",), "t", 60_000, at("10:30:00"), 6),
            TimedStream(("right",), "ct", 60_000, at("10:01:30"), 1),
        ],
        "watermark": at("10:00:30"),
        "window_ends": [],
        "steps": [Step("stream_join", kind)],
    }
    return windows(**{**fields, **given})


def test_a_join_names_the_side_that_holds_the_time_back_whether_rows_came_out_or_not() -> None:
    for out in (0, 1):
        text = reason_of(joined(out)).text()
        assert "7 rows wait in" in text and "here that of right" in text
        assert "Send later events to right: its newest event is of 10:01:30" in text
        assert "holds the time back at 10:00:30" in text


def test_a_side_without_rows_is_named_beside_a_row_that_came_out() -> None:
    assert causes(joined(records={"left": 6, "right": 0}))[0] == "idle_source"
    assert causes(joined(kind="inner")) == ["emitted"]


def test_a_join_that_spark_has_narrowed_is_told_with_the_condition() -> None:
    narrowed = NarrowedJoin("left outer", "inner", "(tapped = 'x')")
    seen = joined(narrowed=narrowed)
    assert causes(seen)[0] == "narrowed_join" and "join_waits" not in causes(seen)
    assert "left outer join, and Spark runs it as an inner join" in reason_of(seen).text()


def test_a_failed_query_keeps_the_causes_of_another_kind_beside_its_error() -> None:
    seen = windows(
        active=False,
        failure=Failure("query", "ValueError: x"),
        damage=["the folder state is missing or empty"],
        misnamed=[MissingColumn("applyInPandasWithState", "average", "avg")],
    )
    assert causes(seen) == ["damaged_checkpoint", "failed", "misnamed_column"]
    assert "It was stopped" not in reason_of(seen).text()


def test_a_known_error_of_a_failed_query_is_told_with_one_page_to_read_on() -> None:
    lost = "Some data may have been lost because they are not available in Kafka any more"
    told = reason_of(windows(active=False, failure=Failure("query", lost))).text()
    assert told.count("Read more: https://spark.apache.org/docs/latest/streaming/") == 1


def test_transactions_are_counted_by_their_records() -> None:
    samples = {"clicks": Sample(3, 8)}
    seen = windows(samples=samples)
    assert causes(seen)[-1] == "gaps_in_offsets"
    assert "In 8 offsets of clicks there are 3 records." in reason_of(seen).text()
    waiting = windows(topics={"clicks": Topic(4, open=2)})
    assert "open_transaction" in causes(waiting)


def test_lost_records_and_a_topic_that_was_made_again_are_told() -> None:
    assert causes(windows(topics={"clicks": Topic(4, lost=3)}))[0] == "lost_records"
    assert (
        "deleted and created again"
        in reason_of(windows(topics={"clicks": Topic(1, beyond=True)})).text()
    )


def test_what_one_input_loses_is_told_beside_the_rows_of_another() -> None:
    stopped = Passed(Step("filter", "(page = 'Home')"), 5, 0)
    seen = Observation(
        True,
        progress=[batch(0, 3)],
        records={"web": 3, "kiosk": 5},
        samples={"kiosk": Sample(5, 5, passed=(stopped,))},
    )
    assert causes(seen) == ["emitted", "filtered_input"]


def test_timers_without_a_watermark_are_named_and_those_with_one_get_its_time() -> None:
    own = Step("own_state", "transformWithState", timed=True)
    operator = {"name": "transformWithStateExec", "numRowsTotal": 1}
    seen = windows(steps=[own], progress=[batch(0, 0, **operator)], window_ends=[], mode="update")
    assert causes(seen) == ["own_state"]
    assert "the watermark is 2026-03-01 10:00:00" in reason_of(seen).text()
    assert causes(replace(seen, streams=[])) == ["timer_without_watermark"]


TIMES = st.sampled_from(
    [at("10:00:00"), at("10:30:00.5"), at("09:00:00", "2031-03-01"), "1970-01-01T00:00:00Z", "1970-01-21T08:00:00Z",
     "+58134-01-01T00:00:00Z"]
)  # fmt: skip
STEPS = st.builds(
    Step,
    st.sampled_from(
        [
            "filter",
            "table_join",
            "stream_join",
            "explode",
            "python",
            "limit",
            "deduplicate",
            "aggregate",
            "own_state",
        ]
    ),
    st.sampled_from(["inner", "left outer", "(a = NULL)", "2", "x"]),
    st.booleans(),
)
COUNTS = st.integers(0, 3)
PROGRESS = st.builds(
    lambda number, out, name, metrics: batch(number, out, name=name, **metrics),
    COUNTS,
    st.integers(-1, 3),
    st.sampled_from(["stateStoreSave", "symmetricHashJoin", "applyInPandasWithState", "dedupe"]),
    st.fixed_dictionaries(
        dict.fromkeys(
            ("numRowsTotal", "numRowsUpdated", "numRowsRemoved", "numRowsDroppedByWatermark"),
            COUNTS,
        )
    ),
)
NAMES = st.sampled_from(["web", "kiosk"])
SAMPLES = st.builds(
    Sample,
    rows=COUNTS,
    offsets=COUNTS,
    values=st.lists(st.binary(max_size=9), max_size=2).map(tuple),
    columns=st.just(("a", "b")),
    empty=st.lists(st.sampled_from(["a", "b"]), unique=True).map(tuple),
    schema=st.none() | st.just({"fields": [{"name": "a", "type": "integer"}]}),
    times=st.lists(
        st.builds(
            SampledTime,
            COUNTS,
            COUNTS,
            st.sampled_from([at("10:00:00"), at("09:00:00", "2031-03-01")]),
        )
    ).map(tuple),
    passed=st.lists(
        st.builds(
            Passed,
            st.builds(Step, st.sampled_from(["filter", "explode"]), st.just("x")),
            COUNTS,
            COUNTS,
        )
    ).map(tuple),
)
OBSERVATIONS = st.builds(
    Observation,
    active=st.booleans(),
    failure=st.none() | st.just(Failure("query", "x")),
    progress=st.lists(PROGRESS, max_size=3),
    whole=st.booleans(),
    resumed=st.booleans(),
    kept=st.booleans(),
    mode=st.sampled_from(["append", "update", "complete"]),
    interval=st.sampled_from([0, 10_000]),
    now=st.just(NOW),
    sink=st.builds(Sink, st.sampled_from(["kafka", "memory", "foreachBatch", "file", "console"])),
    topics=st.dictionaries(NAMES, st.builds(Topic, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS)),
    records=st.none() | st.dictionaries(NAMES, COUNTS),
    streams=st.lists(
        st.builds(
            TimedStream,
            NAMES.map(lambda name: (name,)),
            st.just("t"),
            st.just(60_000),
            st.none() | TIMES,
            COUNTS,
        ),
        max_size=2,
    ),
    policy=st.sampled_from(["min", "max"]),
    watermark=st.none() | TIMES,
    window_ends=st.lists(TIMES, max_size=2),
    steps=st.lists(STEPS, max_size=3),
    samples=st.dictionaries(NAMES, SAMPLES),
    narrowed=st.none() | st.just(NarrowedJoin("left outer", "inner", "")),
    unseen=st.lists(st.just("its plan"), max_size=1),
)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(OBSERVATIONS)
def test_whatever_is_seen_there_is_an_answer_with_its_evidence_and_none_twice(
    seen: Observation,
) -> None:
    reason = reason_of(seen)
    assert isinstance(reason, Reason) and reason.text()
    found = [reason, *reason.others]
    assert len({one.cause for one in found}) == len(found)
    assert all(one.happened and (one.evidence or one.cause == "unknown") for one in found)
