"""The measurement of growing state: real Spark on small heaps of its own."""

import pytest

import grader
from grader.state_growth import growth_measurement
from grader.state_growth.growth_measurement import (
    EXTENSION,
    LEAST_BATCHES,
    WARM_BATCHES,
    costs_of,
    is_over,
)

LOG = """\
[2026-03-01T12:00:00.100+0000] Using Serial
[2026-03-01T12:00:00.900+0000] GC(0) Pause Young (Allocation Failure) 20M->9M(60M) 50.000ms
[2026-03-01T12:00:01.500+0000] GC(1) Pause Young (Allocation Failure) 20M->9M(60M) 100.000ms
[2026-03-01T13:00:02.500+0100] GC(2) Pause Full (Allocation Failure) 58M->40M(60M) 400.000ms
[2026-03-01T12:00:09.000+0000] GC(3) Pause Full (System.gc()) 58M->40M(60M) 900.000ms
"""


def test_so_few_keys_that_nothing_would_be_measured_are_refused_at_once() -> None:
    with pytest.raises(ValueError, match="name 300,000 or more"):
        grader.measure_state(keys=200_000, heap_mb=100)


def test_each_pause_belongs_to_the_batch_in_which_it_was() -> None:
    warm = [{"start": "2026-03-01T12:00:00.000Z", "seconds": 0.1, "keys": 5}] * WARM_BATCHES
    batches = [
        *warm,
        {"start": "2026-03-01T12:00:01.000Z", "seconds": 2.0, "keys": 10},
        {"start": "2026-03-01T12:00:03.000Z", "seconds": 1.0, "keys": 20},
    ]
    first, second = costs_of(batches, LOG)
    assert (first.keys, first.seconds) == (10, 2.0)
    assert (first.paused, first.longest) == (pytest.approx(0.5), pytest.approx(0.4))
    assert (second.keys, second.paused, second.longest) == (20, 0, 0)


@pytest.mark.slow
def test_the_heap_pauses_with_many_keys_and_rocksdb_does_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    heap, rocksdb = grader.measure_state(keys=900_000)
    assert heap.store == "heap" and rocksdb.store == "RocksDB"
    assert rocksdb.costs and heap.costs  # how far each comes is the machine's affair
    assert heap.longest > 4 * rocksdb.longest
    assert "The longest pause was" in capsys.readouterr().out


def test_a_machine_that_is_too_busy_for_the_limit_still_gets_a_comparison() -> None:
    assert is_over(29, 28, LEAST_BATCHES)
    assert not is_over(29, 28, LEAST_BATCHES - 1)
    assert is_over(28 * EXTENSION + 1, 28, LEAST_BATCHES - 1)


def test_why_a_java_ended_is_its_error_and_no_warning_before_it(tmp_path):
    log = tmp_path / "spark.log"
    log.write_text("WARNING: Using incubator modules\n12:00 ERROR Executor: no room\nat a.B\n")
    assert growth_measurement._reason_in(log) == "an error: 12:00 ERROR Executor: no room"
    log.write_text("12:00 ERROR Executor: task\njava.lang.OutOfMemoryError: Java heap space\n")
    assert growth_measurement._reason_in(log) == "out of memory"
    log.write_text("WARNING: Using incubator modules\n")
    assert growth_measurement._reason_in(log) == f"ended; what it wrote is in {log}"
