"""The query or the table that a learner's function returns; Stop where it is none."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.streaming.readwriter import DataStreamWriter

from grader.replay.failures import Stop
from grader.scenario.recording import Failure


def stream_of(result: Any) -> DataFrame:
    """A streaming DataFrame, each column with a name of its own."""
    frame = _frame_of(result)
    if not frame.isStreaming:
        raise Stop(
            Failure("no_query", "the DataFrame that came back does not read from the stream")
        )
    return _named(frame)


def table_of(result: Any) -> DataFrame:
    """A DataFrame that is no stream, each column with a name of its own."""
    frame = _named(_frame_of(result))
    if frame.isStreaming:
        raise Stop(Failure("no_query", "the function returned a streaming DataFrame, not a table"))
    return frame


def writer_of(result: Any) -> DataStreamWriter:
    """A writer that is not started."""
    _demand_any(result)
    if not isinstance(result, DataStreamWriter):
        what = _kind_of(result)
        raise Stop(
            Failure("no_query", f"the function returned {what}, not a writer (df.writeStream…)")
        )
    return result


def _frame_of(result: Any) -> DataFrame:
    _demand_any(result)
    if not isinstance(result, DataFrame):
        raise Stop(
            Failure("no_query", f"the function returned {_kind_of(result)}, not a DataFrame")
        )
    return result


def _demand_any(result: Any) -> None:
    if result is None:
        raise Stop(Failure("no_query", "the function returned None"))


def _named(frame: DataFrame) -> DataFrame:
    names = [column.lower() for column in frame.columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Stop(Failure("schema", f"the result has two columns named {twice[0]}"))
    return frame


def _kind_of(value: Any) -> str:
    """What a value is, with its article; a DataFrame that is none of Spark's with its library's name."""
    if isinstance(value, DataStreamWriter):
        return "an unstarted writer"
    kind = type(value)
    name = kind.__name__
    if name == "DataFrame" and not isinstance(value, DataFrame):
        name = f"{kind.__module__.partition('.')[0]} {name}"
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
