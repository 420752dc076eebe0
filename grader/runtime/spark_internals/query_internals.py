"""Private members of frames, writers and streaming queries: their plans and how they are run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from grader.runtime.spark_internals.java_gateway import java, opened
from grader.runtime.spark_internals.verified_spark import since

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter


@since("1.3")
def analyzed_plan(frame: DataFrame) -> str:
    """The text of a frame's analyzed plan, from the result down to the sources."""
    return str(frame._jdf.queryExecution().analyzed().toString())  # type: ignore[operator]


@since("2.0")
def frame_of(writer: DataStreamWriter) -> DataFrame:
    """The frame that a writer was made of."""
    return writer._df


@since("2.0")
def session_of(writer: DataStreamWriter) -> SparkSession:
    """The session of a writer's frame."""
    return writer._spark


@since("2.0")
def execution_of(query: StreamingQuery) -> Any:
    """Java's StreamExecution, which runs a query."""
    return query._jsq.streamingQuery()  # type: ignore[attr-defined]


@since("2.3")
def micro_batch_class(execution: Any) -> Any:
    """Java's class MicroBatchExecution, if `execution` is one; the continuous trigger has a different class."""
    kind = execution.getClass()
    while kind is not None and str(kind.getSimpleName()) != "MicroBatchExecution":
        kind = kind.getSuperclass()
    return kind


@since("2.3")
def writer_options(execution: Any) -> dict[str, str]:
    """The options of the writer that started a query, names in lower case; none with the continuous trigger."""
    kind = micro_batch_class(execution)
    if kind is None:
        return {}
    entries = opened(kind.getDeclaredField("extraOptions")).get(execution).toSeq()
    pairs = (entries.apply(index) for index in range(entries.size()))
    return {str(pair._1()).lower(): str(pair._2()) for pair in pairs}


@since("4.1")
def start_by_clock(
    frame: DataFrame, options: Mapping[str, str], output_mode: str, clock_ms: int
) -> StreamingQuery:
    """Start a query to Kafka, once over what is there, by a clock that is set by hand.

    The options are those of the sink and the checkpoint. Raises what DataStreamWriter.start raises.
    Source: `StreamingQueryManager.startQuery` takes the clock that a query reads its batches' times from;
    `DataStreamWriter` leaves it at the machine's.
    """
    from pyspark.sql.streaming.query import StreamingQuery

    jvm = java(frame.sparkSession)
    spark = jvm.org.apache.spark
    none, some = jvm.scala.Option.empty(), jvm.scala.Option.apply
    # the names of the query and, since 4.2, of the sink
    names = [none] if frame.sparkSession.version.startswith("4.1.") else [none, none]
    sink = spark.sql.kafka010.KafkaSourceProvider().getTable(
        spark.sql.util.CaseInsensitiveStringMap(dict(options))
    )
    started = frame.sparkSession._jsparkSession.streams().startQuery(  # type: ignore[attr-defined]
        *names,
        some(options["checkpointLocation"]),
        frame._jdf,
        spark.api.python.PythonUtils.toScalaMap(dict(options)),
        sink,
        getattr(spark.sql.streaming.OutputMode, output_mode.capitalize())(),
        False,  # no temporary checkpoint
        True,  # continue from the checkpoint
        spark.sql.streaming.Trigger.AvailableNow(),
        spark.util.ManualClock(clock_ms),
        none,  # no catalog
        none,  # no table in it
    )
    return StreamingQuery(started)
