"""End-to-end latency of the four queries of the article, with Spark's default settings and tuned.

Records at a constant rate, from Kafka to Kafka; a record's latency ends when the broker has written its
row. Runs alternate, so that a noisy machine is noisy for both; a figure is the median of the runs, and
their spread goes to standard error. Goals are the reductions that the article reports, and for Real-Time
Mode a tenth of what micro-batches need.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from table import Row, parser, progress, show

from grader.feedback.latency_chart import Percentiles, reduction
from grader.latency.article import ARTICLE
from grader.latency.measure import measure
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
) -> list[list[Percentiles]]:
    """The runs of each tuning, alternating."""
    found: list[list[Percentiles]] = [[] for _ in tunings]
    for run in range(runs):
        for tuning, so_far in zip(tunings, found, strict=True):
            so_far.append(measure(query, tuning, **how).percentiles())
            last = so_far[-1]
            progress(
                f"{query}, {tuning.name}, run {run + 1} of {runs}: p50 {last.p50:.0f}, p95 {last.p95:.0f}, "
                f"p99 {last.p99:.0f} ms of {last.count} records, {last.negative} negative"
            )
    return found


def against(query: str, default: list[Percentiles], other: list[Percentiles]) -> list[Row]:
    rows = []
    for percent in (50, 95, 99):
        before, after = (
            statistics.median(run.at(percent) for run in runs) for runs in (default, other)
        )
        spread = [
            f"{min(run.at(percent) for run in runs):.0f} to {max(run.at(percent) for run in runs):.0f}"
            for runs in (default, other)
        ]
        progress(
            f"{query}, p{percent}: {spread[0]} ms, {other[0].name} {spread[1]} ms: "
            f"{reduction(before, after):.0f} % less"
        )
        asked = ARTICLE.get(query, {}).get(percent) if other[0].name == "tuned" else None
        goal = 100 / (100 - asked) if asked else None
        if other[0].name == REAL_TIME.name and percent == 99:
            goal = REAL_TIME_RATIO
        rows.append(
            Row(f"{query}, {other[0].name}: p{percent}", "ms", after, before, goal_ratio=goal)
        )
    return rows


if __name__ == "__main__":
    main()
