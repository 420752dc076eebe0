"""Settings that a latency hangs on: Spark's own settings, all levers together, and each lever alone."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from grader.runtime.setting_names import IN_ROCKSDB, STATE_STORE

_STREAMING = "spark.sql.streaming."
_ROCKSDB = f"{STATE_STORE}rocksdb."


@dataclass(frozen=True)
class Tuning:
    """Settings of the session, options of the writer, and Real-Time Mode's time between checkpoints."""

    name: str
    conf: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    real_time: str = ""

    def on(self, base: Tuning) -> Tuning:
        """These settings over those of `base`."""
        return Tuning(
            self.name,
            {**base.conf, **self.conf},
            {**base.options, **self.options},
            self.real_time or base.real_time,
        )


# Spark's documented defaults, with state in RocksDB
DEFAULT = Tuning(
    "default",
    {
        "spark.sql.shuffle.partitions": "200",
        **IN_ROCKSDB,
        f"{_ROCKSDB}changelogCheckpointing.enabled": "false",
        f"{_ROCKSDB}boundedMemoryUsage": "false",
        f"{_ROCKSDB}trackTotalNumberOfRows": "true",
        f"{_STREAMING}asyncLogPurge.enabled": "true",
    },
)
PARTITIONS = Tuning(
    "partitions = cores", {"spark.sql.shuffle.partitions": str(os.cpu_count() or 2)}
)
CHANGELOG = Tuning("changelog", {f"{_ROCKSDB}changelogCheckpointing.enabled": "true"})
BOUNDED = Tuning("bounded memory", {f"{_ROCKSDB}boundedMemoryUsage": "true"})
NO_ROW_COUNT = Tuning("rows not counted", {f"{_ROCKSDB}trackTotalNumberOfRows": "false"})
PURGE_IN_LINE = Tuning("logs purged in line", {f"{_STREAMING}asyncLogPurge.enabled": "false"})
ASYNC_PROGRESS = Tuning("progress asynchronous", options={"asyncProgressTrackingEnabled": "true"})
REAL_TIME = Tuning("real-time mode", real_time="30 seconds")

LEVERS = (PARTITIONS, CHANGELOG, BOUNDED, NO_ROW_COUNT, PURGE_IN_LINE)  # of queries with state


def tuned(stateful: bool) -> Tuning:
    """All levers together that make a query of this kind faster."""
    if not stateful:
        return Tuning("tuned").on(ASYNC_PROGRESS.on(DEFAULT))
    together = DEFAULT
    for lever in (PARTITIONS, CHANGELOG, NO_ROW_COUNT):
        together = lever.on(together)
    return Tuning("tuned").on(together)
