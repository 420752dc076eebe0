"""Run inside the lab: one check, first undisturbed, then at a pace that lets somebody pull a plug.

Prints "expected", then "step N" as the second play goes on, at last the verdict's status.
"""

import sys
import time
from collections.abc import Iterator

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from grader.judging.judge import judge
from grader.judging.play import Play
from grader.learner import notebook_lab
from grader.replay.replay import replay
from grader.scenario import Event, Exercise, Input, Scenario, Variant

TASK = Exercise(
    id="slow",
    title="Clicks of each page and minute",
    answer="counts",
    takes=["clicks"],
    inputs={"clicks": Input(schema="page STRING, at TIMESTAMP")},
    points=1,
    criteria=["rows", "step", "state"],
    timeout=240,
)
STEPS = 6


class TellingScenario(Scenario):
    """Says which step begins."""

    def of_step(self, step: int) -> list[Event]:
        print(f"step {step}", flush=True)
        return super().of_step(step)


def events() -> list[Event]:
    """Ten clicks a step, each step a minute; the last one pushes the watermark past all."""
    clicks = [
        Event(step, "clicks", {"page": f"/{n % 3}", "at": f"2026-03-01T12:{step:02}:{n:02}Z"})
        for step in range(1, STEPS)
        for n in range(10)
    ]
    return [*clicks, Event(STEPS, "clicks", {"page": "/end", "at": "2026-03-01T18:00:00Z"})]


def main() -> None:
    running = notebook_lab.start()
    variant = Variant("as_is", Scenario(events()))
    pause = 0.0

    def counts(clicks: DataFrame) -> DataFrame:
        seconds = pause

        def dawdle(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
            for frame in frames:
                time.sleep(seconds)
                yield frame

        slow = clicks.mapInPandas(dawdle, "page STRING, at TIMESTAMP")
        marked = slow.withWatermark("at", "10 seconds")
        return marked.groupBy("page", F.window("at", "1 minute")).agg(F.count("*").alias("clicks"))

    expected = replay(running.spark, running.kafka, TASK, counts, variant)
    assert expected.failure is None, expected.failure
    print("expected", flush=True)
    pause = 2.0
    variant = Variant("as_is", TellingScenario(events()))
    actual = replay(running.spark, running.kafka, TASK, counts, variant)
    verdict = judge(TASK, [Play("public", variant, expected, actual)])
    print(actual.failure or "", *(c.message for c in verdict.criteria), sep="\n", file=sys.stderr)
    print(verdict.status, flush=True)


if __name__ == "__main__":
    main()
