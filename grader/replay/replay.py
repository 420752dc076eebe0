"""Scenario → Kafka → the learner's query → recording: one availableNow run a step."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from grader.replay import checkpoint as checkpoints
from grader.replay import function_calls, query_plans, state_reader
from grader.replay.answer_sink import (
    as_json,
    batch_time,
    kafka_sink,
    records_of,
    row_of,
    sink_options,
)
from grader.replay.endless_wait import WaitsForEver, no_endless_wait
from grader.replay.failures import Stop, failure_of, is_wrong_call
from grader.replay.function_snapshot import Snapshot
from grader.replay.kafka import Kafka, Line, decode
from grader.replay.learner_events import GivenError, scenario_of
from grader.replay.manual_clock import NO_EMPTY_BATCHES, ClockedWriter, processing_time_of
from grader.replay.play_session import (
    forget_run,
    forget_session,
    new_session,
    settings_of,
    tell_listeners,
)
from grader.replay.progress_events import batches_of
from grader.replay.py4j_connection import hang_up, note_callbacks
from grader.replay.time_limit import TimeLimit, time_limit
from grader.replay.topic_stream import json_columns, topic_stream
from grader.runtime.scratch_folders import make_scratch, remove_scratch
from grader.runtime.spark_internals.query_internals import frame_of
from grader.runtime.spark_internals.session_internals import active, close_idle_producers
from grader.scenario import Exercise, Variant
from grader.scenario.exercise import CALLED
from grader.scenario.recording import Batch, Failure, Recording

Answer = Callable[..., Any]
SINK = "_answer"  # the topic that an answer's rows go to


@dataclass(frozen=True)
class ExerciseKafka:
    """The broker as an exercise's function sees it: real topic names by their names in the task."""

    bootstrap_servers: str
    topics: dict[str, str]

    def topic(self, name: str) -> str:
        """The real name of an input or output topic; KeyError names those that there are."""
        if name not in self.topics:
            raise KeyError(f"this exercise has no topic {name!r}; it has {sorted(self.topics)}")
        return self.topics[name]


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

    `look_into_state` also reads the state store after every step (about 0.5 s each).

    Never raises for what the learner's code does: that is in the recording's `failure`.
    Needs a broker; uses a session of its own (settings and temporary views do not leak),
    topics of its own and a fresh checkpoint, and leaves none of them behind.
    """
    if exercise.returns in CALLED:
        return function_calls.call(spark, exercise, answer, variant, subject)
    began = time.monotonic()
    run = _Run.prepare(spark, kafka, exercise, answer, variant, subject)
    run.look_into_state = look_into_state
    try:
        run.play()
    except Stop as stop:
        stop.failure.own_writer = exercise.returns == "writer"
        run.recording.failure = stop.failure
    finally:
        run.clean_up()
    run.recording.seconds = time.monotonic() - began
    return run.recording


@dataclass
class _Run:
    session: SparkSession
    settings: dict[str, str]  # those that every session of this run starts with
    kafka: Kafka
    line: Line
    exercise: Exercise
    answer: Snapshot
    subject: Answer | None
    variant: Variant
    recording: Recording
    topics: dict[str, str]
    sink_topic: str
    folder: Path
    deadline: float
    step: int = 0
    look_into_state: bool = False
    uncollected: list[Batch] = field(default_factory=list)
    batch_times: dict[int, int] = field(default_factory=dict)  # of those: milliseconds → batch id

    @classmethod
    def prepare(
        cls,
        spark: SparkSession,
        kafka: Kafka,
        exercise: Exercise,
        answer: Answer,
        variant: Variant,
        subject: Answer | None,
    ) -> _Run:
        partitions = {name: given.partitions for name, given in exercise.inputs.items()}
        partitions |= dict.fromkeys([*exercise.outputs, SINK], 1)
        topics = kafka.unique_topics(partitions)
        clocked = NO_EMPTY_BATCHES if variant.scenario.clocks else {}
        settings = {**exercise.conf, **variant.conf, **clocked}
        return cls(
            session=_session_of_a_run(spark, settings),
            settings=settings,
            kafka=kafka,
            line=Line(kafka),
            exercise=exercise,
            answer=Snapshot(answer),
            subject=subject,
            variant=variant,
            recording=Recording(exercise.id, variant.name, variant.scenario.steps),
            topics=topics,
            sink_topic=topics.pop(SINK),
            folder=make_scratch("checkpoint"),
            deadline=time.monotonic() + exercise.timeout,
        )

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"

    def play(self) -> None:
        answers = self.exercise.outputs or [SINK]
        self.line.get_ready(
            to=[self.topics[name] for name in self.exercise.inputs],
            back=[self.topics.get(name, self.sink_topic) for name in answers],
        )
        if self.exercise.returns == "events":
            self.take_events()
        before = self.exercise.upgrades_after or 0
        writer = self.build_before() if before else self.build()
        try:
            for step in range(1, self.variant.scenario.steps + 1):
                self.step = step
                if before and step == before + 1:
                    self.start_anew()
                    writer = self.build()
                self.line.feed(self.variant.scenario.of_step(self.step), self.topics)
                ran = self.run_once(writer)
                if self.step == self.variant.crash_after:
                    self.collect_answer()  # the rerun's batches have the times of those before
                    checkpoints.rewind(self.checkpoint, ran)
                    self.start_anew()
                    writer = self.build()
                    self.run_once(writer, rerun=True)
        finally:
            self.collect_answer()

    def start_anew(self) -> None:
        """A session as a new process would have it: what the one before was told is forgotten."""
        before, self.session = self.session, _session_of_a_run(self.session, self.settings)
        _give_back(before)

    def build_before(self) -> DataStreamWriter | ClockedWriter:
        """A writer of the version that ran before the answer: it takes what the answer takes."""
        assert self.subject is not None, "the version before stands in subject.py"
        built = self.subject(*(self.argument(name) for name in self.exercise.takes))
        return built if self.exercise.returns == "writer" else self.attach_sink(built)

    def build(self) -> DataStreamWriter | ClockedWriter:
        """Call the learner's function (or the subject's) and make a writer of what it returns."""
        if self.exercise.returns in ("table", "events"):
            assert self.subject is not None, "a query that is given stands in subject.py"
            frame = self.subject(*(self.argument(name) for name in self.exercise.inputs))
            if self.exercise.returns == "events":
                self.recording.plan = query_plans.plan_of(frame)
                self.note_schema(frame)
            return self.attach_sink(frame)
        result = self.call(self.answer.thaw(self.session))
        if self.exercise.returns == "writer":
            writer = self.expect_writer(result)
            self.recording.plan = query_plans.plan_of(frame_of(writer))
            self.expect_end(frame_of(writer))
            return writer
        frame = self.expect_frame(result, streaming=True)
        self.recording.plan = query_plans.plan_of(frame)
        self.expect_end(frame)
        self.note_schema(frame)
        return self.attach_sink(frame)

    def take_events(self) -> None:
        """Call the learner's function for the events; they take the place of the scenario's."""
        columns = {
            name: self.session.createDataFrame([], given.schema).schema
            for name, given in self.exercise.inputs.items()
        }
        result = self.call(self.answer.thaw(self.session))
        try:
            scenario = scenario_of(result, columns)
        except GivenError as error:
            raise Stop(Failure("events", str(error))) from error
        self.variant = replace(self.variant, scenario=scenario)
        self.recording.steps = scenario.steps
        self.recording.given = scenario.to_lines()

    def call(self, answer: Answer) -> Any:
        with active(self.session):
            return self.call_in_session(answer)

    def call_in_session(self, answer: Answer) -> Any:
        arguments = [self.argument(name) for name in self.exercise.takes]
        try:
            with time_limit(self.remaining(), self.session), no_endless_wait():
                result = answer(*arguments)
        except WaitsForEver as waits:
            for query in waits.queries:
                query.stop()
            raise Stop(self.already_started(waits.call)) from waits
        except (Exception, SystemExit) as error:
            phase = "signature" if is_wrong_call(error) else "plan"
            raise Stop(failure_of(error, phase=phase, step=self.step)) from error
        except TimeLimit as error:
            if self.session.streams.active:  # it waits for a query of its own
                raise Stop(self.already_started()) from error
            raise Stop(failure_of(error, phase="plan", step=self.step)) from error
        started = isinstance(result, StreamingQuery)
        if started:
            result.stop()
        if started or self.session.streams.active:  # clean_up stops those
            raise Stop(self.already_started())
        if result is None and self.exercise.returns != "events":
            raise Stop(Failure("no_query", "the function returned None"))
        return result

    def already_started(self, call: str = "") -> Failure:
        """A function that starts a query; `call` is what it waits with for an end that never comes."""
        message = "the function started the query itself"
        return Failure("already_started", message, step=self.step, call=call)

    def argument(self, name: str) -> Any:
        if name == "spark":
            return self.session
        if name == "checkpoint":
            return str(self.checkpoint)
        if name == "kafka":
            return ExerciseKafka(self.kafka.bootstrap_servers, self.topics)
        topic = self.topics[name.removesuffix(".raw")]
        records = topic_stream(self.session, self.kafka.bootstrap_servers, topic)
        if name.endswith(".raw"):
            return records
        return json_columns(records, self.exercise.inputs[name].schema)

    def expect_frame(self, result: Any, *, streaming: bool) -> DataFrame:
        if not isinstance(result, DataFrame):
            raise Stop(
                Failure("no_query", f"the function returned {_kind_of(result)}, not a DataFrame")
            )
        if streaming and not result.isStreaming:
            raise Stop(
                Failure("no_query", "the DataFrame that came back does not read from the stream")
            )
        names = [column.lower() for column in result.columns]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise Stop(Failure("schema", f"the result has two columns named {twice[0]}"))
        return result

    def expect_writer(self, result: Any) -> DataStreamWriter:
        if not isinstance(result, DataStreamWriter):
            what = _kind_of(result)
            raise Stop(
                Failure("no_query", f"the function returned {what}, not a writer (df.writeStream…)")
            )
        return result

    def expect_end(self, frame: DataFrame) -> None:
        """Refuse a query that goes by the machine's clock, and so would run for ever."""
        by = None if self.variant.scenario.clocks else processing_time_of(frame)
        if by:
            raise Stop(Failure("processing_time", by, step=self.step))

    def note_schema(self, frame: DataFrame) -> None:
        self.recording.schema = [
            {"name": column.name, "type": column.dataType.jsonValue()} for column in frame.schema
        ]

    def attach_sink(self, frame: DataFrame) -> DataStreamWriter | ClockedWriter:
        options = sink_options(self.kafka.bootstrap_servers, self.sink_topic)
        try:
            if self.variant.scenario.clocks:
                return ClockedWriter(records_of(frame), options, self.exercise.output_mode)
            return kafka_sink(frame, options).outputMode(self.exercise.output_mode)
        except Exception as error:  # a column of a type that no sink takes
            raise Stop(failure_of(error, phase="plan", step=self.step)) from error

    def start(self, writer: DataStreamWriter | ClockedWriter) -> StreamingQuery:
        if isinstance(writer, ClockedWriter):
            return writer.start(self.checkpoint, self.variant.scenario.clock_ms(self.step))
        checkpointed = writer.option("checkpointLocation", str(self.checkpoint))
        return checkpointed.trigger(availableNow=True).start()

    def run_once(
        self, writer: DataStreamWriter | ClockedWriter, *, rerun: bool = False
    ) -> list[Batch]:
        """One availableNow run over what is in the topics; returns its batches, recorded."""
        query: StreamingQuery | None = None
        try:
            with time_limit(self.remaining(), self.session):
                query = self.start(writer)
            if not self.recording.plan.output_mode:
                own_sink = self.exercise.returns == "writer"
                query_plans.look_at(query, self.recording.plan, own_sink=own_sink)
            if not query.awaitTermination(self.remaining()):  # type: ignore[arg-type]
                raise TimeLimit(self.exercise.timeout)
            if self.exercise.returns == "writer":
                tell_listeners(self.session)
        except TimeLimit:
            raise Stop(
                failure_of(TimeLimit(self.exercise.timeout), phase="query", step=self.step)
            ) from None
        except Exception as error:
            phase = "plan" if query is None else "query"
            raise Stop(failure_of(error, phase=phase, step=self.step)) from error
        finally:
            if query is not None:
                if query.isActive:
                    query.stop()
                forget_run(self.session, query)
        batches = batches_of((json.loads(p.json) for p in query.recentProgress), self.step)
        for batch in batches:
            batch.rerun = rerun
        self.recording.batches += batches
        self.collect_rows(batches)
        if any(fact.plan for fact in self.exercise.facts):
            self.recording.plans += query_plans.of_run(self.session, str(query.runId))
        if self.look_into_state and batches:
            batches[-1].state = state_reader.rows_of(self.session, self.checkpoint)
        return batches

    def collect_rows(self, batches: list[Batch]) -> None:
        """The rows that a step has brought, where they do not say themselves which batch they are of."""
        if self.exercise.returns in ("stream", "events"):
            self.uncollected += batches
            # at once: a query may keep few entries of its offset log
            ids = [batch.id for batch in batches]
            self.batch_times |= checkpoints.batch_times(self.checkpoint, ids)
            return
        if self.exercise.returns == "table":
            rows = self.read_table()
        else:
            rows = [
                {"topic": name, "key": decode_key(record.key), "value": decode(record.value)}
                for name in self.exercise.outputs
                for record in self.new_records(self.topics[name])
            ]
        if rows and not batches:
            batches.append(Batch(id=-1, step=self.step))
            self.recording.batches += batches
        if batches:
            batches[-1].rows = sorted(rows, key=_order)

    def collect_answer(self) -> None:
        """Sort what has come into the sink's topic to its batches: once for many steps."""
        if not self.uncollected:
            return
        by_id = {batch.id: batch for batch in self.uncollected}
        for record in self.new_records(self.sink_topic):
            id = self.batch_times.get(batch_time(record))
            if id is not None:  # else of a batch that failed half-way
                by_id[id].rows.append(row_of(record))
        for batch in self.uncollected:
            batch.rows.sort(key=_order)
        self.uncollected, self.batch_times = [], {}

    def new_records(self, topic: str) -> list[Any]:
        return self.line.records(topic)

    def read_table(self) -> list[dict[str, Any]]:
        frame = self.expect_frame(self.call(self.answer.thaw(self.session)), streaming=False)
        if frame.isStreaming:
            raise Stop(
                Failure("no_query", "the function returned a streaming DataFrame, not a table")
            )
        self.note_schema(frame)
        self.recording.plan = query_plans.plan_of(frame)
        try:
            with time_limit(self.remaining(), self.session):
                return [json.loads(row.value) for row in as_json(frame).collect()]
        except TimeLimit as error:
            raise Stop(failure_of(error, phase="query", step=self.step)) from error
        except Exception as error:
            raise Stop(failure_of(error, phase="query", step=self.step)) from error

    def remaining(self) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Stop(failure_of(TimeLimit(self.exercise.timeout), phase="query", step=self.step))
        return left

    def clean_up(self) -> None:
        for query in self.session.streams.active:
            query.stop()
        if self.checkpoint.exists():
            self.recording.checkpoint = checkpoints.files_in(self.checkpoint)
            pinned = checkpoints.pinned_conf(self.checkpoint)
            asked = [fact.conf for fact in self.exercise.facts if fact.conf]
            self.recording.conf = {**settings_of(self.session, asked), **pinned}
        _give_back(self.session)
        remove_scratch(self.folder)
        self.line.close()
        close_idle_producers(self.session)
        self.kafka.delete_topics([*self.topics.values(), self.sink_topic])


def _session_of_a_run(spark: SparkSession, settings: dict[str, str]) -> SparkSession:
    session = new_session(spark, settings)
    note_callbacks(session)
    return session


def _give_back(session: SparkSession) -> None:
    """What only this session used: its queries must have ended."""
    hang_up(session)
    forget_session(session)


def _kind_of(value: Any) -> str:
    """What a value is, with its article; a DataFrame that is none of Spark's with its library's name."""
    if isinstance(value, DataStreamWriter):
        return "an unstarted writer"
    kind = type(value)
    name = kind.__name__
    if name == "DataFrame" and not isinstance(value, DataFrame):
        name = f"{kind.__module__.partition('.')[0]} {name}"
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def decode_key(key: bytes | None) -> str | None:
    return None if key is None else key.decode(errors="replace")


def _order(row: dict[str, Any]) -> str:
    return json.dumps(row, sort_keys=True)
