"""The query or the table that a learner's function returns; Stop if it is none."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.streaming.readwriter import DataStreamWriter

from grader.replay.failures import Stop
from grader.scenario.recording import Failure


def stream_of(result: Any) -> DataFrame:
    """A streaming DataFrame, each column with a unique name."""
    frame = _frame_of(result)
    if not frame.isStreaming:
        raise _another("static DataFrame", "streaming DataFrame")
    return _named(frame)


def table_of(result: Any) -> DataFrame:
    """A DataFrame that is not a stream, each column with a unique name."""
    frame = _named(_frame_of(result))
    if frame.isStreaming:
        raise _another("streaming DataFrame", "table")
    return frame


def writer_of(result: Any) -> DataStreamWriter:
    """A writer that is not started."""
    if not isinstance(result, DataStreamWriter):
        raise _another(_kind_of(result), "writer")
    return result


def _frame_of(result: Any) -> DataFrame:
    if not isinstance(result, DataFrame):
        raise _another(_kind_of(result), "DataFrame")
    return result


def _another(got: str, wanted: str) -> Stop:
    return Stop(Failure("no_query", fields={"got": got, "wanted": wanted}))


def _named(frame: DataFrame) -> DataFrame:
    names = [column.lower() for column in frame.columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        fault = {"fault": "twice", "column": twice[0]}
        raise Stop(Failure("schema", fields={"faults": [fault]}))
    return frame


def _kind_of(value: Any) -> str:
    """The kind of a value; of a DataFrame that is none of Spark's with its library's name."""
    if value is None:
        return "None"
    if isinstance(value, DataStreamWriter):
        return "unstarted writer"
    name = type(value).__name__
    if name == "DataFrame" and not isinstance(value, DataFrame):
        name = f"{type(value).__module__.partition('.')[0]} {name}"
    return name
