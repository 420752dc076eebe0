"""A long lab: memory and seconds of a check after hundreds of checks in one session, against its beginning.

`ours` is the end of the session, `baseline` the checks from the 51st to the 100th, when all is warm.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import statistics
import time
from pathlib import Path

import psutil
from table import Row, parser, progress, show

import grader
from grader.learner.check import CheckFailed
from grader.runtime import spark_session
from grader.runtime.broker import broker_registry

ROOT = Path(__file__).resolve().parents[1]
SHARE = 50
MB = 1e6


def wrong(clicks):  # type: ignore[no-untyped-def]
    from pyspark.sql import functions as F

    timed = clicks.withWatermark("event_time", "5 minutes")
    return timed.groupBy(F.window("event_time", "5 minutes"), "page").agg(
        F.count("*").alias("clicks")
    )


def check() -> float:
    began = time.monotonic()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(CheckFailed):
        grader.check("03.2", wrong)
    return time.monotonic() - began


def java_seconds() -> float:
    """Processor time that Spark's Java has taken: it does not depend on what else runs."""
    assert spark_session._java is not None
    used = psutil.Process(spark_session._java.pid).cpu_times()
    return float(used.user + used.system)


def resident() -> dict[str, float]:
    """Megabytes of memory that the lab's processes hold, by process: PSS, as the kernel tells it.

    A page that several of them share, such as one of a class-data archive, counts once in all.
    """
    entry = json.loads(broker_registry().read_text())
    assert spark_session._java is not None
    java = psutil.Process(spark_session._java.pid)
    members = {
        "notebook": [psutil.Process()],
        "Spark": [java],
        "its workers": java.children(recursive=True),
        "broker": [psutil.Process(entry["java_pid"])],
        "guard": [psutil.Process(entry["pid"])],
    }
    return {
        name: sum(process.memory_full_info().pss for process in processes) / MB
        for name, processes in members.items()
    }


def main() -> None:
    arguments = parser(checks=500).parse_args()
    os.chdir(ROOT / "course" / "03_watermarks")
    grader.start()
    seconds, memory, work = [], [], []
    for number in range(1, arguments.checks + 1):
        before = java_seconds()
        seconds.append(check())
        work.append(java_seconds() - before)
        by_process = resident()
        memory.append(sum(by_process.values()))
        if number % SHARE == 0:
            last = statistics.median(seconds[-SHARE:])
            parts = ", ".join(f"{name} {size:.0f}" for name, size in by_process.items())
            progress(
                f"{number} checks, the last {SHARE}: {last:.2f} s, {memory[-1]:.0f} MB ({parts})"
            )
    early, late = slice(SHARE, 2 * SHARE), slice(-SHARE, None)
    show(
        [
            Row(
                f"a wrong answer to 03.2, check {len(seconds) - SHARE + 1} to {len(seconds)}",
                "s",
                statistics.median(seconds[late]),
                statistics.median(seconds[early]),
            ),
            Row(
                "the same, processor time of Spark's Java",
                "s",
                statistics.median(work[late]),
                statistics.median(work[early]),
            ),
            Row(
                "memory: notebook's Python, Spark and its workers, broker, guard",
                "MB",
                statistics.median(memory[late]),
                statistics.median(memory[early]),
                1500,
            ),
        ],
        arguments,
    )


if __name__ == "__main__":
    main()
