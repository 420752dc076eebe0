"""A query that an answer builds, played on events by the model."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from grader.model.fates import Fate
from grader.model.query import Query, Source
from grader.model.run import play
from grader.model.unsupported import NotModelled, Refused
from grader.page.answer_program import Program
from grader.page.lab_only import OnlyTheLab
from grader.page.plan_limits import playable
from grader.page.pyspark_stand_in import typed_value as tv
from grader.page.pyspark_stand_in.data_frame import DataFrame, finished, frame_of_input
from grader.page.pyspark_stand_in.data_types import columns_by_ddl, struct_by_ddl
from grader.page.pyspark_stand_in.session import SparkSession
from grader.page.refusals import refusal_of
from grader.scenario import Exercise, Variant
from grader.scenario.recording import Failure, Plan, Recording

_CALLED_OTHERWISE = re.compile(
    r"unexpected keyword argument|positional argument|missing \d+ required|multiple values"
)


def play_stream(exercise: Exercise, program: Program, variant: Variant) -> Recording:
    """The recording of the query that an answer returns."""
    from grader.replay.learner_query import stream_of

    recording = Recording(exercise.id, variant.name, variant.scenario.steps)
    with _failing_in(recording):
        session = SparkSession()
        inputs = [_input(exercise, name, session) for name in exercise.takes]
        frame = stream_of(_call(program.thaw(session), inputs))
        _record(frame, exercise, variant, recording)  # type: ignore[arg-type]
    return recording


def play_events(
    exercise: Exercise, program: Program, variant: Variant, subject: Callable[..., Any]
) -> Recording:
    """The recording of a given query on the events that an answer returns."""
    from grader.replay.failures import Stop
    from grader.replay.learner_events import GivenError, scenario_of

    recording = Recording(exercise.id, variant.name, variant.scenario.steps)
    columns = {name: struct_by_ddl(given.schema) for name, given in exercise.inputs.items()}
    with _failing_in(recording):
        result = _call(program.thaw(SparkSession()), [])
        try:
            scenario = scenario_of(result, columns)  # type: ignore[arg-type]
        except GivenError as error:
            raise Stop(Failure("events", fields=error.fields)) from error
        recording.steps, recording.given = scenario.steps, scenario.to_lines()
        session = SparkSession()
        frame = subject(*[_input(exercise, name, session) for name in exercise.inputs])
        _record(frame, exercise, replace(variant, scenario=scenario), recording)
    return recording


@contextmanager
def _failing_in(recording: Recording) -> Iterator[None]:
    """If the play in the block stops, the recording has the failure, as one of replay has."""
    from grader.replay.failures import Stop

    try:
        yield
    except Stop as stop:
        stop.failure.own_writer = False
        recording.failure = stop.failure


def _input(exercise: Exercise, name: str, session: SparkSession) -> Any:
    if name == "spark":
        return session
    return frame_of_input(session, Source(name, columns_by_ddl(exercise.inputs[name].schema)))


def _call(function: Callable[..., Any], inputs: list[Any]) -> Any:
    """What the function returns; raises Stop if it fails."""
    from grader.replay.failures import Stop, failure_of, is_wrong_call

    try:
        return function(*inputs)
    except OnlyTheLab:
        raise
    except BaseException as error:  # an exit, too
        if is_wrong_call(error):
            raise Stop(failure_of(error, phase="signature", step=1)) from error
        _demand_known(error)
        raise Stop(failure_of(error, phase="plan", step=1)) from error


def _demand_known(error: BaseException) -> None:
    """Refuse an error that the stand-in may have made: only the learner's own, and Spark's, are known."""
    if isinstance(error, NotModelled):
        raise OnlyTheLab(str(error))
    if type(error).__module__.startswith("pyspark"):
        return
    frames = traceback.extract_tb(error.__traceback__)
    inside = "pyspark_stand_in" in frames[-1].filename if frames else True
    if inside or (isinstance(error, TypeError) and _CALLED_OTHERWISE.search(str(error))):
        raise OnlyTheLab(f"a call that ends in {type(error).__name__}: {error}")


def _record(frame: DataFrame, exercise: Exercise, variant: Variant, recording: Recording) -> None:
    """Play the query of a frame, and put into the recording what it did; raises Stop if Spark refuses it."""
    from grader.replay.failures import Stop

    facts = frame._facts
    recording.plan = Plan(
        print="model",
        watermarks=sorted(facts.watermarks),
        followed=[list(columns) for columns in facts.followed],
        joins=facts.joins,
        bounded_joins=facts.bounded_joins,
    )
    if variant.scenario.clocks:
        raise OnlyTheLab("a scenario with a clock")
    query = Query(finished(frame), exercise.output_mode, frame._session.conf.policy)
    recording.schema = [{"name": f.name, "type": tv.json_type(f.type)} for f in frame._fields]
    try:
        refused = _refused_at_once(frame, exercise)
        if refused:
            raise Refused(refused)
        played = play(replace(query, plan=playable(query.plan)), variant.scenario)
    except NotModelled as error:
        raise OnlyTheLab(str(error)) from None
    except Refused as refusal:
        raise Stop(refusal_of(refusal, query.plan)) from None
    recording.plan.output_mode = exercise.output_mode
    recording.batches = played.recording.batches
    _count_duplicates(recording, played.fates)


def _refused_at_once(frame: DataFrame, exercise: Exercise) -> str:
    """What Spark refuses of a query that the model does not play at all; empty if that is not known."""
    facts = frame._facts
    if exercise.output_mode == "append" and facts.aggregations == facts.endless == 1:
        return "append mode needs a watermark on a key of the aggregation"
    return ""


def _count_duplicates(recording: Recording, fates: list[Fate]) -> None:
    """Add the metric of recognized duplicates, which the model keeps as fates."""
    for batch in recording.batches:
        for operator in batch.operators:
            if operator.name in ("dedupe", "dedupeWithinWatermark"):
                count = sum(f.batch == batch.id and f.what == "duplicate" for f in fates)
                operator.metrics["numDroppedDuplicateRows"] = count
