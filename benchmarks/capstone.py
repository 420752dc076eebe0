"""Lesson 16's pipeline under the shop's load, over TLS, on two cores: 25,000 clicks every 5 seconds.

The baseline is the same query with Spark's own settings (200 shuffle partitions, state on the heap). A click's
latency ends when the broker has written the alarm. The goal, two triggers of 5 seconds, is one that the
click waits for and one that its batch may take.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from statistics import mean

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from table import Row, parser, progress, show
from testkit.capstone_program import figures, lesson_program

from grader import capstone
from grader.capstone.outcome import Outcome
from grader.capstone.shop_broker import Shop

CORES = 2
GOAL_MS = 10_000
SPARKS_OWN = """

def tuned(spark, kafka):
    spark.conf.set("spark.sql.shuffle.partitions", "200")
    return counts(
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("clicks"))
        .option("startingOffsets", "earliest")
        .load()
    )
"""


def main() -> None:
    given = parser(seconds=60).parse_args()
    os.environ["GRADER_SPARK_MASTER"] = f"local[{CORES}]"
    with capstone.open_shop() as shop:
        both = lesson_program(), lesson_program() + SPARKS_OWN
        runs = [measured(shop, program, given.seconds) for program in (*both, *reversed(both))]
    ours, default = [runs[0], runs[3]], [runs[1], runs[2]]  # as far from the start, on average
    rows = [
        Row(f"click to alarm, p{percent}", "ms", a, b, goal=GOAL_MS if percent == 50 else None)
        for percent in (50, 100)
        for a, b in [(latency(ours, percent), latency(default, percent))]
    ]
    rows.append(Row("the longest batch", "s", longest(ours), longest(default), goal=5))
    show(rows, given)


def latency(runs: list[Outcome], percent: int) -> float:
    """Milliseconds from click to alarm, the mean of the runs' percentiles."""
    return mean(run.latencies().at(percent) for run in runs)


def measured(shop: Shop, program: str, seconds: int) -> Outcome:
    settings = figures(CORES)
    found = capstone.run(
        shop, program, settings=settings, seconds=seconds, fast=False, watch=progress
    )
    progress(found.text())
    return found


def longest(runs: list[Outcome]) -> float:
    """Seconds of a run's longest batch but for its first, which pays for the start; their mean."""
    return mean(max(batch.seconds for batch in run.batches[1:]) for run in runs)


if __name__ == "__main__":
    main()
