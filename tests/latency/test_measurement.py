"""A measurement on a real broker and a Spark of its own."""

import pytest

from grader.latency.measurement import MeasurementError, measure
from grader.latency.tuning import DEFAULT, PARTITIONS, REAL_TIME, Tuning
from grader.latency.workloads import WORKLOADS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
SHORT = {"rate": 50.0, "warm_up": 4.0, "seconds": 4.0}


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_record_of_the_measured_time_is_there(workload: str) -> None:
    found = measure(workload, PARTITIONS.on(DEFAULT), **SHORT)
    records = SHORT["rate"] * SHORT["seconds"]
    if workload == "stateless":  # keeps the even keys
        records /= 2
    assert found.latencies.count == pytest.approx(records, rel=0.1)
    assert found.latencies.negative == 0
    assert 0 < found.latencies.at(50) <= found.latencies.at(99)
    with_rows = [batch for batch in found.batches if batch.rows]
    assert with_rows
    for batch in with_rows:
        assert 0 < batch.parts["addBatch"] <= max(batch.parts.values()) <= batch.seconds


def test_real_time_mode_is_measured_like_the_rest() -> None:
    found = measure("stateless", REAL_TIME.on(DEFAULT), **SHORT)
    assert found.latencies.count == pytest.approx(100, rel=0.1)


def test_a_query_that_cannot_be_says_why() -> None:
    with pytest.raises(MeasurementError, match="the query"):
        measure(
            "stateless",
            Tuning("wrong", options={"asyncProgressTrackingEnabled": "perhaps"}),
            **SHORT,
        )
