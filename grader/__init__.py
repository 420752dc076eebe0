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
    from grader.replay.kafka import Kafka

__version__ = "0.1.0"
__all__ = [
    "check",
    "events",
    "fresh_checkpoint",
    "hint",
    "lens",
    "predict",
    "progress",
    "read_topic",
    "run_once",
    "start",
    "why",
]


def start() -> tuple[SparkSession, Kafka]:
    """Start the lab for this notebook, or join the one that runs: a Spark session and a broker."""
    from grader.learner import lab

    running = lab.start()
    return running.spark, running.kafka


def check(exercise: str, answer: Any) -> Verdict:
    """Check an answer and show the verdict; raises CheckFailed (an AssertionError) unless it passes."""
    from grader.learner.checking import check as run

    return run(exercise, answer)


def lens(exercise: str, answer: Any) -> None:
    """Show what an answer does with the exercise's events, step by step."""
    from grader.learner.checking import lens as run

    run(exercise, answer)


def hint(exercise: str) -> None:
    """Show the next hint of an exercise; each call goes one step further."""
    from grader.learner.hints import hint as show

    show(exercise)


def predict(exercise: str, *unnamed: Any, **answers: Any) -> None:
    """Answer a lesson's question before running it: `grader.predict("03.1", watermark="12:04:50")`."""
    from grader.learner.predictions import predict as judge

    judge(exercise, answers, unnamed)


def progress(*, live: bool = False) -> None:
    """Show how far you are: lessons, exercises, points, and where to go next.

    With `live=True` the page follows what you do in other notebooks.
    """
    from grader.learner.progress import show

    show(live=live)


def why(query: Any) -> None:
    """Say why a query of your own gives out nothing, or no more: what happened, what it means, what to do."""
    from grader.feedback.show import Display
    from grader.learner.why import why as look

    Display().text(look(query).text())


def events(dataset: str) -> list[Any]:
    """The values of a dataset's events, in order: `grader.events("page_clicks")`."""
    from grader.learner.lab import events as read

    return read(dataset)


def fresh_checkpoint() -> str:
    """The path of a new, empty checkpoint folder; it goes when this notebook's kernel stops."""
    from grader.learner.lab import fresh_checkpoint as make

    return make()


def read_topic(topic: str, schema: str) -> DataFrame:
    """The JSON values in a topic as a stream, from its first record on: `grader.read_topic(clicks, "page STRING")`."""
    from grader.learner.stepping import read_topic as read

    return read(topic, schema)


def run_once(rows: DataFrame, topic: str, checkpoint: str) -> None:
    """Let a query take in what there is now and stop; its rows go to `topic`, what it keeps is printed."""
    from grader.learner.stepping import run_once as run

    run(rows, topic, checkpoint)
