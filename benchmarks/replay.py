"""A warm check on the lab's file system, and on Hadoop's own, which starts processes for every file."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path

from table import Row, show

ROOT = Path(__file__).resolve().parents[1]
TIMES = 7
# plays the worked example of lesson 03 (five steps, a windowed count), prints seconds
PROGRAM = """
import json, sys, time
from pathlib import Path
import grader.runtime.spark_session as session
if sys.argv[1] == "baseline":
    session.LOCAL_FILES = {}
from grader.authoring.lesson_source import read_lessons
from grader.replay.kafka import Kafka
from grader.replay.replay import replay
from grader.runtime.broker import lease_broker
from grader.scenario import variants_of

lesson = next(x for x in read_lessons(Path("solutions")) if x.id == "03")
source = next(s for s in lesson.parts if s.exercise.id == "03.0")
variant = variants_of(source.exercise, source.public)[0]
with lease_broker() as broker:
    spark, kafka = session.spark_session(), Kafka(broker.bootstrap_servers)
    taken = []
    for _ in range(int(sys.argv[2])):
        began = time.monotonic()
        replay(spark, kafka, source.exercise, source.solution.function, variant)
        taken.append(time.monotonic() - began)
    print(json.dumps(taken))
    session.stop_spark()
"""


def seconds(which: str) -> float:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, which, str(TIMES + 3)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return statistics.median(json.loads(ran.stdout.splitlines()[-1])[3:])


def main() -> None:
    show([Row("one play of 5 steps, warm", "s", seconds("ours"), seconds("baseline"))])


if __name__ == "__main__":
    main()
