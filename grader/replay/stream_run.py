"""One play of an answer over a stream: with its own session, topics and checkpoint, step by step."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from grader.replay import checkpoint as checkpoints
from grader.replay import query_plans, state_reader
from grader.replay.answer_call import call_answer
from grader.replay.answer_sink import kafka_sink, records_of, sink_options
from grader.replay.deadline import Deadline
from grader.replay.delta_tables import DeltaTables
from grader.replay.exercise_kafka import ExerciseKafka
from grader.replay.failures import Stop, failure_of
from grader.replay.function_snapshot import Answer, Snapshot
from grader.replay.kafka import Kafka, Line
from grader.replay.manual_clock import NO_EMPTY_BATCHES, ClockedWriter, processing_time_of
from grader.replay.play_session import (
    forget_run,
    forget_session,
    new_session,
    notify_listeners,
    settings_of,
)
from grader.replay.progress_events import batches_of
from grader.replay.py4j_connection import hang_up, note_callbacks
from grader.replay.sink_rows import SinkRows, row_order
from grader.replay.time_limit import TimeLimit, time_limit
from grader.replay.topic_stream import json_columns, topic_stream
from grader.runtime.scratch_folders import make_scratch, remove_scratch
from grader.runtime.spark_internals.session_internals import close_idle_producers
from grader.scenario import Event, Exercise, Variant
from grader.scenario.recording import Batch, Failure, Recording

Writer = DataStreamWriter | ClockedWriter
SINK = "_answer"  # the topic that an answer's rows go to


class StreamRun(ABC):
    """A play: the events of one step, one availableNow run over them, then the next step.

    A kind of answer says which query runs (`build`) and where its rows are found (`collect`).
    """

    own_writer = False  # whether the learner's own writer says where the rows go

    def __init__(
        self,
        spark: SparkSession,
        kafka: Kafka,
        exercise: Exercise,
        answer: Answer,
        variant: Variant,
        subject: Answer | None,
        look_into_state: bool,
    ):
        topics = {name: given for name, given in exercise.inputs.items() if not given.table}
        partitions = {name: given.partitions for name, given in topics.items()}
        partitions |= dict.fromkeys([*exercise.outputs, SINK], 1)
        clocked = NO_EMPTY_BATCHES if variant.scenario.clocks else {}
        self.topics = kafka.unique_topics(partitions)
        self.sink_topic = self.topics.pop(SINK)
        self.settings = {**exercise.conf, **variant.conf, **clocked}  # of every session of this run
        self.session = _session_of_run(spark, self.settings)
        self.kafka = kafka
        self.line = Line(kafka)
        self.exercise = exercise
        self.answer = Snapshot(answer)
        self.subject = subject
        self.variant = variant
        self.look_into_state = look_into_state
        self.recording = Recording(exercise.id, variant.name, variant.scenario.steps)
        self.folder = make_scratch("checkpoint")
        self.checkpoint = self.folder / "checkpoint"
        has_tables = len(topics) < len(exercise.inputs)
        self.tables = (
            DeltaTables(spark, self.folder / "tables", exercise.inputs) if has_tables else None
        )
        self.sink_rows = SinkRows()
        self.deadline = Deadline(exercise.timeout)
        self.step = 0

    @abstractmethod
    def build(self) -> Writer:
        """The query to run, from what the learner's function returns, or from what is given."""

    @abstractmethod
    def collect(self, batches: list[Batch]) -> None:
        """Put the rows of a step's run into its batches, or note that they must be read later."""

    def build_version_before(self) -> Writer:
        """The query that ran before the answer's: it takes what the answer takes."""
        return self.attach_sink(self.given(self.exercise.takes))

    def read_back(self) -> list[str]:
        """The topics from which rows are read."""
        return [self.sink_topic]

    def without_commit(self, ran: list[Batch]) -> list[Batch]:
        """The batches of a step whose commits a kill takes away: the data batch, and what came after it."""
        return ran

    def play(self) -> None:
        """All steps, and nothing left behind; raises Stop if the answer fails."""
        try:
            self.play_steps()
        finally:
            self.clean_up()

    def play_steps(self) -> None:
        self.line.get_ready(
            to=[self.topics[name] for name in self.exercise.inputs if name in self.topics],
            back=self.read_back(),
        )
        if self.tables:
            self.tables.create()
            self.tables.note_versions(self.step)
        before = self.exercise.upgrades_after or 0
        writer = self.build_version_before() if before else self.build()
        try:
            for step in range(1, self.variant.scenario.steps + 1):
                self.step = step
                if before and step == before + 1:
                    writer = self.restart()
                self.feed(self.variant.scenario.of_step(step))
                ran = self.run_once(writer)
                if step == self.variant.crash_after:
                    self.collect_rest()  # the rerun's batches have the times of those before
                    checkpoints.rewind(self.checkpoint, self.without_commit(ran))
                    writer = self.restart()
                    self.run_once(writer, rerun=True)
        finally:
            self.collect_rest()

    def feed(self, events: list[Event]) -> None:
        """Send a step's events to their topics, and commit those of tables."""
        self.line.feed([event for event in events if event.input in self.topics], self.topics)
        if self.tables:
            self.tables.commit(events)

    def collect_rest(self) -> None:
        """Read from the sink's topic what `collect` left for later: before a crash, and at the end."""
        self.sink_rows.distribute(lambda: self.line.records(self.sink_topic))

    def restart(self) -> Writer:
        """The answer's query in a new session, as a new process would have it."""
        before, self.session = self.session, _session_of_run(self.session, self.settings)
        _give_back(before)
        return self.build()

    def run_once(self, writer: Writer, *, rerun: bool = False) -> list[Batch]:
        """One run over what is in the topics; returns its batches, which are recorded."""
        query = self._run_to_end(writer)
        batches = batches_of((json.loads(p.json) for p in query.recentProgress), self.step)
        for batch in batches:
            batch.rerun = rerun
        self.recording.batches += batches
        self.collect(batches)
        if self.tables:
            self.tables.note_versions(self.step)
        if any(fact.plan for fact in self.exercise.facts):
            self.recording.plans += query_plans.of_run(self.session, str(query.runId))
        if self.look_into_state and batches:
            batches[-1].state = state_reader.rows_of(self.session, self.checkpoint)
        return batches

    def _run_to_end(self, writer: Writer) -> StreamingQuery:
        query: StreamingQuery | None = None
        try:
            with time_limit(self.deadline.remaining(self.step), self.session):
                query = self._start(writer)
            if not self.recording.plan.output_mode:
                query_plans.look_at(query, self.recording.plan, own_sink=self.own_writer)
            if not query.awaitTermination(self.deadline.remaining(self.step)):  # type: ignore[arg-type]
                raise TimeLimit(self.deadline.seconds)
            if self.own_writer:
                notify_listeners(self.session)
        except TimeLimit:
            raise Stop(self.deadline.missed(self.step)) from None
        except Exception as error:
            phase = "plan" if query is None else "query"
            raise Stop(failure_of(error, phase=phase, step=self.step)) from error
        finally:
            if query is not None:
                if query.isActive:
                    query.stop()
                forget_run(self.session, query)
        return query

    def _start(self, writer: Writer) -> StreamingQuery:
        if isinstance(writer, ClockedWriter):
            return writer.start(self.checkpoint, self.variant.scenario.clock_ms(self.step))
        checkpointed = writer.option("checkpointLocation", str(self.checkpoint))
        return checkpointed.trigger(availableNow=True).start()

    def call(self) -> Any:
        """What the learner's function returns, as a new process would find it."""
        function, arguments = self.answer.thaw(self.session), self.arguments(self.exercise.takes)
        return call_answer(function, arguments, self.session, self.deadline, self.step)

    def given(self, names: Iterable[str]) -> Any:
        """What the given function, the exercise's subject, makes of these arguments."""
        assert self.subject is not None, "a query that is given is in subject.py"
        return self.subject(*self.arguments(names))

    def arguments(self, names: Iterable[str]) -> list[Any]:
        return [self._argument(name) for name in names]

    def _argument(self, name: str) -> Any:
        if name == "spark":
            return self.session
        if name == "checkpoint":
            return str(self.checkpoint)
        if name == "kafka":
            return ExerciseKafka(self.kafka.bootstrap_servers, self.topics)
        if self.tables and name in self.tables:
            return self.tables.path(name)
        topic = self.topics[name.removesuffix(".raw")]
        records = topic_stream(self.session, self.kafka.bootstrap_servers, topic)
        if name.endswith(".raw"):
            return records
        return json_columns(records, self.exercise.inputs[name].schema)

    def attach_sink(self, frame: DataFrame) -> Writer:
        """A writer of a frame's rows to the sink's topic."""
        options = sink_options(self.kafka.bootstrap_servers, self.sink_topic)
        try:
            if self.variant.scenario.clocks:
                return ClockedWriter(records_of(frame), options, self.exercise.output_mode)
            return kafka_sink(frame, options).outputMode(self.exercise.output_mode)
        except Exception as error:  # a column of a type that no sink takes
            raise Stop(failure_of(error, phase="plan", step=self.step)) from error

    def demand_end(self, frame: DataFrame) -> None:
        """Refuse a query with processing-time timeouts or timers: it would never end."""
        by = None if self.variant.scenario.clocks else processing_time_of(frame)
        if by:
            raise Stop(Failure("processing_time", step=self.step, fields={"by": by}))

    def note_schema(self, frame: DataFrame) -> None:
        self.recording.schema = [
            {"name": column.name, "type": column.dataType.jsonValue()} for column in frame.schema
        ]

    def put_rows(self, rows: list[dict[str, Any]], batches: list[Batch]) -> None:
        """Rows that do not name their batch go to the last batch of their step."""
        if rows and not batches:
            batches.append(Batch(id=-1, step=self.step))
            self.recording.batches += batches
        if batches:
            batches[-1].rows = sorted(rows, key=row_order)

    def clean_up(self) -> None:
        """Record what is left in the checkpoint, and leave nothing behind."""
        for query in self.session.streams.active:
            query.stop()
        if self.checkpoint.exists():
            self.recording.checkpoint = checkpoints.files_in(self.checkpoint)
            pinned = checkpoints.pinned_conf(self.checkpoint)
            judged = [fact.conf for fact in self.exercise.facts if fact.conf]
            self.recording.conf = {**settings_of(self.session, judged), **pinned}
        if self.tables:
            self.tables.note_versions(self.step)
            self.recording.versions = self.tables.versions
            self.tables.close()
        _give_back(self.session)
        remove_scratch(self.folder)
        self.line.close()
        close_idle_producers(self.session)
        self.kafka.delete_topics([*self.topics.values(), self.sink_topic])


def _session_of_run(spark: SparkSession, settings: dict[str, str]) -> SparkSession:
    session = new_session(spark, settings)
    note_callbacks(session)
    return session


def _give_back(session: SparkSession) -> None:
    """What only this session used: its queries must have ended."""
    hang_up(session)
    forget_session(session)
