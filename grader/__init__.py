"""Stateful Streams: the verbs that a learner types in a notebook.

    import grader
    spark, kafka = grader.start()
    grader.check("03.2", late_clicks)

Everything heavy is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from grader.judging.verdict import Verdict
    from grader.latency.latency_chart import Percentiles
    from grader.replay.kafka import Kafka
    from grader.state_growth.growth_chart import Growth

    __version__: str

__all__ = [
    "check",
    "drill",
    "events",
    "explore",
    "fresh_checkpoint",
    "hint",
    "lens",
    "measure_latency",
    "measure_state",
    "predict",
    "progress",
    "read_topic",
    "run_once",
    "start",
    "why",
]


if not TYPE_CHECKING:  # else any name would be one of the module's

    def __getattr__(name: str) -> str:
        """`grader.__version__`: the release, which only pyproject.toml names."""
        if name != "__version__":
            raise AttributeError(f"module 'grader' has no attribute {name!r}")
        from importlib.metadata import version

        return version("stateful-streams")


def start(*, ui: bool = False) -> tuple[SparkSession, Kafka]:
    """Start the lab for this notebook, or join the one that runs: a Spark session and a broker.

    With `ui=True` there is also the Spark UI, which shows metrics for Prometheus, and its address is printed.
    """
    try:
        from grader.runtime import spark_session
    except ModuleNotFoundError as error:
        from grader.systems import what_is_missing

        raise what_is_missing(error) from None

    spark_session.begin()  # Java boots while Python imports the rest

    from grader.learner import notebook_lab

    running = notebook_lab.start(ui=ui)
    if ui:
        from grader.learner.spark_ui import place_of_ui

        print(place_of_ui(running.spark))
    return running.spark, running.kafka


def check(exercise: str, answer: Any) -> Verdict:
    """Check an answer and show the verdict; raises CheckFailed (an AssertionError) unless it passes."""
    from grader.learner.check import check as run
    from grader.model.explorer.model_fates import known_beyond

    return run(exercise, answer, known_beyond)


def lens(exercise: str, answer: Any) -> None:
    """Show what an answer does with the exercise's events, step by step."""
    from grader.learner.check import lens as run
    from grader.model.explorer.model_fates import known_beyond

    run(exercise, answer, known_beyond)


def explore(exercise: str, answer: Any = None) -> None:
    """Play with the stream of a worked example or of your answer: change its settings, move its events."""
    from grader.model.explorer.explorer import explore as show

    show(exercise, answer)


def hint(exercise: str) -> None:
    """Show the next hint of an exercise; each call goes one step further."""
    from grader.learner.hints import hint as show

    show(exercise)


def predict(exercise: str, *unnamed: Any, **answers: Any) -> None:
    """Answer a lesson's question before running it: `grader.predict("03.1", watermark="12:04:50")`."""
    from grader.learner.predictions import predict as judge

    judge(exercise, answers, unnamed)


def drill(topic: str | None = None, *, seed: int | None = None) -> None:
    """Ask new questions on a topic, such as "watermarks"; without a topic, on what is next or due again.

    The topic "placement" is a test over all lessons: it says which to skip, and where to begin. With a
    seed the questions are the same each time, for example for a class.
    """
    from grader.model.drill.drill import drill as ask

    ask(topic, seed=seed)


def progress(*, live: bool = False) -> None:
    """Show how far you are: lessons, exercises, points, and where to go next.

    With `live=True` the page follows what you do in other notebooks.
    """
    from grader.progress_pages.progress_display import show

    show(live=live)


def why(query: Any) -> None:
    """Say why a query of your own emits nothing, or nothing more: what happened, what it means, what to do."""
    from grader.feedback.display import Display
    from grader.live_query.explanation import why as look

    Display().text(look(query).text())


def events(dataset: str) -> list[Any]:
    """The values of a dataset's events, in order: `grader.events("page_clicks")`."""
    from grader.learner.notebook_lab import events as read

    return read(dataset)


def fresh_checkpoint() -> str:
    """The path of a new, empty checkpoint folder; it is removed when this notebook's kernel stops."""
    from grader.learner.notebook_lab import fresh_checkpoint as make

    return make()


def read_topic(topic: str, schema: str) -> DataFrame:
    """The JSON values in a topic as a stream, from its first record on: `grader.read_topic(clicks, "page STRING")`."""
    from grader.learner.lesson_query import read_topic as read

    return read(topic, schema)


def run_once(rows: DataFrame, topic: str, checkpoint: str) -> None:
    """Let a query process what there is now and stop; its rows go to `topic`, and its state is printed."""
    from grader.learner.lesson_query import run_once as run

    run(rows, topic, checkpoint)


def measure_state(*, keys: int = 1_200_000, heap_mb: int = 512) -> list[Growth]:
    """Measure what a batch costs as the keys in state grow, in the HDFS-backed state store and in RocksDB.

    It also draws the result. It takes about a minute, in its own Java processes: each has `heap_mb`
    megabytes of JVM heap.
    """
    from grader.state_growth.growth_measurement import measure_state as measure

    return measure(keys=keys, heap_mb=heap_mb)


def measure_latency(
    workload: str = "aggregation", *, rate: float = 100, warm_up: float = 6, seconds: float = 12
) -> list[Percentiles]:
    """Measure how old records are when they are emitted, with Spark's defaults and with the levers.

    It also draws the result. The query is "aggregation", "join", "duplicates", "state" or "stateless".
    It takes two to three minutes, in its own Java processes. The `rate` is records per second in each topic.
    """
    from grader.latency.lever_comparison import measure_latency as measure

    return measure(workload, rate=rate, warm_up=warm_up, seconds=seconds)
