"""A query with state in Python leaves a thread of Java behind, and the thread its session: both are let go."""

from pathlib import Path

import pytest

from grader.authoring.lesson_source import read_lessons
from grader.authoring.proof import Bench
from grader.runtime.leaked_threads import end_stray_threads
from grader.runtime.spark_internals.context_internals import WORKER_MONITOR
from grader.runtime.spark_internals.java_gateway import java
from grader.scenario import Variant

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_what_queries_with_state_in_python_leave_behind_is_ended(bench: Bench) -> None:
    lessons = read_lessons(ROOT / "solutions")
    (pages,) = [x for lesson in lessons for x in lesson.exercises if x.exercise.id == "10.1"]
    end_stray_threads(bench.spark, some=0)
    assert bench.record(pages, pages.solution, Variant("as_is", pages.public)).failure is None
    many = 1 << 20  # how many are started at all depends on whether this Java has played before
    assert end_stray_threads(bench.spark, some=many) == [], "few are not worth a look at each"
    ended = end_stray_threads(bench.spark, some=0)
    assert ended
    assert {thread.getName()[: len(WORKER_MONITOR)] for thread in ended} == {WORKER_MONITOR}
    for thread in ended:
        thread.join(10_000)
    assert not any(thread.isAlive() for thread in ended)
    assert end_stray_threads(bench.spark, some=0) == []


def test_the_threads_of_sparks_own_workers_stay(bench: Bench) -> None:
    end_stray_threads(bench.spark, some=0)
    twice = bench.spark.range(3).rdd.map(lambda row: row.id * 2)
    assert twice.collect() == [0, 2, 4]
    assert any(name.startswith(WORKER_MONITOR) for name in _names(bench))
    assert end_stray_threads(bench.spark, some=0) == []
    assert twice.collect() == [0, 2, 4]


def _names(bench: Bench) -> list[str]:
    """Of all threads of this Java."""
    jvm = java(bench.spark)
    return [thread.getName() for thread in jvm.java.lang.Thread.getAllStackTraces().keySet()]


def test_a_java_that_is_gone_is_no_matter_here() -> None:
    class Gone:
        @property
        def _jvm(self) -> None:
            raise ConnectionRefusedError("gone")

    assert end_stray_threads(Gone(), some=0) == []  # type: ignore[arg-type]
