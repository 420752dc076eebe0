"""End-to-end latency of the four queries of the article, with Spark's default settings and tuned.

Records at a constant rate, from Kafka to Kafka; a record's latency ends when the broker has written its
row. Runs alternate, so that a noisy machine is noisy for both; a figure is the median of the runs, and
their spread goes to standard error, with a profile: where the time of a batch goes. A figure that misses
its goal says what bounds it. Goals are the reductions that the article reports, and for Real-Time Mode a
tenth of what micro-batches need.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace

from table import Row, parser, progress, show

from grader.latency.article_figures import ARTICLE
from grader.latency.latency_chart import reduction
from grader.latency.measurement import Measurement, measure
from grader.latency.tuning import DEFAULT, LEVERS, REAL_TIME, Tuning, tuned

REAL_TIME_RATIO = 10


def main() -> None:
    arguments = parser(runs=3, rate=200, warm=20, seconds=40, levers=0)
    arguments.add_argument("--only", nargs="*", default=[*ARTICLE, "stateless"], metavar="QUERY")
    given = arguments.parse_args()
    how = {"rate": given.rate, "warm_up": given.warm, "seconds": given.seconds}
    rows = []
    for query in [query for query in ARTICLE if query in given.only]:
        tunings = [DEFAULT, tuned(stateful=True)]
        if given.levers:
            tunings += [lever.on(DEFAULT) for lever in LEVERS]
        default, *others = compared(query, tunings, given.runs, how)
        rows += [row for other in others for row in against(query, default, other)]
    if "stateless" in given.only:
        micro, *others = compared(
            "stateless", [DEFAULT, tuned(stateful=False), REAL_TIME.on(DEFAULT)], given.runs, how
        )
        rows += [row for other in others for row in against("stateless", micro, other)]
    show(rows, given)


def compared(
    query: str, tunings: Sequence[Tuning], runs: int, how: dict[str, float]
) -> list[list[Measurement]]:
    """The runs of each tuning, alternating."""
    found: list[list[Measurement]] = [[] for _ in tunings]
    for run in range(runs):
        for tuning, so_far in zip(tunings, found, strict=True):
            so_far.append(measure(query, tuning, **how))
            last = so_far[-1].percentiles()
            progress(
                f"{query}, {tuning.name}, run {run + 1} of {runs}: p50 {last.p50:.0f}, p95 {last.p95:.0f}, "
                f"p99 {last.p99:.0f} ms of {last.count} records, {last.negative} negative"
            )
    for of_it in found:
        progress(f"{query}, {of_it[0].tuning}: {Profile(of_it)}")
    return found


class Profile:
    """Where the time of a batch goes: medians over the batches of some runs, in seconds."""

    def __init__(self, runs: list[Measurement]):
        batches = [batch for run in runs for batch in run.batches]
        self.seconds = statistics.median(batch.seconds for batch in batches)
        names = {name for batch in batches for name in batch.parts}
        middle = {
            name: statistics.median(batch.parts.get(name, 0.0) for batch in batches)
            for name in names
        }
        self.parts = dict(sorted(middle.items(), key=lambda part: -part[1]))

    def __str__(self) -> str:
        parts = ", ".join(f"{name} {took * 1000:.0f}" for name, took in self.parts.items() if took)
        return f"a batch takes {self.seconds * 1000:.0f} ms: {parts}"

    @property
    def bound(self) -> str:
        """The part that takes most, in words for a row."""
        name, took = next(iter(self.parts.items()))
        return f"bound by {name}, {took * 1000:.0f} of a batch's {self.seconds * 1000:.0f} ms"


def against(query: str, default: list[Measurement], other: list[Measurement]) -> list[Row]:
    rows, name = [], other[0].tuning
    for percent in (50, 95, 99):
        found = [[run.latencies.at(percent) for run in runs] for runs in (default, other)]
        before, after = (statistics.median(of_it) for of_it in found)
        spread = [f"{min(of_it):.0f} to {max(of_it):.0f}" for of_it in found]
        less = reduction(before, after)
        progress(
            f"{query}, p{percent}: {spread[0]} ms, {name} {spread[1]} ms: "
            f"{abs(less):.0f} % {'less' if less >= 0 else 'more'}"
        )
        asked = ARTICLE.get(query, {}).get(percent) if name == "tuned" else None
        goal = 100 / (100 - asked) if asked else None
        if name == REAL_TIME.name and percent == 99:
            goal = REAL_TIME_RATIO
        row = Row(f"{query}, {name}: p{percent}", "ms", after, before, goal_ratio=goal)
        if row.met is False:
            row = replace(row, figure=f"{row.figure} ({Profile(other).bound})")
        rows.append(row)
    return rows


if __name__ == "__main__":
    main()
