"""The kinds of answer that are played over a stream: a query, a writer, a table, a table's writer, events."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame

from grader.replay import query_plans
from grader.replay.answer_sink import as_json
from grader.replay.failures import Stop, failure_of
from grader.replay.kafka import decode
from grader.replay.learner_events import GivenError, scenario_of
from grader.replay.learner_query import stream_of, table_of, writer_of
from grader.replay.stream_run import StreamRun, Writer
from grader.replay.time_limit import TimeLimit, time_limit
from grader.runtime.spark_internals.query_internals import frame_of
from grader.scenario.recording import Batch, Failure


class StreamReplay(StreamRun):
    """The function returns a streaming DataFrame: the check gives it a sink and finds its rows there."""

    def build(self) -> Writer:
        frame = stream_of(self.call())
        self.recording.plan = query_plans.plan_of(frame)
        self.demand_end(frame)
        self.note_schema(frame)
        return self.attach_sink(frame)

    def collect(self, batches: list[Batch]) -> None:
        self.sink_rows.wait_for(batches, self.checkpoint)


class EventsReplay(StreamReplay):
    """The function returns events: they take the place of the scenario's, and the query is given."""

    def play_steps(self) -> None:
        columns = {
            name: self.session.createDataFrame([], given.schema).schema
            for name, given in self.exercise.inputs.items()
        }
        result = self.call()
        try:
            scenario = scenario_of(result, columns)
        except GivenError as error:
            raise Stop(Failure("events", fields=error.fields)) from error
        self.variant = replace(self.variant, scenario=scenario)
        self.recording.steps = scenario.steps
        self.recording.given = scenario.to_lines()
        super().play_steps()

    def build(self) -> Writer:
        frame = self.given(self.exercise.inputs)
        self.recording.plan = query_plans.plan_of(frame)
        self.note_schema(frame)
        return self.attach_sink(frame)


class WriterReplay(StreamRun):
    """The function returns a writer, with its own sink: its rows are in the exercise's outputs."""

    own_writer = True

    def build(self) -> Writer:
        writer = writer_of(self.call())
        self.recording.plan = query_plans.plan_of(frame_of(writer))
        self.demand_end(frame_of(writer))
        return writer

    def build_version_before(self) -> Writer:
        return self.given(self.exercise.takes)  # type: ignore[no-any-return]

    def read_back(self) -> list[str]:
        return [self.topics[name] for name in self.exercise.outputs]

    def collect(self, batches: list[Batch]) -> None:
        rows = [
            {"topic": name, "key": _text_of(record.key), "value": decode(record.value)}
            for name in self.exercise.outputs
            for record in self.line.records(self.topics[name])
        ]
        self.put_rows(rows, batches)


class TableReplay(StreamRun):
    """The function reads a table from the checkpoint of a given query, after each of its runs."""

    def build(self) -> Writer:
        return self.attach_sink(self.given(self.exercise.inputs))

    def collect(self, batches: list[Batch]) -> None:
        frame = table_of(self.call())
        self.note_schema(frame)
        self.recording.plan = query_plans.plan_of(frame)
        self.put_rows(_rows_of(self, lambda: frame), batches)


class TableWriterReplay(WriterReplay):
    """The function returns a writer to a table: its rows are those of the table, after each run."""

    def read_back(self) -> list[str]:
        return []

    def collect(self, batches: list[Batch]) -> None:
        self.put_rows(_rows_of(self, self._table), batches)
        # as a table of results in complete mode: all rows again in each step
        self.recording.plan.output_mode = "complete"

    def without_commit(self, ran: list[Batch]) -> list[Batch]:
        """Only the last one: its table keeps what the batches before it wrote, as after a real kill."""
        return ran[-1:]

    def _table(self) -> DataFrame:
        assert self.tables and self.exercise.writes_to
        frame = self.tables.read(self.exercise.writes_to)
        self.note_schema(frame)
        return frame


STREAM_KINDS: dict[str, type[StreamRun]] = {
    "stream": StreamReplay,
    "writer": WriterReplay,
    "table": TableReplay,
    "table_writer": TableWriterReplay,
    "events": EventsReplay,
}


def _rows_of(run: StreamRun, table: Callable[[], DataFrame]) -> list[dict[str, Any]]:
    """The rows of a table that an answer made or wrote; raises Stop if it cannot be read."""
    try:
        with time_limit(run.deadline.remaining(run.step), run.session):
            return [json.loads(row.value) for row in as_json(table()).collect()]
    except TimeLimit as error:
        raise Stop(run.deadline.missed(run.step)) from error
    except Exception as error:
        raise Stop(failure_of(error, phase="query", step=run.step)) from error


def _text_of(key: bytes | None) -> str | None:
    return None if key is None else key.decode(errors="replace")
