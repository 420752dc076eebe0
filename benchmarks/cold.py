"""From the start of a process to the first verdict, and the first check after some reading.

Baselines, all in this run: a plain PySpark script on a stock Kafka (stock flags, stock settings) that
plays the same query over the same steps (--stock N times), with Spark's 200 shuffle partitions and with
as many as there are cores; and the lab itself on Java 17 with its class-data archive. These need a JDK 17 on the
machine; without one their rows are left out, and said so.
"""

from __future__ import annotations

import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from table import Row, parser, progress, show

from grader.runtime.java import Java, inspect

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
READING_SECONDS = 20
WARM_CHECKS = 8

FIRST_VERDICT = """
import contextlib, io, os, sys, time
import grader

spark, kafka = grader.start()

from grader.learner.check import CheckFailed
from pyspark.sql import functions as F

def late_clicks(clicks):
    timed = clicks.withWatermark("event_time", "5 minutes")
    grouped = timed.groupBy(F.window("event_time", "5 minutes"), "page")
    return grouped.agg(F.count("*").alias("clicks"))

os.chdir("course/03_watermarks")
with contextlib.redirect_stdout(io.StringIO()):
    try:
        grader.check("03.2", late_clicks)
        sys.exit("the wrong answer passes")
    except CheckFailed:
        verdict = time.monotonic()
print(verdict)
"""


def main() -> None:
    arguments = parser(times=5, stock=1, readings=3).parse_args()
    jdk = find_jdk()
    ours, old, stock, few = [], [], [], []
    run_program(["-m", "grader", "setup"])  # each Java has its start-up caches
    if jdk is None:
        progress(
            "No JDK 17 under /usr/lib/jvm or in JAVA_HOME: the rows that need one are left out."
        )
    else:
        run_program(["-m", "grader", "setup"], GRADER_JAVA=str(jdk.home))
    for turn in range(1, arguments.times + 1):
        ours.append(seconds_of(["-c", FIRST_VERDICT]))
        if jdk is not None:
            old.append(seconds_of(["-c", FIRST_VERDICT], GRADER_JAVA=str(jdk.home)))
        if jdk is not None and turn <= arguments.stock:
            stock.append(
                seconds_of([str(HERE / "baselines" / "stock.py"), "200"], JAVA_HOME=str(jdk.home))
            )
            cores = str(os.cpu_count())
            few.append(
                seconds_of([str(HERE / "baselines" / "stock.py"), cores], JAVA_HOME=str(jdk.home))
            )
        taken = ", ".join(f"{times[-1]:.1f} s" for times in (ours, old, stock, few) if times)
        progress(f"turn {turn} of {arguments.times}: {taken}")
    rows = []
    if jdk is not None:
        what = "process start to first verdict (03.2)"
        mine = statistics.median(ours)
        rows = [
            Row(f"{what}; stock script", "s", mine, statistics.median(stock), goal_ratio=4),
            Row(f"{what}; stock, partitions = cores", "s", mine, statistics.median(few)),
            Row(f"{what}; lab on Java 17", "s", mine, statistics.median(old), goal_ratio=1 / 0.67),
        ]
    readings = []
    for turn in range(1, arguments.readings + 1):
        readings.append(after_reading())
        progress(f"reading {turn} of {arguments.readings}: {readings[-1][0]:.2f} s")
    first, warm = (statistics.median(times) for times in zip(*readings, strict=True))
    what = f"first check after start() and {READING_SECONDS} s of reading; a warm one"
    rows.append(Row(what, "s", first, warm, goal_ratio=1 / 1.3))
    show(rows, arguments)


def find_jdk() -> Java | None:
    """A whole JDK 17 of this machine."""
    places = [os.environ.get("JAVA_HOME", ""), *sorted(glob.glob("/usr/lib/jvm/*"))]
    found = (inspect(Path(place)) for place in places if place)
    return next((java for java in found if java is not None and java.major == 17), None)


def run_program(words: list[str], **environment: str) -> str:
    ran = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )
    if ran.returncode:
        sys.exit(ran.stderr)
    return ran.stdout


def seconds_of(words: list[str], **environment: str) -> float:
    """Seconds from starting a program to the moment that it prints; it has a Kafka of its own."""
    with tempfile.TemporaryDirectory() as state:
        began = time.monotonic()
        return float(run_program(words, GRADER_STATE=state, **environment).split()[-1]) - began


def after_reading() -> tuple[float, float]:
    """Seconds of the first check of a notebook in which somebody reads first, and of warm ones."""
    from jupyter_client.manager import start_new_kernel

    check = FIRST_VERDICT.split("with contextlib")[1].replace("sys.exit", "raise SystemExit")
    prepared = FIRST_VERDICT.split("with contextlib")[0]
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(ROOT))
    try:

        def run(code: str) -> float:
            began = time.monotonic()
            reply = client.execute_interactive(code, timeout=300, output_hook=lambda message: None)
            assert reply["content"]["status"] == "ok", json.dumps(reply["content"], default=str)
            return time.monotonic() - began

        run(prepared)
        time.sleep(READING_SECONDS)
        taken = [run("with contextlib" + check) for _ in range(1 + WARM_CHECKS)]
        return taken[0], statistics.median(taken[1:])
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


if __name__ == "__main__":
    main()
