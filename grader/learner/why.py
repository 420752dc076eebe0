"""Looking at a query of the learner's own, to say why it shows nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from grader.judging.why import Observation, Reason, reason_of
from grader.learner import lab
from grader.replay.failures import failure_of
from grader.replay.kafka import Kafka

_TOPICS = re.compile(r"Subscribe\[([^\]]+)\]")


def why(query: Any) -> Reason:
    """The cause why `query` has given out nothing; TypeError if it is no streaming query."""
    if not isinstance(query, StreamingQuery):
        raise TypeError(
            f"grader.why() takes a started query (what .start() returned), not a {type(query).__name__}."
        )
    running = lab.start()
    return reason_of(observe(query, running.spark, running.kafka))


def observe(query: StreamingQuery, spark: SparkSession, kafka: Kafka) -> Observation:
    """What can be seen of a query from outside; nothing of it is changed."""
    error = query.exception()
    progress = [json.loads(event.json) for event in query.recentProgress]
    checkpoint = _checkpoint(query)
    first = progress[0]["batchId"] if progress else None
    return Observation(
        active=query.isActive,
        failure=failure_of(error, phase="query") if error is not None else None,
        status=query.status.get("message", "") if query.isActive else "",
        progress=progress,
        topics={name: len(kafka.records(name)) for name in _topics(progress)},
        window_ends=_window_ends(checkpoint, spark) if checkpoint else [],
        resumed=first > 0 if first is not None else _has_commits(checkpoint),
    )


def _topics(progress: list[dict[str, Any]]) -> set[str]:
    return {
        name
        for event in progress[-1:]
        for source in event.get("sources", [])
        for found in _TOPICS.findall(source.get("description", ""))
        for name in found.split(", ")
    }


def _has_commits(checkpoint: Path | None) -> bool:
    return checkpoint is not None and any(
        p.name.isdigit() for p in (checkpoint / "commits").glob("*")
    )


def _window_ends(checkpoint: Path, spark: SparkSession) -> list[str]:
    """Ends of the windows that wait in state; empty if the state holds no windows."""
    if not (checkpoint / "state").exists():
        return []
    try:
        keys = spark.read.format("statestore").load(str(checkpoint)).select("key.*")
        column = next((c for c in keys.columns if c.endswith("window")), None)
        if column is None:
            return []
        ends = keys.select(F.date_format(F.min(f"`{column}`.end"), "yyyy-MM-dd'T'HH:mm:ssXXX"))
        return [row[0] for row in ends.collect() if row[0]]
    except PySparkException:
        return []


def _checkpoint(query: StreamingQuery) -> Path | None:
    """The query's checkpoint folder, which PySpark itself does not tell."""
    root = str(query._jsq.streamingQuery().resolvedCheckpointRoot())  # type: ignore[attr-defined]
    path = Path(root.removeprefix("file:"))
    return path if path.exists() else None
