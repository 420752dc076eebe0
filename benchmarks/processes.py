"""A warm play of solutions for which Spark starts processes, with fewer of them.

Baseline, in the same run, play by play in turn: the same play where Spark starts each Python worker of the
driver, and `rm` for each folder of a state store.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import Any

from table import Row, parser, progress, show

from grader.authoring.lesson_source import ExerciseSource, read_lessons
from grader.authoring.proof import Bench, open_bench
from grader.runtime.python_workers import fork_workers
from grader.runtime.spark_internals.context_internals import delete_within_java
from grader.scenario import variants_of

ROOT = Path(__file__).resolve().parents[1]
EXERCISES = {
    "10.1": "transformWithState",
    "11.1": "ten stores in RocksDB",
    "15.1": "a source in Python",
}


def main() -> None:
    arguments = parser(times=5).parse_args()
    lessons = read_lessons(ROOT / "solutions")
    sources = [s for lesson in lessons for s in lesson.exercises if s.exercise.id in EXERCISES]
    rows = []
    with open_bench() as bench:
        for source in sources:
            fewer, all_of_them = [], []
            for turn in range(arguments.times + 1):
                fewer.append(seconds(bench, source, few=True))
                all_of_them.append(seconds(bench, source, few=False))
                progress(
                    f"{source.exercise.id}, {turn}: {fewer[-1]:.2f} s, {all_of_them[-1]:.2f} s"
                )
            what = f"warm play of {source.exercise.id} ({EXERCISES[source.exercise.id]})"
            # the first of each does not count
            rows.append(
                Row(what, "s", statistics.median(fewer[1:]), statistics.median(all_of_them[1:]))
            )
    show(rows, arguments)


def seconds(bench: Bench, source: ExerciseSource, *, few: bool) -> float:
    context: Any = bench.spark.sparkContext
    if few:
        fork_workers(context)
        delete_within_java(context)
    else:
        context.pythonExec = sys.executable
        delete_within_java(context, so=False)
    variant = variants_of(source.exercise, source.public)[0]
    began = time.monotonic()
    done = bench.record(source, source.solution, variant)
    assert done.failure is None, done.failure
    return time.monotonic() - began


if __name__ == "__main__":
    main()
