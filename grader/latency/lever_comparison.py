"""A measurement: the latency of one query with Spark's defaults and with the levers, on this machine."""

from __future__ import annotations

from collections.abc import Sequence

from grader.feedback.display import Display
from grader.latency.article_figures import ARTICLE
from grader.latency.latency_chart import Percentiles, draw, latency_text, reduction
from grader.latency.measurement import measure
from grader.latency.tuning import DEFAULT, tuned
from grader.latency.workloads import WORKLOADS


def measure_latency(
    workload: str, *, rate: float, warm_up: float, seconds: float
) -> list[Percentiles]:
    """Measure a workload twice, draw p50, p95 and p99, and compare with the article's reductions.

    The `rate` is records per second in each topic, `warm_up` and `seconds` say for how long each run
    leaves records out and then counts them. Each run has its own Java process, so that the lab
    is not affected; the broker is the lab's. Raises ValueError for an unknown workload,
    MeasurementError if a query fails or does not keep up.
    """
    if workload not in WORKLOADS:
        raise ValueError(
            f"There is no query {workload!r} to measure; there are: {', '.join(WORKLOADS)}."
        )
    display = Display()
    stateful = workload != "stateless"
    found = []
    tunings = (DEFAULT, tuned(stateful))
    for number, tuning in enumerate(tunings, start=1):

        def notify_phase(
            phase: str, place: str = f"{tuning.name}, {number} of {len(tunings)}"
        ) -> None:
            display.text(f"{WORKLOADS[workload].title}, {place}: {phase} …")

        one = measure(
            workload, tuning, rate=rate, warm_up=warm_up, seconds=seconds, watch=notify_phase
        )
        found.append(one.percentiles())
    text = latency_text(found)
    if workload in ARTICLE:
        text += "\n\n" + beside_the_article(workload, found)
    display.rich(text, f"{draw(found)}<pre>{text}</pre>")
    return found


def beside_the_article(workload: str, found: Sequence[Percentiles]) -> str:
    """The reductions of this machine and of the article, one line for each percentile, and how both were measured."""
    before, after = found[0], found[-1]
    lines = [f"{'less by':8}{'here':>8}{'article':>10}"]
    for percent, article in ARTICLE[workload].items():
        own = reduction(before.at(percent), after.at(percent))
        lines.append(f"{f'p{percent}':8}{own:>6.0f} %{article:>8} %")
    lines += [
        "The article says up to so much, of a cluster of six machines with eight cores each, with",
        "fewer partitions and from one version of Databricks' runtime to the next. Here it is one",
        "machine and one run of each, with the same Spark, and only settings differ.",
    ]
    return "\n".join(lines)
