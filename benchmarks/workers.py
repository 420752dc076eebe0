"""A warm play of the solutions that start a Python worker on the driver, forked and as Spark starts it.

Baseline, in the same run, play by play in turn: the same play where Spark starts Python itself.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

from table import Row, parser, progress, show

from grader.authoring.prove import Bench, open_bench
from grader.authoring.source import ExerciseSource, read_lessons
from grader.runtime.python_workers import fork_workers
from grader.scenario import variants_of

ROOT = Path(__file__).resolve().parents[1]
EXERCISES = {"10.1": "transformWithState", "15.1": "a source in Python"}


def main() -> None:
    arguments = parser(times=5).parse_args()
    lessons = read_lessons(ROOT / "solutions")
    sources = [s for lesson in lessons for s in lesson.exercises if s.exercise.id in EXERCISES]
    rows = []
    with open_bench() as bench:
        for source in sources:
            forked, started = [], []
            for turn in range(arguments.times + 1):
                forked.append(seconds(bench, source, fork=True))
                started.append(seconds(bench, source, fork=False))
                progress(f"{source.exercise.id}, {turn}: {forked[-1]:.2f} s, {started[-1]:.2f} s")
            what = f"warm play of {source.exercise.id} ({EXERCISES[source.exercise.id]})"
            # the first of each does not count
            rows.append(
                Row(what, "s", statistics.median(forked[1:]), statistics.median(started[1:]))
            )
    show(rows, arguments)


def seconds(bench: Bench, source: ExerciseSource, *, fork: bool) -> float:
    context = bench.spark.sparkContext
    if fork:
        fork_workers(context)
    else:
        context.pythonExec = sys.executable
    variant = variants_of(source.exercise, source.public)[0]
    began = time.monotonic()
    done = bench.record(source, source.solution, variant)
    assert done.failure is None, done.failure
    return time.monotonic() - began


if __name__ == "__main__":
    main()
