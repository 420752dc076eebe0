"""Streams whose processing time is a scenario's own: Spark reads a clock that is set by hand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

NO_EMPTY_BATCHES = {"spark.sql.streaming.noDataMicroBatches.enabled": "false"}
_BY_THE_CLOCK = re.compile(
    r"^[\s:|+-]*~?(?:FlatMapGroups|TransformWithState).*\b(ProcessingTime(?:Timeout)?)\b", re.M
)


@dataclass(frozen=True)
class ClockedWriter:
    """A frame with a Kafka sink, started with a clock of its own in place of the machine's.

    Source: `StreamingQueryManager.startQuery` of Spark 4.2, which takes the clock that a query
    reads its batches' times from; `DataStreamWriter` leaves it at the machine's.
    """

    frame: DataFrame
    options: dict[str, str]
    output_mode: str

    def start(self, checkpoint: Path, clock_ms: int) -> StreamingQuery:
        """Start the query over what is there, once; raises what DataStreamWriter.start raises."""
        jvm: Any = self.frame.sparkSession._jvm
        none, some = jvm.scala.Option.empty(), jvm.scala.Option.apply
        options = {**self.options, "checkpointLocation": str(checkpoint)}
        sink = jvm.org.apache.spark.sql.kafka010.KafkaSourceProvider().getTable(
            jvm.org.apache.spark.sql.util.CaseInsensitiveStringMap(options)
        )
        streaming = jvm.org.apache.spark.sql.streaming
        session: Any = self.frame.sparkSession._jsparkSession
        started = session.streams().startQuery(
            none,  # the query's name
            none,  # the sink's name
            some(str(checkpoint)),
            self.frame._jdf,
            jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(options),
            sink,
            getattr(streaming.OutputMode, self.output_mode.capitalize())(),
            False,  # no temporary checkpoint
            True,  # go on from the checkpoint
            streaming.Trigger.AvailableNow(),
            jvm.org.apache.spark.util.ManualClock(clock_ms),
            none,  # no catalog
            none,  # no table in it
        )
        return StreamingQuery(started)


def processing_time_of(frame: DataFrame) -> str | None:
    """The timeout or time mode by which a query goes by the clock; None where it does not.

    Under availableNow such a query does not end: Spark runs batches without data for ever, as
    a timeout may have passed meanwhile.
    """
    plan = str(frame._jdf.queryExecution().analyzed().toString())  # type: ignore[operator]
    found = _BY_THE_CLOCK.search(plan)
    return found.group(1) if found else None
