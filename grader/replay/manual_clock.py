"""Streams whose processing time is a scenario's own: Spark reads a clock that is set by hand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from grader.runtime.spark_internals.query_internals import analyzed_plan, start_by_clock

NO_EMPTY_BATCHES = {"spark.sql.streaming.noDataMicroBatches.enabled": "false"}
_BY_THE_CLOCK = re.compile(
    r"^[\s:|+-]*~?(?:FlatMapGroups|TransformWithState).*\b(ProcessingTime(?:Timeout)?)\b", re.M
)


@dataclass(frozen=True)
class ClockedWriter:
    """A frame with a Kafka sink, started with its own clock in place of the machine's."""

    frame: DataFrame
    options: dict[str, str]
    output_mode: str

    def start(self, checkpoint: Path, clock_ms: int) -> StreamingQuery:
        """Start the query over what is there, once; raises what DataStreamWriter.start raises."""
        options = {**self.options, "checkpointLocation": str(checkpoint)}
        return start_by_clock(self.frame, options, self.output_mode, clock_ms)


def processing_time_of(frame: DataFrame) -> str | None:
    """The timeout or time mode with which a query uses the clock; None if it does not use it.

    Under availableNow such a query does not end. Spark runs no-data batches forever, because a timeout
    may have passed meanwhile.
    """
    found = _BY_THE_CLOCK.search(analyzed_plan(frame))
    return found.group(1) if found else None
