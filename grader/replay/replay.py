"""Scenario → Kafka → the learner's query → recording; or calls of the learner's function → recording."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from grader.replay.called_kinds import CALLED_KINDS, CalledRun
from grader.replay.failures import Stop
from grader.replay.function_snapshot import Answer
from grader.replay.stream_kinds import STREAM_KINDS
from grader.scenario import Exercise, Variant
from grader.scenario.recording import Recording

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from grader.replay.kafka import Kafka
    from grader.replay.stream_run import StreamRun


def replay(
    spark: SparkSession,
    kafka: Kafka,
    exercise: Exercise,
    answer: Answer,
    variant: Variant,
    *,
    subject: Answer | None = None,
    look_into_state: bool = False,
) -> Recording:
    """Play one variant of a scenario against `answer` and record what it did.

    With `look_into_state` it also reads the state store after every step (about 0.5 s each).

    It never raises for what the learner's code does: that is in the recording's `failure`. A stream needs
    a broker. It has its own session, topics and checkpoint: settings and temporary views do not leak, and
    everything is removed at the end.
    """
    began = time.monotonic()
    run: StreamRun | CalledRun
    if exercise.answer_kind.called:
        run = CALLED_KINDS[exercise.returns](spark, exercise, answer, variant, subject)
    else:
        kind = STREAM_KINDS[exercise.returns]
        run = kind(spark, kafka, exercise, answer, variant, subject, look_into_state)
    try:
        run.play()
    except Stop as stop:
        stop.failure.own_writer = run.own_writer
        run.recording.failure = stop.failure
    run.recording.seconds = time.monotonic() - began
    return run.recording
